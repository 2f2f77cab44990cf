"""Sentence and corpus BLEU and chrF, with a paired bootstrap, against sacreBLEU."""

from __future__ import annotations

import random

import sacrebleu
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

import karat
from commands import LINES, Texts, at_scale
from karat.core.reading.items import Pair
from karat.engine import measure_pairs
from timing import header, race

WORDS = [
    *("the", "a", "of", "to", "in", "it", "was", "that", "on", "with", "for", "as", "at", "by"),
    *("harbour", "ferry", "captain", "island", "bread", "gull", "soup", "card", "match", "cloud"),
    *("rain", "pier", "village", "road", "goat", "valve", "pump", "sleeve", "from", "winter"),
]


def corpus(size: int) -> tuple[list[str], list[str], list[str]]:
    """References and two systems that change some words."""
    random.seed(1)
    golds = [" ".join(random.choices(WORDS, k=random.randint(8, 30))) for _ in range(size)]

    def worse(text: str, share: float) -> str:
        return " ".join(
            random.choice(WORDS) if random.random() < share else word for word in text.split()
        )

    return golds, [worse(gold, 0.15) for gold in golds], [worse(gold, 0.2) for gold in golds]


def pairs(systems: list[str], golds: list[str]) -> list[Pair]:
    return [
        Pair(i, str(i), {}, system, [gold])
        for i, (system, gold) in enumerate(zip(systems, golds, strict=True))
    ]


def same(a: float, b: float) -> bool:
    return a == b


def main() -> None:
    header("BLEU and chrF against sacreBLEU", "sacrebleu")
    golds, first, second = corpus(2000)
    for name, peer in (("bleu", BLEU()), ("chrf", CHRF())):
        metric = karat.parse(name)
        race(
            f"corpus {name}, {len(golds)} segments",
            lambda metric=metric, name=name: metric.evaluate(first, [[g] for g in golds])[0][name],
            lambda peer=peer: peer.corpus_score(first, [golds]).score,
            same,
        )
    sentence_bleu = karat.parse("bleu")
    race(
        "sentence bleu",
        lambda: [s["sent-bleu"] for s in sentence_bleu.score_all(first, [[g] for g in golds])],
        lambda: [sacrebleu.sentence_bleu(s, [g]).score for s, g in zip(first, golds, strict=True)],
        # sacreBLEU gives 100.00000000000004 for equal sentences, karat 100.
        lambda a, b: a == [min(100.0, score) for score in b],
    )
    sentence_chrf = karat.parse("chrf")
    race(
        "sentence chrf",
        lambda: [s["chrf"] for s in sentence_chrf.score_all(first, [[g] for g in golds])],
        lambda: [sacrebleu.sentence_chrf(s, [g]).score for s, g in zip(first, golds, strict=True)],
        lambda a, b: a == b,
    )
    for name, peer in (("bleu", BLEU()), ("chrf", CHRF())):
        metric = karat.parse(name)

        def ours(metric=metric, name=name) -> float:
            one, other = (measure_pairs(metric, pairs(s, golds)) for s in (first, second))
            one.compare(other, test="bootstrap", trials=1000)
            return one.scores()[name]

        def theirs(peer=peer, name=name) -> float:
            test = PairedTest(
                [("first", first), ("second", second)],
                {name: peer},
                [golds],
                test_type="bs",
                n_samples=1000,
            )
            return test()[1][peer.__class__.__name__.replace("CHRF", "chrF2")][0].score

        race(f"{name} of two systems, 1000-resample paired test", ours, theirs, same)
        one, other = (measure_pairs(metric, pairs(s, golds)) for s in (first, second))
        stats = peer._extract_corpus_statistics(first, [golds])
        stats_other = peer._extract_corpus_statistics(second, [golds])
        race(
            f"{name}: the 1000 resamples alone, from counts",
            lambda one=one, other=other: one.compare(other, test="bootstrap", trials=1000),
            lambda peer=peer, a=stats, b=stats_other: plain_bootstrap(peer, a, b),
        )


def whole_commands() -> None:
    """As users run them; both with an interval from 1000 resamples."""
    golds, systems, _ = corpus(LINES)
    for name, peer, lines in (("bleu", BLEU(), 10_000), ("chrf", CHRF(), 2_000)):

        def theirs(systems: Texts, golds: Texts, peer=peer) -> float:
            return peer.corpus_score(systems, [golds], n_bootstrap=1000).score

        at_scale(name, name, (), (systems, golds), theirs, lines, lambda s, n=name: s[n], times=10)


def plain_bootstrap(peer, a, b) -> None:
    """What sacreBLEU does per resample: sum the statistics, then score."""
    import numpy as np

    a, b = np.array(a, dtype="float32"), np.array(b, dtype="float32")
    drawn = np.random.default_rng(0).choice(len(a), size=(1000, len(a)), replace=True)
    for rows in drawn:
        for table in (a, b):
            peer._compute_score_from_stats(list(table[rows].sum(axis=0)))


if __name__ == "__main__":
    main()
    whole_commands()
