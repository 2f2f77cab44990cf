"""Is there a result at all? Zeros because nothing could be read, or match, are an error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

from karat.core.capabilities import DetectsNull, DiagnosesNull, Objects, allows_empty, has
from karat.core.metric import Metric, Split
from karat.core.pairing.pairs import WRONG_FORMAT, Report
from karat.core.reading.items import Ints, Pair
from karat.core.reading.plan import Made
from karat.core.reading.streams import FilePairs
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import Array
from karat.errors import PairingError, Place


class Given(msgspec.Struct):
    """Whether the system gave anything in some pairs, and whether there was anything to give."""

    pairs: int = 0
    anything: bool = False
    wanted: bool = False
    why: tuple[str, str] = ("", "")
    """Why the first pair has nothing of the system, and what to do about it."""

    @classmethod
    def of(cls, metric: Metric[Any, Any], pairs: Sequence[Pair]) -> Given:
        is_null = metric.is_null if has(metric, DetectsNull) else is_blank
        anything = any(not is_null(pair.system) for pair in pairs)
        wanted = any(not is_null(pair.gold) for pair in pairs)
        why = ("", "")
        if pairs and not anything and has(metric, DiagnosesNull):
            why = metric.why_null(pairs[0].system)
        return cls(len(pairs), anything, wanted, why)

    def add(self, later: Given) -> None:
        """The same for more pairs."""
        self.why = self.why if self.pairs else later.why
        self.pairs += later.pairs
        self.anything = self.anything or later.anything
        self.wanted = self.wanted or later.wanted


class ChunkResult(msgspec.Struct):
    """What comes back of a chunk: which pairs it has, and their rows."""

    index: Ints
    place: Ints
    fields: dict[str, list[str]]
    """The fields of the pairs, a column each."""
    rows: Array
    splits: list[Split]
    proofs: list[bytes]
    given: Given
    marks: list[bytes]
    made: Made | None = None
    mappings: dict[int, bytes] = {}
    """Those of `Measured`, by the places of gold items."""


def joined(first: ChunkResult, second: ChunkResult) -> ChunkResult:
    """The pairs of two results without splits and proofs, in gold order."""
    index = np.concatenate([first.index, second.index])
    order = np.argsort(index, kind="stable")
    fields = {
        name: list(map((_column(first, name) + _column(second, name)).__getitem__, order.tolist()))
        for name in dict.fromkeys([*first.fields, *second.fields])
    }
    assert first.made is not None
    assert second.made is not None
    first.made.report.add(second.made.report)
    for ours, theirs in zip(first.made.noticed, second.made.noticed, strict=True):
        ours.update(theirs)
    first.given.add(second.given)
    return ChunkResult(
        index[order],
        np.concatenate([first.place, second.place])[order],
        fields,
        np.concatenate([first.rows, second.rows])[order],
        [],
        [],
        first.given,
        [],
        first.made,
        first.mappings,
    )


def _column(result: ChunkResult, name: str) -> list[str]:
    return result.fields.get(name) or [""] * len(result.rows)


def nothing_to_do() -> None:
    """In place of what makes a chunk's result, where that is known."""


def is_blank(value: Any) -> bool:
    """Whether there is no text: an empty string, or a list without any other."""
    if isinstance(value, str):
        return not value.strip()
    return isinstance(value, (list, tuple)) and all(map(is_blank, value))


def gold_marks(golds: Iterable[Any]) -> list[bytes]:
    """A short mark of the gold of each item, by which equal gold is known."""
    from hashlib import blake2b  # takes its time to load

    encode = msgspec.msgpack.Encoder().encode
    found = []
    for gold in golds:
        try:
            data = encode(gold)
        except TypeError:  # what MessagePack has no form for
            data = repr(gold).encode()
        found.append(blake2b(data, digest_size=8).digest())
    return found


def check_result(evaluation: Evaluation, pairs: FilePairs, given: Given) -> None:
    """Raises where the figures say nothing about the system: nothing was read, or counted."""
    metric, report = evaluation.metric, pairs.report
    if (unread := report.none_readable()) is not None:
        raise unread
    if not given.pairs:
        if allows_empty(metric):
            return
        raise PairingError(
            f"no item is left to measure: {report.skipped} could not be read", code="K203"
        )
    objection = metric.objection(evaluation.totals) if has(metric, Objects) else None
    objection = objection or _nothing_counted(evaluation)
    if objection is not None:
        raise objection
    if given.wanted and not given.anything:
        why, advice = given.why
        count = len(evaluation)
        raise PairingError(
            (f"all {count} system items are" if count > 1 else "the only system item is")
            + (f" unreadable: {why}" if why else " empty"),
            code="K241",
            place=Place(pairs.system.source.name),
            advice=advice or WRONG_FORMAT,
        )


def _nothing_counted(evaluation: Evaluation) -> PairingError | None:
    """The error where neither gold nor the system has anything that the metric counts."""
    sums: dict[str, list[float]] = {"g": [], "s": []}
    for name, total in zip(evaluation.metric.columns, evaluation.totals, strict=True):
        sums.get(name.rpartition(".")[2], []).append(float(total))
    if not sums["g"] or not sums["s"] or any(map(any, sums.values())):
        return None
    return PairingError(
        f"{evaluation.metric!r} finds nothing to count, neither in gold nor in what the system "
        "gave",
        code="K242",
        advice="check the options that choose what is counted, and the formats of the files",
    )


def many_unreadable(report: Report) -> list[str]:
    """How many items could not be read, where that is more than one."""
    count, all_items = report.unreadable, report.unreadable + report.readable
    return [f"{count} of {all_items} system items could not be read"] if count > 1 else []
