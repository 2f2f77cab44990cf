"""Metrics that another program computes: JSON lines to a process or an HTTP server."""
