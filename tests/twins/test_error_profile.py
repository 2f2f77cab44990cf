"""The kernel that counts errors in explanations, against counters of plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat import _native
from karat.core.frequent_errors import ranked, ranked_confusions
from karat.graphs.metrics.base import profile as by_kernel

_CONFUSED = ("labels", "properties", "edges")


class _Itself(dict[Any, Any]):
    """Partners of nodes that both sides know by the same."""

    def get(self, node: Any, default: Any = None) -> Any:
        return node


def expected(
    explanations: Iterable[dict[str, Any]], kinds: Sequence[str] = _CONFUSED
) -> dict[str, Any]:
    """Counts of missing and surplus entries by kind, and of labels taken for others."""
    missing: dict[str, Counter[str]] = {}
    surplus: dict[str, Counter[str]] = {}
    confused: dict[str, Counter[tuple[str, str]]] = {kind: Counter() for kind in kinds}
    for one in map(_told_apart, explanations):
        for side, counts in (("missing", missing), ("surplus", surplus)):
            for kind, entries in _by_kind(one, side):
                counts.setdefault(kind, Counter()).update(map(_name, entries))
        partner: dict[Any, Any] = _Itself()
        if "correspondences" in one:
            partner = {ours: theirs for theirs, ours in one["correspondences"]}
        for kind in confused:
            found = one.get(kind, {})
            sides = found.get("missing", ()), found.get("surplus", ())
            if kind in ("properties", "constants"):
                confused[kind].update(_confused_values(*sides, partner))
            else:
                confused[kind].update(confusions(*sides, partner))
    return {
        "missing": {kind: ranked(each) for kind, each in missing.items()},
        "surplus": {kind: ranked(each) for kind, each in surplus.items()},
        "confusions": {kind: ranked_confusions(counts) for kind, counts in confused.items()},
    }


def _told_apart(one: dict[str, Any]) -> dict[str, Any]:
    """Triples by kind, with numbers for variables: labels, properties and edges."""
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


WORDS = st.sampled_from(["dog", "", "é", 'a "b"', "\\", "x\ty", "東", "b", "a\x00b"])
NODES = st.integers(0, 4)
ANCHORS = st.lists(st.tuples(NODES, NODES), max_size=2).map(tuple)
VALUES = WORDS | st.booleans() | st.integers(-2, 9) | st.just(1.5) | st.none() | ANCHORS
PARTNERS = st.lists(NODES, unique=True, max_size=4).map(
    lambda some: [[i, n] for i, n in enumerate(some)]
)


def sides(entry: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    some = st.lists(entry, max_size=4)
    return st.fixed_dictionaries({}, optional={"missing": some, "surplus": some})


BY_KIND = st.fixed_dictionaries(
    {"framework": st.none() | WORDS, "correspondences": PARTNERS},
    optional={
        "tops": sides(NODES),
        "labels": sides(st.tuples(NODES, WORDS | st.none()).map(list)),
        "properties": sides(st.tuples(NODES, WORDS, VALUES).map(list)),
        "anchors": sides(st.tuples(NODES, ANCHORS).map(list)),
        "edges": sides(st.tuples(NODES, NODES, WORDS | st.none()).map(list)),
        "matched": st.lists(NODES),
    },
)
VARIABLES = st.sampled_from(["a", "b", "x"])
TRIPLES = st.lists(
    st.tuples(
        st.sampled_from(["instance", "arg0", 'a "b"']), VARIABLES, VARIABLES | WORDS | ANCHORS
    ).map(list),
    max_size=5,
)
WHOLE = st.fixed_dictionaries(
    {
        "correspondences": st.permutations(["a", "b", "x"]).map(
            lambda some: [[name, own] for name, own in zip("ab", some, strict=False)]
        ),
        "missing": TRIPLES,
        "surplus": TRIPLES,
    }
)


@given(st.lists(BY_KIND, max_size=4) | st.lists(WHOLE, max_size=4))
def test_errors_are_counted_as_counters_do(explanations: list[dict[str, Any]]) -> None:
    encoded = [msgspec.json.encode(each) for each in explanations]
    assert by_kernel([encoded[:1], encoded[1:]]) == expected(explanations)


def test_dependencies_without_kinds_are_counted_by_their_labels() -> None:
    told = b'{"matched":[[1,0,"bv"]],"missing":[[4,3,"bv"],[5,3,"bv"],[-1,0,null]],"surplus":[]}'
    found = by_kernel([[told]], ())
    names = [{"what": "bv", "count": 2}, {"what": "(node)", "count": 1}]
    assert found == {"missing": {"all": names}, "surplus": {"all": []}, "confusions": {}}


BY_PLACE = st.fixed_dictionaries(
    {},
    optional={
        "tops": sides(ANCHORS),
        "names": sides(st.tuples(ANCHORS, WORDS | st.none()).map(list)),
        "arguments": sides(st.tuples(ANCHORS, ANCHORS, WORDS | st.none()).map(list)),
        "constants": sides(st.tuples(ANCHORS, WORDS, VALUES).map(list)),
    },
)


@given(st.lists(BY_PLACE, max_size=4))
def test_nodes_that_are_known_by_places_correspond_where_these_are_equal(
    explanations: list[dict[str, Any]],
) -> None:
    kinds = "names", "arguments", "constants"
    encoded = [msgspec.json.encode(each) for each in explanations]
    assert by_kernel([encoded], kinds) == expected(explanations, kinds)


def test_halves_of_pairs_of_surrogates_are_kept() -> None:
    told = rb'{"correspondences":[],"labels":{"missing":[[0,"\ud800"]]}}'
    assert by_kernel([[told]])["missing"] == {"labels": [{"what": "\ud800", "count": 1}]}


@pytest.mark.parametrize("damaged", [b"", b"[]", b'{"a', b'{"a":[', b'{"missing":[["a"', b'{"a"}'])
def test_what_is_no_explanation_is_refused(damaged: bytes) -> None:
    with pytest.raises(ValueError, match="explanation"):
        _native.ErrorProfile([]).add([damaged])
