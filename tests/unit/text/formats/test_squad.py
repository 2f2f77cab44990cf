"""Files of SQuAD against the formulas of its scripts, written from their definitions."""

from __future__ import annotations

import json
import random
import re
import string
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core.files.opener import Source
from karat.core.registry import guess_format
from karat.errors import KaratError

WORDS = [
    "the",
    "a",
    "Paris",
    "paris,",
    "1889",
    "—",
    "Eiffel",
    "tower.",
    "An",
    "!",
    "北京",
    "l'état",
]


def _words(text: str) -> list[str]:
    plain = "".join(c for c in text.lower() if c not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", plain).split()


def _figures(answer: str, accepted: list[str]) -> tuple[float, float]:
    """Exact match and F1 of version 2.0: the best of the accepted answers."""
    golds = [each for each in accepted if _words(each)] or [""]
    exact, f1 = 0.0, 0.0
    for gold in golds:
        ours, theirs = _words(answer), _words(gold)
        exact = max(exact, float(ours == theirs))
        common = (Counter(ours) & Counter(theirs)).total()
        if not ours or not theirs:
            f1 = max(f1, float(ours == theirs))
        elif common:
            precision, recall = common / len(ours), common / len(theirs)
            f1 = max(f1, 2 * precision * recall / (precision + recall))
    return exact, f1


def _text(draw: random.Random) -> str:
    return " ".join(draw.choices(WORDS, k=draw.choice((0, 1, 1, 2, 3))))


def _data(draw: random.Random, count: int) -> tuple[dict[str, Any], dict[str, str]]:
    questions = []
    for i in range(count):
        answers = [{"text": _text(draw), "answer_start": 0} for _ in range(draw.randrange(4))]
        questions.append(
            {"id": f"q{i}", "question": "?", "answers": answers, "is_impossible": not answers}
        )
    half = count // 2
    data = {
        "version": "v2.0",
        "data": [
            {"title": "One", "paragraphs": [{"context": "…", "qas": questions[:half]}]},
            {"title": "Two", "paragraphs": [{"context": "…", "qas": questions[half:]}]},
        ],
    }
    return data, {f"q{i}": _text(draw) for i in range(count)}


@pytest.mark.parametrize("indent", [None, 2])
def test_exact_f1_and_the_two_kinds_of_questions(tmp_path: Path, indent: int | None) -> None:
    data, predictions = _data(random.Random(1), 400)
    gold, system = tmp_path / "dev.json", tmp_path / "predictions.json"
    gold.write_text(json.dumps(data, indent=indent), encoding="utf-8")
    system.write_text(json.dumps(predictions, indent=indent), encoding="utf-8")
    run = karat.evaluate("squad", system=str(system), gold=str(gold))
    questions = [
        question
        for article in data["data"]
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    ]
    figures = {
        each["id"]: _figures(predictions[each["id"]], [one["text"] for one in each["answers"]])
        for each in questions
    }
    kinds = {each["id"]: "HasAns" if each["answers"] else "NoAns" for each in questions}
    scores = run.scores()
    assert scores["em"] == pytest.approx(sum(each[0] for each in figures.values()) / 400)
    assert scores["f1"] == pytest.approx(sum(each[1] for each in figures.values()) / 400)
    parts = run.by("answerable")
    for kind in ("HasAns", "NoAns"):
        own = [figures[name] for name, each in kinds.items() if each == kind]
        assert len(own) > 50
        assert parts[kind]["em"] == pytest.approx(sum(each[0] for each in own) / len(own))
        assert parts[kind]["f1"] == pytest.approx(sum(each[1] for each in own) / len(own))


def test_first_version_has_no_questions_without_answers(tmp_path: Path) -> None:
    question = {"id": "q", "question": "?", "answers": [{"text": "the", "answer_start": 0}]}
    data = {"version": "1.1", "data": [{"title": "T", "paragraphs": [{"qas": [question]}]}]}
    (tmp_path / "gold.json").write_text(json.dumps(data))
    (tmp_path / "system.json").write_text('{"q": "a"}')
    run = karat.evaluate(
        "squad", system=str(tmp_path / "system.json"), gold=str(tmp_path / "gold.json")
    )
    assert run.scores()["em"] == 1.0


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"56be": "Paris", "56bf": ""}\n', "squad-json"),
        ('{\n "56be": "Paris",\n "56bf": ""\n}\n', "squad-json"),
        ('{"id": "1", "text": "Paris"}\n', "jsonl"),
        ('{"question": "?", "prediction": "Paris"}\n', "jsonl"),
        ('{"56be": "Paris"}\n{"56bf": ""}\n', "jsonl"),
        ('{"version": "v2.0", "data": [{"title": "T", "paragraphs": []}]}', "squad-json"),
        ('{"data": "x", "text": "y"}\n', "jsonl"),
        ("{" + ", ".join(f'"q{i}": "answer {i}"' for i in range(9999)) + "}", "squad-json"),
    ],
)
def test_they_are_told_from_json_lines(text: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(text)
    assert guess_format("text", Source(path)).name == name


@pytest.mark.parametrize(
    "text",
    [
        '{"data": [{"title": "T"}]}', '{"data": [3]}', "[1]", '{"data": [',
        '{"data": [{"paragraphs": [{"qas": [{"id": "q"}]}]}]}',
        '{"data": [{"paragraphs": [{"qas": [{"answers": []}]}]}]}',
        '{"data": [{"paragraphs": [{"qas": [{"id": "q", "answers": ["x"]}]}]}]}',
        '{"q": null}', '{"q": ["x"]}',
    ],
)  # fmt: skip
def test_what_is_none_is_an_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "gold.json").write_text(text)
    (tmp_path / "system.json").write_text('{"q": "x"}')
    with pytest.raises(KaratError):
        karat.evaluate(
            "squad",
            system=str(tmp_path / "system.json"),
            gold=str(tmp_path / "gold.json"),
            format="squad-json",
            gold_format="squad-json",
        )
