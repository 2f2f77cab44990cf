"""Enhanced dependencies of random trees, side by side with udtools."""

from __future__ import annotations

import io
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from karat.core.shown import Arcs, Kind
from karat.engine import evaluate
from karat.engine.look import look
from karat.errors import FormatError
from karat.trees.metrics.elas import Edge, Elas, edge_lists
from karat.trees.model import Tree
from karat.trees.pairing import Share
from looking import check_looks

udeval = pytest.importorskip("udtools.udeval")

LABELS = (
    "nsubj", "nsubj:pass", "nsubj:xsubj", "obj", "conj", "conj:and", "acl", "acl:relcl", "xcomp",
    "xcomp:ds", "ref", "obl:in", "obl", "nmod:of", "advcl:if:so", "mark",
)  # fmt: skip
KINDS = (
    "no_gapping", "no_shared_parents_in_coordination", "no_shared_dependents_in_coordination",
    "no_control", "no_external_arguments_of_relative_clauses", "no_case_info",
)  # fmt: skip


def sentence(dice: random.Random, forms: list[str]) -> str:
    """A random tree over words, with random further edges, and empty nodes that some come from."""
    size = len(forms)
    order = dice.sample(range(1, size + 1), size)
    heads = {order[0]: 0} | {w: dice.choice(order[:i]) for i, w in enumerate(order) if i}
    empty = size > 2 and dice.random() < 0.3
    lines = []
    if size > 1 and dice.random() < 0.2:
        lines.append(f"1-2\t{forms[0]}{forms[1]}" + "\t_" * 8 + "\n")
    for word, form in enumerate(forms, 1):
        head = heads[word]
        label = dice.choice(LABELS) if head else "root"
        edges = [] if dice.random() < 0.1 else [f"{head}:{label}"]
        for _ in range(dice.choice((0, 0, 1, 1, 2, 3))):
            path = ">".join(dice.choices(LABELS, k=dice.choice((1, 1, 1, 2))))
            edges.append(f"{dice.randint(0, size)}:{path}")
        if empty and dice.random() < 0.3:
            edges.append("1.1:conj")
        deps = "|".join(edges) or "_"
        lines.append(f"{word}\t{form}\t_\tX\t_\t_\t{head}\t{label}\t{deps}\t_\n")
        if empty and word == 1:
            lines.append("1.1\tnone\t_\tX\t_\t_\t_\t_\t2:dep\t_\n")
    return "".join(lines) + "\n"


def documents(dice: random.Random) -> tuple[str, str]:
    """Two files of the same characters; the system cuts some words and sentences otherwise."""
    gold, system = "", ""
    for _ in range(dice.randint(1, 5)):
        forms = [dice.choice(["ab", "cde", "f", "gh"]) for _ in range(dice.randint(1, 7))]
        gold += sentence(dice, forms)
        others = list(forms)
        if len(others[0]) > 1 and dice.random() < 0.3:
            others[:1] = [others[0][:1], others[0][1:]]
        cut = dice.randint(1, len(others)) if dice.random() < 0.3 else len(others)
        system += sentence(dice, others[:cut])
        if cut < len(others):
            system += sentence(dice, others[cut:])
    return gold, system


def theirs(text: str, ignore: tuple[int, ...]) -> Any:
    return udeval.load_conllu(io.StringIO(text), "", {KINDS[n - 1]: 1 for n in ignore})


@pytest.mark.parametrize("ignore", [(), (1,), (2,), (3,), (4,), (5,), (6,), (1, 2, 3, 4, 5, 6)])
def test_compat_is_udtools(tmp_path: Path, ignore: Any) -> None:
    dice = random.Random(str(ignore))
    metric = Elas(compat="udtools", empty_nodes="drop", ignore=ignore)
    for _ in range(40):
        gold, system = documents(dice)
        expected = udeval.evaluate(theirs(gold, ignore), theirs(system, ignore))
        if not expected["ELAS"].gold_total:
            continue
        (tmp_path / "gold.conllu").write_text(gold)
        (tmp_path / "system.conllu").write_text(system)
        run = evaluate(metric, gold=tmp_path / "gold.conllu", system=tmp_path / "system.conllu")
        elas, eulas = expected["ELAS"], expected["EULAS"]
        assert run.counts.sum(axis=0)[:4].tolist() == [
            elas.gold_total, elas.system_total, elas.correct, eulas.correct,
        ]  # fmt: skip


def test_without_doubled_edges_there_is_no_difference(tmp_path: Path) -> None:
    """The original multiplies equal edges; where there are none, it needs no compat."""
    dice = random.Random(8)
    compared = 0
    for _ in range(200):
        gold, system = documents(dice)
        if any(_has_doubles(text) for text in (gold, system)):
            continue
        expected = udeval.evaluate(theirs(gold, ()), theirs(system, ()))
        if not expected["ELAS"].gold_total:
            continue
        (tmp_path / "gold.conllu").write_text(gold)
        (tmp_path / "system.conllu").write_text(system)
        scores = evaluate(
            Elas(empty_nodes="drop"),
            gold=tmp_path / "gold.conllu",
            system=tmp_path / "system.conllu",
        ).scores()
        assert scores["elas"]["f"] == pytest.approx(expected["ELAS"].f1, abs=1e-12)
        assert scores["eulas"]["f"] == pytest.approx(expected["EULAS"].f1, abs=1e-12)
        compared += 1
    assert compared > 20


@pytest.mark.parametrize("ignore", [(), (1, 2, 3, 4, 5, 6)])
@pytest.mark.parametrize("compat", ["none", "udtools"])
def test_what_is_told_and_drawn(tmp_path: Path, ignore: Any, compat: Any) -> None:
    """Edges of one side alone are those that are not counted as correct; these are marked."""
    dice = random.Random(str((ignore, compat)))
    told = 0
    for _ in range(80):
        gold, system = documents(dice)
        (tmp_path / "gold.conllu").write_text(gold)
        (tmp_path / "system.conllu").write_text(system)
        metric = Elas(compat=compat, ignore=ignore)
        try:
            run = evaluate(metric, gold=tmp_path / "gold.conllu", system=tmp_path / "system.conllu")
        except FormatError:  # no word has enhanced dependencies
            continue
        assert check_looks(run) == len(run)
        for seen, counts in zip(look(run, explained=True), run.counts.tolist(), strict=True):
            system, gold = seen.pair.system, seen.pair.gold
            expected = alone(metric, system, gold)
            assert [[tuple(each.values()) for each in seen.explanation[side]]
                    for side in ("missing", "surplus")] == expected  # fmt: skip
            told += len(expected[0])
            if compat == "none":
                assert len(expected[0]) == counts[0] - counts[2]
            shown = metric.shown(system, gold, seen.explanation)
            for content, own, kind in zip(
                (shown.golds[0], shown.system), expected, (Kind.MISSING, Kind.SURPLUS), strict=True
            ):
                assert isinstance(content, Arcs)
                marked = [
                    (content.words[arc.target].form, arc.label)
                    for arc in content.arcs
                    if arc.kind == kind
                ]
                assert marked == [(form, label) for _, form, _, label in own]
    assert told > 50


def alone(metric: Elas, share: Share, gold: Tree) -> list[list[tuple[int, str, str, str]]]:
    """The edges of gold, and of words that count for it, which the other side lacks."""

    def edges(tree: Tree) -> list[list[Edge]]:
        return edge_lists(tree, metric.empty_nodes, metric.ignore, metric.compat == "udtools")

    def told(tree: Tree, word: int, edge: Edge) -> tuple[int, str, str, str]:
        return word, tree.form(word), tree.form(max(edge.head, 0)), ">".join(edge.labels)

    left = [list(own) for own in edges(gold)]
    surplus = []
    for part in share.parts:
        for word, (own, partner) in enumerate(zip(edges(part.tree), part.partners, strict=True), 1):
            for edge in own:
                head = part.partners[edge.head - 1] or -1 if edge.head > 0 else edge.head
                moved = Edge(head, edge.labels)
                if partner and head >= 0 and moved in left[partner - 1]:
                    left[partner - 1].remove(moved)
                elif word in part.counted:
                    surplus.append(told(part.tree, word, edge))
    missing = [told(gold, word, edge) for word, own in enumerate(left, 1) for edge in own]
    return [missing, surplus]


def _has_doubles(text: str) -> bool:
    for line in text.splitlines():
        cells = line.split("\t")
        if len(cells) < 9 or cells[8] == "_":
            continue
        edges = []
        for edge in cells[8].split("|"):
            head, path = edge.split(":", 1)
            edges.append((head, *(step.split(":")[0] for step in path.split(">"))))
        if max(Counter(edges).values()) > 1:
            return True
    return False


def test_edges_are_told_of_the_same_words(tmp_path: Path) -> None:
    """Where the system cuts a word in two, later words have other numbers than in gold."""
    word = "{}\t{}\t_\tX\t_\t_\t{}\tdep\t{}\t_\n"
    gold = [("ab", 0, "0:root"), ("c", 1, "1:obj"), ("d", 1, "1:nsubj")]
    system = [("a", 0, "0:root"), ("b", 1, "1:dep"), ("c", 1, "1:obj"), ("d", 3, "3:obl")]
    for name, rows in (("gold", gold), ("system", system)):
        lines = [word.format(i, *row) for i, row in enumerate(rows, 1)]
        (tmp_path / name).write_text("".join(lines) + "\n")
    run = evaluate("elas", gold=tmp_path / "gold", system=tmp_path / "system")
    (seen,) = look(run, explained=True)
    shown = Elas().shown(seen.pair.system, seen.pair.gold, seen.explanation)
    # Neither d (3, below 1) nor c (3, below 1) has another label: their heads are others.
    assert not shown.notes
    assert {fault.part for fault in shown.faults} == {"edges"}
