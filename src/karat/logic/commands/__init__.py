"""What the commands do with logical forms."""
