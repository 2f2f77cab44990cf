"""Discourse representation structures in clause form, prepared to be compared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, TypeAlias

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
