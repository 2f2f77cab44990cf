"""The page of a run: scores, intervals, items."""
