"""What to change in a system's graph, from the correspondence with gold, and graphs so changed."""
