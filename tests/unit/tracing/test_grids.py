"""Which metrics a figure may be of."""

from __future__ import annotations

import pytest

from karat.core.plugins import METRICS, own_rows
from karat.errors import OptionError
from karat.tracing.figures import parse_figure
from karat.tracing.grids import may_mean, meant_by, traced

ROWS = {row.name: row for row in own_rows(METRICS)}


def test_the_catalog_knows_the_names_of_all_figures() -> None:
    """Else a metric would not be loaded for its own figures."""
    unknown = [
        (each.name, name)
        for each in traced()
        for name in each.grid.names
        if not may_mean(ROWS[each.name], [name])
    ]
    assert unknown == []


def test_metrics_of_other_names_are_not_loaded() -> None:
    for name, metrics in (("chrf", ["chrf"]), ("las", ["attachment", "ud"]), ("sema", ["sema"])):
        names = frozenset([name])
        assert [each.name for each in meant_by([parse_figure(f"{name} 1")])] == metrics
        assert {each.name for each in traced(names=names)} <= {*metrics, "cogs"}
    unnamed = [each.name for each in traced(names=frozenset([""]))]
    assert unnamed == [each.name for each in traced()]


def test_figures_that_no_metric_has_together() -> None:
    for texts, message in (
        (["BLEU 1", "ROUGE-1 2"], "the figures are of different metrics"),
        (["BLEU 1", "ROGUE-1 2"], "no metric has a figure 'ROGUE-1'; did you mean 'rouge1'"),
    ):
        with pytest.raises(OptionError, match="K329") as caught:
            meant_by([parse_figure(text) for text in texts])
        assert str(caught.value).partition(": ")[2].startswith(message)
