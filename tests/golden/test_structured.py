"""Figures of structured output: brute force, and the tools that people use."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.core.capabilities import Splits, has
from karat.core.registry import metric_class
from karat.core.scores import leaves

CASES = json.loads((Path(__file__).parent / "structured.json").read_text())["cases"]


def of_metrics(*names: str) -> pytest.MarkDecorator:
    chosen = [case for case in CASES if case["metric"] in names]
    return pytest.mark.parametrize("case", chosen, ids=[case["id"] for case in chosen])


def totals_of(metric: Any, case: dict[str, Any]) -> Any:
    return metric.measure_many([(i["system"], i["gold"]) for i in case["items"]]).sum(axis=0)


def figures(metric: Any, totals: Any) -> dict[str, float]:
    return {".".join(path): float(value) for path, value in leaves(metric.summarize(totals))}


def check(found: dict[str, float], expected: dict[str, float | None], within: float = 1e-6) -> None:
    for name, value in expected.items():
        got = found[name] if name in found else found[name.replace("_", ".")]
        assert math.isnan(got) if value is None else got == pytest.approx(value, abs=within), name


def by_facet(metric: Any, facet: str, columns: list[str], case: dict[str, Any]) -> Any:
    assert has(metric, Splits)
    split = metric.split(facet, [(i["system"], i["gold"]) for i in case["items"]])
    found: dict[str, Any] = {}
    at = [metric.columns.index(name) for name in columns]
    for value, row in zip(split.values, split.rows, strict=True):
        found[value] = found.get(value, np.zeros(len(at))) + row[at]
    return {value: pytest.approx(counts.tolist(), abs=1e-6) for value, counts in found.items()}


@of_metrics("json", "tool-calls")
def test_records(case: dict[str, Any]) -> None:
    metric = metric_class(case["metric"])(**case["options"])
    expected = dict(case["expect"])
    scores = {k: v for k, v in expected["scores"].items() if not k.startswith("anls_with")}
    if any(isinstance(value, str) for value in scores.values()):
        with pytest.raises(karat.FormatError):
            totals_of(metric, case)
        return
    totals = totals_of(metric, case)
    if metric.options["compat"] == "anls":
        (value,) = scores.values()
        assert figures(metric, totals)["anls"] == pytest.approx(value, rel=2 * 2.3e-16)
        return
    check(dict(zip(metric.columns, totals, strict=True)), expected["counts"])
    check(figures(metric, totals), scores)
    assert expected["paths"] == by_facet(metric, "path", ["gold", "system", "matched"], case)
    for item, explained in zip(case["items"], expected["explain"], strict=True):
        explanation = metric.explain(item["system"], item["gold"])
        told = [
            [kind, *(each[at] for at in ("gold_at", "system_at") if at in each)]
            for kind in ("changed", "missing", "surplus")
            for each in explanation[kind]
        ]
        assert sorted(told) == sorted(explained)


@of_metrics("spans")
def test_spans(case: dict[str, Any]) -> None:
    metric = metric_class("spans")(**case["options"])
    expected = case["expect"]
    if "counts" in expected:
        found = figures(metric, totals_of(metric, case))
        check(found, expected["counts"] | expected["scores"])
        columns = ["gold", "system", "strict_correct"]
        assert expected["types"] == by_facet(metric, "type", columns, case)
        return
    for name, compat in (("default", "none"), ("compat_nervaluate", "nervaluate")):
        other = metric_class("spans")(**case["options"], compat=compat)
        found = figures(other, totals_of(other, case))
        for scheme, values in expected.get(name, {}).items():
            prefix = {"ent_type": "type"}.get(scheme, scheme)
            known = {k: v for k, v in values.items() if f"{prefix}.{k}" in found}
            assert known
            check(found, {f"{prefix}.{k}": v for k, v in known.items()})


@of_metrics("wer")
def test_word_error_rates(case: dict[str, Any]) -> None:
    for name, compat in (("default", "none"), ("compat_jiwer", "jiwer")):
        metric = metric_class("wer")(**case["options"], compat=compat)
        totals = totals_of(metric, case)
        words, characters = case["expect"]["word"][name], case["expect"]["char"][name]
        assert totals[2:6].tolist() == [words["counts"][each] for each in "HSDI"]
        assert totals[6:10].tolist() == [characters["counts"][each] for each in "HSDI"]
        check(figures(metric, totals), words["scores"] | characters["scores"], 1e-12)


@of_metrics("elas")
def test_enhanced_dependencies(case: dict[str, Any], tmp_path: Path) -> None:
    (item,) = case["items"]
    for side in ("gold", "system"):
        (tmp_path / f"{side}.conllu").write_text(item[side])
    for name, compat in (("default", "none"), ("compat_udtools", "udtools")):
        metric = metric_class("elas")(**case["options"], compat=compat)
        run = karat.evaluate(
            metric, system=str(tmp_path / "system.conllu"), gold=str(tmp_path / "gold.conllu")
        )
        found = figures(metric, run.counts.sum(axis=0))
        for kind, values in case["expect"][name].items():
            check(found, {k if k in found else f"{kind}.{k}": v for k, v in values.items()})
