"""Analysis of graphs by themselves: their shapes, and whether records are valid."""
