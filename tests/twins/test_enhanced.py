"""Enhanced dependencies of random trees, side by side with udtools."""

from __future__ import annotations

import io
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from karat.engine import evaluate
from karat.engine.look import look
from karat.errors import FormatError
from karat.trees.metrics.elas import Elas
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
def test_what_is_told_adds_up(tmp_path: Path, ignore: Any, compat: Any) -> None:
    """Edges of one side alone are those that are not counted as correct; all can be shown."""
    dice = random.Random(str((ignore, compat)))
    told = 0
    for _ in range(40):
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
            found = seen.explanation
            told += len(found["missing"])
            if compat == "none":
                assert len(found["missing"]) == counts[0] - counts[2]
                assert len(found["surplus"]) == counts[1] - counts[2]
    assert told > 50


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
