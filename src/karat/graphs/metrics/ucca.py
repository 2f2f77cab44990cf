"""UCCA by its own authors' evaluation: units that cover the same words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from karat.core.capabilities import grid_in
from karat.core.marks import Score, count, main, mark_at
from karat.core.metric import Counts, Explanation, Metric
from karat.core.reading.strings import utf16
from karat.core.scores import Array, MetricsDict, Scores, harmonic, ratio
from karat.core.shown import Fault, Kind, Raw, Shown
from karat.errors import OptionError, PairingError, counted
from karat.graphs.matching.tuples import bits
from karat.graphs.ucca.evaluation import (
    CATEGORIES,
    CLASSES,
    CONSTRUCTIONS,
    Candidates,
    Units,
    check_tagged,
    normalize_pair,
)
from karat.graphs.ucca.passages import Brackets, Passage, bracketed

Type: TypeAlias = Literal["labeled", "unlabeled", "weak_labeled"]
Construction: TypeAlias = Literal[
    "categories",
    "honest",
    "mwe",
    "main_rel",
    "expletives",
    "aspectual_verbs",
    "light_verbs",
    "pred_nouns",
    "pred_adjs",
]

_PARTNERS = {"P": "S", "S": "P", "H": "C", "C": "H", "N": "L", "L": "N", "F": "R", "R": "F"}
_UNMATCHED = "<UNMATCHED>"
_LAYER = "units"
_TITLES = {"p": "precision", "r": "recall", "f": "f1"}


class Ucca(Metric[Passage, Passage]):
    '''Primary, remote and implicit units, labelled, unlabelled and weakly labelled.

    A unit is known by the words it covers, without punctuation; units that cover the same words
    are merged, with all their categories, and match where they share a category (`labeled`),
    regardless of category (`unlabeled`), or where the system has a category that is often
    confused with gold's (`weak_labeled`). Both passages are normalised first (`normalize`),
    which also moves function words that both have out of the way, so that the number of gold
    units depends on the system. `average` is the score of all three kinds of units together.

    `constructions` adds rows: `categories` one for each category, as the authors count
    it, on units that gold has and gives the category, so that precision is the share of
    rightly labelled ones among those found; `honest` on units that gold gives the
    category for recall, and that the system gives it for precision.

    The definition of Hershcovich et al. (2019, SemEval task 1) in version 1.3.11 of
    their toolkit. Nothing guessed is a precision of 1, nothing to find a recall of 1.

    >>> from karat.graphs.ucca.passages import parse_passage
    >>> xml = """<root passageID="1"><layer layerID="0"><node ID="0.1" type="Word"/></layer>
    ... <layer layerID="1"><node ID="1.1" type="FN"><edge toID="1.2" type="H"/></node>
    ... <node ID="1.2" type="FN"><edge toID="0.1" type="Terminal"/></node></layer></root>"""
    >>> passage = parse_passage(xml.encode())
    >>> Ucca().score(passage, passage)["average"]["labeled"]["f"]
    1.0
    '''

    name = "ucca"
    kind = "passage"

    normalize: Annotated[bool, "normalise both passages first"] = True
    types: Annotated[tuple[Type, ...], "how units match: labeled, unlabeled, weak_labeled"] = (
        "labeled",
        "unlabeled",
        "weak_labeled",
    )
    constructions: Annotated[
        tuple[Construction, ...],
        "what to score besides: categories, honest, mwe, main_rel, expletives; where gold "
        "has parts of speech also aspectual_verbs, light_verbs, pred_nouns, pred_adjs",
    ] = ()

    def __post_init__(self) -> None:
        if not self.types:
            raise OptionError("ucca needs at least one of its types", code="K302")

    @property
    def rows(self) -> tuple[str, ...]:
        """The kinds of units that are scored."""
        categories = CATEGORIES if "categories" in self.constructions else ()
        others = (each for each in CONSTRUCTIONS if each in self.constructions)
        return (*CLASSES, *others, *categories)

    @property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        counts = [f"{kind}.{row}.{c}" for kind in self.types for row in self.rows for c in "gsc"]
        if "honest" in self.constructions:
            counts += [f"honest.{category}.{c}" for category in CATEGORIES for c in "gsc"]
        return ("n", *counts)

    def absent(self, gold: Passage) -> Passage:
        return gold.emptied()

    tracing = grid_in("karat.graphs.metrics.grids.frameworks", "ucca")

    def measure(self, system: Passage, gold: Passage) -> Counts:
        ours, theirs = self._candidates(system, gold)
        reference = theirs.categories_by_words()
        units = [
            {row: _units(each, row, reference) for row in self.rows} for each in (theirs, ours)
        ]
        row: list[float] = [1]
        for kind in self.types:
            for name in self.rows:
                g, s = (each[name] for each in units)
                common = [
                    words for words in g.keys() & s.keys() if _agree(s[words], g[words], kind)
                ]
                row += [len(g), len(s), len(common)]
        if "honest" in self.constructions:
            for category in CATEGORIES:
                g, s = theirs.labeled(category), ours.labeled(category)
                row += [len(g), len(s), len(g.keys() & s.keys())]
        return row

    def _candidates(self, system: Passage, gold: Passage) -> tuple[Candidates, Candidates]:
        words = [[unit.id for unit in passage.terminals] for passage in (system, gold)]
        if words[0] != words[1]:
            raise PairingError(
                f"passage {gold.id!r} has {counted(len(words[1]), 'word')} in gold, "
                f"{len(words[0])} in the system",
                code="K222",
            )
        check_tagged(gold, self.constructions)
        if self.normalize:
            gold, system = normalize_pair(gold, system)
        return Candidates(system, gold), Candidates(gold)

    def summarize(self, totals: Array) -> Scores:
        column = self.by_column(totals)

        def compared(kind: str, rows: Sequence[str]) -> dict[str, Array | Score]:
            gold, system, common = (
                sum(
                    (column[f"{kind}.{row}.{c}"] for row in rows[1:]),
                    column[f"{kind}.{rows[0]}.{c}"],
                )
                for c in "gsc"
            )
            p, r = ratio(common, system, empty=1.0), ratio(common, gold, empty=1.0)
            counts = {"g": count(gold), "s": count(system), "c": count(common)}
            return {**counts, "p": p, "r": r, "f": harmonic(p, r)}

        scores: dict[str, Any] = {"n": count(column["n"])}
        for kind in self.types:
            scores[kind] = {row: compared(kind, (row,)) for row in self.rows}
        if "honest" in self.constructions:
            scores["honest"] = {each: compared("honest", (each,)) for each in CATEGORIES}
        scores["average"] = {kind: compared(kind, CLASSES) for kind in self.types}
        mark_at(scores, f"average.{self.types[0]}.f", main)
        return scores

    def explain(self, system: Passage, gold: Passage) -> Explanation:
        """For the words of each primary unit, the system's categories and gold's."""
        ours, theirs = (each.confusable() for each in self._candidates(system, gold))
        numbers = [unit.id[1] for unit in gold.terminals]
        return {
            "units": [
                {
                    "words": [numbers[i] for i in bits(words)],
                    "system": _joined(ours.get(words)),
                    "gold": _joined(theirs.get(words)),
                }
                for words in sorted(ours.keys() | theirs.keys(), key=bits)
            ]
        }

    def shown(self, system: Passage, gold: Passage, explanation: Explanation) -> Shown:
        words = {unit.id[1]: unit.text for unit in gold.terminals}
        sides = bracketed(gold), bracketed(system)
        found = Shown([Raw(sides[0].text)], Raw(sides[1].text), " ".join(words.values()))
        marks: list[int] = []
        for unit in explanation.get("units", ()):
            ours, theirs = unit["system"], unit["gold"]
            if ours == theirs:
                continue
            kind = Kind.CHANGED
            if _UNMATCHED in (ours, theirs):
                kind = Kind.MISSING if ours == _UNMATCHED else Kind.SURPLUS
            marks += _marks(kind, unit["words"], sides, (theirs, ours))
            values = ("" if each == _UNMATCHED else each for each in (theirs, ours))
            found.faults.append(Fault("units", kind, *values))
            covered = " ".join(words.get(word, "?") for word in unit["words"])
            found.notes.append(f"{kind.name.lower()}: {_told(theirs, ours)} {covered!r}")
        found.layers = {_LAYER: marks}
        return found

    def error_profile(self, explanations: Iterable[Explanation]) -> Explanation:
        """The confusion matrix: categories of gold, those of the system, how often."""
        counts = Counter(
            (unit["gold"], unit["system"]) for one in explanations for unit in one["units"]
        )
        ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
        return {
            "confusions": [
                {"gold": gold, "system": system, "count": times}
                for (gold, system), times in ordered
            ]
        }

    def line(self, scores: MetricsDict) -> str:
        """The titles and values that the authors' toolkit writes to its CSV files."""
        cells = [
            (f"{row}_{kind}_{_TITLES[name]}", f"{scores[kind][row][name]:.3f}")
            for kind in self.types
            for row in self.rows
            for name in "prf"
        ]
        return "\n".join(map(",".join, zip(*cells, strict=True)))


def _units(candidates: Candidates, row: str, reference: Units) -> Units:
    if row in CLASSES:
        return candidates.of_class(row)
    if row in CONSTRUCTIONS:
        return candidates.of_construction(row)
    return candidates.of_category(row, reference)


def _agree(system: set[str], gold: set[str], kind: str) -> bool:
    if kind == "weak_labeled":
        system = system | {_PARTNERS[each] for each in system if each in _PARTNERS}
    return kind == "unlabeled" or bool(system & gold)


def _told(gold: str, system: str) -> str:
    """The categories of a unit that differs."""
    if _UNMATCHED in (gold, system):
        return system if gold == _UNMATCHED else gold
    return f"{gold} → {system}"


def _marks(
    kind: Kind, words: list[int], sides: tuple[Brackets, Brackets], said: tuple[str, str]
) -> list[int]:
    """Where the categories of a unit stand that the other side does not have.

    Normalising may have taken words out of the unit: it is the smallest that covers them.
    """
    covered = frozenset(words)
    spans: list[list[tuple[int, int]]] = []
    for side, mine, others in zip(sides, said, reversed(said), strict=True):
        if mine == _UNMATCHED:
            spans.append([])
            continue
        places = utf16(side.text)
        wanted, other = set(mine.split("|")), set(others.split("|"))
        over = (each for each in side.labels if covered.issubset(each[0]))
        found = [each for each in over if wanted & _split(each)]
        least = min((len(each[0]) for each in found), default=0)
        own = [each for each in found if len(each[0]) == least]
        alone = [each for each in own if not other & _split(each)]
        ends = [(begin, begin + len(label)) for _, label, begin in alone or own]
        spans.append(ends if places is None else [(places[a], places[b]) for a, b in ends])
    theirs, ours = spans
    marks: list[int] = []
    for i in range(max(len(theirs), len(ours))):
        first, second = (each[i] if i < len(each) else (-1, -1) for each in (theirs, ours))
        marks += [kind, 0, *first, *second]
    return marks


def _split(label: tuple[list[int], str, int]) -> set[str]:
    return set(label[1].split("|"))


def _joined(categories: set[str] | None) -> str:
    return _UNMATCHED if categories is None else "|".join(sorted(categories))
