"""UCCA by its own authors' evaluation: units that cover the same words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from karat.core.metric import Counts, Explanation, Metric
from karat.core.scores import Array, Scores, harmonic, ratio
from karat.errors import PairingError
from karat.graphs.passages import TERMINAL, Link, Passage, yields
from karat.graphs.ucca_normalization import normalize_pair

Construction: TypeAlias = Literal["categories", "mwe"]
Words: TypeAlias = frozenset[int]

_TYPES = ("labeled", "unlabeled", "weak_labeled")
_MAIN = ("primary", "remote", "implicit")
_CATEGORIES = tuple("ACDEFGHLNPQRST")
_PARTNERS = {"P": "S", "S": "P", "H": "C", "C": "H", "N": "L", "L": "N", "F": "R", "R": "F"}
_UNMATCHED = "<UNMATCHED>"


class Ucca(Metric[Passage, Passage]):
    '''Primary, remote and implicit units, labelled, unlabelled and weakly labelled.

    A unit is known by the words it covers, without punctuation; units that cover the
    same words are one, with the categories of them all, and match where they share a
    category (`labeled`), any way (`unlabeled`), or where the system has a category that
    is often confused with gold's (`weak_labeled`). Both passages are normalised first
    (`normalize`), which also moves function words that both have out of the way, so
    that the number of gold units depends on the system. `average` is the score of all
    three kinds of units together. `categories` adds a row for each category, on the
    units that have it in gold.

    The definition of Hershcovich et al. (2019, SemEval task 1) in version 1.3.11 of
    their toolkit. Nothing guessed is a precision of 1, nothing to find a recall of 1.

    >>> from karat.graphs.passages import parse_passage
    >>> xml = """<root passageID="1"><layer layerID="0"><node ID="0.1" type="Word"/></layer>
    ... <layer layerID="1"><node ID="1.1" type="FN"><edge toID="1.2" type="H"/></node>
    ... <node ID="1.2" type="FN"><edge toID="0.1" type="Terminal"/></node></layer></root>"""
    >>> passage = parse_passage(xml.encode())
    >>> Ucca().score(passage, passage)["average"]["labeled"]["f"]
    1.0
    '''

    name = "ucca"
    kind = "passage"
    headline = "average.labeled.f"

    def __init__(
        self,
        *,
        normalize: Annotated[bool, "normalise both passages first"] = True,
        constructions: Annotated[
            tuple[Construction, ...], "what to score besides: categories, mwe"
        ] = (),
    ) -> None:
        self.normalize = normalize
        self.constructions = constructions

    @property
    def rows(self) -> tuple[str, ...]:
        """The kinds of units that are scored."""
        extra = (*_MAIN, *(_CATEGORIES if "categories" in self.constructions else ()))
        return (*extra, "mwe") if "mwe" in self.constructions else extra

    @property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        return ("n", *(f"{kind}.{row}.{c}" for kind in _TYPES for row in self.rows for c in "gsc"))

    @property
    def totals(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset(
            (*self.columns, *(f"average.{kind}.{count}" for kind in _TYPES for count in "gsc"))
        )

    def measure(self, system: Passage, gold: Passage) -> Counts:
        ours, theirs = self._units(system, gold)
        row: list[float] = [1]
        for kind in _TYPES:
            for name in self.rows:
                g, s = theirs[name], ours[name]
                common = [
                    words for words in g.keys() & s.keys() if _agree(s[words], g[words], kind)
                ]
                row += [len(g), len(s), len(common)]
        return row

    def _units(
        self, system: Passage, gold: Passage
    ) -> tuple[dict[str, dict[Words, set[str]]], dict[str, dict[Words, set[str]]]]:
        words = [[unit.id for unit in passage.terminals] for passage in (system, gold)]
        if words[0] != words[1]:
            raise PairingError(
                f"passage {gold.id!r} has {len(words[1])} words in gold, "
                f"{len(words[0])} in the system",
                code="K222",
            )
        if self.normalize:
            gold, system = normalize_pair(gold, system)
        ours, theirs = _Units(system), _Units(gold)
        reference = theirs.categories_by_words()
        return ours.by_row(self.rows, reference), theirs.by_row(self.rows, reference)

    def summarize(self, totals: Array) -> Scores:
        column = dict(zip(self.columns, self.columns_of(totals), strict=True))

        def compared(kind: str, rows: Sequence[str]) -> dict[str, Array]:
            gold, system, common = (
                sum(
                    (column[f"{kind}.{row}.{c}"] for row in rows[1:]),
                    column[f"{kind}.{rows[0]}.{c}"],
                )
                for c in "gsc"
            )
            p, r = ratio(common, system, empty=1.0), ratio(common, gold, empty=1.0)
            return {"g": gold, "s": system, "c": common, "p": p, "r": r, "f": harmonic(p, r)}

        scores: dict[str, Any] = {"n": column["n"]}
        for kind in _TYPES:
            scores[kind] = {row: compared(kind, (row,)) for row in self.rows}
        scores["average"] = {kind: compared(kind, _MAIN) for kind in _TYPES}
        return scores

    def explain(self, system: Passage, gold: Passage) -> Explanation:
        """For the words of each primary unit, the system's categories and gold's."""
        if self.normalize:
            gold, system = normalize_pair(gold, system)
        ours, theirs = _Units(system).confusable(), _Units(gold).confusable()
        return {
            "units": [
                {
                    "words": sorted(words),
                    "system": _joined(ours.get(words)),
                    "gold": _joined(theirs.get(words)),
                }
                for words in sorted(ours.keys() | theirs.keys(), key=sorted)
            ]
        }


def _agree(system: set[str], gold: set[str], kind: str) -> bool:
    if kind == "weak_labeled":
        system = system | {_PARTNERS[each] for each in system if each in _PARTNERS}
    return kind == "unlabeled" or bool(system & gold)


def _joined(categories: set[str] | None) -> str:
    return _UNMATCHED if categories is None else "|".join(sorted(categories))


class _Units:
    """The candidates of a passage, and the words they cover."""

    def __init__(self, passage: Passage) -> None:
        self.words = yields(passage)
        self.candidates = [
            link
            for unit in passage.inner
            for link in unit.children
            if not {TERMINAL, "LR", "LA"} & set(link.categories)
            and link.child.tag != "LKG"
            and link.child.id[0] == 1
        ]

    def _class_of(self, link: Link) -> str | None:
        if link.child.implicit:
            return None if link.remote else "implicit"
        if "U" in link.categories or link.child.tag == "PNCT":
            return None
        return "remote" if link.remote else "primary"

    def covered(self, link: Link) -> Words:
        """The words of a candidate; an implicit one has those of its parent."""
        return self.words[(link.parent if link.child.implicit else link.child).id]

    def categories_by_words(self) -> dict[Words, set[str]]:
        return _united((self.covered(link), link) for link in self.candidates)

    def by_row(
        self, rows: Sequence[str], reference: Mapping[Words, set[str]]
    ) -> dict[str, dict[Words, set[str]]]:
        """Words to categories, for each kind of units."""
        result = {}
        for row in rows:
            if row in _MAIN:
                chosen = [link for link in self.candidates if self._class_of(link) == row]
            elif row == "mwe":
                chosen = [
                    link
                    for link in self.candidates
                    if self._class_of(link) == "primary" and _terminals(link) > 1
                ]
            else:
                chosen = [
                    link
                    for link in self.candidates
                    if not link.remote and row in reference.get(self.covered(link), ())
                ]
            result[row] = _united((self.covered(link), link) for link in chosen)
        return result

    def confusable(self) -> dict[Words, set[str]]:
        """The primary units, without those that only repeat their parent."""
        return _united(
            (self.covered(link), link)
            for link in self.candidates
            if self._class_of(link) == "primary"
            and not (link.parent.parents and self.words[link.parent.id] == self.covered(link))
        )


def _terminals(link: Link) -> int:
    return sum(TERMINAL in inner.categories for inner in link.child.children)


def _united(pairs: Iterator[tuple[Words, Link]] | Any) -> dict[Words, set[str]]:
    result: dict[Words, set[str]] = {}
    for words, link in pairs:
        result.setdefault(words, set()).update(link.categories)
    return result
