"""What a user writes; every type that a checker sees is written down."""

from __future__ import annotations

from typing import Annotated, Any

from typing_extensions import assert_type

import karat
from karat import Counts, Evaluation, Metric, MetricsDict, Range, Scores, count, main, ratio
from karat.core.scores import Array
from karat.engine import Verification
from karat.stats import Interval, Intervals


class Contains(Metric[str, str]):
    """Share of items whose output contains the gold."""

    name = "contains"
    kind = "text"
    columns = ("items", "found")

    least: Annotated[int, Range(1), "how often"] = 1

    def measure(self, system: str, gold: str) -> Counts:
        return self.row(items=1, found=system.count(gold) >= self.least)

    def summarize(self, totals: Array) -> Scores:
        items, found = self.columns_of(totals)
        return {"share": main(ratio(found, items)), "items": count(items)}


metric = Contains(least=2)
assert_type(metric.score("a", "a"), MetricsDict)
assert_type(metric.score_all(["a"], ["a"]), list[MetricsDict])
assert_type(metric.score_multi(["a"], "a"), list[MetricsDict])
assert_type(metric.score_multi_all([["a"]], ["a"]), list[list[MetricsDict]])
assert_type(metric.evaluate(["a"], ["a"]), tuple[MetricsDict, list[MetricsDict]])
assert_type(metric.signature(), str)
assert_type(metric.about.headline, str)
assert_type(karat.parse("exact"), Metric[Any, Any])
assert_type(karat.metric_class("exact"), type[Metric[Any, Any]])

run = karat.evaluate(metric, system="system.txt", gold=["gold.txt"])
assert_type(run, Evaluation)
assert_type(run.scores(), MetricsDict)
assert_type(run.per_item(), list[MetricsDict])
assert_type(run.by("genre"), dict[str, MetricsDict])
assert_type(run.macro(), MetricsDict)
assert_type(run.confidence(method="bca"), Intervals)
assert_type(run.confidence().get(("accuracy",)), Interval | None)
assert_type(run.confidence().reasons, dict[tuple[str, ...], str])
assert_type(run.compare(run, test="sign")["share"].p_value, float | None)
assert_type(run.to_json(), str)
assert_type(run.inexact, int | None)
assert_type(karat.verify("a.run"), Verification)
assert_type(karat.__version__, str)
try:
    karat.parse("none")
except karat.OptionError as error:
    assert_type(error.headline, str)
    assert_type(error.code, str)

doors = karat.evaluate("exact", ["a dog"], ["a dog"], id=["1"], name="mine")
assert_type(doors, karat.Evaluation)
assert_type(karat.compare(doors, doors), karat.Ranking)
assert_type(karat.load("a.run"), karat.Evaluation)
assert_type(karat.report([doors], "page.html"), None)
assert_type(karat.metrics(), "list[dict[str, str | None]]")
