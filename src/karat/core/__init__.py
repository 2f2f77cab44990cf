"""Metrics, formats, pairing, evaluations and the registry: what all families are built on."""
