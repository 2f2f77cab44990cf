"""AMR: aspects of meaning that are looked at apart, as in smatch++ (Opitz 2023)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from karat.graphs.amr.statements import Statement, Statements, concepts_of

_ARGUMENTS = tuple(f"arg{i}" for i in range(10))
_PLACES = (
    "city city-district county state province territory country local-region country-region "
    "world-region continent ocean sea lake river gulf bay strait canal peninsula mountain "
    "volcano valley canyon island desert planet star constellation"
)
_QUANTITIES = (
    "monetary distance area volume temporal frequency speed acceleration mass force pressure "
    "energy power charge potential resistance inductance magnetic-field magnetic-flux radiation "
    "concentration temperature score fuel-consumption seismic"
)


@dataclass(frozen=True, slots=True)
class Aspect:
    """Which triples belong to an aspect of meaning, and how much of what is around them."""

    roles: tuple[str, ...] = ()
    concepts: frozenset[str] = frozenset()
    described: tuple[tuple[str, str], ...] = ()
    """Words in the description of a frame's role, and the role that they stand for."""
    depth: int = 2
    predicates: bool = True
    parents: bool = False


def _same(*names: str) -> tuple[tuple[str, str], ...]:
    return tuple((f" {name} ", name) for name in names)


ASPECTS: dict[str, Aspect] = {
    "AGENT": Aspect(("arg0",)),
    "CAUSE": Aspect(("cause",), frozenset(("cause-01",)), _same("cause")),
    "CONCEPT": Aspect(("instance",), depth=0, predicates=False),
    "FOCUS": Aspect(("root",)),
    "INSTRUMENT": Aspect(
        ("instrument",),
        described=(
            (" instrument ", "instrument"),
            (" tool ", "instrument"),
            ("instrumental", "instrument"),
        ),
    ),
    "LOCATION (spatial)": Aspect(
        ("location", "path", "destination", "direction"),
        frozenset(_PLACES.split()),
        _same("location", "path", "destination", "direction"),
    ),
    "MATHS": Aspect(concepts=frozenset(("sum-of", "product-of"))),
    "NER": Aspect(("name",)),
    "PATIENT": Aspect(_ARGUMENTS[1:]),
    "POLARITY": Aspect(("polarity",)),
    "POSSESSION": Aspect(("poss",), described=((" owner ", "poss"), (" possession ", "poss-of"))),
    "PURPOSE": Aspect(("purpose",), described=_same("purpose")),
    "QUANTIFIER": Aspect(
        ("quant",),
        frozenset(f"{name}-quantity" for name in _QUANTITIES.split()),
        ((" quantity ", "quant"), (" amount ", "quant")),
    ),
    "QUESTION": Aspect(concepts=frozenset(("amr-unknown",)), depth=0, parents=True),
    "SRL-core": Aspect(_ARGUMENTS),
    "TIME (temporal)": Aspect(
        ("time", "duration", "frequency"),
        frozenset(("date-entity", "date-interval")),
        _same("time", "duration", "frequency"),
    ),
    "TOPIC": Aspect(("topic",), described=_same("topic")),
    "WIKI": Aspect(("wiki",), depth=0, predicates=False),
}
#: Concepts of an aspect that smatch++ misprints.
ALSO_CENTRAL: dict[str, frozenset[str]] = {
    "LOCATION (spatial)": frozenset(("forest", "moon")),
    "QUANTIFIER": frozenset(("voltage-quantity",)),
}
REENTRANCIES = "REENTRANCIES"
"""The aspect that is a matter of shape, not of roles."""


def with_frame_roles(graph: Statements, frames: Mapping[str, Mapping[str, str]]) -> Statements:
    """Roles of frames renamed by what their descriptions say they are."""
    concept = concepts_of(graph)

    def renamed(statement: Statement) -> Statement:
        source, role, target = statement
        described = frames.get(concept.get(source, ""), {}).get(role)
        if described is None:
            return statement
        new = role
        for aspect in ASPECTS.values():
            for text, name in aspect.described:
                if text in described:
                    new = name
        return source, new, target

    return Statements([renamed(each) for each in graph.all], graph.variables)


def read_frames(lines: Iterable[str]) -> dict[str, dict[str, str]]:
    """Descriptions of the roles of frames: ``predicate  ARG0: description  ARG1: …``."""
    result: dict[str, dict[str, str]] = {}
    for line in lines:
        name, *roles = line.lower().strip().split("  ")
        result[name] = {
            role.strip(): f" {text.strip().replace(', ', ' ').replace('. ', ' ')} "
            for role, _, text in (each.partition(":") for each in roles)
        }
    return result


def part_of(graph: Statements, aspect: str, as_tool: bool = False) -> Statements:
    """The statements that belong to an aspect of meaning, with what is around them.

    `as_tool` takes whatever has a constant that is spelt like a concept for an instance
    of it, as smatch++ does.
    """
    if aspect == REENTRANCIES:
        return _with_instances(graph, _reentrant(graph))
    rule = ASPECTS[aspect]
    concept = concepts_of(graph)
    names = rule.concepts if as_tool else rule.concepts | ALSO_CENTRAL.get(aspect, frozenset())
    central = {node for node, name in concept.items() if name in names}
    if as_tool:
        central |= {source for source, _, target in graph.all if target in rule.concepts}
    found = {
        each: None
        for each in graph.all
        if each[1] in rule.roles or each[0] in central or each[2] in central
    }
    leaving: dict[str, list[Statement]] = {}
    for each in graph.all:
        if each[1] != "instance":
            leaving.setdefault(each[0], []).append(each)
    if rule.parents:
        sources = {each[0] for each in found}
        found |= {each: None for each in graph.all if each[2] in sources}
    for _ in range(rule.depth):
        found |= {after: None for each in list(found) for after in leaving.get(each[2], ())}
    if rule.predicates:
        found |= dict.fromkeys(_predicates(graph, found, leaving, as_tool))
    return _with_instances(graph, found)


def _predicates(
    graph: Statements,
    found: Iterable[Statement],
    leaving: Mapping[str, Sequence[Statement]],
    as_tool: bool,
) -> list[Statement]:
    ends = {end for each in found for end in (each[0], each[2])}
    # To smatch++ the top leads to a constant that is spelt like the root's concept.
    unseen = ("instance",) if as_tool else ("root", "instance")
    entered = {each[2] for each in graph.all if each[1] not in unseen}
    return [
        each
        for each in graph.all
        if each[1] not in ("root", "instance")
        and each[2] in ends
        and each[0] not in entered
        and len(leaving[each[0]]) == 1
    ]


def _reentrant(graph: Statements) -> list[Statement]:
    into: dict[str, list[Statement]] = {}
    for each in graph.all:
        if each[1] not in ("instance", "root") and each[2] in graph.variables:
            into.setdefault(each[2], []).append(each)
    return [each for edges in into.values() if len(edges) > 1 for each in edges]


def _with_instances(graph: Statements, found: Iterable[Statement]) -> Statements:
    chosen = dict.fromkeys(found)
    terms = {end for each in chosen for end in (each[0], each[2])}
    chosen |= {each: None for each in graph.all if each[1] == "instance" and each[0] in terms}
    return Statements(list(chosen), graph.variables)
