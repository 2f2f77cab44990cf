"""Trees as the page takes them: words, arcs with marks, and errors to count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from karat.core.metric import Explanation
from karat.core.shown import Arc, Arcs, Fault, Kind, Shown, Word
from karat.trees.model import Tree


class _Words:
    """The columns of a tree, each read once."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.heads = tree.heads
        self.forms: Sequence[str] = tree.forms or tuple(map(str, range(1, len(tree) + 1)))
        self.labels: Sequence[str] = tree.deprels or ("",) * len(tree)
        self.upos = tree.upos
        self.tags = self.upos or tree.xpos

    def head(self, word: int) -> str:
        head = self.heads[word - 1]
        return self.forms[head - 1] if head else "ROOT"

    def head_tag(self, word: int) -> str:
        """The kind of word that a word is attached to."""
        head = self.heads[word - 1]
        return (self.tags or self.forms)[head - 1] if head else "ROOT"


def arcs_of(
    tree: Tree | _Words,
    kinds: Mapping[int, Kind] | None = None,
    notes: Mapping[int, str] | None = None,
) -> Arcs:
    """A tree whose edges, by the numbers of their words, have kinds, and its words notes."""
    own = tree if isinstance(tree, _Words) else _Words(tree)
    known, said = kinds or {}, notes or {}
    words = _drawn_words(own)
    for number, note in said.items():
        kind = known.get(number, Kind.MATCHED)
        alone = kind if note in ("missing", "surplus") else Kind.MATCHED
        words[number - 1] = Word(own.forms[number - 1], words[number - 1].below, alone, note)
    kind_of = known.get
    arcs = [
        Arc(head - 1, i, "" if label == "_" else label, kind_of(i + 1, 0))
        for i, (head, label) in enumerate(zip(own.heads, own.labels, strict=True))
    ]
    return Arcs(words, arcs)


def _drawn_words(own: _Words) -> list[Word]:
    """Words with their tags below them."""
    tags = own.tags or ("_",) * len(own.heads)
    return [
        Word(form, [] if tag == "_" else [tag]) for form, tag in zip(own.forms, tags, strict=True)
    ]


def shown_attachments(
    system: Tree,
    gold: Tree,
    wrong: Collection[int],
    excluded: Collection[int] = (),
    accepted: Collection[int] = (),
) -> Shown:
    """Two trees over the same words; `wrong` have another head or label, others are `accepted`."""
    ours: dict[int, Kind] = dict.fromkeys(excluded, Kind.IGNORED)
    theirs = dict(ours)
    ours |= dict.fromkeys(accepted, Kind.SYNONYM)
    faults, notes = [], []
    mine, other = _Words(gold), _Words(system)
    for word in sorted(wrong):
        same_head = gold.heads[word - 1] == system.heads[word - 1]
        ours[word] = Kind.CHANGED if same_head else Kind.SURPLUS
        theirs[word] = Kind.CHANGED if same_head else Kind.MISSING
        faults += _attachment_faults(mine, word, other, word)
        notes.append(_attachment_note(mine, word, other, word))
    return Shown([arcs_of(mine, theirs)], arcs_of(other, ours), faults=faults, notes=notes)


def _attachment_faults(gold: _Words, word: int, system: _Words, other: int) -> list[Fault]:
    found = []
    labels = gold.labels[word - 1], system.labels[other - 1]
    if labels[0] != labels[1]:
        found.append(Fault("labels", Kind.CHANGED, *labels))
    if gold.heads[word - 1] != system.heads[other - 1]:
        tags = gold.head_tag(word), system.head_tag(other)
        label = labels[0] or "edge"
        found.append(Fault("heads", Kind.CHANGED, f"{label} of {tags[0]}", f"of {tags[1]}"))
    return found


def _attachment_note(gold: _Words, word: int, system: _Words, other: int) -> str:
    sides = [
        f"{label} of {words.head(place)}" if (label := words.labels[place - 1]) else
        f"head {words.head(place)}"
        for words, place in ((gold, word), (system, other))
    ]  # fmt: skip
    return f"{gold.forms[word - 1]}: {sides[0]} → {sides[1]}"


Labelled = tuple[int, int, str, tuple[Any, ...]]
"""An edge of a graph over words: dependent, head, label, and what an explanation says of it."""


def shown_edges(
    gold: tuple[Tree, Sequence[Labelled]],
    systems: Sequence[tuple[Tree, Sequence[Labelled]]],
    explanation: Explanation,
) -> Shown:
    """Graphs over words, as enhanced dependencies are, with the edges of one side alone."""
    lost, new = (
        Counter([tuple(each.values()) for each in explanation.get(side, ())])
        for side in ("missing", "surplus")
    )
    theirs, missing = _graph(*gold, lost, Kind.MISSING)
    words: list[Word] = []
    arcs: list[Arc] = []
    surplus: list[Labelled] = []
    for tree, edges in systems:
        found, alone = _graph(tree, edges, new, Kind.SURPLUS)
        arcs += _moved(found.arcs, len(words))
        words += found.words
        surplus += alone
    faults, notes = _edge_faults(missing, surplus, gold[0])
    return Shown([theirs], Arcs(words, arcs), faults=faults, notes=notes)


def _graph(
    tree: Tree, edges: Sequence[Labelled], told: Counter[tuple[Any, ...]], kind: Kind
) -> tuple[Arcs, list[Labelled]]:
    """The words of a tree with these edges, and those of them that are told of."""
    arcs, alone = [], []
    for edge in edges:
        word, head, name, said = edge
        own = Kind.MATCHED
        if told.get(said, 0):
            told[said] -= 1
            own = kind
            alone.append(edge)
        arcs.append(Arc(max(head, 0) - 1, word - 1, name, own))
    return Arcs(_drawn_words(_Words(tree)), arcs), alone


def _edge_faults(
    missing: Sequence[Labelled], surplus: Sequence[Labelled], gold: Tree
) -> tuple[list[Fault], list[str]]:
    """Edges to the same word with the same head are one with another label."""
    left = list(surplus)
    faults, notes = [], []
    for word, head, name, _ in missing:
        other = next((each for each in left if each[:2] == (word, head)), None)
        if other is not None:
            left.remove(other)
            faults.append(Fault("labels", Kind.CHANGED, name, other[2]))
            notes.append(f"{gold.form(word)}: {name} → {other[2]}")
        else:
            faults.append(Fault("edges", Kind.MISSING, name, ""))
    faults += [Fault("edges", Kind.SURPLUS, "", each[2]) for each in left]
    return faults, notes


def _moved(arcs: Sequence[Arc], first: int) -> list[Arc]:
    """Arcs of words that stand further to the right."""
    return [
        Arc(each.source + first if each.source >= 0 else -1, each.target + first, each.label,
            each.kind)
        for each in arcs
    ]  # fmt: skip
