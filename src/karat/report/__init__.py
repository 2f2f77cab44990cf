"""Results for people and programs. Nothing here computes a score."""
