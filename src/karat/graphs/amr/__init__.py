"""AMR: PENMAN notation, triples, standardised statements, alignments."""
