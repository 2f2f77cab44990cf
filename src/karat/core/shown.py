"""The model of a pair that the page shows: texts, arcs, graphs, forms and marks.

The page shows exactly this; nothing in it is HTML or SVG. Structs are arrays in JSON, since a page
holds many of them. The collector of garbage need not look at them: none can hold itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from typing import Any, NamedTuple, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from karat.core.capabilities import Explanation, LazyPairs, Pairs, WantedOutputs

Numbers: TypeAlias = npt.NDArray[np.int32]


class Kind(IntEnum):
    """The kind of a mark."""

    MATCHED = 0
    MISSING = 1
    SURPLUS = 2
    CHANGED = 3
    MOVED = 4
    CLIPPED = 5
    STEM = 6
    SYNONYM = 7
    IGNORED = 8


class Text(msgspec.Struct, array_like=True, tag="text", frozen=True, gc=False):
    """A text; marks are spans of it, counted in UTF-16 units as browsers do."""

    text: str
    name: str = ""
    """Its author, if known."""


class Form(msgspec.Struct, array_like=True, tag="form", frozen=True, gc=False):
    """A logical form as its terms; marks are places of terms."""

    terms: list[str]


class Raw(msgspec.Struct, array_like=True, tag="raw", frozen=True, gc=False):
    """Anything else, as it is written."""

    text: str


class Word(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A word in a row, with the lines below it, a kind and a note."""

    form: str
    below: list[str] = []
    kind: int = 0
    note: str = ""


class Arc(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """From one word to another by position; from -1, that is from above, to a root."""

    source: int
    target: int
    label: str = ""
    kind: int = 0


class Arcs(msgspec.Struct, array_like=True, tag="arcs", frozen=True, gc=False):
    """Words with arcs above them."""

    words: list[Word]
    arcs: list[Arc]


Content: TypeAlias = Text | Form | Raw | Arcs


class Line(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A line in a box or at an arrow; `look` is label, top, anchor, property or attribute."""

    text: str
    kind: int = 0
    look: str = "label"


class Node(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A node of two graphs laid over each other."""

    kind: int
    lines: list[Line]
    top: int = -1
    """The kind of its mark as a top; -1: it is none."""


class Arrow(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """An edge of two graphs laid over each other."""

    source: int
    target: int
    kind: int
    label: str
    notes: list[Line] = []
    directed: bool = True


class Overlay(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """Gold with the marks of what a system's graph lacks and has besides; no coordinates."""

    nodes: list[Node]
    arrows: list[Arrow]
    beside: list[Line] = []
    """Lines that belong to no node."""
    reading: list[int] = []
    """The nodes that show words, in the order of the text."""


class Unit(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A statement that several texts make, such as a content unit of a pyramid."""

    label: str
    weight: int
    found: bool
    """Whether the system's text makes it."""
    spans: list[int]
    """Where: the gold text (-1 is the system's), begin and end; three numbers for each place."""


class Fault(NamedTuple):
    """One error of an item: its part, its kind, and the values of gold and system."""

    part: str
    kind: int
    gold: str
    system: str


class Shown(msgspec.Struct):
    """A pair as a metric shows it."""

    golds: list[Content] = []
    system: Content | None = None
    source: str | None = None
    """The input of the system, such as the sentence of a graph."""
    layers: dict[str, list[int]] = {}
    """Marks by the names of layers: kind, reference, begin and end in gold, begin and end in the
    system's side; six numbers for each."""
    overlay: Overlay | None = None
    notes: list[str] = []
    """Descriptions of errors in words."""
    faults: list[Fault] = []
    units: list[Unit] = []
    labels: list[str] = []
    """The names of the marks of the first layer, such as the labels of spans."""


class ShownPairs(NamedTuple):
    """Many pairs in the JSON form of `Shown`."""

    golds: Sequence[bytes]
    """Source and golds of each: two members of a list."""
    systems: Sequence[bytes]
    views: Sequence[bytes]
    """Layers, overlay and notes: three members of a list. Empty where a pair has to be shown by
    itself."""
    faults: Sequence[Fault]
    """All errors, each once."""
    fault_rows: Numbers
    """For each error of a pair: the number of the pair."""
    fault_numbers: Numbers
    """And the number of the error among `faults`."""
    layers: Sequence[str] = ()
    """The names of all layers."""
    drawn: bool = True
    """Whether a pair has a drawing."""
    units: Sequence[bytes] = ()
    """The units of each, where some have any."""
    labels: Sequence[bytes] = ()
    """And the names of marks."""


def shown_pairs(shown: Iterable[Shown]) -> ShownPairs:
    """Pairs that were shown one by one, in one."""
    golds, systems, views = [], [], []
    units: list[list[Unit]] = []
    labels: list[list[str]] = []
    faults: dict[Fault, int] = {}
    layers: dict[str, None] = {}
    rows: list[int] = []
    numbers: list[int] = []
    drawn = False
    for row, each in enumerate(shown):
        golds.append(b"%b,%b" % (_encode(each.source), _encode(each.golds)))
        systems.append(_encode(each.system))
        view = _encode(each.layers), _encode(each.overlay), _encode(each.notes)
        views.append(b",".join(view))
        rows += [row] * len(each.faults)
        numbers += [faults.setdefault(fault, len(faults)) for fault in each.faults]
        layers |= dict.fromkeys(each.layers)
        contents = (*each.golds, each.system)
        drawn = drawn or each.overlay is not None or bool(each.units)
        drawn = drawn or any(isinstance(content, (Arcs, Form)) for content in contents)
        units.append(each.units)
        labels.append(each.labels)
    found = np.array(rows, np.int32), np.array(numbers, np.int32)
    return ShownPairs(
        golds, systems, views, list(faults), *found, list(layers), drawn,
        *([*map(_encode, column)] if any(column) else () for column in (units, labels)),
    )  # fmt: skip


def only_shown(found: tuple[Any, ...]) -> Shown:
    """The only pair among the members of `ShownPairs`, as a value."""
    pairs = ShownPairs(*found)
    source, golds = msgspec.json.decode(
        b"[%b]" % pairs.golds[0], type=tuple[str | None, list[Content]]
    )
    layers, overlay, notes = msgspec.json.decode(
        b"[%b]" % pairs.views[0], type=tuple[dict[str, list[int]], Overlay | None, list[str]]
    )
    system = msgspec.json.decode(pairs.systems[0], type=Content)
    faults = [Fault(*pairs.faults[number]) for number in pairs.fault_numbers.tolist()]
    return Shown(golds, system, source, layers, overlay, notes, faults)


_encode = msgspec.json.Encoder().encode


class CachedOutputs(ABC):
    """Base class of results of `LooksAtMany.look_at` that one call makes completely."""

    def __init__(self, outputs: WantedOutputs) -> None:
        self._outputs = outputs
        self._told: list[bytes] | None = None
        self._shown: ShownPairs | None = None

    @abstractmethod
    def look(self, told: bool, shown: bool) -> tuple[list[bytes] | None, ShownPairs | None]:
        """Explanations and what a page shows, where they are wanted."""

    def explanations(self) -> list[bytes]:
        if self._told is None:
            self._look(told=True, shown=self._outputs.shown)
        assert self._told is not None
        return self._told

    def shown(self) -> ShownPairs:
        if self._shown is None:
            self._look(told=self._outputs.explanations, shown=True)
        assert self._shown is not None
        return self._shown

    def _look(self, *, told: bool, shown: bool) -> None:
        explanations, pairs = self.look(told and self._told is None, shown and self._shown is None)
        self._told = self._told if explanations is None else explanations
        self._shown = self._shown if pairs is None else pairs


class ExplainedOutputs(CachedOutputs):
    """Pairs that `explain` explains, all at once, and `show` shows, one by one."""

    def __init__(
        self,
        chunk: LazyPairs,
        explain: Callable[[Pairs], Iterable[Explanation]],
        show: Callable[[Any, Any, Explanation], Shown],
        *,
        shows_pairs_alone: bool = False,
    ) -> None:
        super().__init__(chunk.outputs)
        self._pairs = chunk.pairs
        self._explain = explain
        self._show = show
        self._shows_pairs_alone = shows_pairs_alone
        """Whether what is shown does not depend on explanations."""

    def look(self, told: bool, shown: bool) -> tuple[list[bytes] | None, ShownPairs | None]:
        pairs = self._pairs()
        unused = self._shows_pairs_alone and not told
        found = [{}] * len(pairs) if unused else list(self._explain(pairs))
        explanations = [_encode(each) for each in found] if told else None
        if not shown:
            return explanations, None
        seen = (self._show(*pair, each) for pair, each in zip(pairs, found, strict=True))
        return explanations, shown_pairs(seen)
