"""Parts of a gold item and the values of gold and system there, for ``karat audit``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias


class Slot(NamedTuple):
    """A place in a gold item that has one value: the label of a node, the head of a word."""

    kind: str
    """label, property, edge, top, head, tag, term, ..."""
    where: str
    """The place in terms of gold, so that it is the same for all systems."""


class Values(NamedTuple):
    """The values of gold and a system at a slot; None: none, such as no edge."""

    gold: str | None
    system: str | None
    others: int = 0
    """How many values besides gold's are possible, if that depends on the item, as for the head of
    a word in a short sentence; else 0."""


ABSTAINS: Final = "\0"
"""The value of a system that cannot vote on a slot, since it lacks the part that it is about."""

Reading: TypeAlias = Mapping[Slot, Values]
"""The values at all slots that gold or the system fill; at other slots neither has anything."""
