"""Settings of the metrics of meaning graphs: MRP, EDM, SDP, UCCA."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from itertools import chain, combinations
from typing import Any

import msgspec
import numpy as np

from karat.core.metric import Metric
from karat.core.scores import Array
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
    measured,
    own_settings,
    passes_of,
    rows_again,
    swapped_rows,
    three,
)
from karat.errors import KaratError
from karat.graphs.metrics.edm import Edm
from karat.graphs.metrics.grids.mapped import (
    KINDS_APART,
    KnownRows,
    Normal,
    Variants,
    best_rows_once,
    is_alike_in_mtool,
)
from karat.graphs.metrics.mrp import Mrp
from karat.graphs.metrics.sdp import Sdp, may_have_punctuation
from karat.graphs.metrics.ucca import Ucca
from karat.graphs.metrics.ucca_mrp import UccaMrp
from karat.graphs.model import Graph
from karat.graphs.normalize import ALL, Compat, Step

_APART = frozenset([KINDS_APART])
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


def _normalized(
    steps: tuple[Step, ...], compat: Compat | None, once: Once, pairs: Pairs
) -> list[tuple[Normal, Normal]]:
    """The tuples after some steps; the same list for all passes whose tuples come out equal."""
    both = once.of("variants", pairs, lambda: [(Variants.of(s), Variants.of(g)) for s, g in pairs])
    taken = frozenset(steps)
    made = [(system.after(taken, compat), gold.after(taken, compat)) for system, gold in both]
    known: dict[object, list[tuple[Normal, Normal]]] = once.of("normalized", pairs, dict)
    return known.setdefault(tuple(made), made)


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
            metrics, _rows_of(("all", *kinds)), names, tries=True, swaps=True,
            rows=partial(_edm_rows, Once()),
        ),
    )  # fmt: skip


def _edm_rows(once: Once, metric: Edm, pairs: Pairs) -> Array:
    """Rows of sets and of multisets from the same items; mtool's are the usual ones where its
    normalisation is."""
    sets, multisets = once.of(
        "delphin" if metric.compat == "delphin" else (metric.identity, metric.compat),
        pairs,
        lambda: _edm_counts(once, metric, pairs),
    )
    several = metric.counting == "multiset" or metric.compat == "delphin"
    rows: Array = multisets if several else sets
    return rows


def _edm_counts(once: Once, metric: Edm, pairs: Pairs) -> tuple[Array, Array]:
    own = _several(metric)
    if metric.compat != "mtool":
        return _both_countings(own, pairs)
    usual = Edm(identity=metric.identity)
    try:
        found = _edm_rows(once, usual, pairs), _edm_rows(once, _several(usual), pairs)
    except KaratError:  # mtool compares graphs without anchors as well
        return _both_countings(own, pairs)
    which = [i for i, pair in enumerate(pairs) if not all(map(is_alike_in_mtool, pair))]
    if which:
        found = found[0].copy(), found[1].copy()
        found[0][which], found[1][which] = _both_countings(own, [pairs[i] for i in which])
    return found


def _several(metric: Edm) -> Edm:
    return Edm(identity=metric.identity, counting="multiset", compat=metric.compat)


def _both_countings(metric: Edm, pairs: Pairs) -> tuple[Array, Array]:
    """The rows of a metric with items once, and as often as they occur."""
    sets, multisets = [], []
    for system, gold in pairs:
        ours, theirs = metric.items(system, gold)
        once, often = [1], [1]
        for kind in metric.counted_kinds:
            g, s = theirs[kind], ours[kind]
            common = len(g.keys() & s.keys())
            once += [len(g), len(s), common]
            sizes = g.total(), s.total()
            # What occurs once on a side has at most one match.
            plain = sizes[0] == len(g) or sizes[1] == len(s)
            often += [*sizes, common if plain else (g & s).total()]
        sets.append(once)
        multisets.append(often)
    return np.array(sets, np.float64), np.array(multisets, np.float64)


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
            **{kind: {kind: 0} for kind in ("frames", "predications", "senses")},
        },
        {
            "exclude_punctuation": False, "undirected": False, "compat": None,
            "aggregation": "corpus",
        },
        [
            Preset("SDP toolkit", {}, "run.sh Scorer GOLD SYSTEM"),
            Preset("mtool", {"compat": "mtool"}, "main.py --score sdp --gold GOLD SYSTEM"),
        ],
        lambda names: passes_of(
            metrics, scores, names, tries=True, rows=partial(_sdp_rows, Once())
        ),
    )  # fmt: skip


def _sdp_rows(once: Once, metric: Sdp, pairs: Pairs) -> Array:
    """Rows with directions and without; mtool's, and those without punctuation, are counted only
    where they may be others."""
    usual = Sdp(undirected=metric.undirected)
    if metric == usual:
        found: Array = once.of(metric, pairs, lambda: measured(metric, pairs))
        return found

    def differs(graph: Graph) -> bool:
        if metric.compat and not (
            is_alike_in_mtool(graph) and (graph.is_anchored or not graph.nodes)
        ):
            return True
        return metric.exclude_punctuation and may_have_punctuation(graph)

    which = [i for i, pair in enumerate(pairs) if any(map(differs, pair))]
    try:
        rows = _sdp_rows(once, usual, pairs)
    except KaratError:  # mtool compares graphs without anchors as well
        return measured(metric, pairs)
    return rows_again(metric, rows, pairs, which)


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
