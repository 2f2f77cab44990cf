"""The page draws as ``karat draw`` does: its code against Python's, on random and real graphs."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from karat import evaluate
from karat.core.shown import Arc, Arcs, Arrow, Line, Node, Overlay, Word
from karat.drawing.arcs import Figure
from karat.drawing.overlays import arcs_figure, overlay_figure
from karat.engine.look import look

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
KINDS = (0, 0, 0, 1, 2, 3)
WORDS = ["dog", "Über", "東京", "WWW@", "a", "e\u0301tat", "well-known", "MMi", "ﬁ", "x" * 60]


def _text(draw: random.Random) -> str:
    return " ".join(draw.choices(WORDS, k=draw.choice((0, 1, 1, 2))))


def _overlay(draw: random.Random) -> Overlay:
    count = draw.randint(0, 9)
    looks = ("label", "property", "words", "anchor")
    nodes = [
        Node(
            draw.choice(KINDS[:5]),
            [Line(_text(draw), draw.choice(KINDS), draw.choice(looks))
             for _ in range(draw.choice((0, 1, 1, 2)))],
            draw.choice((-1, -1, -1, 0, 1, 2)),
        )
        for _ in range(count)
    ]  # fmt: skip
    arrows = [
        Arrow(
            draw.randrange(count), draw.randrange(count), draw.choice(KINDS), _text(draw),
            [Line(_text(draw), draw.choice(KINDS), "attribute")] * draw.choice((0, 0, 1)),
            draw.random() < 0.8,
        )
        for _ in range(draw.randint(0, 14) if count else 0)
    ]  # fmt: skip
    reading = draw.sample(range(count), draw.choice((0, count // 2, count)))
    return Overlay(nodes, arrows, [], reading)


def _arcs(draw: random.Random, forms: list[str]) -> Arcs:
    tags = ([], ["NOUN"], ["VERB", "VBZ"])
    kinds = (*KINDS, 7, 8)
    words = [
        Word(form, draw.choice(tags), draw.choice((0, 0, 1, 2)), draw.choice(("", "", "upos")))
        for form in forms
    ]
    n = len(forms)
    arcs = [
        Arc(draw.randrange(-1, n), draw.randrange(n), _text(draw), draw.choice(kinds))
        for _ in range(draw.randint(0, 2 * n) if n else 0)
    ]
    return Arcs(words, arcs)


def _large(draw: random.Random) -> list[dict[str, Any]]:
    """A deep graph whose lines would need more bends than are made, and a long row of words."""
    count = 250
    nodes = [Node(draw.choice(KINDS), [Line(f"n{i}", 0, "label")], -1) for i in range(count)]
    arrows = [Arrow(i, i + 1, 0, "ARG", [], True) for i in range(count - 1)]
    for _ in range(2 * count):
        source, target = draw.sample(range(count), 2)
        arrows.append(Arrow(source, target, draw.choice(KINDS), "op", [], True))
    words = _arcs(draw, draw.choices(WORDS, k=200))
    return [{"overlay": Overlay(nodes, arrows)}, {"gold": words, "system": None}]


def _real() -> list[dict[str, Any]]:
    found = []
    for metric, gold, system in (
        ("smatch", "graphs/gold.amr", "graphs/system.amr"),
        ("mrp", "graphs/drg.gold.mrp", "graphs/drg.system.mrp"),
        ("ud", "dependencies/small.gold.conllu", "dependencies/small.test.conllu"),
    ):
        run = evaluate(metric, system=str(EXAMPLES / system), gold=str(EXAMPLES / gold))
        for seen in look(run, explained=True):
            shown = run.metric.shown(seen.pair.system, seen.pair.gold, seen.explanation)  # type: ignore[attr-defined]
            if shown.overlay is not None:
                found.append({"overlay": shown.overlay})
            else:
                found.append({"gold": shown.golds[0], "system": None})
    return found


def _python(case: dict[str, Any]) -> Figure:
    if "overlay" in case:
        return overlay_figure(case["overlay"])
    return arcs_figure(case["gold"], case["system"])


def _elements(svg: str) -> list[tuple[str, dict[str, str], str]]:
    root = ElementTree.fromstring(f"<g>{svg}</g>")
    return [
        (each.tag, dict(each.attrib), each.text or "") for each in root.iter() if each.tag != "g"
    ]


def _numbers(text: str) -> list[float]:
    return [float(each) for each in NUMBER.findall(text)]


def test_the_page_and_karat_draw_have_the_same_drawings() -> None:
    if shutil.which("node") is None or not (ROOT / "web" / "node_modules").is_dir():
        pytest.skip("node or web/node_modules is not there: scripts/web brings it")
    draw = random.Random(7)
    cases: list[dict[str, Any]] = _real()
    assert len(cases) > 5
    cases += [{"overlay": _overlay(draw)} for _ in range(120)]
    cases += _large(draw)
    for _ in range(120):
        forms = draw.choices(WORDS, k=draw.randint(0, 8))
        other = _arcs(draw, forms) if draw.random() < 0.7 else None
        cases.append({"gold": _arcs(draw, forms), "system": other})
    done = subprocess.run(
        ["node", str(Path(__file__).with_name("drawings.mjs")), str(ROOT / "web")],
        input=msgspec.json.encode(cases), capture_output=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    for case, theirs in zip(cases, json.loads(done.stdout), strict=True):
        mine = _python(case)
        assert (mine.width, mine.height) == pytest.approx((theirs["width"], theirs["height"]))
        elements = _elements(mine.svg)
        assert [each[0] for each in elements] == [each[0] for each in theirs["elements"]]
        for (_, ours, text), (_, attributes, said) in zip(
            elements, theirs["elements"], strict=True
        ):
            assert text == said
            assert ours.keys() == attributes.keys()
            for name, value in ours.items():
                assert NUMBER.sub("", value) == NUMBER.sub("", attributes[name])
                # Sums of the last bit may round to the next tenth.
                assert _numbers(value) == pytest.approx(_numbers(attributes[name]), abs=0.101)
