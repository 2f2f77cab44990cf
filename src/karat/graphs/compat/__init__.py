"""Algorithms of other tools, for comparison with figures published with them."""
