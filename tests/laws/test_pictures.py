"""What the page marks in a pair is exactly what the metric's own explanation says."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec
import pytest

from karat.core.capabilities import Shows, has
from karat.core.metric import Explanation, Metric
from karat.core.registry import parse
from karat.core.shown import Arcs, Form, Kind, Raw, Shown
from karat.engine.look import explain
from karat.errors import OptionError
from karat.graphs.metrics.base import DrawsGraphs
from karat.graphs.model import Anchor, Edge, Graph, Node
from karat.trees.model import Tree
from metric_examples import EXAMPLES

DRAWN = {"graph", "amr", "tree", "logic", "drs", "sbn", "ucca"}
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
SIDES = {"missing": Kind.MISSING, "surplus": Kind.SURPLUS}


def explained(metric: Metric[Any, Any], system: Any, gold: Any) -> Explanation:
    found: Explanation = {}
    with suppress(OptionError):
        found = explain(metric, system, gold)
    return found


def listed(part: Any, side: str) -> Iterator[Any]:
    """Everything that an explanation lists under this name."""
    for name, value in part.items():
        if name == side and isinstance(value, list):
            yield from value
        elif isinstance(value, dict):
            yield from listed(value, side)


@pytest.mark.parametrize(("text", "examples"), VARIANTS, ids=[text for text, _ in VARIANTS])
def test_marks_are_what_the_explanation_says(text: str, examples: Any) -> None:
    metric = parse(text)
    assert has(metric, Shows), "the page would compare words, which the metric does not"
    for system, gold in [*examples, *_more(metric)]:
        explanation = explained(metric, system, gold)
        shown = metric.shown(system, gold, explanation)
        check = CHECKS.get(metric.kind, _check_graph)
        check(metric, explanation, shown, system, gold)
        again = json.loads(json.dumps(msgspec.to_builtins(explanation)))
        assert metric.shown(system, gold, again) == shown, "an explanation as JSON says the same"


def _check_graph(
    metric: Metric[Any, Any], explanation: Explanation, shown: Shown, system: Any, gold: Any
) -> None:
    if not isinstance(metric, DrawsGraphs):
        return
    told = Counter(fault.kind for fault in shown.faults)
    drawn = _drawn(shown)
    for side, kind in SIDES.items():
        # A missing and a surplus part of one place are one that changed.
        assert told[kind] + told[Kind.CHANGED] == len(list(listed(explanation, side)))
        if shown.overlay is not None:
            assert drawn[kind] + drawn[Kind.CHANGED] <= told[kind] + told[Kind.CHANGED]
            assert bool(drawn) == bool(told)
    nodes = {} if shown.overlay is None else Counter(node.kind for node in shown.overlay.nodes)
    for side, names, place in (("missing", _names(gold), 0), ("surplus", _names(system), 1)):
        if nodes and "correspondences" in explanation and names is not None:
            paired = {each[place] for each in explanation["correspondences"]}
            assert nodes[SIDES[side]] == len(names - paired)


def _drawn(shown: Shown) -> Counter[int]:
    """The kinds of what is drawn besides nodes."""
    if shown.overlay is None:
        return Counter()
    nodes, arrows = shown.overlay.nodes, shown.overlay.arrows
    kinds = [
        *(line.kind for node in nodes for line in node.lines),
        *(max(node.top, 0) for node in nodes),
        *(arrow.kind for arrow in arrows),
        *(note.kind for arrow in arrows for note in arrow.notes),
        *(line.kind for line in shown.overlay.beside),
    ]
    return Counter(kind for kind in kinds if kind)


def _names(graph: Any) -> set[Any] | None:
    return {node.id for node in graph.nodes} if isinstance(graph, Graph) else None


def _arcs(content: Any, *kinds: Kind) -> set[int]:
    assert isinstance(content, Arcs)
    return {arc.target + 1 for arc in content.arcs if arc.kind in kinds}


def _check_tree(
    metric: Metric[Any, Any], explanation: Explanation, shown: Shown, system: Any, gold: Any
) -> None:
    golds, ours = shown.golds[0], shown.system
    missed, lost, new = Kind.CHANGED, Kind.MISSING, Kind.SURPLUS
    if metric.name == "attachment":
        heads = {each["word"] for each in explanation["wrong"] if _other_head(each)}
        wrong = {each["word"] for each in explanation["wrong"]}
        assert _arcs(golds, lost) == _arcs(ours, new) == heads
        assert _arcs(golds, missed) == _arcs(ours, missed) == wrong - heads
    elif metric.name == "ned":
        how = {each["word"]: each["how"] for each in explanation["words"]}
        wrong = {word for word, way in how.items() if way == "wrong"}
        accepted = {word for word, way in how.items() if way in ("child", "grandparent")}
        if explanation["skipped"]:
            wrong, accepted = set(), set()
        assert _arcs(golds, lost, missed) == _arcs(ours, new, missed) == wrong
        assert _arcs(ours, Kind.SYNONYM) == accepted
    elif metric.name == "ud":
        failed = {each["word"]: each["wrong"] for each in explanation["wrong"]}
        attached = {word for word, each in failed.items() if "las" in each}
        missing = {each["word"] for each in explanation["missing"]}
        assert _arcs(golds, lost, missed) == attached | missing
        assert isinstance(golds, Arcs)
        assert {i for i, word in enumerate(golds.words, 1) if word.note == "missing"} == missing
        assert len(_arcs(ours, new, missed)) == len(attached) + len(explanation["surplus"])
    elif metric.name == "elas":
        assert isinstance(golds, Arcs)
        assert isinstance(ours, Arcs)
        assert sum(arc.kind == lost for arc in golds.arcs) == len(explanation["missing"])
        assert sum(arc.kind == new for arc in ours.arcs) == len(explanation["surplus"])
    else:
        assert not shown.faults
        assert not _arcs(golds, lost, new, missed) | _arcs(ours, lost, new, missed)


def _other_head(wrong: Any) -> bool:
    return bool(wrong["gold"][0] != wrong["system"][0])


def _check_logic(
    metric: Metric[Any, Any], explanation: Explanation, shown: Shown, system: Any, gold: Any
) -> None:
    assert shown.notes == explanation["diagnosis"]
    if isinstance(shown.system, Raw) or "renamed" in explanation:
        return
    marks = [layer[i] for layer in shown.layers.values() for i in range(0, len(layer), 6)]
    found = Counter(marks)
    assert found[Kind.MISSING] + found[Kind.CHANGED] == len(explanation["missing"])
    assert found[Kind.SURPLUS] + found[Kind.CHANGED] == len(explanation["extra"])


def _check_clauses(
    metric: Metric[Any, Any], explanation: Explanation, shown: Shown, system: Any, gold: Any
) -> None:
    """Every clause stands once, and those that differ are those that are listed."""
    (marks,) = shown.layers.values()
    found = Counter(marks[::6])
    assert found[Kind.MISSING] + found[Kind.CHANGED] == len(explanation["missing"])
    assert found[Kind.SURPLUS] + found[Kind.CHANGED] == len(explanation["surplus"])
    for content, first, listing in (
        (shown.golds[0], marks[2::6], explanation["missing"]),
        (shown.system, marks[4::6], explanation["surplus"]),
    ):
        assert isinstance(content, Form)
        assert sorted(place for place in first if place >= 0) == [*range(len(content.terms))]
        differ = {place for kind, place in zip(marks[::6], first, strict=True) if kind}
        alone = [term for place, term in enumerate(content.terms) if place in differ]
        assert Counter(alone) == Counter(listing)


def _check_units(
    metric: Metric[Any, Any], explanation: Explanation, shown: Shown, system: Any, gold: Any
) -> None:
    """What is marked are categories, as they stand in brackets, of units that differ."""
    differ = [each for each in explanation["units"] if each["system"] != each["gold"]]
    assert len(shown.faults) == len(differ)
    (marks,) = shown.layers.values()
    assert bool(marks) == bool(differ)
    for content, first in ((shown.golds[0], 2), (shown.system, 4)):
        assert isinstance(content, Raw)
        for begin, end in zip(marks[first::6], marks[first + 1 :: 6], strict=True):
            assert begin < 0 or re.fullmatch(r"[A-Z|]+", content.text[begin:end])


CHECKS = {
    "tree": _check_tree, "logic": _check_logic, "drs": _check_clauses, "ucca": _check_units,
}  # fmt: skip


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
