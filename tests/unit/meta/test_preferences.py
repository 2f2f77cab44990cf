"""Judgements of pairs: strengths, and how metrics agree."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from karat.core.scores import MetricsDict
from karat.errors import FormatError, OptionError
from karat.meta.preferences import Preference, compare_preferences, read_preferences, win_matrix
from karat.meta.records import Record
from karat.meta.table import ScoreTable
from karat.stats.pairwise import bradley_terry


def test_two_systems_have_the_log_odds() -> None:
    found = bradley_terry(np.array([[0.0, 3.0], [1.0, 0.0]]))
    assert found[0] - found[1] == pytest.approx(np.log(3))
    assert found.sum() == pytest.approx(0)


def test_strengths_have_no_better_neighbour() -> None:
    """The likelihood is highest where the expected wins are the observed ones."""
    random = np.random.default_rng(0)
    wins = random.integers(1, 20, (6, 6)).astype(float)
    np.fill_diagonal(wins, 0)
    s = bradley_terry(wins)
    games = wins + wins.T
    expected = (games / (1 + np.exp(s[None, :] - s[:, None]))).sum(axis=1)
    np.testing.assert_allclose(expected, wins.sum(axis=1), rtol=1e-9)


@pytest.mark.parametrize("odds", [(3.0, 2.0), (1e6, 1.0)])
@pytest.mark.parametrize("systems", [2, 3, 40, 300])
def test_a_chain_of_systems_has_the_log_odds_of_its_links(
    systems: int, odds: tuple[float, float]
) -> None:
    """However far the ends are apart, and though each system met two others only."""
    wins = np.diag(np.full(systems - 1, odds[0]), 1) + np.diag(np.full(systems - 1, odds[1]), -1)
    found = bradley_terry(wins)
    np.testing.assert_allclose(-np.diff(found), np.log(odds[0] / odds[1]), rtol=1e-7)


def test_what_cannot_be_told_apart_from_infinity_is_refused() -> None:
    with pytest.raises(OptionError, match="hardly decide"):
        bradley_terry(np.array([[0.0, 1e308], [5e-324, 0.0]]))
    assert bradley_terry(np.zeros((1, 1))).tolist() == [0.0]
    for odd in (np.zeros((0, 0)), [[0, np.nan], [1, 0]], [[0, np.inf], [1, 0]], [[0, -1], [1, 0]]):
        with pytest.raises(OptionError, match="a square matrix of numbers from 0"):
            bradley_terry(np.asarray(odd), prior=0.5)


def test_known_strengths_are_recovered() -> None:
    random = np.random.default_rng(1)
    truth = np.array([-1.0, -0.3, 0.2, 1.1])
    wins = np.zeros((4, 4))
    for i in range(4):
        for j in range(i):
            won = random.binomial(20_000, 1 / (1 + np.exp(truth[j] - truth[i])))
            wins[i, j], wins[j, i] = won, 20_000 - won
    np.testing.assert_allclose(bradley_terry(wins), truth - truth.mean(), atol=0.05)


def test_undecided_judgements_need_a_prior() -> None:
    unbeaten = np.array([[0.0, 2.0], [0.0, 0.0]])
    with pytest.raises(OptionError, match="do not decide"):
        bradley_terry(unbeaten)
    found = bradley_terry(unbeaten, prior=0.5)
    assert found[0] > 0 > found[1]
    assert np.isfinite(found).all()


def test_reading(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("instance_id,system_a,system_b,winner\nd1,x,y,x\nd1,x,y,b\nd2,y,x,tie\n")
    found = read_preferences([str(path)])
    assert found == [
        Preference("d1", "x", "y", 1),
        Preference("d1", "x", "y", -1),
        Preference("d2", "y", "x", 0),
    ]
    names, wins = win_matrix(found)
    assert names == ["x", "y"]
    assert wins.tolist() == [[0, 1.5], [1.5, 0]]


def test_systems_called_a_and_b_are_not_mixed_up(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("instance_id,system_a,system_b,winner\nd,b,a,a\nd,b,a,b\n")
    assert [p.better for p in read_preferences([str(path)])] == [-1, 1]


@pytest.mark.parametrize(
    ("row", "message"), [("d,x,y,z", "neither 'x' nor 'y'"), ("d,x,x,x", "with itself")]
)
def test_bad_judgements(tmp_path: Path, row: str, message: str) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(f"instance_id,system_a,system_b,winner\n{row}\n")
    with pytest.raises(FormatError, match=message):
        read_preferences([str(path)])


def test_scores_of_other_outputs_are_refused() -> None:
    table = ScoreTable.of([Record("d1", "z", "peer", MetricsDict({"m": 1.0}))])
    judged = [Preference("d1", "x", "y", 1), Preference("d1", "x", "y", -1)]
    with pytest.raises(OptionError, match="of no judgement") as raised:
        compare_preferences(judged, table, ["m"])
    assert "judged systems: 'x', 'y'; systems with scores: 'z'" in str(raised.value)


def test_metrics_are_held_against_judgements() -> None:
    """Three right of four, one judgement without scores; lower-is-better turns it round."""
    scores = {("d1", "x"): 0.9, ("d1", "y"): 0.1, ("d2", "x"): 0.5, ("d2", "y"): 0.45}
    table = ScoreTable.of(
        Record(d, s, "peer", MetricsDict({"m": v, "error": -v})) for (d, s), v in scores.items()
    )
    judged = [
        Preference("d1", "x", "y", 1),
        Preference("d1", "y", "x", -1),
        Preference("d2", "x", "y", 1),
        Preference("d2", "x", "y", 0),
        Preference("d1", "x", "y", -1),
        Preference("d9", "x", "y", 1),
    ]
    result = compare_preferences(judged, table, ["m"])
    (found,) = result.metrics
    assert found.judgements == 5
    assert found.accuracy == pytest.approx(3 / 5)
    turned = compare_preferences(judged, table, ["error"], lower_is_better=["error"])
    assert turned.metrics[0].accuracy == pytest.approx(3 / 5)
    assert result.systems == ("x", "y")
    assert result.strengths[0] > result.strengths[1]
    json.dumps(result.summary(), allow_nan=False)
