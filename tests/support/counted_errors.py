"""The errors that explanations list, counted in plain Python: the judge of the kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from karat.core.frequent_errors import ranked, ranked_confusions

Counts: TypeAlias = dict[str, Counter[str]]
_SIDES = ("missing", "surplus")
_EDITS = ("edits", "alignment")


def counted_errors(explanations: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """A profile of errors; None if the explanations list none."""
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
                counter.update(entries)
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
        inner = [value for name, value in entry.items() if name != "count"]
        words = [value for value in inner if type(value) not in (int, float)]
        name = " ".join(map(_word, words)) or " ".join(map(_word, inner))
        return name, int(entry.get("count", 1))
    return _word(entry), 1


def _word(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return " ".join(map(_word, value))
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
