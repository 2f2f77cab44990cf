"""The native standardisation against the one in Python: the same triples, or none."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from drawn import drawn
from karat import _native
from karat.core.capabilities import LazyPairs
from karat.core.files.opener import Source
from karat.errors import FormatError
from karat.graphs.amr.penman import blocks
from karat.graphs.metrics.matched import MatchingMetric
from karat.graphs.metrics.smatchpp import SmatchPlusPlus

STYLES = ("none", "generic", "amr")
METRICS = [
    SmatchPlusPlus(style=style, compat=compat, reify=reify)  # type: ignore[arg-type]
    for style in STYLES
    for compat in (None, "smatchpp")
    for reify in (False, True)
]


def same(texts: list[str]) -> None:
    pairs = [(system, gold) for system in texts for gold in texts]
    for metric in METRICS:
        try:
            slow = MatchingMetric.measure_many(metric, pairs)
        except FormatError:
            with pytest.raises(FormatError):
                metric.measure_many(pairs)
            continue
        assert np.array_equal(metric.measure_many(pairs), slow), repr(metric)


def plain(metric: SmatchPlusPlus, text: str) -> bool:
    found, _ = metric._match_texts([(text, text)])
    return bool(found[0])


def test_real_graphs(shared: Path) -> None:
    folder = shared / "data" / "graphs"
    for name in ("sample/amr/wsj.amr", "perturbed/wsj.perturbed.amr", "handmade/quirks.gold.amr"):
        texts = [block.text for block in blocks(Source(folder / name).lines())]
        for metric in METRICS:
            assert sum(plain(metric, text) for text in texts) >= len(texts) - 12
        for start in range(0, len(texts), 10):
            same(texts[start : start + 3])


NAMES = ["a", "b", "B", "i", "and", "dog"]
CONCEPTS = [
    "dog", "Dog", '"dog"', "i", "a", "be-located-at-91", "own-01", "have-03", "Accompany-01",
]  # fmt: skip
ROLES = [
    ":ARG0", ":arg1", ":ARG1-of", ":ARG2", ":ARG0-of-of", ":mod", ":domain", ":domain-of",
    ":Mod-of", ":root", ":Root-of", ":instance", ":instance-of", ":location", ":consist-of",
    ":op1", ":o\"p1", ":ro'ot",
]  # fmt: skip
VALUES = ["-", "1", '"a"', "'b'", '"A b"', "a", "b", "B", "i", '""', "x/y", "dog", "a'b", '"a']

pieces = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "(",
                ")",
                "/",
                "(",
                ")",
                " ",
                "\n",
                "# ::id 1\n",
                "\n# x",
                "~e.1",
                "é",
                "É”",
                "\u3000",
                "\\",
            ]
        ),
        st.builds("({} / {}".format, st.sampled_from(NAMES), st.sampled_from(CONCEPTS)),
        st.builds("{} {}".format, st.sampled_from(ROLES), st.sampled_from(VALUES)),
        st.sampled_from([*ROLES, *VALUES]),
    ),
    max_size=14,
)


@settings(max_examples=drawn(800), deadline=None)
@given(pieces, pieces)
@example(["(a / be-located-at-91 :ARG1 b :ARG2 b)"], ["(a / dog :ARG1-of (b / own-01 :ARG0 1))"])
@example(["(a / dog", "# ::id 1\n", ":op1 (", '""', "/ dog))"], [])
@example(["(a / a :ARG0 1 :ARG0 1)"], ["(a / a :ARG0 1 :ARG0 1 :ARG0 1)"])
def test_anything(first: list[str], second: list[str]) -> None:
    same([" ".join(first), "".join(second)])


node = st.deferred(
    lambda: st.builds(
        lambda concept, roles: (concept, roles),
        st.sampled_from(CONCEPTS),
        st.lists(
            st.tuples(
                st.sampled_from([*ROLES[:9], ":location", ":poss"]),
                st.one_of(node, st.sampled_from(["-", "1", '"v0"', "v0", "v1", "V1", '"A b"'])),
            ),
            max_size=3,
        ),
    )
)


def written(tree: object, count: list[int]) -> str:
    if isinstance(tree, str):
        return tree
    concept, roles = tree  # type: ignore[misc]
    name = f"v{count[0]}"
    count[0] += 1
    inner = "".join(f" {role} {written(value, count)}" for role, value in roles)
    return f"({name} / {concept}{inner})"


@settings(max_examples=drawn(400), deadline=None)
@given(node, node)
def test_graphs(first: object, second: object) -> None:
    texts = [written(each, [0]) for each in (first, second)]
    same(texts)
    # What both read is read natively, as far as no role is called or becomes instance or root.
    for metric in METRICS:
        assert all(plain(metric, text) for text in texts)


@settings(max_examples=drawn(300), deadline=None)
@given(st.lists(st.tuples(node, node), min_size=1, max_size=3))
def test_explanations_and_overlays(trees: list[tuple[object, object]]) -> None:
    pairs = [(written(one, [0]), written(other, [0])) for one, other in trees]
    metric = SmatchPlusPlus()
    look = metric.look_at(LazyPairs(lambda: None, lambda: pairs))
    assert look is not None
    explanations, shown = look.explanations(), look.shown()
    encode = msgspec.json.encode
    for i, pair in enumerate(pairs):
        if not explanations[i]:  # only where a constant reads like a variable, or is no name
            assert re.search('"v0"|v[01] |V1|v[01][)]', " ".join(pair))
            assert not shown.views[i]
            continue
        told = metric.explain(*pair)
        assert explanations[i] == encode(told)
        found = metric.shown(*pair, told)
        assert shown.golds[i] == encode(found.source) + b"," + encode(found.golds)
        assert shown.systems[i] == encode(found.system)
        assert shown.views[i] == b"{},%b,[]" % encode(found.overlay)
        numbers = shown.fault_numbers[shown.fault_rows == i].tolist()
        assert [shown.faults[number] for number in numbers] == list(map(tuple, found.faults))


def test_real_graphs_are_looked_at_natively(shared: Path) -> None:
    folder = shared / "data" / "graphs"
    files = [folder / "perturbed/wsj.perturbed.amr", folder / "sample/amr/wsj.amr"]
    texts = [[block.text for block in blocks(Source(each).lines())] for each in files]
    pairs = list(zip(*texts, strict=True))
    metric = SmatchPlusPlus()
    rows, mappings = metric.measure_mapped(pairs)
    look = metric.look_at(LazyPairs(lambda: None, lambda: pairs, mappings))
    assert look is not None
    found = look.explanations()
    assert sum(map(bool, found)) >= 0.8 * len(pairs)
    for pair, row, explanation in zip(pairs, rows, found, strict=True):
        if explanation:
            told = metric.explain(*pair)
            assert explanation == msgspec.json.encode(told)
            assert len(told["missing"]) == row[3] - row[5]


def test_a_style_that_is_none() -> None:
    tables: dict[str, list[tuple[str, str, str, str]]] = {"reifications": [], "reified": []}
    with pytest.raises(ValueError, match="style"):
        _native.standardized_triples([], [], style="amrs", as_tool=False, **tables)
    with pytest.raises(ValueError, match="as many"):
        _native.standardized_triples([""], [], style="amr", as_tool=False, **tables)
