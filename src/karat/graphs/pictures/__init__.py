"""Drawings of graphs, and of what differs between two of them."""
