"""Drawings of trees: what is marked, and what the command asks for."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

from karat.drawing.overlays import arcs_figure
from karat.drawing.svg import CHANGED, FAINT, GREEN, MISSING, ORANGE, SURPLUS, WORDS
from karat.trees.content import shown_attachments
from karat.trees.metrics.attachment import Attachment
from karat.trees.metrics.derp import Derp
from karat.trees.metrics.ned import Ned
from karat.trees.model import Reference, Tree
from karat.trees.pictures import against_gold, derp_drawing, drawing_of

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


def test_notes_name_heads_and_their_labels_where_there_are_any() -> None:
    other = Tree.of([3, 0, 2], forms=["We", "<eat>", "fish"], deprels=["nsubj", "root", "obj"])
    assert shown_attachments(other, GOLD, [1]).notes == ["We: nsubj of <eat> → nsubj of fish"]
    assert shown_attachments(Tree.of([3, 0, 2]), Tree.of([2, 0, 2]), [1]).notes == [
        "1: head 2 → head 3"
    ]


def _attached(system: Tree, gold: Tree) -> str:
    wrong = Attachment().explain(system, gold)["wrong"]
    return against_gold(system, gold, [each["word"] for each in wrong])


def _roots(svg: str) -> list[tuple[str | None, bool]]:
    """Colours of the arrows from above, gold's first, and whether they are dashed."""
    found = ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}line")
    return [(each.get("stroke"), each.get("stroke-dasharray") is not None) for each in found]


def test_differences_are_marked() -> None:
    system = Tree.of([2, 0, 1], forms=GOLD.forms or (), deprels=["csubj", "root", "obj"])
    svg = _attached(system, GOLD)
    assert [_paths(svg, kind) for kind in (MISSING, SURPLUS, CHANGED)] == [1, 1, 2]
    assert svg.count("stroke-dasharray") == 2
    assert {"\u2212 obj", "+ obj", "~ nsubj", "~ csubj"} <= set(_texts(svg))
    same = _attached(GOLD, GOLD)
    assert [_paths(same, kind) for kind in (MISSING, SURPLUS, CHANGED)] == [0, 0, 0]
    assert "stroke-dasharray" not in same


def test_edges_from_the_root_are_marked_like_others() -> None:
    """A wrong one is surplus, a missed one missing, another label changed; a right one is faint."""
    system = Tree.of([0, 1, 2], forms=GOLD.forms or (), deprels=["root", "dep", "obj"])
    assert _roots(_attached(system, GOLD)) == [(MISSING, True), (SURPLUS, True)]
    relabelled = Tree.of([2, 0, 2], forms=GOLD.forms or (), deprels=["nsubj", "top", "obj"])
    assert _roots(_attached(relabelled, GOLD)) == [(CHANGED, False), (CHANGED, False)]
    assert _roots(_attached(GOLD, GOLD)) == [(FAINT, False), (FAINT, False)]


def test_what_ned_takes_for_right_is_not_drawn_as_wrong() -> None:
    gold = Tree.of([2, 0, 2, 3], forms=["a", "b", "c", "d"])
    system = Tree.of([2, 0, 4, 2], forms=["a", "b", "c", "d"])
    svg = _shown(Ned(), system, gold)
    assert (_paths(svg, SURPLUS), _paths(svg, WORDS)) == (0, 2)
    assert "stroke-dasharray" not in svg


def _shown(metric: Attachment | Ned, system: Tree, gold: Tree) -> str:
    """A pair as the page draws it."""
    shown = metric.shown(system, gold, metric.explain(system, gold))
    return f"<svg>{arcs_figure(shown.golds[0], shown.system).svg}</svg>"  # type: ignore[arg-type]


def test_excluded_punctuation_is_not_drawn_as_wrong() -> None:
    gold, system = (
        Tree.of([2, 0, head], forms=["We", "eat", "."], xpos=["PRP", "VBP", "."]) for head in (2, 1)
    )
    for metric in (Ned(), Attachment()):
        svg = _shown(metric, system, gold)
        assert (_paths(svg, SURPLUS), _paths(svg, FAINT)) == (0, 4)


def test_other_words_are_not_compared(tmp_path: Path) -> None:
    (tmp_path / "gold.conllu").write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    lines = ["1\tx\t_\t_\t_\t_\t0\troot\t_\t_", "2\ty\t_\t_\t_\t_\t1\tdep\t_\t_"]
    (tmp_path / "system.conllu").write_text("\n".join(lines) + "\n\n")
    run = _draw(str(tmp_path / "system.conllu"), "-g", str(tmp_path / "gold.conllu"))
    assert any("not compared" in text for text in _texts(run.stdout))


def _derp(hypothesis: Tree, reference: Reference) -> str:
    found = Derp().explain(hypothesis, reference)
    return derp_drawing(hypothesis, [reference.tree], found)


def test_derp_shows_links_and_chosen_edges() -> None:
    hypothesis = Tree.of([2, 0, 2], forms=["fish", "<eat>", "We"], deprels=["obj", "root", "nsubj"])
    links = ((0, 2), (1, 1), (2, 0))
    svg = _derp(hypothesis, Reference(GOLD, links))
    assert _texts(svg, ORANGE) == ["1/2", "1/2"]
    assert svg.count('stroke="#767676"') == len(links)
    assert _paths(_derp(GOLD, Reference(GOLD)), GREEN) == 2


def _draw(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "karat"), "draw", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=EXAMPLES)


def test_the_command() -> None:
    run = _draw("small.test.conllu", "-g", "small.gold.conllu", "--sentence", "2")
    assert run.returncode == 0, run.stderr
    assert _texts(run.stdout, SURPLUS) == ["+ obl"]
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
