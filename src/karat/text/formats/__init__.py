"""File formats of texts."""
