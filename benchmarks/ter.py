"""TER against sacreBLEU."""

from __future__ import annotations

from sacrebleu.metrics import TER

from karat.text.metrics.ter import Ter
from rouge import corpus
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


if __name__ == "__main__":
    main()
