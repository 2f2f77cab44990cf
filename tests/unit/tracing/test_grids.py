"""Which metrics a figure may be of."""

from __future__ import annotations

import pytest

from karat.errors import OptionError
from karat.tracing.figures import parse_figure
from karat.tracing.grids import Traced, meant_by, traced


def test_metrics_of_a_figure() -> None:
    for name, metrics in (("chrf", ["chrf"]), ("las", ["attachment", "ud"]), ("sema", ["sema"])):
        assert [each.name for each in meant_by([parse_figure(f"{name} 1")])] == metrics


def test_f_alone_is_that_of_answers_or_of_any_metric_of_other_items() -> None:
    found = {each.name for each in meant_by([parse_figure("F1 83.0")])}
    assert {"squad", "mrp", "smatch", "ud", "spans", "json"} <= found
    assert not {"bleu", "rouge", "exact"} & found


def test_figures_that_no_metric_has_together() -> None:
    for texts, message in (
        (["BLEU 1", "ROUGE-1 2"], "the figures are of different metrics"),
        (["BLEU 1", "ROGUE-1 2"], "no metric has a figure 'ROGUE-1'; did you mean 'rouge1'"),
    ):
        with pytest.raises(OptionError, match="K329") as caught:
            meant_by([parse_figure(text) for text in texts])
        assert str(caught.value).partition(": ")[2].startswith(message)


@pytest.mark.parametrize("each", traced(), ids=lambda each: each.name)
def test_every_figure_has_a_name(each: Traced) -> None:
    named = {name for key, meant in each.grid.names.items() if key for name in meant}
    assert named == set(each.grid.all_names())
