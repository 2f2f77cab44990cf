"""Runs `measure` over many pairs: here, on threads, on processes, on any Executor."""

from karat.engine.files import evaluate
from karat.engine.run import measure_pairs
from karat.engine.verifying import Verification, verify

__all__ = ["Verification", "evaluate", "measure_pairs", "verify"]
