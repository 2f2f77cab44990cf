"""The CoNLL 2018 metrics: other sentences, bad files, what words are told apart by."""
# ruff: noqa: E501 - a table of messages has one row per line

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from karat.core.shown import Fault, Kind
from karat.engine import evaluate
from karat.errors import KaratError, OptionError
from karat.trees.metrics.ud import Ud
from karat.trees.model import Tree


def _sentence(*words: tuple[str, int, str]) -> str:
    lines = [
        f"{i}\t{form}\t{form.lower()}\tX\t_\t_\t{head}\t{label}\t_\t_\n"
        for i, (form, head, label) in enumerate(words, 1)
    ]
    return "".join(lines) + "\n"


def _write(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return name


A = _sentence(("We", 2, "nsubj"), ("go", 0, "root"))
B = _sentence(("You", 2, "nsubj"), ("stay", 0, "root"))
AB = _sentence(("We", 2, "nsubj"), ("go", 0, "root"), ("You", 4, "nsubj"), ("stay", 2, "conj"))


@pytest.mark.parametrize("name", ["words.txt", "words.conll", "words"])
def test_files_are_conllu_whatever_their_name(tmp_path: Path, name: str) -> None:
    multiword = "1-2\tWego\t_\t_\t_\t_\t_\t_\t_\t_\n" + A
    path = tmp_path / name
    path.write_text(A + multiword)
    assert evaluate("ud", system=path, gold=path).scores()["Tokens"]["gold"] == 3


def test_system_sentences_may_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    two, one = _write(tmp_path, "two.conllu", A + B), _write(tmp_path, "one.conllu", AB)
    split = evaluate("ud", system=two, gold=one)
    joined = evaluate("ud", system=one, gold=two)
    assert split.ids == ["1"]
    assert joined.ids == ["1", "2"]
    assert split.scores()["Sentences"]["correct"] == joined.scores()["Sentences"]["correct"] == 0
    assert joined.scores()["Sentences"]["system"] == 1
    first, second = joined.per_item()
    assert (first["Sentences"]["system"], second["Sentences"]["system"]) == (1, 0)
    assert (first["LAS"]["correct"], second["LAS"]["correct"]) == (2, 1)
    assert (first["LAS"]["system"], second["LAS"]["system"]) == (2, 2)


@pytest.mark.parametrize(
    ("gold", "system", "message"),
    [
        (A, _sentence(("We", 2, "x"), ("gone", 0, "root")), "s.conllu:1: TreeError K190: item '1': the text is not that of gold: 'ne' stands where gold has ''"),
        (A + B, A, "g.conllu:4: TreeError K190: item '2': the text is not that of gold: it ends where gold has 'Youstay'"),
        (A, A + B, "s.conllu:4: TreeError K190: item '2': the text is not that of gold: 'Youstay' stands where gold has ''"),
        (A, A.removesuffix("\n"), "s.conllu:2: TreeError K192: item '1': the last sentence is not followed by a blank line"),
        (_sentence(("\u00a0", 0, "root")), A, "g.conllu:1: TreeError K191: item '1': the form is empty"),
        (A, _sentence(("We", 0, "root"), ("go", 0, "root")), "s.conllu:2: TreeError K189: item '1': the sentence has 2 roots, expected one: words 1 ('We'), 2 ('go')"),
        ("", "", "PairingError K203: there are no sentences: the files are empty"),
    ],
)  # fmt: skip
def test_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gold: str, system: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        "gold": _write(tmp_path, "g.conllu", gold),
        "system": _write(tmp_path, "s.conllu", system),
    }
    with pytest.raises(KaratError) as caught:
        evaluate("ud", **files)  # type: ignore[arg-type]
    assert caught.value.headline == message


def test_an_unreadable_sentence_cannot_be_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    gold, system = _write(tmp_path, "g.conllu", A + B), _write(tmp_path, "s.conllu", "x\n\n" + B)
    with pytest.raises(KaratError, match="K180"):
        evaluate("ud", gold=gold, system=system, on_error="skip")


def test_multiple_roots_may_be_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    two = _write(tmp_path, "g.conllu", _sentence(("We", 0, "root"), ("go", 0, "root")))
    assert evaluate("ud(multiple_roots='allow')", gold=two, system=two).scores()["LAS"]["f1"] == 1.0


def test_blank_lines_too_many_are_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    gold, system = _write(tmp_path, "g.conllu", A + B), _write(tmp_path, "s.conllu", A + "\n\n" + B)
    result = evaluate("ud", gold=gold, system=system)
    assert result.scores()["LAS"]["f1"] == 1.0
    assert result.warnings == ["the system file has 2 blank lines too many"]


def test_pairing_by_id_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(A)
    with pytest.raises(OptionError, match="K332"):
        evaluate("ud", gold=path, system=path, pair="id")


def test_aligned_words_are_in_one_group(tmp_path: Path) -> None:
    gold, system = tmp_path / "g.conllu", tmp_path / "s.conllu"
    gold.write_text(_sentence(("We", 2, "nsubj"), ("go", 0, "root"), ("home", 2, "advmod")))
    system.write_text(_sentence(("We", 2, "nsubj"), ("go", 0, "root"), ("home", 2, "nsubj")))
    result = evaluate("ud", gold=gold, system=system, facets=["deprel", "system-deprel"])
    by_gold, by_system = result.by("deprel"), result.by("system-deprel")
    assert by_gold["advmod"]["LAS"]["recall"] == 0.0
    assert by_gold["advmod"]["UAS"]["f1"] == 1.0
    assert by_gold["nsubj"]["LAS"]["f1"] == 1.0
    assert "advmod" not in by_system
    assert by_system["nsubj"]["LAS"]["precision"] == 0.5
    assert by_system["nsubj"]["Tokens"]["f1"] is None


def test_explanation(tmp_path: Path) -> None:
    from karat.core.files.opener import Source
    from karat.trees.formats.conll import ConllU

    path = tmp_path / "a.conllu"
    path.write_text(A + _sentence(("We", 0, "root"), ("g", 1, "nsubj"), ("o", 1, "obj")))
    gold, system = (item.value for item in ConllU().read(Source(path)))
    found = Ud().explain(system, gold)
    assert [word["form"] for word in found["missing"]] == ["go"]
    assert [word["form"] for word in found["surplus"]] == ["g", "o"]
    assert found["wrong"] == [
        {
            "word": 1,
            "form": "We",
            "wrong": ["blex", "clas", "las", "mlas", "uas"],
            "gold": {"lemma": "we", "upos": "X", "xpos": "_", "feats": "_", "head": "go", "deprel": "nsubj"},
            "system": {"lemma": "we", "upos": "X", "xpos": "_", "feats": "_", "head": "ROOT", "deprel": "root"},
        }
    ]  # fmt: skip


def test_without_content_words_the_scores_are_0_as_in_the_script(tmp_path: Path) -> None:
    gold, system = tmp_path / "g.conllu", tmp_path / "s.conllu"
    gold.write_text(_sentence((".", 0, "punct")))
    system.write_text(_sentence((".", 0, "punct")))
    scores = evaluate("ud", gold=gold, system=system).scores()
    assert scores["LAS"]["f1"] == 1.0
    for name in ("CLAS", "MLAS", "BLEX"):
        figures = ("precision", "recall", "f1", "aligned_accuracy")
        assert [scores[name][figure] for figure in figures] == [0.0] * 4


def test_the_profile_counts_what_the_page_counts() -> None:
    draw = random.Random(1)
    tags, labels, feats = (
        ["NOUN", "VERB", "_"],
        ["nsubj", "obj", "obj:x", "root"],
        ["_", "Number=Sing"],
    )

    def tree(forms: Sequence[str]) -> Tree:
        size = len(forms)
        return Tree.of(
            [0, *(draw.randint(1, i) for i in range(1, size))], forms=forms,
            lemmas=draw.choices("ab", k=size), upos=draw.choices(tags, k=size),
            xpos=draw.choices(tags, k=size), feats=draw.choices(feats, k=size),
            deprels=draw.choices(labels, k=size),
        )  # fmt: skip

    metric, explanations = Ud(), []
    page: Counter[Fault] = Counter()
    for _ in range(300):
        text = "".join(draw.choices("ab", k=draw.randint(2, 8)))
        cuts = [sorted({0, len(text), *draw.choices(range(len(text)), k=6)}) for _ in range(2)]
        system, gold = (tree([text[i:j] for i, j in itertools.pairwise(cut)]) for cut in cuts)
        explanations.append(metric.explain(system, gold))
        page.update(metric.shown(system, gold, explanations[-1]).faults)
    found = metric.error_profile(explanations)
    for name, entries in found["confusions"].items():
        expected = {fault[2:]: n for fault, n in page.items() if fault.part == name}
        assert {(each["gold"], each["system"]): each["count"] for each in entries} == expected
        assert entries
    for side, kind in (("missing", Kind.MISSING), ("surplus", Kind.SURPLUS)):
        forms = {
            f.gold or f.system: n for f, n in page.items() if (f.part, f.kind) == ("words", kind)
        }
        assert {each["what"]: each["count"] for each in found[side]} == forms
    heads = sum(n for fault, n in page.items() if fault.part == "heads")
    assert sum(each["count"] for each in found["heads"]) == heads > 0
