"""A small answerer of karat's protocol, and the same as a function.

It answers a cloze question with the word of the text that stands between the words around
the blank, ``_``; where there is none it gives no answer. ``--fail`` makes it misbehave.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def answer(context: str, questions: list[str]) -> list[dict[str, Any] | None]:
    """The words that fill the blanks."""
    return [_fill(context.lower().split(), question.lower().split()) for question in questions]


def plain(context: str, questions: list[str]) -> list[str]:
    """The same without probabilities, as bare texts."""
    return [found["text"] if found else "" for found in answer(context, questions)]


def too_few(context: str, questions: list[str]) -> list[str]:
    return []


def _fill(words: list[str], question: list[str]) -> dict[str, Any] | None:
    place = question.index("_")
    for i in range(len(words) - len(question) + 1):
        window = words[i : i + len(question)]
        if all(a == b for a, b in zip(window, question, strict=True) if b != "_"):
            return {"text": window[place], "probability": 0.5}
    return None


def main() -> None:
    fail = sys.argv[1] if len(sys.argv) > 1 else ""
    for line in sys.stdin:
        request = json.loads(line)
        if request.get("health"):
            print(json.dumps({"ok": True, "name": "reader", "version": "1"}), flush=True)
            continue
        answers: Any = answer(request["context"], request["questions"])
        if fail == "few":
            answers = answers[1:]
        if fail == "none":
            answers = None
        if fail == "number":
            answers = [3 for _ in answers]
        print(json.dumps({"id": request["id"], "answers": answers}), flush=True)


if __name__ == "__main__":
    main()
