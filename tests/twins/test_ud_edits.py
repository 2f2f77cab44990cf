"""The edits of the kernel for ``karat repair ud``, against what trees and their alignment say."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

from karat.core.repairs import Edit
from karat.trees.metrics.ud import Ud
from karat.trees.model import Tree
from karat.trees.pairing import Part, share_of

UNIVERSAL = {"Number", "Case"}
KINDS = {"upos": "upos", "xpos": "xpos", "feats": "feats", "lemmas": "lemmas"}


def label_of(tree: Tree, word: int) -> str:
    return (tree.cell("deprels", word) or "").partition(":")[0]


def differs(kind: str, ours: str, theirs: str) -> bool:
    if kind == "feats":
        return universal(ours) != universal(theirs)
    return ours != theirs and not (kind == "lemmas" and theirs == "_")


def universal(feats: str) -> list[str]:
    return sorted(each for each in feats.split("|") if each.partition("=")[0] in UNIVERSAL)


def expected(system: list[Tree], gold: Tree) -> list[tuple[str, str, str]]:
    """The kinds of edits, and what both sides say, by the definition of each score."""
    share = share_of(system, gold)
    partner: dict[int, tuple[Part, int]] = {
        g: (part, s) for part in share.parts for s, g in enumerate(part.partners, 1) if g
    }
    found = []
    for word in sorted(partner):
        part, own = partner[word]
        above, head = gold.heads[word - 1], part.tree.heads[own - 1]
        mine = (part.partners[head - 1] or -1) if head else 0  # the system's head as a word of gold
        same_label = label_of(part.tree, own) == label_of(gold, word)
        kinds = []
        if mine != above and above and (above not in partner or partner[above][0] is not part):
            pass  # it comes with the segmentation
        elif mine != above:
            kinds.append("head" if same_label else "both")
        elif not same_label:
            kinds.append("label")
        kinds += [
            kind
            for kind in KINDS
            if differs(kind, part.tree.cell(kind, own) or "_", gold.cell(kind, word) or "_")
        ]
        for kind in kinds:
            ours, theirs = (said(*each, kind) for each in ((part.tree, own), (gold, word)))
            where = f"{gold.form(word)}({word})"
            found.append((kind, f"{where} {ours}", f"{where} {theirs}"))
    return found


def said(tree: Tree, word: int, kind: str) -> str:
    label, head = tree.cell("deprels", word) or "_", tree.heads[word - 1]
    if kind in ("head", "both"):
        return f"-{label if kind == 'both' else ''}-> {tree.form(head)}({head})"
    return label if kind == "label" else f"{kind}={tree.cell(kind, word) or '_'}"


def drawn_tree(draw: random.Random, forms: list[str], like: Tree | None = None) -> Tree:
    size = len(forms)
    order = draw.sample(range(1, size + 1), size)
    heads = [0] * size
    for i, word in enumerate(order[1:], 1):
        heads[word - 1] = draw.choice(order[:i])
    if like is not None and len(like) == size and draw.random() < 0.7:
        heads = list(like.heads)

    def column(name: str, *pool: str) -> list[str]:
        old = like.column(name) if like is not None and len(like) == size else None
        return [old[i] if old and draw.random() < 0.8 else draw.choice(pool) for i in range(size)]

    return Tree.of(
        heads,
        forms=forms,
        lemmas=column("lemmas", "_", "a", "b"),
        upos=column("upos", "NOUN", "VERB", "_"),
        xpos=column("xpos", "N", "_"),
        feats=column("feats", "_", "Number=Sing", "Case=Nom|Number=Sing", "Own=Yes|Number=Sing"),
        deprels=column("deprels", "nsubj", "nsubj:pass", "obj", "det", ""),
    )


def cut(draw: random.Random, text: str) -> list[str]:
    places = sorted({0, len(text), *(draw.randint(1, len(text)) for _ in range(len(text) // 2))})
    return [text[begin:end] for begin, end in pairwise(places)]


def test_edits_are_those_of_the_definition() -> None:
    draw = random.Random(1)
    kinds = set()
    for _ in range(400):
        text = "".join(draw.choices("abé", k=draw.randint(2, 12)))
        gold = drawn_tree(draw, cut(draw, text))
        middle = draw.randint(1, len(text))
        texts = (
            [text] if middle == len(text) or draw.random() < 0.6 else [text[:middle], text[middle:]]
        )
        system = [
            drawn_tree(draw, list(gold.forms or ()) if len(texts) == 1 else cut(draw, each), gold)
            for each in texts
        ]
        (item,) = Ud(multiple_roots="allow").repairs([(system, gold)])
        all_edits = list(zip(item.edits("kind"), item.drawn(), strict=True))
        edits = [edit for edit, _ in all_edits if edit.kind != "segmentation"]
        assert [(edit.kind, edit.system, edit.gold) for edit in edits] == expected(system, gold)
        check_drawn([each for each in all_edits if each[0] in edits], system, gold)
        kinds |= {edit.kind for edit in edits}
    assert kinds == {"head", "label", "both", *KINDS}


def check_drawn(edits: list[tuple[Edit, Any]], system: list[Tree], gold: Tree) -> None:
    """An edit marks arcs of the two words that it is about."""
    share = share_of(system, gold)
    drawn = [partner for part in share.parts for partner in part.partners]
    for edit, marks in edits:
        theirs, ours = (each.place for each in marks)
        assert drawn[ours] == theirs + 1
        assert edit.gold.startswith(f"{gold.form(theirs + 1)}({theirs + 1}) ")
