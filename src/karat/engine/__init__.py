"""Runs `measure` over many pairs: here, on threads, on processes, on any Executor."""

from typing import TYPE_CHECKING

from karat.engine.files import evaluate
from karat.engine.run import measure_pairs
from karat.lazy import loader

if TYPE_CHECKING:
    from karat.engine.verbs import Verification, verify

__all__ = ["Verification", "evaluate", "measure_pairs", "verify"]

__getattr__ = loader("karat.engine", {"verbs": "Verification verify"})


def __dir__() -> list[str]:
    return sorted(__all__)
