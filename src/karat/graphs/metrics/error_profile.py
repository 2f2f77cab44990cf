"""Profiles of errors: the most frequent ones in the explanations of all pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from karat.core.frequent_errors import ranked, ranked_confusions

_CONFUSED = ("labels", "properties", "edges")


def profile(explanations: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Counts of missing and surplus entries by kind, and of labels taken for others.

    A node label, a value of a property or an edge label is taken for another where the
    nodes correspond and each side has one that the other has not.

    >>> profile([{"correspondences": [[0, 5]], "labels": {"missing": [[0, "dog"]],
    ...     "surplus": [[5, "cat"]]}}])["confusions"]["labels"]
    [{'gold': 'dog', 'system': 'cat', 'count': 1}]
    """
    missing: dict[str, Counter[str]] = {}
    surplus: dict[str, Counter[str]] = {}
    confused: dict[str, Counter[tuple[str, str]]] = {kind: Counter() for kind in _CONFUSED}
    for one in map(_told_apart, explanations):
        for side, counts in (("missing", missing), ("surplus", surplus)):
            for kind, entries in _by_kind(one, side):
                counts.setdefault(kind, Counter()).update(map(_name, entries))
        partner = {ours: theirs for theirs, ours in one.get("correspondences", ())}
        for kind in confused:
            found = one.get(kind, {})
            sides = found.get("missing", ()), found.get("surplus", ())
            if kind == "properties":
                confused[kind].update(_confused_values(*sides, partner))
            else:
                confused[kind].update(confusions(*sides, partner))
    return {
        "missing": {kind: ranked(each) for kind, each in missing.items()},
        "surplus": {kind: ranked(each) for kind, each in surplus.items()},
        "confusions": {kind: ranked_confusions(counts) for kind, counts in confused.items()},
    }


def _told_apart(one: dict[str, Any]) -> dict[str, Any]:
    """Triples by kind, with numbers for variables: labels, properties and edges.

    >>> _told_apart({"correspondences": [["a", "x"]], "missing": [["instance", "a", "dog"]],
    ...     "surplus": [["arg0", "x", "x"]]})["edges"]
    {'missing': [], 'surplus': [[0, 0, 'arg0']]}
    """
    if not isinstance(one.get("missing"), list):
        return one
    numbers: list[dict[Any, int]] = []
    for place, side in enumerate(("missing", "surplus")):
        known = [pair[place] for pair in one["correspondences"]]
        # A variable without partner has at least its concept among the triples.
        known += [variable for _, variable, _ in one[side]]
        numbers.append({name: i for i, name in enumerate(dict.fromkeys(known))})
    result: dict[str, Any] = {
        kind: {"missing": [], "surplus": []} for kind in ("labels", "properties", "edges")
    }
    for number, side in zip(numbers, ("missing", "surplus"), strict=True):
        for role, variable, value in one[side]:
            if role == "instance":
                result["labels"][side].append([number[variable], value])
            elif value in number:
                result["edges"][side].append([number[variable], number[value], role])
            else:
                result["properties"][side].append([number[variable], role, value])
    result["correspondences"] = [
        [numbers[0][ours], numbers[1][theirs]] for ours, theirs in one["correspondences"]
    ]
    return result


def _by_kind(one: dict[str, Any], side: str) -> Iterable[tuple[str, list[Any]]]:
    for kind, entry in one.items():
        if isinstance(entry, dict) and side in entry:
            yield kind, entry[side]


def _name(entry: Any) -> str:
    """The name of an entry: its strings, or `(node)` if it has none."""
    words = [each for each in entry if isinstance(each, str)] if isinstance(entry, list) else []
    return " ".join(words) if words else "(node)"


def confusions(
    missing: Iterable[Sequence[Any]], surplus: Iterable[Sequence[Any]], partner: Mapping[Any, Any]
) -> list[tuple[str, str]]:
    """The labels of gold that others are taken for: the last of each entry, at the same nodes."""
    theirs: dict[tuple[Any, ...], list[str]] = {}
    for *ends, label in missing:
        theirs.setdefault(tuple(ends), []).append(str(label))
    found = []
    for *ends, label in surplus:
        place = tuple(partner.get(end) for end in ends)
        if theirs.get(place):
            found.append((theirs[place].pop(0), str(label)))
    return found


def _confused_values(
    missing: Iterable[Sequence[Any]], surplus: Iterable[Sequence[Any]], partner: Mapping[Any, Any]
) -> list[tuple[str, str]]:
    """The values of properties of the same name, with that name."""
    theirs = [((node, name), f"{name} {value}") for node, name, value in missing]
    ours = [((partner.get(node), name), f"{name} {value}") for node, name, value in surplus]
    return confusions(theirs, ours, {place: place for place, _ in ours})
