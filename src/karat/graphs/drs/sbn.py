"""Simplified box notation: concepts in a row, roles that point back and ahead."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from karat.core.assigning import has_cycle
from karat.errors import FormatError, Place
from karat.graphs.drs import clauses
from karat.graphs.matching.tuples import ATTRIBUTE, INSTANCE, RELATION, Feature, Link, Tuples

Variant: TypeAlias = Literal["coarse", "sense", "no-sense"]
Compat: TypeAlias = Literal["sbn-evaluation"]

BOX_WORDS = frozenset(
    (
        "ALTERNATION", "ATTRIBUTION", "CONDITION", "CONSEQUENCE", "CONTINUATION", "CONTRAST",
        "EXPLANATION", "NECESSITY", "NEGATION", "POSSIBILITY", "PRECONDITION", "RESULT", "SOURCE",
    )
)  # fmt: skip
COMPARISONS = clauses.COMPARISONS | {"TSU", "MOR", "BOT", "TOP", "ESU", "EPR"}
MEMBER = "member"

_CONCEPT = re.compile(r"(\S+)\.([nvars])\.(\d+)")
_INDEX = re.compile(r"[+-]\d{1,9}")
_TOKEN = re.compile(r'"[^"]*"|\S+')
_BOX_INDEX = re.compile(r"[-<]([1-9]\d{0,8})")
_INVERTED = frozenset(["InstanceOf", "AttributeOf", "ColourOf", "ContentOf", "PartOf", "SubOf"])


@dataclass(slots=True)
class Structure:
    """The graph of a text in box notation; numbers are places in `nodes`, the first a box."""

    nodes: list[str] = field(default_factory=lambda: ["b0"])
    concepts: dict[int, tuple[str, str, str]] = field(default_factory=dict)
    """Lemma, part of speech and sense of each node that is no box."""
    joins: list[tuple[int, int, str]] = field(default_factory=list)
    """Box to concept by `member`, box to box by a box word, as they come."""
    roles: list[tuple[int, int, str]] = field(default_factory=list)
    """Concept to concept, by roles and comparisons; inverted roles are turned around."""
    constants: list[tuple[int, str, str]] = field(default_factory=list)
    """Concept, role, and the constant as it is written."""
    written: list[tuple[int, int]] = field(default_factory=list)
    """Concept to concept as the text has it, before inverted roles are turned around."""
    astray: list[str] = field(default_factory=list)
    """Indices that point before the first concept or behind the last."""

    def is_empty(self) -> bool:
        return not self.joins

    def is_cyclic(self) -> bool:
        """Whether some path leads back to where it began, along the roles as written."""
        joins = ((source, target) for source, target, _ in self.joins)
        return has_cycle(range(len(self.nodes)), (*joins, *self.written))


def _told_apart(name: str, taken: Counter[str]) -> str:
    """The name, made unlike those that came before."""
    taken[name] += 1
    return name if taken[name] == 1 else f"{name}#{taken[name]}"


def read_sbn(text: str, compat: Compat | None = None) -> Structure:
    """The structure of a text; what cannot be read is a FormatError.

    With `compat`, of several roles between two concepts only the last is kept, and of an
    index only the first digit is read.
    """
    reader = _Reader(compat)
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith("%"):
            reader.line = number
            reader.read(tokens_of(line))
    return reader.finish()


def tokens_of(line: str) -> list[str]:
    """The words of a line, what is between quotes as one, a comment left out."""
    return _TOKEN.findall(re.split(r"\s%\s", line + " ")[0])


def units(line: str) -> int:
    """How many concepts and box words a line has.

    >>> units('NEGATION <1 male.n.02 Name "an.n.01" fly.v.01 Agent -1  % he.n.01')
    3
    """
    found = 0
    value = False
    for token in tokens_of(line):
        if value:
            value = False
        elif _CONCEPT.fullmatch(token):
            found += 1
        else:
            found += token in BOX_WORDS
            value = True
    return found


class _Reader:
    def __init__(self, compat: Compat | None) -> None:
        self.compat = compat
        self.found = Structure()
        self.taken: Counter[str] = Counter()
        self.concepts: list[int] = []
        self.roles: list[tuple[int, str, str]] = []
        self.pending = ""
        self.line = 1
        self.boxes = [0]

    def read(self, tokens: list[str]) -> None:
        for token in tokens:
            concept = _CONCEPT.fullmatch(token) if not self.pending else None
            if self.pending in BOX_WORDS:
                self._open(token)
            elif concept:
                self._concept(*concept.groups())
            elif self.pending:
                self.roles.append((len(self.concepts) - 1, self.pending, token))
                self.pending = ""
            elif token in BOX_WORDS or self.concepts:
                self.pending = token
            else:
                raise self._unreadable(
                    f"expected a concept like dog.n.01 or a box word, found {token[:40]!r}"
                )

    def _node(self, name: str) -> int:
        self.found.nodes.append(_told_apart(name, self.taken))
        return len(self.found.nodes) - 1

    def _open(self, index: str) -> None:
        match = _BOX_INDEX.fullmatch(index)
        back = int(match[1]) if match else 0
        if not 0 < back <= len(self.boxes):
            raise self._unreadable(
                f"{self.pending} needs -1 or <1, or how far back another box is, found {index!r}"
            )
        box = self._node(f"b{len(self.boxes)}")
        self.found.joins.append((self.boxes[-back], box, self.pending))
        self.boxes.append(box)
        self.pending = ""

    def _unreadable(self, message: str) -> FormatError:
        return FormatError(message, code="K161", place=Place("", self.line))

    def _concept(self, lemma: str, speech: str, sense: str) -> None:
        node = self._node(f"{lemma}.{speech}.{sense}")
        self.concepts.append(node)
        self.found.concepts[node] = lemma, speech, sense
        self.found.joins.append((self.boxes[-1], node, MEMBER))

    def finish(self) -> Structure:
        found = self.found
        if self.pending:
            raise self._unreadable(f"the role {self.pending!r} has no value")
        edges: dict[tuple[int, int, int], str] = {}
        for number, role, value in self.roles:
            node = self.concepts[number]
            shift = self._shift(value)
            target = None if shift is None else number + shift
            if target is not None and 0 <= target < len(self.concepts):
                # The tool's graph has one edge between two nodes, named by the last role.
                edges[node, self.concepts[target], 0 if self.compat else len(edges)] = role
                continue
            found.constants.append((node, role, value))
            if target is not None and len(value) == 2:  # longer ones are quantities
                found.astray.append(value)
        for (source, target, _), role in edges.items():
            found.written.append((source, target))
            if role in _INVERTED:
                found.roles.append((target, source, role.removesuffix("Of")))
            else:
                found.roles.append((source, target, role))
        return found

    def _shift(self, value: str) -> int | None:
        """How far ahead an index points; None for a constant."""
        index = _INDEX.match(value[:2]) if self.compat else _INDEX.fullmatch(value)
        return int(index[0]) if index else None


def sbn_tuples(structure: Structure, variant: Variant) -> Tuples:
    """The triples of a structure: boxes, their members, roles.

    A concept is one instance (`coarse`), or a node with lemma, part of speech and sense
    as attributes (`sense`), or those without the sense (`no-sense`); constants are
    attributes in the first case, nodes in the others.
    """
    if structure.is_empty():
        return Tuples([])
    nodes = list(structure.nodes)
    features: list[Feature] = []
    for node in range(len(nodes)):
        concept = structure.concepts.get(node)
        if concept is None:
            features.append((node, INSTANCE, "box"))
        else:
            features += _of_concept(node, concept, variant)
    links: list[Link] = [
        (source, target, RELATION, name.lower())
        for source, target, name in (*structure.joins, *structure.roles)
    ]
    taken: Counter[str] = Counter()
    for node, role, value in structure.constants:
        constant = value.strip('"').lower()
        if variant == "coarse":
            features.append((node, ATTRIBUTE, (role.lower(), constant)))
        else:
            nodes.append(_told_apart(value, taken))
            features.append((len(nodes) - 1, INSTANCE, constant))
            links.append((node, len(nodes) - 1, RELATION, role.lower()))
    features.append((0, ATTRIBUTE, ("top", "box")))
    return Tuples(nodes, features, links)


def _of_concept(node: int, concept: tuple[str, str, str], variant: Variant) -> list[Feature]:
    if variant == "coarse":
        return [(node, INSTANCE, ".".join(concept).lower())]
    lemma, speech, sense = concept
    found: list[Feature] = [
        (node, INSTANCE, "synset"),
        (node, ATTRIBUTE, ("lemma", lemma.lower())),
        (node, ATTRIBUTE, ("pos", speech)),
    ]
    return [*found, (node, ATTRIBUTE, ("sense", sense))] if variant == "sense" else found
