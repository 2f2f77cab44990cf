"""`score_batch` gives the numbers of `score_all`; the example of a reward runs."""

from __future__ import annotations

import math
import re
import runpy
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.core.scores import find_leaf, leaves
from metric_examples import EXAMPLES

ROOT = Path(__file__).resolve().parents[2]
FIRST = [(row[0][0], row[1]) for row in EXAMPLES.values()]
IDS = [re.sub(r"'[^']*/[^']*'", "'...'", text) for text, _ in FIRST]


@pytest.mark.parametrize(("text", "examples"), FIRST, ids=IDS)
def test_a_batch_is_scored_as_items_are(text: str, examples: Any) -> None:
    metric = karat.parse(text)
    systems, golds = (list(side) for side in zip(*examples, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        single = metric.score_all(systems, golds)
    path = find_leaf(single[0], metric.about.headline)
    expected = [dict(leaves(each))[path] for each in single]
    assert list(dict(leaves(single[0]))) == list(metric.about.marks), "scores are described"
    assert path == metric.about.path_of()
    found = metric.score_batch(systems, golds)
    assert (found.dtype, found.shape) == (np.float64, (len(examples),))
    np.testing.assert_array_equal(found, [math.nan if v is None else v for v in expected])


def test_other_scores_and_empty_batches() -> None:
    bleu = karat.parse("bleu")
    assert bleu.score_batch(["a b"], ["a b"], "sys_len").tolist() == [2.0]
    assert bleu.score_batch([], []).shape == (0,)
    with pytest.raises(karat.OptionError, match="K306: there is no score 'nix'"):
        bleu.score_batch(["a"], ["a"], "nix")
    with pytest.raises(karat.PairingError, match="K202"):
        bleu.score_batch(["a"], [])


def test_every_way_of_scoring_takes_arrays() -> None:
    """Whose truth value is an error, unlike that of lists."""
    exact = karat.parse("exact")
    systems, golds = np.array(["a b", "c"]), np.array(["a b", "d"])
    each = [{"accuracy": 1.0}, {"accuracy": 0.0}]
    assert exact.evaluate(systems, golds) == ({"accuracy": 0.5}, each)
    assert exact.score_all(systems, golds) == each
    assert exact.score_batch(systems, golds).tolist() == [1.0, 0.0]
    with pytest.raises(karat.PairingError, match="K203"):
        exact.evaluate(np.array([]), np.array([]))


def test_a_reward_for_training() -> None:
    reward = runpy.run_path(str(ROOT / "examples/training/reward.py"))["reward"]
    chat = [{"role": "assistant", "content": "the dog barks"}]
    found = reward("chrf")(
        prompts=["p"] * 3,
        completions=["the dog barks", chat, "x"],
        reference=["the dog barks"] * 3,
        completion_ids=[[1], [2], [3]],
    )
    assert found == [100.0, 100.0, 0.0]
