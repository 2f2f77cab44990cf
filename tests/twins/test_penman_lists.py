"""What kernels say of SemBLEU's paths and SEMA's triples, against the metrics on one pair."""

from __future__ import annotations

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import given, settings

from counted_errors import counted_errors
from drawn import drawn
from karat import _native
from karat.core.frequent_errors import frequent_errors
from karat.errors import FormatError
from karat.graphs.metrics.sema import Sema
from karat.graphs.metrics.sembleu import SemBleu

CONCEPTS = [
    "dog",
    "Dog",
    "bark-01",
    "name",
    '"New York"',
    '"a_"',
    "x/y",
    "é",
    "É中",
    "12:30",
    "a",
    "b_",
]
ROLES = ["ARG0", "ARG0-of", "mod", "domain", "op1", "consist-of", "a-of-of", "-of", "quant", "x:y"]
VALUES = [
    "-",
    "5",
    '"Oslo"',
    '"New York"',
    '" b"',
    '""',
    '"b\nc"',
    "é",
    '"Él”',
    '"\\""',
    "12:30",
    '"("',
]
SPACES = [" ", " ", " ", "\n  ", "\t", "  "]
VARIABLES = ["a", "b", "c", "Oslo_", "_", "dog"]


@st.composite
def graphs(draw: st.DrawFn) -> str:
    """A graph, mostly as people write it."""
    if draw(st.integers(0, 15)) == 0:
        return draw(st.sampled_from(["", "# ::snt a", "(a / b", "(a)", "(a / b))", "(a / b :r)"]))
    tidy = draw(st.integers(0, 3)) > 0
    free = draw(st.permutations(VARIABLES))[: draw(st.integers(1, 5))]
    used: list[str] = []

    def space() -> str:
        return " " if tidy else draw(st.sampled_from(SPACES))

    def node(depth: int) -> str:
        variable = free[len(used)]
        used.append(variable)
        concept = draw(st.sampled_from(CONCEPTS[:5] if tidy else CONCEPTS))
        parts = f"({variable}{space()}/{space()}{concept}"
        for _ in range(draw(st.integers(0, 3))):
            role = draw(st.sampled_from(ROLES[:6] if tidy else ROLES))
            kind = draw(st.integers(0, 2))
            if kind == 0 and len(used) < len(free):
                value = node(depth + 1)
            elif kind == 1:
                value = draw(st.sampled_from(free))
            else:
                value = draw(st.sampled_from(VALUES[:4] if tidy else VALUES))
            parts += f"{space()}:{role}{space()}{value}"
        return parts + ")"

    return node(0)


def tidy_graphs() -> st.SearchStrategy[str]:
    return st.sampled_from(
        ["(a / dog)", "(a / dog :mod (b / Big))", "(b / bark-01 :ARG0 (a / dog) :polarity -)", ""]
    )


@settings(max_examples=drawn(1500))
@given(system=graphs(), gold=graphs())
@pytest.mark.parametrize("metric", [SemBleu(), SemBleu(weights=(0.5, 0.5, 0, 0)), Sema()])
def test_lists(metric: SemBleu | Sema, system: str, gold: str) -> None:
    orders = len(metric.weights) if isinstance(metric, SemBleu) else 0
    told, notes = _native.look_at_lists([gold], [system], metric=metric.name, orders=orders)
    if not told[0]:
        assert not notes[0]
        return
    explanation = metric.explain(system, gold)
    assert told[0] == msgspec.json.encode(explanation)
    assert notes[0] == msgspec.json.encode(metric.shown(system, gold, explanation).notes)


@settings(max_examples=drawn(100))
@given(pairs=st.lists(st.tuples(tidy_graphs(), tidy_graphs()), min_size=1, max_size=4))
def test_profiles_of_paths(pairs: list[tuple[str, str]]) -> None:
    told = [SemBleu().explain(*pair) for pair in pairs]
    encoded = [msgspec.json.encode(each) for each in told]
    found = frequent_errors([encoded]) or {}
    assert found == counted_errors(told)
    assert sum(each["count"] for each in found["missing"]["paths of 1"]) == sum(
        len(each["paths of 1"]["missing"]) for each in told
    )


@settings(max_examples=drawn(300))
@given(system=graphs(), gold=graphs())
def test_the_root_counts_twice(system: str, gold: str) -> None:
    told, _ = _native.look_at_lists([gold], [system], metric="sema", variant=True)
    if told[0]:
        assert told[0] == msgspec.json.encode(Sema(compat="sema").explain(system, gold))


@pytest.mark.parametrize("metric", [SemBleu(), Sema()])
def test_what_is_plain_is_compared(metric: SemBleu | Sema) -> None:
    """Else all of the above would pass with a kernel that does nothing."""
    gold = '(b / bark-01\n   :ARG0 (d / dog\n      :name "New York"\n      :mod b) :polarity -)'
    for system in (gold, "(b / bark-01 :ARG0-of (d / cat :quant 2))", ""):
        orders = len(metric.weights) if isinstance(metric, SemBleu) else 0
        told, _ = _native.look_at_lists([gold], [system], metric=metric.name, orders=orders)
        assert told[0] == msgspec.json.encode(metric.explain(system, gold))


def test_what_smatch_cannot_read_is_left_to_it() -> None:
    text = "(b / bark-01 :quant\n 5)"
    with pytest.raises(FormatError):
        Sema().explain(text, text)
    assert _native.look_at_lists([text], [text], metric="sema")[0] == [b""]
