"""Drawings of trees: arcs over words, gold above system, and the edges that DERP chooses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from karat.core.metric import Explanation
from karat.core.shown import Arcs, Kind, Shown
from karat.drawing.arcs import Arc, Figure, Word, arc_diagram, word_positions
from karat.drawing.overlays import Said, arcs_figure, same_words
from karat.drawing.svg import (
    FAINT,
    GREEN,
    INK,
    ORANGE,
    Mark,
    Marks,
    label,
    picture,
    placed,
    shortened,
    tag,
)
from karat.trees.content import Labelled, arcs_of, shown_attachments, shown_edges, shown_ud
from karat.trees.model import Tree

if TYPE_CHECKING:
    from karat.trees.sentence_alignment import Part

_BETWEEN_ROWS = 70.0
_MARGIN = 12.0


def drawing_of(tree: Tree) -> str:
    """One tree as a whole picture."""
    return _framed(tree.name, [("", _figure(tree))])


ABOVE = "gold above, system below the same words: \u2212 missing, + surplus, ~ another label"


def compared(name: str, shown: Shown, said: Said, legend: str = "") -> str:
    """Gold's arcs above the words and the system's below them, or two rows if words differ.

    It is drawn from what the page is given, so that both have the same picture.
    """
    (gold,), system = shown.golds, shown.system
    assert isinstance(gold, Arcs)
    assert isinstance(system, Arcs)
    more = f"; {legend}" if legend else ""
    if same_words(gold, system):
        return _framed(name, [(ABOVE + more, arcs_figure(gold, system, said))])
    own = {(side.replace("system", "gold"), *at): mark for (side, *at), mark in said.items()
           if side.startswith("system")}  # fmt: skip
    return _framed(
        name, [("gold", arcs_figure(gold, None, said)),
               (f"system{more}", arcs_figure(system, None, own))],  # type: ignore[arg-type]
    )  # fmt: skip


def against_gold(
    system: Tree,
    gold: Tree,
    wrong: Mapping[int, Literal["head", "label"]],
    excluded: Collection[int] = (),
    accepted: Mapping[int, str] | None = None,
) -> str:
    """Two trees over the same words, with what is wrong marked."""
    others = accepted or {}
    said: dict[tuple[str, int, int], Marks] = {}
    for word, what in wrong.items():
        said["gold", word - 1, -1] = Mark("missed", word)
        said["system", word - 1, -1] = Mark(f"wrong-{what}", word)
    for word, how in others.items():
        said["system", word - 1, -1] = Mark("accepted", [word, how])
    legend = "; ".join(
        ["grey, not scored"] * bool(excluded)
        + ["green, a gold child or grandparent, which is right"] * bool(others)
    )
    return compared(
        gold.name, shown_attachments(system, gold, wrong, excluded, others), said, legend
    )


def side_by_side(system: Tree, golds: Sequence[Tree], title: str = "system") -> str:
    """Gold above the system's tree, without marks."""
    figures = [("gold", _figure(gold)) for gold in golds]
    return _framed(golds[0].name, [*figures, (title, _figure(system))])


def ud_drawing(parts: Sequence[Part], gold: Tree, explanation: Explanation) -> str:
    """Gold and the parts of a system's sentences that lie in it."""
    wrong = {each["word"]: each["wrong"] for each in explanation["wrong"]}
    said: dict[tuple[str, int, int], Marks] = {}
    for word, failed in wrong.items():
        told = Mark("wrong", [word, failed])
        said["gold note", word - 1, -1] = told
        if "las" in failed:
            said["gold", word - 1, -1] = (told, Mark("missed", word))
    for each in explanation["missing"]:
        said["gold", each["word"] - 1, -1] = Mark("missing", each["word"])
        said["gold note", each["word"] - 1, -1] = Mark("missing", each["word"])
    first = -1
    for part in parts:
        counted = frozenset(part.counted)
        for word, partner in enumerate(part.partners, 1):
            at = first + word
            if not partner and word in counted:
                said["system", at, -1] = said["system note", at, -1] = Mark("surplus", word)
            elif failed := wrong.get(partner):
                told = Mark("wrong", [partner, failed])
                said["system note", at, -1] = told
                if "las" in failed:
                    what = "head" if "uas" in failed else "label"
                    said["system", at, -1] = (told, Mark(f"wrong-{what}", partner))
        first += len(part.tree)
    return compared(gold.name, shown_ud(parts, gold, explanation), said)


def edges_drawing(
    gold: tuple[Tree, Sequence[Labelled]],
    systems: Sequence[tuple[Tree, Sequence[Labelled]]],
    explanation: Explanation,
) -> str:
    """Enhanced dependencies of gold and of the system, with those of one side alone."""
    shown = shown_edges(gold, systems, explanation)
    told = {
        "gold": [edge[3] for edge in gold[1]],
        "system": [edge[3] for _, edges in systems for edge in edges],
    }
    said: dict[tuple[str, int, int], Marks] = {}
    for side, content in (("gold", shown.golds[0]), ("system", shown.system)):
        assert isinstance(content, Arcs)
        for i, arc in enumerate(content.arcs):
            if arc.kind:
                said[side, i, -1] = Mark(_SIDES[arc.kind], told[side][i])
    return compared(gold[0].name, shown, said)


_SIDES = {int(Kind.MISSING): "missing", int(Kind.SURPLUS): "surplus"}


def derp_drawing(hypothesis: Tree, references: Sequence[Tree], explanation: Explanation) -> str:
    """The trees, the links between their words, and the meta-edges that DERP chooses."""
    figures = [("hypothesis", _figure(hypothesis))]
    for number, (reference, found) in enumerate(
        zip(references, explanation["references"], strict=True), 1
    ):
        name = "reference" if len(references) == 1 else f"reference {number}"
        figures.append((name, _figure(reference)))
        figures.append(_derp_figure(hypothesis, reference, found, name))
    return _framed(references[0].name, figures)


def _derp_figure(
    hypothesis: Tree, reference: Tree, found: Mapping[str, Any], name: str
) -> tuple[str, Figure]:
    on_hypothesis = found["base"] == "hypothesis"
    base, other = (hypothesis, reference) if on_hypothesis else (reference, hypothesis)
    links = [
        (h, r) if on_hypothesis else (r, h)
        for h, r in (tuple(map(int, link.split("-"))) for link in found["links"])
    ]
    arcs = []
    for edge in found["edges"]:
        first, second = edge["base"]["words"]
        cost = f"{edge['L']}/{edge['Lmax']}"
        mark = Mark("different", [name, first, second]) if edge["L"] else None
        arcs.append(Arc(first - 1, second - 1, cost, ORANGE if mark else GREEN, mark=mark))
    score = "undefined" if found["score"] is None else f"{found['score']:.4f}"
    title = (
        f"chosen edges over the {name if not on_hypothesis else 'hypothesis'}, L/Lmax, and links: "
        f"{found['L']}/{found['Lmax']}, score {score}"
    )
    return title, _linked(base, other, arcs, links)


def _figure(tree: Tree) -> Figure:
    return arcs_figure(arcs_of(tree))


def _linked(
    base: Tree, other: Tree, arcs: Sequence[Arc], links: Sequence[tuple[int, int]]
) -> Figure:
    """The words of the base under their meta-edges, and lines to their counterparts below."""
    aligned = {word for word, _ in links}
    counterparts = {word for _, word in links}
    words = [Word(shortened(base.form(i + 1)), faint=i not in aligned) for i in range(len(base))]
    below = [
        Word(shortened(other.form(i + 1)), faint=i not in counterparts) for i in range(len(other))
    ]
    above = arc_diagram(words, arcs)
    x, x_below = word_positions(words, arcs), word_positions(below)
    top, bottom = above.height - 4, above.height + _BETWEEN_ROWS - 14
    lines = [tag("line", x1=x[i], y1=top, x2=x_below[j], y2=bottom, stroke=FAINT) for i, j in links]
    row = [
        label(at, bottom + 14, word.form, size=14, color=FAINT if word.faint else INK)
        for at, word in zip(x_below, below, strict=True)
    ]
    width = max([above.width, *(at + 60 for at in x_below)])
    return Figure("\n".join([above.svg, *lines, *row]), width, bottom + 24)


def _framed(name: str, figures: Sequence[tuple[str, Figure]]) -> str:
    parts, y, width = [], 0.0, 120.0
    for title, figure in figures:
        if title:
            parts.append(label(_MARGIN, y + 18, title, size=12, color=FAINT, anchor="start"))
            width = max(width, _MARGIN + len(title) * 6.5)
            y += 26
        parts.append(placed(figure.svg, 0, y))
        y += figure.height + 10
        width = max(width, figure.width)
    return picture(width + _MARGIN, y, parts, f"sentence {name}" if name else "a tree")
