"""Dependency trees: formats, alignment, metrics, drawings and commands."""
