"""Settings of structured output that a trace tries."""

from __future__ import annotations

from pathlib import Path

import pytest

import karat
from karat.core.tracing import Setting
from karat.records.metrics.json import Json
from karat.records.metrics.tool_calls import ToolCalls


def settings(metric: type[Json]) -> list[Setting]:
    grid = metric.tracing()
    return [each for one in grid.passes(grid.all_names()) for each in one.settings]


@pytest.mark.parametrize("metric", [Json, ToolCalls])
def test_choices_are_the_options_of_the_metric(metric: type[Json]) -> None:
    """What a setting is said to choose is what its metric does."""
    found = settings(metric)
    for each in found:
        chosen = {k: v for k, v in each.choices.items() if k != "aggregation"}
        assert {name: each.metric.options[name] for name in chosen} == chosen
    assert {each.metric.options["lists"] for each in found} == {"set", "ordered", "index"}
    assert len({each.metric for each in found}) == 10


def test_tags_are_read_by_scheme(tmp_path: Path) -> None:
    """By IOB2 a span begins with B: both figures of seqeval, by hand."""
    files = {
        "gold": "a\tB-PER\nb\tI-PER\nc\tO\nd\tB-LOC\n\ne\tO\nf\tB-LOC\n",
        "system": "a\tI-PER\nb\tI-PER\nc\tO\nd\tB-LOC\n\ne\tO\nf\tO\n",
    }
    paths = {side: tmp_path / f"{side}.bio" for side in files}
    for side, text in files.items():
        paths[side].write_text(text)
    lenient = karat.trace("F1 80.0000", **paths, slips=False)  # 2 of 2 and of 3
    assert lenient.hits[0].label == "spans :: f"
    strict = karat.trace("F1 50.0000", **paths, slips=False)  # 1 of 1 and of 3
    assert "spans(tags='IOB2') :: f" in [
        label for hit in strict.hits for label in (hit.label, *hit.same)
    ]
    of_types = karat.trace("F1 83.3333", **paths, slips=False)  # 1 and 2/3
    assert of_types.hits[0].label == "spans :: by.type.macro.f"
    assert str(of_types.hits[0].run).endswith("--by type --json -")
    strict = karat.trace("F1 33.3333", **paths, slips=False)  # 0 and 2/3
    assert "spans(tags='IOB2') :: by.type.macro.f" in [
        label for hit in strict.hits for label in (hit.label, *hit.same)
    ]
