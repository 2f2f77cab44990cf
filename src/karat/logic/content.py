"""Forms as the page takes them: terms side by side, and errors to count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
import numpy as np

from karat import _native
from karat.core.capabilities import Asked
from karat.core.reading.strings import Strings
from karat.core.shown import Fault, Form, Kind, Raw, Shown, ShownPairs
from karat.logic.diagnosis import Compared, Explanation, differences, edge_text, placed_terms
from karat.logic.formats.lines import Spans
from karat.logic.model import AnyDialect, DialectName, Flaw, argument_text
from karat.logic.model import Form as LogicalForm
from karat.logic.varfree import Tree

LAYER = "terms"
_encode = msgspec.json.encode


def shown_forms(
    texts: tuple[str, str],
    system: LogicalForm | Tree | Flaw,
    gold: LogicalForm | Tree,
    explanation: Explanation,
    dialect: AnyDialect,
    compared: Compared | None = None,
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
        marks, faults = _placed(compared or Compared(system, gold, dialect))  # type: ignore[arg-type]
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


def _placed(compared: Compared) -> tuple[list[int], list[Fault]]:
    found, dialect = compared.alignment, compared.dialect
    ours, theirs = compared.ours, compared.theirs
    marks = []
    changed = zip(
        _places(theirs, [gold for gold, _ in found.pairs]),
        _places(ours, [system for _, system in found.pairs]),
        strict=True,
    )
    for g, s in changed:
        marks += [Kind.CHANGED, 0, g, g + 1, s, s + 1]
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
    missing, left = differences(ours, theirs)
    marks = _alone(theirs, missing, Kind.MISSING) + _alone(ours, left, Kind.SURPLUS)
    faults = [Fault("edges", Kind.MISSING, edge, "") for edge in missing]
    faults += [Fault("edges", Kind.SURPLUS, "", edge) for edge in left]
    return marks, faults


def _places(terms: list[Any], chosen: list[Any]) -> list[int]:
    """Where each of some terms stands; of equal ones, the last ones: earlier ones matched."""
    waiting: dict[Any, list[int]] = {}
    for place, each in enumerate(terms):
        waiting.setdefault(each, []).append(place)
    return [waiting[each].pop() for each in chosen]


def _alone(terms: list[Any], alone: list[Any], kind: Kind) -> list[int]:
    marks: list[int] = []
    for place in _places(terms, alone):
        span = [place, place + 1]
        marks += [kind, 0, *([*span, -1, -1] if kind == Kind.MISSING else [-1, -1, *span])]
    return marks


# -- many pairs, of most of which a kernel tells from the bytes of files -------------------------


class Told(NamedTuple):
    """What is wrong with a form, and how the pair is shown."""

    explanation: Explanation
    shown: Callable[[], Shown]


class LookedForms:
    """Pairs of forms in the bytes of files; `tell` explains those that the kernel leaves to it."""

    def __init__(
        self,
        system: Strings,
        gold: Spans,
        tell: Callable[[str, str], Told],
        *,
        dialect: DialectName,
        strict: bool,
        asked: Asked,
    ) -> None:
        self.system = system
        self.gold = gold.forms
        self.sentences = gold.sentences
        self.tell = tell
        self.dialect, self.strict, self.asked = dialect, strict, asked
        self._told: dict[int, Told] = {}
        self.found = self._look(asked.told, asked.shown)
        """What the kernel tells; None where a gold form is ill-formed."""

    def _look(self, told: bool, shown: bool) -> Any:
        return _native.look_at_forms(
            self.system.data, self.system.spans, self.gold.data, self.gold.spans,
            dialect=self.dialect, strict=self.strict, told=told, shown=shown,
        )  # fmt: skip

    def _tell(self, place: int) -> Told:
        if place not in self._told:
            self._told[place] = self.tell(self.system.text(place), self.gold.text(place))
        return self._told[place]

    def explanations(self) -> list[bytes]:
        found, _ = self.found if self.asked.told else self._look(told=True, shown=False)
        return [each or _encode(self._tell(i).explanation) for i, each in enumerate(found)]

    def shown(self) -> tuple[Any, ...]:
        _, found = self.found if self.asked.shown else self._look(told=False, shown=True)
        pairs = ShownPairs(*found)
        golds, systems, views = map(list, (pairs.golds, pairs.systems, pairs.views))
        faults, rows, numbers = list(pairs.faults), [pairs.fault_rows], [pairs.fault_numbers]
        layers, drawn = dict.fromkeys(pairs.layers), pairs.drawn
        for i in [i for i, each in enumerate(views) if not each]:
            shown = self._tell(i).shown()
            drawn |= any(isinstance(each, Form) for each in (*shown.golds, shown.system))
            golds[i] = _encode(shown.golds)[1:-1]
            systems[i] = _encode(shown.system)
            views[i] = b"%b,null,%b" % (_encode(shown.layers), _encode(shown.notes))
            rows.append(np.full(len(shown.faults), i, np.int32))
            numbers.append(len(faults) + np.arange(len(shown.faults), dtype=np.int32))
            faults += shown.faults
            layers |= dict.fromkeys(shown.layers)
        all_rows = np.concatenate(rows)
        order = np.argsort(all_rows, kind="stable")
        sources = [b"null"] * len(golds) if self.sentences is None else _as_json(self.sentences)
        return ShownPairs(
            [b"%b,[%b]" % each for each in zip(sources, golds, strict=True)], systems, views,
            faults, all_rows[order], np.concatenate(numbers)[order], list(layers), drawn,
        )  # fmt: skip


def _as_json(texts: Strings) -> list[bytes]:
    return _native.json_texts(*texts.columns, np.arange(len(texts) + 1), "", "", "")
