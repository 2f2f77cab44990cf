"""How trees are drawn: arcs over words, gold above system, and what DERP looks at."""

from __future__ import annotations

from collections.abc import Sequence

from karat.drawing.arcs import Arc, Figure, Word, arc_diagram, word_positions
from karat.drawing.svg import (
    BLUE,
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
from karat.trees.aligned import Reference
from karat.trees.metrics.derp import Derp
from karat.trees.model import Tree

_BETWEEN_ROWS = 70.0
_MARGIN = 12.0


def drawing_of(tree: Tree) -> str:
    """One tree as a whole picture."""
    return _framed(tree.name, [("", _figure(tree))])


def against_gold(system: Tree, gold: Tree) -> str:
    """Gold above the system's tree, with what differs marked.

    Where the two have other words, both are drawn as they are.
    """
    if len(system) != len(gold):
        return side_by_side(system, gold, "system (other words: not compared)")
    differs = [_difference(system, gold, word) for word in range(1, len(gold) + 1)]
    missed = [color != INK for color in differs]
    legend = "system: orange, another head; blue, the right head but another label"
    return _framed(
        gold.name,
        [("gold: dashed, what the system has not", _figure(gold, dashed=missed)),
         (legend, _figure(system, colors=differs))],
    )  # fmt: skip


def side_by_side(system: Tree, gold: Tree, title: str = "system") -> str:
    """Gold above the system's tree."""
    return _framed(gold.name, [("gold", _figure(gold)), (title, _figure(system))])


def derp_drawing(hypothesis: Tree, reference: Reference, metric: Derp) -> str:
    """Both trees, the links between their words, and the meta-edges that DERP chooses."""
    found = metric.explain(hypothesis, reference)["references"][0]
    on_hypothesis = found["base"] == "hypothesis"
    base, other = (hypothesis, reference.tree) if on_hypothesis else (reference.tree, hypothesis)
    links = [
        (h, r) if on_hypothesis else (r, h)
        for h, r in (tuple(map(int, link.split("-"))) for link in found["links"])
    ]
    arcs = [
        Arc(
            edge["base"]["words"][0] - 1,
            edge["base"]["words"][1] - 1,
            f"{edge['L']}/{edge['Lmax']}",
            ORANGE if edge["L"] else GREEN,
        )
        for edge in found["edges"]
    ]
    score = "undefined" if found["score"] is None else f"{found['score']:.4f}"
    title = (
        f"chosen edges over the {found['base']}, L/Lmax, and links: "
        f"{found['L']}/{found['Lmax']}, score {score}"
    )
    return _framed(
        reference.tree.name,
        [("reference", _figure(reference.tree)), ("hypothesis", _figure(hypothesis)),
         (title, _linked(base, other, arcs, links))],
    )  # fmt: skip


def _figure(tree: Tree, *, colors: Sequence[str] = (), dashed: Sequence[bool] = ()) -> Figure:
    labels = [shortened(name) for name in tree.deprels or ("",) * len(tree)]
    tags = tree.upos or tree.xpos or ("_",) * len(tree)
    words = [
        Word(shortened(tree.form(word)), () if tags[word - 1] == "_" else (tags[word - 1],))
        for word in range(1, len(tree) + 1)
    ]
    arcs = [
        Arc(
            head - 1,
            word,
            "" if labels[word] == "_" else labels[word],
            colors[word] if colors else INK,
            bool(dashed) and dashed[word],
        )
        for word, head in enumerate(tree.heads)
        if head
    ]
    roots = [
        (word, f"{labels[word]} ✗" if (colors and colors[word] != INK) else labels[word])
        for word, head in enumerate(tree.heads)
        if not head
    ]
    return arc_diagram(words, arcs, roots)


def _difference(system: Tree, gold: Tree, word: int) -> str:
    """The colour that says what is wrong with a word of the system's tree."""
    if system.heads[word - 1] != gold.heads[word - 1]:
        return ORANGE
    ours, theirs = system.deprels, gold.deprels
    return BLUE if ours and theirs and ours[word - 1] != theirs[word - 1] else INK


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
