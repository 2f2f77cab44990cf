"""Semantic dependencies counted from the columns of files, as the toolkit defines its figures."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import karat

LABELS = {
    "dm": ("ARG1", "BV", "compound"),
    "psd": ("ACT-arg", "PAT-arg", "RSTR"),
    "pas": ("verb_ARG1", "Verb_ARG1", "adj_MOD", "det_ARG1"),
}
CORE: dict[str, Callable[[str], bool]] = {
    "dm": lambda label: True,
    "psd": lambda label: label.endswith("-arg"),
    "pas": lambda label: label in ("verb_ARG1", "adj_MOD"),
}


class Sentence(NamedTuple):
    pos: list[str]
    predicates: list[int]
    tops: set[int]
    frames: list[str]
    edges: dict[tuple[int, int], str]

    def columns(self, name: int, year: int) -> str:
        lines = [f"#{name}"]
        for i, pos in enumerate(self.pos):
            marks = ["+" if i in which else "-" for which in (self.tops, self.predicates)]
            frame = [self.frames[i]] if year == 2015 else []
            ends = [self.edges.get((each, i), "_") for each in self.predicates]
            lines.append("\t".join([str(i + 1), "w", "w", pos, *marks, *frame, *ends]))
        return "\n".join(lines) + "\n\n"

    def dependencies(self) -> set[Any]:
        return {(*ends, label) for ends, label in self.edges.items()}

    def with_tops(self) -> set[Any]:
        return self.dependencies() | {("top", top, None) for top in self.tops}

    def without_case(self) -> Sentence:
        edges = {ends: label.lower() for ends, label in self.edges.items()}
        return self._replace(frames=[each.lower() for each in self.frames], edges=edges)

    def verbs(self, core: Callable[[str], bool], tags: tuple[str, ...]) -> dict[int, Any]:
        return {
            each: frozenset(
                (end, label) for (start, end), label in self.edges.items()
                if start == each and core(label)
            )
            for each in self.predicates
            if self.pos[each].startswith(tags)
        }  # fmt: skip


def sentence(draw: random.Random, pos: list[str], labels: tuple[str, ...]) -> Sentence:
    """Many predicates have no edge, and are nodes in one graph and not in the other."""
    numbers = range(len(pos))
    predicates = [i for i in numbers if draw.random() < 0.5]
    return Sentence(
        pos,
        predicates,
        {i for i in numbers if draw.random() < 0.3},
        draw.choices(["_", "v:e", "V:e", "v:f"], k=len(pos)),
        {(i, j): draw.choice(labels) for i in predicates for j in numbers if draw.random() < 0.2},
    )


def _unlabeled(items: set[Any]) -> set[Any]:
    return {item[:2] for item in items}


@pytest.mark.parametrize("as_toolkit", [False, True])
@pytest.mark.parametrize("year", [2014, 2015])
@pytest.mark.parametrize("framework", LABELS)
def test_files_against_their_columns(
    framework: str, year: int, as_toolkit: bool, tmp_path: Path
) -> None:
    """The toolkit distinguishes case, in tags of verbs and labels of core arguments too."""
    draw = random.Random(year)
    core, tags = CORE[framework], ("V",) if as_toolkit else ("V", "v")
    if not as_toolkit:
        core = {"pas": lambda label: label in ("verb_arg1", "adj_mod")}.get(framework, core)
    pairs, expected = [], Counter[tuple[str, str]]()
    for _ in range(150):
        pos = draw.choices(["NN", "VB", "vbz", ","], k=draw.randint(1, 5))
        system, gold = (sentence(draw, pos, LABELS[framework]) for _ in range(2))
        pairs.append((system, gold))
        if not as_toolkit:
            system, gold = system.without_case(), gold.without_case()
        ours, theirs = system.verbs(core, tags), gold.verbs(core, tags)
        for name, s, g in (
            ("labeled", system.with_tops(), gold.with_tops()),
            ("unlabeled", _unlabeled(system.with_tops()), _unlabeled(gold.with_tops())),
            ("without_tops.labeled", system.dependencies(), gold.dependencies()),
            ("predications", set(ours.items()), set(theirs.items())),
            (
                "frames",
                {(i, each, system.frames[i]) for i, each in ours.items()},
                {(i, each, gold.frames[i]) for i, each in theirs.items()},
            ),
        ):
            expected += Counter({(name, "s"): len(s), (name, "g"): len(g), (name, "c"): len(s & g)})
    head = "#SDP 2015\n" if year == 2015 else ""
    for side, name in enumerate(("system", "gold")):
        text = "".join(pair[side].columns(number, year) for number, pair in enumerate(pairs, 1))
        (tmp_path / name).write_text(head + text, encoding="utf-8")
    run = karat.evaluate(
        "sdp(identity='position', normalize=())" if as_toolkit else "sdp",
        tmp_path / "system",
        tmp_path / "gold",
        format=framework,
        gold_format=framework,
    )
    scores: Any = run.scores()
    for (name, key), value in expected.items():
        if name == "frames" and year == 2014:  # files of that year have none
            continue
        found = scores
        for part in name.split("."):
            found = found[part]
        assert found[key] == value, (name, key)
