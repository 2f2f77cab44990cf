"""From the counts of alignments to METEOR (Denkowski and Lavie 2014, English)."""

from __future__ import annotations

import numpy as np

from karat.core.scores import Array, quotient

STAGES = ("exact", "stem", "synonym", "paraphrase")
_WEIGHTS = (1.0, 0.6, 0.8, 0.6)
_ALPHA, _BETA, _GAMMA, _DELTA = 0.85, 0.2, 0.6, 0.75
MOST_PENALTY = _GAMMA
"""The penalty of a text whose matches all stand alone."""

COLUMNS = (
    "system_words", "gold_words", "system_function", "gold_function",
    *(
        f"{stage}_{side}_{kind}"
        for stage in STAGES
        for kind in ("content", "function")
        for side in ("system", "gold")
    ),
    "chunks", "system_matches", "gold_matches",
)  # fmt: skip
"""What an alignment is counted as; the columns add up over segments."""


def without_whole_chunks(counts: Array) -> Array:
    """The counts of segments, with no chunk where one chunk is all of both sides.

    Such a segment has no order to get wrong. The engine forgets its chunk before it adds
    segments up, so that it costs nothing in the final score either.
    """
    chunks, ours, theirs = counts[..., -3], counts[..., -2], counts[..., -1]
    whole = (ours == counts[..., 0]) & (theirs == counts[..., 1]) & (chunks == 1)
    result = counts.copy()
    result[..., -3] = np.where(whole, 0.0, chunks)
    return result


def figures(counts: Array) -> dict[str, Array]:
    """Precision, recall, their mean, the penalty and the score, of any leading shape.

    The counts are sums of what `without_whole_chunks` gives.
    """
    function = counts[..., 2], counts[..., 3]
    quotients = []
    for side in (0, 1):
        matched = sum(
            weight
            * (
                _DELTA * counts[..., 4 + 4 * stage + side]
                + (1 - _DELTA) * counts[..., 6 + 4 * stage + side]
            )
            for stage, weight in enumerate(_WEIGHTS)
        )
        content = counts[..., side] - function[side]
        whole = _DELTA * content + (1 - _DELTA) * function[side]
        quotients.append(quotient(matched, whole))
    precision, recall = quotients
    mean = quotient(precision * recall, _ALPHA * precision + (1 - _ALPHA) * recall)
    chunks, ours, theirs = counts[..., -3], counts[..., -2], counts[..., -1]
    penalty = _GAMMA * quotient(chunks, (ours + theirs) / 2) ** _BETA
    return {
        "score": mean * (1 - penalty),
        "precision": precision,
        "recall": recall,
        "fmean": mean,
        "penalty": penalty,
    }
