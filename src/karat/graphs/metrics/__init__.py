"""Metrics for meaning graphs."""
