"""Judging the judges: how well metrics follow people, and how sure one can be of it."""
