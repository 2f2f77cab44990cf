"""Forms as the page takes them: terms side by side, and errors to count."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import msgspec
import numpy as np

from karat import _native
from karat.core.shown import Fault, Form, Kind, Raw, Shown, ShownPairs
from karat.core.strings import Strings
from karat.logic.diagnosis import (
    Alignment,
    Explanation,
    Placed,
    differences,
    edge_text,
    placed_terms,
)
from karat.logic.formats.lines import Spans
from karat.logic.model import AnyDialect, DialectName, Flaw, argument_text
from karat.logic.model import Form as LogicalForm
from karat.logic.varfree import Tree

LAYER = "terms"


def shown_forms(
    texts: tuple[str, str],
    system: LogicalForm | Tree | Flaw,
    gold: LogicalForm | Tree,
    explanation: Explanation,
    dialect: AnyDialect,
) -> Shown:
    """The terms of two forms, in the order of gold; `texts` are the system's form and gold's."""
    notes = list(explanation.get("diagnosis", ()))
    if isinstance(system, Flaw):
        expected = explanation.get("expected") or ""
        fault = Fault("form", Kind.CHANGED, expected, "ill-formed")
        return Shown(_contents(gold, texts[1], dialect), Raw(texts[0]), notes=notes, faults=[fault])
    ours, theirs = _terms(system, dialect), _terms(gold, dialect)
    if ours is None or theirs is None or isinstance(system, Tree) != isinstance(gold, Tree):
        return Shown([Raw(texts[1])], Raw(texts[0]), notes=notes)
    shown = Shown([Form(theirs)], Form(ours), notes=notes)
    if isinstance(system, Tree) or isinstance(gold, Tree):
        marks, faults = _edges(ours, theirs)
    else:
        marks, faults = _placed(system, gold, dialect)  # type: ignore[arg-type]
    if texts[0] != texts[1]:
        shown.layers = {LAYER: marks}
        shown.faults = faults
    return shown


def _contents(form: LogicalForm | Tree, text: str, dialect: AnyDialect) -> list[Any]:
    terms = _terms(form, dialect)
    return [Raw(text) if terms is None else Form(terms)]


def _terms(form: LogicalForm | Tree, dialect: AnyDialect) -> list[str] | None:
    """The terms in order, or the edges of a tree; None for what has neither."""
    if isinstance(form, Tree):
        return [edge_text(*triple) for triple in form.triples()] or None
    if dialect == "varfree":
        return None
    return [each.text(dialect) for each in placed_terms(form)] or None


def _placed(
    system: LogicalForm, gold: LogicalForm, dialect: DialectName
) -> tuple[list[int], list[Fault]]:
    missing, extra = differences(system, gold)
    found = Alignment(missing, extra, dialect)
    ours, theirs = placed_terms(system), placed_terms(gold)
    marks = _changed([(theirs, ours, pair) for pair in found.pairs])
    marks += _alone(theirs, found.missing, Kind.MISSING)
    marks += _alone(ours, found.extra, Kind.SURPLUS)
    faults = [Fault("predicates", Kind.CHANGED, a, b) for a, b in found.predicates]
    for a, b in found.predicates:
        roles = a.partition(".")[2], b.partition(".")[2]
        if all(roles) and roles[0] != roles[1]:
            faults.append(Fault("roles", Kind.CHANGED, *roles))
    faults += [
        Fault("constants", Kind.CHANGED, str(a), str(b)) for a, b in dict.fromkeys(found.constants)
    ]
    faults += [
        Fault("arguments", Kind.CHANGED, argument_text(a, dialect), argument_text(b, dialect))
        for a, b in found.arguments
    ]
    faults += [
        Fault("definiteness", Kind.CHANGED, *(("*", "") if each.definite else ("", "*")))
        for each in found.definiteness
    ]
    faults += [Fault("terms", Kind.MISSING, each.term.predicate, "") for each in found.missing]
    faults += [Fault("terms", Kind.SURPLUS, "", each.term.predicate) for each in found.extra]
    return marks, faults


def _edges(ours: list[str], theirs: list[str]) -> tuple[list[int], list[Fault]]:
    """Edges of variable-free forms that only one side has."""
    left = list(ours)
    missing = []
    for edge in theirs:
        if edge in left:
            left.remove(edge)
        else:
            missing.append(edge)
    marks = _alone(theirs, missing, Kind.MISSING) + _alone(ours, left, Kind.SURPLUS)
    faults = [Fault("edges", Kind.MISSING, edge, "") for edge in missing]
    faults += [Fault("edges", Kind.SURPLUS, "", edge) for edge in left]
    return marks, faults


def _changed(
    pairs: list[tuple[list[Placed], list[Placed], tuple[Placed, Placed]]],
) -> list[int]:
    marks: list[int] = []
    used: tuple[set[int], set[int]] = set(), set()
    for theirs, ours, (gold, system) in pairs:
        g, s = _place(theirs, gold, used[0]), _place(ours, system, used[1])
        marks += [Kind.CHANGED, 0, g, g + 1, s, s + 1]
    return marks


def _alone(terms: list[Any], alone: list[Any], kind: Kind) -> list[int]:
    marks: list[int] = []
    used: set[int] = set()
    for each in alone:
        place = _place(terms, each, used)
        span = [place, place + 1]
        marks += [kind, 0, *([*span, -1, -1] if kind == Kind.MISSING else [-1, -1, *span])]
    return marks


def _place(terms: list[Any], term: Any, used: set[int]) -> int:
    """Where a term stands; of equal ones, the last that is not taken: earlier ones matched."""
    place = max(i for i, each in enumerate(terms) if each == term and i not in used)
    used.add(place)
    return place


# -- many pairs -----------------------------------------------------------------------------------

_encode = msgspec.json.encode
_NOTHING_WRONG = b'{"diagnosis":[],"offset":null,"expected":null,"missing":[],"extra":[],'


class Told(NamedTuple):
    """A pair that differs: what is wrong, and how it is shown."""

    explanation: Explanation
    shown: Callable[[], Shown]


class LookedForms:
    """Pairs of forms in the bytes of files; `tell` explains those that differ."""

    def __init__(
        self,
        system: Strings,
        gold: Spans,
        tell: Callable[[str, str], Told],
        *,
        dialect: DialectName,
        strict: bool,
    ) -> None:
        self.system = system
        self.gold = gold.forms
        self.sentences = gold.sentences
        self.tell = tell
        self.terms = _native.form_terms(
            self.gold.data, self.gold.spans, dialect=dialect, strict=strict
        )

    @cached_property
    def _texts(self) -> list[bytes]:
        """The texts of gold as JSON."""
        return _as_json(self.gold)

    @cached_property
    def _told(self) -> dict[int, Told]:
        """What there is to say of pairs that differ, by their places."""
        ours, theirs = self.system.decoded(), self.gold.decoded()
        pairs = enumerate(zip(ours, theirs, strict=True))
        return {i: self.tell(system, gold) for i, (system, gold) in pairs if system != gold}

    def explanations(self) -> list[bytes]:
        told = self._told
        return [
            _encode(told[i].explanation)
            if i in told
            else b'%b"system":%b,"gold":%b}' % (_NOTHING_WRONG, text, text)
            for i, text in enumerate(self._texts)
        ]

    def shown(self) -> ShownPairs:
        sources = [b"null"] * len(self.gold) if self.sentences is None else _as_json(self.sentences)
        golds, systems, layers, notes = [], [], [], []
        faults: list[Fault] = []
        bounds = [0]
        names: dict[str, None] = {}
        drawn = False
        for i, (source, terms) in enumerate(zip(sources, self.terms, strict=True)):
            told = self._told.get(i)
            if told is None:
                drawn |= terms != b"[]"
                same = b'["raw",%b]' % self._texts[i] if terms == b"[]" else b'["form",%b]' % terms
                golds.append(b"%b,[%b]" % (source, same))
                systems.append(same)
                layers.append(b"{}")
                notes.append(b"[]")
            else:
                shown = told.shown()
                drawn |= any(isinstance(each, Form) for each in (*shown.golds, shown.system))
                golds.append(b"%b,%b" % (source, _encode(shown.golds)))
                systems.append(_encode(shown.system))
                layers.append(_encode(shown.layers))
                notes.append(_encode(shown.notes))
                faults += shown.faults
                names |= dict.fromkeys(shown.layers)
            bounds.append(len(faults))
        return ShownPairs(
            golds, systems, [b"null"] * len(golds), np.array(bounds),
            np.arange(len(faults), dtype=np.int32), faults, notes, layers, list(names), drawn,
        )  # fmt: skip


def _as_json(texts: Strings) -> list[bytes]:
    return _native.json_texts(*texts.columns, np.arange(len(texts) + 1), "", "", "")
