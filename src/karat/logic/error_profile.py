"""What goes wrong most: counts over the diagnoses of a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any


def error_profile(explanations: Iterable[dict[str, Any]], top: int = 20) -> dict[str, Any]:
    """The most frequent errors by kind, by predicate, by role and by constant.

    A confusion has the direction gold -> system. Predicates and roles count the
    terms that are missing or extra, those that are confused included.

    >>> from karat.logic.metrics.cogs import Cogs
    >>> pairs = [("dog ( x _ 2 )", "dog ( x _ 1 )"), ("cat ( x _ 1 )", "dog ( x _ 1 )")]
    >>> found = error_profile(Cogs().explain(*pair) for pair in pairs)
    >>> found["kinds"]
    {'constants are renamed consistently': 1, 'predicate differs': 1}
    >>> found["predicates"]["confused"]
    {'dog->cat': 1}
    """
    counts = _Counts()
    for explanation in explanations:
        counts.add(explanation)
    return counts.document(top)


class _Counts:
    def __init__(self) -> None:
        self.items = 0
        self.wrong = 0
        self.kinds: Counter[str] = Counter()
        self.expected: Counter[str] = Counter()
        self.tables: dict[str, dict[str, Counter[str]]] = {
            "predicates": {"missing": Counter(), "extra": Counter(), "confused": Counter()},
            "roles": {"missing": Counter(), "extra": Counter(), "confused": Counter()},
            "constants": {"confused": Counter(), "shifted by": Counter()},
            "arguments": {"confused": Counter()},
        }

    def add(self, explanation: dict[str, Any]) -> None:
        self.items += 1
        self.wrong += bool(explanation["diagnosis"])
        for message in explanation["diagnosis"]:
            self.kinds[_kind(message)] += 1
        if explanation["expected"]:
            self.expected[explanation["expected"]] += 1
        for side in ("missing", "extra"):
            for text in explanation[side]:
                predicate = text.partition(" ( ")[0].removeprefix("* ")
                self.tables["predicates"][side][predicate] += 1
                self._role(side, predicate.partition(" . ")[2])
        for gold, system in explanation.get("predicates", ()):
            self.tables["predicates"]["confused"][f"{gold}->{system}"] += 1
            roles = [each.partition(".")[2] for each in (gold, system)]
            if all(roles) and roles[0] != roles[1]:
                self._role("confused", "->".join(roles))
        for gold, system in explanation.get("constants", ()):
            self.tables["constants"]["confused"][f"{gold}->{system}"] += 1
            self.tables["constants"]["shifted by"][f"{system - gold:+d}"] += 1
        for gold, system in explanation.get("arguments", ()):
            self.tables["arguments"]["confused"][f"{gold}->{system}"] += 1

    def _role(self, side: str, role: str) -> None:
        if role:
            self.tables["roles"][side][role] += 1

    def document(self, top: int) -> dict[str, Any]:
        return {
            "items": self.items,
            "wrong": self.wrong,
            "kinds": dict(self.kinds.most_common()),
            "ill_formed": {"expected": dict(self.expected.most_common(top))},
            **{
                name: {side: dict(counter.most_common(top)) for side, counter in sides.items()}
                for name, sides in self.tables.items()
            },
        }


def _kind(message: str) -> str:
    """A diagnosis without its particulars."""
    for start in ("ill-formed", "missing term", "extra term", "repeated term",
                  "missing edge", "extra edge", "the form is of the type"):  # fmt: skip
        if message.startswith(start):
            return start
    return message.partition(":")[0]
