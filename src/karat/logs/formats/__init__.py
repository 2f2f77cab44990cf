"""Formats of logs and tables that hold a score for each item."""
