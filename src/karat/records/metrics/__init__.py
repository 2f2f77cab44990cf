"""Metrics of structured output."""
