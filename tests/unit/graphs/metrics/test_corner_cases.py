"""Empty, loops, parallels, doubles, missing labels and anchors, other inputs: every graph metric.

The counts (gold, system, common) follow from the definitions; mrp has such a table of its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from karat.core.options import OnError
from karat.core.registry import parse
from karat.core.runs.evaluation import Evaluation
from karat.engine import evaluate
from karat.errors import FormatError, PairingError
from karat.graphs.formats.mrp import encode
from karat.graphs.metrics.edm import Edm
from karat.graphs.metrics.sdp import Sdp
from karat.graphs.model import Anchor, Edge, Graph, Node, Token


def found(metric: str, score: str, system: Any, gold: Any) -> tuple[int, ...]:
    scores = parse(metric).score(system, gold)
    for name in filter(None, score.split(".")):
        scores = scores[name]
    return tuple(scores[key] for key in "gsc")


def test_the_top_of_any_graph_by_smatch() -> None:
    """A wrong root costs once with a constant, twice with its label; labels are folded."""

    def graph(label: str | None) -> Graph:
        return Graph("1", 1, "eds", tops=(0,), nodes=(Node(0, label), Node(1, "x")))

    assert found("smatch", "", graph("dog"), graph("cat")) == (3, 3, 2)
    concept = "smatch(top='concept')"
    assert found(concept, "", graph("dog"), graph("cat")) == (3, 3, 1)
    assert found(concept, "", graph("Dog_"), graph("dog")) == (3, 3, 3)
    assert found(concept, "", graph(None), graph(None)) == (2, 2, 2)


# -- PENMAN ---------------------------------------------------------------------------

LOOP, LEAF = "(a / x :r a)", "(a / x :r (b / y))"
TWICE = "(a / x :r (b / y) :r b)"
PARALLEL, SHIFTED = "(a / x :r (b / y) :s b)", "(a / x :s (b / y) :t b)"
BARE = "(a / x)"
PLACE = "(m / man :location (p / park))"
NODE = "(m / man :ARG1-of (b / be-located-at-91 :ARG2 (p / park)))"

AMR = {
    # Instances, TOP, attributes and relations, each once a graph.
    ("smatch", ""): [
        ("", BARE, (2, 0, 0)), (BARE, "", (0, 2, 0)), ("", "", (0, 0, 0)),
        (LOOP, LOOP, (3, 3, 3)), (LEAF, LOOP, (3, 4, 2)), (TWICE, LEAF, (4, 4, 4)),
        (SHIFTED, PARALLEL, (5, 5, 4)), ("(a / x :p 1 :p 1)", "(a / x :p 1)", (3, 3, 3)),
        ("(a / x :ARG0-of (b / y))", "(b / y :ARG0 (a / x))", (4, 4, 3)),
    ],
    # An attribute that gold has three times and the system twice.
    ("smatch(counting='min')", ""): [
        ("(a / x :p 1 :p 1)", "(a / x :p 1 :p 1 :p 1)", (5, 4, 4)), (TWICE, LEAF, (4, 5, 4)),
    ],
    ("smatch(counting='product')", ""): [
        ("(a / x :p 1 :p 1)", "(a / x :p 1 :p 1 :p 1)", (5, 4, 8)), (TWICE, LEAF, (4, 5, 5)),
    ],
    ("smatchpp(style='none')", ""): [
        ("(a / x :p 1 :p 1)", "(a / x :p 1 :p 1 :p 1)", (5, 4, 4)), (TWICE, LEAF, (4, 5, 4)),
    ],
    # The same with the root's concept in place of TOP.
    ("smatchpp", ""): [
        ("", BARE, (2, 0, 0)), (BARE, "", (0, 2, 0)), (LOOP, LOOP, (3, 3, 3)),
        (LEAF, LOOP, (3, 4, 2)), (TWICE, LEAF, (4, 4, 4)), (SHIFTED, PARALLEL, (5, 5, 4)),
    ],
    # A relation and the top beside two instances; or two relations and the top beside three.
    ("smatchpp(style='amr')", ""): [(NODE, PLACE, (4, 4, 4))],
    ("smatchpp(reify=True)", ""): [(NODE, PLACE, (6, 6, 6)), (PLACE, PLACE, (6, 6, 6))],
    ("smatchpp(style='generic')", ""): [(NODE, PLACE, (4, 6, 3))],
    ("amr-fine", "smatch"): [
        ("", BARE, (2, 0, 0)), (LOOP, LOOP, (3, 3, 3)), (TWICE, LEAF, (4, 4, 4)),
    ],
    ("amr-fine", "concepts"): [
        ("", BARE, (1, 0, 0)), ("(a / x :r (b / x))", BARE, (1, 1, 1)), ("", "", (0, 0, 0)),
    ],
    # Arguments are what begins with ARG in any case, with the instances they mention.
    ("amr-fine", "srl"): [
        ("(a / x :area 5)", "(a / x :area 5)", (0, 0, 0)), ("(a / x :arg1 5)",) * 2 + ((2, 2, 2),),
        ("(a / x :ar (b / y))",) * 2 + ((0, 0, 0),),
    ],
    ("amr-fine(counting='multiset')", "concepts"): [("(a / x :r (b / x))", BARE, (1, 2, 1))],
    # The triples but TOP; the top's concept counts once, a relation for itself and its target.
    ("sema", ""): [
        ("", BARE, (1, 0, 0)), (BARE, "", (0, 1, 0)), (LOOP, LOOP, (2, 2, 2)),
        (LEAF, LEAF, (3, 3, 3)), (TWICE, LEAF, (3, 4, 3)),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("metric", "score", "system", "gold", "expected"),
    [(*key, *case) for key, cases in AMR.items() for case in cases],
)
def test_penman(metric: str, score: str, system: str, gold: str, expected: tuple[int, ...]) -> None:
    assert found(metric, score, system, gold) == expected


@pytest.mark.parametrize("note", ["", "~e.1"])  # alignments are read by Python, the rest natively
@pytest.mark.parametrize(
    ("role", "turned", "matched"),
    [
        ("ARG0-of", "ARG0", 3),
        ("part-of", "part", 3),
        ("mod", "domain", 3),
        ("domain", "mod", 3),
        ("Mod", "domain", 3),
        # Roles that only look inverted, and what has no inverse: two instances match.
        ("consist-of", "consist", 2),
        ("prep-out-of", "prep-out", 2),
        ("prep-on-behalf-of", "prep-on-behalf", 2),
        ("mod-of", "domain", 2),
        ("ARG0-of-of", "ARG0", 2),
    ],
)
def test_directions_of_roles(note: str, role: str, turned: str, matched: int) -> None:
    system, gold = f"(a / x{note} :{role} (b / y))", f"(b / y{note} :{turned} (a / x))"
    assert found("smatch", "", system, gold) == (4, 4, matched)
    tool = f"(a / x :{role} (b / y))", f"(b / y :{turned} (a / x))"
    folded = 2 if role == "Mod" else matched  # its tests are case-sensitive
    assert found("smatch(compat='smatch')", "", *tool) == (4, 4, folded)


@pytest.mark.parametrize(
    "text",
    [
        "(p / x :time 4:30)", "(p / x :time 4:30 :a b)", "(p / x :speed km/h)", "(p / x/y)",
        "(p / x :ARG0 (b))", "(p :a 1)", "(p / x :a)", "(p / x :a :b c)", "(p / x :)",
        "(p / x :ARG0 (b / y) / z)", "(p / x :a (p / y))", "(p / x))", "(p(b / c))", "p / x", "x",
    ],
)  # fmt: skip
def test_what_smatch_itself_cannot_read(text: str) -> None:
    """Smatch 1.0.4 gives up on each of these; it reads the one with a value after 4:30."""
    with pytest.raises(FormatError, match="K141: Smatch cannot read this graph"):
        parse("smatch(compat='smatch')").score(text, "(p / x)")
    # A time of day is role 30 with the value that follows, where one does.
    odd = "(p / x :time 4:30 5)"
    assert found("smatch(compat='smatch')", "", odd, "(p / x :time 4 :30 5)") == (4, 4, 4)


def test_two_empty_graphs() -> None:
    """Nothing to find, nothing found: 0 but in smatch++, whose authors say 100."""
    assert parse("smatch").score("", "")["f"] == 0.0
    assert parse("smatchpp").score("", "")["f"] == 100.0
    assert parse("sembleu").score("", "")["f"] == 0.0


def test_sembleu_takes_no_edge_twice() -> None:
    scores = parse("sembleu").score(LOOP, LOOP)
    assert [scores[length]["paths"] for length in "123"] == [1, 1, 0]
    # Two edges in a circle: x to y and back, and no further.
    scores = parse("sembleu(weights=(1.0, 1.0, 1.0, 1.0))").score(*["(a / x :r (b / y :s a))"] * 2)
    assert [scores[length]["paths"] for length in "1234"] == [2, 2, 2, 0]


@pytest.mark.parametrize(
    ("system", "gold", "score"),
    [
        ("", BARE, 0.0),
        (BARE, "", 0.0),
        (BARE, BARE, 1.0),
        (LOOP, LOOP, 1.0),
        # Two of two nodes; of two edges one is in gold; longer than gold.
        (TWICE, LEAF, 0.5**0.5),
        ("(a / y)", BARE, 0.0),
    ],
)
def test_sembleu(system: str, gold: str, score: float) -> None:
    assert parse("sembleu").score(system, gold)["f"] == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize(
    ("system", "gold", "meant", "read"),
    [
        # The tool keeps the quotes of concepts, and no mark or blank inside them.
        ('(t / "x")', "(t / x)", 1.0, 0.0),
        ('(t / "10:10:11")', '(t / "10:10:11")', 1.0, 1.0),
        ('(t / "10:10:11")', '(t / "1010 11")', 0.0, 1.0),
        # Constants have none in either; one that is spelt like a variable has its concept.
        # One of two nodes matches, and the path of two counts as half of one.
        ('(t / x :op1 "yy")', "(t / x :op1 yy)", 1.0, 1.0),
        ('(t / x :op1 "t")', '(t / x :op1 "x")', 0.5, 1.0),
        # Alignments stay.
        ("(t / x~e.1)", "(t / x)", 1.0, 0.0),
        # A longer name is a variable only after the node that has it: two of three nodes.
        (
            "(t / x :op1 tt :op2 (tt / y))",
            "(t / x :op1 (tt / y) :op2 tt)",
            1.0,
            (2 / 3 * 1) ** 0.5,
        ),
    ],
)
def test_sembleu_as_its_reader_sees_graphs(
    system: str, gold: str, meant: float, read: float
) -> None:
    assert parse("sembleu").score(system, gold)["f"] == pytest.approx(meant)
    assert parse("sembleu(compat='sembleu')").score(system, gold)["f"] == pytest.approx(read)


# -- graphs ---------------------------------------------------------------------------

TEXT = "dogs bark, loudly"
DOG, BARK, LOUD = (Anchor(0, 4),), (Anchor(5, 9),), (Anchor(11, 17),)


def make(*nodes: Node, edges: Any = (), tops: Any = (), **other: Any) -> Graph:
    known = {"framework": "eds", "flavor": 1, "input": TEXT, **other}
    return Graph("x", nodes=nodes, edges=tuple(edges), tops=tuple(tops), **known)


A, B = Node(0, "a", anchors=DOG), Node(1, "b", anchors=BARK)
PLAIN = make(A, B, edges=[Edge(0, 1, "r")], tops=[0])
EMPTY = make()
LOOPED = make(A, B, edges=[Edge(0, 0, "r")], tops=[0])
SIDEWAYS = make(A, B, edges=[Edge(0, 1, "r"), Edge(0, 1, "s")], tops=[0])
OTHER_SIDE = make(A, B, edges=[Edge(0, 1, "s"), Edge(0, 1, "t")], tops=[0])
UNLABELLED = make(Node(0, anchors=DOG), Node(1, anchors=BARK), edges=[Edge(0, 1)], tops=[0])
COMMA = make(A, Node(1, "b", anchors=(Anchor(5, 10),)), edges=[Edge(0, 1, "r")], tops=[0])
DOUBLED = make(
    A, B, Node(2, "a", anchors=DOG), edges=[Edge(0, 1, "r"), Edge(2, 1, "r")], tops=[0, 2]
)
NO_INPUT = msgspec.structs.replace(PLAIN, input=None)
OTHER_INPUT = msgspec.structs.replace(PLAIN, input="cats meow, softly")
UNANCHORED = make(A, B, Node(2, "c"), Node(3, "c"), edges=[Edge(0, 2, "r"), Edge(0, 3, "r")])

GRAPHS = {
    # Names, arguments, tops, properties: a, b, the edge, the top.
    ("edm", "all"): [
        (EMPTY, PLAIN, (4, 0, 0)), (PLAIN, EMPTY, (0, 4, 0)), (EMPTY, EMPTY, (0, 0, 0)),
        (LOOPED, LOOPED, (4, 4, 4)), (LOOPED, PLAIN, (4, 4, 3)), (OTHER_SIDE, SIDEWAYS, (5, 5, 4)),
        (UNLABELLED, UNLABELLED, (2, 2, 2)), (UNLABELLED, PLAIN, (4, 2, 1)),
        (COMMA, PLAIN, (4, 4, 4)), (DOUBLED, PLAIN, (4, 4, 4)), (NO_INPUT, PLAIN, (4, 4, 4)),
        (OTHER_INPUT, PLAIN, (4, 4, 4)), (UNANCHORED, UNANCHORED, (4, 4, 4)),
    ],
    ("edm(counting='multiset')", "all"): [(DOUBLED, PLAIN, (4, 7, 4)), (PLAIN, DOUBLED, (7, 4, 4))],
    # Two instances, TOP, the edge; two anchors.
    ("smatch", ""): [
        (EMPTY, PLAIN, (6, 0, 0)), (PLAIN, EMPTY, (0, 6, 0)), (LOOPED, LOOPED, (6, 6, 6)),
        (LOOPED, PLAIN, (6, 6, 5)), (OTHER_SIDE, SIDEWAYS, (7, 7, 6)),
        (UNLABELLED, UNLABELLED, (4, 4, 4)), (UNLABELLED, PLAIN, (6, 4, 3)),
        (COMMA, PLAIN, (6, 6, 6)), (OTHER_INPUT, PLAIN, (6, 6, 6)),
        (UNANCHORED, UNANCHORED, (8, 8, 8)),
    ],
    # One labelled edge and a virtual one to the top.
    ("sdp", "labeled"): [
        (EMPTY, PLAIN, (2, 0, 0)), (PLAIN, EMPTY, (0, 2, 0)), (EMPTY, EMPTY, (0, 0, 0)),
        (LOOPED, LOOPED, (2, 2, 2)), (LOOPED, PLAIN, (2, 2, 1)), (OTHER_SIDE, SIDEWAYS, (3, 3, 2)),
        (UNLABELLED, UNLABELLED, (2, 2, 2)), (UNLABELLED, PLAIN, (2, 2, 1)),
        (COMMA, PLAIN, (2, 2, 2)), (DOUBLED, PLAIN, (2, 2, 2)), (OTHER_INPUT, PLAIN, (2, 2, 2)),
    ],
    ("sdp", "unlabeled"): [(UNLABELLED, PLAIN, (2, 2, 2)), (OTHER_SIDE, SIDEWAYS, (2, 2, 2))],
    # Edges between yields: that of a is both words where the edge leads from it to b.
    ("ucca-mrp", "labeled.primary"): [
        (EMPTY, PLAIN, (1, 0, 0)), (PLAIN, EMPTY, (0, 1, 0)), (EMPTY, EMPTY, (0, 0, 0)),
        (LOOPED, LOOPED, (1, 1, 1)), (LOOPED, PLAIN, (1, 1, 0)), (OTHER_SIDE, SIDEWAYS, (2, 2, 1)),
        (UNLABELLED, PLAIN, (1, 1, 0)), (COMMA, PLAIN, (1, 1, 1)), (DOUBLED, PLAIN, (1, 1, 1)),
        (OTHER_INPUT, PLAIN, (1, 1, 1)), (UNANCHORED, UNANCHORED, (1, 1, 1)),
    ],
    ("ucca-mrp", "unlabeled.primary"): [(UNLABELLED, PLAIN, (1, 1, 1))],
}  # fmt: skip


@pytest.mark.parametrize(
    ("metric", "score", "system", "gold", "expected"),
    [(*key, *case) for key, cases in GRAPHS.items() for case in cases],
)
def test_graphs(
    metric: str, score: str, system: Graph, gold: Graph, expected: tuple[int, ...]
) -> None:
    assert found(metric, score, system, gold) == expected


BARE_GRAPH = make(Node(0, "a"), Node(1, "b"), edges=[Edge(0, 1, "r")])


@pytest.mark.parametrize("metric", ["edm", "sdp", "ucca-mrp"])
def test_graphs_without_any_anchors_are_refused_where_nodes_are_known_by_them(metric: str) -> None:
    for pair, side in (((BARE_GRAPH, PLAIN), "system's"), ((PLAIN, BARE_GRAPH), "gold")):
        with pytest.raises(PairingError, match=f"K220: the {side} graph"):
            parse(metric).score(*pair)
    assert parse(f"{metric}(compat='mtool')").score(BARE_GRAPH, BARE_GRAPH)["n"] == 1


@pytest.mark.parametrize("metric", ["edm", "sdp", "ucca-mrp"])
@pytest.mark.parametrize("side", ["system", "gold"])
def test_one_graph_without_anchors_is_left_out_on_demand(
    metric: str, side: str, tmp_path: Path
) -> None:
    """Two graphs, one of them without anchors on one side: as what cannot be read."""
    whole = msgspec.structs.replace(PLAIN, flavor=1, framework="eds")
    unanchored = tuple(msgspec.structs.replace(node, anchors=()) for node in whole.nodes)
    second = msgspec.structs.replace(whole, id="y")
    bare = msgspec.structs.replace(second, nodes=unanchored)
    for name in ("system", "gold"):
        last = bare if name == side else second
        (tmp_path / name).write_bytes(encode(whole) + b"\n" + encode(last))

    def run(on_error: OnError) -> Evaluation:
        return evaluate(
            metric,
            system=tmp_path / "system",
            gold=tmp_path / "gold",
            format="mrp",
            on_error=on_error,
        )

    left = run("skip")
    assert (len(left), left.skipped) == (1, 1)
    assert left.scores() == parse(metric).score(whole, whole)
    with pytest.raises(FormatError, match=r"K220: item 'y': the .* graph 'y' has no anchors"):
        run("fail")
    if side == "gold":
        with pytest.raises(FormatError, match="K220"):
            run("auto")
        return
    counted = run("auto")
    assert (len(counted), counted.skipped) == (2, 0)
    assert any("counted as nothing" in warning for warning in counted.warnings)


@pytest.mark.parametrize("metric", ["mrp", "edm", "sdp", "ucca-mrp", "smatch"])
def test_missing_graphs_count_as_empty_ones(metric: str, tmp_path: Path) -> None:
    """Two gold graphs, of which the system gives one: recall is one half."""
    second = msgspec.structs.replace(PLAIN, id="y")
    (tmp_path / "gold.mrp").write_bytes(encode(PLAIN) + b"\n" + encode(second))
    (tmp_path / "system.mrp").write_bytes(encode(second))
    run = evaluate(metric, system=tmp_path / "system.mrp", gold=tmp_path / "gold.mrp")
    headline = run.metric.about.headline.rpartition(".")[0]
    whole: Any = run.scores()
    for name in filter(None, headline.split(".")):
        whole = whole[name]
    assert (whole["p"], whole["r"]) == (1.0, 0.5)
    assert any("1 of 2 gold items has no system item" in each for each in run.warnings)


@pytest.mark.parametrize("metric", ["edm", "sdp", "ucca-mrp", "smatch", "mrp"])
def test_documents_of_two_thousand_nodes(metric: str) -> None:
    size = 2000
    nodes = tuple(Node(i, f"w{i % 700}", anchors=(Anchor(3 * i, 3 * i + 2),)) for i in range(size))
    edges = tuple(Edge(i // 2, i, f"r{i % 5}", i) for i in range(1, size))
    gold = Graph("doc", 1, "eds", input="ab " * size, tops=(0,), nodes=nodes, edges=edges)
    scores: Any = parse(metric).score(gold, gold)
    for name in parse(metric).about.headline.split("."):
        scores = scores[name]
    assert scores == 1.0


def test_documents_of_two_thousand_clauses_and_concepts() -> None:
    concepts = "\n".join(f"w{i % 700}.n.01 Of -1" if i else "w0.n.01" for i in range(1000))
    assert parse("sbn").score(concepts, concepts)["f"] == 1.0
    clauses = "\n".join(
        f'b{i // 50} REF x{i}\nb{i // 50} w{i % 700} "n.01" x{i}\nb0 Of x{i} x{i // 2}'
        for i in range(700)
    )
    scores = parse("counter").score(clauses, clauses)
    assert scores["c"] <= scores["g"] == scores["s"] <= scores["bound"]["c"]


def test_edm_says_where_gold_has_no_properties_at_all() -> None:
    system = make(Node(0, "a", ("NUM",), ("sg",), DOG), B)
    with pytest.warns(UserWarning, match="gold has no properties at all"):
        assert Edm().score(system, PLAIN)["properties"]["s"] == 1
    assert Edm(properties_weight=0).score(system, PLAIN)["all"]["s"] == 2


def test_dependencies_by_label_and_length() -> None:
    gold = make(
        A, B, Node(2, anchors=LOUD), edges=[Edge(0, 1, "r"), Edge(0, 2, "r"), Edge(1, 2)], tops=[1]
    )
    system = make(A, B, Node(2, anchors=LOUD), edges=[Edge(0, 1, "r"), Edge(2, 0, "s")], tops=[0])
    metric = Sdp(labels=("-VIRTUAL-",))
    split = metric.split("label", [(system, gold)])
    column = list(metric.columns)
    start = column.index("labeled.g")
    figures = {
        value: tuple(row[start : start + 3])
        for value, row in zip(split.values, split.rows, strict=True)
    }
    assert figures == {"r": (2, 1, 1), "s": (0, 1, 0), "": (1, 0, 0), "-VIRTUAL-": (1, 1, 0)}
    by_label = metric.score(system, gold)["by_label"]["-VIRTUAL-"]
    assert tuple(by_label[key] for key in "gsc") == figures["-VIRTUAL-"]
    split = metric.split("length", [(system, gold)])
    figures = {
        value: tuple(row[start : start + 3])
        for value, row in zip(split.values, split.rows, strict=True)
    }
    # The top of gold is the second word, that of the system the first.
    assert figures == {"1": (2, 2, 1), "2": (2, 1, 0)}


PAS_CORE = (
    "adj_ARG1", "adj_ARG2", "adj_MOD", "coord_ARG1", "coord_ARG2", "prep_ARG1", "prep_ARG2",
    "prep_ARG3", "prep_MOD", "verb_ARG1", "verb_ARG2", "verb_ARG3", "verb_ARG4", "verb_MOD",
)  # fmt: skip


@pytest.mark.parametrize(
    ("framework", "label", "options", "core"),
    [
        ("dm", "loc", "", True), ("ccd", "any", "", True), (None, "any", "", True),
        ("psd", "ACT-arg", "", True), ("psd", "LOC", "", False), ("psd", "arg-x", "", False),
        *(("pas", label, "", True) for label in PAS_CORE),
        ("pas", "noun_ARG1", "", False), ("pas", "verb_ARG5", "", False),
        ("pas", "noun_ARG1", "core=('Noun_Arg1',)", True), ("dm", "loc", "core=('ARG1',)", False),
    ],
)  # fmt: skip
def test_only_core_arguments_are_part_of_predications(
    framework: str | None, label: str, options: str, core: bool
) -> None:
    """The system lacks one argument of a verb; its predication is complete unless that is core."""
    nodes = tuple(Node(i, form, ("pos",), (pos,)) for i, (form, pos) in enumerate(WORDS))
    edges = Edge(1, 0, "ARG1", 0), Edge(1, 2, label, 1)
    gold = Graph("1", 0, framework, tops=(1,), nodes=nodes, edges=edges)
    system = msgspec.structs.replace(gold, edges=edges[:1])
    for score in ("predications", "frames"):
        assert found(f"sdp({options})", score, system, gold) == (1, 1, not core)
    assert found(f"sdp({options})", "senses", system, gold) == (1, 1, 1)


WORDS = ("dogs", "NNS"), ("bark", "VBP"), ("home", "RB")


def test_sentences_of_different_lengths_are_not_the_same() -> None:
    tokens = tuple(Token(form, form, pos, False) for form, pos in WORDS)
    gold = Graph("1", 0, "dm", nodes=(Node(0), Node(1)), edges=(Edge(1, 0),), tokens=tokens)
    assert found("sdp", "labeled", gold, gold) == (1, 1, 1)
    shorter = msgspec.structs.replace(gold, tokens=tokens[:2])
    with pytest.raises(PairingError, match=r"K221: graph '1' has 3 tokens in gold, 2 in the"):
        parse("sdp").score(shorter, gold)


BOX_OF_A_ROLE = 'b1 say "v.01" e1\nb1 Topic e1 b2\nb2 run "v.01" e2\nb2 Agent e2 x1'


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        (BOX_OF_A_ROLE, (4, 4, 4)),
        # b2 and its clauses can be matched together, but not with the box of b1's clauses.
        (BOX_OF_A_ROLE.replace("b2", "b7"), (4, 4, 4)),
        (BOX_OF_A_ROLE.replace("e1 b2", "e1 b1"), (4, 4, 3)),
        # Ill-formed operators name a box as if it were a referent, too.
        ("b1 NOT) b2\nb2 run 'v.01' e2", (4, 2, 1)),
    ],
)
def test_what_has_clauses_is_a_box_whatever_names_it_first(
    system: str, expected: tuple[int, ...]
) -> None:
    with pytest.warns(UserWarning, match="ill-formed"):
        assert found("counter", "", system, BOX_OF_A_ROLE) == expected
