"""The figures of mrp by label, framework, language, length and size, counted another way."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from karat.core.reading.streams import Stream
from karat.core.registry import parse
from karat.core.scoring import row_scores
from karat.engine import evaluate
from karat.graphs.formats.mrp import encode
from karat.graphs.metrics.counter import ROWS
from karat.graphs.metrics.mrp import Mrp
from karat.graphs.model import Graph, Node
from karat.graphs.normalize import normalize

PLACE = {
    "label": ("labels", -1),
    "edge": ("edges", -1),
    "property": ("properties", 1),
    "attribute": ("attributes", -2),
}


def instances(graph: Graph, facet: str) -> Counter[str]:
    """What a graph has of each label, edge label, property or attribute."""
    found: set[tuple[Any, ...]] = set()
    for node in graph.nodes:
        if facet == "label" and node.label is not None:
            found.add((node.id, node.label))
        if facet == "property":
            pairs = zip(node.properties, node.values, strict=True)
            found |= {(node.id, value, name) for name, value in pairs}
    for edge in graph.edges:
        if facet == "edge":
            found.add((edge.source, edge.target, str(edge.label)))
        if facet == "attribute":
            pairs = zip(edge.attributes, edge.values, strict=True)
            found |= {(edge.source, edge.target, edge.label, value, name) for name, value in pairs}
    return Counter(str(each[-1]) for each in found)


@pytest.mark.parametrize("facet", list(PLACE))
@pytest.mark.parametrize("framework", ["eds", "ucca", "psd"])
def test_by_label_against_what_is_missing_and_surplus(
    facet: str, framework: str, shared: Path
) -> None:
    folder = shared / "data/graphs"
    gold, system = folder / "score/lpps.mrp", folder / f"perturbed/{framework}.lpps.mrp"
    options: dict[str, Any] = {"framework": (framework,), "n": 25}
    run = evaluate(Mrp(), system=system, gold=gold, format_options=options, facets=[facet])
    sides = [
        {item.key: item.value for item in Stream(path, ("graph",), "input", "mrp", options)}
        for path in (gold, system)
    ]
    kind, place = PLACE[facet]
    counts = {side: Counter[str]() for side in ("gold", "system", "missing", "surplus")}
    for key, graph in sides[0].items():
        other = sides[1][key]
        counts["gold"] += instances(normalize(graph), facet)
        counts["system"] += instances(normalize(other), facet)
        explained = Mrp().explain(other, graph).get(kind, {})
        for side in ("missing", "surplus"):
            counts[side].update(str(entry[place]) for entry in explained.get(side, ()))
    by = run.by(facet)
    assert set(by) == {*counts["gold"], *counts["system"]}
    for name, scores in by.items():
        row = scores[kind]
        assert row["g"] == counts["gold"][name]
        assert row["s"] == counts["system"][name]
        assert row["c"] == counts["gold"][name] - counts["missing"][name]
        assert row["c"] == counts["system"][name] - counts["surplus"][name]


GRAPHS = [
    Graph(
        "1", 1, "eds", language="eng", input="dogs bark", nodes=(Node(0, "bark"), Node(1, "dog"))
    ),
    Graph("1", 2, "amr", language="eng", nodes=(Node(0, "bark"),)),
    Graph(
        "1", 1, "ptg", language="ces", input="x " * 12, nodes=(Node(0, "štěkat"), Node(1, "pes"))
    ),
    Graph(
        "2", 1, "ptg", language="eng", input="x " * 12, nodes=tuple(Node(i, "x") for i in range(12))
    ),
]


@pytest.fixture
def run(tmp_path: Path) -> Any:
    wrong = [
        msgspec.structs.replace(GRAPHS[0], nodes=(Node(0, "bark"), Node(1, "cat"))),
        GRAPHS[1],
        msgspec.structs.replace(GRAPHS[2], nodes=(Node(0, "štěkat"),)),
    ]
    for name, graphs in (("gold", GRAPHS), ("system", wrong)):
        (tmp_path / name).write_bytes(b"\n".join(map(encode, graphs)))
    return evaluate(
        Mrp(), system=tmp_path / "system", gold=tmp_path / "gold", format="mrp", gold_format="mrp"
    )


def f(gold: int, system: int, common: int) -> float:
    return 2 * common / (gold + system)


def test_tables_of_frameworks_and_languages(run: Any) -> None:
    by = {name: scores["all"]["f"] for name, scores in run.by("framework").items()}
    assert by == pytest.approx({"eds": f(2, 2, 1), "amr": 1.0, "ptg": f(14, 1, 1)})
    assert run.macro("framework")["all"]["f"] == pytest.approx(sum(by.values()) / 3)
    both = {name: scores["all"]["f"] for name, scores in run.by("language+framework").items()}
    assert both == pytest.approx(
        {"eng eds": f(2, 2, 1), "eng amr": 1.0, "ces ptg": f(2, 1, 1), "eng ptg": 0.0}
    )
    assert run.macro("language+framework")["all"]["f"] == pytest.approx(sum(both.values()) / 4)


def test_classes_of_length_and_size_are_in_order(run: Any) -> None:
    assert list(run.by("nodes")) == ["00-09", "10-19"]
    assert run.by("nodes")["10-19"]["all"]["g"] == 12
    assert {name: scores["n"] for name, scores in run.by("words").items()} == {
        "": 1,
        "00-09": 1,
        "10-19": 2,
    }


CLAUSES = "\n".join(
    [
        *(f"b1 REF {each}" for each in ("x1", "e1", "s1", "s2", "t1")),
        'b1 dog "n.01" x1', 'b1 bark "v.01" e1', 'b1 big "a.01" s1', 'b1 wee "s.01" s2',
        'b1 now "r.01" t1', "b1 Agent e1 x1", 'b1 TPR t1 "now"',
    ]
)  # fmt: skip


def test_clauses_by_kind_and_part_of_speech() -> None:
    """Events are verbs and adjectives, satellites included; s counts as a."""
    wrong = CLAUSES.replace("wee", "tiny").replace("Agent", "Theme").replace("TPR", "TIN")
    metric = parse("counter")
    (scores,) = row_scores(metric, metric.measure_many([(wrong, CLAUSES)]))
    assert {row: [scores[row][key] for key in "gsc"] for row in ROWS} == {
        "operators": [1, 1, 0], "roles": [1, 1, 0], "concepts": [5, 5, 4], "nouns": [1, 1, 1],
        "verbs": [1, 1, 1], "adjectives": [2, 2, 1], "adverbs": [1, 1, 1], "events": [3, 3, 2],
    }  # fmt: skip


def test_clauses_by_name() -> None:
    """Parts of an item add up to its row, but for what counts whole items."""
    metric = parse("counter")
    system = CLAUSES.replace("Agent", "Theme")
    split = metric.split("clause", [(system, CLAUSES)])
    columns = list(metric.columns)
    first, bound = columns.index("g"), columns.index("bound")
    table = dict(zip(split.values, split.rows[:, first:bound].tolist(), strict=True))
    assert table["Agent"] == [1, 0, 0]
    assert table["Theme"] == [0, 1, 0]
    assert table["dog.n.01"] == table["TPR"] == [1, 1, 1]
    whole = metric.measure_many([(system, CLAUSES)])[0]
    assert split.rows.sum(axis=0)[first:].tolist() == whole[first:].tolist()
    assert metric.facets == ("clause",)
