"""Simplified box notation by Smatch, as a whole and part by part."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Annotated, TypeAlias

from karat.graphs.drs.sbn import (
    BOX_WORDS,
    COMPARISONS,
    MEMBER,
    Compat,
    Structure,
    Variant,
    read_sbn,
    sbn_tuples,
)
from karat.graphs.matching.solver import DEFAULT_BUDGET, Budget, GraphPair
from karat.graphs.matching.tuples import (
    ATTRIBUTE,
    INSTANCE,
    RELATION,
    Feature,
    Link,
    Tuples,
    as_pair,
)
from karat.graphs.metrics.base import GraphTexts
from karat.graphs.metrics.matched import FineMetric, TripleMetric

Strict: TypeAlias = Annotated[
    bool, "a system's structure with a cycle or an index that points nowhere is empty"
]
CompatOption: TypeAlias = Annotated[
    Compat | None, "keep one role between two concepts, and one digit of an index, as the tool does"
]


class Sbn(TripleMetric[str, str]):
    """Boxes, concepts and roles shared under the best mapping, as Smatch counts them.

    `variant="coarse"` takes a concept for one thing, as the evaluation tool of the
    Parallel Meaning Bank does; `sense` and `no-sense` split it into lemma, part of
    speech and sense, as UD-Boxer does, which makes figures higher. Both tools give no
    point to a system's structure with a cycle of roles as they are written, and the first
    none to one with an index that points before the first concept or behind the last;
    `strict` does so. Of several roles between two concepts they keep the last, which
    `compat` does.

    >>> Sbn().score("dog.n.01\\nbark.v.01 Theme -1", "dog.n.01\\nbark.v.01 Agent -1")["c"]
    6
    """

    name = "sbn"
    kind = "sbn"

    variant: Annotated[Variant, "which parts of a concept are distinguished"] = "coarse"
    strict: Strict = False
    compat: CompatOption = None
    budget: Budget = DEFAULT_BUDGET

    def absent(self, gold: str) -> str:
        return ""

    def is_null(self, system: str) -> bool:
        return not self._of_system(system).nodes

    def why_null(self, system: str) -> tuple[str, str]:
        found = read_sbn(system, self.compat)
        advice = "without ``strict`` such structures are scored as far as they can be read"
        if found.astray:
            return "an index leads to no concept", advice
        return ("its roles form a cycle", advice) if found.is_cyclic() else ("", "")

    def both_tuples(self, system: str, gold: str) -> tuple[Tuples, Tuples]:
        theirs = sbn_tuples(read_sbn(gold, self.compat), self.variant)
        return theirs, self._of_system(system)

    def _of_system(self, system: str) -> Tuples:
        return sbn_tuples(system_structure(system, self.strict, self.compat), self.variant)


def system_structure(text: str, strict: bool, compat: Compat | None) -> Structure:
    """The structure of a system's text; an empty one where `strict` rejects it."""
    found = read_sbn(text, compat)
    return Structure() if strict and (found.astray or found.is_cyclic()) else found


_LISTED = (
    "names", "negation", "discourse", "roles", "members", "concepts",
    "nouns", "verbs", "adjectives", "adverbs",
)  # fmt: skip
_MATCHED = (
    "role_triples", "name_triples", "member_triples", "comparison_triples", "discourse_triples",
    "box_triples",
)  # fmt: skip
_WHOLE = ("no_roles", "no_discourse", "no_operators", "no_senses")
_SPEECH = {"nouns": "n", "verbs": "v", "adjectives": "as", "adverbs": "r"}


class SbnFine(GraphTexts, FineMetric):
    """Which parts of structures in box notation a system gets right.

    The rows of the evaluation tool of the Parallel Meaning Bank. Rows without mapping
    compare what the structures hold, each entry as often as it occurs, in its case: the
    concepts that have a name (`names`), the boxes that are negated, or related in another
    way (`negation`, `discourse`), the names of roles (`roles`), memberships (`members`),
    concepts, and these by part of speech.

    Rows of triples are Smatch under the best mapping of their own, of some edges with the
    instances at their ends and a top at the first node: roles between concepts, names,
    members, comparisons, discourse relations, and all edges between boxes. The last rows
    are Smatch of the whole structures in which roles, discourse relations, or comparisons
    have one name, or concepts neither part of speech nor sense.

    >>> scores = SbnFine().score("dog.n.01\\nbark.v.01 Theme -1", "dog.n.01\\nbark.v.01 Agent -1")
    >>> scores["concepts"]["f"], scores["roles"]["f"], scores["role_triples"]["c"]
    (1.0, 0.0, 3)
    """

    name = "sbn-fine"
    kind = "sbn"
    main_row = "concepts"
    row_names = (*_LISTED, *_MATCHED, *_WHOLE)
    matched = (*_MATCHED, *_WHOLE)

    strict: Strict = False
    compat: CompatOption = None
    budget: Budget = DEFAULT_BUDGET

    def of_text(self, text: str, gold: bool) -> Structure:
        if gold:
            return read_sbn(text, self.compat)
        return system_structure(text, self.strict, self.compat)

    def as_pair(self, gold: Structure, system: Structure, row: str) -> GraphPair:
        triples = _less_told_apart if row in _WHOLE else _triples
        return as_pair(triples(gold, row), triples(system, row))

    def entries(self, graph: Structure, row: str) -> Iterable[str]:
        return _entries(graph, row)


def _label(structure: Structure, node: int) -> str:
    concept = structure.concepts.get(node)
    return "box" if concept is None else ".".join(concept)


def _entries(structure: Structure, row: str) -> Iterable[str]:
    """The entries that a row without mapping compares."""
    if row == "names":
        edges = [(node, role) for node, role, _ in structure.constants]
        edges += [(source, role) for source, _, role in structure.roles]
        return [_label(structure, node) for node, role in edges if role == "Name"]
    if row in ("negation", "discourse"):
        words = [word for _, _, word in structure.joins if word in BOX_WORDS]
        return ["box" for word in words if (word == "NEGATION") == (row == "negation")]
    if row == "members":
        return [word for _, _, word in structure.joins if word == MEMBER]
    if row == "roles":
        names = [role for _, role, _ in structure.constants]
        names += [role for _, _, role in structure.roles]
        return [name for name in names if name not in COMPARISONS]
    wanted = _SPEECH.get(row)
    return [
        ".".join(concept)
        for concept in structure.concepts.values()
        if wanted is None or concept[1] in wanted
    ]


_CHOICE: dict[str, Callable[[str], bool]] = {
    "role_triples": lambda name: name not in COMPARISONS,
    "name_triples": lambda name: name == "Name",
    "member_triples": lambda name: name == MEMBER,
    "comparison_triples": lambda name: name in COMPARISONS and name != "TOP",
    "discourse_triples": lambda name: name in BOX_WORDS and name != "NEGATION",
    "box_triples": lambda name: name in BOX_WORDS,
}


def _triples(structure: Structure, row: str) -> Tuples:
    """Some edges, the instances at their ends, and the concept of the first node as top."""
    wanted = _CHOICE[row]
    constants = [] if row == "role_triples" else structure.constants
    edges = structure.roles
    if row in ("member_triples", "discourse_triples", "box_triples"):
        constants, edges = [], structure.joins
    constants = [each for each in constants if wanted(each[1])]
    edges = [each for each in edges if wanted(each[2])]
    mentioned = dict.fromkeys(
        [node for node, _, _ in constants] + [end for *ends, _ in edges for end in ends]
    )
    number = {node: i for i, node in enumerate(mentioned)}
    labels = [_label(structure, node).lower() for node in mentioned]
    features: list[Feature] = [(i, INSTANCE, label) for i, label in enumerate(labels)]
    features += [
        (number[node], ATTRIBUTE, (role.lower(), value.strip('"').lower()))
        for node, role, value in constants
    ]
    if labels:
        features.append((0, ATTRIBUTE, ("top", labels[0])))
    links: list[Link] = [
        (number[source], number[target], RELATION, name.lower()) for source, target, name in edges
    ]
    return Tuples([structure.nodes[node] for node in mentioned], features, links)


_NAMES = {
    "no_roles": (re.compile(r"[A-Z][a-z]+"), "role"),
    "no_discourse": (re.compile(r"[A-Z]{4,12}$"), "relation"),
    "no_operators": (re.compile(r"[A-Z]{3}$"), "operator"),
}
"""The beginnings of names that the tool replaces: of `Co-Agent` the first part, not `SY1`."""


def _less_told_apart(structure: Structure, row: str) -> Tuples:
    """The triples of the whole, where some names are one, or concepts are their lemmas."""
    if row == "no_senses":
        found = sbn_tuples(structure, "coarse")
        lemmas = {node: concept[0].lower() for node, concept in structure.concepts.items()}
        found.features = [
            (node, kind, lemmas.get(node, key) if kind == INSTANCE else key)
            for node, kind, key in found.features
        ]
        return found
    pattern, name = _NAMES[row]

    def renamed(label: str) -> str:
        match = pattern.match(label)
        return name + label[match.end() :] if match else label

    return sbn_tuples(
        replace(
            structure,
            joins=[(first, second, renamed(label)) for first, second, label in structure.joins],
            roles=[(first, second, renamed(label)) for first, second, label in structure.roles],
            constants=[(node, renamed(label), value) for node, label, value in structure.constants],
        ),
        "coarse",
    )
