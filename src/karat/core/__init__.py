"""The one idea and what follows from it: metrics, evaluations, pairing, the registry."""
