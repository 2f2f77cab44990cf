"""How `ud` draws what it explains: gold above the system's sentences, aligned by characters."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.metric import Explanation
from karat.drawing.arcs import Note
from karat.drawing.svg import BLUE, FAINT, ORANGE, Mark
from karat.trees.model import Tree
from karat.trees.pictures import Look, compared, missed_edge, wrong_edge
from karat.trees.sentence_alignment import Part

_LEGEND = (
    "orange, another head; blue, the right head but another label; ✗ what is wrong; "
    "+ a word that gold has not; grey, of another sentence"
)


def picture(parts: Sequence[Part], gold: Tree, explanation: Explanation) -> str:
    """Gold and the parts of a system's sentences that lie in it."""
    wrong = {each["word"]: each["wrong"] for each in explanation["wrong"]}
    theirs = {word: missed_edge(word) for word, failed in wrong.items() if "las" in failed}
    for each in explanation["missing"]:
        mark = Mark("missing", each["word"])
        theirs[each["word"]] = Look(
            dashed=True, mark=mark, notes=(Note("- missing", ORANGE, mark),)
        )
    return compared((gold, theirs), [(part.tree, _looks(part, wrong)) for part in parts], _LEGEND)


def _looks(part: Part, wrong: dict[int, list[str]]) -> dict[int, Look]:
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
