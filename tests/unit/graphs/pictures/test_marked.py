"""Two graphs in one picture: shapes tell as much as colours."""

from __future__ import annotations

from io import BytesIO
from typing import Any
from xml.etree import ElementTree

from karat.core.shown import Arcs, Kind
from karat.drawing.svg import CHANGED, MISSING, SURPLUS
from karat.graphs.formats.dot import Dot
from karat.graphs.metrics.mrp import Mrp
from karat.graphs.metrics.sdp import Sdp
from karat.graphs.model import Anchor, Edge, Graph, Node
from karat.graphs.pictures import layout
from karat.graphs.pictures.layout import heading_of, overlaid
from karat.graphs.pictures.marked import as_compared, overlay_of

GOLD = Graph(
    "1",
    1,
    "eds",
    tops=(1,),
    nodes=(Node(0, "dog"), Node(1, "bark", ("tense",), ("pres",)), Node(2, "a_q")),
    edges=(Edge(1, 0, "ARG1", 0), Edge(2, 0, "BV", 1)),
)
SYSTEM = Graph(
    "1",
    1,
    "eds",
    tops=(8,),
    nodes=(Node(8, "bark", ("tense",), ("past",)), Node(9, "dog"), Node(7, "loud<ly>")),
    edges=(Edge(8, 9, "ARG2", 0), Edge(7, 8, "ARG1", 1)),
)


def laid_over(system: Graph, gold: Graph, metric: Mrp | Sdp | None = None) -> str:
    chosen = metric or Mrp()
    found = chosen.respelt(system, gold, chosen.explain(system, gold))
    return layout.laid_over(system, gold, found)


def lines(svg: str) -> set[tuple[str | None, str | None]]:
    """Colour and dashes of all edges."""
    paths = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}path")
    return {(path.get("stroke"), path.get("stroke-dasharray")) for path in paths}


def test_missing_is_dashed_and_surplus_dotted() -> None:
    svg = laid_over(SYSTEM, GOLD)
    assert {(MISSING, "5 3"), (SURPLUS, "2 3")} <= lines(svg)
    texts = {
        each.text for each in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    }
    assert {
        "~ tense pres → tense past",
        "~ ARG1 → ARG2",
        "\u2212 BV",
        "+ loud<ly>",
        "bark",
    } <= texts


def test_what_both_have_is_neutral() -> None:
    svg = laid_over(GOLD, GOLD)
    assert "stroke-dasharray" not in svg
    assert MISSING not in svg


ATTRIBUTED = Graph(
    "1",
    1,
    "ptg",
    tops=(0,),
    nodes=(Node(0, "eat"), Node(1, "he"), Node(2, "apple")),
    edges=(
        Edge(0, 1, "ACT", 0, attributes=("effective", "member"), values=("true", "true")),
        Edge(0, 2, "PAT", 1),
    ),
)
OTHERWISE = Graph(
    "1",
    1,
    "ptg",
    tops=(1,),
    nodes=(Node(0, "eat"), Node(1, "he"), Node(2, "apple")),
    edges=(
        Edge(0, 1, "ACT", 0, attributes=("effective",), values=("true",)),
        Edge(0, 2, "PAT", 1, attributes=("member",), values=("true",)),
        Edge(1, 2, "RSTR", 2, attributes=("order",), values=("2",)),
    ),
)


def coloured(svg: str) -> set[tuple[str | None, str | None]]:
    """All texts and their colours."""
    texts = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return {(each.text, each.get("fill")) for each in texts}


def test_attributes_of_edges_are_marked_one_by_one() -> None:
    svg = laid_over(OTHERWISE, ATTRIBUTED)
    texts = coloured(svg)
    assert {
        ("\u2212 member", MISSING),
        ("+ member", SURPLUS),
        ("+ order=2", SURPLUS),
        ("+ RSTR", SURPLUS),
    } <= texts
    assert {"ACT", "effective", "PAT"} <= {
        text for text, colour in texts if colour not in (MISSING, SURPLUS)
    }


def test_tops_are_marked() -> None:
    """The arrow to the top: missing at eat, surplus at he; neutral where it is right."""
    assert {(MISSING, "5 3"), (SURPLUS, "2 3")} <= lines(laid_over(OTHERWISE, ATTRIBUTED))
    assert not {MISSING, SURPLUS, CHANGED} & {
        colour for colour, _ in lines(laid_over(ATTRIBUTED, ATTRIBUTED))
    }


def test_nodes_without_label_are_marked_and_show_their_words() -> None:
    gold = Graph(
        "1", 1, "ucca", input="dogs bark", tops=(0,),
        nodes=(Node(0), Node(1, anchors=(Anchor(0, 4),)), Node(2)),
        edges=(Edge(0, 1, "A", 0), Edge(0, 2, "P", 1)),
    )  # fmt: skip
    system = Graph(
        "1", 1, "ucca", input="dogs bark", tops=(0,),
        nodes=(Node(0), Node(1, anchors=(Anchor(0, 4),))), edges=(Edge(0, 1, "A", 0),),
    )  # fmt: skip
    for one, other, mark in ((gold, system, (MISSING, "5 3")), (system, gold, (SURPLUS, "2 3"))):
        svg = laid_over(other, one)
        circles = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}circle")
        assert mark in {(each.get("stroke"), each.get("stroke-dasharray")) for each in circles}
        assert "dogs" in {text for text, _ in coloured(svg)}


def test_dot_marks_attributes_of_edges() -> None:
    stream = BytesIO()
    dot = Dot()
    dot.records = _Records(Mrp().explain(OTHERWISE, ATTRIBUTED))  # type: ignore[assignment]
    dot.write([ATTRIBUTED], stream)
    edges = {
        line.split(" [")[0].strip(): line
        for line in stream.getvalue().decode().split("\n")
        if "->" in line
    }
    act, pat, rstr = edges["0 -> 1"], edges["0 -> 2"], edges["1 -> 2"]
    assert '<td colspan="1">act</td>' in act
    assert '<td colspan="1">effective</td>' in act
    assert '<font color="red">member</font>' in act
    assert "color=red," not in act.partition("style=")[2]
    assert '<font color="blue">member</font>' in pat
    assert '<font color="blue">order=2</font>' in rstr
    assert rstr.endswith("style=dashed, color=blue, fontcolor=blue ];")
    assert edges["top -> 0"].endswith("[ color=red ];")
    assert edges["top -> 1"].endswith("[ color=blue ];")


def test_dot_of_differences_tells_by_shapes_as_well() -> None:
    text = Dot().text(GOLD, Mrp().explain(SYSTEM, GOLD), broken=True)
    edges = [line.strip() for line in text.split("\n") if "->" in line]
    assert '1 -> 0 [ label="arg1", color=red, fontcolor=red, style=dashed ];' in edges
    assert '1 -> 0 [ label="arg2", color=blue, fontcolor=blue, style=dotted ];' in edges
    assert "-1 [ shape=oval, color=blue, style=dotted," in text
    assert "2 [ shape=oval, color=red, style=dashed," in text
    assert '<font color="red">- tense</font>' in text
    assert '<font color="blue">+ tense</font>' in text
    same = Dot().text(GOLD, Mrp().explain(GOLD, GOLD), broken=True)
    assert not {"red", "blue", "dashed", "dotted"} & set(same.replace("=", " ").split())


def test_anchors_that_differ_are_shown_as_words() -> None:
    gold, system = (
        Graph("1", 1, "eds", input="dogs bark", nodes=(Node(0, "x", anchors=(Anchor(*span),)),))
        for span in ((0, 2), (1, 3))
    )
    texts = coloured(laid_over(system, gold))
    assert ("~ “do” → “og”", CHANGED) in texts
    dot = Dot(strings=True).text(gold, Mrp().explain(system, gold))
    assert '<font color="red">“do”</font>' in dot
    assert '<font color="blue">“og”</font>' in dot
    assert "{" not in Dot(strings=True).text(gold, Mrp().explain(gold, gold)).partition("{")[2]


def test_a_picture_has_the_options_of_its_metric() -> None:
    """Without folding of case a label in capitals is another one, and is marked."""
    gold = Graph("1", 1, "eds", nodes=(Node(0, "dog"), Node(1, "x")), edges=(Edge(0, 1, "A"),))
    system = Graph("1", 1, "eds", nodes=(Node(0, "Dog"), Node(1, "x")), edges=(Edge(0, 1, "A"),))
    metric = Mrp(normalize=("edges",))
    assert metric.score(system, gold)["labels"]["c"] == 1
    texts = coloured(laid_over(system, gold, metric=metric))
    assert ("~ dog → Dog", CHANGED) in texts
    assert not {MISSING, SURPLUS, CHANGED} & {
        colour for _, colour in coloured(laid_over(system, gold))
    }


def test_sdp_draws_its_own_matches() -> None:
    """Nodes with other anchors are others for sdp, however alike the graphs are."""
    text = "dogs bark"

    def graph(*spans: tuple[int, int]) -> Graph:
        nodes = tuple(Node(i, f"n{i}", anchors=(Anchor(*span),)) for i, span in enumerate(spans))
        return Graph("1", 1, "eds", input=text, tops=(0,), nodes=nodes, edges=(Edge(0, 1, "A"),))

    gold, system = graph((0, 4), (5, 9)), graph((0, 4), (6, 9))
    scores = Sdp().score(system, gold)["labeled"]
    assert (scores["g"], scores["s"], scores["c"]) == (2, 2, 1)
    texts = coloured(laid_over(system, gold, metric=Sdp()))
    assert {("\u2212 A", MISSING), ("+ A", SURPLUS)} <= texts
    assert {"n0", "n1"} <= {text for text, colour in texts if colour not in (MISSING, SURPLUS)}


def test_a_file_of_errors_made_without_normalisation() -> None:
    gold = Graph("1", 1, "eds", nodes=(Node(0, "Dog", ("Num",), ("SG",)), Node(1, "x")))
    system = Graph("1", 1, "eds", nodes=(Node(0, "Cat", ("Num",), ("PL",)), Node(1, "x")))
    record = Mrp(normalize=()).explain(system, gold)
    seen = overlaid(overlay_of(as_compared(gold, record), record), heading_of(gold))
    assert [
        text for text, colour in coloured(seen) if colour == MISSING and "og" in (text or "")
    ] == ["\u2212 Dog"]
    assert "dog" not in {text for text, _ in coloured(seen)}


class _Records:
    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record

    def of(self, graph: Graph) -> dict[str, Any]:
        return self.record


def test_words_with_punctuation_are_words() -> None:
    """What an anchor ends in is not compared, and does not tell words apart."""
    text = "Nov. 29."
    places = [(0, 4), (5, 8)]
    nodes = tuple(Node(i, text[a:b], anchors=(Anchor(a, b),)) for i, (a, b) in enumerate(places))
    gold, system = (
        Graph("1", framework="dm", flavor=0, input=text, nodes=nodes, tops=(1,), edges=edges)
        for edges in ((Edge(1, 0, "of"),), ())
    )
    metric = Sdp()
    shown = metric.shown(system, gold, metric.explain(system, gold))
    assert shown.overlay is None
    (drawn,) = shown.golds
    assert isinstance(drawn, Arcs)
    assert [word.form for word in drawn.words] == ["Nov.", "29."]
    assert [(arc.source, arc.target, arc.kind) for arc in drawn.arcs] == [
        (-1, 1, Kind.MATCHED), (1, 0, Kind.MISSING)
    ]  # fmt: skip
