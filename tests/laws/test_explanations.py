"""Every metric explains its scores and lists its errors, or says in one line why it cannot."""

from __future__ import annotations

import io
import warnings
from typing import Any

import msgspec
import pytest

import karat
from counted_errors import counted_errors
from karat.core.capabilities import (
    Explains,
    ExplainsMany,
    ExplainsMeasured,
    Opaque,
    Profiles,
    has,
)
from karat.core.catalog import METRICS
from karat.core.registry import parse
from karat.engine.look import explain, look_in_batches
from karat.errors import OptionError
from karat.report.explanation import explained
from karat.report.item_files import look_through
from karat.report.layout import Console, Group, Medium
from metric_examples import EXAMPLES

NAMES = [row.name for row in METRICS]
NO_PROFILE = {
    "autosummeng", "simetrix", "js", "bertscore", "moverscore", "supert",  # nothing is just wrong
    "meteor", "qa", "ned", "attachment", "derp", "dted", "scores",
}  # fmt: skip
"""Metrics whose explanations list no errors that could be counted."""


def made(name: str) -> tuple[Any, list[Any]]:
    row = EXAMPLES[name]
    return karat.parse(row[0][0]), row[1]


@pytest.mark.parametrize("name", NAMES)
def test_a_metric_explains_or_says_why_not(name: str) -> None:
    metric, pairs = made(name)
    assert has(metric, Explains) != has(metric, Opaque), name
    if has(metric, Opaque):
        with pytest.raises(
            OptionError, match=f"K308: .* cannot explain its scores: {metric.why_opaque}"
        ):
            explain(metric, *pairs[0])
        return
    for system, gold in pairs[:3]:
        found = explain(metric, system, gold)
        encoded = msgspec.json.decode(msgspec.json.encode(found))
        assert isinstance(encoded, dict)
        text = io.StringIO()
        Console(text, Medium(80)).print(Group(*explained(found)))
        assert text.getvalue().strip() or not found


@pytest.mark.parametrize(
    "text",
    [text for texts, *_ in EXAMPLES.values() for text in texts if has(parse(text), ExplainsMany)],
)
def test_pairs_that_are_explained_together_are_explained_as_each_is(text: str) -> None:
    metric = parse(text)
    (pairs,) = (examples for texts, examples, *_ in EXAMPLES.values() if text in texts)
    assert has(metric, ExplainsMany)
    together = metric.explain_many(list(pairs))
    assert together == [metric.explain(system, gold) for system, gold in pairs]
    assert metric.explain_many([]) == []


@pytest.mark.parametrize(
    "text",
    [
        text
        for texts, *_ in EXAMPLES.values()
        for text in texts
        if has(parse(text), ExplainsMeasured)
    ],
)
def test_explanations_from_measured_rows_are_those_of_each_pair(text: str) -> None:
    metric = parse(text)
    (pairs,) = (list(examples) for texts, examples, *_ in EXAMPLES.values() if text in texts)
    assert has(metric, ExplainsMeasured)
    together = metric.explain_measured(pairs, metric.measure_many(pairs))
    assert [msgspec.json.decode(each) for each in together] == [
        metric.explain(system, gold) for system, gold in pairs
    ]
    scores = metric.score_all(*zip(*pairs, strict=True))
    assert [msgspec.json.decode(each)["scores"] for each in together] == scores
    assert metric.explain_measured([], metric.measure_many([])) == []


@pytest.mark.parametrize(
    "name", [name for name in NAMES if has(karat.parse(EXAMPLES[name][0][0]), Explains)]
)
def test_errors_are_counted_or_there_is_a_reason(name: str) -> None:
    metric, pairs = made(name)
    if metric.name == "ud":  # documents: the words of all sentences must be those of gold
        pairs = [pair for pair in pairs if pair[0].forms == pair[1].forms]
    systems, golds = zip(*pairs, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = karat.evaluate(metric, list(systems), list(golds), pair="position")
        if name in NO_PROFILE:
            with pytest.raises(OptionError, match=r"K308: .* its explanations list none"):
                look_through(run, [], profile=True)
            return
        found = look_through(run, [], profile=True)
        told = [
            seen.explanation for batch in look_in_batches(run, explained=True) for seen in batch
        ]
    assert found
    if not has(metric, Profiles):
        assert list(found) == ["missing", "surplus", "confusions"]
        assert found == counted_errors(told)
