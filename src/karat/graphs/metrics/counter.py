"""Counter: clauses of discourse representation structures under the best mapping."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from karat.core.files.opener import Source
from karat.core.frequent_errors import ranked, ranked_confusions
from karat.core.marks import Score, count, main
from karat.core.metric import Counts, Explanation, Metric, Split
from karat.core.options import File, Mode, Range
from karat.core.pairing.pairs import ParsedChunk, Report
from karat.core.reading.items import Pair, Refs, Rows
from karat.core.scores import Array, Scores, harmonic, precision_recall, ratio
from karat.core.shown import Shown
from karat.errors import FormatError, OptionError, PairingError, counted
from karat.graphs.drs.clauses import (
    QUOTES,
    Clause,
    by_title,
    is_constant,
    prepared,
    problem_of,
    read_clauses,
    title,
    written,
)
from karat.graphs.drs.matching import (
    ClauseMatching,
    issue_certificate,
    match_clauses,
    verify_certificate,
)
from karat.graphs.matching.solver import DEFAULT_BUDGET, Budget
from karat.graphs.pictures.content import shown_clauses

IllFormed: TypeAlias = Literal["score", "dummy", "spar", "error"]

ROWS = (
    "operators", "roles", "concepts", "nouns", "verbs", "adjectives", "adverbs", "events",
)  # fmt: skip
"""Kinds of clauses, and concepts by the part of speech of their sense."""
_SPEECH = {"n": "nouns", "v": "verbs", "a": "adjectives", "s": "adjectives", "r": "adverbs"}

#: A blank is in no name that was read, so that this matches nothing.
_DUMMY = [Clause("b1", "REF", ("x1",)), Clause("b1", "no concept", ('"n.01"', "x1"))]


class ClauseCounter(Metric[str, str]):
    """Clauses that two structures share under the best one-to-one mapping of variables.

    The definition of van Noord et al. (2018), computed exactly: boxes map to boxes,
    referents to referents, and no mapping matches more clauses; Counter itself climbs
    from random starts. Also by kind of clause, and concepts by part of speech, under
    that mapping. Precision and recall are not rounded before F, unless `rounded`.

    A system's structure is well-formed if its clauses have the shapes that their names
    ask for, boxes lie in an order without cycles in which each referent is bound, and all
    boxes are connected. `ill` counts those that are not; what they get is the choice of
    `ill_formed`: the shared task put a structure that matches nothing in their place.

    >>> gold = 'b1 REF x1\\nb1 REF e1\\nb1 dog "n.01" x1\\nb1 Agent e1 x1\\nb1 bark "v.01" e1'
    >>> system = gold.replace("Agent", "Theme").replace("x1", "x2")
    >>> scores = ClauseCounter().score(system, gold)
    >>> scores["c"], scores["g"], scores["s"], scores["roles"]["c"]
    (2, 3, 3, 0)
    """

    name = "counter"
    kind = "drs"
    inexact_column = "inexact"
    chunk_size = 16
    columns = (
        "n", "inexact", "ill", "g", "s", "c", "bound",
        *(f"{row}.{c}" for row in ROWS for c in "gsc"),
    )  # fmt: skip

    ill_formed: Annotated[
        IllFormed,
        "an ill-formed system structure is scored as it is, replaced by one that matches "
        "nothing (dummy) or by that of a baseline (spar), or is an error",
    ] = "score"
    spar: Annotated[
        str,
        File(),
        "a file with the baseline's structure, for ill_formed='spar'; you provide it",
    ] = ""
    keep_references: Annotated[bool, "count REF clauses that others imply"] = False
    sense: Annotated[bool, "compare the senses of concepts"] = True
    role: Annotated[bool, "compare the names of roles"] = True
    concept: Annotated[bool, "compare concepts"] = True
    synsets: Annotated[
        str, File(), "a file of synonyms, two a line: lemma.pos.nn, and the one to take for it"
    ] = ""
    baseline: Annotated[
        bool, "the system's file holds one structure, which is compared with each of gold's"
    ] = False
    rounded: Annotated[bool, "round precision and recall to four digits before F"] = False
    limit: Annotated[int, Range(1), "how many mappings of boxes to look into for one pair"] = 2_000
    budget: Budget = DEFAULT_BUDGET

    def __post_init__(self) -> None:
        if bool(self.spar) != (self.ill_formed == "spar"):
            raise OptionError(
                "ill_formed='spar' and the file of that structure (spar) go together",
                code="K390",
                advice="give both: ``ill_formed='spar'`` ``spar='FILE'``",
            )

    def absent(self, gold: str) -> str:
        return ""

    def pairs_itself(self, mode: Mode, golds: int) -> bool:
        return self.baseline

    def cuts(
        self, system: Refs, golds: Sequence[Refs], report: Report, size: int
    ) -> Iterator[tuple[Rows, Rows]]:
        if len(system) != 1:
            raise PairingError(
                f"the file of a baseline holds one structure, found {len(system)}", code="K202"
            )
        (gold,) = golds
        for begin in range(0, len(gold), size):
            yield slice(None), slice(begin, begin + size)

    def pair_items(self, chunk: ParsedChunk) -> Iterator[Pair]:
        """The system's only structure against each of gold's."""
        (ours,) = chunk.systems
        if ours.error:
            raise ours.error
        for index, item in enumerate(chunk.golds[0], chunk.first):
            if item.error and chunk.takes(index):
                chunk.report.broken_gold(item.error)
            elif not item.error:
                yield Pair(index, str(index + 1), item.fields, ours.value, item.value, item.key)

    def clauses(self, text: str) -> list[Clause]:
        """The clauses of a structure, as they are compared."""
        return self._prepared(read_clauses(text))

    def _prepared(self, clauses: Sequence[Clause]) -> list[Clause]:
        return prepared(
            clauses,
            keep_references=self.keep_references,
            sense=self.sense,
            role=self.role,
            concept=self.concept,
            synsets=_synonyms(self.synsets) if self.synsets else None,
        )

    def _of_system(self, text: str) -> tuple[list[Clause], bool]:
        """The system's clauses, or what stands in for them, and whether they are ill-formed."""
        clauses = read_clauses(text)
        problem = problem_of(clauses) if clauses else None
        if problem is None or self.ill_formed == "score":
            return self._prepared(clauses), problem is not None
        if self.ill_formed == "error":
            error = FormatError(f"an ill-formed structure of the system: {problem}", code="K169")
            error.side = "system"
            raise error
        if self.ill_formed == "spar":
            return self.clauses(_content(self.spar)), True
        return _DUMMY if self.keep_references else _DUMMY[1:], True

    def _match(
        self, system: str, gold: str
    ) -> tuple[list[Clause], list[Clause], ClauseMatching, bool]:
        theirs, (ours, ill) = self.clauses(gold), self._of_system(system)
        found = match_clauses(theirs, ours, limit=self.limit, budget=self.budget)
        return theirs, ours, found, ill

    def measure(self, system: str, gold: str) -> Counts:
        return _row(*self._match(system, gold))

    certifies = True

    def measure_certified(self, pairs: Sequence[tuple[str, str]]) -> tuple[Array, list[bytes]]:
        rows, proofs = [], []
        for system, gold in pairs:
            theirs, ours, found, ill = self._match(system, gold)
            rows.append(_row(theirs, ours, found, ill))
            proofs.append(issue_certificate(theirs, ours, found, self.budget))
        return np.array(rows, np.float64).reshape(-1, len(self.columns)), proofs

    def check_certified(self, pairs: Sequence[tuple[str, str]], proofs: Sequence[bytes]) -> Array:
        rows = []
        for (system, gold), proof in zip(pairs, proofs, strict=True):
            theirs, (ours, ill) = self.clauses(gold), self._of_system(system)
            search = partial(match_clauses, theirs, ours, limit=self.limit, budget=self.budget)
            found = verify_certificate(theirs, ours, proof, search)
            rows.append(_row(theirs, ours, found, ill))
        return np.array(rows, np.float64).reshape(-1, len(self.columns))

    def summarize(self, totals: Array) -> Scores:
        column = self.by_column(totals)
        best = precision_recall(column["g"], column["s"], column["bound"])
        whole = self._compared(column["g"], column["s"], column["c"])
        scores: dict[str, Any] = {
            "n": count(column["n"]),
            **whole,
            "f": main(whole["f"]),
            "exact": count(column["n"] - column["inexact"]),
            "ill": count(column["ill"]),
            "bound": {"c": best["c"], "f": best["f"]},
        }
        for row in ROWS:
            scores[row] = self._compared(*(column[f"{row}.{side}"] for side in "gsc"))
        return scores

    def _compared(self, gold: Array, system: Array, common: Array) -> dict[str, Array | Score]:
        found = precision_recall(gold, system, common)
        if self.rounded:
            p, r = (np.round(ratio(common, size), 4) for size in (system, gold))
            found |= {"p": p, "r": r, "f": harmonic(p, r)}
        return found

    def caveats(self, totals: Array) -> list[str]:
        ill = int(totals[list(self.columns).index("ill")])
        if not ill or self.ill_formed != "score":
            return []
        subject = counted(ill, "structure of the system is", "structures of the system are")
        return [
            f"{subject} ill-formed (scored as found); the shared task put ones that match nothing "
            "in their place (ill_formed='dummy')"
        ]

    # -- clauses by name ----------------------------------------------------------

    facets = ("clause",)

    def split(self, facet: str, pairs: Sequence[tuple[str, str]]) -> Split:
        """Counts by operator, role and concept."""
        places: list[int] = []
        values: list[str] = []
        rows: list[list[float]] = []
        for place, (system, gold) in enumerate(pairs):
            theirs, ours, found, _ = self._match(system, gold)
            sides = [by_title(each) for each in (theirs, ours, found.matched)]
            for name in dict.fromkeys((*sides[0], *sides[1])):
                g, s, c = (side.get(name, []) for side in sides)
                places.append(place)
                values.append(name)
                rows.append([0, 0, 0, len(g), len(s), len(c), len(c), *row_counts(g, s, c)])
        return Split(places, values, np.array(rows, float).reshape(-1, len(self.columns)))

    def explain(self, system: str, gold: str) -> Explanation:
        """Which variables correspond, and the clauses that are missing or surplus."""
        theirs, ours, found, _ = self._match(system, gold)
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
            "missing": [written(clause) for clause in theirs if clause not in known],
            "surplus": [written(clause) for clause in ours if clause not in images],
        }

    def shown(self, system: str, gold: str, explanation: Explanation) -> Shown:
        theirs, (ours, _) = self.clauses(gold), self._of_system(system)
        return shown_clauses(ours, theirs, explanation)

    def error_profile(self, explanations: Iterable[Explanation]) -> Explanation:
        """The operators, roles and concepts that are missing or surplus most often.

        One is taken for another where box and referents correspond.
        """
        return clause_profile(explanations)


def _row(
    gold: Sequence[Clause], system: Sequence[Clause], found: ClauseMatching, ill: bool
) -> list[float]:
    row: list[float] = [
        1, not found.proven, ill, len(gold), len(system), found.value, found.bound,
    ]  # fmt: skip
    return row + row_counts(gold, system, found.matched)


@cache
def _synonyms(path: str) -> dict[str, str]:
    lines: Sequence[list[str]] = [line.split() for _, line in Source(path).lines()]
    return {fields[0]: fields[1] for fields in lines if len(fields) >= 2}


@cache
def _content(path: str) -> str:
    return "\n".join(line for _, line in Source(path).lines())


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
            speech = _SPEECH.get(clause.arguments[0].strip(QUOTES)[:1], "")
            found[speech] += 1
            found["events"] += speech in ("verbs", "adjectives")
    return found


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
        confused.update(_confusions(gold, system, partner))
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


def _confusions(
    missing: Iterable[Sequence[Any]], surplus: Iterable[Sequence[Any]], partner: Mapping[Any, Any]
) -> list[tuple[str, str]]:
    """The labels of gold that others are taken for: the last of each entry, at the same nodes."""
    theirs: dict[tuple[Any, ...], list[str]] = {}
    for *ends, label in missing:
        theirs.setdefault(tuple(ends), []).append(str(label))
    found = []
    for *ends, label in surplus:
        place = tuple(partner.get(end) for end in ends)
        if theirs.get(place):
            found.append((theirs[place].pop(0), str(label)))
    return found
