"""The tables of docs/paper.md: figures and cost beside other tools, proven matching, coverage.

    python benchmarks/paper.py [--write]

All data are made here from seeds. Karat and its peer run in one process on the same items, figures
are compared before times, and times are CPU seconds, medians of three runs, reading included.
With `--write` the tables take the place of those in the page.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import math
import platform
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
import sacrebleu
import smatch
from rouge_score import rouge_scorer
from seqeval.metrics import f1_score
from udtools import udeval

import karat
from coverage import Common, Mean
from karat.core.runs.evaluation import Evaluation
from matching import made_up
from texts import corpus
from timing import measured
from trees import write_ud

PAGE = Path(__file__).parents[1] / "docs" / "paper.md"
LABELS = ("PER", "LOC", "ORG")


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    marks = ["---", *["---:"] * (len(heads) - 1)]
    return "".join(f"| {' | '.join(line)} |\n" for line in (heads, marks, *rows))


# -- beside other tools ------------------------------------------------------------------------


def beside(
    name: str, peer: str, items: int, ours: Callable[[], float], theirs: Callable[[], float]
) -> list[str]:
    """A row: both figures, and the CPU time of each."""
    _, our_cpu, found = measured(ours)
    _, their_cpu, expected = measured(theirs)
    if abs(found - expected) > 1e-9 * max(1.0, abs(expected)):
        raise SystemExit(f"{name}: the figures differ: {found!r} and {expected!r}")
    row = [
        f"`{name}`", f"{peer} {version(peer)}", f"{items:,}", f"{found:.4f}", f"{expected:.4f}",
        f"{our_cpu:.2f} s", f"{their_cpu:.2f} s", f"{their_cpu / our_cpu:.0f}",
    ]  # fmt: skip
    print(*row, sep="\t", flush=True)
    return row


def write_lines(folder: Path, name: str, lines: Sequence[str]) -> str:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def lines_of(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines()


def tags(count: int, seed: int) -> tuple[list[list[str]], list[list[str]]]:
    """Sentences with named entities, and a system that misses or relabels some."""
    draw = np.random.default_rng(seed)
    golds, systems = [], []
    for _ in range(count):
        gold: list[str] = []
        system: list[str] = []
        while len(gold) < 20:
            if draw.random() < 0.7:
                gold.append("O")
                system.append("O")
                continue
            label, size = LABELS[draw.integers(3)], int(draw.integers(1, 4))
            other = label if draw.random() < 0.8 else LABELS[draw.integers(3)]
            gold += [f"B-{label}", *[f"I-{label}"] * (size - 1), "O"]
            lost = draw.random() < 0.1
            system += ["O"] * size if lost else [f"B-{other}", *[f"I-{other}"] * (size - 1)]
            system.append("O")
        golds.append(gold)
        systems.append(system)
    return golds, systems


def write_tags(folder: Path, name: str, sentences: Sequence[Sequence[str]]) -> str:
    lines: list[str] = []
    for sentence in sentences:
        lines += [*(f"w{i}\t{tag}" for i, tag in enumerate(sentence)), ""]
    return write_lines(folder, name, lines)


def columns(path: str) -> list[list[str]]:
    blocks = Path(path).read_text(encoding="utf-8").strip("\n").split("\n\n")
    return [[line.split("\t")[1] for line in block.splitlines()] for block in blocks]


def figures(folder: Path) -> list[list[str]]:
    golds, systems, _ = corpus(10_000)
    gold, system = (
        write_lines(folder, "gold.txt", golds),
        write_lines(folder, "system.txt", systems),
    )

    def ours(metric: str, *path: str, files: tuple[str, str] = (system, gold)) -> float:
        found: Any = karat.evaluate(metric, system=files[0], gold=files[1]).scores()
        for part in path:
            found = found[part]
        return float(found)

    def corpus_score(peer: Any) -> float:
        return float(peer.corpus_score(lines_of(system), [lines_of(gold)]).score)

    rows = [
        beside("bleu", "sacrebleu", len(golds), lambda: ours("bleu", "bleu"),
               lambda: corpus_score(sacrebleu.BLEU())),
        beside("chrf", "sacrebleu", len(golds), lambda: ours("chrf", "chrf"),
               lambda: corpus_score(sacrebleu.CHRF())),
    ]  # fmt: skip
    few = [
        write_lines(folder, f"few.{name}.txt", lines[:2000])
        for name, lines in (("system", systems), ("gold", golds))
    ]

    def edit_rate() -> float:
        found = sacrebleu.TER().corpus_score(lines_of(few[0]), [lines_of(few[1])])
        return float(found.score)

    some = few[0], few[1]
    rows.append(beside("ter", "sacrebleu", 2000, lambda: ours("ter", "ter", files=some), edit_rate))

    def google() -> float:
        scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"])
        each = [scorer.score(g, s)["rouge2"].fmeasure
                for g, s in zip(lines_of(gold), lines_of(system), strict=True)]  # fmt: skip
        return math.fsum(each) / len(each)

    rouge = "rouge(profile='google', max_ngram=2, compute_rouge_l=True)"
    rows.append(
        beside(
            "rouge", "rouge-score", len(golds), lambda: ours(rouge, "rouge2", "fmeasure"), google
        )
    )
    rows.append(
        beside("wer", "jiwer", len(golds), lambda: ours("wer", "wer"),
               lambda: float(jiwer.wer(lines_of(gold), lines_of(system))))
    )  # fmt: skip
    made = tags(10_000, 1)
    gold_tags = write_tags(folder, "gold.iob", made[0])
    system_tags = write_tags(folder, "system.iob", made[1])
    tagged = system_tags, gold_tags
    rows.append(
        beside("spans", "seqeval", 10_000, lambda: ours("spans", "f", files=tagged),
               lambda: float(f1_score(columns(gold_tags), columns(system_tags))))
    )  # fmt: skip
    write_ud(folder, 2000)
    trees = str(folder / "system.ud"), str(folder / "gold.ud")

    def script() -> float:
        loaded = [udeval.load_conllu_file(path) for path in reversed(trees)]
        return float(udeval.evaluate(*loaded)["LAS"].f1)

    rows.append(beside("ud", "udtools", 2000, lambda: ours("ud", "LAS", "f1", files=trees), script))
    return rows


# -- proven matching ---------------------------------------------------------------------------


def climb(system: str, gold: str) -> int:
    """How many triples Smatch finds in common."""
    smatch.match_triple_dict.clear()  # its memory of the pair before
    return int(smatch.get_amr_match(" ".join(system.split()), " ".join(gold.split()))[0])


def matching(count: int) -> list[list[str]]:
    """Pairs of graphs, the fewer concepts the harder to match; Smatch climbs from 4 + 1 starts."""
    rows = []
    golds, systems = made_up(count, 1)
    for concepts in (60, 10, 3):
        fewer = [
            [re.sub(r"concept-(\d+)", lambda m: f"concept-{int(m[1]) % concepts:02}", text)  # noqa: B023
             for text in texts]
            for texts in (golds, systems)
        ]  # fmt: skip
        metric = karat.parse("smatch")
        begin = time.process_time()
        run = karat.evaluate(metric, fewer[1], fewer[0])
        ours = time.process_time() - begin
        each: Any = run.per_item()
        best = np.array([item["c"] for item in each])
        begin = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()):
            climbed = np.array([climb(s, g) for g, s in zip(*fewer, strict=True)])
        theirs = time.process_time() - begin
        if (climbed > best).any():
            raise SystemExit("Smatch found more than what is said to be the optimum")
        scores: Any = run.scores()
        lost = 2 * (best.sum() - climbed.sum()) / (scores["g"] + scores["s"])
        row = [
            str(concepts), f"{count:,}", f"{int(scores['exact']):,}", f"{scores['f']:.4f}",
            f"{scores['f'] - lost:.4f}", f"{int((climbed < best).sum()):,}",
            f"{1e6 * ours / count:,.0f} µs", f"{1e6 * theirs / count:,.0f} µs",
        ]  # fmt: skip
        print(*row, sep="\t", flush=True)
        rows.append(row)
    return rows


# -- coverage ----------------------------------------------------------------------------------


def held(metric: Any, rows: np.ndarray[Any, Any], truth: float, method: Any) -> bool:
    run = Evaluation(metric, [str(i) for i in range(len(rows))], rows)
    found = run.confidence(method=method)[tuple(metric.about.headline.split("."))]
    return found is not None and found.low - 1e-12 <= truth <= found.high + 1e-12


def rate(size: int, truth: float, method: Any) -> float:
    """Exact: each number of successes counts with its probability."""
    covered = 0.0
    for hits in range(size + 1):
        weight = math.comb(size, hits) * truth**hits * (1 - truth) ** (size - hits)
        if weight > 1e-9:
            rows = np.column_stack([np.ones(size), np.arange(size) < hits])
            covered += weight * held(Mean(), rows, truth, method)
    return covered


def micro_f(size: int, method: Any, samples: int) -> float:
    """By simulation: items with about nine gold parts, of which nearly all are found."""

    def draw(random: np.random.Generator, n: int) -> np.ndarray[Any, Any]:
        gold = 1 + random.poisson(random.gamma(2, 4, n))
        common = random.binomial(gold, random.beta(9.5, 0.5, n))
        return np.column_stack([gold, common + random.poisson(gold - common), common]).astype(float)

    gold, system, common = draw(np.random.default_rng(0), 1_000_000).sum(axis=0)
    random = np.random.default_rng(size)
    truth = 2 * common / (gold + system)
    found = [held(Common(), draw(random, size), truth, method) for _ in range(samples)]
    return sum(found) / samples


def coverage(samples: int) -> list[list[str]]:
    sizes = (10, 30, 100)
    rows = []
    for name, share in (
        ("rate 0.02", lambda n, method: rate(n, 0.02, method)),
        ("rate 0.2", lambda n, method: rate(n, 0.2, method)),
        ("micro-F near 0.95", lambda n, method: micro_f(n, method, samples)),
    ):
        for label, method in (("percentile", "percentile"), ("karat", "auto")):
            row = [f"{name}, {label}", *(f"{share(n, method):.3f}" for n in sizes)]
            print(*row, sep="\t", flush=True)
            rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    parser.add_argument("--pairs", type=int, default=300, help="graphs to match")
    parser.add_argument("--samples", type=int, default=1000, help="data sets for coverage")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tables = {
            "figures": table(
                ["metric", "other tool", "items", "karat", "other", "karat, CPU", "other, CPU",
                 "ratio"],
                figures(Path(folder)),
            ),
        }  # fmt: skip
    tables["matching"] = table(
        ["concepts", "pairs", "proven", "F, karat", "F, Smatch", "pairs below", "karat, a pair",
         "Smatch, a pair"],
        matching(asked.pairs),
    )  # fmt: skip
    tables["coverage"] = table(["95 % intervals", "10 items", "30", "100"], coverage(asked.samples))
    made = f"karat {karat.__version__}, Python {platform.python_version()}, {platform.machine()}"
    made += f", smatch {version('smatch')}"
    if asked.write:
        page = PAGE.read_text(encoding="utf-8")
        for name, text in tables.items():
            begin, end = (
                f"<!-- {name}: written by benchmarks/paper.py -->\n",
                "<!-- end of table -->",
            )
            before, mark, rest = page.partition(begin)
            if not mark:
                raise SystemExit(f"{PAGE} has no place for the table {name}")
            page = f"{before}{begin}\n{text}\nMade with {made}.\n\n{end}{rest.partition(end)[2]}"
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
