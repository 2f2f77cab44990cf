"""The words of a sentence from a graph whose nodes are some of them."""

from __future__ import annotations

import re

from karat.graphs.formats.base import cannot_hold
from karat.graphs.model import Graph, Token

_FARTHEST = 10_000


def words_of(graph: Graph) -> tuple[Token, ...]:
    """One token per node id, gaps filled from the stretches of input between the nodes.

    A stretch is split at blanks where that gives as many words as ids are
    missing, else between words and marks, else anywhere (mtool gave each
    missing word the whole stretch). What follows the last node is split at blanks.
    """
    if graph.tokens:
        return graph.tokens
    words: list[Token] = []
    cursor = 0
    text = graph.input
    for node in sorted(graph.nodes, key=lambda node: node.id):
        start = min((anchor.start for anchor in node.anchors), default=None)
        missing = node.id - len(words)
        if missing < 0 or missing > _FARTHEST:
            raise cannot_hold(graph, "a row of words", f"no word can have the number {node.id}")
        if missing:
            stretch = "" if text is None else text[cursor : cursor if start is None else start]
            words.extend(Token(form) for form in _split(stretch, missing))
        if text is None or start is None:
            words.append(Token(node.label or "_"))
            continue
        end = max(anchor.end for anchor in node.anchors)
        words.append(Token(text[start:end] or node.label or "_"))
        cursor = end
    if text is not None and graph.is_anchored:
        words.extend(Token(form) for form in text[cursor:].split())
    return tuple(words)


def _split(stretch: str, count: int) -> list[str]:
    parts = stretch.split()
    if len(parts) == count:
        return parts
    pieces = re.findall(r"\w+|[^\w\s]", stretch)
    if len(pieces) < count:
        pieces = [mark for mark in stretch if not mark.isspace()]
    pieces += ["_"] * (count - len(pieces))
    # What is too much goes with the last word, as it stands in the text.
    last = "".join(pieces[count - 1 :])
    return [*pieces[: count - 1], last]
