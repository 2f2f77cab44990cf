"""Files as bytes: opening, decompressing and writing them, and where karat keeps its own."""
