"""DERP and DTED on files, several references, aligners and bad alignments."""
# ruff: noqa: E501 - a table of messages has one row per line

from __future__ import annotations

import io
import time
from pathlib import Path
from typing import Any

import pytest

from karat.core.files.opener import Source
from karat.core.pairing.pairs import ParsedChunk, Report
from karat.engine import evaluate
from karat.errors import KaratError, LimitExceeded, OptionError
from karat.trees import word_aligners as aligners
from karat.trees.formats.pharaoh import Pharaoh
from karat.trees.metrics.derp import Derp
from karat.trees.metrics.dted import Dted
from karat.trees.model import Reference, Tree

REFERENCE = Tree.of([2, 0, 2], forms=["dogs", "chase", "cats"], deprels=["subj", "root", "obj"])
SWAPPED = Tree.of([2, 0, 2], forms=["cats", "chase", "dogs"], deprels=["obj", "root", "subj"])
SENTENCE = "1\ta\t_\t_\t_\t_\t2\tx\t_\t_\n2\tb\t_\t_\t_\t_\t0\ty\t_\t_\n\n"


def _links(tmp_path: Path, text: str, **options: Any) -> list[Any]:
    path = tmp_path / "a.align"
    path.write_text(text)
    return [item.value for item in Pharaoh(**options).read(Source(path))]


def test_pharaoh(tmp_path: Path) -> None:
    text = "1-0  0-1\t1-0\n\n2?0 0p1 1-1\n"
    assert _links(tmp_path, text) == [((0, 1), (1, 0)), (), ((1, 1),)]
    assert _links(tmp_path, text, use_possible=True)[2] == ((0, 1), (1, 1), (2, 0))
    assert _links(tmp_path, "1-0\n", align_order="ref-hyp") == [((0, 1),)]
    stream = io.BytesIO()
    Pharaoh(align_order="ref-hyp").write([((0, 1), (1, 0))], stream)
    assert stream.getvalue() == b"0-1 1-0\n"


@pytest.mark.parametrize(
    ("alignment", "message"),
    [
        ("0-0\n", "PairingError K202: x.align has 1 line, but there are more sentences"),
        ("0-0\n\n\n", "PairingError K202: x.align has 3 lines, but there are 2 sentences"),
        ("0-0\n0:1\n", "x.align:2: TreeError K193: item '2': '0:1' is not a link, expected i-j, or i?j for a possible one"),
        ("0--1\n\n", "x.align:1: TreeError K193: item '1': '0--1' is not a link, expected i-j, or i?j for a possible one"),
        ("0-0\n0-2\n", "s.conllu:4: TreeError K194: item '2': x.align:2 links hypothesis word 0 with reference word 2, but there are 2 and 2 words, counted from 0"),
    ],
)  # fmt: skip
def test_bad_alignments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alignment: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("s.conllu", "g.conllu"):
        Path(name).write_text(SENTENCE * 2)
    Path("x.align").write_text(alignment)
    with pytest.raises(KaratError) as caught:
        evaluate(Derp(alignment="x.align"), system="s.conllu", gold="g.conllu")
    assert caught.value.headline == message
    assert caught.value.exit_code == 1


def test_files_of_different_length(tmp_path: Path) -> None:
    for name, count in (("s.conllu", 2), ("g.conllu", 1), ("e.conllu", 0)):
        (tmp_path / name).write_text(SENTENCE * count)
    system, gold = tmp_path / "s.conllu", tmp_path / "g.conllu"
    for files, message in (
        ({"system": system, "gold": gold}, f"{system}:4: PairingError K202: item '2': the system file has a sentence here, but the gold file ends after 1"),
        ({"system": gold, "gold": system}, f"{system}:4: PairingError K202: item '2': the gold file has a sentence here, but the system file ends after 1"),
        ({"system": system, "gold": [system, gold]}, f"{system}:4: PairingError K202: item '2': the system file has a sentence here, but gold file 2 ends after 1"),
    ):  # fmt: skip
        with pytest.raises(KaratError) as caught:
            evaluate("derp", **files)
        assert caught.value.headline == message
    with pytest.raises(KaratError, match="K203"):
        evaluate("derp", system=tmp_path / "e.conllu", gold=tmp_path / "e.conllu")
    with pytest.raises(OptionError, match="K334"):
        evaluate(
            Derp(alignment=("a", "b")), system=tmp_path / "s.conllu", gold=tmp_path / "g.conllu"
        )


@pytest.mark.parametrize("pattern", ["{system}.align", "links/{name}.align"])
def test_each_system_has_its_own_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("links").mkdir()
    for name, links in (("one", "0-0 1-1"), ("two", "0-1 1-0")):
        Path(f"{name}.conllu").write_text(SENTENCE)
        for file in (f"{name}.conllu.align", f"links/{name}.align"):
            Path(file).write_text(f"{links}\n")
    Path("g.conllu").write_text(SENTENCE)
    metric = Derp(alignment=pattern)
    right, wrong = (
        evaluate(metric, system=f"{name}.conllu", gold="g.conllu") for name in ("one", "two")
    )
    # The path from a to b is climbed in one tree, and descended in the other direction.
    assert (right.scores()["L"], wrong.scores()["L"], wrong.scores()["Lmax"]) == (0, 3, 3)
    assert right.compare(wrong)["micro"].difference == 1.0


def test_links_of_a_system_need_its_file() -> None:
    chunk = ParsedChunk([], [[]], Report("fail"), "auto", 0, "-")
    with pytest.raises(OptionError, match="K334"):
        Derp(alignment="{name}.align").pair_items(chunk)


def test_several_references() -> None:
    both = [SWAPPED, REFERENCE]
    assert Derp().score(REFERENCE, both)["micro"] == 1.0
    assert Derp(multi="mean").score(REFERENCE, both)["macro"] == 0.75
    alone = Reference(REFERENCE, ())
    assert Derp(multi="mean").score(REFERENCE, [alone, SWAPPED])["macro"] == 0.5
    assert Derp(multi="mean").score(REFERENCE, [alone, alone])["macro"] is None
    assert Derp().score(REFERENCE, [alone, SWAPPED])["macro"] == 0.5


def test_a_sentence_without_evidence_has_no_score() -> None:
    alone = Reference(REFERENCE, ((0, 0),))
    assert Derp().score(REFERENCE, alone)["micro"] is None
    assert Derp(empty_score=1).score(REFERENCE, alone)["macro"] == 1.0
    total, _ = Derp().evaluate([REFERENCE, SWAPPED], [alone, REFERENCE])
    assert (total["macro"], total["sentences"], total["scored"]) == (0.5, 2, 1)


def test_coverage_multiplies() -> None:
    half = Reference(REFERENCE, ((0, 0), (1, 1)))
    scores = Derp(coverage="multiply").score(REFERENCE, half)
    assert scores["micro"] == 1.0
    assert scores["micro_covered"] == scores["macro_covered"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("metric", [Derp(), Dted()], ids=repr)
def test_sentences_without_words_are_explained(metric: Any) -> None:
    nothing = Tree.of([], forms=[])
    (found,) = metric.explain(nothing, nothing)["references"]
    assert found["micro" if metric.name == "dted" else "score"] is None
    assert metric.score(nothing, nothing)["micro"] is None


def test_explanation_puts_the_worst_first() -> None:
    (found,) = Derp().explain(SWAPPED, REFERENCE)["references"]
    assert [edge["L"] for edge in found["edges"]] == [1, 1]
    assert found["edges"][0]["base"]["path"] == "(subj, alpha, -)"
    assert found["edges"][0]["other"]["path"] == "(subj, beta, -)"
    assert found["links"] == ["0-2", "1-1", "2-0"]


def test_aligners_can_be_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aligners, "_REGISTERED", {})
    aligners.register("first", lambda hypothesis, reference: {(0, 0)})
    assert Derp(aligner="first").score(SWAPPED, REFERENCE)["nodes"] == 1
    aligners.register("wild", lambda hypothesis, reference: {(0, 9)})
    with pytest.raises(KaratError, match="the aligner 'wild' links hypothesis word 0"):
        Derp(aligner="wild").score(SWAPPED, REFERENCE)
    aligners.register("broken", lambda hypothesis, reference: 1 / 0)  # type: ignore[arg-type, return-value]
    with pytest.raises(OptionError, match="the aligner 'broken' fails: ZeroDivisionError"):
        Derp(aligner="broken").score(SWAPPED, REFERENCE)
    with pytest.raises(OptionError, match="K311"):
        aligners.register("first", lambda hypothesis, reference: set())
    with pytest.raises(OptionError, match="there is no aligner 'frist'; did you mean 'first'"):
        Derp(aligner="frist").score(SWAPPED, REFERENCE)


def test_aligners_come_from_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        name = "backwards"

        @staticmethod
        def load() -> Any:
            return lambda h, r: [(i, len(r.tokens) - 1 - i) for i in range(len(h.tokens))]

    monkeypatch.setattr(aligners, "_plugins", lambda: {"backwards": [Point]})
    assert Derp(aligner="backwards").score(SWAPPED, REFERENCE)["coverage"] == 1.0


def test_trees_without_words_need_an_alignment() -> None:
    with pytest.raises(KaratError, match="K195"):
        Derp().score(Tree.of([0, 1]), Tree.of([0, 1]))
    assert Dted(variant="structure").score(Tree.of([0, 1]), Tree.of([0, 1]))["distance"] == 0


def test_hostile_sizes_end_quickly() -> None:
    size = 3000
    chain = Tree.of(range(size), forms=["w"] * size)
    start = time.process_time()
    with pytest.raises(LimitExceeded, match="too many for DERP"):
        Derp().score(chain, chain)
    # A spine of words, each with a leaf on its left: every spine word begins a forest.
    spine = [word + 1 if word % 2 else word - 2 for word in range(1, size + 1)]
    comb = Tree.of(spine, forms=["w"] * size)
    with pytest.raises(LimitExceeded, match="too many for tree edit distance"):
        Dted(variant="structure").score(comb, comb)
    assert time.process_time() - start < 10
