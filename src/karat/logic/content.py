"""Forms as the page takes them: terms side by side, and errors to count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import numpy as np

from karat import _native
from karat.core.capabilities import WantedOutputs
from karat.core.reading.strings import Strings
from karat.core.shown import (
    CachedOutputs,
    Fault,
    Form,
    Kind,
    Raw,
    Shown,
    ShownPairs,
    only_shown,
    shown_pairs,
)
from karat.logic.diagnosis import (
    Explanation,
    differences,
    edge_text,
    look_at_pair,
    placed_terms,
)
from karat.logic.formats import Spans
from karat.logic.model import AnyDialect, DialectName, Flaw
from karat.logic.model import Form as LogicalForm
from karat.logic.parser import Tree

LAYER = "terms"
_encode = msgspec.json.encode


def shown_forms(
    texts: tuple[str, str],
    system: LogicalForm | Tree | Flaw,
    gold: LogicalForm | Tree,
    explanation: Explanation,
    dialect: AnyDialect,
) -> Shown:
    """The terms of two forms, in the order of gold; `texts` are the system's form and gold's."""
    if isinstance(system, LogicalForm) and isinstance(gold, LogicalForm) and dialect != "varfree":
        _, found = look_at_pair(*texts, dialect, shown=True)
        return only_shown(_without_source(found))
    notes = list(explanation.get("diagnosis", ()))
    if isinstance(system, Flaw):
        expected = explanation.get("expected") or ""
        fault = Fault("form", Kind.CHANGED, expected, "ill-formed")
        terms = _terms(gold, dialect)
        shown_gold = Raw(texts[1]) if terms is None else Form(terms)
        return Shown([shown_gold], Raw(texts[0]), notes=notes, faults=[fault])
    ours, theirs = _terms(system, dialect), _terms(gold, dialect)
    if ours is None or theirs is None:
        return Shown([Raw(texts[1])], Raw(texts[0]), notes=notes)
    shown = Shown([Form(theirs)], Form(ours), notes=notes)
    if texts[0] != texts[1]:
        marks, shown.faults = _edges(ours, theirs)
        shown.layers = {LAYER: marks}
    return shown


def _terms(form: LogicalForm | Tree, dialect: AnyDialect) -> list[str] | None:
    """The terms in order, or the edges of a tree; None for what has neither."""
    if isinstance(form, Tree):
        return [edge_text(*triple) for triple in form.triples()] or None
    if dialect == "varfree":
        return None
    return [each.text(dialect) for each in placed_terms(form)] or None


def _edges(ours: list[str], theirs: list[str]) -> tuple[list[int], list[Fault]]:
    """Edges of variable-free forms that only one side has."""
    missing, left = differences(ours, theirs)
    marks = _alone(theirs, missing, Kind.MISSING) + _alone(ours, left, Kind.SURPLUS)
    faults = [Fault("edges", Kind.MISSING, edge, "") for edge in missing]
    faults += [Fault("edges", Kind.SURPLUS, "", edge) for edge in left]
    return marks, faults


def _alone(edges: list[str], alone: list[str], kind: Kind) -> list[int]:
    """Marks of edges that only one side has; of equal ones the last, as earlier ones matched."""
    places: dict[str, list[int]] = {}
    for place, edge in enumerate(edges):
        places.setdefault(edge, []).append(place)
    marks: list[int] = []
    for edge in alone:
        place = places[edge].pop()
        span = [place, place + 1]
        marks += [kind, 0, *([*span, -1, -1] if kind == Kind.MISSING else [-1, -1, *span])]
    return marks


# -- many pairs, of most of which a kernel tells from the bytes of files -------------------------

_NO_SOURCE = b"null,"


def _without_source(found: tuple[Any, ...]) -> ShownPairs:
    """The only pair that the kernel shows, which has no source."""
    pairs = ShownPairs(*found)
    return pairs._replace(golds=[b"%b[%b]" % (_NO_SOURCE, each) for each in pairs.golds])


class FormOutputs(CachedOutputs):
    """Pairs of forms in the bytes of files; `tell` explains and shows ill-formed ones."""

    def __init__(
        self,
        system: Strings,
        gold: Spans,
        tell: Callable[[str, str], tuple[Explanation, Shown]],
        *,
        dialect: DialectName,
        strict: bool,
        outputs: WantedOutputs,
    ) -> None:
        super().__init__(outputs)
        self.system = system
        self.gold = gold.forms
        self.sentences = gold.sentences
        self.tell = tell
        self.dialect, self.strict = dialect, strict
        self._first = self._by_kernel(outputs.explanations, outputs.shown)
        self.is_good = self._first is not None
        """Whether all gold forms are well-formed."""

    def _by_kernel(self, told: bool, shown: bool) -> Any:
        return _native.look_at_forms(
            self.system.data, self.system.spans, self.gold.data, self.gold.spans,
            dialect=self.dialect, strict=self.strict, told=told, shown=shown,
        )  # fmt: skip

    def look(self, told: bool, shown: bool) -> tuple[list[bytes] | None, ShownPairs | None]:
        found, self._first = self._first, None
        if found is None or self._outputs[:2] != (told, shown):
            found = self._by_kernel(told, shown)
        explanations, pairs = found[0], ShownPairs(*found[1])
        left = {
            i: self.tell(self.system.text(i), self.gold.text(i))
            for i, each in enumerate(explanations if told else pairs.views)
            if not each
        }
        if told:
            explanations = [each or _encode(left[i][0]) for i, each in enumerate(explanations)]
        alone = {i: shown_pairs([one]) for i, (_, one) in left.items()} if shown else {}
        return explanations if told else None, self._merged(pairs, alone) if shown else None

    def _merged(self, pairs: ShownPairs, alone: Mapping[int, ShownPairs]) -> ShownPairs:
        """The pairs of the kernel, with those that were shown alone in their places."""
        golds = [b"[%b]" % each for each in pairs.golds]
        systems, views, faults = list(pairs.systems), list(pairs.views), list(pairs.faults)
        rows, numbers = [pairs.fault_rows], [pairs.fault_numbers]
        layers, drawn = dict.fromkeys(pairs.layers), pairs.drawn
        for i, one in alone.items():
            golds[i] = one.golds[0].removeprefix(_NO_SOURCE)
            systems[i], views[i] = one.systems[0], one.views[0]
            rows.append(np.full(len(one.fault_rows), i, np.int32))
            numbers.append(one.fault_numbers + len(faults))
            faults += one.faults
            layers |= dict.fromkeys(one.layers)
            drawn |= one.drawn
        all_rows = np.concatenate(rows)
        order = np.argsort(all_rows, kind="stable")
        sources = [b"null"] * len(golds) if self.sentences is None else _as_json(self.sentences)
        return ShownPairs(
            [b"%b,%b" % each for each in zip(sources, golds, strict=True)], systems, views,
            faults, all_rows[order], np.concatenate(numbers)[order], list(layers), drawn,
        )  # fmt: skip


def _as_json(texts: Strings) -> list[bytes]:
    return _native.json_texts(*texts.columns, np.arange(len(texts) + 1), "", "", "")
