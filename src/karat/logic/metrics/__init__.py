"""Metrics of logical forms."""
