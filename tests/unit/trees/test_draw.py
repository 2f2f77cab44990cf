"""Drawings of trees: what is marked, and what the command asks for."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

from karat.drawing.svg import BLUE, GREEN, ORANGE
from karat.trees.aligned import Reference
from karat.trees.draw import against_gold, derp_drawing, drawing_of
from karat.trees.metrics.derp import Derp
from karat.trees.model import Tree

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "dependencies"
GOLD = Tree.of([2, 0, 2], forms=["We", "<eat>", "fish"], deprels=["nsubj", "root", "obj"])


def _texts(svg: str, color: str | None = None) -> list[str]:
    return [
        element.text or ""
        for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
        if color is None or element.get("fill") == color
    ]


def _paths(svg: str, color: str) -> int:
    return svg.count(f'fill="none" stroke="{color}"')


def test_words_and_labels_are_there() -> None:
    texts = _texts(drawing_of(GOLD))
    assert {"We", "<eat>", "fish", "nsubj", "root", "obj"} <= set(texts)


def test_differences_are_marked() -> None:
    system = Tree.of([2, 0, 1], forms=GOLD.forms or (), deprels=["csubj", "root", "obj"])
    svg = against_gold(system, GOLD)
    assert (_paths(svg, ORANGE), _paths(svg, BLUE)) == (1, 1)
    assert svg.count("stroke-dasharray") == 2
    same = against_gold(GOLD, GOLD)
    assert (_paths(same, ORANGE), _paths(same, BLUE)) == (0, 0)
    assert "stroke-dasharray" not in same


def test_other_words_are_not_compared() -> None:
    svg = against_gold(Tree.of([0], forms=["Weeatfish"]), GOLD)
    assert any("not compared" in text for text in _texts(svg))


def test_derp_shows_links_and_chosen_edges() -> None:
    hypothesis = Tree.of([2, 0, 2], forms=["fish", "<eat>", "We"], deprels=["obj", "root", "nsubj"])
    links = ((0, 2), (1, 1), (2, 0))
    svg = derp_drawing(hypothesis, Reference(GOLD, links), Derp())
    assert _texts(svg, ORANGE) == ["1/2", "1/2"]
    assert svg.count('stroke="#767676"') == len(links)
    assert _paths(derp_drawing(GOLD, Reference(GOLD), Derp()), GREEN) == 2


def _draw(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "karat"), "draw", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=EXAMPLES)


def test_the_command() -> None:
    run = _draw("small.test.conllu", "-g", "small.gold.conllu", "--sentence", "2")
    assert run.returncode == 0, run.stderr
    assert _texts(run.stdout, ORANGE) == ["obl"]
    links = ["--derp", "--alignment", "detective.align"]
    run = _draw("detective.hyp.conllu", "-g", "detective.ref.conllu", *links)
    assert run.returncode == 0, run.stderr
    assert sorted(_texts(run.stdout, ORANGE)) == ["1/3", "2/2", "2/3"]


def test_wrong_use() -> None:
    for arguments, code in (
        (["small.test.conllu", "--sentence", "9"], "K336"),
        (["small.test.conllu", "--derp"], "K335"),
        (["small.test.conllu", "--alignment", "detective.align"], "K335"),
    ):
        run = _draw(*arguments)
        assert (run.returncode, code in run.stderr) == (2, True), run.stderr
