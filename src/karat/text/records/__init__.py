"""Records of texts: their fields and their schemas."""
