"""Metrics over scores that are there already."""
