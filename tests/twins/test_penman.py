"""The native reader of PENMAN against the one in Python: the same triples, or none."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawn import drawn
from karat import _native
from karat.core.capabilities import LazyPairs
from karat.core.files.opener import Source
from karat.errors import FormatError
from karat.graphs.amr.penman import blocks, penman_of_text, triples_of
from karat.graphs.metrics.matched import MatchedMetric
from karat.graphs.metrics.smatch import Smatch, tuples_of_triples

METRICS = [Smatch(), Smatch(top="concept")]


def same(texts: list[str]) -> None:
    pairs = [(system, gold) for system in texts for gold in texts]
    for metric in METRICS:
        slow = MatchedMetric.measure_many(metric, pairs)
        assert np.array_equal(metric.measure_many(pairs), slow)


def test_real_graphs(shared: Path) -> None:
    folder = shared / "data" / "graphs"
    for name in ("sample/amr/wsj.amr", "perturbed/wsj.perturbed.amr", "handmade/quirks.gold.amr"):
        texts = [block.text for block in blocks(Source(folder / name).lines())]
        assert sum(map(_native.is_plain_penman, texts)) >= len(texts) - 12
        for start in range(0, len(texts), 10):
            same(texts[start : start + 4])


pieces = st.lists(
    st.sampled_from(
        ["(", ")", "a", "b", "a / dog", "b / Cat_", "/", ":ARG0", ":ARG1-of", ":mod", ":consist-of",
         ":polarity", "-", '"Two words"', '"x', "1", " ", "\n", "~e.1", "\\", "é", "É",
         "中”", "\u3000", "\u2028", "# c", "x/y", ":r("],
    ),
    max_size=14,
)  # fmt: skip


@settings(max_examples=drawn(1500), deadline=None)
@given(pieces)
def test_what_it_reads_it_reads_alike(parts: list[str]) -> None:
    text = " ".join(parts)
    if not _native.is_plain_penman(text):
        return
    tuples = tuples_of_triples(triples_of(penman_of_text(text)))
    _, nodes, gold, _ = _native.penman_triples([text], [text], top_is_concept=False)
    assert nodes[0, 0] == len(tuples.nodes)
    keys: dict[object, int] = {}

    def number(kind: int, key: object) -> int:
        return keys.setdefault((kind, key), len(keys))

    features = [(node, kind, number(kind, key)) for node, kind, key in tuples.features]
    links = [(s, t, kind, number(kind, key)) for s, t, kind, key in tuples.links]
    assert sorted((n, k) for n, k, _ in gold[0].tolist()) == sorted((n, k) for n, k, _ in features)
    assert sorted((s, t) for s, t, *_ in gold[2].tolist()) == sorted((s, t) for s, t, *_ in links)
    assert len({(k, v) for _, k, v in gold[0].tolist()}) == len({(k, v) for _, k, v in features})
    scores = Smatch().score(text, text)
    assert scores["c"] == scores["g"] == scores["s"]


node = st.deferred(
    lambda: st.builds(
        lambda concept, roles: (concept, roles),
        st.sampled_from(["dog", "Dog", "cat", "want-01", "want-02_"]),
        st.lists(
            st.tuples(
                st.sampled_from(["ARG0", "arg0", "ARG1-of", "mod", "domain", "consist-of", "op1"]),
                st.one_of(node, st.sampled_from(["-", "1", '"A b"', "v0", "v1", '"v0"'])),
            ),
            max_size=3,
        ),
    )
)


def written(tree: object, numbers: list[int]) -> str:
    concept, roles = tree  # type: ignore[misc]
    numbers[0] += 1
    variable = f"v{numbers[0] - 1}"
    inner = [
        f":{role} {written(value, numbers) if isinstance(value, tuple) else value}"
        for role, value in roles
    ]
    return f"({' '.join([f'{variable} / {concept}', *inner])})"


@settings(max_examples=drawn(200), deadline=None)
@given(node, node)
def test_scores_are_alike(one: object, other: object) -> None:
    texts = [written(one, [0]), written(other, [0])]
    assert all(map(_native.is_plain_penman, texts))
    same(texts)


@pytest.mark.parametrize("text", ["(a)", "(a / dog~e.1)", "(a / hÉ)"])
def test_what_is_not_plain_is_left_to_the_full_reader(text: str) -> None:
    assert not _native.is_plain_penman(text)
    assert Smatch().score(text, text)["f"] == 1.0


def test_letters_without_case_alone_are_plain() -> None:
    plain = {c for c in map(chr, (*range(0xD800), *range(0xE000, 0x11000)))
             if _native.is_plain_penman(f"(a / x{c}x)")}  # fmt: skip
    assert {*"aZ5é中あ한“—"} <= plain
    for character in plain - set(map(chr, range(128))):
        assert character.lower() == character
        assert not character.isspace()


@pytest.mark.parametrize(
    "text",
    ["a", "(a / b :r)", '(a / b :r "x)', "(a / b) c", "(a / b (c / d))", "(a / dog", "(a / dog))"],
)
def test_what_is_wrong_is_said(text: str) -> None:
    assert not _native.is_plain_penman(text)
    with pytest.raises(FormatError):
        Smatch().score(text, "(a / dog)")


NAMES = st.sampled_from(["a", "b", "c", "d", "e"])
CONCEPTS = st.sampled_from(["dog", "Dog", "cat_", "want-01", '"New York"', "and", "Be"])
ROLES = st.sampled_from(
    [":ARG0", ":arg0", ":ARG1-of", ":mod", ":op1", ":top", ":instance", ":consist-of", ":Quant_"]
)
CONSTANTS = st.sampled_from(['"New York"', '"b"', "-", "5", "Imperative", "top", '"Dog"', '""'])


@st.composite
def graphs(draw: st.DrawFn) -> str:
    """A graph over some variables: a tree, constants, and roles that lead back."""
    names = draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    children: dict[str, list[str]] = {name: [] for name in names}
    for i, name in enumerate(names[1:], 1):
        children[names[draw(st.integers(0, i - 1))]].append(name)

    def node(name: str) -> str:
        parts = [f"({name} / {draw(CONCEPTS)}"]
        parts += [f"{draw(ROLES)} {node(child)}" for child in children[name]]
        constants = draw(st.lists(st.tuples(ROLES, CONSTANTS), max_size=2))
        parts += [f"{role} {constant}" for role, constant in constants]
        if draw(st.booleans()):
            parts.append(f"{draw(ROLES)} {draw(st.sampled_from(names))}")
        return draw(st.sampled_from([" ", "\n  "])).join(parts) + ")"

    return node(names[0])


@settings(max_examples=drawn(250), deadline=None)
@given(st.lists(st.tuples(graphs(), graphs()), min_size=1, max_size=3), st.sampled_from(METRICS))
def test_explanations_and_overlays(pairs: list[tuple[str, str]], metric: Smatch) -> None:
    look = metric.look_at(LazyPairs(lambda: None, lambda: pairs))
    assert look is not None
    explanations, shown = look.explanations(), look.shown()
    encode = msgspec.json.encode
    for i, pair in enumerate(pairs):
        if not explanations[i]:  # only where a constant reads like a variable, or like a concept
            assert '"b"' in "".join(pair) or ":instance" in "".join(pair)
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
