"""Tool calls in the forms that interfaces and models write."""

from __future__ import annotations

import json
from typing import Any

import pytest

import karat

ARGUMENTS = {"city": "Oslo", "days": 3}
TEXT = json.dumps(ARGUMENTS)
GOLD = [{"name": "weather", "arguments": ARGUMENTS}]
CALL = {"function": {"name": "weather", "arguments": TEXT}}
FORMS: dict[str, Any] = {
    "chat completion": {"choices": [{"message": {"role": "assistant", "tool_calls": [CALL]}}]},
    "local server": {"model": "m", "message": {"role": "assistant", "tool_calls": [CALL]}},
    "response": {
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "function_call", "name": "weather", "arguments": TEXT},
        ]
    },
    "function call": {"role": "assistant", "content": None, "function_call": CALL["function"]},
    "parts": {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": ARGUMENTS}}]},
    "candidates": {
        "candidates": [
            {"content": {"parts": [{"text": "Let me see"}, {"functionCall": CALL["function"]}]}}
        ]
    },
    "list with reasoning": [
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "name": "weather", "arguments": TEXT},
    ],
    "name under function": {
        "role": "assistant",
        "tool_calls": [{"id": "1", "function": "weather", "arguments": ARGUMENTS}],
    },
    "converse": {
        "output": {
            "message": {
                "role": "assistant",
                "content": [
                    {"text": "Let me see"},
                    {"toolUse": {"toolUseId": "1", "name": "weather", "input": ARGUMENTS}},
                ],
            }
        }
    },
    "content alone": [
        {"type": "text", "text": "Let me see"},
        {"type": "tool_use", "id": "1", "name": "weather", "input": ARGUMENTS},
    ],
    "named speaker": {
        "role": "assistant",
        "name": "bot",
        "content": [{"type": "tool_use", "name": "weather", "input": ARGUMENTS}],
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_a_call(form: str) -> None:
    metric = karat.parse("tool-calls")
    for output in (FORMS[form], json.dumps(FORMS[form])):
        assert metric.score(output, GOLD)["exact"] == 1
        assert metric.score(output, [])["exact"] == 0
    assert metric.score(GOLD, FORMS[form])["exact"] == 1


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "Hello"},
        {"choices": [{"message": {"role": "assistant", "content": "Hello"}}]},
        {"output": [{"type": "message", "content": [{"type": "output_text", "text": "Hello"}]}]},
    ],
)
def test_a_message_that_calls_nothing(message: Any) -> None:
    assert karat.parse("tool-calls").score(message, [])["exact"] == 1
    assert karat.parse("tool-calls").score(message, GOLD)["recall"] == 0


def test_arguments_are_no_messages() -> None:
    for arguments in ({"message": {"role": "user"}}, {"output": [1]}, {"choices": [{"a": 1}]}):
        call = {"name": "send", "arguments": arguments}
        assert karat.parse("tool-calls").score(call, [call])["exact"] == 1
        assert karat.parse("tool-calls").score(call, GOLD)["exact"] == 0
    answer = {"message": {"role": ["user", "system"]}}  # a function of BFCL that is called so
    call = {"name": "message", "arguments": {"role": "system"}}
    assert karat.parse("tool-calls").score(call, answer)["exact"] == 1


def test_all_calls_between_tags_count() -> None:
    first = json.dumps(GOLD[0])
    second = json.dumps({"name": "time", "arguments": {"city": "Oslo"}})
    text = f"Sure.\n<tool_call>\n{first}\n</tool_call>\n<tool_call>{second}</tool_call>"
    metric = karat.parse("tool-calls")
    assert metric.score(text, [json.loads(second), *GOLD])["exact"] == 1
    assert metric.score(text, GOLD)["precision"] == 0.6
    broken = f"<tool_call>{first}</tool_call><tool_call>{second[:-1]}</tool_call>"
    assert metric.score(broken, GOLD)["exact"] == 1  # the first JSON in the text


@pytest.mark.parametrize("arguments", [ARGUMENTS, TEXT])
def test_outputs_in_the_form_of_answers(arguments: Any) -> None:
    """BFCL writes what a model called as its answers are written, but with single values."""
    answer = [{"weather": {"city": ["Oslo", "oslo"], "days": [3]}}]
    metric = karat.parse("tool-calls")
    assert metric.score([{"weather": arguments}], answer)["exact"] == 1
    assert metric.score([{"weather": arguments}], GOLD)["exact"] == 1
    assert metric.score([{"arguments": ARGUMENTS}], GOLD)["calls"]["f"] == 0


BOX = {
    "box": [{"x": [1, 2], "y": [3], "z": ["", 4]}],
    "items": [[{"id": ["a", "b"]}, {"id": ["c"]}]],
}
"""Allowed values within objects, as in the possible answers of BFCL."""


@pytest.mark.parametrize(
    ("arguments", "f"),
    [
        ({"box": {"x": 1, "y": 3}, "items": [{"id": "a"}, {"id": "c"}]}, 1.0),
        ({"box": {"x": 2, "y": 3, "z": 4}, "items": [{"id": "b"}, {"id": "c"}]}, 1.0),
        ({"box": {"x": 3, "y": 3}, "items": [{"id": "a"}, {"id": "c"}]}, 0.8),
        ({"box": {"x": [1, 2], "y": [3]}, "items": [{"id": "a"}, {"id": "c"}]}, 6 / 11),
    ],
)
def test_allowed_values_within_objects(arguments: Any, f: float) -> None:
    scores = karat.parse("tool-calls").score([{"name": "f", "arguments": arguments}], [{"f": BOX}])
    assert scores["f"] == pytest.approx(f)
    assert scores["exact"] == (f == 1)


def test_deeply_nested_answers_are_no_calls() -> None:
    text = '[{"f":{"a":' + '[{"a":' * 400 + "[1]" + "}]" * 400 + "}}]"
    assert karat.parse("tool-calls").score([{"name": "f"}], text)["exact"] == 0
