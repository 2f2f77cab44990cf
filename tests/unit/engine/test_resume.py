"""What comes back from disk is what was measured: rows, splits, certificates, warnings, errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from karat.engine import evaluate
from karat.engine.resume import Parts, decode, encode
from karat.errors import KaratError

EXAMPLES = Path(__file__).parents[3] / "examples"


def outcome(**options: Any) -> object:
    try:
        run = evaluate(**options)
    except KaratError as error:
        return str(error)
    run.save("a.run")
    return Path("a.run").read_bytes()


@pytest.mark.parametrize("broken", ["(b / broken", "(b / broken\n\n(c / cat :mod (x"])
@pytest.mark.parametrize("on_error", ["auto", "skip", "fail"])
def test_all_of_a_run_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str, on_error: str
) -> None:
    monkeypatch.chdir(tmp_path)
    good = (EXAMPLES / "graphs" / "system.amr").read_text(encoding="utf-8")
    gold = (EXAMPLES / "graphs" / "gold.amr").read_text(encoding="utf-8")
    Path("system.amr").write_text(f"{good}\n\n# ::id z\n{broken}\n", encoding="utf-8")
    Path("gold.amr").write_text(f"{gold}\n\n# ::id z\n(b / dog)\n", encoding="utf-8")
    options = {
        "metric": "smatch",
        "system": "system.amr",
        "gold": "gold.amr",
        "facets": ["tuple"],
        "certify": True,
        "on_error": on_error,
    }
    expected = outcome(**options)
    assert outcome(**options, resume="parts") == expected
    assert outcome(**options, resume="parts") == expected


def test_nothing_readable_is_the_same_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.amr").write_text("# ::id 1\n(d / dog)\n", encoding="utf-8")
    Path("system.amr").write_text("# ::id 1\n(d / / :x\n", encoding="utf-8")
    options = {"metric": "smatch", "system": "system.amr", "gold": "gold.amr"}
    expected = outcome(**options)
    assert isinstance(expected, str)
    assert "K1" in expected
    for _ in range(2):
        assert outcome(**options, resume="parts") == expected


@pytest.mark.parametrize(
    ("metric", "gold", "system"),
    [
        ("ud", "dependencies/small.gold.conllu", "dependencies/small.test.conllu"),
        ("cogs", "forms/gold.tsv", "forms/seed1.tsv"),
        ("mrp", "graphs/normalize.gold.mrp", "graphs/normalize.system.mrp"),
    ],
)
def test_bytes_are_the_same_again(metric: str, gold: str, system: str, tmp_path: Path) -> None:
    evaluate(metric, system=EXAMPLES / system, gold=EXAMPLES / gold, resume=tmp_path)
    (run,) = tmp_path.glob("*/run.json")
    parts = Parts(tmp_path, run.parent, 1, [], [])
    assert len(parts)
    for number in range(len(parts)):
        kept = encode(parts.get(number))
        assert encode(decode(kept)) == kept
