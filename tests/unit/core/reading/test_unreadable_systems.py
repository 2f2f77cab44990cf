"""What a system wrote and cannot be read: counted as nothing, an error, or left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from karat.core.reading.streams import FilePairs
from karat.core.registry import parse
from karat.engine import evaluate, verify
from karat.errors import FormatError, PairingError

AMR = "# ::id a\n(b / bark-01 :ARG0 (d / dog))\n\n# ::id b\n(c / cat)\n"
BROKEN = "# ::id a\n(b / bark-01 :ARG0 (d / dog))\n\n# ::id b\n(c / cat :mod))) (\n"
FIRST = '{"id": "a", "nodes": [{"id": 0, "label": "x"}]}\n'
MRP = FIRST + '{"id": "b", "nodes": [{"id": 0, "label": "y"}]}\n'
NOT_MRP = FIRST + '{"id": "b", "nodes": [{"id": 0}], "tops": [7]}\n'
CUT_MRP = FIRST + '{"id": "b", "nodes": [{"id"\n'
CLAUSES = 'b1 REF x1\nb1 dog "n.01" x1\n\nb1 REF x1\nb1 cat "n.01" x1\n'
NO_CLAUSES = 'b1 REF x1\nb1 dog "n.01" x1\n\nb1 REF\n'
SBN = "dog.n.01\n\ncat.n.01\n"
NO_SBN = "dog.n.01\n\ncat\n"

CASES: list[tuple[str, str, str, str, tuple[str, ...]]] = [
    ("smatch", "amr", AMR, BROKEN, ("g",)),
    ("smatchpp", "amr", AMR, BROKEN, ("g",)),
    ("amr-fine", "amr", AMR, BROKEN, ("smatch", "g")),
    ("mrp", "mrp", MRP, NOT_MRP, ("all", "g")),
    ("mrp", "mrp", MRP, CUT_MRP, ("all", "g")),
    ("counter", "clf", CLAUSES, NO_CLAUSES, ("g",)),
    ("sbn", "sbn", SBN, NO_SBN, ("g",)),
    ("sbn-fine", "sbn", SBN, NO_SBN, ("concepts", "g")),
]


@pytest.fixture
def files(tmp_path: Path) -> Any:
    def write(suffix: str, gold: str, system: str) -> dict[str, Any]:
        paths = {"gold": tmp_path / f"gold.{suffix}", "system": tmp_path / f"system.{suffix}"}
        paths["gold"].write_text(gold)
        paths["system"].write_text(system)
        return dict(paths)

    return write


@pytest.mark.parametrize(("metric", "suffix", "gold", "broken", "count"), CASES)
def test_an_unreadable_graph_counts_as_an_empty_one(
    metric: str, suffix: str, gold: str, broken: str, count: tuple[str, ...], files: Any
) -> None:
    run = evaluate(metric, **files(suffix, gold, broken))
    assert (len(run), run.skipped) == (2, 0)
    assert any(w.startswith("counted as nothing: ") and "system." in w for w in run.warnings)
    found = parse(metric)
    paths = files(suffix, gold, gold)
    second = list(FilePairs(found, paths["system"], [paths["gold"]]))[1]
    assert run.per_item()[1] == found.score(found.absent(second.gold), second.gold)
    whole, wanted = run.scores(), evaluate(metric, **paths).scores()
    for name in count:
        whole, wanted = whole[name], wanted[name]
    assert whole == wanted > 0  # all of gold is to be found


@pytest.mark.parametrize(("metric", "suffix", "gold", "broken", "count"), CASES)
def test_the_user_may_choose_otherwise(
    metric: str, suffix: str, gold: str, broken: str, count: tuple[str, ...], files: Any
) -> None:
    paths = files(suffix, gold, broken)
    with pytest.raises(FormatError):
        evaluate(metric, on_error="fail", **paths)
    run = evaluate(metric, on_error="skip", **paths)
    assert (run.skipped, len(run)) in ((1, 1), (1, 2))
    with pytest.raises(FormatError):
        evaluate(metric, **files(suffix, broken, gold))  # gold must be readable
    assert evaluate(metric, on_error="skip", **files(suffix, broken, gold)).skipped == 1


def test_a_run_with_an_unreadable_graph_is_verified(files: Any, tmp_path: Path) -> None:
    run = evaluate("smatch", certify=True, **files("amr", AMR, BROKEN))
    run.save(str(tmp_path / "a.run"))
    assert verify(str(tmp_path / "a.run")).items == 2


@pytest.mark.parametrize(
    ("metric", "suffix", "text"), [("counter", "clf", CLAUSES), ("sbn", "sbn", SBN)]
)
def test_files_of_different_lengths_without_ids(
    metric: str, suffix: str, text: str, files: Any
) -> None:
    first = text.partition("\n\n")[0] + "\n"
    short = evaluate(metric, **files(suffix, text, first))
    assert [item["s"] > 0 for item in short.per_item()] == [True, False]
    assert any(
        "gold has 2 items, the system has 1" in w and "against nothing" in w for w in short.warnings
    )
    long = evaluate(metric, **files(suffix, first, text))
    assert (len(long), long.scores()["f"]) == (1, 1.0)
    assert any("gold has 1 item, the system has 2" in w and "ignored" in w for w in long.warnings)


def test_other_metrics_still_fail(files: Any) -> None:
    with pytest.raises(PairingError, match="K202"):
        evaluate("exact", **files("txt", "a\nb\n", "a\n"))
