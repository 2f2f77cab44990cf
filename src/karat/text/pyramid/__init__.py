"""Pyramids of summary content units, and how annotators agree on them."""
