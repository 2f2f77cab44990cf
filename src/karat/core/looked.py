"""Pairs that are compared once, whatever item outputs ask for."""

from __future__ import annotations

from abc import ABC, abstractmethod

from karat.core.capabilities import Asked
from karat.core.shown import ShownPairs


class LookedOnce(ABC):
    """Base class of what `LooksAtMany` gives, where one call makes all that will be asked for."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._told: list[bytes] | None = None
        self._shown: ShownPairs | None = None

    @abstractmethod
    def look(self, told: bool, shown: bool) -> tuple[list[bytes] | None, ShownPairs | None]:
        """Explanations and what a page shows, where they are wanted."""

    def explanations(self) -> list[bytes]:
        if self._told is None:
            self._look(told=True, shown=self._asked.shown)
        assert self._told is not None
        return self._told

    def shown(self) -> ShownPairs:
        if self._shown is None:
            self._look(told=self._asked.told, shown=True)
        assert self._shown is not None
        return self._shown

    def _look(self, *, told: bool, shown: bool) -> None:
        explanations, pairs = self.look(told and self._told is None, shown and self._shown is None)
        self._told = self._told if explanations is None else explanations
        self._shown = self._shown if pairs is None else pairs
