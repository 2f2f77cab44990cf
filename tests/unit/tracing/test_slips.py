"""Slips in handling files: each one, done by hand, gives the figure under its name."""

from __future__ import annotations

import json
import random
import shlex
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

import karat
from karat.report import exports
from karat.tracing import settings
from karat.tracing.slips import LOST, Items, Slip
from metric_examples import EXAMPLES

WORDS = ["the", "a", "Dog", "dog", "barks", "at", "Night", "night", "cat", "sleeps", "on", "mats"]
Texts = dict[str, list[Any]]


def texts(count: int, seed: int = 1) -> Texts:
    draw = random.Random(seed)
    golds = [[draw.choice(WORDS) for _ in range(draw.randint(6, 14))] for _ in range(count)]
    systems = [[w if draw.random() < 0.8 else draw.choice(WORDS) for w in g] for g in golds]
    return {"system": [" ".join(s) for s in systems], "gold": [" ".join(g) for g in golds]}


def score(metric: str, name: str, data: Texts) -> float:
    found: Any = karat.evaluate(metric, **data).scores()
    for part in name.split("."):
        found = found[part]
    return float(found)


def labels(figure: str, **options: Any) -> list[str]:
    hits = karat.trace(figure, **options).hits
    return [text for hit in hits for text in (hit.label, *hit.same)]


def with_systems(change: Any, data: Texts) -> Texts:
    return {"system": [change(text) for text in data["system"]], "gold": data["gold"]}


LONG = texts(4)
LONG["system"][2] = " ".join([*[LONG["system"][2]] * 40, "end"])
LONG["system"][1] = " ".join([LONG["system"][1]] * 20)[:700]
LONG["gold"][2] = " ".join([LONG["gold"][2]] * 40)
PARTS = texts(4)
PARTS["system"][0] += "\n" + PARTS["system"][1]
SEVERAL = texts(4)
SEVERAL["gold"] = [
    [gold, "x y"] if i % 2 else ["x y", gold] for i, gold in enumerate(SEVERAL["gold"])
]
MIDDLE = {
    **SEVERAL,
    "gold": [[*["y y", gold, "x"][i % 2 :], "z"] for i, gold in enumerate(texts(4)["gold"])],
}
CHANGED = {
    "cut=512": (LONG, with_systems(lambda text: text[:512], LONG)),
    "cut=1024": (LONG, with_systems(lambda text: text[:1024], LONG)),
    "first-line": (PARTS, with_systems(lambda text: text.partition("\n")[0], PARTS)),
    "first-reference": (SEVERAL, {**SEVERAL, "gold": [gold[0] for gold in SEVERAL["gold"]]}),
    "last-reference": (SEVERAL, {**SEVERAL, "gold": [gold[1] for gold in SEVERAL["gold"]]}),
    "reference=2": (MIDDLE, {**MIDDLE, "gold": [gold[1] for gold in MIDDLE["gold"]]}),
}


@pytest.mark.parametrize("slip", CHANGED)
@pytest.mark.parametrize("name", ["BLEU", "chrF", "TER"])
def test_texts_that_are_cut_or_have_fewer_references(slip: str, name: str) -> None:
    given, changed = CHANGED[slip]
    metric = name.lower()
    value = score(metric, metric, changed)
    assert value != score(metric, metric, given)
    assert f"{slip} {metric} :: {metric}" in labels(f"{name} {value:.6f}", **given)


def test_no_slip_is_tried_unless_it_may_be() -> None:
    data = texts(8)
    first = score("bleu", "bleu", {side: found[:3] for side, found in data.items()})
    found = karat.trace(f"BLEU {first:.6f}", **data)
    assert found.slips
    assert ("first=3 bleu :: bleu", 2) in [(hit.label, hit.departures) for hit in found.hits]
    none = karat.trace(f"BLEU {first:.6f}", **data, slips=False)
    assert (none.hits, none.slips) == ([], 0)


def test_single_items_are_left_out_on_demand_alone() -> None:
    data = texts(8)
    without = {side: [*found[:3], *found[4:]] for side, found in data.items()}
    figure = f"BLEU {score('bleu', 'bleu', without):.6f}"
    assert "without=4 bleu :: bleu" in labels(figure, **data, deep=True)
    assert "without=4 bleu :: bleu" not in labels(figure, **data)


def test_slips_are_tried_of_settings_with_one_departure_at_most() -> None:
    data = texts(8)
    first = {side: found[:5] for side, found in data.items()}
    known = settings(["chrF"])
    departures = {repr(each.metric): far for _, each, far in known if each.score == "chrf"}
    for options, far in (
        ("word_order=2", 0),
        ("char_order=5", 1),
        ("char_order=5, lowercase=True", 2),
    ):
        metric = f"chrf({options})"
        assert departures[metric] == far
        found = labels(f"chrF {score(metric, 'chrf', first):.7f}", **data)
        assert (f"first=5 {metric} :: chrf" in found) == (far < 2)


def written(folder: Path, data: Texts, **fields: list[str]) -> dict[str, Path]:
    files = {side: folder / f"{side}.jsonl" for side in data}
    for side, file in files.items():
        records = [{"id": str(i), "text": text} for i, text in enumerate(data[side])]
        for name, values in fields.items():
            for record, value in zip(records, values, strict=True):
                record[name] = value
        file.write_text("\n".join(map(json.dumps, records)))
    return files


def test_means_over_groups(tmp_path: Path) -> None:
    """Groups of unequal sizes, named in any order."""
    data, groups = texts(7), ["b", "a", "b", "c", "b", "a", "b"]
    files = written(tmp_path, data, domain=groups)
    means = [
        score("bleu", "bleu", {side: [t for t, g in zip(found, groups, strict=True) if g == group]
                               for side, found in data.items()})
        for group in "abc"
    ]  # fmt: skip
    figure = f"BLEU {fmean(means):.6f}"
    first, *_ = karat.trace(figure, **files, by=["domain"]).hits
    assert first.label == "mean-by=domain bleu :: by.domain.macro.bleu"
    assert str(first.run).endswith("--by domain --json -")
    assert labels(figure, **files, slips=False) == []
    with pytest.raises(karat.KaratError, match="no item has a field 'genre' to group by"):
        karat.trace(figure, **files, by=["genre"])


def test_means_over_kinds_of_items_need_not_be_asked_for(tmp_path: Path) -> None:
    """Where items have types, and some have the same."""
    data, groups = texts(7), ["b", "a", "b", "c", "b", "a", "b"]
    asked = karat.trace("BLEU 1.0000", **written(tmp_path, data, domain=groups), by=["domain"])
    usual = karat.trace("BLEU 1.0000", **written(tmp_path, data, type=groups))
    own = karat.trace("BLEU 1.0000", **written(tmp_path, data, type="abcdefg"))
    assert usual.slips == asked.slips > own.slips


def test_means_over_the_systems_of_a_file(tmp_path: Path) -> None:
    one, two, gold = texts(4, 1)["system"], texts(4, 2)["system"], texts(4, 1)["gold"]
    rows = [
        {"id": str(i), "system": name, "text": text, "gold": gold[i]}
        for name, found in (("one", one), ("two", two[:2]))
        for i, text in enumerate(found)
    ]
    file = tmp_path / "outputs.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    means = [score("bleu", "bleu", {"system": ours, "gold": gold[: len(ours)]})
             for ours in (one, two[:2])]  # fmt: skip
    assert "mean-by-system bleu :: bleu" in labels(f"BLEU {fmean(means):.6f}", system=file)


def test_of_large_files_a_sample_tells_which_slips_are_counted() -> None:
    """Recounted are those that may lead to the figure, and no others."""
    data = texts(600)
    shifted = {"system": data["system"][1:], "gold": data["gold"][:-1]}
    value = score("exact", "accuracy", shifted)
    near = karat.trace(f"exact {100 * value:.4f}", **data)
    assert "system-shifted exact :: accuracy" in [
        text for hit in near.hits for text in (hit.label, *hit.same)
    ]
    far = karat.trace("exact 99.9999", **data)
    assert 0 < near.slips - far.slips < 40


def test_figures_that_are_no_function_of_a_sum() -> None:
    """The average of ROUGE-1.5.5, of items that are there once or are not empty."""
    data = texts(9)
    for side in data.values():
        side[5] = side[2]
    data["system"][7] = ""
    score = "extras.rouge-1.5.5.rouge-1.f1.average"
    for slip, left_out in (("no-duplicates", 5), ("no-empty", 7)):
        kept = {
            side: [t for i, t in enumerate(found) if i != left_out] for side, found in data.items()
        }
        value: Any = exports.json(karat.evaluate("rouge", **kept), {}, [])
        for part in ("extras", "rouge-1.5.5", "rouge-1", "f1", "average"):
            value = value[part]
        hits = karat.trace(f"ROUGE-1 {value:.3f}", **data).hits
        assert (slip, "rouge", score) in [(hit.slip, hit.setting, hit.score) for hit in hits]


@pytest.mark.parametrize(
    ("output", "empty"),
    [("", True), (" \t\n", True), (["", " "], True), (["", "a"], False), ([], True), ("a", False)],
)
def test_empty_outputs(output: Any, empty: bool) -> None:
    items = Items(karat.parse("bleu"), [(output, ["a"]), ("b", ["b"])], ["1", "2"], {})
    assert items.not_empty.tolist() == [not empty, True]


def test_doubles_are_equal_in_both_sides_whatever_they_are() -> None:
    pairs = [("a", ["b"]), ("a", ["c"]), ("a", ["b"]), (["a"], ["b"]), (["a"], ["b"]),
             ({"x": 1}, 2), ({"x": 1}, 2), ({"x": 2}, 2)]  # fmt: skip
    items = Items(karat.parse("bleu"), pairs, [str(i) for i in range(8)], {})
    assert items.first_of_equals.tolist() == [True, True, False, True, False, True, False, True]


def test_round_numbers_are_likelier() -> None:
    first = Slip("first={}", by_number=True)
    assert [first.rank(number) for number in (200, 50, 7)] == [1, 2, 3]
    assert LOST.rank(0) == 0


def test_other_families_have_the_general_slips() -> None:
    """Items left out and shifted, of graphs: done by hand."""
    pairs = [pair for pair in EXAMPLES["smatch"][1] if pair[0] and pair[1]][:3]
    data = {"system": [s for s, _ in pairs], "gold": [g for _, g in pairs]}
    for slip, changed in (
        ("last-lost", {side: found[:-1] for side, found in data.items()}),
        ("gold-shifted", {"system": data["system"][:-1], "gold": data["gold"][1:]}),
    ):
        value = 100 * score("smatch", "f", changed)
        assert f"{slip} smatch :: f" in labels(f"Smatch {value:.6f}", **data)


def test_the_command_of_the_first_items_takes_so_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three of the first seven are right, of all thirteen five."""
    from karat.cli import _run

    files = {"system": tmp_path / "system.txt", "gold": tmp_path / "gold.txt"}
    right = [True, False, False, True, False, False, True, *[False] * 4, True, True]
    files["gold"].write_text("".join(f"dog {i}\n" for i in range(13)))
    files["system"].write_text(
        "".join(f"{'dog' if r else 'cat'} {i}\n" for i, r in enumerate(right))
    )
    for figure, slip, count in (("42.857", "first=7", 7), ("33.333", "last-lost", 12)):
        found = karat.trace(f"exact {figure}", **files)
        run = next(hit.run for hit in found.hits if hit.slip == slip)
        assert run is not None
        words = shlex.split(run)
        assert words[words.index("--n") + 1] == str(count)
        assert _run([*words[1:], "-q"]) == 0
        accuracy = json.loads(capsys.readouterr().out)["scores"]["accuracy"]
        assert f"{100 * accuracy:.3f}" == figure
