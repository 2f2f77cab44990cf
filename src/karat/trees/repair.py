"""What to change in a system's trees, word by word, and trees so changed.

Where the system has other words or sentences than gold, these come first: one edit gives an item
gold's segmentation, with the words that were missing and the heads that could not be said before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
from msgspec.structs import replace

from karat.core.capabilities import ABSTAINS, Reading, Slot, Values
from karat.core.repairs import GOLD_ARC, SYSTEM_ARC, Changes, Drawn, Edit, confusion, unclassed
from karat.trees.model import COLUMNS, MultiwordToken, Tree, first_in_cycle
from karat.trees.pairing import Part, Share, same_share

SEGMENTATION = "segmentation"
_HEADS = {"head", "both"}
_LABELS = {"label", "both"}


class WordEdit(msgspec.Struct, gc=False):
    """A word of gold whose partner is wrong in some respect."""

    word: int
    """Of gold, from 1."""
    kind: str
    """Head, label, both, or the name of a column."""
    place: int
    """Of its partner, from 0, in the drawing of the system's side."""
    system: str
    """What the system says of it."""
    gold: str


def word_edit(system: Tree, gold: Tree, word: int, kind: str) -> WordEdit:
    """The edit of a word that both trees have at the same place."""
    where = f"{gold.form(word)}({word})"
    ours, theirs = (f"{where} {_told(tree, word, kind)}" for tree in (system, gold))
    return WordEdit(word, kind, word - 1, ours, theirs)


def _told(tree: Tree, word: int, kind: str) -> str:
    """What a tree says of a word in some respect.

    >>> _told(Tree.of([2, 0], forms=["we", "go"], deprels=["nsubj", "root"]), 1, "both")
    '-nsubj-> go(2)'
    """
    if kind == "label":
        return _label(tree, word)
    head, label = tree.heads[word - 1], _label(tree, word) if kind == "both" else ""
    return f"-{label}-> {tree.form(head)}({head})"


def _label(tree: Tree, word: int) -> str:
    return tree.cell("deprels", word) or "_"


class Words:
    """Columns of a tree that is being changed."""

    def __init__(self, tree: Tree) -> None:
        self.heads = list(tree.heads)
        found = {name: tree.column(name) for name in COLUMNS}
        self.columns = {name: list(column) for name, column in found.items() if column is not None}

    def set(self, word: int, gold: Tree, theirs: int, kind: str, head: int) -> None:
        """Gives a word what gold has in some respect; `head` is gold's head among these words."""
        if kind in _HEADS:
            self.heads[word - 1] = head
        if kind not in _HEADS | _LABELS:
            self._copy(kind, word, gold, theirs)
        elif kind in _LABELS:
            self._copy("deprels", word, gold, theirs)

    def _copy(self, name: str, word: int, gold: Tree, theirs: int) -> None:
        column = gold.column(name)
        if column is not None:
            ours = self.columns.setdefault(name, ["_"] * len(self.heads))
            ours[word - 1] = column[theirs - 1]

    def tree(self, like: Tree, **changes: Any) -> Tree:
        """The tree, with the place of another one in its file."""
        columns = {name: tuple(column) for name, column in self.columns.items()}
        return replace(like, heads=tuple(self.heads), columns=columns, text=b"", width=0, **changes)


def is_tree(heads: Sequence[int]) -> bool:
    """Whether there is one root and no cycle."""
    return list(heads).count(0) == 1 and first_in_cycle(heads) is None


@dataclass(eq=False)
class OwnWords:
    """The edits of what a system has of a gold sentence."""

    share: Share
    gold: Tree
    segmentation: Changes
    """The changes of the edit that gives gold's segmentation, which comes first; empty: none."""
    words: Sequence[WordEdit]
    changes: Mapping[str, Changes]
    """Those of the other edits, by kind."""
    structural: Collection[int]
    """Words whose head and label come with gold's segmentation."""
    classes: Callable[[str], Sequence[str]]

    @cached_property
    def partner(self) -> dict[int, tuple[Part, int]]:
        """The part and the word there that each word of gold is aligned with."""
        return partners_of(self.share)

    def edits(self, partition: str) -> list[Edit]:
        result = []
        if self.segmentation:
            group = SEGMENTATION if partition == "kind" else unclassed(SEGMENTATION)
            result.append(Edit(SEGMENTATION, group, self.segmentation))
        for each, group in zip(self.words, self._groups(partition), strict=True):
            changes = self.changes[each.kind]
            result.append(Edit(each.kind, group, changes, each.system, each.gold, 2))
        return result

    def drawn(self) -> list[tuple[Drawn, ...]]:
        """The arcs of either side at the word of each edit."""
        arcs: Iterable[tuple[Drawn, ...]] = (
            (Drawn(GOLD_ARC, each.word - 1), Drawn(SYSTEM_ARC, each.place)) for each in self.words
        )
        return [(), *arcs] if self.segmentation else [*arcs]

    def _groups(self, partition: str) -> list[str]:
        """The class of each word's edit."""
        if partition == "kind":
            return [each.kind for each in self.words]
        if partition not in ("edge-label", "label"):
            values = self.classes(partition)
            return [values[each.word - 1] for each in self.words]
        return [self._confused(each) for each in self.words]

    def _confused(self, edit: WordEdit) -> str:
        if edit.kind not in _HEADS | _LABELS:
            return unclassed(edit.kind)
        part, word = self.partner[edit.word]
        ours, theirs = _label(part.tree, word), _label(self.gold, edit.word)
        return confusion(ours, theirs, moved=edit.kind == "head")

    def apply(self, chosen: Collection[int]) -> Share:
        first = 1 if self.segmentation else 0
        made = [self.words[number - first] for number in chosen if number >= first]
        if len(made) < len(chosen):
            return self._resegmented(made)
        parts = []
        for part in self.share.parts:
            mine = [each for each in made if self.partner[each.word][0] is part]
            if not mine:
                parts.append(part)
                continue
            changed = Words(part.tree)
            place = {g: s for s, g in enumerate(part.partners, 1) if g}
            for each in mine:
                head = self.gold.heads[each.word - 1]
                ours = place.get(head, 0) if head else 0
                changed.set(place[each.word], self.gold, each.word, each.kind, ours)
            parts.append(Part(changed.tree(part.tree), part.counted, part.partners))
        return replace(self.share, parts=tuple(parts))

    def _resegmented(self, made: Sequence[WordEdit]) -> Share:
        """Gold's words; those that the system has too are annotated as there."""
        gold = self.gold
        changed = Words(gold)
        for word, (part, other) in self.partner.items():
            if word not in self.structural:
                changed.heads[word - 1] = _head_in_gold(part, other)
            for name, column in changed.columns.items():
                ours = part.tree.column(name)
                if name == "forms" or (name == "deprels" and word in self.structural):
                    continue
                column[word - 1] = ours[other - 1] if ours is not None else "_"
        for each in made:
            changed.set(each.word, gold, each.word, each.kind, gold.heads[each.word - 1])
        return same_share(changed.tree(gold, number=0, line=0, closed=True))


@dataclass(eq=False)
class SameWords:
    """The edits of a tree over the same words as gold."""

    own: OwnWords
    ignored: Sequence[bool]
    """Which words are not scored."""

    def edits(self, partition: str) -> list[Edit]:
        return self.own.edits(partition)

    def drawn(self) -> list[tuple[Drawn, ...]]:
        return self.own.drawn()

    def apply(self, chosen: Collection[int]) -> Tree:
        """The tree after the edits with these numbers.

        Words that are not scored follow gold where there would be no tree otherwise.
        """
        gold, (part,) = self.own.gold, self.own.apply(chosen).parts
        if not chosen or is_tree(part.tree.heads) or not is_tree(gold.heads):
            return part.tree
        changed = Words(part.tree)
        for word, out in enumerate(self.ignored, 1):
            if out:
                changed.set(word, gold, word, "both", gold.heads[word - 1])
        return changed.tree(part.tree)


def partners_of(share: Share) -> dict[int, tuple[Part, int]]:
    """The part and the word there that each word of gold is aligned with."""
    return {g: (part, s) for part in share.parts for s, g in enumerate(part.partners, 1) if g}


def reading_of(
    gold: Tree,
    partner: Mapping[int, tuple[Part, int]],
    columns: Sequence[str],
    ignored: Collection[int] = (),
) -> Reading:
    """The heads, labels and other columns of gold's words, and what the system says of them.

    Of a word that it lacks, and of a head that gold lacks, it says nothing.
    """
    found: dict[Slot, Values] = {}
    other_heads = max(1, len(gold) - 2)  # any word but itself and the head it has
    names = {"label": "deprels", **{name: name for name in columns}}
    for g in range(1, len(gold) + 1):
        if g in ignored:
            continue
        where = f"{gold.form(g)}({g})"
        part, s = partner.get(g, (None, 0))
        head = -1 if part is None else part.tree.heads[s - 1]
        if part is not None and head:
            head = part.partners[head - 1] or -1
        told = ABSTAINS if head < 0 else _at(gold, head)
        found[Slot("head", where)] = Values(_at(gold, gold.heads[g - 1]), told, other_heads)
        for name, column in names.items():
            value = gold.cell(column, g)
            if value is not None:
                own = None if part is None else part.tree.cell(column, s)
                found[Slot(name, where)] = Values(value, own or ABSTAINS)
    return found


def _at(gold: Tree, word: int) -> str:
    return f"{gold.form(word)}({word})" if word else "ROOT"


def _head_in_gold(part: Part, word: int) -> int:
    """The nearest word above one that gold has too, as a word of gold; 0 where there is none."""
    heads = part.tree.heads
    for _ in heads:
        word = heads[word - 1]
        if not word or part.partners[word - 1]:
            break
    return part.partners[word - 1] if word else 0


def sentences_of(items: Iterable[Share]) -> Iterator[Tree]:
    """The sentences to write, from what a system has of each gold sentence, in order.

    A sentence that reaches over several gold sentences comes once, unless one of them was given
    gold's segmentation: then it is cut there.
    """
    waiting: dict[tuple[str, int, int], list[Part]] = {}
    for share in items:
        found = {_place(part.tree): part for part in share.parts}
        for place in [place for place in waiting if place not in found]:
            yield from _merged(waiting.pop(place))
        for place, part in found.items():
            if place[1:] == (0, 0):
                yield from (tree for each in waiting.values() for tree in _merged(each))
                waiting.clear()
                yield part.tree
            else:
                waiting.setdefault(place, []).append(part)
    for parts in waiting.values():
        yield from _merged(parts)


def _place(tree: Tree) -> tuple[str, int, int]:
    return tree.file, tree.number, tree.line


def _merged(parts: Sequence[Part]) -> Iterator[Tree]:
    """One sentence from its versions, each with the words that count in it."""
    first = parts[0].tree
    if sum(len(part.counted) for part in parts) < len(first):
        for part in parts:
            if part.counted:
                yield _cut(part)
        return
    if len(parts) == 1:
        yield first
        return
    merged = Words(first)
    for part in parts[1:]:
        theirs = Words(part.tree)
        for word in part.counted:
            merged.heads[word - 1] = theirs.heads[word - 1]
            for name, column in merged.columns.items():
                column[word - 1] = theirs.columns[name][word - 1]
    yield merged.tree(first)


def _cut(part: Part) -> Tree:
    """The words of a sentence that count, as a sentence of their own."""
    number = {word: i for i, word in enumerate(part.counted, 1)}
    words = Words(part.tree)
    heads = []
    for word in part.counted:
        head = words.heads[word - 1]
        for _ in words.heads:
            if not head or head in number:
                break
            head = words.heads[head - 1]
        heads.append(number.get(head, 0))
    words.heads = heads
    words.columns = {
        name: [column[word - 1] for word in part.counted] for name, column in words.columns.items()
    }
    multiword = tuple(
        MultiwordToken(number[token.first], number[token.last], token.form)
        for token in part.tree.multiword
        if token.first in number and token.last in number
    )
    return words.tree(part.tree, multiword=multiword, lines=None)
