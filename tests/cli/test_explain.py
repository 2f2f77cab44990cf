"""``karat explain``: texts in colour on a terminal, JSON on request."""

from __future__ import annotations

import io
import json
import re
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from commands import Karat
from karat.cli.explain import explain
from karat.core.capabilities import Explains, has
from karat.core.registry import parse
from karat.errors import OptionError
from karat.report.explanation import explained
from karat.report.layout import Console, Group, Medium
from karat.text.metrics.meteor import Meteor
from karat.text.metrics.rouge import Rouge
from metric_examples import EXAMPLES

EXPLAINED = [name for name, row in EXAMPLES.items() if has(parse(row[0][0]), Explains)]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    system, gold = tmp_path / "system.txt", tmp_path / "gold.txt"
    system.write_text("The dogs barked.\nno\nyes\nmaybe\n")
    gold.write_text("A dog barks.\nyes\nyes\nperhaps\n")
    return ["-g", str(gold), "-s", str(system)]


def run(*words: str) -> str:
    result = CliRunner().invoke(explain, list(words), standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.stdout


def test_what_people_see(files: list[str]) -> None:
    shown = run("rouge", *files, "--item", "1", "--max-ngram", "2")
    assert "system: the dog bark" in shown
    assert "reference 1: a dog bark" in shown
    assert "rouge-1: 2 of 3 in the reference, of 3 in the system" in shown
    assert "dog bark\n" in shown.partition("rouge-2")[2]


def test_json_on_request(files: list[str]) -> None:
    documents = json.loads(run("rouge,meteor", *files, "--first", "2", "--json", "-"))
    assert [(d["metric"], d["id"]) for d in documents] == [
        ("rouge()", "1"), ("rouge()", "2"), ("meteor()", "1"), ("meteor()", "2"),
    ]  # fmt: skip
    assert documents[0]["explanation"]["system"] == [["the", "dog", "bark"]]


def test_wrong_use(files: list[str]) -> None:
    with pytest.raises(OptionError, match=r"there are no items '9', 'x'"):
        run("rouge", *files, "--item", "9", "--item", "1", "--item", "x")
    with pytest.raises(OptionError, match="external cannot explain its scores: they are made by"):
        run("external", *files, "--command", "cat", "--scores", "x")
    with pytest.raises(OptionError, match="takes one system"):
        run("rouge", *files, "-s", files[-1])


def coloured(explanation: object) -> str:
    stream = io.StringIO()
    Console(stream, Medium(200, emphasis=True, colours=True)).print(Group(*explained(explanation)))  # type: ignore[arg-type]
    return stream.getvalue()


def test_colours_tell_matched_clipped_and_alone() -> None:
    shown = coloured(Rouge(max_ngram=1).explain("the the dog", ["the cat"]))
    matched, clipped, alone = "\x1b[1;32mthe", "\x1b[33mthe", "\x1b[31mdog"
    assert shown.index(matched) < shown.index(clipped) < shown.index(alone)
    assert "\x1b[31mcat" in shown


def test_colours_tell_how_words_match() -> None:
    shown = coloured(Meteor().explain("the dogs", ["the dog barks"]))
    assert "\x1b[1;32mthe" in shown
    assert "\x1b[36mdogs" in shown
    assert "\x1b[31mbarks" in shown
    assert "dogs ~ dog (stem)" in shown


def test_other_explanations_are_lines_of_names_and_values() -> None:
    explanation = {
        "distance": 2.5,
        "none": [],
        "missing": [["instance", "e", "dog"], ["top", "e", None]],
        "grams": [{"gram": f"g{i}", "count": 1 + i % 2} for i in range(15)],
        "alignment": [
            {"edit": "hit", "gold": ["the"], "system": ["the"]},
            {"edit": "hit", "gold": ["dog"], "system": ["dog"]},
            {"edit": "insertion", "gold": [], "system": [" "]},
        ],
        "deep": {"1": {"surplus": ["a", "\ud800\x1b[31m"]}},
        "parts": [{"name": "x", "inner": {"found": True}}],
    }
    assert coloured(explanation).splitlines() == [
        "distance: 2.5",
        "none: none",
        "missing:",
        "  instance, e, dog",
        "  top, e, –",
        "grams: g0 · g1 ×2 · g2 · g3 ×2 · g4 · g5 ×2 · g6 · g7 ×2 · g8 · g9 ×2 · g10 · g11 ×2"
        " and 3 more",
        "alignment:",
        "  hit, both: the dog",
        '  insertion, system: " "',
        "deep:",
        "  1:",
        '    surplus: a "\\ud800\\u001b[31m"',
        "parts:",
        "  - name: x",
        "    inner:",
        "      found: yes",
    ]


def test_texts_are_explained_in_words(files: list[str]) -> None:
    shown = run("bleu,ter,wer", *files, "--item", "2")
    assert "closest: 1" in shown
    assert "missing: yes" in shown
    assert "surplus: no\n" in shown
    assert "substitute, system: no, gold: yes" in shown
    assert "substitution, gold: yes, system: no" in shown


@pytest.mark.parametrize("name", EXPLAINED)
def test_every_explanation_is_text(name: str) -> None:
    """Whatever its shape, and nothing of it is written as Python or JSON would."""
    (text, *_), examples, *_ = EXAMPLES[name]
    metric = parse(text)
    for system, gold in examples:
        with suppress(OptionError):
            shown = coloured(metric.explain(system, gold))
            assert not re.search(r"[{\[]['\"]|\(\'", shown), shown


def test_what_readers_say_of_the_items_is_told(karat: Karat, tmp_path: Path) -> None:
    """What was corrected in those that are shown, and which were left out, as evaluate tells it."""
    (tmp_path / "gold.amr").write_text("# ::id a\n(d / dog)\n\n# ::id b\n(c / cat)\n")
    (tmp_path / "system.amr").write_text("# ::id a\n(d / dog)\n\n# ::id b\n(c / cat\n")
    words = ("explain", "smatch", "-g", "gold.amr", "-s", "system.amr")
    told = "warning: system.amr: 1 graph lacks ')' at the end: 'b'\n"
    assert karat(*words, "--item", "b").stderr == told
    assert karat(*words).stderr == told
    assert karat(*words, "--first", "1").stderr == ""
    (tmp_path / "t.jsonl").write_text(
        '{"id": "1", "text": "a", "reference": "a"}\n{"id": "2"\n'
        '{"id": "3", "text": "c", "reference": "a"}\n'
    )
    done = karat("explain", "exact", "-s", "t.jsonl", "--on-error", "skip", "--json", "-")
    assert [each["id"] for each in json.loads(done.stdout)] == ["1", "3"]
    assert "warning: left out: t.jsonl:2: FormatError" in done.stderr
