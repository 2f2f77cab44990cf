"""File formats of logical forms."""
