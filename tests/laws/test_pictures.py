"""What a picture marks is exactly what the metric's own explanation says.

Marks are read from the SVG: groups with a class, and in `data-said` what they are about.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from karat.core.capabilities import Draws, has
from karat.core.metric import Explanation, Metric
from karat.core.registry import parse
from karat.drawing.svg import (
    CHANGED,
    MISSING,
    MISSING_SOFT,
    ORANGE,
    SURPLUS,
    SURPLUS_SOFT,
    WORDS,
)
from karat.engine.look import explain
from karat.errors import OptionError
from karat.graphs.metrics.base import DrawsGraphs
from karat.graphs.model import Anchor, Edge, Graph, Node
from karat.trees.model import Tree
from metric_examples import EXAMPLES

SVG = "{http://www.w3.org/2000/svg}"
MARKED = {MISSING, SURPLUS, CHANGED}
COLOURS = {
    "missing": {MISSING, MISSING_SOFT, CHANGED}, "surplus": {SURPLUS, SURPLUS_SOFT, CHANGED},
    "extra": {SURPLUS}, "missed": {MISSING, CHANGED}, "wrong-head": {SURPLUS},
    "wrong-label": {CHANGED}, "wrong": MARKED, "different": {MISSING, SURPLUS, ORANGE},
    "accepted": {WORDS},
}  # fmt: skip


DRAWN = {"graph", "amr", "tree", "logic"}
OPTIONS = {
    "mrp": ["mrp(normalize=('edges',))", "mrp(normalize=('case',))", "mrp(normalize=())"],
    "edm": ["edm(normalize=('edges',))", "edm(identity='spans', counting='multiset')"],
    "sdp": ["sdp(normalize=('edges',))", "sdp(undirected=True)"],
    "smatch": ["smatch(top='concept', counting='product')", "smatch(only='instances')"],
    "attachment": ["attachment(punct_tags=('PRP',))"],
}
VARIANTS = [
    (text, row[1])
    for name, row in EXAMPLES.items()
    for text in [*row[0], *OPTIONS.get(name, ())]
    if parse(text).kind in DRAWN
]


class Marks:
    """The marks of a picture, and the colours of what is in them and outside."""

    def __init__(self, svg: str) -> None:
        self.said: dict[str, Counter[str]] = {}
        self.outside: set[str] = set()
        self.dashed_outside = False
        self.wrongly_coloured: list[str] = []
        self._walk(ElementTree.fromstring(svg), "")

    def _walk(self, element: ElementTree.Element, mark: str) -> None:
        mark = element.get("class", mark)
        if (said := element.get("data-said")) is not None:
            self.said.setdefault(mark, Counter())[_canonical(json.loads(said))] += 1
        colours = {element.get(name, "") for name in ("stroke", "fill")} - {"", "none", "#FFFFFF"}
        if not mark:
            self.outside |= colours
            self.dashed_outside |= element.get("stroke-dasharray") is not None
        elif mark in COLOURS and colours and not colours <= COLOURS[mark] | {"#222222"}:
            self.wrongly_coloured.append(ElementTree.tostring(element).decode())
        for inner in element:
            self._walk(inner, mark)

    def of(self, mark: str) -> Counter[str]:
        return self.said.get(mark, Counter())

    def words(self, mark: str) -> set[Any]:
        return {json.loads(said) for said in self.of(mark)}


def _canonical(said: Any) -> str:
    return json.dumps(msgspec.to_builtins(said))


def explained(metric: Metric[Any, Any], system: Any, gold: Any) -> Explanation:
    found: Explanation = {}
    with suppress(OptionError):
        found = explain(metric, system, gold)
    return found


def listed(part: Any, side: str, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Everything that an explanation lists under this name, after the name of its list."""
    for name, value in part.items():
        if name == side and isinstance(value, list):
            yield from (_canonical([*path, each] if path else each) for each in value)
        elif isinstance(value, dict):
            yield from listed(value, side, (*path, name))


@pytest.mark.parametrize(("text", "examples"), VARIANTS, ids=[text for text, _ in VARIANTS])
def test_marks_are_what_the_explanation_says(text: str, examples: Any) -> None:
    metric = parse(text)
    assert has(metric, Draws)
    pairs = [*examples, *_more(metric)]
    for system, gold in pairs:
        explanation = explained(metric, system, gold)
        svg = metric.picture(system, gold, explanation)
        marks = Marks(svg)
        assert marks.wrongly_coloured == []
        check = {"tree": _check_tree, "logic": _check_logic}.get(metric.kind, _check_graph)
        check(metric, explanation, marks, system, gold)
        again = json.loads(json.dumps(msgspec.to_builtins(explanation)))
        assert metric.picture(system, gold, again) == svg, "an explanation as JSON says the same"


def _check_graph(
    metric: Metric[Any, Any], explanation: Explanation, marks: Marks, system: Any, gold: Any
) -> None:
    nodes = {side: Counter(_nodes(marks.of(side))) for side in ("missing", "surplus")}
    for side in ("missing", "surplus"):
        assert marks.of(side) - nodes[side] == Counter(listed(explanation, side))
    if isinstance(metric, DrawsGraphs):
        assert not marks.outside & MARKED
        assert not marks.dashed_outside
    for side, names, place in (("missing", _names(gold), 0), ("surplus", _names(system), 1)):
        if "correspondences" in explanation and names is not None:
            paired = {each[place] for each in explanation["correspondences"]}
            assert {json.loads(each)[1] for each in nodes[side]} == names - paired


def _nodes(said: Counter[str]) -> Iterator[str]:
    return (each for each in said if json.loads(each)[0] == "node")


def _names(graph: Any) -> set[Any] | None:
    return {node.id for node in graph.nodes} if isinstance(graph, Graph) else None


def _check_tree(
    metric: Metric[Any, Any], explanation: Explanation, marks: Marks, system: Any, gold: Any
) -> None:
    if metric.name == "attachment":
        heads = {each["word"] for each in explanation["wrong"] if _other_head(each)}
        wrong = {each["word"] for each in explanation["wrong"]}
        assert marks.words("wrong-head") == heads
        assert marks.words("wrong-label") == wrong - heads
        assert marks.words("missed") == wrong
    elif metric.name == "ned":
        how = {each["word"]: each["how"] for each in explanation["words"]}
        if explanation["skipped"]:
            assert not marks.said
            return
        wrong = {word for word, way in how.items() if way == "wrong"}
        assert marks.words("wrong-head") == marks.words("missed") == wrong
        accepted = {(w, way) for w, way in how.items() if way in ("child", "grandparent")}
        assert {tuple(json.loads(each)) for each in marks.of("accepted")} == accepted
    elif metric.name == "ud":
        failed = {each["word"]: each["wrong"] for each in explanation["wrong"]}
        told = dict(json.loads(each) for each in marks.of("wrong"))
        assert told == failed
        assert marks.words("wrong-head") == {w for w, each in failed.items() if "uas" in each}
        attached = {w for w, each in failed.items() if "las" in each}
        assert marks.words("wrong-head") | marks.words("wrong-label") == attached
        assert marks.words("missed") == attached
        for side in ("missing", "surplus"):
            assert marks.words(side) == {each["word"] for each in explanation[side]}
    elif metric.name == "derp":
        several = len(explanation["references"]) > 1
        expected = {
            (f"reference {i}" if several else "reference", *edge["base"]["words"])
            for i, found in enumerate(explanation["references"], 1)
            for edge in found["edges"]
            if edge["L"]
        }
        assert {tuple(json.loads(each)) for each in marks.of("different")} == expected
    elif metric.name == "elas":
        for side in ("missing", "surplus"):
            assert marks.of(side) == Counter(map(_canonical, explanation[side]))
    else:
        assert not marks.said
    if metric.name in ("attachment", "elas", "ned", "ud"):
        assert not marks.outside & (MARKED | {WORDS})
        assert not marks.dashed_outside


def _other_head(wrong: Any) -> bool:
    return bool(wrong["gold"][0] != wrong["system"][0])


def _check_logic(
    metric: Metric[Any, Any], explanation: Explanation, marks: Marks, system: Any, gold: Any
) -> None:
    for side in ("missing", "extra"):
        assert marks.of(side) == Counter(map(_canonical, explanation[side]))
    assert {json.loads(each) for each in marks.of("different")} <= set(explanation["diagnosis"])
    assert not marks.outside & MARKED
    assert not marks.dashed_outside


def _more(metric: Metric[Any, Any]) -> list[tuple[Any, Any]]:
    """Pairs with what once was marked wrongly."""
    if metric.name == "attachment":
        return [(TREE_ROOT, TREE), (TREE_LABELS, TREE)]
    if metric.name == "ned":
        return [(TREE_ROOT, TREE)]
    if metric.name == "ud":
        return [(TREE_WORDS, TREE), (TREE_ROOT, TREE)]
    if metric.kind == "graph":
        return [(UPPER, LOWER), (LOWER, UPPER), (TWICE, LOWER)]
    if metric.kind == "logic":
        return LOGIC if getattr(metric, "dialect", "") in ("cogs", "slog") else []
    return []


def _tree(heads: list[int], labels: str) -> Tree:
    return Tree.of(
        heads,
        forms=["She", "saw", "it", "."],
        upos=["PRON", "VERB", "PRON", "PUNCT"],
        xpos=["PRP", "VBD", "PRP", "."],
        deprels=labels.split(),
    )


TREE = _tree([2, 0, 2, 2], "nsubj root obj punct")
TREE_ROOT = _tree([0, 1, 2, 1], "root dep obj dep")
TREE_LABELS = _tree([2, 0, 2, 1], "obj top iobj punct")
TREE_WORDS = Tree.of(
    [2, 0, 2],
    forms=["She", "sawit", "."],
    upos=["X", "VERB", "PUNCT"],
    xpos=["_"] * 3,
    deprels=["nsubj", "root", "punct"],
)

DOG, BARKS = (Anchor(2, 5),), (Anchor(6, 11),)
LOWER = Graph(
    "1", 1, "eds", input="a dog barks", tops=(1,),
    nodes=(
        Node(0, "dog", ("num",), ("sg",), DOG), Node(1, "bark", ("tense",), ("pres",), BARKS),
    ),
    edges=(Edge(1, 0, "ARG1", 0), Edge(1, 0, "ARG1", 1)),
)  # fmt: skip
UPPER = Graph(
    "1", 1, "eds", input="a dog barks", tops=(0,),
    nodes=(
        Node(0, "Dog", ("NUM",), ("SG",), DOG), Node(1, "Bark", ("tense",), ("past",), BARKS),
    ),
    edges=(Edge(0, 1, "ARG1-of", 0, normal="ARG1"),),
)  # fmt: skip
TWICE = msgspec.structs.replace(LOWER, tops=(0, 1), edges=(*LOWER.edges, Edge(0, 1, "ARG2", 2)))

LOGIC = [
    ("see . agent ( x _ 1 , Emma )", "Emma"),
    ("* dog ( x _ 1 ) ; dog ( x _ 2 )", "dog ( x _ 1 ) AND dog ( x _ 2 )"),
    (
        "see . agent ( x _ 1 , Emma )",
        "see . theme ( x _ 1 , Emma ) AND see . agent ( x _ 1 , Lea )",
    ),
]
