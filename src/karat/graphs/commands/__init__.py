"""What the commands do with meaning graphs."""
