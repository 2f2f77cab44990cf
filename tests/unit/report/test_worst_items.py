"""The worst items of a page: which they are, in which order, with which scores."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from karat import evaluate
from karat.report.page import html

STATISTICS = {"level": 0.95, "resamples": 50, "seed": 0, "method": "bca"}


def _worst(folder: Path, metric: str, pairs: list[tuple[str, str]], suffix: str) -> list[list[str]]:
    """Id and score of the worst items of a page, in order; items are numbered from 1."""
    for side, name in ((0, "system"), (1, "gold")):
        path = folder / f"{name}.{suffix}"
        path.write_text("".join(pair[side] + "\n" for pair in pairs))
    files = {name: str(folder / f"{name}.{suffix}") for name in ("system", "gold")}
    run = evaluate(metric, system=files["system"], gold=files["gold"])
    page = html.page([run], STATISTICS, ()).decode()
    _, _, items = page.partition("worst item")
    return [found.split(": ") for found in re.findall(r"<details><summary>(\w+: [^<]*)<", items)]


def test_forms_that_are_all_wrong_stand_by_the_f1_of_their_terms(tmp_path: Path) -> None:
    """F1 by hand: 3 of 4 terms right .75; none 0; the order alone differs 1; 2 of 4 right .5."""
    gold = " AND ".join(
        f"{word} ( x _ {i} )" for i, word in enumerate(("cat", "dog", "box", "hat"))
    )

    def form(*words: str) -> str:
        return " AND ".join(f"{word} ( x _ {i} )" for i, word in enumerate(words))

    turned = " AND ".join(gold.split(" AND ")[::-1])
    forms = [
        form("cat", "dog", "box", "cup"), gold, form("a", "b", "c", "d"), turned,
        form("cat", "dog", "car", "cup"),
    ]  # fmt: skip
    found = _worst(tmp_path, "cogs", [(f"s\t{each}\tt", f"s\t{gold}\tt") for each in forms], "tsv")
    assert found == [[number, "0.0000"] for number in ("3", "5", "1", "4")]


def test_the_order_is_that_of_the_scores(tmp_path: Path) -> None:
    """ROUGE-2 by hand: 2 of 3 bigrams on both sides, none, 1 of 2; the last is perfect."""
    pairs = [("a b c x", "a b c d"), ("x y", "a b"), ("a b x", "a b c"), ("a b", "a b")]
    assert _worst(tmp_path, "rouge", pairs, "txt") == [
        ["2", "0.00"], ["3", "50.00"], ["1", "66.67"],
    ]  # fmt: skip


def test_where_lower_is_better_the_highest_comes_first(tmp_path: Path) -> None:
    """TER by hand: one edit for four words, two for two, one for two."""
    pytest.importorskip("sacrebleu")
    pairs = [("a b c x", "a b c d"), ("x y", "a b"), ("a x", "a b"), ("a b", "a b")]
    found = _worst(tmp_path, "ter", pairs, "txt")
    assert found == [["2", "100.00"], ["3", "50.00"], ["1", "25.00"]]
