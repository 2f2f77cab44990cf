"""Drawings of trees: arcs over words, gold above system, and the edges that DERP chooses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from karat.core.metric import Explanation
from karat.drawing.arcs import Arc, Figure, Note, Root, Word, arc_diagram, word_positions
from karat.drawing.svg import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    ORANGE,
    Mark,
    label,
    picture,
    placed,
    shortened,
    tag,
)
from karat.trees.model import Tree

if TYPE_CHECKING:
    from karat.trees.sentence_alignment import Part

_BETWEEN_ROWS = 70.0
_MARGIN = 12.0


def drawing_of(tree: Tree) -> str:
    """One tree as a whole picture."""
    return _framed(tree.name, [("", _figure(tree))])


@dataclass(frozen=True, slots=True)
class Look:
    """The style of the edge to a word, and the notes below the word."""

    color: str = INK
    dashed: bool = False
    mark: Mark | None = None
    notes: tuple[Note, ...] = ()


def compared(
    gold: tuple[Tree, Mapping[int, Look]],
    systems: Sequence[tuple[Tree, Mapping[int, Look]]],
    legend: str,
) -> str:
    """Gold above the trees of a system, each with the looks of its words, by their numbers."""
    tree, looks = gold
    figures = [("gold: dashed, what the system has not", _figure(tree, looks))]
    figures += [(f"system: {legend}", _figure(*each)) for each in systems]
    return _framed(tree.name, figures)


def against_gold(
    system: Tree,
    gold: Tree,
    wrong: Mapping[int, Literal["head", "label"]],
    excluded: Collection[int] = (),
) -> str:
    """Gold above the system's tree over the same words, with what is wrong marked."""
    looks: dict[int, Look] = {word: Look(FAINT) for word in excluded}
    looks |= {word: wrong_edge(word, what) for word, what in wrong.items()}
    missed = {word: missed_edge(word) for word in wrong}
    legend = "orange, another head; blue, the right head but another label"
    if excluded:
        legend += "; grey, not scored"
        missed |= {word: Look(FAINT) for word in excluded}
    return compared((gold, missed), [(system, looks)], legend)


def wrong_edge(word: int, what: str, notes: tuple[Note, ...] = ()) -> Look:
    """The system's edge to a word that has another head, or another label."""
    color = ORANGE if what == "head" else BLUE
    return Look(color, mark=Mark(f"wrong-{what}", word), notes=notes)


def missed_edge(word: int) -> Look:
    """The edge of gold that a system has not."""
    return Look(dashed=True, mark=Mark("missed", word))


def side_by_side(system: Tree, golds: Sequence[Tree], title: str = "system") -> str:
    """Gold above the system's tree, without marks."""
    figures = [("gold", _figure(gold)) for gold in golds]
    return _framed(golds[0].name, [*figures, (title, _figure(system))])


_UD_LEGEND = (
    "orange, another head; blue, the right head but another label; ✗ what is wrong; "
    "+ a word that gold has not; grey, of another sentence"
)


def ud_drawing(parts: Sequence[Part], gold: Tree, explanation: Explanation) -> str:
    """Gold and the parts of a system's sentences that lie in it."""
    wrong = {each["word"]: each["wrong"] for each in explanation["wrong"]}
    theirs = {word: missed_edge(word) for word, failed in wrong.items() if "las" in failed}
    for each in explanation["missing"]:
        mark = Mark("missing", each["word"])
        theirs[each["word"]] = Look(
            dashed=True, mark=mark, notes=(Note("- missing", ORANGE, mark),)
        )
    return compared(
        (gold, theirs), [(part.tree, _ud_looks(part, wrong)) for part in parts], _UD_LEGEND
    )


def _ud_looks(part: Part, wrong: dict[int, list[str]]) -> dict[int, Look]:
    looks: dict[int, Look] = {}
    counted = frozenset(part.counted)
    for word, partner in enumerate(part.partners, 1):
        if not partner:
            looks[word] = _surplus(word) if word in counted else Look(FAINT)
        elif failed := wrong.get(partner):
            note = Note("✗ " + " ".join(failed), ORANGE, Mark("wrong", [partner, failed]))
            if "las" in failed:
                what = "head" if "uas" in failed else "label"
                looks[word] = wrong_edge(partner, what, (note,))
            else:
                looks[word] = Look(notes=(note,))
    return looks


def _surplus(word: int) -> Look:
    mark = Mark("surplus", word)
    return Look(BLUE, mark=mark, notes=(Note("+ surplus", BLUE, mark),))


Labelled = tuple[int, int, str, Any]
"""An edge of a graph over words: dependent, head, label, and what an explanation says of it."""


def edges_drawing(
    gold: Tree,
    ours: Sequence[Labelled],
    systems: Sequence[tuple[Tree, Sequence[Labelled]]],
    explanation: Explanation,
) -> str:
    """Enhanced dependencies of gold above those of the system, with those of one side alone."""
    missing, surplus = (list(explanation.get(side, ())) for side in ("missing", "surplus"))
    figures = [("gold: dashed, what the system has not", _edges(gold, ours, "missing", missing))]
    figures += [
        ("system: blue, what gold has not", _edges(tree, edges, "surplus", surplus))
        for tree, edges in systems
    ]
    return _framed(gold.name, figures)


def _edges(tree: Tree, edges: Sequence[Labelled], side: str, told: list[Any]) -> Figure:
    words = [Word(shortened(tree.form(number))) for number in range(1, len(tree) + 1)]
    arcs, roots = [], []
    for word, head, name, said in edges:
        mark = None
        if said in told:
            told.remove(said)
            mark = Mark(side, said)
        color = INK if mark is None else ORANGE if side == "missing" else BLUE
        style = shortened(name), color, mark is not None and side == "missing", mark
        if head:
            arcs.append(Arc(head - 1, word - 1, *style))
        else:
            roots.append(Root(word - 1, *style))
    return arc_diagram(words, arcs, roots)


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


def _figure(tree: Tree, looks: Mapping[int, Look] | None = None) -> Figure:
    known = looks or {}
    plain = Look()
    labels = [shortened(name) for name in tree.deprels or ("",) * len(tree)]
    tags = tree.upos or tree.xpos or ("_",) * len(tree)
    words, arcs, roots = [], [], []
    for number, head in enumerate(tree.heads, 1):
        look = known.get(number, plain)
        tag = tags[number - 1]
        form = shortened(tree.form(number))
        words.append(Word(form, () if tag == "_" else (tag,), notes=look.notes))
        name = "" if labels[number - 1] == "_" else labels[number - 1]
        style = name, look.color, look.dashed, look.mark
        if head:
            arcs.append(Arc(head - 1, number - 1, *style))
        else:
            roots.append(Root(number - 1, *style))
    return arc_diagram(words, arcs, roots)


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
