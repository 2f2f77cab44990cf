"""What the official evaluation of UCCA compares: normalised passages, and their units by kind.

Normalising makes different ways to annotate the same the same: scenes get a unit of their own,
unary chains are shortened, function words lie flat, punctuation is attached where it stands. The
kinds of units are what the evaluation calls constructions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from karat.errors import FormatError, Place
from karat.graphs.matching.tuples import bits
from karat.graphs.ucca.passages import TERMINAL, Link, Passage, Unit, positions, walk_up, yields

Words: TypeAlias = int
"""Bits, by the places of words among all terminals."""
Units: TypeAlias = dict[Words, set[str]]
"""The words that units cover, and the categories of all units that cover them."""

CLASSES = ("primary", "remote", "implicit")
CATEGORIES = tuple("ACDEFGHLNPQRSTU")
PUNCTUATION = "U"
CONSTRUCTIONS = (
    "mwe", "main_rel", "expletives", "aspectual_verbs", "light_verbs", "pred_nouns", "pred_adjs",
)  # fmt: skip
TAGGED = frozenset(("aspectual_verbs", "light_verbs", "pred_nouns", "pred_adjs"))
"""The constructions that take parts of speech, which gold's terminals must have."""

_INSIDE_PREDICATES = frozenset(("C", "F", TERMINAL))
_EXPLETIVES = frozenset(("it", "there"))


class Candidates:
    """The edges of a passage that units are made of, and the words that they cover.

    `gold` is the passage whose words and parts of speech count; itself, where left out.
    """

    def __init__(self, passage: Passage, gold: Passage | None = None) -> None:
        self._terminals = (gold or passage).terminals
        self._words = yields(passage)
        self._positions = positions(passage)
        self.links = [
            link
            for unit in passage.inner
            for link in unit.children
            if not {TERMINAL, "LR", "LA"} & set(link.categories)
            and link.child.tag != "LKG"
            and link.child.id[0] == 1
        ]

    def class_of(self, link: Link) -> str | None:
        """Primary, remote or implicit; None where a candidate is none of these."""
        if link.child.implicit:
            return None if link.remote else "implicit"
        if PUNCTUATION in link.categories or link.child.tag == "PNCT":
            return None
        return "remote" if link.remote else "primary"

    def covered(self, link: Link) -> Words:
        """The words of a candidate; an implicit one has those of its parent."""
        implicit = self.class_of(link) == "implicit"
        return self._words[(link.parent if implicit else link.child).id]

    def categories_by_words(self) -> Units:
        """All categories of all candidates."""
        return united((self.covered(link), link) for link in self.links)

    def of_class(self, name: str) -> Units:
        return self._united(link for link in self.links if self.class_of(link) == name)

    def of_category(self, category: str, reference: Mapping[Words, set[str]]) -> Units:
        """The units whose words have the category in the reference, whatever they have here.

        Punctuation is looked up by its own position, where the reference, which leaves
        punctuation out, has nothing; what it finds are implicit units, which have no position.
        """
        if category == PUNCTUATION:
            return united(
                (self._positions[link.child.id], link)
                for link in self._not_remote()
                if category in reference.get(self._positions[link.child.id], ())
            )
        return self._united(
            link for link in self._not_remote() if category in reference.get(self.covered(link), ())
        )

    def labeled(self, category: str) -> Units:
        """The units that have a category here; punctuation is known by its position."""
        chosen = [link for link in self._not_remote() if category in link.categories]
        if category == PUNCTUATION:
            return united((self._positions[link.child.id], link) for link in chosen)
        return self._united(chosen)

    def _not_remote(self) -> list[Link]:
        return [link for link in self.links if self.class_of(link) != "remote"]

    def of_construction(self, name: str) -> Units:
        """The units of one of `CONSTRUCTIONS`."""
        return self._united(link for link in self.links if self._is(name, link))

    def _is(self, name: str, link: Link) -> bool:
        if name == "mwe":
            return self.class_of(link) == "primary" and _terminals(link.child) > 1
        if name == "main_rel":
            return self._is_main_relation(link)
        if name == "expletives":
            return "F" in link.categories and self._forms(link) <= _EXPLETIVES
        speech = self._speech(link)
        if name == "aspectual_verbs":
            return "D" in link.categories and speech == {"VERB"}
        if name == "light_verbs":
            return "F" in link.categories and speech == {"VERB"}
        wanted, other = ("NOUN", "ADJ") if name == "pred_nouns" else ("ADJ", "NOUN")
        return wanted in speech and other not in speech and self._is_main_relation(link)

    def _is_main_relation(self, link: Link) -> bool:
        inside = {name for inner in link.child.children for name in inner.categories}
        return (
            bool({"P", "S"} & set(link.categories))
            and inside <= _INSIDE_PREDICATES
            and "to" not in self._forms(link)
        )

    def _below(self, link: Link) -> list[Unit]:
        """The terminals under a candidate, as gold has them."""
        return [self._terminals[place] for place in bits(self._positions[link.child.id])]

    def _forms(self, link: Link) -> set[str]:
        return {unit.text.lower() for unit in self._below(link)}

    def _speech(self, link: Link) -> set[str]:
        return {unit.speech for unit in self._below(link)}

    def confusable(self) -> Units:
        """The primary units, without those that only repeat their parent."""
        return self._united(
            link
            for link in self.links
            if self.class_of(link) == "primary"
            and not (link.parent.parents and self._words[link.parent.id] == self.covered(link))
        )

    def _united(self, links: Iterable[Link]) -> Units:
        return united((self.covered(link), link) for link in links)


def check_tagged(passage: Passage, constructions: Sequence[str]) -> None:
    """Refuses a passage without parts of speech where a construction takes them."""
    wanted = sorted(TAGGED.intersection(constructions))
    if wanted and any(unit.tag == "Word" and not unit.speech for unit in passage.terminals):
        raise FormatError(
            f"{wanted[0]} takes parts of speech, which words of gold do not have",
            code="K168",
            place=Place(item=passage.id),
            advice='tag them: <extra pos="VERB"/> in the nodes of layer 0',
        )


def united(pairs: Iterable[tuple[Words, Link]]) -> Units:
    """Words to the categories of all units that cover them."""
    result: Units = {}
    for words, link in pairs:
        result.setdefault(words, set()).update(link.categories)
    return result


def _terminals(unit: Unit) -> int:
    return sum(TERMINAL in inner.categories for inner in unit.children)


# -- normalising ----------------------------------------------------------------------------------

_OUTSIDE_SCENES = frozenset(("H", "U", "L", "G"))
_BETWEEN_SCENES = frozenset(("H", "L", "F", "G", "U", "R", "N", "LR", "LA"))


def normalize_pair(gold: Passage, system: Passage) -> tuple[Passage, Passage]:
    """Both passages normalised, with the function words they share moved out of the way."""
    gold, system = normalize_passage(gold), normalize_passage(system)
    ours, theirs = _functions(gold), _functions(system)
    for words in ours.keys() & theirs.keys():
        for passage, unit in ((gold, ours[words]), (system, theirs[words])):
            primary = unit.primary
            if primary is not None:
                # Where a remote edge from the same parent comes first, the toolkit cuts that.
                passage.cut(next(each for each in primary.parent.children if each.child is unit))
                passage.attach(Link(passage.root, unit, ["F"], False))
    return gold, system


def _functions(passage: Passage) -> dict[int, Unit]:
    words = yields(passage)
    return {
        words[unit.id]: unit
        for unit in passage.inner
        if unit.primary is not None and unit.primary.first == "F"
    }


def normalize_passage(passage: Passage) -> Passage:
    """A copy of the passage in normal form."""
    passage = passage.copy()
    _place_punctuation(passage)
    _visit_all(passage)
    _place_punctuation(passage)
    return passage


def _place_punctuation(passage: Passage) -> None:
    for unit in passage.inner:
        if unit.tag == "PNCT" and unit.id in passage.units:
            passage.delete(unit)
    terminals = passage.terminals
    words = [unit for unit in terminals if unit.tag == "Word"]
    following = 0
    for mark in terminals:
        following += mark.tag == "Word"
        if mark.tag != "Punctuation" or mark.parents:
            continue
        # Before the first word the toolkit goes on from the end of the passage.
        left = words[following - 1] if words else None
        right = words[following] if following < len(words) else None
        unit = passage.new_unit("PNCT")
        passage.attach(Link(_place(passage, left, right), unit, ["U"], False))
        passage.attach(Link(unit, mark, [TERMINAL], False))


def _place(passage: Passage, left: Unit | None, right: Unit | None) -> Unit:
    start = left or right
    if start is None:
        return passage.root
    above = set() if right is None else set(walk_up(right))
    for unit in walk_up(start):
        if unit.tag != "FN":
            continue
        if left is not None and right is not None:
            if unit in above:
                return unit
        elif not any(TERMINAL in link.categories for link in unit.children):
            return unit
    return passage.root


def _visit_all(passage: Passage) -> None:
    seen: set[Unit] = set()
    for start in [unit for unit in passage.inner if not unit.parents]:
        if start in seen or start.id not in passage.units:
            continue
        seen.add(start)
        _normalize_unit(passage, start)
        # Each with the number of children that are done, while these children stay.
        path = [(start, -1, 0)]
        on_path = {start}
        while path:
            unit, changes, done = path[-1]
            if changes != unit.changes:
                done = 0
                back = next((link for link in unit.children if link.child in on_path), None)
                if back is not None:
                    passage.cut(back)
                    continue
            step = next(
                (
                    place
                    for place in range(done, len(unit.children))
                    if (child := unit.children[place].child).id[0] == 1 and child not in seen
                ),
                None,
            )
            if step is None:
                path.pop()
                on_path.remove(unit)
                continue
            path[-1] = unit, unit.changes, step + 1
            child = unit.children[step].child
            seen.add(child)
            path.append((child, -1, 0))
            on_path.add(child)
            _normalize_unit(passage, child)


def _normalize_unit(passage: Passage, unit: Unit) -> None:
    if unit.tag != "FN":
        return
    for step in (_separate_scenes, _centres, _functions_flat, _participants, _scenes):
        primary = unit.primary
        upper = primary.parent if primary else None
        step(passage, unit)
        if unit.id not in passage.units:
            if upper is None or upper.id not in passage.units:
                return
            unit = upper


def _separate_scenes(passage: Passage, unit: Unit) -> None:
    if not any(unit.with_category(each) for each in "PSA"):
        return
    scenes = unit.with_category("H")
    moving = [link for link in unit.children if link.first not in _OUTSIDE_SCENES]
    # An H that moves to the new scene makes one there again, without end, where that scene stays.
    ends = any(link.first in _OUTSIDE_SCENES for link in scenes) or _is_flattened(moving)
    if unit.parents and not (scenes and ends):
        return
    scene = passage.new_unit("FN")
    passage.attach(Link(unit, scene, ["H"], False))
    for link in moving:
        _move(passage, link, scene)


def _centres(passage: Passage, unit: Unit) -> None:
    centres = unit.with_category("C")
    if len(centres) != 1:
        return
    primary = unit.primary
    if primary is not None and primary.first == "C" and len(primary.parent.with_category("C")) == 1:
        for link in list(unit.parents):
            if link.remote:
                passage.connect(link.parent, centres[0].child, link.categories, True)
        for link in list(unit.children):
            _move(passage, link, primary.parent)
        passage.delete(unit)
    elif len(unit.children) == 1:
        _replace(passage, unit, centres[0].child, centres[0].remote)


def _functions_flat(passage: Passage, unit: Unit) -> None:
    if not unit.parents:
        return
    for link in unit.with_category("F"):
        child = link.child
        if child.id not in passage.units:
            continue
        if any(TERMINAL not in inner.categories for inner in child.children):
            for inner in list(child.children):
                name = "F" if inner.first == "C" else inner.first
                passage.cut(inner)
                passage.connect(unit, inner.child, [name], inner.remote)
            passage.delete(child)
    if len(unit.children) == 1 and "F" in unit.children[0].categories:
        _replace(passage, unit, unit.children[0].child)


def _participants(passage: Passage, unit: Unit) -> None:
    participants = unit.with_category("A")
    if not participants:
        return
    primary = participants[0].child.primary
    if len(unit.children) == 1 and primary is not None and len(primary.categories) == 1:
        _replace(passage, unit, participants[0].child)
    elif not unit.with_category("P") and not unit.with_category("S"):
        for link in participants:
            if link.child.implicit and link.child.id in passage.units:
                passage.delete(link.child)


def _scenes(passage: Passage, unit: Unit) -> None:
    for link in unit.with_category("H"):
        child = link.child
        if child.id in passage.units and child.children and _is_flattened(child.children):
            for inner in list(child.children):
                _move(passage, inner, unit)
            passage.delete(child)


def _is_flattened(links: Iterable[Link]) -> bool:
    """Whether a scene with these edges alone gives its place to what is below it."""
    return all(_BETWEEN_SCENES & set(link.categories) for link in links)


def _move(passage: Passage, link: Link, parent: Unit) -> None:
    passage.cut(link)
    passage.connect(parent, link.child, link.categories, link.remote)


def _replace(passage: Passage, unit: Unit, only: Unit, remote: bool = False) -> None:
    """Edges to a unit become edges to its only child, and the unit goes.

    Of a centre, all edges are remote where the one to it was.
    """
    for link in list(unit.parents):
        passage.connect(link.parent, only, link.categories, link.remote or remote)
    passage.delete(unit)
