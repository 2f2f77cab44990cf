"""Labelled spans against gold."""

from __future__ import annotations

from itertools import starmap
from operator import itemgetter
from typing import Annotated, Any, Literal

import numpy as np

from karat._native import span_counts, tag_column_counts
from karat.core.capabilities import (
    Explanation,
    LazyPairs,
    Measured,
    PairOutputs,
    Pairs,
    Split,
    grid_in,
)
from karat.core.marks import count, main
from karat.core.metric import Metric
from karat.core.options import Range
from karat.core.reading.raw import RawChunk
from karat.core.scores import Array, Scores, ratio
from karat.core.shown import ExplainedOutputs, Shown
from karat.errors import FormatError, LimitExceeded, counted
from karat.records.formats.spans import TagColumns
from karat.records.spans import (
    SCHEMES,
    End,
    Labels,
    Scheme,
    Span,
    SpanList,
    SpanTable,
    Tagged,
    Words,
    spans_of,
    tabulated,
    tags_of,
)

MATCHES = ("strict", "exact", "partial", "type")
PARTS = ("correct", "incorrect", "partial", "missed", "spurious")
_NAN = float("nan")


class Spans(Metric[Any, Any]):
    """Named entities and other labelled spans: strict, exact, partial, and by type.

    `strict` asks for the same span and label, `exact` and `partial` for the same span, where
    `partial` gives half for an overlap, `type` for an overlap with the same label. Spans are
    paired one to one: the most correct pairs, then the most overlapping ones, so nothing depends
    on the order in which they are listed. The headline `f` is that of `strict`.

    Items are tags of tokens or lists of ``[label, begin, end]``. `lenient` tags are read as
    by conlleval, and by seqeval by default; the other schemes accept only well-formed spans.

    >>> Spans().score(["B-PER", "I-PER", "O"], ["B-PER", "I-PER", "B-LOC"])["recall"]
    0.5
    """

    name = "spans"
    kind = "span"
    releases_gil = True
    chunk_size = 4096
    columns = (
        "items", "gold", "system",
        *(f"{match}_{part}" for match in MATCHES for part in PARTS),
    )  # fmt: skip

    tags: Annotated[Scheme, "how tags of tokens are read"] = "lenient"
    match: Annotated[
        Literal["strict", "exact", "partial", "type"], "which match the headline score requires"
    ] = "strict"
    end: Annotated[End, "whether the end of a span is part of it"] = "exclusive"
    min_overlap: Annotated[float, Range(0, 1), "the least overlap, as a share of the gold span"] = (
        0.0
    )
    compat: Annotated[Literal["none", "nervaluate"], "pair greedily in the given order"] = "none"

    tracing = grid_in("karat.records.metrics.grids", "spans")

    def absent(self, gold: Any) -> Any:
        return Tagged(("O",) * len(gold.tags)) if isinstance(gold, Tagged) else []

    def _tables(self, pairs: Pairs, labels: Labels) -> tuple[SpanTable, SpanTable]:
        for system, gold in pairs:
            _check_tokens(system, gold)
        gold = tabulated([gold for _, gold in pairs], labels, self.tags, self.end)
        system = tabulated([system for system, _ in pairs], labels, self.tags, self.end)
        return gold, system

    def measure_many(self, pairs: Pairs) -> Array:
        return self._counted(*self._tables(pairs, Labels()))

    def _counted(self, gold: SpanTable, system: SpanTable) -> Array:
        try:
            counts = span_counts(
                gold.spans, gold.ends, system.spans, system.ends, self._least, self._greedy
            )
        except ValueError as error:
            why = "spans of an item that overlap each other are too many to be paired"
            raise LimitExceeded(f"{why}: {error}", code="K505") from None
        sizes = np.diff(gold.ends), np.diff(system.ends)
        return np.column_stack([np.ones(len(counts)), *sizes, counts])

    @property
    def _greedy(self) -> bool:
        return self.compat == "nervaluate"

    @property
    def _least(self) -> float:
        return max(self.min_overlap, 0.01) if self._greedy else self.min_overlap

    def measure_bytes(self, chunk: RawChunk) -> Measured | None:
        if len(chunk.golds) != 1:
            return None
        (gold,), system = chunk.golds, chunk.system
        if (
            not (isinstance(gold.format, TagColumns) and isinstance(system.format, TagColumns))
            or gold.format.role != "gold"
            or len(gold) != len(system)
        ):
            return None
        # Tags mean spans that do not overlap each other, so that no limit is reached.
        counts = tag_column_counts(
            gold.data, gold.begin, gold.end, gold.format.column - 1,
            system.data, system.begin, system.end, system.format.column - 1,
            SCHEMES.index(self.tags), self._least, self._greedy,
        )  # fmt: skip
        return None if counts is None else Measured(counts)

    def summarize(self, totals: Array) -> Scores:
        columns = self.by_column(totals)
        schemes = {match: _figures(columns, match) for match in MATCHES}
        chosen = schemes[self.match]
        return {
            "f": main(chosen["f"]),
            "precision": chosen["precision"],
            "recall": chosen["recall"],
            "gold": count(columns["gold"]),
            "system": count(columns["system"]),
            "correct": count(columns[f"{self.match}_correct"]),
            **schemes,
        }

    @property
    def facets(self) -> tuple[str, ...]:
        return ("type",)

    def split(self, facet: str, pairs: Pairs) -> Split:
        """Each label by itself: its spans in gold against those to which the system gave it."""
        labels = Labels()
        tables = self._tables(pairs, labels)
        names = sorted(labels)
        place = {name: i for i, name in enumerate(names)}
        numbers = np.array([place[name] for name in labels], np.int64)
        keys = [
            np.repeat(np.arange(len(pairs)), np.diff(each.ends)) * len(names)
            + numbers[each.spans[:, 0]]
            for each in tables
        ]
        parts = np.unique(np.concatenate(keys))
        parted = []
        for each, own in zip(tables, keys, strict=True):
            order = np.argsort(own, kind="stable")
            ends = np.append(np.searchsorted(own[order], parts), len(own))
            parted.append(SpanTable(each.spans[order], ends))
        rows = self._counted(*parted)
        rows[:, 0] = 0
        found, label = np.divmod(parts, max(1, len(names)))
        return Split(found.tolist(), [names[each] for each in label], rows)

    def spans(self, item: Any) -> list[Span]:
        """The spans of one item."""
        if tags_of(item) is None:
            return spans_of(item, self.end)
        labels = Labels()
        table = tabulated([item], labels, self.tags, self.end)
        names = list(labels)
        return [Span(names[label], begin, end) for label, begin, end in table.spans.tolist()]

    def explain(self, system: Any, gold: Any) -> Explanation:
        """The spans that both have, and those that one has alone."""
        ours, theirs = self.spans(gold), self.spans(system)
        words = _words(system, gold)
        if ours == theirs:
            return {"matched": _told(ours, words), "missing": [], "surplus": []}
        both, missing = _parted(ours, theirs)
        _, surplus = _parted(theirs, ours)
        return {
            "matched": _told(both, words),
            "missing": _told(missing, words),
            "surplus": _told(surplus, words),
        }

    def look_at(self, chunk: LazyPairs) -> PairOutputs:
        return ExplainedOutputs(chunk, lambda pairs: starmap(self.explain, pairs), self.shown)

    def shown(self, system: Any, gold: Any, explanation: Explanation) -> Shown:
        from karat.records.content import shown_spans

        return shown_spans(_words(system, gold), explanation)


def _words(system: Any, gold: Any) -> Words:
    """What spans count, by gold, or else by the system, where it is known."""
    for side in (gold, system):
        if isinstance(side, Tagged) and side.tokens:
            return Words(side.tokens)
        if isinstance(side, SpanList) and side.text:
            return Words(side.text, "")
    return Words()


_PLACE = itemgetter(1, 2, 0)


def _told(spans: list[Span], words: Words) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = [
        {"label": label, "begin": begin, "end": end}
        for label, begin, end in sorted(spans, key=_PLACE)
    ]
    if words.units:
        for each in told:
            each["text"] = words.text(each["begin"], each["end"])
    return told


def _parted(spans: list[Span], others: list[Span]) -> tuple[list[Span], list[Span]]:
    """Spans that others have as well, each as often as they have it; and the rest."""
    left: dict[Span, int] = {}
    for span in others:
        left[span] = left.get(span, 0) + 1
    both: list[Span] = []
    alone: list[Span] = []
    for span in spans:
        times = left.get(span, 0)
        left[span] = times - 1
        (both if times > 0 else alone).append(span)
    return both, alone


def _figures(columns: dict[str, Array], match: str) -> dict[str, Any]:
    correct, incorrect, partial, missed, spurious = (columns[f"{match}_{part}"] for part in PARTS)
    possible = correct + incorrect + partial + missed
    actual = correct + incorrect + partial + spurious
    right = correct + partial / 2
    return {
        **{part: count(columns[f"{match}_{part}"]) for part in PARTS},
        "precision": ratio(right, actual, _NAN),
        "recall": ratio(right, possible, _NAN),
        "f": ratio(2 * right, actual + possible, _NAN),
    }


def _check_tokens(system: Any, gold: Any) -> None:
    """Raises where both are tags, but not of the same tokens."""
    tags, gold_tags = tags_of(system), tags_of(gold)
    if tags is None or gold_tags is None:
        return
    both = isinstance(system, Tagged) and isinstance(gold, Tagged)
    if len(tags) != len(gold_tags):
        noun = "token" if both else "tag"
        raise FormatError(
            f"gold has {counted(len(gold_tags), noun)}, the system has {len(tags)}", code="K187"
        )
    if both and system.tokens and gold.tokens and system.tokens != gold.tokens:
        pairs = zip(gold.tokens, system.tokens, strict=True)
        place, (ours, theirs) = next((i, p) for i, p in enumerate(pairs, 1) if p[0] != p[1])
        raise FormatError(f"token {place} is {theirs!r}, in gold it is {ours!r}", code="K187")
