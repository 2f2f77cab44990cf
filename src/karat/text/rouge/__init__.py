"""ROUGE: reading texts by the rules of a profile, counting, combining references."""
