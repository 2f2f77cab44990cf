"""Items: where they are in files or in memory, which are taken, and what parses them."""
