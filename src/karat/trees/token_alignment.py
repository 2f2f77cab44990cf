"""Alignment of the words of two tokenisations of the same text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec

from karat.errors import LimitExceeded
from karat.trees.model import Tree, TreeError

_LARGEST_TABLE = 10_000_000


class Word(msgspec.Struct, frozen=True):
    """A word as a span of characters; those of a multiword token all have its span."""

    start: int
    end: int
    multiword: bool
    form: str
    """In lower case."""


class Text(msgspec.Struct):
    """Sentences of one file, one after the other, as spans of their characters without blanks."""

    trees: list[Tree] = msgspec.field(default_factory=list)
    words: list[Word] = msgspec.field(default_factory=list)
    tokens: list[tuple[int, int]] = msgspec.field(default_factory=list)
    sentences: list[tuple[int, int]] = msgspec.field(default_factory=list)
    first_word: list[int] = msgspec.field(default_factory=list)
    """The number of the first word of each tree."""
    end: int = 0

    def add(self, tree: Tree) -> str:
        """Appends a sentence; gives back its characters."""
        start = self.end
        forms = tree.forms
        if forms is None:
            raise TreeError(
                "the sentence has no words, and texts are compared by their words",
                code="K191",
                place=tree.place(),
                advice="give trees with forms; attachment compares heads alone",
            )
        self.trees.append(tree)
        self.first_word.append(len(self.words))
        characters = []
        word = 1
        for token in (*tree.multiword, None):
            stop = len(tree) + 1 if token is None else token.first
            for single in range(word, stop):
                text = _visible(tree, single, forms[single - 1])
                characters.append(text)
                self._add_token(text, [text], multiword=False)
            if token is not None:
                text = _visible(tree, token.first, token.form)
                characters.append(text)
                self._add_token(text, forms[token.first - 1 : token.last], multiword=True)
                word = token.last + 1
        self.sentences.append((start, self.end))
        return "".join(characters)

    def _add_token(self, text: str, forms: Sequence[str], *, multiword: bool) -> None:
        start, self.end = self.end, self.end + len(text)
        self.tokens.append((start, self.end))
        self.words.extend([Word(start, self.end, multiword, form.lower()) for form in forms])


def _visible(tree: Tree, word: int, form: str) -> str:
    text = without_spaces(form)
    if not text:
        raise TreeError("the form is empty", code="K191", place=tree.place(word))
    return text


@lru_cache(maxsize=1 << 16)
def without_spaces(form: str) -> str:
    """A form without its Unicode space separators.

    >>> without_spaces("1 000\\u00a0km")
    '1000km'
    """
    if form.isascii():
        return form.replace(" ", "")
    return "".join(c for c in form if unicodedata.category(c) != "Zs")


class WordAligner:
    """Aligns the words of two texts that cover the same characters.

    Words outside multiword tokens are the same if their spans are. Around
    multiword tokens, a longest common subsequence of forms decides. The texts
    may grow: what was aligned stays so.
    """

    def __init__(self, gold: Text, system: Text) -> None:
        self.gold = gold.words
        self.system = system.words
        self.partner: dict[int, int] = {}
        """The number of the gold word for the number of a system word."""
        self._g = self._s = 0

    def advance(self) -> bool:
        """Goes on as far as the texts go, to where both end at the same character.

        True if both are used up. Words that one side has left over may still be
        drawn into the region of a multiword token that comes later.
        """
        gold, system = self.gold, self.system
        g, s = self._g, self._s
        while g < len(gold) and s < len(system):
            ours, theirs = gold[g], system[s]
            if ours.multiword or theirs.multiword:
                g_begin, s_begin, g, s = _region(gold, system, g, s)
                for a, b in _common(gold, system, range(g_begin, g), range(s_begin, s)):
                    self.partner[b] = a
            elif (ours.start, ours.end) == (theirs.start, theirs.end):
                self.partner[s] = g
                g, s = g + 1, s + 1
            elif ours.start <= theirs.start:
                g += 1
            else:
                s += 1
        self._g, self._s = g, s
        return g == len(gold) and s == len(system)


def _region(
    gold: Sequence[Word], system: Sequence[Word], g: int, s: int
) -> tuple[int, int, int, int]:
    """The smallest run of words on both sides that no multiword token leads out of.

    A single word that sticks out of the region, on either side, is not part of it.
    """
    if gold[g].multiword:
        end = gold[g].end
        s += not system[s].multiword and system[s].start < gold[g].start
    else:
        end = system[s].end
        g += not gold[g].multiword and gold[g].start < system[s].start
    g_begin, s_begin = g, s
    while True:
        g_inside, s_inside = _inside(gold, g, end), _inside(system, s, end)
        if not (g_inside or s_inside):
            return g_begin, s_begin, g, s
        # The side that lags behind goes on, even with a word that sticks out.
        if g < len(gold) and (s >= len(system) or gold[g].start <= system[s].start):
            word, g = gold[g], g + 1
        else:
            word, s = system[s], s + 1
        if word.multiword:
            end = max(end, word.end)


def _inside(words: Sequence[Word], place: int, end: int) -> bool:
    if place >= len(words):
        return False
    word = words[place]
    return word.start < end if word.multiword else word.end <= end


def _common(
    gold: Sequence[Word], system: Sequence[Word], golds: range, systems: range
) -> Iterator[tuple[int, int]]:
    """Pairs of a longest common subsequence of forms, the leftmost that gold allows."""
    if len(golds) * len(systems) > _LARGEST_TABLE:
        raise LimitExceeded(
            f"a multiword token has {len(golds)} words in gold and {len(systems)} in the system's "
            "file: too many to align",
            code="K520",
        )
    longest = _suffix_table(gold, system, golds, systems)
    g = s = 0
    while g < len(golds) and s < len(systems):
        if gold[golds[g]].form == system[systems[s]].form:
            yield golds[g], systems[s]
            g, s = g + 1, s + 1
        elif longest[g][s] == longest[g + 1][s]:
            g += 1
        else:
            s += 1


def _suffix_table(
    gold: Sequence[Word], system: Sequence[Word], golds: range, systems: range
) -> list[list[int]]:
    """The length of the longest common subsequence from every pair of places to both ends."""
    table = [[0] * (len(systems) + 1)]
    forms = [system[s].form for s in systems]
    for g in reversed(golds):
        below, form = table[-1], gold[g].form
        row = [0] * len(below)
        for s in range(len(forms) - 1, -1, -1):
            row[s] = below[s + 1] + 1 if forms[s] == form else max(below[s], row[s + 1])
        table.append(row)
    return table[::-1]
