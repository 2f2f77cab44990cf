"""How a value becomes a figure: rounded, or cut off; and which of several hits comes first."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import karat
from karat.cli import _run
from karat.tracing.figures import Rounding


@pytest.fixture
def texts(tmp_path: Path) -> dict[str, Path]:
    """Two of three texts are right: exact match is 0.666..., printed as 66.67 or cut to 66.66."""
    files = {"system": tmp_path / "system.txt", "gold": tmp_path / "gold.txt"}
    files["system"].write_text("one dog\ntwo dogs\nthree cats\n")
    files["gold"].write_text("one dog\ntwo dogs\nthree dogs\n")
    return files


@pytest.mark.parametrize(
    ("figure", "rounding", "how"),
    [
        ("66.67", "nearest", "nearest"),
        ("66.67", "both", "nearest"),
        ("66.67", "truncate", None),
        ("66.66", "nearest", None),
        ("66.66", "both", "truncate"),
        ("66.66", "truncate", "truncate"),
    ],
)
def test_roundings(
    texts: dict[str, Path], figure: str, rounding: Rounding, how: str | None
) -> None:
    found = karat.trace(f"exact {figure}", **texts, rounding=rounding, slips=False)
    hits = {hit.setting: hit for hit in found.hits}
    assert ("exact" in hits) == (how is not None)
    if how:
        assert hits["exact"].value == pytest.approx(2 / 3)
        assert hits["exact"].rounding == how
        # Cutting off is a departure, unless that is what was asked for.
        assert hits["exact"].departures == (figure == "66.66" and rounding == "both")


def unigrams(folder: Path, correct: int, system: int, gold: int) -> dict[str, Path]:
    """A pair of texts with so many words, and so many in common."""
    texts = {
        "system": [f"common{i}" for i in range(correct)] + ["surplus"] * (system - correct),
        "gold": [f"common{i}" for i in range(correct)] + ["missing"] * (gold - correct),
    }
    for name, words in texts.items():
        (folder / name).write_text(" ".join(words) + "\n")
    return {name: folder / name for name in texts}


def test_what_rounds_to_the_figure_comes_before_what_is_cut_off(tmp_path: Path) -> None:
    """Recall is 31/47 = 65.96 %; F, which the name means first, is 62/93 = 66.67 %."""
    files = unigrams(tmp_path, 31, 46, 47)
    hits = karat.trace("ROUGE-1 66", **files, slips=False).hits
    found = [(hit.value, hit.rounding, hit.departures) for hit in hits]
    recall, f = (pytest.approx(31 / 47), "nearest", 0), (pytest.approx(62 / 93), "truncate", 1)
    assert found.index(recall) < found.index(f)
    assert [hit.departures for hit in hits] == sorted(hit.departures for hit in hits)


def test_a_name_means_f_then_recall_then_precision(tmp_path: Path) -> None:
    files = unigrams(tmp_path, 134, 201, 200)
    hits = karat.trace("ROUGE-1 67", **files, slips=False).hits
    # ROUGE 1.5.5 has five digits, others have all.
    values = dict.fromkeys(round(hit.value, 5) for hit in hits if hit.departures == 0)
    assert list(values) == [round(each, 5) for each in (268 / 401, 134 / 200, 134 / 201)]


def test_a_figure_that_was_rounded_twice() -> None:
    """242 of 290 are 83.448 %, which is 83.45 with two digits, and that 83.5 with one."""
    gold = [f"w{i}" for i in range(290)]
    system = [*gold[:242], *["x"] * 48]
    for figure, how, departures in (("83.4", "nearest", 0), ("83.5", "twice", 1)):
        hits = karat.trace(f"exact {figure}", system=system, gold=gold, slips=False).hits
        found = [(hit.rounding, hit.departures) for hit in hits if hit.setting == "exact"]
        assert found == [(how, departures)]


def test_figures_that_do_not_say_so_are_all_f_or_all_recall(tmp_path: Path) -> None:
    """Unigrams have F 6/11 and recall 3/6, bigrams F 4/9 and recall 2/5."""
    files = unigrams(tmp_path, 3, 5, 6)
    alike = [["54.545", "44.444"], ["50.000", "40.000"]]
    mixed = [["54.545", "40.000"], ["50.000", "44.444"]]
    for pairs, explained in ((alike, True), (mixed, False)):
        for first, second in pairs:
            figures = [f"ROUGE-1 {first}", f"ROUGE-2 {second}"]
            assert bool(karat.trace(figures, **files, slips=False).hits) == explained
    parts = ["ROUGE-1 54.545 F", "ROUGE-2 40.000 R"]
    assert karat.trace(parts, **files, slips=False).hits


def test_a_figure_up_to_1_is_a_fraction_first(tmp_path: Path) -> None:
    """One of 200 texts is right, 100 if case is ignored: 0.5 is 100 of 200, else it is 0.5 %."""
    files = {"system": tmp_path / "system.txt", "gold": tmp_path / "gold.txt"}
    files["gold"].write_text("".join(f"dog {i}\n" for i in range(200)))
    written = ["dog 0", *(f"Dog {i}" for i in range(1, 100)), *["cat"] * 100]
    files["system"].write_text("".join(f"{text}\n" for text in written))
    hits = karat.trace("exact 0.5", **files, slips=False).hits
    assert [(hit.setting, hit.value, hit.unit) for hit in hits] == [
        ("exact(ignore_case=True)", 0.5, "fraction"),
        ("exact", 0.005, "percent"),
    ]
    assert hits[0].departures == hits[1].departures
    percent = karat.trace("exact 0.5", **files, slips=False, unit="percent").hits
    assert [hit.setting for hit in percent] == ["exact"]


def test_figures_that_no_single_metric_prints_are_of_several(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """7 of 8 words, 5 of 7 pairs, 3 of 6 triples and 1 of 5 quadruples are right: BLEU-1 is 7/8."""
    files = {"system": tmp_path / "system.txt", "gold": tmp_path / "gold.txt"}
    files["system"].write_text("a b c d x e f g\n")
    files["gold"].write_text("a b c d y e f g\n")
    bleu = 100 * (7 / 8 * 5 / 7 * 3 / 6 * 1 / 5) ** 0.25
    figures = ["BLEU-1 87.5000", f"BLEU-4 {bleu:.4f}"]
    hit = karat.trace(figures, **files, slips=False).hits[0]
    assert hit.setting == "bleu(max_ngram_order=1) + bleu"
    assert hit.run is not None
    printed = []
    for command in hit.run.split(" && "):
        assert _run([*shlex.split(command)[1:], "-q"]) == 0
        printed.append(json.loads(capsys.readouterr().out)["scores"]["bleu"])
    assert printed == pytest.approx([87.5, bleu], abs=1e-9)
