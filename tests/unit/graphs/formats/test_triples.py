"""Graphs as triples, one a line, and PENMAN read as triples."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.files.opener import Source
from karat.engine import evaluate
from karat.errors import FormatError
from karat.graphs.amr.penman import penman_of_text
from karat.graphs.amr.statements import ROOT, Statements, standardized, statements_of, variables_of
from karat.graphs.formats.triples import PenmanTriples, TripleLines, penman_of_statements
from karat.graphs.metrics.smatch import Smatch
from karat.graphs.metrics.smatchpp import SmatchPlusPlus


def read(text: str, folder: Path) -> list[Statements]:
    path = folder / "a.triples"
    path.write_text(text, encoding="utf-8")
    items = list(TripleLines().read(Source(path)))
    for item in items:
        if item.error:
            raise item.error
    return [item.value for item in items]


def lines_of(graph: Statements) -> str:
    stream = io.BytesIO()
    TripleLines().write([graph], stream)
    return stream.getvalue().decode()


def of_penman(text: str) -> Statements:
    return statements_of(penman_of_text(text))


def test_reading(tmp_path: Path) -> None:
    text = """# ::id 1
b bark-01 :instance
d\tbig dog\t:instance
b d :ARG0
root b :root


x  cat  :instance
x "x" :op1
"""
    first, second = read(text, tmp_path)
    assert first.all == [
        ("b", "instance", "bark-01"),
        ("d", "instance", "big dog"),
        ("b", "ARG0", "d"),
        (ROOT, "root", "b"),
    ]
    assert first.variables == {"b", "d"}
    assert second.all[1] == ("x", "op1", '"x"')
    keys = [item.key for item in TripleLines().read(Source(tmp_path / "a.triples"))]
    assert keys == [("1",), None]
    assert lines_of(first).startswith("# ::id 1\nb\tbark-01\t:instance\n")
    assert standardized(first, "amr").id == "1"


@pytest.mark.parametrize("line", ["d dog", "d dog :instance more", "d\t\t:ARG0", "a b :"])
def test_a_line_that_is_no_triple(line: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"2: FormatError K143: .* is not a triple"):
        read(f"a b :instance\n{line}\n", tmp_path)


GOLD = "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b :polarity -))"
SYSTEM = '(w / want-01 :ARG0 (b / boy :name "b") :ARG1 (g / go-01 :ARG0-of w))'


@pytest.mark.parametrize(
    "metric", [Smatch(), Smatch(top="concept"), SmatchPlusPlus(), SmatchPlusPlus(style="none")]
)
def test_triples_count_as_the_notation_does(metric: Smatch | SmatchPlusPlus) -> None:
    expected = metric.score(SYSTEM, GOLD)
    assert metric.score(of_penman(SYSTEM), of_penman(GOLD)) == expected
    assert metric.score(SYSTEM, of_penman(GOLD)) == expected
    assert metric.explain(of_penman(SYSTEM), of_penman(GOLD)) == metric.explain(SYSTEM, GOLD)


def test_without_a_line_for_the_top_there_is_none() -> None:
    rootless = Statements([("d", "instance", "dog")], frozenset("d"))
    assert Smatch().score(rootless, rootless)["g"] == 1
    assert Smatch().score("(d / dog)", "(d / dog)")["g"] == 2
    assert SmatchPlusPlus().score(rootless, rootless)["g"] == 1
    assert Smatch().score(Statements([], frozenset()), rootless)["null"] == 1


def test_a_constant_as_source_is_kept() -> None:
    graph = Statements([("d", "instance", "dog"), ("1", "quant", "d")], frozenset("d"))
    written = "(d / dog :quant-of 1)"
    scores = Smatch().score(graph, written)
    assert (scores["c"], scores["s"], scores["g"]) == (2, 2, 3)  # all but the top


def test_from_files(tmp_path: Path) -> None:
    for name, text in (("gold", GOLD), ("system", SYSTEM)):
        (tmp_path / f"{name}.tsv").write_text(lines_of(of_penman(text)), encoding="utf-8")
    for metric in ("smatch", "smatchpp"):
        found = evaluate(metric, system=tmp_path / "system.tsv", gold=tmp_path / "gold.tsv")
        (tmp_path / "gold.amr").write_text(GOLD, encoding="utf-8")
        mixed = evaluate(metric, system=tmp_path / "system.tsv", gold=tmp_path / "gold.amr")
        assert found.scores() == mixed.scores()
        assert found.scores()["f"] == found.metric.score(SYSTEM, GOLD)["f"]


def test_the_tool_reads_what_is_written() -> None:
    """The reader of smatch++ finds the same triples, but for the name of the root."""
    helpers = pytest.importorskip("smatchpp.data_helpers")
    graph = of_penman(GOLD)
    theirs = helpers.TSVReader().string2graph(lines_of(graph).strip())
    ours = {("root" if s == ROOT else s, f":{role}", t) for s, role, t in graph.all}
    assert set(theirs) == ours


@pytest.mark.parametrize(
    "statements",
    [
        [("a", "instance", "x"), ("b", "instance", "y")],
        [(ROOT, "root", "a"), (ROOT, "root", "b"), ("a", "instance", "x"), ("b", "instance", "y")],
        [(ROOT, "root", "c"), ("a", "instance", "x")],
        [("1", "mod", "2")],
        [("a", "instance", "x"), ("1", "mod", "2")],
        [("a b", "instance", "c")],
        [(ROOT, "root", "b"), ("b", "instance", "c"), ("b", "mod", "a)"), ("a)", "instance", "d")],
    ],
)
def test_what_penman_cannot_hold(statements: list[tuple[str, str, str]]) -> None:
    with pytest.raises(FormatError, match="PENMAN cannot hold"):
        penman_of_statements(Statements(statements, variables_of(statements)))


def test_a_long_chain_is_written_and_read(tmp_path: Path) -> None:
    count = 20_000
    chain = [(ROOT, "root", "v0")]
    chain += [(f"v{i}", "instance", "x") for i in range(count)]
    chain += [(f"v{i + 1}", "op1", f"v{i}") for i in range(count - 1)]
    graph = Statements(chain, variables_of(chain))
    path = tmp_path / "a.amr"
    with path.open("wb") as stream:
        PenmanTriples().write([graph], stream)
    (item,) = PenmanTriples().read(Source(path))
    assert len(item.value.all) == len(chain)


terms = st.sampled_from(["a", "b", "c"])
others = st.sampled_from(["1", '"a"', '"x y"', "-", "dog's"])
graphs = st.builds(
    lambda concepts, edges: [
        (ROOT, "root", "a"),
        *((v, "instance", c) for v, c in zip("abc", concepts, strict=True)),
        # All are reached from the top, by edges of either direction.
        ("a", "op1", "b"),
        ("c", "op2", "a"),
        *edges,
    ],
    st.lists(st.sampled_from(["dog", "a", '"Al B."', "go-02"]), min_size=3, max_size=3),
    st.lists(
        st.tuples(terms, st.sampled_from(["ARG0", "mod", "op1"]), st.one_of(terms, others)),
        max_size=5,
        unique=True,
    ),
)


@settings(max_examples=200, deadline=None)
@given(graphs)
def test_written_and_read_again(statements: list[tuple[str, str, str]]) -> None:
    graph = Statements(list(dict.fromkeys(statements)), variables_of(statements))
    again = of_penman(penman_of_statements(graph))
    for style in ("generic", "amr"):
        ours, theirs = standardized(graph, style), standardized(again, style)  # type: ignore[arg-type]
        assert set(ours.all) == set(theirs.all)
    head = lines_of(graph)
    assert TripleLines.recognizes(head)
    fields = [line.split("\t") for line in head.strip().split("\n")]
    assert {(s, role[1:], t) for s, t, role in fields} == {
        ("root" if s == ROOT else s, role, t) for s, role, t in graph.all
    }
