"""Drawing without outside help: SVG, arcs over words, layers of boxes. Knows no family."""
