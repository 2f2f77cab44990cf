"""Gold and system items that belong together, and the two sides of a pair."""
