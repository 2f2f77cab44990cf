"""Trees as the page takes them: words, arcs with marks, and errors to count."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from karat.core.shown import Arc, Arcs, Fault, Kind, Shown, Word
from karat.trees.model import Tree


def arcs_of(tree: Tree, kinds: Mapping[int, Kind] | None = None) -> Arcs:
    """A tree whose edges, by the numbers of their words, have kinds."""
    kind_of = (kinds or {}).get
    labels = tree.deprels or ("",) * len(tree)
    arcs = [
        Arc(head - 1, i, "" if label == "_" else label, kind_of(i + 1, 0))
        for i, (head, label) in enumerate(zip(tree.heads, labels, strict=True))
    ]
    return Arcs(_drawn_words(tree), arcs)


def _drawn_words(tree: Tree) -> list[Word]:
    """Words with their tags below them."""
    forms = tree.forms or map(str, range(1, len(tree) + 1))
    tags = tree.upos or tree.xpos or ("_",) * len(tree)
    return [Word(form, [] if tag == "_" else [tag]) for form, tag in zip(forms, tags, strict=True)]


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
    for word in sorted(wrong):
        same_head = gold.heads[word - 1] == system.heads[word - 1]
        ours[word] = Kind.CHANGED if same_head else Kind.SURPLUS
        theirs[word] = Kind.CHANGED if same_head else Kind.MISSING
        faults += _attachment_faults(gold, system, word)
        notes.append(_attachment_note(gold, system, word))
    return Shown([arcs_of(gold, theirs)], arcs_of(system, ours), faults=faults, notes=notes)


def _attachment_faults(gold: Tree, system: Tree, word: int) -> list[Fault]:
    found = []
    labels = [tree.cell("deprels", word) or "" for tree in (gold, system)]
    if labels[0] != labels[1]:
        found.append(Fault("labels", Kind.CHANGED, *labels))
    if gold.heads[word - 1] != system.heads[word - 1]:
        tags = [_head_tag(tree, word) for tree in (gold, system)]
        label = labels[0] or "edge"
        found.append(Fault("heads", Kind.CHANGED, f"{label} of {tags[0]}", f"of {tags[1]}"))
    return found


def _head_tag(tree: Tree, word: int) -> str:
    """The kind of word that a word is attached to."""
    head = tree.heads[word - 1]
    tag = (tree.cell("upos", head) or tree.cell("xpos", head)) if head else None
    return tree.form(head) if tag is None else tag


def _attachment_note(gold: Tree, system: Tree, word: int) -> str:
    sides = []
    for tree in (gold, system):
        label, head = tree.cell("deprels", word), tree.form(tree.heads[word - 1])
        sides.append(f"{label} of {head}" if label else f"head {head}")
    return f"{gold.form(word)}: {sides[0]} → {sides[1]}"
