"""What can be asked of a graph by itself: its shape, and whether it is as it should be."""
