"""File formats of dependency trees, and of alignments between two sentences."""
