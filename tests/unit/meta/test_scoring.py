"""Scores of single outputs: jackknifing, shared contexts, plans."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from karat.core.metric import Counts, Metric
from karat.core.scores import Array, Scores
from karat.errors import FormatError, KaratError, OptionError
from karat.meta.plans import read_plan
from karat.meta.scoring import Files, ScoredItem, labels, score, score_files
from karat.text.metrics.external import External


class Held(Files):
    """Outputs that are in no file."""

    __slots__ = ("outputs",)
    outputs: Sequence[ScoredItem]

    def items(self, *_: object) -> Iterator[ScoredItem]:
        return iter(self.outputs)


def held(outputs: Sequence[ScoredItem]) -> Held:
    files = Held([])
    object.__setattr__(files, "outputs", outputs)
    return files


class Plain(Metric[int, Sequence[int]]):
    """The sum over references of system × reference, as in the golden file."""

    name = "plain"
    columns = ("product",)
    kind = "text"

    def measure(self, system: int, gold: Sequence[int]) -> Counts:
        return [float(system * sum(gold))]

    def summarize(self, totals: Array) -> Scores:
        return {"test": totals[..., 0]}


class Toy(Plain):
    """The same with a way to leave out a reference."""

    name = "toy"

    def jackknife(self, gold: Sequence[int]) -> list[Sequence[int]]:
        return [] if len(gold) < 2 else [[*gold[:i], *gold[i + 1 :]] for i in range(len(gold))]


class Seen(Toy):
    """Remembers the golds that it is given."""

    name = "seen"

    def __post_init__(self) -> None:
        self.golds: list[Any] = []

    def measure_many(self, pairs: Sequence[tuple[int, Sequence[int]]]) -> Array:
        self.golds += [gold for _, gold in pairs]
        return super().measure_many(pairs)


PEERS = {"1": 1, "2": 2}
HUMANS = {"A": 10, "B": 100, "C": 1000}


def items() -> list[ScoredItem]:
    everyone = list(HUMANS.values())
    result = [ScoredItem("d", name, "peer", value, everyone) for name, value in PEERS.items()]
    for name, value in HUMANS.items():
        others = [other for other in everyone if other != value]
        result.append(ScoredItem("d", name, "reference", value, others))
    return result


def test_jackknifing_equals_the_golden_toy(shared: Path) -> None:
    document = json.loads((shared / "golden" / "text.json").read_text())
    case = next(case for case in document["cases"] if case["id"] == "micro/jackknife_numeric")
    expected = case["expected"]
    assert expected["peers"] == PEERS
    assert expected["references"] == HUMANS
    found = {record.summarizer_id: record.metrics for record in score(Toy(), items())}
    assert found == expected["expected_score"]


def test_without_jackknifing_of_peers() -> None:
    found = {r.summarizer_id: r.metrics for r in score(Toy(), items(), jackknife_peers=False)}
    assert found["1"] == {"test": 1110}
    assert found["A"] == {"test_jk": 11000}


def test_a_metric_that_leaves_nothing_out_has_plain_names() -> None:
    found = {r.summarizer_id: r.metrics for r in score(Plain(), items())}
    assert found["1"] == {"test": 1110}
    assert found["A"] == {"test": 11000}


@pytest.mark.parametrize(
    ("held_against", "name"), [("references", "s_jk"), ("documents", "s"), ("nothing", "s")]
)
def test_names_of_humans_held_against_documents_are_plain(held_against: Any, name: str) -> None:
    program = shlex.join(
        [sys.executable, str(Path(__file__).parents[2] / "servers" / "overlap.py")]
    )
    metric = External(command=program, scores=("s",), held_against=held_against)
    outputs = [
        ScoredItem("d", "A", "reference", "a b", ["a b", "c"]),
        ScoredItem("d", "1", "peer", "a b", ["a b", "c"]),
    ]
    human, peer = sorted(score(metric, outputs), key=lambda record: record.summarizer_type)[::-1]
    assert list(human.metrics) == [name]
    assert list(peer.metrics) == (["s", "s_jk"] if held_against == "references" else ["s"])


def test_one_reference_gives_no_jackknifed_score() -> None:
    (record,) = score(Toy(), [ScoredItem("d", "s", "peer", 2, [5])])
    assert record.metrics == {"test": 10}


def test_equal_contexts_are_one_object() -> None:
    metric = Seen()
    score(metric, items())
    distinct = {tuple(gold) for gold in metric.golds}
    assert len({id(gold) for gold in metric.golds}) == len(distinct) == 4
    assert len(metric.golds) == 2 * 4 + 3


def test_order_and_jobs_do_not_matter() -> None:
    one = {r.summarizer_id: r.metrics for r in score(Toy(), items())}
    other = {r.summarizer_id: r.metrics for r in score(Toy(), reversed(items()))}
    assert one == other


def test_records_are_sorted_as_strings_and_metrics_merge() -> None:
    everything = [
        ScoredItem(d, s, "peer", 1, [1, 2]) for d in ("d9", "d10") for s in ("2", "10", "1")
    ]
    found = score_files([Toy(), Plain()], held(everything), names=["a", "b"])
    keys = [(record.instance_id, record.summarizer_id) for record in found.records]
    assert keys == sorted(keys) == [(d, s) for d in ("d10", "d9") for s in ("1", "10", "2")]
    assert found.records[0].metrics == {
        "a": {"test": 3.0}, "a_jk": {"test": 1.5}, "b": {"test": 3.0},
    }  # fmt: skip


def test_two_metrics_with_one_name_are_an_error() -> None:
    with pytest.raises(OptionError, match="both have a score 'test'"):
        score_files([Toy(), Plain()], held(items()))


def test_duplicates_are_an_error_unless_allowed() -> None:
    twice = [*items(), ScoredItem("d", "1", "peer", 7, [1])]
    with pytest.raises(FormatError, match="1 repeated output: 'd/1'"):
        score_files([Toy()], held(twice))
    found = score_files([Toy()], held(twice), allow_duplicates=True)
    assert found.records[0].metrics == {"test": 7}
    assert "1 repeated output" in found.warnings[0]


def test_undefined_scores_are_null_and_counted() -> None:
    class Undefined(Plain):
        name = "undefined"

        def summarize(self, totals: Array) -> Scores:
            return {"test": np.full(totals.shape[:-1], np.nan)}

    found = score_files([Undefined()], held(items()))
    assert found.records[0].metrics == {"test": None}
    assert found.warnings == ("5 undefined scores (null) of undefined()",)


def test_labels() -> None:
    class Graph(Plain):
        name = "graph"
        kind = "graph"

        depth: int = 0

    assert labels([Toy(), Graph()], "auto") == ["", "graph"]
    assert labels([Toy(), Graph()], "plain") == ["", ""]
    assert labels([Graph(), Graph(depth=1)], "nested") == ["graph()", "graph(depth=1)"]


# -- plans ---------------------------------------------------------------------


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Two systems and two humans on two inputs, with their references inside."""
    lines = []
    for item in ("d1", "d2"):
        humans = {"A": f"a cat sat on {item}", "B": f"the cat sat down on {item}"}
        for who, text in {"s1": f"a cat sat on {item}", "s2": "no dog", **humans}.items():
            references = [{"text": t} for name, t in humans.items() if name != who]
            lines.append(
                {
                    "instance_id": item,
                    "summarizer_id": who,
                    "summarizer_type": "reference" if who in humans else "peer",
                    "summary": {"text": text},
                    "references": references,
                }
            )
    (tmp_path / "summaries.jsonl").write_text("".join(json.dumps(x) + "\n" for x in lines))
    (tmp_path / "gold.txt").write_text("one two\nthree four\n")
    (tmp_path / "sys-a.txt").write_text("one two\nthree five\n")
    (tmp_path / "sys-b.txt").write_text("two\nfour\n")
    return tmp_path


def test_a_plan_scores_several_sets_of_files(texts: Path) -> None:
    pytest.importorskip("sacrebleu")
    (texts / "plan.toml").write_text(
        """
output = "scores.jsonl"

[[runs]]
metrics = ["exact", {type = "edit-distance", name = "edits"}]
system = ["sys-a.txt", "sys-b.txt"]
gold = "gold.txt"

[[runs]]
metrics = [{type = "chrf", name = "chrf"}]
system = "summaries.jsonl"
"""
    )
    plan = read_plan(str(texts / "plan.toml"))
    assert plan.output == str(texts / "scores.jsonl")
    found = {(r.instance_id, r.summarizer_id): r for r in plan.score().records}
    assert found["1", "sys-a"].metrics["accuracy"] == 1.0
    assert found["2", "sys-a"].metrics["accuracy"] == 0.0
    assert "edits" in found["1", "sys-b"].metrics
    assert set(found["d1", "s1"].metrics) == {"chrf", "chrf_jk"}
    assert set(found["d1", "A"].metrics) == {"chrf_jk"}
    assert found["d1", "A"].summarizer_type == "reference"


BAD_PLANS = {
    "not toml": ("a = ", "this is not TOML"),
    "unknown setting": ('metrics = ["exact"]\nsystm = "x"', "did you mean 'system'"),
    "no metrics": ('system = "x"', "there are no metrics"),
    "no files": ('metrics = ["exact"]', "a run has no system files"),
    "unknown metric": ('metrics = ["exat"]\nsystem = "x"', "did you mean 'exact'"),
    "a number": ('metrics = [1]\nsystem = "x"', "a metric is a string or a table"),
    "a wrong type": ('metrics = ["exact"]\nsystem = "x"\non_error = "hide"', "must be one of"),
}


@pytest.mark.parametrize("name", BAD_PLANS)
def test_bad_plans_are_told_plainly(tmp_path: Path, name: str) -> None:
    content, message = BAD_PLANS[name]
    path = tmp_path / "plan.toml"
    path.write_text(content)
    with pytest.raises(KaratError) as caught:
        read_plan(str(path))
    assert message in caught.value.headline
    assert caught.value.headline.startswith(str(path))
