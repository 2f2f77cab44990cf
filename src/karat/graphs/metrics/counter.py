"""Counter: clauses of discourse representation structures under the best mapping."""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Annotated, Any

from karat.core.metric import Counts, Explanation, Metric
from karat.core.opener import Source
from karat.core.options import Range
from karat.core.scores import Array, Scores, precision_recall
from karat.graphs.clause_matching import ClauseMatching, match_clauses
from karat.graphs.clauses import Clause, prepared, read_clauses

_KINDS = ("operators", "roles", "concepts")
_PARTS = ("nouns", "verbs", "adjectives", "adverbs", "events")
_ROWS = (*_KINDS, *_PARTS)
_SPEECH = {"n": "nouns", "v": "verbs", "a": "adjectives", "s": "adjectives", "r": "adverbs"}


class ClauseCounter(Metric[str, str]):
    """Clauses that two structures share under the best one-to-one mapping of variables.

    The definition of van Noord et al. (2018), computed exactly: boxes map to boxes,
    referents to referents, and no mapping matches more clauses; Counter itself climbs
    from random starts. Also by kind of clause, and concepts by part of speech, under
    that mapping. Precision and recall are not rounded before F, as Counter does.

    >>> gold = 'b1 REF x1\\nb1 dog "n.01" x1\\nb1 Agent e1 x1\\nb1 bark "v.01" e1'
    >>> system = 'b1 dog "n.01" x2\\nb1 Theme e2 x2\\nb1 bark "v.01" e2'
    >>> scores = ClauseCounter().score(system, gold)
    >>> scores["c"], scores["g"], scores["s"], scores["roles"]["c"]
    (2, 3, 3, 0)
    """

    name = "counter"
    kind = "drs"
    headline = "f"
    inexact_column = "inexact"
    chunk_size = 16
    columns = (
        "n", "inexact", "g", "s", "c", "bound", *(f"{row}.{c}" for row in _ROWS for c in "gsc")
    )  # fmt: skip
    totals = frozenset(
        ("n", "exact", "g", "s", "c", "bound.c", *(f"{row}.{c}" for row in _ROWS for c in "gsc"))
    )

    def __init__(
        self,
        *,
        keep_references: Annotated[bool, "count REF clauses that others imply"] = False,
        sense: Annotated[bool, "compare the senses of concepts"] = True,
        role: Annotated[bool, "compare the names of roles"] = True,
        concept: Annotated[bool, "compare concepts"] = True,
        synsets: Annotated[
            str, "a file of synonyms, two a line: lemma.pos.nn, and the one to take for it"
        ] = "",
        limit: Annotated[
            int, Range(1), "how many mappings of boxes to look into for one pair"
        ] = 2_000,
    ) -> None:
        self.keep_references = keep_references
        self.sense = sense
        self.role = role
        self.concept = concept
        self.synsets = synsets
        self.limit = limit

    def absent(self, gold: str) -> str:
        return ""

    def clauses(self, text: str) -> list[Clause]:
        """The clauses of a structure, as they are compared."""
        return prepared(
            read_clauses(text),
            keep_references=self.keep_references,
            sense=self.sense,
            role=self.role,
            concept=self.concept,
            synsets=_synonyms(self.synsets) if self.synsets else None,
        )

    def _match(self, system: str, gold: str) -> tuple[list[Clause], list[Clause], ClauseMatching]:
        theirs, ours = self.clauses(gold), self.clauses(system)
        return theirs, ours, match_clauses(theirs, ours, limit=self.limit)

    def measure(self, system: str, gold: str) -> Counts:
        theirs, ours, found = self._match(system, gold)
        row: list[float] = [
            1, found.bound > found.value, len(theirs), len(ours), found.value, found.bound,
        ]  # fmt: skip
        counts = [_rows(each) for each in (theirs, ours, found.matched)]
        for name in _ROWS:
            row += [count[name] for count in counts]
        return row

    def summarize(self, totals: Array) -> Scores:
        column = dict(zip(self.columns, self.columns_of(totals), strict=True))
        best = precision_recall(column["g"], column["s"], column["bound"])
        scores: dict[str, Any] = {
            "n": column["n"],
            **precision_recall(column["g"], column["s"], column["c"]),
            "exact": column["n"] - column["inexact"],
            "bound": {"c": column["bound"], "f": best["f"]},
        }
        for row in _ROWS:
            scores[row] = precision_recall(*(column[f"{row}.{count}"] for count in "gsc"))
        return scores

    def explain(self, system: str, gold: str) -> Explanation:
        """Which variables correspond, and the clauses that are missing or surplus."""
        theirs, ours, found = self._match(system, gold)
        known = set(found.matched)
        images = {
            Clause(
                found.mapping.get(clause.box, ""),
                clause.name,
                tuple(found.mapping.get(each, each) for each in clause.arguments),
            )
            for clause in found.matched
        }
        return {
            "correspondences": [list(pair) for pair in found.mapping.items()],
            "missing": [_shown(clause) for clause in theirs if clause not in known],
            "surplus": [_shown(clause) for clause in ours if clause not in images],
        }


def _rows(clauses: Iterable[Clause]) -> Multiset[str]:
    found: Multiset[str] = Multiset()
    for clause in clauses:
        found[clause.kind] += 1
        if clause.kind == "concepts":
            speech = _SPEECH.get(clause.arguments[0].strip("\"'")[:1], "")
            found[speech] += 1
            found["events"] += speech in ("verbs", "adjectives")
    return found


def _shown(clause: Clause) -> str:
    return " ".join((clause.box, clause.name, *clause.arguments))


@cache
def _synonyms(path: str) -> dict[str, str]:
    lines: Sequence[list[str]] = [line.split() for _, line in Source(path).lines()]
    return {fields[0]: fields[1] for fields in lines if len(fields) >= 2}
