"""`karat.mbr`: equal to scoring every output against every other one by hand."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.trees.model import Tree

WORDS = ["a", "the", "dog", "cat", "sat", "ran", "on", "mat", "big", "red"]


def texts(seed: int, items: int = 12) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(3, 8))) for _ in range(items)]


def chosen_by_hand(
    metric: str, systems: list[list[str]], weights: list[float], sign: int
) -> list[int]:
    parsed = karat.parse(metric)
    found = []
    for row in zip(*systems, strict=True):
        worth = []
        for j, one in enumerate(row):
            others = [(k, o) for k, o in enumerate(row) if k != j]
            scores = [parsed.score_batch([one], [o])[0] * weights[k] for k, o in others]
            worth.append(sign * sum(scores) / sum(weights[k] for k, _ in others))
        found.append(max(range(len(row)), key=lambda j, w=worth: round(w[j], 9)))
    return found


@pytest.mark.parametrize(
    ("metric", "sign", "weights"),
    [("bleu(effective_order=True)", 1, None), ("chrf", 1, [1, 2, 0.5, 1]), ("wer", -1, None)],
)
def test_equal_to_the_definition(metric: str, sign: int, weights: Any) -> None:
    systems = [texts(seed) for seed in range(4)]
    found = karat.mbr(metric, systems, weights=weights, jobs=2)
    assert found.choice.tolist() == chosen_by_hand(metric, systems, weights or [1.0] * 4, sign)
    assert found.outputs == [systems[j][i] for i, j in enumerate(found.choice)]
    assert found.chosen[0] == f"system {found.choice[0] + 1}"
    assert found.to_dict()["measured"] == []


def test_of_equals_the_first_is_chosen() -> None:
    """Also where sums in another order differ in their last digit."""
    found = karat.mbr("exact", [["a"], ["b"], ["c"]])
    assert found.choice.tolist() == [0]
    assert 0.1 + 0.2 > 0.3
    assert found._chosen(np.array([[0.3, 0.1 + 0.2, 0.1]])).tolist() == [0]


def test_gold_oracle_and_judge() -> None:
    gold = texts(9)
    systems = {name: texts(seed) for seed, name in enumerate("abcd")}
    systems["c"][:6] = gold[:6]
    found = karat.mbr("exact", systems, gold)
    document = found.to_dict(("oracle", "random", "worst"))
    first, second = document["measured"]
    assert (first["metric"], second["metric"]) == ("exact()", "chrf()")
    assert first["systems"]["c"] == 0.5
    assert [row["candidates"] for row in first["curve"]] == [1, 2, 4]
    last = first["curve"][-1]
    assert (last["oracle"], last["worst"]) == (0.5, 0.0)
    assert last["worst"] <= last["random"] <= last["oracle"]
    assert first["method"] == "exact"
    # One of four systems has half of the items right: an eighth, drawn from 12 items 100 times.
    assert last["random"] == pytest.approx(1 / 8, abs=4 * (6 * 3 / 16 / 100) ** 0.5 / 12)
    again = karat.mbr("exact", systems, gold, seed=0).curve()
    assert again == first["curve"]
    assert karat.mbr("exact", systems, gold, seed=1).curve()[-1]["random"] != last["random"]
    assert "exact chose, so exact favours what was chosen" in document["warnings"][-1]
    # What was chosen scores as the same outputs do in an evaluation.
    again = karat.evaluate("chrf", found.outputs, gold).scores()["chrf"]
    assert second["consensus"] == pytest.approx(again, abs=1e-12)
    assert [each["second"] for each in second["comparisons"]] == list("abcd")
    for each in second["comparisons"]:
        gain = second["consensus"] - second["systems"][each["second"]]
        assert each["differences"]["chrf"]["difference"] == pytest.approx(gain, abs=1e-9)


def test_names_of_mappings_are_ids() -> None:
    one = {"1": "the cat sat", "2": "dogs bark"}
    systems = {"a": one, "b": dict(reversed(one.items())), "c": {"2": "dogs bark loud", "3": "so"}}
    found = karat.mbr("chrf", systems)
    assert found.ids == ["1", "2", "3"]
    assert found.utilities[0, :2].tolist() == [100.0, 100.0]
    assert (found.outputs[0], found.outputs[2]) == ("the cat sat", "so")
    golds = {"a": one, "b": systems["b"]}
    (chosen, _) = karat.mbr("exact", golds, one).to_dict()["measured"]
    assert chosen["consensus"] == 1.0


def test_wrong_calls() -> None:
    systems = [texts(seed, 2) for seed in range(3)]
    for weights in ("1,2,3", [[1], [2, 3]]):
        with pytest.raises(karat.OptionError, match="K302: ``weights`` must be a list"):
            karat.mbr("chrf", systems, weights=weights)  # type: ignore[arg-type]
    for numbers in ([1, -1, 0], [1, float("nan"), 1], [0, 0, 0]):
        with pytest.raises(karat.OptionError, match="K302: ``weights`` are numbers from 0 up"):
            karat.mbr("chrf", systems, weights=numbers)
    for few in ([1], [1, 1, 1, 1]):
        with pytest.raises(
            karat.OptionError, match=r"K302: there are . ``weights``, and 3 systems"
        ):
            karat.mbr("chrf", systems, weights=few)
    with pytest.raises(karat.OptionError, match="K303: a ``judge`` needs gold"):
        karat.mbr("chrf", systems, judge="bleu")
    with pytest.raises(karat.OptionError, match="K302: a seed is a number from 0"):
        karat.mbr("chrf", systems, seed=-1)


def test_a_judge_has_other_figures_and_can_measure_the_items(tmp_path: Path) -> None:
    def tree(labels: str) -> Tree:
        return Tree.of([0, 1, 1, 2], forms=list("abcd"), deprels=list(labels))

    gold = [tree("rxyz"), tree("rzzx")]
    systems = [[tree("rxyy"), tree("rzzx")], [tree("rxxz"), tree("rzyx")], [tree("rxyz")] * 2]
    for metric in ("attachment", "ud"):  # both have LAS as their headline
        judged = karat.mbr(metric, systems, gold).to_dict()["measured"]
        assert [each["metric"].partition("(")[0] for each in judged] == [metric, "derp"]
        assert judged[0]["systems"] != judged[1]["systems"]
    # mrp names the items of AMR files in another way than smatch, and so cannot be the judge.
    text = "# ::id nw.wsj_0001.1\n(w / {})\n\n"
    paths = []
    for name, concept in zip("gabc", ("want-01", "want-01", "wish-01", "want-01"), strict=True):
        paths.append(tmp_path / f"{name}.amr")
        paths[-1].write_text(text.format(concept))
    found = karat.mbr("smatch", paths[1:], paths[0]).to_dict()
    assert found["measured"][1]["metric"] == "sembleu()"
    assert not any("cannot be the judge" in each for each in found["warnings"])


@pytest.mark.parametrize(("metric", "method"), [("wer", "exact"), ("bleu", "greedy")])
def test_the_oracle_of_costs_and_of_scores_that_are_no_quotient(metric: str, method: str) -> None:
    """Three items of two candidates: all eight choices, measured one by one."""
    gold, systems = texts(9, 3), [texts(seed, 3) for seed in (1, 2)]
    systems[0][0], systems[1][2] = gold[0] + " big", "red " + gold[2]
    systems[1][1] = gold[1]
    headline = karat.parse(metric).about.headline
    every = [
        karat.evaluate(metric, list(choice), gold).scores()[headline]
        for choice in product(*zip(*systems, strict=True))
    ]
    best, worst = (min(every), max(every))[:: 1 if metric == "wer" else -1]
    assert best != worst
    (found, _) = karat.mbr(metric, systems, gold).to_dict(("oracle", "worst"))["measured"]
    assert found["method"] == method
    assert found["curve"][-1]["oracle"] == pytest.approx(best, abs=1e-12)
    assert found["curve"][-1]["worst"] == pytest.approx(worst, abs=1e-12)


def test_a_form_that_cannot_be_read_has_no_vote() -> None:
    forms = [["boy ( x _ 1 )"], ["boy ( x _"], ["boy ( x _ 1 )"]]
    assert karat.mbr("cogs", forms).choice.tolist() == [0]
    assert karat.mbr("cogs", forms[1:]).choice.tolist() == [1]
