"""Drawing: SVG, arcs over words, boxes in layers. Independent of the families."""
