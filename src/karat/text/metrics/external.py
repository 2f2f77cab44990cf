"""Scores that another program computes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np

from karat.core.marks import Score, main, within
from karat.core.options import Range
from karat.core.scores import Array, Scores, nest, ratio
from karat.errors import OptionError, PairingError
from karat.text.external.carriers import carrier_of
from karat.text.external.programs import HasAddress
from karat.text.external.protocol import (
    Carrier,
    answer_cache,
    ask,
    named_version,
    numbers_of,
    request,
)
from karat.text.model import Held, SentenceMetric, Text, sentences


class ExternalScores(HasAddress, SentenceMetric, ABC):
    """Base class of metrics whose scores come from a program or a server."""

    wanted: ClassVar[Sequence[str]]
    """The names of the scores; a dot makes a nested name."""
    shares: ClassVar[frozenset[str]] = frozenset()
    """The names of the scores that lie between 0 and 1; of the others that is not known."""
    batch: ClassVar[int] = 32
    chunk_size = 256

    why_opaque = "they are made by another program, which gives numbers alone"

    @abstractmethod
    def carrier(self) -> Carrier:
        """The carrier of requests to the program."""

    @property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        return ("items", *self.wanted)

    def measure_many(self, pairs: Sequence[tuple[Text, Sequence[Text]]]) -> Array:
        carrier = self.carrier()
        held = "" if self.held_against == "nothing" else self.held_against
        for system, gold in pairs:
            self._check(system, gold)

        def line(number: int, pair: tuple[Text, Sequence[Text]]) -> bytes:
            return request(number, self.wanted, pair[0], held, pair[1])

        def take(_: object, answer: dict[str, Any]) -> list[float]:
            return numbers_of(carrier, answer, self.wanted)

        cache = answer_cache(self.cache)
        scores = ask(carrier, cache, pairs, line, take, list[float], self.batch)
        rows = [[1.0, *each] for each in scores]
        return np.array(rows, np.float64).reshape(len(rows), len(self.columns))

    def program(self) -> str:
        return named_version(self.carrier())

    def _check(self, system: Text, gold: Sequence[Text]) -> None:
        sentences(system)
        if self.held_against != "nothing":
            self.check_texts(gold)
            for text in gold:
                sentences(text)
        elif not isinstance(gold, Sequence):
            raise PairingError("there is no list of texts", code="K211")

    def summarize(self, totals: Array) -> Scores:
        items, *sums = self.columns_of(totals)
        found: dict[str, Array | Score] = {}
        for name, total in zip(self.wanted, sums, strict=True):
            mean = ratio(total, items)
            found[name] = mean if name in self.shares else within(mean)
        found[self.wanted[0]] = main(found[self.wanted[0]])
        return nest((tuple(name.split(".")), score) for name, score in found.items())


class External(ExternalScores):
    """The scores of any program or server that speaks karat's protocol of JSON lines.

    A program is started once and kept; a server is asked by POST. Each item is one
    line with `id`, `scores`, `summary` and `references` or `documents`; the answer is
    a line with the `id` and `scores`. The protocol is described on the metric's page.
    Answers are kept in memory, and in a file with `cache`, by request and version
    of the program. The score of a system is the mean of its items.
    """

    name = "external"

    scores: Annotated[tuple[str, ...], "the names of the scores; f.x is x within f"]
    command: Annotated[str | None, "the program with its arguments"] = None
    url: Annotated[str | None, "the address of the server"] = None
    held_against: Annotated[Held, "what items are scored against"] = "references"
    timeout: Annotated[float, Range(0.001), "seconds to wait for an answer"] = 600.0
    cache: Annotated[str | None, "a file to keep answers in"] = None

    def __post_init__(self) -> None:
        if (self.command is None) == (self.url is None):
            raise OptionError("external: give a command or a url", code="K390")
        if not self.scores or len(set(self.scores)) != len(self.scores):
            raise OptionError("external: scores must be different names", code="K390")
        self.hide_password()

    @property
    def wanted(self) -> Sequence[str]:  # type: ignore[override]
        return self.scores

    def carrier(self) -> Carrier:
        carrier = carrier_of(self.command, self.address, self.timeout)
        assert carrier is not None
        return carrier
