"""Dependency trees: files of NED and attachment, DERP and DTED on long sentences.

Against plain Python written from the definitions, and against the package `zss`
for tree edit distance.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import zss

from karat.engine import evaluate
from karat.trees.metrics.derp import Derp, path
from karat.trees.metrics.derp import Path as Way
from karat.trees.metrics.dted import Dted
from karat.trees.model import Reference, Tree
from timing import header, race

SENTENCES = 100_000
LABELS = ("nsubj", "obj", "det", "case", "amod", "advmod", "nmod", "conj")


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
    header("dependency trees", "zss")
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
