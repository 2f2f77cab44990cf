"""Dependency trees: who heads whom, and under which label."""
