"""Which errors are the most frequent, as the explanations of many pairs list them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, TypeVar

from karat import _native
from karat.core.metric import Explanation

MOST = 1000
"""So many errors a profile lists of each kind, unless it is to have all."""
_What = TypeVar("_What", str, tuple[str, str])


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


def frequent_errors(
    explanations: Iterable[list[bytes]],
    most: int = 0,
    errors: _native.FrequentErrors | None = None,
) -> Explanation | None:
    """A profile of errors from explanations of any metric; None if these list no errors.

    Explanations are JSON, some at a time. Lists called ``missing`` hold what only gold has,
    ``surplus`` what only the system has (both may be numbers by names instead), ``edits`` and
    ``alignment`` changes of tokens; the path to a list names the kind of error. The numbers of an
    entry that is an object (where it is) are no part of the name of the error. The result is that
    of `limited`, for a corpus has as many different n-grams as errors. `errors` may hold some that
    were counted while their explanations were made.

    >>> frequent_errors([[b'{"ngrams":{"1":{"missing":{"a":2}}}}']])["missing"]
    {'ngrams.1': [{'what': 'a', 'count': 2}]}
    """
    errors = errors or _native.FrequentErrors()
    for some in explanations:
        errors.add(some)
    return errors.profile(most) if errors.listed else None


def limited(profile: Explanation, most: int) -> Explanation:
    """A profile with at most so many of the most frequent errors in each list; all for 0.

    ``left_out`` says how many different errors the lists do not have, and how often these occur.

    >>> limited({"missing": [{"what": "a", "count": 2}, {"what": "b", "count": 1}]}, 1)["left_out"]
    {'missing': {'entries': 1, 'occurrences': 1}}
    """
    found, left_out = _limited(profile, most) if most else (profile, {})
    return {**found, "left_out": left_out} if left_out else found


def _limited(part: Any, most: int) -> tuple[Any, Explanation]:
    """A part of a profile, and what is left out of its lists, by the names that lead to them."""
    if isinstance(part, list) and len(part) > most and all(map(_is_counted, part)):
        kept = sorted(part, key=lambda each: each["count"], reverse=True)
        left = sum(each["count"] for each in kept[most:])
        return kept[:most], {"entries": len(part) - most, "occurrences": left}
    if not isinstance(part, dict):
        return part, {}
    if len(part) > most and {int}.issuperset(map(type, part.values())):  # counts by names
        names = sorted(part, key=part.__getitem__, reverse=True)
        left = sum(part[name] for name in names[most:])
        found = {name: part[name] for name in names[:most]}
        return found, {"entries": len(part) - most, "occurrences": left}
    made = {name: _limited(inner, most) for name, inner in part.items()}
    left_out = {name: left for name, (_, left) in made.items() if left}
    return {name: inner for name, (inner, _) in made.items()}, left_out


def _is_counted(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("count"), int)
