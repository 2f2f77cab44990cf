"""Which errors are the most frequent, as the explanations of many pairs list them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias, TypeVar

import msgspec

_What = TypeVar("_What", str, tuple[str, str])
Counts: TypeAlias = dict[str, Counter[str]]
_SIDES = ("missing", "surplus")
_EDITS = ("edits", "alignment")
_PLAIN = frozenset((str, int, float, bool, type(None)))


def ranked(counts: Counter[str]) -> list[dict[str, Any]]:
    """Names and counts, the most frequent first."""
    return [{"what": what, "count": counts[what]} for what in _ordered(counts)]


def ranked_confusions(counts: Counter[tuple[str, str]]) -> list[dict[str, Any]]:
    """Pairs of gold and system with their counts, the most frequent first."""
    return [
        {"gold": gold, "system": system, "count": counts[gold, system]}
        for gold, system in _ordered(counts)
    ]


def _ordered(counts: Counter[_What]) -> list[_What]:
    """Names, the most frequent first, equally frequent ones by name."""
    # Two sorts without a function of ours take a third of the time of one by pairs.
    return sorted(sorted(counts), key=counts.__getitem__, reverse=True)


def frequent_errors(explanations: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """A profile of errors from explanations of any metric; None if these list no errors.

    Lists called ``missing`` hold what only gold has, ``surplus`` what only the system has (both may
    be numbers by names instead), ``edits`` and ``alignment`` changes of tokens; the path to a list
    names the kind of error.

    >>> found = frequent_errors([{"ngrams": {"1": {"missing": {"a": 2}}}}])
    >>> found["missing"]
    {'ngrams.1': [{'what': 'a', 'count': 2}]}
    """
    counts: dict[str, Counts] = {side: {} for side in _SIDES}
    confused: dict[str, Counter[tuple[str, str]]] = {}
    listed = False
    for explanation in explanations:
        for path, name, entries in _lists(explanation, ()):
            listed = True
            kind = ".".join(path) or "all"
            if name in _EDITS:
                _count_edits(entries, kind, counts, confused)
                continue
            counter = counts[name].setdefault(kind, Counter())
            if isinstance(entries, dict):
                once = max(entries.values(), default=1) == 1  # keys alone are counted faster
                counter.update(entries.keys() if once else entries)
                continue
            for entry in entries:
                what, times = _named(entry)
                counter[what] += times
    if not listed:
        return None
    return {
        **{side: {kind: ranked(each) for kind, each in counts[side].items()} for side in _SIDES},
        "confusions": {kind: ranked_confusions(each) for kind, each in confused.items()},
    }


class Alone(msgspec.Struct, gc=False):
    """What of an explanation, or of a part of it, is counted; all else need not be decoded."""

    missing: list[Any]
    surplus: list[Any]


def _lists(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """The lists of errors in an explanation, with the names that lead to them."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            lists = isinstance(inner, list) and name in (*_SIDES, *_EDITS)
            if lists or (name in _SIDES and _are_counts(inner)):
                yield path, name, inner
            elif isinstance(inner, (Mapping, list)):
                yield from _lists(inner, (*path, str(name)))
    elif isinstance(value, list):
        for inner in value:  # of references, which are not told apart
            if isinstance(inner, Mapping):
                yield from _lists(inner, path)


def _are_counts(value: Any) -> bool:
    return isinstance(value, dict) and {int}.issuperset(map(type, value.values()))


def _named(entry: Any) -> tuple[str, int]:
    """The name of an entry, and its count."""
    if isinstance(entry, Mapping):
        inner = {name: value for name, value in entry.items() if name != "count"}
        return " ".join(map(_word, inner.values())), int(entry.get("count", 1))
    return _word(entry), 1


def _word(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        # Lists of numbers may be long: what an anchor covers, one by one.
        inner = str if _PLAIN.issuperset(map(type, value)) else _word
        return " ".join(map(inner, value))
    return " ".join(map(_word, value.values())) if isinstance(value, Mapping) else str(value)


def _count_edits(
    edits: Iterable[Mapping[str, Any]],
    kind: str,
    counts: dict[str, Counts],
    confused: dict[str, Counter[tuple[str, str]]],
) -> None:
    """Deletions are missing, insertions surplus, substitutions confusions."""
    for edit in edits:
        gold, system = (_word(edit.get(side) or "") for side in ("gold", "system"))
        if gold == system:
            continue  # an alignment has what is equal as well
        if gold and system:
            confused.setdefault(kind, Counter())[gold, system] += 1
        else:
            side, what = ("missing", gold) if gold else ("surplus", system)
            counts[side].setdefault(kind, Counter())[what] += 1
