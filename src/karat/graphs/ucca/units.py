"""The units of a UCCA passage by kind: what the official evaluation calls constructions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from karat.errors import FormatError, Place
from karat.graphs.matching.tuples import bits
from karat.graphs.ucca.passages import TERMINAL, Link, Passage, Unit, positions, yields

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
