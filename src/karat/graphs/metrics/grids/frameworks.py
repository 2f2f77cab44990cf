"""Settings of the metrics of meaning graphs: MRP, EDM, SDP, UCCA."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import chain, combinations
from typing import Any, TypeVar

import msgspec

from karat.core.metric import Metric
from karat.core.tracing import (
    Grid,
    Once,
    Pairs,
    Pass,
    Preset,
    Scores,
    Setting,
    Value,
    mean_settings,
    own_settings,
    passes_of,
    swapped_rows,
    three,
)
from karat.graphs.metrics.edm import Edm
from karat.graphs.metrics.grids.mapped import KINDS_APART, KnownRows, best_rows_once
from karat.graphs.metrics.mrp import Mrp
from karat.graphs.metrics.sdp import Sdp
from karat.graphs.metrics.ucca import Ucca
from karat.graphs.metrics.ucca_mrp import UccaMrp
from karat.graphs.model import Edge, Graph, Node
from karat.graphs.normalize import ALL, Compat, Step, normal_edges, normal_nodes

_APART = frozenset([KINDS_APART])
_OF_NODES = frozenset[Step](("anchors", "case"))
_OF_EDGES = frozenset[Step](("edges", "case", "attributes"))
_Part = TypeVar("_Part", tuple[Node, ...], tuple[Edge, ...])
_COMPAT: tuple[Compat | None, ...] = (None, "mtool")
_TUPLES = ("tops", "labels", "properties", "anchors", "edges", "attributes")


def _rows_of(names: tuple[str, ...]) -> dict[str, Any]:
    return {key: each for name in names for key, each in three(name, f"{name}.").items()}


# -- MRP ------------------------------------------------------------------------------------------


def mrp() -> Grid:
    """All sets of normalisations, mtool's way, and domination."""
    tuples = dict.fromkeys(_TUPLES, 2)
    own = {"all": 0}
    return Grid(
        {
            "": {**own, **tuples}, "mrp": own, "mrpf1": own, "mrpall": own, "all": own,
            **{name: {name: 0} for name in _TUPLES},
            **{f"mrp{name}": {name: 0} for name in _TUPLES},
            "node labels".replace(" ", ""): {"labels": 0},
        },
        {
            **dict.fromkeys(ALL, True), "compat": None, "domination": False,
            "aggregation": "corpus",
        },
        [
            Preset("karat"),
            Preset("mtool", {"compat": "mtool"}, "main.py --score mrp --gold GOLD SYSTEM"),
            Preset("mtool, nothing normalised", {**dict.fromkeys(ALL, False), "compat": "mtool"},
                   "main.py --normalize '' --score mrp ..."),
            Preset("nothing normalised", dict.fromkeys(ALL, False)),
        ],
        _mrp_passes,
    )  # fmt: skip


def _mrp_passes(names: Collection[str]) -> list[Pass]:
    scores: Scores = _rows_of(("all", *_TUPLES))
    found = []
    once, known = Once(), KnownRows()
    subsets = chain.from_iterable(combinations(ALL, n) for n in range(len(ALL), -1, -1))
    for steps in subsets:
        for compat in _COMPAT:
            for domination in (False, True):
                if domination and (compat or steps != ALL):
                    continue
                metric = Mrp(normalize=steps, compat=compat, domination=domination)
                choices: dict[str, Value] = {
                    **{step: step in steps for step in ALL},
                    "compat": compat,
                    "domination": domination,
                }
                settings = _settings(metric, scores, choices, names)
                plain = Mrp(normalize=(), domination=domination)
                if settings:
                    found.append(
                        Pass(Mrp(), partial(best_rows_once, known, domination), settings,
                             prepare=partial(_normalized, steps, compat, once), counts_as=plain,
                             # A mapping that keeps domination need not do so the other way round.
                             swapped=None if domination else partial(swapped_rows, plain),
                             is_slow=True)
                    )  # fmt: skip
    return found


def _settings(
    metric: Metric[Any, Any], scores: Scores, choices: dict[str, Value], names: Collection[str]
) -> list[Setting]:
    found = [
        each if each.name == "all" else msgspec.structs.replace(each, needs=_APART)
        for each in own_settings(metric, scores, choices)
        if each.name in names
    ]
    return [*found, *mean_settings(found)]


def _normalized(steps: tuple[Step, ...], compat: Compat | None, once: Once, pairs: Pairs) -> Pairs:
    """The graphs after some steps; the same list for all passes whose graphs come out equal."""

    def graphs() -> Pairs:
        made = [(_normal(system, steps, compat), _normal(gold, steps, compat))
                for system, gold in pairs]  # fmt: skip
        known: dict[tuple[tuple[int, int], ...], Pairs] = once.of("normalized", pairs, dict)
        return known.setdefault(tuple((id(system), id(gold)) for system, gold in made), made)

    found: Pairs = once.of((steps, compat), pairs, graphs)
    return found


def _normal(graph: Graph, steps: tuple[Step, ...], compat: Compat | None) -> Graph:
    """The graph after some steps, the same one for all steps that lead to equal ones.

    What steps make of nodes has nothing to do with what they make of edges.
    """
    known: dict[object, Any] = graph.once(_normal, lambda _: {})
    own = [[step for step in steps if step in part] for part in (_OF_NODES, _OF_EDGES)]
    nodes = _kept(known, "nodes", graph.nodes, own[0], compat, partial(normal_nodes, graph))
    edges = _kept(known, "edges", graph.edges, own[1], compat, partial(normal_edges, graph))
    both = id(nodes), id(edges)
    if both not in known:
        known.setdefault(both, msgspec.structs.replace(graph, nodes=nodes, edges=edges))
    return known[both]  # type: ignore[no-any-return]


def _kept(
    known: dict[object, Any], which: str, plain: _Part, steps: Sequence[Step],
    compat: Compat | None, make: Callable[[Sequence[Step], Compat | None], _Part],
) -> _Part:  # fmt: skip
    """What steps make of nodes or edges: the one that is known where there is an equal one."""
    key = which, *steps, compat
    if key not in known:
        earlier: list[_Part] = known.setdefault(which, [plain])
        made = make(steps, compat)
        for each in earlier:
            if each == made:
                made = each
                break
        else:
            earlier.append(made)
        known.setdefault(key, made)
    return known[key]  # type: ignore[no-any-return]


# -- others ---------------------------------------------------------------------------------------


def edm() -> Grid:
    """What identifies a node, how repeated items count, and whose conventions are followed."""
    kinds = ("names", "arguments", "tops", "properties")
    metrics = [
        (Edm(identity=identity, counting=counting, compat=compat),
         {"identity": identity, "counting": counting, "compat": compat})
        for identity in ("characters", "spans")
        for counting in ("set", "multiset")
        for compat in (None, "mtool", "delphin")
    ]  # fmt: skip
    own = {"all": 0}
    return Grid(
        {
            "": {**own, **dict.fromkeys(kinds, 2)}, "edm": own, "edmall": own,
            "smatchedm": own, "edmn": {"names": 0}, "edma": {"arguments": 0},
            **{f"edm{kind}": {kind: 0} for kind in kinds},
        },
        {"identity": "characters", "counting": "set", "compat": None, "aggregation": "corpus"},
        [
            Preset("karat"),
            Preset("mtool", {"compat": "mtool"}, "main.py --score edm --gold GOLD SYSTEM"),
            Preset("delphin.edm", {"compat": "delphin", "counting": "multiset",
                                   "identity": "spans"}, "delphin edm GOLD SYSTEM"),
        ],
        lambda names: passes_of(
            metrics, _rows_of(("all", *kinds)), names, tries=True
        ),
    )  # fmt: skip


def sdp() -> Grid:
    """With and without punctuation and directions, with and without tops."""
    scores: Scores = {
        **three("labeled", "labeled."), **three("unlabeled", "unlabeled."),
        **three("labeled without tops", "without_tops.labeled."),
        **three("unlabeled without tops", "without_tops.unlabeled."),
        **three("predications", "predications."), **three("frames", "frames."),
        **three("senses", "senses."),
        "labeled.m": ("labeled exact", "", "corpus"),
        "unlabeled.m": ("unlabeled exact", "", "corpus"),
    }  # fmt: skip
    metrics = [
        (Sdp(exclude_punctuation=punctuation, undirected=undirected, compat=compat),
         {"exclude_punctuation": punctuation, "undirected": undirected, "compat": compat})
        for punctuation in (False, True)
        for undirected in (False, True)
        for compat in (None, "mtool")
    ]  # fmt: skip
    labeled = {"labeled": 0, "labeled without tops": 0}
    unlabeled = {"unlabeled": 0, "unlabeled without tops": 0}
    whole = {"labeled exact": 0, "unlabeled exact": 1}
    return Grid(
        {
            "": {**labeled, **unlabeled, "predications": 2, "frames": 2, "senses": 2, **whole},
            "sdp": {**labeled, **unlabeled}, "lf": labeled, "lp": labeled, "lr": labeled,
            "labeled": labeled, "labelled": labeled, "uf": unlabeled, "up": unlabeled,
            "ur": unlabeled, "unlabeled": unlabeled, "unlabelled": unlabeled,
            "lm": {"labeled exact": 0}, "um": {"unlabeled exact": 0},
            "ff": {"frames": 0}, "pf": {"predications": 0},
        },
        {
            "exclude_punctuation": False, "undirected": False, "compat": None,
            "aggregation": "corpus",
        },
        [
            Preset("SDP toolkit", {}, "run.sh Scorer GOLD SYSTEM"),
            Preset("mtool", {"compat": "mtool"}, "main.py --score sdp --gold GOLD SYSTEM"),
        ],
        lambda names: passes_of(metrics, scores, names, tries=True),
    )  # fmt: skip


_UCCA = ("labeled", "unlabeled")


def ucca_mrp() -> Grid:
    """Primary and remote edges of UCCA as MRP has them."""
    scores = {
        key: each
        for kind in _UCCA
        for edges in ("primary", "remote")
        for key, each in three(f"{kind} {edges}", f"{kind}.{edges}.").items()
    }
    metrics = [(UccaMrp(compat=compat), {"compat": compat}) for compat in (None, "mtool")]
    return Grid(
        _ucca_names(("primary", "remote")),
        {"compat": None, "aggregation": "corpus"},
        [
            Preset("karat"),
            Preset("mtool", {"compat": "mtool"}, "main.py --score ucca --gold GOLD SYSTEM"),
        ],
        lambda names: passes_of(metrics, scores, names, tries=True),
    )


def ucca() -> Grid:
    """The official scores of UCCA, and their averages."""
    scores = {
        key: each
        for kind in _UCCA
        for edges in ("primary", "remote", "implicit")
        for key, each in three(f"{kind} {edges}", f"{kind}.{edges}.").items()
    }
    for kind in _UCCA:
        scores.update(three(f"{kind} average", f"average.{kind}."))
    metrics = [(Ucca(normalize=each), {"normalize": each}) for each in (True, False)]
    return Grid(
        _ucca_names(("primary", "remote", "implicit", "average")),
        {"normalize": True, "aggregation": "corpus"},
        [Preset("ucca", {}, "evaluate_standard.py SYSTEM GOLD")],
        lambda names: passes_of(metrics, scores, names, tries=True),
    )


def _ucca_names(edges: tuple[str, ...]) -> dict[str, dict[str, int]]:
    every = {f"{kind} {each}": 0 for kind in _UCCA for each in edges}
    found = {"": every, "ucca": every}
    for kind, short in (("labeled", "l"), ("unlabeled", "u")):
        own = {f"{kind} {each}": 0 for each in edges}
        found |= {kind: own, kind.replace("beled", "belled"): own, f"{short}f": own}
        found |= {f"{kind}{each}": {f"{kind} {each}": 0} for each in edges}
    for each in edges:
        found[each] = {f"{kind} {each}": 0 for kind in _UCCA}
    return found
