"""Clauses by kind, part of speech and name, and which of them go wrong most often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from karat.graphs.drs.clauses import Clause, is_constant
from karat.graphs.error_profile import confusions, ranked, ranked_confusions

ROWS = (
    "operators", "roles", "concepts", "nouns", "verbs", "adjectives", "adverbs", "events",
)  # fmt: skip
"""Kinds of clauses, and concepts by the part of speech of their sense."""
_SPEECH = {"n": "nouns", "v": "verbs", "a": "adjectives", "s": "adjectives", "r": "adverbs"}
_QUOTES = "\"'"


def row_counts(
    gold: Iterable[Clause], system: Iterable[Clause], matched: Iterable[Clause]
) -> list[float]:
    """For each of `ROWS`, how many clauses gold, system and both have."""
    counts = [_counted(each) for each in (gold, system, matched)]
    return [count[name] for name in ROWS for count in counts]


def _counted(clauses: Iterable[Clause]) -> Counter[str]:
    found: Counter[str] = Counter()
    for clause in clauses:
        found[clause.kind] += 1
        if clause.kind == "concepts":
            speech = _SPEECH.get(clause.arguments[0].strip(_QUOTES)[:1], "")
            found[speech] += 1
            found["events"] += speech in ("verbs", "adjectives")
    return found


def title(clause: Clause) -> str:
    """The name of an operator or role, and of a concept with its sense.

    >>> title(Clause("b1", "boy", ('"n.01"', "x1"))), title(Clause("b1", "Agent", ("e1", "x1")))
    ('boy.n.01', 'Agent')
    """
    if clause.kind != "concepts" or len(clause.arguments) != 2:
        return clause.name
    return f"{clause.name}.{clause.arguments[0].strip(_QUOTES)}"


def by_title(clauses: Iterable[Clause]) -> dict[str, list[Clause]]:
    """Clauses with the same title together."""
    found: dict[str, list[Clause]] = {}
    for clause in clauses:
        found.setdefault(title(clause), []).append(clause)
    return found


def shown(clause: Clause) -> str:
    """The clause as it is written."""
    return " ".join((clause.box, clause.name, *clause.arguments))


def clause_profile(explanations: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The titles that are missing and surplus most often, and those taken for others.

    One is taken for another where box and arguments correspond.
    """
    missing, surplus = Counter[str](), Counter[str]()
    confused = Counter[tuple[str, str]]()
    for one in explanations:
        gold, system = ([_entry(line) for line in one[side]] for side in ("missing", "surplus"))
        missing.update(entry[-1] for entry in gold)
        surplus.update(entry[-1] for entry in system)
        partner = {ours: theirs for theirs, ours in one["correspondences"]}
        partner |= {end: end for entry in gold for end in entry[:-1] if is_constant(end)}
        confused.update(confusions(gold, system, partner))
    return {
        "missing": ranked(missing),
        "surplus": ranked(surplus),
        "confusions": ranked_confusions(confused),
    }


def _entry(line: str) -> Sequence[str]:
    """Box and arguments, and what the clause says of them."""
    box, name, *arguments = line.split()
    clause = Clause(box, name, tuple(arguments))
    ends = arguments[1:] if clause.kind == "concepts" else arguments
    return [box, *ends, title(clause)]
