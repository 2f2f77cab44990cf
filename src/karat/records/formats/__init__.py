"""Formats of structured output."""
