"""Questions about a text, and programs that answer them."""
