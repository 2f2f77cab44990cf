"""Pairs for the metrics of graphs that look for a correspondence of nodes."""

from __future__ import annotations

from pathlib import Path

import msgspec

from karat.graphs.model import Anchor, Edge, Graph, Node
from karat.graphs.ucca.passages import Passage, parse_passage

VECTORS = str(Path(__file__).parent / "vectors.txt")

GOLD = Graph(
    "1",
    1,
    "eds",
    input="The big dogs bark, loudly.",
    tops=(3,),
    nodes=(
        Node(0, "the_q", anchors=(Anchor(0, 3),)),
        Node(1, "_big_a_1", anchors=(Anchor(4, 7),)),
        Node(2, "_dog_n_1", ("NUM", "PERS"), ("pl", "3"), (Anchor(8, 12),)),
        Node(3, "_bark_v_1", ("TENSE",), ("pres",), (Anchor(13, 17),)),
        Node(4, None, anchors=(Anchor(19, 25),)),
    ),
    edges=(
        Edge(0, 2, "BV", 0),
        Edge(1, 2, "ARG1", 1),
        Edge(3, 2, "ARG1", 2),
        Edge(4, 3, "ARG1", 3, attributes=("remote",), values=("true",)),
        Edge(4, 4, None, 4),
    ),
)
RENAMED = msgspec.structs.replace(
    GOLD,
    nodes=(*GOLD.nodes[1:], Node(0, "a_q", anchors=(Anchor(0, 2),))),
    edges=GOLD.edges[:3],
    tops=(2, 3),
)
SMALLER = msgspec.structs.replace(GOLD, nodes=GOLD.nodes[2:4], edges=GOLD.edges[2:3])
EMPTY = GOLD.emptied()
BILEXICAL = msgspec.structs.replace(GOLD, flavor=0, framework="dm")
UCCA = msgspec.structs.replace(GOLD, framework="ucca")
PAIRS = [
    (GOLD, GOLD),
    (RENAMED, GOLD),
    (EMPTY, GOLD),
    (SMALLER, GOLD),
    (GOLD, SMALLER),
    (RENAMED, BILEXICAL),
    (RENAMED, UCCA),
    (EMPTY, EMPTY),
]


AMR = [
    ("(w / want-01 :ARG0 (b / boy))", "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))"),
    ('(g / go-02 :ARG0 (b / boy :name (n / name :op1 "Al B.")))', "(g / go-02 :ARG0 (b / boy))"),
    ("", "(d / dog :polarity - :mod (b / big) :quant 2)"),
    ("(d / dog)", "(d / dog :ARG0-of (b / bark-01~e.3 :ARG1 d) :wiki -)"),
]


def passage(*edges: str) -> Passage:
    """A passage of four words and a full stop, from edges like ``1.1 1.2 H``."""
    words = "".join(f'<node ID="0.{i}" type="Word"/>' for i in range(1, 5))
    units: dict[str, str] = {}
    for edge in edges:
        source, target, *categories = edge.split()
        remote = 'remote="True"' if "remote" in categories else ""
        tags = "".join(f'<category tag="{each}"/>' for each in categories if each != "remote")
        units.setdefault(source, "")
        units[source] += f'<edge toID="{target}"><attributes {remote}/>{tags}</edge>'
        if target.startswith("1"):
            units.setdefault(target, "")
    inner = "".join(f'<node ID="{name}" type="FN">{out}</node>' for name, out in units.items())
    return parse_passage(
        f"""<root passageID="p"><layer layerID="0">{words}<node ID="0.5" type="Punctuation"/>
        </layer><layer layerID="1">{inner}</layer></root>""".encode()
    )


SCENE = (
    "1.1 1.2 H", "1.2 1.3 A", "1.2 1.4 P", "1.2 1.5 A", "1.3 0.1 Terminal", "1.4 0.2 Terminal",
    "1.5 1.6 E", "1.5 1.7 C", "1.6 0.3 Terminal", "1.7 0.4 Terminal",
)  # fmt: skip
PASSAGES = [
    (passage(*SCENE), passage(*SCENE)),
    (passage(*SCENE[:2], "1.2 1.4 S", *SCENE[3:]), passage(*SCENE)),
    (passage(*SCENE[:6]), passage(*SCENE)),
    (passage(*SCENE, "1.2 1.6 A remote"), passage(*SCENE, "1.2 1.7 A remote")),
]


CLAUSES = [
    (
        'b1 REF x1\nb1 dog "n.01" x1\nb1 NEGATION b2\nb2 REF e1\nb2 bark "v.01" e1\nb2 Agent e1 x1',
        'b3 REF x9\nb3 dog "n.01" x9\nb3 NOT b4\nb4 REF e1\nb4 bark "v.02" e1\nb4 AgentOf x9 e1',
    ),
    ("", 'b1 REF x1\nb1 cat "n.01" x1\nb1 EQU "2" x1'),
    ('b1 REF x1\nb1 cat "n.01" x1', 'b1 REF x1\nb1 REF t1\nb1 time "n.08" t1\nb1 TPR t1 "now"'),
]
SBN = [
    (
        "dog.n.01\nbark.v.01 Agent -1 Time +1\ntime.n.08 TPR now",
        'dog.n.01 Name "Rex B"\nbark.v.01 Theme -1',
    ),
    ("", "boy.n.01 NEGATION -1 laugh.v.01 Agent -1"),
    ("cat.n.01", "wheel.n.01 PartOf +1\ncar.n.01"),
]


def itself(gold: Graph) -> Graph:
    return gold


EXAMPLES = {
    "mrp": (
        [
            "mrp",
            "mrp(normalize=(), compat='mtool')",
            "mrp(domination=True, characters=True)",
            "mrp(budget=0)",
            "mrp(search='mtool', limit=1000)",
        ],
        PAIRS,
        itself,
    ),
    "edm": (
        [
            "edm",
            "edm(compat='delphin', properties_weight=0.5)",
            "edm(compat='mtool', identity='spans', ignore_missing='both')",
            "edm(counting='multiset', constants=True)",
        ],
        PAIRS,
        itself,
    ),
    "ucca-mrp": (["ucca-mrp", "ucca-mrp(normalize=(), compat='mtool')"], PAIRS, itself),
    "smatch": (
        [
            "smatch",
            "smatch(top='concept', counting='min')",
            "smatch(compat='smatch')",
            "smatch(only='relations')",
            "smatch(instances_weight=3, relations_weight=0)",
            "smatch(solver='climb', restarts=1, climb_seed=3)",
        ],
        [*AMR, *PAIRS],
        itself,
    ),
    "smatchpp": (
        [
            "smatchpp",
            "smatchpp(style='none', aspects='apart')",
            "smatchpp(style='generic', compat='smatchpp', compress=True)",
            "smatchpp(reify=True, aspects='together')",
        ],
        AMR,
        itself,
    ),
    "s2match": (["s2match", f"s2match(vectors={VECTORS!r}, top='constant')"], AMR, itself),
    "amr-fine": (
        [
            "amr-fine",
            "amr-fine(counting='multiset', top='concept')",
            "amr-fine(compat='amr-evaluation')",
            "amr-fine(compat='amr-evaluation-enhanced')",
            "amr-fine(compat='amrlib')",
        ],
        AMR,
        itself,
    ),
    "sembleu": (
        ["sembleu", "sembleu(weights=(0.5, 0.5))", "sembleu(compat='sembleu')"],
        AMR,
        itself,
    ),
    "ucca": (
        [
            "ucca",
            "ucca(normalize=False, constructions=('categories', 'honest', 'mwe', 'main_rel'))",
            "ucca(types=('unlabeled',), constructions=('expletives',))",
        ],
        PASSAGES,
        itself,
    ),
    "counter": (
        [
            "counter",
            "counter(keep_references=True, sense=False, role=False)",
            "counter(limit=1, ill_formed='dummy', rounded=True)",
        ],
        CLAUSES,
        itself,
    ),
    "sbn": (
        [
            "sbn",
            "sbn(variant='sense', strict=True)",
            "sbn(variant='no-sense', compat='sbn-evaluation')",
        ],
        SBN,
        itself,
    ),
    "sbn-fine": (
        ["sbn-fine", "sbn-fine(strict=True, compat='sbn-evaluation', budget=0)"],
        SBN,
        itself,
    ),
    "sema": (["sema", "sema(compat='sema')"], AMR, None),
}
