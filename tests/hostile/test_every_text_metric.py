"""Inputs that nobody expects, for every metric of texts: a number, or a clear error."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import karat
from examples_text import EXAMPLES
from karat.core.plugins import METRICS, rows
from karat.errors import KaratError

NAMES = [name for name, row in rows(METRICS).items() if row.kind == "text"]
# The metrics that programs compute share all code: large texts go to one of them.
HEAVY = [name for name in NAMES if ".presets:" not in rows(METRICS)[name].target]
MANY = [f"sentence {i} of many" for i in range(100_000)]
OTHERS = [f"another sentence {i} of so many" for i in range(100_000)]
WORDLESS = {
    "empty": "",
    "no sentence": [],
    "empty sentences": ["", ""],
    "white space": " \t\n\u00a0",
    "punctuation": "...!?,;",
}
ODD = {
    "emoji": "🙂👩\u200d👩\u200d👧 🙃",
    "right to left": "שלום עולם مرحبا",
    "nul": "\x00a\x00",
    "lone surrogate": "a\ud800b",
    "combining marks": "e\u0301" * 50,
}
LARGE = {"a word of a million letters": "x" * 10**6, "a hundred thousand sentences": MANY}
NO_TEXTS = {"None": None, "number": 7, "nested": [["a"]], "mixed": ["a", 3], "bytes": b"a"}

QUESTIONS = [[{"question": "the _ barked", "answers": ["dog"]}]]
# What a metric is held against where that is no list of texts.
GOLDS: dict[str, Any] = {
    "qa": QUESTIONS,
    "pyramid-score": EXAMPLES["pyramid-score"][1][0][1],
    "sumqe": [],
}
STRINGS = {"exact", "edit-distance", "wer"}


def pairs(name: str, text: Any) -> list[tuple[Any, Any]]:
    """The text on either side and on both, as far as the metric takes texts."""
    if name in GOLDS:
        return [(text, GOLDS[name])]
    if name in STRINGS:
        return [(text, "a word"), ("a word", text), (text, text)]
    return [(text, ["a word"]), ("a word", [text]), (text, [text]), (text, ["a word", text])]


def leaves(scores: Any) -> Iterator[Any]:
    for value in scores.values():
        yield from leaves(value) if isinstance(value, dict) else [value]


def outcome(name: str, system: Any, gold: Any) -> str:
    """`number` or the code of the error; anything else is a bug and ends the test."""
    metric = karat.parse(EXAMPLES[name][0][0])
    started = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = metric.score(system, gold)
    except KaratError as error:
        return error.code
    finally:
        assert time.process_time() - started < 60
    for value in leaves(scores):
        assert value is None or math.isfinite(value)
    return "number"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", [*WORDLESS.values(), *ODD.values()], ids=[*WORDLESS, *ODD])
def test_odd_texts(name: str, text: Any) -> None:
    for system, gold in pairs(name, text):
        found = outcome(name, system, gold)
        expected = {"number"}
        if name in STRINGS and not (isinstance(system, str) and isinstance(gold, str)):
            expected = {"K317"}
        if name == "basic-elements":  # a text there is a list of elements
            expected = {"number", "K107"}
        if name == "pyramid-score":
            expected = {"K317"}
        assert found in expected, (system, gold)


@pytest.mark.parametrize("name", HEAVY)
@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
def test_large_texts(name: str, text: Any) -> None:
    found = {outcome(name, system, gold) for system, gold in pairs(name, text)[0:3:2]}
    assert found <= {"number", "K503", "K317", "K107"}
    if name in ("rouge", "bleu", "chrf", "js", "simetrix", "squad"):
        assert found == {"number"}


@pytest.mark.parametrize("name", [name for name in HEAVY if name not in {*GOLDS, *STRINGS}])
def test_a_hundred_thousand_sentences_against_others(name: str) -> None:
    assert outcome(name, MANY, [OTHERS]) in ("number", "K503", "K107")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", NO_TEXTS.values(), ids=NO_TEXTS)
def test_things_that_are_no_texts(name: str, text: Any) -> None:
    for system, gold in pairs(name, text):
        assert outcome(name, system, gold) in ("K317", "K107"), (system, gold)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in {*GOLDS, *STRINGS}])
def test_no_reference_and_a_bare_string(name: str) -> None:
    assert outcome(name, "a text", []) in ("K211", "K213")
    assert outcome(name, "a|b|c", "a|b|d") == outcome(name, "a|b|c", ["a|b|d"])
