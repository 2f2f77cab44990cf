"""Laws of data in memory: what is accepted, and that it is measured as `measure_many` does."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.core.catalog import DOORS, METRICS
from karat.errors import KaratError
from metric_examples import EXAMPLES

FIRST = [(row[0][0], row[1]) for row in EXAMPLES.values()]
JSON = (3, 2.5, b"bytes", None)
"""What is no item of other kinds, and is a document of JSON, or the text of one."""
IDS = [re.sub(r"'[^']*/[^']*'", "'...'", text) for text, _ in FIRST]
first_variants = pytest.mark.parametrize(("text", "examples"), FIRST, ids=IDS)


def test_every_kind_of_metric_has_a_door() -> None:
    assert {row.kind for row in METRICS} <= DOORS.keys()


@first_variants
def test_lists_are_measured_as_pairs_are(text: str, examples: Any) -> None:
    metric = karat.parse(text)
    if metric.name == "ud":  # documents: the words of all sentences must be those of gold
        examples = [pair for pair in examples if pair[0].forms == pair[1].forms]
    systems, golds = zip(*examples, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = karat.evaluate(metric, list(systems), list(golds), pair="position")
    np.testing.assert_array_equal(found.counts, metric.measure_many(examples))
    assert found.system == "system"


@first_variants
@pytest.mark.parametrize(
    "wrong", [3, 2.5, object(), b"bytes"], ids=lambda each: type(each).__name__
)
def test_what_is_no_item_is_an_error_that_says_what_is_accepted(
    text: str, examples: Any, wrong: Any
) -> None:
    metric = karat.parse(text)
    system, gold = examples[0]
    if metric.kind == "scores" and isinstance(wrong, (int, float)):
        wrong = object()  # numbers are scores
    if metric.kind == "record" and wrong in JSON:
        wrong = {"inside": [object()]}
    for ours, theirs in ((wrong, gold), (system, wrong), (None, gold)):
        if metric.kind == "record" and ours is None:
            continue  # null
        with pytest.raises(KaratError, match=r"takes|expected|must be"):
            metric.score(ours, theirs)
        with pytest.raises(KaratError, match=r"(system|gold)\[1\]"):
            karat.evaluate(metric, [system, ours], [gold, theirs], on_error="fail")


_WORD = "{0}\t{1}\t{1}\tX\t_\t_\t{2}\t{3}\t{4}\t_\n"
NAMELESS = {
    "amr": ("(w / want-01 :ARG0 (b / boy))", "(s / sleep-01)"),
    "camr": ("(x1 / 想-01 :arg0() (x2 / 他))", "(x1 / 去-01)"),
    "eds": ("{e2: e2:_bark_v_1<4:9>[ARG1 x3] x3:_dog_n_1<0:3>[]}", "{x3: x3:_dog_n_1<0:3>[]}"),
    "ud": (
        _WORD.format(1, "go", 0, "root", "_") + _WORD.format(2, "now", 1, "advmod", "_"),
        _WORD.format(1, "stay", 0, "root", "_"),
    ),
    "eud": (
        _WORD.format(1, "go", 0, "root", "0:root") + _WORD.format(2, "on", 1, "obl", "1:obl"),
        _WORD.format(1, "stay", 0, "root", "0:root"),
    ),
    "pmb": ('b1 REF e1\nb1 buy "v.01" e1\nb1 REF x1\nb1 Agent e1 x1', 'b1 REF e1\nb1 go "v.01" e1'),
}
"""Two graphs of each notation, without ids: none may take the place of the other."""


@pytest.mark.parametrize(
    ("notation", "named"),
    [*((each, True) for each in NAMELESS), *((each, False) for each in NAMELESS if each != "camr")],
)
def test_graphs_without_names_are_paired_by_position(notation: str, named: bool) -> None:
    one, other = NAMELESS[notation]
    given = {"format": notation, "gold_format": notation} if named else {}
    systems, golds = [one, other, one], [one, one, other]
    run = karat.evaluate("mrp", systems, golds, **given)
    alone = [
        karat.evaluate("mrp", [ours], [theirs], **given).counts[0].tolist()
        for ours, theirs in zip(systems, golds, strict=True)
    ]
    assert run.counts.tolist() == alone
    assert run.remarks == []


NAMED = {
    "amr": "# ::id {}\n{}",
    "eds": "#{}\n{}",
    "ud": "# sent_id = {}\n{}",
    "pmb": "%%% ::id {}\n{}",
}


@pytest.mark.parametrize(
    ("metric", "notation"),
    [*(("mrp", each) for each in NAMED), ("smatch", "amr"), ("smatch", "eds")],
)
def test_graphs_with_names_are_paired_by_them(metric: str, notation: str) -> None:
    named = [NAMED[notation].format(*each) for each in zip("yx", NAMELESS[notation], strict=True)]
    run = karat.evaluate(metric, named, named[::-1])
    assert run.ids == ["x", "y"]
    scores = run.scores()
    assert scores.get("all", scores)["f"] == 1


FILES = {
    "mrp": ("amr", "# ::id x\n(w / want-01)\n\n# ::id y\n(s / sleep-01 :ARG0 (b / boy))\n"),
    "edm": ("eds", "#x\n{x1: x1:_dog_n_1<0:3>[]}\n\n#y\n{x1: x1:_cat_n_1<0:3>[]}\n"),
    "lf-exact": ("lf-jsonl", '{"id": "x", "lf": "Emma"}\n{"id": "y", "lf": "Liam"}\n'),
    "json": ("json-records", '{"id": "x", "output": {"a": 1}}\n{"id": "y", "output": {"a": 2}}\n'),
    "chrf": ("jsonl", '{"id": "x", "text": "a dog"}\n{"id": "y", "text": "two cats"}\n'),
    "bleu": ("tsv-records", "id\ttext\nx\ta dog\ny\ttwo cats\n"),
    "spans": ("span-lines", '{"id": "x", "spans": [["A", 0, 2]]}\n{"id": "y", "labels": ["O"]}\n'),
    "attachment": (
        "conllu",
        f"# sent_id = x\n{_WORD.format(1, 'go', 0, 'root', '_')}\n"
        f"# sent_id = y\n{_WORD.format(1, 'stay', 0, 'root', '_')}\n",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_items_that_were_read_are_paired_by_their_ids(name: str, tmp_path: Path) -> None:
    """As in their files, whatever the order of a list."""
    notation, text = FILES[name]
    path = tmp_path / "items"
    path.write_text(text, encoding="utf-8")
    values = karat.read(path, notation)
    run = karat.evaluate(name, values[::-1], values, pair="id")
    assert run.ids == ["x", "y"]
    assert run.counts.tolist() == karat.evaluate(name, values, values).counts.tolist()
    if name == "lf-exact":
        records = [{"id": "x", "lf": "Emma"}, {"id": "y", "lf": "Liam"}]
        assert karat.evaluate(name, records[::-1], values).counts.tolist() == run.counts.tolist()


GRAPH_METRICS = [row.name for row in METRICS if row.kind in ("graph", "amr") and not row.extra]


@pytest.mark.parametrize("name", GRAPH_METRICS)
def test_a_graph_is_the_same_whatever_library_holds_it(name: str) -> None:
    """Directed graphs of networkx with or without parallel edges, their nodes called anything."""
    networkx = pytest.importorskip("networkx")
    from karat.graphs.model import Anchor

    metric = karat.parse(name)
    forms = []
    for kind in (networkx.DiGraph, networkx.MultiDiGraph):
        for names in ((0, 1, 2), ("w", "b", "g")):
            made = kind(framework="eds", tops=(names[0],), input="boys want")
            for each, label, span in zip(
                names, ("want-01", "boy", "go-02"), ((5, 9), (0, 4), (0, 9)), strict=True
            ):
                made.add_node(each, label=label, anchors=(Anchor(*span),))
            made.add_edge(names[0], names[1], label="ARG0")
            made.add_edge(names[0], names[2], label="ARG1")
            forms.append(made)
    gold = forms[0].copy()
    gold.nodes[2]["label"] = "come-01"
    first, *others = [metric.score(each, gold) for each in forms]
    assert all(each == first for each in others)
    assert (
        karat.evaluate(metric, forms, [gold] * 4).counts.tolist()
        == karat.evaluate(metric, forms[:1] * 4, [gold] * 4).counts.tolist()
    )
    with pytest.raises(KaratError, match="directed"):
        metric.score(gold.to_undirected(), gold)
    gold.nodes[2]["label"] = 3
    with pytest.raises(KaratError, match="node 2: the attribute label is"):
        metric.score(forms[0], gold)


def test_the_columns_of_a_frame_are_known_where_nothing_else_can_be_meant() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"system": ["a b"], "gold": ["a c"], "id": ["x"], "part": ["y"]})
    assert karat.evaluate("exact", frame, by="part").system == "system"
    with pytest.raises(KaratError, match="no column is known to hold the system's output"):
        karat.evaluate("exact", frame)
