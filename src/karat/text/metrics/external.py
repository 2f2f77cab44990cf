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
from karat.text.external.address import HasAddress
from karat.text.external.memory import memory
from karat.text.external.process import process
from karat.text.external.protocol import (
    Carrier,
    check_health,
    check_nothing_is_left,
    fresh_ids,
    named_version,
    request,
    scores_of,
)
from karat.text.external.server import Server
from karat.text.model import (
    Held,
    Text,
    TextsMetric,
    documents_of,
    has_documents,
    has_references,
    leave_one_out,
    other_references,
    references_of,
    sentences,
    text_of,
)


class ExternalScores(HasAddress, TextsMetric[Text], ABC):
    """Base class of metrics whose scores come from a program or a server."""

    wanted: ClassVar[Sequence[str]]
    """The names of the scores; a dot makes a nested name."""
    shares: ClassVar[frozenset[str]] = frozenset()
    """The names of the scores that lie between 0 and 1; of the others that is not known."""
    batch: ClassVar[int] = 32
    chunk_size = 256

    @abstractmethod
    def carrier(self) -> Carrier:
        """The connection to the program: it takes requests and brings answers."""

    @property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        return ("items", *self.wanted)

    @property
    def kept_in(self) -> str | None:
        """The file that answers are kept in besides memory."""
        return None

    def of_system(self, record: Any) -> Text:
        return text_of(record)

    def holds_gold(self, record: Any) -> bool:
        if self.held_against == "nothing":
            return True
        return (has_references if self.held_against == "references" else has_documents)(record)

    def has_other_gold(self, record: Any, golds: Sequence[Any]) -> bool:
        return self.held_against == "references" and other_references(record, golds)

    def of_gold(self, records: Sequence[Any]) -> Sequence[Text]:
        if self.held_against == "nothing":
            return []
        return (references_of if self.held_against == "references" else documents_of)(records)

    def jackknife(self, gold: Sequence[Text]) -> list[Sequence[Text]]:
        return leave_one_out(gold) if self.held_against == "references" else []

    def measure_many(self, pairs: Sequence[tuple[Text, Sequence[Text]]]) -> Array:
        carrier, kept = self.carrier(), memory(self.kept_in)
        program = check_health(carrier)
        held = "" if self.held_against == "nothing" else self.held_against
        questions = [self._question(system, gold, held) for system, gold in pairs]
        keys = [kept.key(program, question) for question in questions]
        known = {key: kept.get(key, list[float]) for key in keys}
        missing = [key for key, scores in known.items() if scores is None]
        place = {key: i for i, key in enumerate(keys)}
        for first in range(0, len(missing), self.batch):
            batch = missing[first : first + self.batch]
            ids = fresh_ids(len(batch))
            lines = [
                request(number, self.wanted, pairs[place[key]][0], held, pairs[place[key]][1])
                for number, key in zip(ids, batch, strict=True)
            ]
            found = scores_of(carrier, carrier.exchange(lines), ids, self.wanted)
            kept.put(list(zip(batch, found, strict=True)))
            known.update(zip(batch, found, strict=True))
        if missing:
            check_nothing_is_left(carrier)
        rows = [[1.0, *(known[key] or ())] for key in keys]
        return np.array(rows, np.float64).reshape(len(rows), len(self.columns))

    def program(self) -> str:
        return named_version(self.carrier())

    def _question(self, system: Text, gold: Sequence[Text], held: str) -> bytes:
        sentences(system)
        if held:
            self.check_texts(gold)
            for text in gold:
                sentences(text)
        elif not isinstance(gold, Sequence):
            raise PairingError("an item has no list of texts", code="K211")
        return request(0, self.wanted, system, held, gold)

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
    Answers are kept in memory, and in a file with `cache`, by what was asked of which
    version of the program. The score of a system is the mean of its items.
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
        if self.command is not None:
            return process(self.command, self.timeout)
        return Server(self.address or "", self.timeout)

    @property
    def kept_in(self) -> str | None:
        return self.cache
