"""Edits of an item, and scores as quotients of counts, for ``karat repair``."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

Claim: TypeAlias = Literal["equal", "at least", "estimate"]
"""How the score of repaired items, measured again, relates to the predicted one."""


Changes: TypeAlias = tuple[tuple[str, float], ...]
"""Columns, and what is added to them."""

NODE, GOLD_ARC, SYSTEM_ARC = 0, 2, 3
"""The codes of parts of a drawing, as the page has them."""
GOLD_PART, SYSTEM_PART = 5, 6
"""The codes of what gold or the system has at a node; for an arrow they are 2 higher."""


class Drawn(msgspec.Struct, frozen=True, gc=False):
    """The part of an item's drawing that an edit changes."""

    where: int
    """A node, an arc of either side, or a part of either side, which is told by its text."""
    place: int
    target: int = -1
    """The node that an edge leads to; `place` is the one that it comes from."""
    look: str = ""
    """Of a part: label, property, anchor, top, edge or attribute."""
    text: str = ""


class Edit(msgspec.Struct, frozen=True, gc=False):
    """One change of a system's item."""

    kind: str
    group: str
    """Its class in the partition that was asked for."""
    changes: Changes
    """The changes of columns of the item's row."""
    system: str = ""
    gold: str = ""
    single: int = 1
    """The number of single additions and deletions that it stands for."""


class ItemRepair(Protocol):
    """The edits of one pair, and the system's item with some of them made.

    All edits together always change the columns of targets by the sum of what each changes.
    """

    def edits(self, partition: str, /) -> list[Edit]:
        """All edits, in the same order for every partition."""

    def apply(self, chosen: Collection[int], /) -> Any:
        """The system's item after the edits with these numbers; the item itself is not changed."""


class KnowsSums(Protocol):
    """An item that knows, where gains are estimates, whether it need not be measured again."""

    @property
    def adds_up(self) -> bool:
        """Whether any of its edits change the columns of targets by the sum of their changes."""


class DrawsEdits(Protocol):
    """An item with a drawing, in which its edits can be switched on and off."""

    def drawn(self) -> Sequence[Sequence[Drawn]]:
        """The parts of the drawing that each edit changes."""


class Target(msgspec.Struct, frozen=True):
    """A score that edits change in a known way: a quotient of weighted sums of columns."""

    top: Mapping[str, float]
    bottom: Mapping[str, float]
    precision: str = ""
    """The names of the scores that stand beside it, where there are any."""
    recall: str = ""
    whole: bool = False
    """Whether only whole items count: the column is 1 in items with nothing left to repair."""


def f_score(
    common: Mapping[str, float],
    system: Mapping[str, float],
    gold: Mapping[str, float],
    precision: str = "",
    recall: str = "",
) -> Target:
    """The target of an F score, 2c / (s + g), of columns with their weights.

    >>> f_score({"c": 1}, {"s": 1}, {"g": 1}).top
    {'c': 2}
    """
    return Target(
        {name: 2 * weight for name, weight in common.items()}, {**system, **gold}, precision, recall
    )


def f_of_parts(weights: Mapping[str, float], scores: str) -> Target:
    """The F of parts with weights, each with columns ``.c``, ``.s`` and ``.g``; `scores` is what
    the names of F, precision and recall begin with.
    """
    common, system, gold = (
        {f"{part}.{side}": weight for part, weight in weights.items()} for side in "csg"
    )
    return f_score(common, system, gold, f"{scores}p", f"{scores}r")


def unclassed(kind: str) -> str:
    """The class of edits to which a partition does not apply."""
    return f"({kind})"


def confusion(system: str | None, gold: str | None, *, moved: bool = False) -> str:
    """The class of an edit by a label: what stands for what, what is missing or surplus.

    >>> confusion("ARG1", "ARG2"), confusion(None, "BV"), confusion("BV", None)
    ('ARG1→ARG2', 'missing BV', 'surplus BV')
    """
    if system is None:
        return f"missing {gold}"
    if gold is None:
        return f"surplus {system}"
    return f"{gold} reattached" if moved else f"{system}→{gold}"
