"""Drawings of trees: arcs over words, gold above system, and the edges that DERP chooses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from karat.core.metric import Explanation
from karat.core.shown import Arcs
from karat.drawing.arcs import Arc, Figure, Word, arc_diagram, word_positions
from karat.drawing.overlays import arcs_figure, same_words
from karat.drawing.svg import (
    FAINT,
    GREEN,
    INK,
    ORANGE,
    label,
    picture,
    placed,
    shortened,
    tag,
)
from karat.trees.content import arcs_of, shown_attachments
from karat.trees.model import Tree

_BETWEEN_ROWS = 70.0
_MARGIN = 12.0


def drawing_of(tree: Tree) -> str:
    """One tree as a whole picture."""
    return _framed(tree.name, [("", _figure(tree))])


ABOVE = "gold above, system below the same words: \u2212 missing, + surplus, ~ another label"


def against_gold(system: Tree, gold: Tree, wrong: Collection[int]) -> str:
    """Gold's arcs above the words and the system's below them, with what is wrong marked.

    It is drawn from what the page is given, so that both have the same picture.
    """
    shown = shown_attachments(system, gold, wrong)
    (above,), below = shown.golds, shown.system
    assert isinstance(above, Arcs)
    assert isinstance(below, Arcs)
    if same_words(above, below):
        return _framed(gold.name, [(ABOVE, arcs_figure(above, below))])
    return _framed(gold.name, [("gold", arcs_figure(above)), ("system", arcs_figure(below))])


def side_by_side(system: Tree, golds: Sequence[Tree], title: str = "system") -> str:
    """Gold above the system's tree, without marks."""
    figures = [("gold", _figure(gold)) for gold in golds]
    return _framed(golds[0].name, [*figures, (title, _figure(system))])


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
        arcs.append(Arc(first - 1, second - 1, cost, ORANGE if edge["L"] else GREEN))
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
