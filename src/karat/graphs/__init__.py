"""Meaning graphs: their model, their formats, what can be asked of them, their metrics."""
