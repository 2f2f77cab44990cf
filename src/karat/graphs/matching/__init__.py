"""Optimal matching of two graphs: the problem, the solver, certificates."""
