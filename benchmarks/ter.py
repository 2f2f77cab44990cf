"""TER against sacreBLEU."""

from __future__ import annotations

from sacrebleu.metrics import TER

from commands import LINES, at_scale
from karat.text.metrics.ter import Ter
from rouge import corpus
from texts import corpus as short_texts
from timing import header, race


def main() -> None:
    header("TER against sacreBLEU", "sacrebleu")
    systems, golds = ([" ".join(text) for text in side] for side in corpus(20))
    # Half of the words of each system text come from its reference, in blocks.
    systems = [
        " ".join(gold.split()[40:70] + system.split()[:20] + gold.split()[5:20])
        for system, gold in zip(systems, golds, strict=True)
    ]
    metric, peer = Ter(), TER()
    race(
        f"sentence TER, {len(golds)} pairs of 65 and 75 words",
        lambda: [s["ter"] for s in metric.score_all(systems, [[g] for g in golds])],
        lambda: [peer.sentence_score(s, [g]).score for s, g in zip(systems, golds, strict=True)],
        lambda a, b: a == b,
        repeats=1,
    )
    golds, systems, _ = short_texts(LINES)
    at_scale(
        "ter",
        "ter",
        (),
        (systems, golds),
        lambda s, g: peer.corpus_score(s, [g], n_bootstrap=1000).score,
        1_000,
        lambda scores: scores["ter"],
    )


if __name__ == "__main__":
    main()
