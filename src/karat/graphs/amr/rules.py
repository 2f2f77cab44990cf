"""AMR: which concepts stand for which roles, and the aspects of meaning that are looked at apart.

Concepts and roles are those of the AMR specification (Banarescu et al. 2019), the
aspects those of smatch++ (Opitz 2023).
"""

from __future__ import annotations

from dataclasses import dataclass

#: role: (concept, argument of the source, argument of the target)
REIFICATIONS: dict[str, tuple[str, str, str]] = {
    "accompanier": ("accompany-01", "arg1", "arg0"),
    "age": ("age-01", "arg1", "arg2"),
    "beneficiary": ("benefit-01", "arg0", "arg1"),
    "concession": ("have-concession-91", "arg1", "arg2"),
    "condition": ("have-condition-91", "arg1", "arg2"),
    "degree": ("have-degree-91", "arg1", "arg2"),
    "destination": ("be-destined-for-91", "arg1", "arg2"),
    "duration": ("last-01", "arg1", "arg2"),
    "example": ("exemplify-01", "arg1", "arg0"),
    "extent": ("have-extent-91", "arg1", "arg2"),
    "frequency": ("have-frequency-91", "arg1", "arg2"),
    "instrument": ("have-instrument-91", "arg1", "arg2"),
    "li": ("have-li-91", "arg1", "arg2"),
    "location": ("be-located-at-91", "arg1", "arg2"),
    "manner": ("have-manner-91", "arg1", "arg2"),
    "mod": ("have-mod-91", "arg1", "arg2"),
    "name": ("have-name-91", "arg1", "arg2"),
    "ord": ("have-ord-91", "arg1", "arg2"),
    "part": ("have-part-91", "arg1", "arg2"),
    "polarity": ("have-polarity-91", "arg1", "arg2"),
    "poss": ("own-01", "arg1", "arg0"),
    "purpose": ("have-purpose-91", "arg1", "arg2"),
    "quant": ("have-quant-91", "arg1", "arg2"),
    "source": ("be-from-91", "arg1", "arg2"),
    "subevent": ("have-subevent-91", "arg1", "arg2"),
    "time": ("be-temporally-at-91", "arg1", "arg2"),
    "topic": ("concern-02", "arg0", "arg1"),
    "value": ("have-value-91", "arg1", "arg2"),
}
#: Concepts that stand for a role besides the one that the role is reified to.
ALSO_REIFIED: dict[str, str] = {"have-03": "poss"}

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
