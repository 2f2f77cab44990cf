"""`karat.reward`: the number that `evaluate` gives an item, for every metric, never an error."""

from __future__ import annotations

import math
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import karat
from karat.core.reading.doors import native_pairs, native_value
from karat.core.reading.items import Pair
from karat.core.scores import find_leaf, leaves
from karat.engine import rewards
from metric_examples import EXAMPLES

FIRST = [(row[0][0], row[1]) for row in EXAMPLES.values()]
HOSTILE = [None, 5, "", "(", "{", "\0", "\ud800", b"\xff", [], {}, [None], object(), "(" * 5000]


@pytest.mark.parametrize(("text", "examples"), FIRST, ids=list(EXAMPLES))
def test_a_reward_is_the_score_of_the_item(text: str, examples: Any) -> None:
    metric = karat.parse(text)
    reward = karat.reward(metric)
    systems, golds = (list(side) for side in zip(*examples, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pairs = [
            Pair(i, str(i), {}, *pair)
            for i, pair in enumerate(native_pairs(metric, systems, golds))
        ]
        per_item = karat.measure_pairs(metric, pairs).per_item()
        found = reward(systems, golds)
    path = find_leaf(per_item[0], reward.score)
    for i, score in enumerate(dict(leaves(each))[path] for each in per_item):
        if score is None:
            assert found[i] == reward.floor
            assert found.reasons[i] == "its score is undefined"
        else:
            assert found[i] == score
            assert i not in found.reasons


@pytest.mark.parametrize(("text", "examples"), FIRST, ids=list(EXAMPLES))
def test_what_is_no_output_gets_the_floor_and_nothing_is_raised(text: str, examples: Any) -> None:
    reward = karat.reward(karat.parse(text))
    good, gold = examples[0]
    batch = [each for bad in HOSTILE for each in (good, bad)]
    found = reward(batch, [gold] * len(batch))
    (alone,) = reward([good], [gold])
    assert found[::2] == [alone] * len(HOSTILE)
    assert all(math.isfinite(each) for each in found)
    assert all(found[place] == reward.floor for place in found.reasons)
    assert not reward([gold] * 0, [])
    # Nor by what is no gold.
    assert len(reward([good] * len(HOSTILE), HOSTILE)) == len(HOSTILE)


def test_golds_that_come_again_are_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []
    reward = karat.reward("smatch")
    monkeypatch.setattr(
        rewards,
        "native_value",
        lambda metric, value, role: (
            read.append(value if role == "gold" else None) or native_value(metric, value, role)
        ),
    )
    gold = ["(a / b)", "(c / d)"]
    assert reward(gold * 50, gold * 50) == [1.0] * 100
    assert [each for each in read if each] == gold
    # Nor do long ones fill the memory.
    monkeypatch.setattr(rewards, "_LONG", len("(e / f)"))
    assert reward(["(e / f)"] * 3, ["(e / f)"] * 3) == [1.0] * 3
    assert read.count("(e / f)") == 3


def test_threads_pickles_and_options() -> None:
    reward = karat.reward("smatch", budget=1000)
    assert reward.metric == karat.parse("smatch(budget=1000)")
    assert reward.signature == reward.metric.signature()
    batch = (
        ["(w / want-01 :ARG0 (b / boy))", "(w / want-01"],
        ["(w / want-01 :ARG0 (g / girl))"] * 2,
    )
    expected = reward(*batch)
    assert expected.reasons == {1: "'(' is never closed; expected ')'"}
    with ThreadPoolExecutor(4) as pool:
        assert all(each == expected for each in pool.map(lambda _: reward(*batch), range(50)))
    assert pickle.loads(pickle.dumps(reward))(*batch) == expected


def test_costs_floors_and_wrong_use() -> None:
    assert karat.reward("wer").lower_is_better
    assert karat.reward("wer")(["a", None], ["a", "a"]) == [0.0, 1.0]
    assert karat.reward("bleu", score="sys_len", floor=-1)(["a b", None], ["a", "a"]) == [2.0, -1.0]
    with pytest.raises(karat.PairingError, match="K202: 1 output, but 2 gold items"):
        karat.reward("bleu")(["a"], ["a", "b"])
    with pytest.raises(karat.OptionError, match="K306"):
        karat.reward("bleu", score="nix")
    with pytest.raises(karat.OptionError, match="K302"):
        karat.reward("bleu", floor=math.nan)
    with pytest.raises(karat.OptionError, match="K302"):
        karat.reward("bleu", floor="low")  # type: ignore[arg-type]
    with pytest.raises(karat.OptionError, match="K301"):
        karat.reward(karat.parse("bleu"), lowercase=True)
    with pytest.raises(karat.OptionError, match="K304"):
        karat.reward(5)  # type: ignore[arg-type]
    # A string is not taken for a list of letters, nor a generator for a list.
    for wrong in ("a", b"a", {"a": 1}, None, iter(["a"])):
        with pytest.raises(karat.OptionError, match="K317: a reward takes a list of outputs"):
            karat.reward("exact")(wrong, ["a"])  # type: ignore[arg-type]
