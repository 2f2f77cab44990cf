"""Words: stemmers, word lists, WordNet, words of any script, and how they are distributed."""
