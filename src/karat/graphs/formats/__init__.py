"""File formats of meaning graphs."""
