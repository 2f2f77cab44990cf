"""METEOR: alignments by the native or the Java engine, and the score from their counts."""
