"""Laws of ``karat trace``: every setting is what evaluation gives, is found, and chance is told."""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.core.metric import Metric
from karat.core.reading.doors import native_pairs
from karat.core.scores import leaves
from karat.core.tracing import Pass, Setting
from karat.report import exports
from karat.tracing import chance
from karat.tracing.figures import parse_figure
from karat.tracing.grids import Traced, traced
from karat.tracing.matching import Table
from karat.tracing.reading import Inputs
from karat.tracing.search import Search
from metric_examples import EXAMPLES

WORDS = [
    *("the", "a", "Cat", "cat", "sat", "on", "mats.", "U.S.", "runs,", "fast", "went", "home"),
    *("and", "And", "children", "x", "1,250", "'q'", "é", "3.5", "."),
    *("CHILDREN'S", "ΟΔΟΣ.Α", "co-op", "İ", "don't"),
]
TEXTS = [each for each in traced() if each.metric.kind == "text"]
SINGLE = ("exact", "edit-distance", "wer")
"""Metrics that take one reference."""


def texts(count: int, references: int, seed: int) -> list[tuple[str, list[str]]]:
    """Texts that differ from their references in some words."""
    draw = random.Random(seed)
    found = []
    for _ in range(count):
        base = [draw.choice(WORDS) for _ in range(draw.randint(3, 25))]

        def varied(base: list[str] = base) -> str:
            kept = [w if draw.random() < 0.8 else draw.choice(WORDS) for w in base]
            return " ".join(w for w in kept if draw.random() < 0.9) or "x"

        found.append((varied(), [varied() for _ in range(references)]))
    return found


def sides(name: str, count: int, seed: int) -> tuple[list[Any], list[Any]]:
    if name not in {each.name for each in TEXTS}:
        pairs = EXAMPLES.get(name, EXAMPLES["mrp"])[1]
        return [system for system, _ in pairs], [gold for _, gold in pairs]
    pairs = texts(count, 1 if name in SINGLE else 2, seed)
    golds = [gold[0] if name in SINGLE else gold for _, gold in pairs]
    return [system for system, _ in pairs], golds


ROUGE = ("rouge-1", "rouge-l", "rouge-lsum", "rouge-w", "rouge-su4")


def passes(
    each: Traced, systems: list[Any], golds: list[Any], rouge: Collection[str] = ROUGE
) -> Iterator[tuple[Pass, Any, Any]]:
    names: Collection[str] = each.grid.all_names()
    if each.name == "rouge":  # which has thousands of settings
        names = rouge
    for one in each.grid.passes(names):
        pairs = native_pairs(one.reader, systems, golds)
        if one.applies is None or one.applies(pairs):
            yield one, pairs, counted(one, pairs)


def counted(one: Pass, pairs: Any) -> Any:
    prepared = None if one.prepare is None else one.prepare(pairs)
    needs = frozenset[str]().union(*(setting.needs for setting in one.settings))
    return one.count(pairs if prepared is None else prepared, needs)


def value(setting: Setting, counted: Any, ids: list[str]) -> float:
    columns = np.asarray(setting.columns(counted), float)
    if setting.of_items is not None:
        return float(setting.of_items(columns, ids))
    return float(setting.value(columns.sum(axis=0)))


def printed(
    metric: Metric[Any, Any], systems: list[Any], golds: list[Any], by: str = ""
) -> dict[str, Any]:
    """What the JSON of an evaluation has; with `by`, the means over groups."""
    if by:
        return of_groups(metric, by, native_pairs(metric, systems, golds))
    document = exports.json(karat.evaluate(metric, systems, golds, pair="position"), {}, [])
    return {".".join(path): each for path, each in leaves({**document["scores"], **document})}


def of_groups(metric: Any, by: str, pairs: Any) -> dict[str, Any]:
    split = metric.split(by, pairs)
    sums: dict[str, Any] = {}
    for value, row in zip(split.values, split.rows, strict=True):
        sums[value] = sums.get(value, 0) + row
    scores: dict[str, list[float]] = {}
    for total in sums.values():
        for path, score in leaves(metric.summarize(total)):
            scores.setdefault(f"by.{by}.macro.{'.'.join(path)}", []).append(
                float(np.asarray(score))
            )
    return {path: float(np.nanmean(found)) for path, found in scores.items()}


@pytest.mark.parametrize("each", traced(), ids=lambda each: each.name)
def test_settings_give_what_evaluation_gives(each: Traced) -> None:
    """The sharing changes no figure: a setting is its metric, measured by itself."""
    systems, golds = sides(each.name, 9, seed=3)
    check_settings(each, systems, golds, ((one, c) for one, _, c in passes(each, systems, golds)))


@pytest.mark.parametrize("each", traced(), ids=lambda each: each.name)
def test_a_figure_that_is_asked_for_alone_is_the_same(each: Traced) -> None:
    """A pass may count no more than its settings need."""
    systems, golds = sides(each.name, 9, seed=3)
    names = each.grid.all_names()
    for name in random.Random(4).sample(names, min(3, len(names))):

        def found(name: str = name) -> Iterator[tuple[Pass, Any]]:
            for one in each.grid.passes([name]):
                pairs = native_pairs(one.reader, systems, golds)
                if one.applies is None or one.applies(pairs):
                    yield one, counted(one, pairs)

        check_settings(each, systems, golds, found())


@pytest.mark.parametrize("each", traced(), ids=lambda each: each.name)
def test_what_was_counted_before_changes_no_figure(each: Traced) -> None:
    """Slips make other items: what passes keep of the first ones is not taken for them."""
    systems, golds = sides(each.name, 9, seed=3)
    if each in TEXTS:
        others = [text[len(text) // 3 :] or "x" for text in systems[::-1]]
        theirs = [cut_in_half(gold) for gold in golds[::-1]]
    else:
        others, theirs = systems[::-1][:-1], golds[::-1][:-1]

    def again() -> Iterator[tuple[Pass, Any]]:
        for one, _, _ in passes(each, systems, golds, ("rouge-l", "rouge-lsum")):
            pairs = native_pairs(one.reader, others, theirs)
            if one.applies is None or one.applies(pairs):
                yield one, counted(one, pairs)

    check_settings(each, others, theirs, again())


def cut_in_half(gold: Any) -> Any:
    if isinstance(gold, list):
        return [cut_in_half(text) for text in gold]
    return gold[len(gold) // 2 :] or "x"


def check_settings(
    each: Traced, systems: list[Any], golds: list[Any], found: Iterable[tuple[Pass, Any]]
) -> None:
    """Some settings of each pass give what the evaluation of their metric has."""
    ids = [str(i + 1) for i in range(len(systems))]
    known: dict[tuple[Metric[Any, Any], str], dict[str, Any]] = {}
    draw, checked = random.Random(1), 0
    size = 2 if each.name == "rouge" else 5  # which has many passes
    for one, counted in found:
        for setting in draw.sample(list(one.settings), min(size, len(one.settings))):
            key = setting.metric, setting.by
            if key not in known:
                known[key] = printed(setting.metric, systems, golds, setting.by)
            path = setting.score.removeprefix(f"by.{setting.by}.").removeprefix("macro.").split(".")
            scale = setting.metric.about.scale_of(tuple(path))
            if setting.aggregation == "engine":
                scale = 100.0
            figure = value(setting, counted, ids) / setting.scale
            shown = known[key][setting.score]
            expected = np.nan if shown is None else shown / (scale if setting.percent else 1)
            assert figure == pytest.approx(expected, abs=1e-9, nan_ok=True), (setting, shown)
            checked += 1
    assert checked


@pytest.mark.parametrize("each", TEXTS, ids=lambda each: each.name)
def test_every_setting_is_found_from_its_own_value(each: Traced) -> None:
    systems, golds = sides(each.name, 9, seed=5)
    ids = [str(i + 1) for i in range(len(systems))]
    draw = random.Random(2)
    for one, _, counted in draw.sample(list(passes(each, systems, golds)), 1):
        setting = draw.choice(list(one.settings))
        figure = value(setting, counted, ids)
        name = next(k for k, meant in each.grid.names.items() if k and setting.name in meant)
        unit = "percent" if setting.percent else "fraction"
        shown = figure / setting.scale * 100 if setting.percent else figure
        found = karat.trace(
            f"{name} {shown:.6f}", system=systems, gold=golds, unit=unit, slips=False
        )
        label = f"{setting.metric!r} :: {setting.score}".replace("() ::", " ::")
        labels = [text for hit in found.hits for text in (hit.label, *hit.same)]
        assert any(text.removeprefix("engine-average ") == label for text in labels), label


SEVERAL = [
    each for each in TEXTS if each.name in ("bleu", "edit-distance", "rouge", "squad", "wer")
]


@pytest.mark.parametrize("each", SEVERAL, ids=lambda each: each.name)
def test_two_figures_of_one_setting_are_explained_by_it(each: Traced) -> None:
    """Whether all of its choices concern both figures or not, and whichever passes they are of."""
    systems, golds = sides(each.name, 9, seed=6)
    ids = [str(i + 1) for i in range(len(systems))]
    names = ("rouge-1", "rouge-l")
    found = [
        (setting, counted)
        for one, _, counted in passes(each, systems, golds, names)
        for setting in one.settings
    ]
    draw = random.Random(3)
    drawn = draw.sample(found, min(20, len(found)))
    others = [[each for each in found if are_of_one_setting(one[0], each[0])] for one in drawn]
    together = [(one, draw.choice(own)) for one, own in zip(drawn, others, strict=True) if own]
    assert together
    for two in together[:3]:
        figures, values = [], []
        for setting, counted in two:
            name = next(k for k, meant in each.grid.names.items() if k and setting.name in meant)
            values.append(value(setting, counted, ids) / (setting.scale if setting.percent else 1))
            figures.append(f"{name} {values[-1]:.8f} {setting.part}")
        trace = karat.trace(figures, system=systems, gold=golds, unit="fraction", slips=False)
        (hit, *_) = [h for h in trace.hits if h.value == pytest.approx(values, abs=1e-9)]
        shown = [printed(karat.parse(one), systems, golds) for one in hit.setting.split(" + ")]
        for score, expected in zip(hit.score, values, strict=True):
            found_again = [each[score] / scale for each in shown for scale in (1, 100)]
            assert min(abs(each - expected) for each in found_again) < 1e-9, hit


def are_of_one_setting(a: Setting, b: Setting) -> bool:
    shared = a.choices.keys() & b.choices.keys()
    return (
        a.name != b.name and a.part == b.part and all(a.choices[k] == b.choices[k] for k in shared)
    )


def search(name: str, count: int, seed: int, slips: bool = True) -> Search:
    """All candidates of a metric, whatever the figure is."""
    systems, golds = sides(name, count, seed)
    inputs = Inputs(
        systems, golds, format=None, gold_format=None, format_options={}, pair="auto",
        on_error="auto", by=(),
    )  # fmt: skip
    found = Search([parse_figure(f"{name} 50.00")], inputs, "both", slips=slips, deep=False, seed=0)
    found.add(next(each for each in traced() if each.name == name), 1)
    return found


@pytest.mark.parametrize("digits", [1, 2])
def test_as_many_accidental_hits_as_expected(digits: int) -> None:
    """Random figures: what is hit, and what was expected, agree on the whole."""
    draw = random.Random(7)
    hits, expected = 0, 0.0
    for name in ("bleu", "chrf", "ter"):
        found = search(name, 30, seed=digits)
        middle = np.median([row.values[0, 0] for row in found.rows])
        for _ in range(100):
            number = 100 * (middle + draw.uniform(-0.05, 0.05))
            table = Table(found.rows, [parse_figure(f"{number:.{digits}f}", "percent")], "both")
            for windows, which in table.variants:
                nearest, cut = table.hit(windows, which)
                hits += len(np.unique(table.classes(nearest | cut)))
            expected += table.expected(1 << 30, 0)
    assert hits > 40
    assert 0.8 <= hits / expected <= 1.25


def test_jobs_and_the_order_of_items_change_nothing(tmp_path: Path) -> None:
    pairs = list(enumerate(texts(30, 1, seed=11)))
    draw = random.Random(0)
    found = []
    expected = karat.evaluate("rouge", [s for _, (s, _) in pairs], [g for _, (_, g) in pairs])
    figure = f"ROUGE-1 {expected.scores()['rouge-1']['f1']:.2f}"
    for name, shuffled in (("a", False), ("b", True)):
        if shuffled:
            draw.shuffle(pairs)
        for side, chosen in (("system", 0), ("gold", 1)):
            lines = [
                json.dumps({"id": f"{i:03}", "text": pair[0] if chosen == 0 else pair[1][0]})
                for i, pair in pairs
            ]
            (tmp_path / f"{name}.{side}.jsonl").write_text("\n".join(lines), encoding="utf-8")
        for jobs in (1, 3):
            trace = karat.trace(
                figure,
                system=tmp_path / f"{name}.system.jsonl",
                gold=tmp_path / f"{name}.gold.jsonl",
                jobs=jobs,
                slips=False,
            )
            found.append(trace.to_dict())
    for each in found:
        for hit in each["hits"]:
            hit["value"], hit["chance"] = round(hit["value"], 9), round(hit["chance"], 9)
            hit["same"] = sorted(text for text in hit["same"] if "average_order" not in text)
        each["hits"] = [hit for hit in each["hits"] if "average_order" not in hit["setting"]]
    assert found[0]["hits"]
    assert found[0]["hits"] == found[1]["hits"]
    assert found[2]["hits"] == found[3]["hits"]
    assert [h["value"] for h in found[0]["hits"]] == [h["value"] for h in found[2]["hits"]]


def test_slips_are_what_they_say() -> None:
    """Each slip, done by hand, gives the figure under its name."""
    systems, golds = sides("bleu", 12, seed=13)
    golds = [gold[:1] for gold in golds]
    systems[3], golds[7], systems[7] = "", golds[6], systems[6]
    filled = [i for i in range(12) if systems[i]]
    once = [i for i in range(12) if i != 7]
    done: dict[str, tuple[list[str], list[Any]]] = {
        "swapped": ([gold[0] for gold in golds], [[each] for each in systems]),
        "first=5": (systems[:5], golds[:5]),
        "last-lost": (systems[:-1], golds[:-1]),
        "without=2": ([*systems[:1], *systems[2:]], [*golds[:1], *golds[2:]]),
        "no-duplicates": ([systems[i] for i in once], [golds[i] for i in once]),
        "no-empty": ([systems[i] for i in filled], [golds[i] for i in filled]),
        "system-shifted": (systems[1:], golds[:-1]),
        "gold-shifted": (systems[:-1], golds[1:]),
    }
    for slip, (ours, theirs) in done.items():
        figure = karat.parse("bleu").evaluate(ours, theirs)[0]["bleu"]
        found = karat.trace(f"BLEU {figure:.7f}", system=systems, gold=golds, deep=True)
        labels = [text for hit in found.hits for text in (hit.label, *hit.same)]
        assert f"{slip} bleu :: bleu" in labels, slip


def test_files_of_other_kinds_are_swapped_too() -> None:
    """What was printed as precision is recall then."""
    gold = ["(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))", "(a / ask-01 :ARG0 (i / i))"]
    system = ["(w / want-01 :ARG0 (b / boy))", "(a / ask-01 :ARG0 (y / you))"]
    recall = karat.evaluate("smatch", system, gold).scores()["r"]
    found = karat.trace(f"Smatch {100 * recall:.5f} P", system=system, gold=gold)  # type: ignore[operator]
    assert [hit.label for hit in found.hits] == ["swapped smatch :: p"]
    left, right = [{"a": 1, "b": 2}, {"a": 1}], [{"a": 1, "b": 2, "c": 3}, {"a": 2, "d": 1}]
    recall = karat.evaluate("json", left, right).scores()["recall"]
    found = karat.trace(f"json {100 * recall:.5f} P", system=left, gold=right)  # type: ignore[operator]
    assert "swapped json :: precision" in [hit.label for hit in found.hits]


def test_equal_values_are_one_class() -> None:
    values = np.array([0.5, 0.5 + 1e-12, 0.25, 0.5 + 1e-6])
    assert chance.labels(values).tolist() == [1, 1, 0, 2]
    vectors = np.array([[0.5, 0.1], [0.5, 0.2], [0.5, 0.1 + 1e-12]])
    numbers = chance.classes(vectors).tolist()
    assert numbers[0] == numbers[2] != numbers[1]
