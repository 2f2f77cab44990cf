"""What formalisms say, as data."""
