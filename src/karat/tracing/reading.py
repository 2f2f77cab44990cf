"""The items that figures are about, read once for each way of reading."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from karat.core.capabilities import DetectsNull, LooksAtTexts, MeasuresBytes, has
from karat.core.files.opener import Source
from karat.core.marks import Array
from karat.core.metric import Metric
from karat.core.options import Mode, OnError
from karat.core.pairing.pairs import Report
from karat.core.pairing.sides import Sides
from karat.core.reading.items import Pair
from karat.core.reading.streams import FilePairs
from karat.core.registry import guess_kind
from karat.core.tracing import Pairs, Pass, UnreadPairs
from karat.engine.inputs import MISSING, Side, is_path, sides
from karat.errors import KaratError, OptionError, PairingError
from karat.tracing.grids import kinds_by_name
from karat.tracing.slips import FIRST, LOST, NONE, SWAPPED, Items, Slip

KIND_OF_ITEM = "type"
"""The field in which items say what they are examples of."""


class Inputs:
    """A system's output and its gold, in files or in memory."""

    def __init__(
        self, system: object, gold: object, *, format: str | None, gold_format: str | None,
        format_options: Mapping[str, Any], pair: Mode, on_error: OnError, by: Sequence[str],
    ) -> None:  # fmt: skip
        ours, theirs = sides(
            MISSING, MISSING, system=system, gold=gold, id=None, by=None, name=None
        )
        self.system: Side = ours
        self.golds: list[Side] = theirs
        self.format = format
        self.gold_format = gold_format
        self.options = format_options
        self.pair: Mode = pair
        self.on_error: OnError = on_error
        self.by = by
        self.warnings: list[str] = []
        self._read: dict[object, Items] = {}

    def kinds(self) -> frozenset[str]:
        """The kinds that the system's items may be of, by the name of the file; empty: any."""
        if self.format or not isinstance(self.system, (str, os.PathLike)):
            return frozenset()
        return kinds_by_name(os.fspath(self.system))

    def kind(self, kinds: Sequence[str]) -> str:
        """The kind of the system's items, of these; empty where nothing tells."""
        if not is_path(self.system):
            return ""
        return guess_kind(kinds, Source(str(self.system)), "format").kind

    def first(self, metric: type[Metric[Any, Any]]) -> list[Pair]:
        """The first pairs as a metric reads them; none where it cannot."""
        try:
            return list(FilePairs(
                metric(), self.system, self.golds, format=self.format,
                gold_format=self.gold_format, format_options={**self.options, "n": 3},
                mode=self.pair,
            ))  # fmt: skip
        except KaratError:
            return []

    def command(
        self, setting: str, slip: Slip, number: int, items: int, reading: Mapping[str, Any],
        by: str = "",
    ) -> str | None:  # fmt: skip
        """How ``karat evaluate`` prints what a setting gives; None where files would have to
        change."""
        gold, system = self.golds, [self.system]
        options = {**self.options, **reading}
        if by or slip.field:
            options["by"] = by or slip.field
        if slip in (FIRST, LOST):
            options["n"] = number if slip == FIRST else items - 1
        elif slip.kind == SWAPPED and len(gold) == 1:
            gold, system = system, gold
        elif slip != NONE and not slip.field:
            return None
        if not all(map(is_path, (*gold, *system))):
            return None
        words = ["karat", "evaluate", setting]
        for flag, files in (("-g", gold), ("-s", system)):
            words += [word for file in files for word in (flag, str(file))]
        own = {"format": self.format, "gold_format": self.gold_format, "pair": self.pair,
               "on_error": self.on_error}  # fmt: skip
        for name, value in own.items():
            if value not in (None, "auto"):
                words += [_flag(name), str(value)]
        for name, value in options.items():
            words += _given(name, value)
        return " ".join(map(_quoted, [*words, "--json", "-"]))

    def items(self, one: Pass) -> Items:
        """The items as a pass reads them."""
        key = one.reader, tuple(sorted(one.reading.items()))
        if key not in self._read:
            self._read[key] = self._items(one.reader, one.reading)
        return self._read[key]

    def _items(self, reader: Metric[Any, Any], reading: Mapping[str, Any]) -> Items:
        def opened() -> FilePairs:
            return FilePairs(
                reader, self.system, self.golds, format=self.format, gold_format=self.gold_format,
                format_options={**self.options, **reading}, mode=self.pair,
                report=Report(self.on_error),
            )  # fmt: skip

        files = opened()
        # Options of a metric decide how its files are read only where their formats know them, too.
        formats = [stream.format for stream in (files.system, *files.golds)]
        key = type(reader), tuple(sorted(reading.items())), *formats
        if key in self._read:
            return self._read[key]
        items = None if self.by else _unread(files) or _lines(files)
        if items is None:
            files = opened()
            items = self._parsed(files)
        self._read[key] = items
        for warning in (*files.report.warnings, *files.reader_warnings()):
            if warning not in self.warnings:
                self.warnings.append(warning)
        return items

    def _parsed(self, files: FilePairs) -> Items:
        pairs = list(files)
        if not pairs:
            raise PairingError("there are no items", code="K203")
        field = (files.golds or [files.system])[0].format.systems_in
        systems = [pair.fields.get(field, "") for pair in pairs] if field else []
        return Items(
            files.metric,
            [(pair.system, pair.gold) for pair in pairs],
            [pair.id for pair in pairs],
            {name: _field(pairs, name) for name in (*self.by, *_usual_groups(pairs, self.by))},
            systems if len(set(systems)) > 1 else (),
        )


def _unread(files: FilePairs) -> Items | None:
    """The items of files that can be measured as they are, not parsed yet; None where not.

    The second of a pair is the gold item itself, since the metric pairs by itself.
    """
    reader = files.metric
    if not has(reader, MeasuresBytes) or has(reader, DetectsNull) or not files.golds:
        return None
    if files.selection or not files.pairs_itself() or any(s.is_pipe for s in files.sources()):
        return None
    plan, maker = files.plan(reader.chunk_size), files.maker()
    chunks = [plan.chunk(span) for span in plan.spans(reader.chunk_size)]
    raw = [maker.raw(chunk) for chunk in chunks]

    @cache
    def rows(metric: Metric[Any, Any]) -> Array | None:
        if not has(metric, MeasuresBytes):
            return None
        parts = [None if each is None else metric.measure_bytes(each) for each in raw]
        found = [part.rows for part in parts if part is not None]
        return np.concatenate(found) if found and len(found) == len(parts) else None

    def pairs() -> Pairs:
        made = [pair for chunk in chunks for pair in maker.make(chunk).pairs]
        return [(pair.system, pair.gold) for pair in made]

    def golds() -> list[Any]:
        (parser,) = maker.golds
        return [item.value for chunk in chunks for item in parser.parsed(chunk.golds[0])]

    if rows(reader) is None:
        return None
    files.finish(plan)
    unread = UnreadPairs(plan.size(), pairs, golds, rows)
    return Items(reader, unread, plan.gold.ids(range(plan.size())), {})


def _lines(files: FilePairs) -> Items | None:
    """The items of files whose lines are texts, which need no reader; None of other files."""
    reader, streams = files.metric, (files.system, *files.golds)
    if not has(reader, LooksAtTexts) or len(files.golds) != 1 or files.mode != "auto":
        return None
    if files.selection or {stream.format.name for stream in streams} != {"lines"}:
        return None
    plan, maker = files.plan(reader.chunk_size), files.maker()
    several = Sides(reader).gold([""]) == [""]
    pairs: list[tuple[str, Any]] = []
    for span in plan.spans(reader.chunk_size):
        chunk = plan.chunk(span)
        raw = maker.raw(chunk)
        texts = None if raw is None else reader.texts_of(raw)
        if texts is None:
            return None
        if several:
            pairs += texts.pairs()
        else:
            pairs += zip(texts.systems.decoded(), texts.references.decoded(), strict=True)
    if len(pairs) != plan.size():
        return None
    files.finish(plan)
    return Items(reader, pairs, plan.gold.ids(range(len(pairs))), {})


def _usual_groups(pairs: Sequence[Pair], known: Sequence[str]) -> Iterator[str]:
    """The kind of each item, where there are some: means over kinds are often published."""
    values = {pair.fields.get(KIND_OF_ITEM, "") for pair in pairs}
    if KIND_OF_ITEM not in known and "" not in values and 1 < len(values) <= len(pairs) / 2:
        yield KIND_OF_ITEM


def _field(pairs: Sequence[Pair], name: str) -> list[str]:
    if not any(name in pair.fields for pair in pairs):
        known = dict.fromkeys(field for pair in pairs for field in pair.fields)
        raise OptionError(
            f"no item has a field {name!r} to group by",
            code="K315",
            advice=f"fields: {', '.join(known) or 'none'}",
        )
    return [pair.fields.get(name, "") for pair in pairs]


def _quoted(word: str) -> str:
    """A word for a shell; one with single quotes in double ones, which are easier to read.

    >>> print(_quoted("bleu(tokenize='intl')"), _quoted("a b"))
    "bleu(tokenize='intl')" 'a b'
    """
    return f'"{word}"' if "'" in word and not set(word) & set('"$`\\!') else shlex.quote(word)


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _given(name: str, value: Any) -> Iterator[str]:
    """An option on the command line."""
    if isinstance(value, bool):
        yield _flag(name if value else f"no_{name}")
        return
    for each in value if isinstance(value, (list, tuple)) else [value]:
        yield from (_flag(name), str(each))
