"""Scores of text metrics that are better when lower."""

from __future__ import annotations

import pytest

import karat


@pytest.mark.parametrize(
    ("name", "lower"),
    [
        ("simetrix", {"KLInputSummary", "KLSummaryInput", "unsmoothedJSD", "smoothedJSD"}),
        ("js", {"js-1", "js-2"}),
        ("ter", {"ter", "sent-ter", "edits"}),
        ("meteor", {"penalty"}),
        ("rouge", set()),
        ("autosummeng", set()),
        ("pyramid-score", set()),
    ],
)
def test_which_scores_are_better_when_lower(name: str, lower: set[str]) -> None:
    assert karat.parse(name).about.lower_is_better == lower
