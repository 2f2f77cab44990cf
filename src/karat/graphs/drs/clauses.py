"""Discourse representation structures in clause form, prepared to be compared, and checked.

The check is that of Counter: every clause has the shape that its name asks for, boxes lie in an
order without cycles in which each referent is bound above where it is used, and all boxes are
connected.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from karat.core.assigning import Groups
from karat.errors import FormatError, Place, counted

Kind: TypeAlias = Literal["operators", "roles", "concepts"]

#: Operators that compare referents; all others but REF and PRP join boxes.
COMPARISONS = frozenset(
    (
        "EQU", "NEQ", "APX", "LES", "LEQ", "TPR", "TAB", "TIN", "SZP", "SZN", "SXP", "SXN",
        "STI", "STO", "SY1", "SY2", "SXY",
    )
)  # fmt: skip
_CONSTANT_LAST = frozenset(("APX", "NEQ", "EQU", "TAB"))
QUOTES = "\"'"
_OPERATOR = re.compile(r"[A-Z]+|SY[12]")
_ROLE = re.compile(r"[A-Z](?=.*[a-z])[A-Za-z-]*")


class Clause(NamedTuple):
    """A clause; arguments that are quoted are constants."""

    box: str
    name: str
    arguments: tuple[str, ...]

    @property
    def kind(self) -> Kind:
        if _OPERATOR.fullmatch(self.name):
            return "operators"
        return "roles" if _ROLE.fullmatch(self.name) else "concepts"


def is_constant(argument: str) -> bool:
    """Whether an argument is written in quotes."""
    return argument[:1] in ("'", '"')


def read_clauses(text: str) -> list[Clause]:
    """The clauses of one structure, without comments."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("%"):
            continue
        fields = line.partition(" %")[0].split()
        if not fields:
            continue
        if len(fields) not in (3, 4):
            raise FormatError(
                "expected a box, a name and one or two arguments, "
                f"found {counted(len(fields), 'field')}: {line.strip()[:60]!r}",
                code="K160",
                place=Place("", number),
            )
        found.append(Clause(fields[0], fields[1], tuple(fields[2:])))
    return found


def prepared(
    clauses: Iterable[Clause],
    *,
    keep_references: bool = False,
    sense: bool = True,
    role: bool = True,
    concept: bool = True,
    synsets: Mapping[str, str] | None = None,
) -> list[Clause]:
    """Clauses as they are compared, each once.

    Inverse roles are turned, constants of symmetric comparisons come last, synonyms
    have one name, and references that another clause of the box implies are left out.
    `sense`, `role`, `concept` false: all senses, roles or concepts are taken for one.
    """
    turned = [_turned(clause) for clause in clauses]
    if not keep_references:
        turned = _without_implied(turned)
    found = [_plain(clause, sense, role, concept, synsets or {}) for clause in turned]
    return list(dict.fromkeys(found))


def _turned(clause: Clause) -> Clause:
    name, arguments = clause.name, clause.arguments
    if clause.kind == "roles" and name.endswith("Of") and len(name) > 2 and len(arguments) == 2:
        return Clause(clause.box, name[:-2], arguments[::-1])
    if name in _CONSTANT_LAST and len(arguments) == 2 and is_constant(arguments[0]):
        return Clause(clause.box, name, arguments[::-1])
    return clause


def _without_implied(clauses: list[Clause]) -> list[Clause]:
    """Without references whose variable another clause of the box has at its end, too."""
    mentioned = Counter(
        (clause.box, field)
        for clause in dict.fromkeys(clauses)
        for field in {*(clause.name, *clause.arguments)[-2:]}
    )
    return [
        clause
        for clause in clauses
        if clause.name != "REF" or mentioned[clause.box, clause.arguments[0]] < 2
    ]


def _plain(
    clause: Clause, sense: bool, role: bool, concept: bool, synsets: Mapping[str, str]
) -> Clause:
    kind = clause.kind
    if kind == "roles" and not role:
        return Clause(clause.box, "Role", clause.arguments)
    if kind != "concepts" or len(clause.arguments) != 2:
        return clause
    name, (written, referent) = clause.name, clause.arguments
    if not concept:
        return Clause(clause.box, "work", ('"n.01"', referent))
    inner = written.strip(QUOTES)
    synonym = synsets.get(f"{name}.{inner}")
    if synonym is not None:
        name, *rest = synonym.rsplit(".", 2)
        inner = ".".join(rest)
    if not sense:
        inner = "n.01"
    return Clause(clause.box, name, (f'"{inner}"', referent))


def boxes(clauses: Iterable[Clause]) -> dict[str, bool]:
    """The variables in order, and whether each is a box by its first occurrence.

    What has clauses of its own is a box, even where another clause, ill-formed or with a box
    for a role, has named it as a referent before.
    """
    clauses = list(clauses)
    with_clauses = {clause.box for clause in clauses}
    found: dict[str, bool] = {}
    for clause in clauses:
        found.setdefault(clause.box, True)
        for place, argument in enumerate(clause.arguments):
            if is_constant(argument):
                continue
            if clause.name == "PRP":
                box = place > 0
            else:
                joins = clause.kind == "operators" and clause.name not in COMPARISONS
                box = joins and clause.name != "REF"
            found.setdefault(argument, box or argument in with_clauses)
    return found


def title(clause: Clause) -> str:
    """The name of an operator or role, and of a concept with its sense.

    >>> title(Clause("b1", "boy", ('"n.01"', "x1"))), title(Clause("b1", "Agent", ("e1", "x1")))
    ('boy.n.01', 'Agent')
    """
    if clause.kind != "concepts" or len(clause.arguments) != 2:
        return clause.name
    return f"{clause.name}.{clause.arguments[0].strip(QUOTES)}"


def by_title(clauses: Iterable[Clause]) -> dict[str, list[Clause]]:
    """Clauses with the same title together."""
    found: dict[str, list[Clause]] = {}
    for clause in clauses:
        found.setdefault(title(clause), []).append(clause)
    return found


def written(clause: Clause) -> str:
    """The clause as it is written."""
    return " ".join((clause.box, clause.name, *clause.arguments))


# -- whether clauses make up a structure ----------------------------------------------------------

_NESTING = frozenset(("NOT", "POS", "NEC"))
_PAIRING = frozenset(("IMP", "DIS", "DUP"))
_SENSE = re.compile(r"[avnr]\.\d\d")
_SHAPES = {
    "REF": "bx",
    "PRP": "bxb",
    "DRS": "bb",
    **dict.fromkeys(_NESTING, "bb"),
    **dict.fromkeys(_PAIRING, "bbb"),
}
_WORDS = {"b": "a box", "x": "a referent", "t": "a referent or constant", "c": "a constant"}


class IllFormed(Exception):
    """Raised inside; its text says what is wrong."""


def problem_of(clauses: Sequence[Clause]) -> str | None:
    """The first problem of a structure as it was read; None if it is well-formed.

    >>> from karat.graphs.drs.clauses import read_clauses
    >>> problem_of(read_clauses('b1 REF x1\\nb1 dog "n.01" x1'))
    >>> problem_of(read_clauses('b1 dog "n.01" x1'))
    'no box introduces the referent x1'
    """
    try:
        _check_types(clauses)
        _check_boxes(_Boxes(clauses))
    except IllFormed as problem:
        return str(problem)
    return None


def _shape(clause: Clause) -> str:
    """The types of box and arguments: box, referent, constant, or term (one of the last two)."""
    name, arguments = clause.name, clause.arguments
    first = arguments[0]
    if is_constant(first) and _SENSE.fullmatch(first[1:-1]):
        return "bct"
    if name in _SHAPES:
        return _SHAPES[name]
    if name == "Name":
        return "btc"
    if name.isupper():
        return "btt" if len(name) == 3 else "bb"
    if clause.kind == "roles":
        return "btt"
    raise IllFormed(f"{name} is not an operator, role or concept with a sense")


def _check_types(clauses: Iterable[Clause]) -> None:
    known: dict[str, str] = {}
    for clause in clauses:
        shape, terms = _shape(clause), (clause.box, *clause.arguments)
        if len(shape) != len(terms):
            raise IllFormed(
                f"{clause.name} takes {len(shape) - 1} arguments, found {len(terms) - 1}"
            )
        for term, wanted in zip(terms, shape, strict=True):
            constant = is_constant(term)
            if constant and (wanted in "bx" or term[0] != term[-1] or len(term) < 3):
                raise IllFormed(f"{clause.name} takes {_WORDS[wanted]}, found {term}")
            if wanted == "c" and not constant:
                raise IllFormed(f"{clause.name} takes a constant, found {term}")
            if constant:
                continue
            kind = "b" if wanted == "b" else "x"
            if known.setdefault(term, kind) != kind:
                raise IllFormed(f"{term} is a box in one place and a referent in another")


class _BoxPair(NamedTuple):
    upper: str
    lower: str


class _Boxes:
    """The referents that each box introduces and uses, and which box lies directly above which."""

    def __init__(self, clauses: Iterable[Clause]) -> None:
        self.introduced: dict[str, set[str]] = {}
        self.used: dict[str, set[str]] = {}
        self.nested: list[_BoxPair] = []
        self.related: list[_BoxPair] = []
        for clause in clauses:
            self._add(clause)

    def _box(self, name: str) -> None:
        self.introduced.setdefault(name, set())
        self.used.setdefault(name, set())

    def _add(self, clause: Clause) -> None:
        box, name, arguments = clause
        self._box(box)
        shape = _shape(clause)[1:]
        inner = [each for each, kind in zip(arguments, shape, strict=True) if kind == "b"]
        for each in inner:
            self._box(each)
        if name == "REF":
            self.introduced[box].add(arguments[0])
        elif name in _SHAPES and name != "DRS":
            self.nested += [_BoxPair(box, each) for each in inner]
            if name in ("IMP", "DUP"):
                self.nested.append(_BoxPair(inner[0], inner[1]))
            if name == "PRP":
                self.used[box].add(arguments[0])
        elif shape == "b":
            self.related.append(_BoxPair(box, arguments[0]))
        else:
            self.used[box].update(each for each in arguments if not is_constant(each))

    def order(self) -> _Order:
        """Which boxes lie below each.

        A box lies above those it holds, presupposes or is related to, and above those that
        use its referents. What lies above a box that another one holds lies above that
        one, too, unless it lies below it.
        """
        order = _Order(list(self.introduced), [*self.nested, *self.related, *self._binding()])
        nested = [(order.number[upper], order.number[lower]) for upper, lower in self.nested]
        while order.close() and order.lift(nested):
            pass
        return order

    def _binding(self) -> list[_BoxPair]:
        where: dict[str, list[str]] = {}
        for box, referents in self.introduced.items():
            for referent in referents:
                where.setdefault(referent, []).append(box)
        return [
            _BoxPair(upper, lower)
            for lower, used in self.used.items()
            for referent in used - self.introduced[lower]
            for upper in where.get(referent, ())
        ]


class _Order:
    """The boxes below each box, as the bits of a number."""

    def __init__(self, names: list[str], pairs: Iterable[_BoxPair]) -> None:
        self.names = names
        self.number = {name: i for i, name in enumerate(names)}
        self.below = [0] * len(names)
        for upper, lower in pairs:
            self.below[self.number[upper]] |= 1 << self.number[lower]

    def close(self) -> bool:
        """Makes it transitive; False if a box lies above itself, which is an error."""
        for middle in range(len(self.below)):
            bit, lower = 1 << middle, self.below[middle]
            for i, each in enumerate(self.below):
                if each & bit:
                    self.below[i] = each | lower
        return self.looping is None

    def lift(self, nested: Iterable[tuple[int, int]]) -> bool:
        """Puts what lies above a held box above its holder; whether that changed anything."""
        before = list(self.below)
        for holder, held in dict.fromkeys(nested):
            for other, lower in enumerate(before):
                if lower >> held & 1 and other != holder and not before[holder] >> other & 1:
                    self.below[other] |= 1 << holder
        return self.below != before

    @property
    def looping(self) -> str | None:
        """A box that lies above itself."""
        for i, (name, lower) in enumerate(zip(self.names, self.below, strict=True)):
            if lower >> i & 1:
                return name
        return None

    def unconnected(self) -> str | None:
        """A box that no way leads to from the first. As in Counter, all pass if none is related."""
        if not any(self.below):
            return None
        joined = Groups[int]()
        for i, lower in enumerate(self.below):
            while lower:
                last = lower.bit_length() - 1
                joined.join(i, last)
                lower ^= 1 << last
        first = joined.leader(0)
        return next((name for i, name in enumerate(self.names) if joined.leader(i) != first), None)


def _check_boxes(boxes: _Boxes) -> None:
    everywhere = set().union(*boxes.introduced.values())
    for used in boxes.used.values():
        for referent in sorted(used - everywhere):
            raise IllFormed(f"no box introduces the referent {referent}")
    order = boxes.order()
    if order.looping is not None:
        raise IllFormed(f"the box {order.looping} lies above itself")
    alone = order.unconnected()
    if alone is not None:
        raise IllFormed(f"the box {alone} is not connected with {order.names[0]}")
