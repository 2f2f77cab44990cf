"""METEOR: counts of an alignment, made here or by the Java engine, and what they mean."""
