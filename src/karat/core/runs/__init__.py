"""Results: the evaluation of a run, comparisons of several, and saved runs."""
