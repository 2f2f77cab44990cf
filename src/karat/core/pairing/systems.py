"""Pairs the items of several systems in one file with one gold file.

Each system is paired with all of gold, by id or by position; in what follows, the system is a
part of the keys of its items, as it is where records hold their own gold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from karat.core.reading.items import Ints, Key, Refs
from karat.core.reading.selection import Selection
from karat.errors import PairingError, counted, part_of, quote_some


class BySystem(NamedTuple):
    """Both sides with keys by which they are paired system by system."""

    system: Refs
    golds: list[Refs]
    """Gold once for each system."""
    names: list[str]
    """The system of each of these gold items."""
    chosen: Refs
    """The system's items, except those of gold that is not selected."""


def by_system(
    system: Refs,
    names: Sequence[str],
    golds: Sequence[Refs],
    selection: Selection,
    *,
    field: str,
    fills_gaps: bool,
) -> BySystem | None:
    """Both sides system by system; None if the items can be paired without that.

    `names` are the systems of the items, as their `field` tells them. An item that cannot be
    read keeps its error, and is not missed.
    """
    order = list(dict.fromkeys(filter(None, names)))
    gold = golds[0]
    if len(order) < 2 or any(key is not None and any(key[1:]) for key in gold.keys or ()):
        return None
    of_system = dict.fromkeys(order, 0)
    by_position = gold.keys is None or system.keys is None
    if by_position:
        if len(system) == len(gold):
            return None
        ids: list[str | None] = [_next(of_system, name) for name in names]
        wanted: list[str | None] = [str(row + 1) for row in range(len(gold))]
    else:
        ids = [None if key is None else key[0] for key in system.keys or ()]
        if not _repeats(zip(ids, names, strict=True)):
            return None
        wanted = [None if key is None else key[0] for key in gold.keys or ()]
    for row, (id, name) in enumerate(zip(ids, names, strict=True)):
        if id is not None and not name and row not in system.errors:
            raise PairingError.in_file_of(
                "system",
                f"item {id!r} does not say which system it is of: it has no {field!r}, and "
                "others have",
                code="K206",
            )
    keys: list[Key | None] = [
        None if id is None else (id, name) for id, name in zip(ids, names, strict=True)
    ]
    rows = np.arange(len(gold))[selection.rows(gold)]
    wanted = [wanted[row] for row in rows.tolist()]
    if not fills_gaps and not system.errors:
        _check_complete(order, set(keys), wanted, by_position=by_position)
    named: list[Key | None] = [
        None if id is None else (id, name) for name in order for id in wanted
    ]
    numbers = np.arange(len(named))
    every = np.tile(rows, len(order))
    ours = msgspec.structs.replace(system, keys=keys)
    chosen = ours
    if selection:
        known = set(wanted)
        chosen = ours.take(np.array([row for row, id in enumerate(ids) if id in known], np.int64))
    return BySystem(
        ours,
        [_named(each.take(every), keys=named, field=field, numbers=numbers) for each in golds],
        [name for name in order for _ in wanted],
        chosen,
    )


def of_systems(system: Refs, names: Sequence[str]) -> Refs:
    """Items with keys that distinguish systems, if there are several."""
    if len(set(names)) < 2 or system.keys is None:
        return system
    keys: list[Key | None] = [
        key and (key[0], name) for key, name in zip(system.keys, names, strict=True)
    ]
    return msgspec.structs.replace(system, keys=keys)


def _named(gold: Refs, keys: list[Key | None], field: str, numbers: Ints) -> Refs:
    """Gold items with their keys; their systems are fields, as those of the system's items are."""
    known = gold.fields or [{}] * len(gold)
    fields = [
        {**each, field: str(key[1])} if key else each for each, key in zip(known, keys, strict=True)
    ]
    return msgspec.structs.replace(gold, keys=keys, fields=fields, number=numbers)


def _next(counts: dict[str, int], name: str) -> str:
    counts[name] = counts.get(name, 0) + 1
    return str(counts[name])


def _repeats(items: Iterable[tuple[str | None, str]]) -> bool:
    """Whether two systems have an item with the same id."""
    found: dict[str, str] = {}
    return any(id is not None and found.setdefault(id, name) != name for id, name in items)


def _check_complete(
    order: Sequence[str], known: set[Key | None], wanted: Sequence[str | None], *, by_position: bool
) -> None:
    """Raises if a system lacks items that gold has."""
    for name in order:
        missing = [id for id in wanted if id is not None and (id, name) not in known]
        if not missing:
            continue
        if by_position:
            raise PairingError.in_file_of(
                "system",
                f"gold has {counted(len(wanted), 'item')}, the system {name!r} has "
                f"{len(wanted) - len(missing)}: they are paired by position",
                code="K202",
                advice="check for lost or doubled lines; items with ids are paired by id",
            )
        raise PairingError.in_file_of(
            "system",
            part_of(len(missing), len(wanted), "gold id")
            + f" no item of the system {name!r}: {quote_some(missing)}",
            code="K201",
        )
