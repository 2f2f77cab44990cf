"""UCCA passages: their model, normalisation and units."""
