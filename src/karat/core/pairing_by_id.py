"""Gold and system items that meet by id; who waits for whom, and who is left over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from karat.core.items import Item, Key
from karat.errors import FormatError, KaratError, PairingError, quote_some

if TYPE_CHECKING:
    from karat.core.pairing import Report

Met: TypeAlias = tuple[int, Item | None, Item]
"""The place in the gold order, the system item if there is one, and the gold item."""


class Meeting:
    """The items that wait for their partner, and who has met whom."""

    def __init__(self, lenient: bool, report: Report, *, ignores_others: bool = False) -> None:
        self.lenient = lenient
        self.report = report
        self.ignores_others = ignores_others
        """Whether system items without gold say nothing, since gold was selected from."""
        self.index: dict[Key, int] = {}
        self.keys_of: dict[str | None, list[Key]] = {}
        self.waiting_golds: dict[Key, Item] = {}
        self.waiting_systems: dict[str | None, list[Item]] = {}
        self.partner: dict[Key, Key] = {}
        self.replaced: dict[Key, Item] = {}
        self.twice: dict[str, list[str]] = {"gold": [], "system": []}
        self.nameless = {"gold": 0, "system": 0}
        self.last_broken: FormatError | None = None

    def latest(self, golds: Iterable[Item]) -> list[Item]:
        """Gold items that are not parsed yet; a later one with the same key replaces an earlier.

        For lenient metrics; it takes the earlier one's place in the order.
        """
        result: list[Item] = []
        place: dict[Key, int] = {}
        for item in golds:
            if item.key is not None and item.key in place:
                self._doubled("gold", item)
                result[place[item.key]] = item
                continue
            if item.key is not None:
                place[item.key] = len(result)
            result.append(item)
        return result

    def gold(self, item: Item) -> Met | None:
        """The pair that a gold item makes with what waits for it."""
        key = self._key(item, "gold")
        if key is None:
            return None
        if key in self.index:
            self._doubled("gold", item)
            (self.replaced if key in self.partner else self.waiting_golds)[key] = item
            return None
        for other in self.keys_of.get(key[0], ()):
            partner = self.partner.get(other)
            if partner not in (None, other) and _agree(partner, key):
                raise _several(partner, [other, key])
        self.index[key] = len(self.index)
        self.keys_of.setdefault(key[0], []).append(key)
        waiting = self.waiting_systems.get(key[0], [])
        for i, system in enumerate(waiting):
            if self._gold_for(_key_of(system)) == key:
                del waiting[i]
                return self._meet(key, system, item)
        self.waiting_golds[key] = item
        return None

    def system(self, item: Item) -> Met | None:
        """The pair that a system item makes with what waits for it."""
        key = self._key(item, "system")
        if key is None:
            return None
        gold_key = self._gold_for(key)
        waiting = self.waiting_systems.get(key[0], [])
        if gold_key in self.partner or any(_key_of(other) == key for other in waiting):
            self._doubled("system", item)
            return None
        if gold_key is None:
            self.waiting_systems[key[0]] = [*waiting, item]
            return None
        return self._meet(gold_key, item, self.waiting_golds.pop(gold_key))

    def _meet(self, gold_key: Key, system: Item, gold: Item) -> Met:
        self.partner[gold_key] = _key_of(system)
        return self.index[gold_key], system, gold

    def _gold_for(self, key: Key) -> Key | None:
        """The gold key that a system key means: the same, or the one that agrees."""
        if key in self.index:
            return key
        fits = [other for other in self.keys_of.get(key[0], ()) if _agree(key, other)]
        if len(fits) > 1:
            raise _several(key, fits)
        return fits[0] if fits else None

    def _key(self, item: Item, side: str) -> Key | None:
        if item.key is None and item.error:
            # Where the system's file holds its own gold, both sides have the same error.
            if self.ignores_others and side == "system":
                pass
            elif item.error is not self.last_broken and side == "system":
                self.report.broken_system(item.error, self.lenient)
            elif item.error is not self.last_broken:
                self.report.broken(item.error)
            self.last_broken = item.error
            self.nameless[side] += 1
            return None
        if item.key is None:
            raise PairingError(
                f"the {side} item at line {item.line} has no id, others have", code="K206"
            )
        return item.key

    def _doubled(self, side: str, item: Item) -> None:
        name = str(_key_of(item)[0])
        if not self.lenient:
            raise PairingError(
                f"{side} id {name!r} occurs twice, again at line {item.line}", code="K204"
            )
        self.twice[side].append(name)

    def replacements(self, systems: Iterable[Item]) -> Iterator[Met]:
        """Pairs with the gold items that took the place of ones already paired."""
        if not self.replaced:
            return
        wanted = {self.partner[key]: key for key in self.replaced}
        for system in systems:
            if system.key in wanted:
                key = wanted.pop(system.key)
                yield self.index[key], system, self.replaced[key]

    def left_over(self) -> Iterator[Met]:
        """Gold items alone, after naming all that found no partner."""
        systems = [item for items in self.waiting_systems.values() for item in items]
        if self.lenient and self.index and not self.partner:
            raise self._nothing_in_common(systems)
        if not self.lenient:
            # What is left over may be the partner of what could not be read.
            if len(self.waiting_golds) > self.nameless["system"]:
                raise self._missing(systems)
            if len(systems) > self.nameless["gold"] and not self.ignores_others:
                raise PairingError.in_file_of("system", self._extra(systems), code="K205")
        for side, which in (("gold", "last"), ("system", "first")):
            if names := self.twice[side]:
                self.report.warn(
                    f"{len(names)} {side} items repeat an id, the {which} of each counts: "
                    + quote_some(names)
                )
        if systems and not self.ignores_others:
            self.report.warn(self._extra(systems) + " (ignored)")
        if self.waiting_golds:
            fate = "scored against nothing" if self.lenient else "left out"
            self.report.warn(
                f"{len(self.waiting_golds)} of {len(self.index)} gold items have no system item "
                f"and are {fate}: " + quote_some([str(key[0]) for key in self.waiting_golds])
            )
        if self.lenient:
            for key, gold in self.waiting_golds.items():
                yield self.index[key], None, gold

    def _nothing_in_common(self, systems: Sequence[Item]) -> KaratError:
        """The error where no gold item has a system item: these files hardly belong together."""
        if not systems and (unread := self.report.none_readable()):
            return unread
        if any(key[0] in self.waiting_systems for key in self.waiting_golds):
            theirs = [_further(key) for key in self.waiting_golds]
            ours = [_further(_key_of(item)) for item in systems]
            return PairingError.in_file_of(
                "system",
                "the ids are those of gold, but no item is of the same kind: gold has "
                f"{_list_some(theirs)}, the system has {_list_some(ours)}",
                code="K240",
                advice="give gold and system of the same framework and language; graphs can be "
                """taken for those of another with ``inject='{"framework": "…"}'``""",
            )
        return self._missing(systems)

    def _extra(self, systems: Sequence[Item]) -> str:
        keys = [_key_of(item) for item in systems]
        if all(key[0] in self.keys_of for key in keys):
            kinds = _list_some([_further(key) for key in keys])
            return (
                f"{len(systems)} system items have no gold item of their kind ({kinds}): "
                + quote_some([str(key[0]) for key in keys])
            )
        names = quote_some([str(key[0]) for key in keys])
        return f"{len(systems)} system items have no gold item: {names}"

    def _missing(self, systems: Sequence[Item]) -> PairingError:
        names = [str(key[0]) for key in self.waiting_golds]
        folded = {str(_key_of(item)[0]).casefold(): str(_key_of(item)[0]) for item in systems}
        near = [folded[name.casefold()] for name in names if name.casefold() in folded]
        advice = "``pair='position'`` pairs by order"
        if near:
            advice = f"the system file has {quote_some(near)}: ids are case-sensitive; " + advice
        elif systems:
            theirs = quote_some([str(_key_of(item)[0]) for item in systems])
            advice = f"the system file has {theirs}; " + advice
        return PairingError.in_file_of(
            "system",
            f"{len(names)} of {len(self.index)} gold ids have no system item: {quote_some(names)}",
            code="K201",
            advice=advice,
        )


def _key_of(item: Item) -> Key:
    assert item.key is not None
    return item.key


def _further(key: Key) -> str:
    """What a key has beside its id: a framework, a language."""
    return "/".join(part for part in key[1:] if part) or "none"


def _list_some(kinds: Sequence[str]) -> str:
    return quote_some(sorted(set(kinds)))


def _several(system: Key, golds: Sequence[Key]) -> PairingError:
    return PairingError(
        f"system item {system[0]!r} fits several gold items: "
        + " and ".join("/".join(part or "-" for part in gold[1:]) for gold in golds),
        code="K208",
        advice="say in the system file which of them it is",
    )


def _agree(a: Key, b: Key) -> bool:
    return len(a) == len(b) and all(
        x == y or x is None or y is None for x, y in zip(a, b, strict=True)
    )
