"""Every figure of golden/logical-forms.json, from Python and from the shell.

The figures were made with the first COGS evaluator (legacy) and from the
definitions in spec/logical-forms.md. Counts and legacy figures are met exactly;
BLEU to 1e-9, the precision that the file states.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from form_counts import parts_of, sizes
from karat.core.registry import parse as metric_of
from karat.core.runs.evaluation import Evaluation
from karat.engine import evaluate
from karat.logic import Form, try_parse
from karat.logic.metrics.cogs import KINDS, SCOPES, Cogs

KARAT = str(Path(sys.executable).parent / "karat")
SHARED = Path(__file__).resolve().parents[3] / "shared"
PAIRS = [
    *((f"dev{kind}.tsv", "dev.tsv", "cogs") for kind in ("", ".permuted", ".dropped", ".constants",
      ".broken", ".renamed", ".duplicated", ".spacing", ".predicates", ".mixed")),
    ("gen-sample.mixed.tsv", "gen-sample.tsv", "cogs"),
    ("primitives.mixed.tsv", "primitives.tsv", "cogs"),
    ("slog-sample.tsv", "slog-sample.tsv", "slog"),
]  # fmt: skip
VARIANTS = {
    ("multiset", False): "cogs(dialect={!r})",
    ("set", False): "cogs(dialect={!r}, counting='set')",
    ("multiset", True): "cogs(dialect={!r}, counting='multiset', legacy=True)",
    ("set", True): "cogs(dialect={!r}, legacy=True)",
}
Figures = dict[tuple[str, bool], Any]


@cache
def golden() -> dict[str, Any]:
    path = SHARED / "golden" / "logical-forms.json"
    if not path.is_file():
        pytest.skip("the shared data folder is not there")
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def record(system: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in golden()["pairs"] if one["system"] == system)
    return found


@pytest.fixture(scope="module")
def data(shared: Path) -> Path:
    return shared / "data" / "logical-forms"


def test_no_pair_is_forgotten() -> None:
    assert [(one["system"], one["gold"], one["dialect"]) for one in golden()["pairs"]] == PAIRS


def agree(found: Any, expected: Any, where: str) -> None:
    if isinstance(expected, dict):
        for key, value in expected.items():
            agree(found[key], value, f"{where}.{key}")
    elif where.endswith(".bleu"):
        assert found == pytest.approx(expected, abs=1e-9), where
    else:
        assert found == expected, where


def check_summary(found: Figures, expected: dict[str, Any], where: str) -> None:
    """`found` has the scores of the four variants; together they have every figure."""
    seen = {"n", *KINDS}
    plain, legacy = found["multiset", False], found["set", True]
    for key in expected.keys() - seen:
        agree((legacy if key == "order_invariant_set" else plain)[key], expected[key],
              f"{where}.{key}")  # fmt: skip
    for kind in KINDS:
        for scope in SCOPES:
            for counting in ("multiset", "set"):
                block = dict(expected[kind][scope][counting])
                old = found[counting, True][kind][scope]
                place = f"{where}.{kind}.{scope}.{counting}"
                micro, macro = dict(block.pop("legacy_micro")), block.pop("legacy_macro")
                assert old["gold"] == micro.pop("gold"), place
                agree(old["micro"], micro, f"{place}.legacy_micro")
                agree(old["macro"], macro, f"{place}.legacy_macro")
                assert block.keys() == {"tp", "system", "gold", "micro", "macro"}
                agree(found[counting, False][kind][scope], block, place)


@pytest.mark.parametrize(("system", "gold", "dialect"), PAIRS, ids=[pair[0] for pair in PAIRS])
def test_from_python(system: str, gold: str, dialect: str, data: Path) -> None:
    runs: dict[tuple[str, bool], Evaluation] = {
        key: evaluate(metric_of(text.format(dialect)), system=data / system, gold=data / gold)
        for key, text in VARIANTS.items()
    }
    expected = record(system)
    assert all(len(run) == expected["summary"]["n"] for run in runs.values())
    check_summary({key: run.scores() for key, run in runs.items()}, expected["summary"], system)
    if "by_type" in expected:
        groups = {key: run.by("type") for key, run in runs.items()}
        assert list(groups["multiset", False]) == list(expected["by_type"])
        for name, summary in expected["by_type"].items():
            check_summary({key: one[name] for key, one in groups.items()}, summary, name)
        macro = runs["multiset", False].macro("type")
        for key, value in expected["macro_over_types"].items():
            assert macro[key]["rate"] == pytest.approx(value, abs=1e-12)
    if "sentences" in expected:
        rows = [
            [_of_sentence(one, key) for key in expected["sentence_columns"]]
            for one in runs["set", True].per_item()
        ]
        assert rows == expected["sentences"]


def _of_sentence(scores: Any, key: str) -> int:
    return scores[key]["total" if key == "edit_distance" else "count"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(("system", "gold", "dialect"), PAIRS, ids=[pair[0] for pair in PAIRS])
def test_from_the_shell(system: str, gold: str, dialect: str, data: Path, tmp_path: Path) -> None:
    expected = record(system)
    names = ",".join(text.format(dialect) for text in VARIANTS.values())
    items = tmp_path / "items.jsonl"
    command = [
        KARAT, "evaluate", names, "-g", gold, "-s", system,
        "--by", "type", "--json", "-", "--resamples", "2", "--interval", "percentile",
    ]  # fmt: skip
    if "sentences" in expected:
        command += ["--items", str(items)]
    done = subprocess.run(command, cwd=data, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    documents = json.loads(done.stdout)
    assert [one["n"] for one in documents] == [expected["summary"]["n"]] * len(VARIANTS)
    found = dict(zip(VARIANTS, documents, strict=True))
    check_summary({key: one["scores"] for key, one in found.items()}, expected["summary"], system)
    for name, summary in expected.get("by_type", {}).items():
        groups = {key: one["by"]["type"]["groups"][name] for key, one in found.items()}
        check_summary(groups, summary, name)
    for key, value in expected.get("macro_over_types", {}).items():
        macro = found["multiset", False]["by"]["type"]["macro"]
        assert macro[key]["rate"] == pytest.approx(value, abs=1e-12)
    if "sentences" in expected:
        lines = items.read_text(encoding="utf-8").splitlines()[-expected["summary"]["n"] :]
        rows = [
            [_of_sentence(json.loads(line)["scores"], key) for key in expected["sentence_columns"]]
            for line in lines
        ]
        assert rows == expected["sentences"]


def test_single_pairs() -> None:
    for one in golden()["form_pairs"]:
        scores = Cogs(legacy=True).score(one["system"], one["gold"])
        system, gold = try_parse(one["system"]), try_parse(one["gold"])
        assert isinstance(gold, Form)
        for key, value in one.items():
            if key in KINDS:
                at = 3 * KINDS.index(key)
                ours = parts_of(system)[at] if isinstance(system, Form) else ()
                for counting, triple in value.items():
                    found = sizes(ours, parts_of(gold)[at], counting)
                    assert list(found) == triple, (one["name"], key, counting)
            elif key not in ("name", "gold", "system"):
                assert _of_sentence(scores, key) == value, (one["name"], key)


def test_parses() -> None:
    for one in golden()["parses"]:
        text = one["lf"]
        assert isinstance(try_parse(text), Form) == one["tolerant"], text
        assert isinstance(try_parse(text, "cogs", True), Form) == one["strict"], text
        assert isinstance(try_parse(text, "slog"), Form) == one["slog"], text
        form = try_parse(text)
        if isinstance(form, Form):
            prefix = [[term.predicate, list(term.arguments)] for term in form.definite]
            assert form.type == one["type"]
            assert (prefix or [*form.binders] or [form.name] * bool(form.name)) == one["prefix"]
            conjuncts = [[term.predicate, list(term.arguments)] for term in form.conjuncts]
            assert conjuncts == one["conjuncts"]


def test_slog_lines_that_cogs_does_not_allow(data: Path) -> None:
    lines = (data / "slog-sample.tsv").read_text(encoding="utf-8").splitlines()
    wrong = [
        number
        for number, line in enumerate(lines, 1)
        if not isinstance(try_parse(line.split("\t")[1]), Form)
    ]
    assert wrong == golden()["slog_sample_lines_ill_formed_in_cogs_dialect"]
