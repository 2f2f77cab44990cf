"""Dependency trees: files of UD, NED and attachment, DERP and DTED on long sentences.

UD against the script of the CoNLL 2018 shared task, as `udtools` keeps it (with what it has
learned since, it takes about a sixth longer than that of 2018); the others against plain Python
written from the definitions, and against the package `zss` for tree edit distance.
"""

from __future__ import annotations

import json
import random
import string
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zss

from karat.engine import evaluate
from karat.trees.metrics.derp import Derp, path
from karat.trees.metrics.derp import Path as Way
from karat.trees.metrics.dted import Dted
from karat.trees.model import Reference, Tree
from timing import header, measured, race

SENTENCES = 100_000
LABELS = ("nsubj", "obj", "det", "case", "amod", "advmod", "nmod", "conj")


UD_SIZES = (1_000, 5_000, 20_000)
WORDS = [
    "".join(random.Random(i).choices(string.ascii_lowercase, k=1 + i % 8)) for i in range(5_000)
]
TAGS = ("NOUN", "VERB", "ADJ", "DET", "ADP", "PRON", "ADV", "PUNCT")
FEATS = (
    "_",
    "Number=Sing",
    "Case=Nom|Number=Plur",
    "Definite=Def|PronType=Art",
    "Mood=Ind|Typo=Yes",
)
UD_LABELS = (*LABELS, "nmod:poss", "aux:pass", "mark", "punct", "cop", "obl", "cc")


def ud_sentence(tokens: list[list[str]], number: int, tree: list[int], noise: float) -> str:
    """A sentence of CoNLL-U; some tags and labels are not those that the words usually have."""
    text = " ".join("".join(token) for token in tokens)
    lines = [f"# sent_id = s{number}", f"# text = {text}"]
    word = 0
    for token in tokens:
        if len(token) > 1:
            form = "".join(token)
            lines.append("\t".join([f"{word + 1}-{word + len(token)}", form, *"________"]))
        for form in token:
            head = tree[word]
            word += 1
            odd = random.random() < noise
            tag = random.choice(TAGS) if odd else TAGS[len(form) % 8]
            label = random.choice(UD_LABELS) if odd else UD_LABELS[ord(form[0]) % len(UD_LABELS)]
            feats, label = FEATS[len(form) % 5], label if head else "root"
            lines.append(f"{word}\t{form}\t{form}\t{tag}\t{tag[0]}\t{feats}\t{head}\t{label}\t_\t_")
    return "\n".join(lines) + "\n\n"


def write_ud(folder: Path, count: int) -> None:
    """Sentences of 15 words and 700 bytes on average; the system cuts one token in a hundred."""
    with (folder / "gold.ud").open("w") as golds, (folder / "system.ud").open("w") as systems:
        for number in range(count):
            tokens = [
                random.sample(WORDS, 2 if random.random() < 0.02 else 1)
                for _ in range(random.randint(3, 26))
            ]
            ours: list[list[str]] = []
            for token in tokens:
                form = "".join(token)
                cut = random.random() < 0.01 and len(form) > 1
                ours += [[form[:1]], [form[1:]]] if cut else [token]
            gold, size = heads(sum(map(len, tokens))), sum(map(len, ours))
            system = gold if size == len(gold) and random.random() < 0.5 else heads(size)
            golds.write(ud_sentence(tokens, number, gold, 0.0))
            systems.write(ud_sentence(ours, number, system, 0.1))


SCRIPT = """
import json, sys
from udtools import udeval
gold, system = (udeval.load_conllu_file(path) for path in sys.argv[1:])
scores = udeval.evaluate(gold, system)
print(json.dumps({name: [each.correct, each.f1] for name, each in scores.items()}))
"""


def race_ud(folder: Path, count: int) -> None:
    """Whole commands, with karat's intervals, which the script does not have."""
    write_ud(folder, count)
    paths = [str(folder / "gold.ud"), str(folder / "system.ud")]

    def ours() -> dict[str, Any]:
        command = ["-m", "karat", "evaluate", "ud", "-g", paths[0], "-s", paths[1], "--json", "-"]
        found = json.loads(_output([*command, "--jobs", "1"]))["scores"]
        return {name: [figures["correct"], figures["f1"]] for name, figures in found.items()}

    def theirs() -> dict[str, Any]:
        return dict(json.loads(_output(["-c", SCRIPT, *paths])))

    def equal(a: dict[str, Any], b: dict[str, Any]) -> bool:
        return all(a[name][0] == b[name][0] and abs(a[name][1] - b[name][1]) < 1e-12 for name in a)

    race(f"UD, {count:,} sentences, whole commands", ours, theirs, equal, repeats=3)


def _output(arguments: list[str]) -> str:
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def time_ud(folder: Path, count: int) -> None:
    """karat alone, without the interval, and without starting Python."""
    write_ud(folder, count)
    system, gold = folder / "system.ud", folder / "gold.ud"
    wall, cpu, _ = measured(lambda: evaluate("ud", system=system, gold=gold).scores())
    print(f"UD, {count:,} sentences, no interval: karat {wall:.3f} s (CPU {cpu:.3f})")


def heads(size: int) -> list[int]:
    order = random.sample(range(1, size + 1), size)
    result = [0] * size
    for place, word in enumerate(order[1:], 1):
        result[word - 1] = order[random.randrange(max(0, place - 6), place)]
    return result


def write_files(folder: Path) -> None:
    """Gold and system in three columns and in CoNLL-U, 10 to 30 words a sentence."""
    files = {
        name: (folder / name).open("w")
        for name in ("gold.f2", "system.f2", "gold.conllu", "system.conllu")
    }
    for _ in range(SENTENCES):
        size = random.randint(10, 30)
        gold = heads(size)
        system = gold if random.random() < 0.5 else heads(size)
        for side, tree in (("gold", gold), ("system", system)):
            words = [(f"w{word % 7}", head, LABELS[word % 8]) for word, head in enumerate(tree)]
            files[f"{side}.f2"].writelines(f"{form}\tNN\t{head}\n" for form, head, _ in words)
            files[f"{side}.conllu"].writelines(
                f"{i}\t{form}\t{form}\tNOUN\tNN\t_\t{head}\t{label}\t_\t_\n"
                for i, (form, head, label) in enumerate(words, 1)
            )
            files[f"{side}.f2"].write("\n")
            files[f"{side}.conllu"].write("\n")
    for file in files.values():
        file.close()


def rows(file: Path) -> Iterator[list[list[str]]]:
    sentence: list[list[str]] = []
    with file.open() as stream:
        for line in stream:
            if line == "\n":
                yield sentence
                sentence = []
            else:
                sentence.append(line.rstrip("\n").split("\t"))


def plain_ned(gold: Path, system: Path) -> int:
    """What the definition says, without any of the checks."""
    right = 0
    for ours, theirs in zip(rows(system), rows(gold), strict=True):
        t = [int(cells[2]) for cells in ours]
        g = [int(cells[2]) for cells in theirs]
        for i, (head, parent) in enumerate(zip(t, g, strict=True), 1):
            right += (
                head == parent
                or (head != 0 and g[head - 1] == i)
                or (parent != 0 and head == g[parent - 1])
            )
    return right


def plain_attachment(gold: Path, system: Path) -> int:
    return sum(
        a[6:8] == b[6:8]
        for ours, theirs in zip(rows(system), rows(gold), strict=True)
        for a, b in zip(ours, theirs, strict=True)
    )


def distance(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            above, row[j] = row[j], min(above + (left != right), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def plain_derp(hypothesis: Tree, reference: Tree) -> tuple[int, int]:
    """All pairs of words, then Kruskal; the alignment is the identity."""
    edges = []
    for n in range(1, len(reference) + 1):
        for m in range(n + 1, len(reference) + 1):
            ours: Way = path(reference, n, m)
            theirs = path(hypothesis, n, m)
            cost = distance(ours.up, theirs.up) + distance(ours.down, theirs.down)
            most = max(len(ours.up), len(theirs.up)) + 1 + max(len(ours.down), len(theirs.down))
            edges.append((cost, most, n, m))
    group = list(range(len(reference) + 1))

    def find(word: int) -> int:
        while group[word] != word:
            group[word] = group[group[word]]
            word = group[word]
        return word

    total = total_most = 0
    for cost, most, n, m in sorted(edges):
        if find(n) != find(m):
            group[find(n)] = find(m)
            total, total_most = total + cost, total_most + most
    return total, total_most


def zss_tree(tree: Tree) -> zss.Node:
    nodes = [zss.Node("ROOT"), *(zss.Node(label) for label in tree.deprels or ())]
    for word, head in enumerate(tree.heads, 1):
        nodes[head].addkid(nodes[word])
    return nodes[0]


def sentence_pairs(count: int, size: int) -> tuple[list[Tree], list[Reference]]:
    links = tuple((i, i) for i in range(size))

    def tree() -> Tree:
        return Tree.of(heads(size), deprels=random.choices(LABELS, k=size))

    return [tree() for _ in range(count)], [Reference(tree(), links) for _ in range(count)]


def main() -> None:
    random.seed(1)
    header("dependency trees", "udtools", "zss")
    with tempfile.TemporaryDirectory() as name:
        for count in UD_SIZES:
            race_ud(Path(name), count)
        time_ud(Path(name), SENTENCES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder)
        race(
            f"NED, {SENTENCES:,} sentences from files (twin checks nothing)",
            lambda: evaluate("ned", system=folder / "system.f2", gold=folder / "gold.f2").scores()[
                "ned"
            ],
            lambda: plain_ned(folder / "gold.f2", folder / "system.f2"),
            lambda a, b: a == b,
            repeats=3,
        )
        race(
            f"attachment, {SENTENCES:,} sentences of CoNLL-U (twin checks nothing)",
            lambda: evaluate(
                "attachment(keep_punct=True)",
                system=folder / "system.conllu",
                gold=folder / "gold.conllu",
            ).scores()["correct"]["both"],
            lambda: plain_attachment(folder / "gold.conllu", folder / "system.conllu"),
            lambda a, b: a == b,
            repeats=3,
        )
    hypotheses, references = sentence_pairs(50, 40)

    def derp() -> tuple[int, int]:
        total, _ = Derp().evaluate(hypotheses, references)
        return total["L"], total["Lmax"]

    def twin() -> tuple[int, ...]:
        found = [plain_derp(h, r.tree) for h, r in zip(hypotheses, references, strict=True)]
        return tuple(map(sum, zip(*found, strict=True)))

    race("DERP, 50 pairs of 40 words", derp, twin, lambda a, b: a == b, repeats=3)
    label = Dted(variant="label")
    roots = [(zss_tree(h), zss_tree(r.tree)) for h, r in zip(hypotheses, references, strict=True)]
    race(
        "DTED, 50 pairs of 40 words, against zss",
        lambda: label.evaluate(hypotheses, references)[0]["distance"],
        lambda: sum(
            zss.simple_distance(a, b, label_dist=lambda x, y: int(x != y)) for a, b in roots
        ),
        lambda a, b: a == b,
        repeats=3,
    )


if __name__ == "__main__":
    main()
