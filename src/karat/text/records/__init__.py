"""Records of texts: which field is what."""
