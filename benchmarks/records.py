"""Structured output: json against ANLS*, spans against seqeval and nervaluate, wer against jiwer.

All read the same files, karat on one core. ANLS* gets fewer documents, and its time is scaled.
"""

from __future__ import annotations

import json
import logging
import math
import random
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import jiwer
from anls_star import anls_score
from nervaluate import Evaluator
from seqeval.metrics import classification_report, f1_score

from karat.engine import evaluate
from karat.records.metrics.json import Json
from karat.records.metrics.spans import Spans
from karat.text.metrics.wer import Wer
from timing import header, measured, race

WORDS = ("harbour", "ferry", "captain", "island", "bread", "gull", "soup", "card", "cloud", "rain")
METRICS: dict[str, Any] = {"json": Json, "spans": Spans, "wer": Wer}
LABELS = ("PER", "LOC", "ORG", "MISC")


def typo(dice: random.Random, text: str) -> str:
    at = dice.randrange(len(text))
    return text[:at] + "x" + text[at + 1 :]


def invoices(size: int) -> tuple[list[Any], list[Any]]:
    """Documents with a list of 20 records of four fields, some of them changed, in other order."""
    dice = random.Random(1)
    golds, systems = [], []
    for number in range(size):
        items = [
            {
                "name": " ".join(dice.choices(WORDS, k=2)),
                "code": f"{dice.randrange(10**6):06}",
                "unit": dice.choice(WORDS),
                "price": f"{dice.randrange(10**4)}.{dice.randrange(100):02}",
            }
            for _ in range(20)
        ]
        output = [
            {key: typo(dice, each) if dice.random() < 0.2 else each for key, each in item.items()}
            for item in items
        ]
        dice.shuffle(output)
        golds.append({"id": str(number), "items": items})
        systems.append({"id": str(number), "items": output})
    return golds, systems


def sentences(size: int) -> tuple[list[list[str]], list[list[str]], list[list[str]]]:
    """Tokens, and tags of gold and system."""
    dice = random.Random(2)
    tokens, golds, systems = [], [], []
    for _ in range(size):
        words, tags = [], []
        while len(words) < 18:
            length = dice.choice((1, 1, 2, 3))
            label = dice.choice(LABELS)
            inside = dice.random() < 0.3
            words += dice.choices(WORDS, k=length)
            if inside:
                tags += [f"B-{label}", *[f"I-{label}"] * (length - 1)]
            else:
                tags += ["O"] * length
        guess = [
            dice.choice(["O", f"B-{dice.choice(LABELS)}"]) if dice.random() < 0.05 else tag
            for tag in tags
        ]
        tokens.append(words)
        golds.append(tags)
        systems.append(guess)
    return tokens, golds, systems


def texts(size: int) -> tuple[list[str], list[str]]:
    dice = random.Random(3)
    golds = [" ".join(dice.choices(WORDS, k=dice.randint(6, 20))) for _ in range(size)]
    systems = [
        " ".join(dice.choice(WORDS) if dice.random() < 0.1 else word for word in gold.split())
        for gold in golds
    ]
    return golds, systems


class Files:
    """Gold and system in files, and their evaluation."""

    def __init__(self, folder: Path, name: str) -> None:
        self.gold, self.system = folder / f"{name}.gold", folder / f"{name}.system"

    def write_lines(self, golds: list[str], systems: list[str]) -> None:
        for path, lines in ((self.gold, golds), (self.system, systems)):
            path.write_text("".join(line + "\n" for line in lines))

    def scores(self, metric: str, **options: Any) -> dict[str, Any]:
        made = METRICS[metric](**options)
        return dict(evaluate(made, gold=self.gold, system=self.system, jobs=1).scores())


def close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-12)


def documents(folder: Path, size: int, few: int) -> None:
    golds, systems = invoices(size)
    files = Files(folder, "documents")
    files.write_lines(list(map(json.dumps, golds)), list(map(json.dumps, systems)))
    part = Files(folder, "part")
    part.write_lines(list(map(json.dumps, golds[:few])), list(map(json.dumps, systems[:few])))
    _, peer, scores = measured(
        lambda: [
            anls_score(json.loads(g), json.loads(s))
            for g, s in zip(part.gold.open(), part.system.open(), strict=True)
        ],
        1,
    )
    figure = part.scores("json", compat="anls")["anls"]
    if not close(figure, sum(scores) / few):
        raise SystemExit(f"the figures differ: {figure} and {sum(scores) / few}")
    print(f"anls_star: {few} documents in {peer:.2f} s CPU, scaled to {size}")
    for name, options in (("fuzzy", {"strings": "fuzzy"}), ("compat=anls", {"compat": "anls"})):
        _, cpu, _ = measured(lambda options=options: files.scores("json", **options))
        scaled = peer * size / few
        print(
            f"json {name}, {size} documents, 20 records of 4 fields: karat CPU {cpu:.3f} s, "
            f"anls_star {scaled:.1f} s, ratio {scaled / cpu:.0f}"
        )


def flat(folder: Path, size: int) -> None:
    dice = random.Random(4)
    files = Files(folder, "flat")
    with files.gold.open("w") as gold, files.system.open("w") as system:
        for _ in range(size):
            record: dict[str, Any] = {f"field{i}": dice.choice(WORDS) for i in range(5)}
            record |= {f"number{i}": dice.randrange(10**5) for i in range(5)}
            gold.write(json.dumps(record) + "\n")
            record[f"field{dice.randrange(8)}"] = "other"
            system.write(json.dumps(record) + "\n")
    wall, cpu, scores = measured(lambda: files.scores("json"), 1)
    print(
        f"json exact, {size:,} flat documents: {wall:.1f} s, CPU {cpu:.1f} s, f {scores['f']:.4f}"
    )


def tags_of(path: Path) -> list[list[str]]:
    """The tags of a file, for the peers."""
    blocks = path.read_text().strip().split("\n\n")
    return [[line.rpartition("\t")[2] for line in block.split("\n")] for block in blocks]


def spans(folder: Path, size: int) -> None:
    tokens, golds, systems = sentences(size)
    files = Files(folder, "tags")
    files.write_lines(
        *(
            [
                "\n".join(map("\t".join, zip(words, tags, strict=True))) + "\n"
                for words, tags in zip(tokens, side, strict=True)
            ]
            for side in (golds, systems)
        )
    )
    race(
        f"spans, {size:,} sentences, against seqeval",
        lambda: files.scores("spans")["f"],
        lambda: f1_score(tags_of(files.gold), tags_of(files.system)),
        close,
        1,
    )

    def report() -> float:
        found = classification_report(
            tags_of(files.gold), tags_of(files.system), output_dict=True, zero_division=0
        )
        return float(found["micro avg"]["f1-score"])

    race(
        f"spans, {size:,} sentences, against seqeval's report",
        lambda: files.scores("spans")["f"],
        report,
        close,
        1,
    )

    def peer() -> float:
        sides = tags_of(files.gold), tags_of(files.system)
        evaluator = Evaluator(*sides, tags=list(LABELS), loader="list")
        return float(evaluator.evaluate()["overall"]["partial"].f1)

    race(
        f"spans, {size:,} sentences, against nervaluate",
        lambda: files.scores("spans", compat="nervaluate")["partial"]["f"],
        peer,
        close,
        1,
    )


def words(folder: Path, size: int) -> None:
    golds, systems = texts(size)
    files = Files(folder, "texts")
    files.write_lines(golds, systems)

    def peer() -> tuple[float, float]:
        sides = [path.read_text().splitlines() for path in (files.gold, files.system)]
        return jiwer.process_words(*sides).wer, jiwer.process_characters(*sides).cer

    def ours() -> tuple[float, float]:
        scores = files.scores("wer")
        return scores["wer"], scores["cer"]

    race(
        f"wer and cer, {size:,} sentences, against jiwer",
        ours,
        peer,
        lambda a, b: all(map(close, a, b)),
        1,
    )


def main(scale: float = 1.0) -> None:
    warnings.simplefilter("ignore")
    logging.disable()
    header("Structured output", "anls_star", "munkres", "seqeval", "nervaluate", "jiwer")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        documents(folder, round(2000 * scale), max(2, round(20 * scale)))
        spans(folder, round(100_000 * scale))
        words(folder, round(100_000 * scale))
        flat(folder, round(1_000_000 * scale))


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
