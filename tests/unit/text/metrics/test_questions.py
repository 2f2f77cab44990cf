"""Questions as data, and who answers them."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from karat.core.files.opener import Source
from karat.errors import KaratError, MissingExtra, OptionError, PairingError
from karat.text.formats.records import JsonLines
from karat.text.metrics.questions import QuestionAnswering
from karat.text.model import TextRecord
from karat.text.questions import Question, matched, question_sets

READER = str(Path(__file__).parents[3] / "servers" / "reader.py")
COMMAND = shlex.join([sys.executable, READER])
FIRST = [
    {"question": "the _ barked", "answers": ["dog", "hound"], "id": 1},
    {"question": "it _ home", "answers": ["went"]},
    {"question": "nobody _ that", "answer": "saw"},
]
SECOND = [{"question": "a _ cat", "answers": ["the red", "grey"], "start": 2, "end": 6}]
TEXT = "The hound barked . It ran home . A red cat slept"


@pytest.fixture
def _local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(READER).parent))


def check(metric: QuestionAnswering) -> None:
    # First reference: hound is accepted, ran is wrong, nothing is found for the third.
    # Second: "red" equals "the red" without its article.
    scores = metric.score(TEXT, [FIRST, SECOND])
    assert scores["qa"]["em"] == pytest.approx((1 / 3 + 1) / 2)
    assert scores["qa"]["f1"] == pytest.approx((1 / 3 + 1) / 2)
    assert scores["qa"]["is_answered"] == pytest.approx((2 / 3 + 1) / 2)
    assert scores["num_correct"] == 2
    assert scores["num_questions"] == 4


def test_a_program_answers() -> None:
    check(QuestionAnswering(command=COMMAND))


@pytest.mark.usefixtures("_local")
@pytest.mark.parametrize("name", ["answer", "plain"])
def test_a_function_answers(name: str) -> None:
    check(QuestionAnswering(function=f"reader:{name}"))


def test_what_was_answered_is_kept(tmp_path: Path) -> None:
    cache = str(tmp_path / "answers.db")
    check(QuestionAnswering(command=COMMAND, cache=cache))
    check(QuestionAnswering(command=f"{COMMAND} none", cache=cache))


@pytest.mark.usefixtures("_local")
def test_references_without_questions_are_left_out() -> None:
    metric = QuestionAnswering(function="reader:plain")
    assert metric.score(TEXT, [SECOND, []]) == metric.score(TEXT, [SECOND])
    with pytest.warns(UserWarning, match="1 item without questions scored 0"):
        assert metric.score(TEXT, [[]])["qa"] == {"em": 0, "f1": 0, "is_answered": 0}


@pytest.mark.usefixtures("_local")
def test_leaving_out_a_reference_leaves_out_its_questions() -> None:
    metric = QuestionAnswering(function="reader:plain")
    sets = question_sets([FIRST, SECOND])
    assert metric.jackknife(sets) == [[sets[1]], [sets[0]]]
    assert metric.jackknife(sets[:1]) == []


@pytest.mark.usefixtures("_local")
def test_questions_answers_and_scores_are_shown() -> None:
    shown = QuestionAnswering(function="reader:answer").explain(TEXT, [FIRST, SECOND])
    assert [each["em"] for each in shown["references"][0]] == [1, 0, 0]
    second = shown["references"][1][0]
    assert second["prediction"]["text"] == "red"
    assert second["prediction"]["probability"] == 0.5
    assert (second["start"], second["end"]) == (2, 6)
    json.dumps(shown)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("who?", "questions must be a list, found str"),
        ([FIRST[0], []], r"questions\[1\] is not a question"),
        ([["who?"]], r"questions\[0\]\[0\] must be an object"),
        ([[{"question": "who?"}]], r"questions\[0\]\[0\] is not a question.*answers"),
        ([[{"question": "who?", "answers": []}]], "has no accepted answer"),
        ([3], r"questions\[0\] must be a list of questions"),
    ],
)
def test_things_that_are_no_questions(value: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        question_sets(value)


def test_one_list_of_questions_is_one_reference() -> None:
    assert question_sets(FIRST) == question_sets([FIRST]) == question_sets([{"questions": FIRST}])
    assert question_sets([Question("a _", ("b",))]) == ((Question("a _", ("b",)),),)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"command": f"{COMMAND} few"}, KaratError, "gave 2 answers to 3 questions"),
        ({"command": f"{COMMAND} none"}, KaratError, "gave no list of answers"),
        ({"command": f"{COMMAND} number"}, KaratError, "an invalid answer"),
        ({"function": "reader:too_few"}, KaratError, "gave 0 answers to 3 questions"),
        ({"function": "reader:nothing"}, OptionError, "no function 'reader:nothing'"),
        ({"function": "no_such_module_here:f"}, OptionError, "no function"),
        ({"function": "reader"}, OptionError, "write module:function"),
        ({"function": "reader:__name__"}, OptionError, "is not a function"),
    ],
)
@pytest.mark.usefixtures("_local")
def test_answerers_that_fail(
    options: dict[str, str], error: type[KaratError], message: str
) -> None:
    with pytest.raises(error, match=message):
        QuestionAnswering(**options).score("asked of nobody else", [FIRST])  # type: ignore[arg-type]


def test_nobody_to_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KARAT_HOME", str(tmp_path))
    assert "karat setup metric qa" in QuestionAnswering.missing()
    with pytest.raises(MissingExtra, match="none is named"):
        QuestionAnswering().score(TEXT, [FIRST])
    with pytest.raises(OptionError, match="a command, a url or a function"):
        QuestionAnswering(command="x", function="y:z")


def test_no_questions_at_all() -> None:
    with pytest.raises(PairingError, match="no set of questions"):
        QuestionAnswering(command=COMMAND).score(TEXT, [])
    with pytest.raises(PairingError, match="no set of questions"):
        QuestionAnswering(command=COMMAND).of_gold([TextRecord("a")])


def test_questions_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    record = {"instance_id": "d1", "questions": [FIRST, SECOND]}
    path.write_text(json.dumps(record) + '\n{"instance_id": "d2", "questions": [7]}\n')
    good, bad = JsonLines().read(Source(str(path)))
    assert good.value.questions == question_sets([FIRST, SECOND])
    assert bad.error is not None
    assert "$.questions[0] must be a list of questions" in bad.error.message


def test_on_the_command_line(
    karat: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    record = {"instance_id": "d1", "questions": [FIRST, SECOND]}
    (tmp_path / "questions.jsonl").write_text(json.dumps(record) + "\n")
    (tmp_path / "texts.jsonl").write_text(json.dumps({"instance_id": "d1", "summary": TEXT}) + "\n")
    files = ("-g", "questions.jsonl", "-s", "texts.jsonl")
    done = karat("evaluate", "qa", *files, "--command", COMMAND, "--json", "-")
    assert json.loads(done.stdout)["scores"]["num_correct"] == 2


def test_matching_is_that_of_squad() -> None:
    assert matched("The U.S.", ["us"]) == (1.0, 1.0)
    assert matched("", ["us"]) == (0.0, 0.0)
    assert matched("", [""]) == (1.0, 1.0)
    assert matched("a b c", ["b d", "c b"]) == (0.0, 2 * 2 / 4)
