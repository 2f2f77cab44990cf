"""karat judges what language systems produce."""
