"""Wrong calls from Python are errors of karat with a code, never a figure or a bare exception."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.errors import KaratError

SYSTEMS, GOLDS = ["the cat sat", "a dog runs"], ["the cat sat", "a dog ran"]


def run() -> Any:
    return karat.evaluate("bleu", SYSTEMS, GOLDS)


CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "another policy": (lambda: karat.evaluate("bleu", SYSTEMS, GOLDS, on_error="zero"), "K302"),  # type: ignore[arg-type]
    "another pairing": (lambda: karat.evaluate("bleu", SYSTEMS, GOLDS, pair="ids"), "K302"),  # type: ignore[arg-type]
    "a level in percent": (lambda: run().confidence(95), r"K302.*got 95"),
    "an interval of no score": (
        lambda: run().confidence()["blue"],
        "K306: there is no score 'blue'; did you mean 'bleu'",
    ),
    "a score of no metric": (lambda: float(run().scores()["blue"]), "K306"),
    "compared with a text": (lambda: run().compare("x"), "K316"),
    "a page of nothing": (lambda: karat.report([], "x.html"), "K322"),
    "ids of some": (lambda: karat.evaluate("bleu", SYSTEMS, GOLDS, id=["a"]), "1 value of 'id'"),
    "no metric": (lambda: karat.evaluate(None, SYSTEMS, GOLDS), "K304"),  # type: ignore[arg-type]
    "swapped": (lambda: karat.evaluate(SYSTEMS, GOLDS, "bleu"), "K304"),  # type: ignore[arg-type]
    "a generator that is used up": (
        lambda: karat.evaluate("bleu", iter([]), GOLDS),
        "K202: gold has 2 items, the system has 0",
    ),
    "both used up": (lambda: karat.evaluate("bleu", iter([]), iter([])), "K203"),
    "an item that is missing": (lambda: karat.evaluate("bleu", ["a", None], GOLDS), "K146"),
    "a number for a text": (lambda: karat.evaluate("bleu", ["a", 3], GOLDS), "K146"),
    "bytes for a text": (lambda: karat.evaluate("bleu", ["a", b"x"], GOLDS), "K146"),
    "not a number": (lambda: karat.evaluate("bleu", ["a", float("nan")], GOLDS), "K146"),
    "a reference that is missing": (lambda: karat.evaluate("bleu", SYSTEMS, ["a", None]), "K146"),
    "no reference": (lambda: karat.evaluate("bleu", SYSTEMS, [[], ["a"]]), "K211"),
    "references first": (lambda: karat.evaluate("bleu", SYSTEMS, [GOLDS]), "K202"),
    "ids in another case": (
        lambda: karat.evaluate("bleu", {"a": "x"}, {"A": "x"}),
        "ids are case-sensitive",
    ),
    "doubled ids": (lambda: karat.evaluate("bleu", SYSTEMS, GOLDS, id=["a", "a"]), "K204"),
    "a score of nothing": (lambda: karat.parse("bleu").score(None, "a"), "K317"),
    "a graph that is cut": (lambda: karat.parse("smatch").score("(w / want", "(a / b)"), "K124"),
    "a text for a graph": (lambda: karat.parse("smatch").score("hello", "(a / b)"), "K124"),
    "no run": (lambda: karat.load("nothing.run"), "K101"),
}


@pytest.mark.parametrize("name", CALLS)
def test_wrong_calls(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call, message = CALLS[name]
    with pytest.raises(KaratError, match=message):
        call()
    assert list(tmp_path.iterdir()) == []
