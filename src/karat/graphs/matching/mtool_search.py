"""mtool's search for a correspondence, for comparison with figures published with it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from karat import _native
from karat.graphs.matching.solver import (
    GraphPair,
    Kind,
    Matchings,
    flat_pairs,
    match_many,
    offsets_of,
)
from karat.graphs.matching.tuples import (
    ATTRIBUTES,
    Coverage,
    Feature,
    Link,
    Tuples,
    as_pair,
    bits,
    graph_tuples,
    is_ordered,
    primary_children,
)
from karat.graphs.model import Graph

_UNLABELLED = 6
_KINDS = (Kind(),) * 7


def search(
    pairs: Sequence[tuple[Graph, Graph]],
    counted: Sequence[GraphPair],
    weights: Sequence[Kind],
    *,
    limit: int,
    climbing: bool,
) -> Matchings:
    """The mappings that mtool finds for normalised (gold, system) graphs, in `limit` steps.

    Where mtool begins with the outcome of a random search (EDS and AMR, when
    `climbing`), this begins with the best outcome which that search could have.
    `bound` tells how much any correspondence could match at most.
    """
    prepared = [_search_pair(gold, system) for gold, system in pairs]
    starts = _starts(pairs) if climbing else [()] * len(pairs)
    overlaps = [_overlap(gold, system) for gold, system in pairs]
    mapping, steps = _native.search_like_mtool(
        flat_pairs(prepared, _KINDS),
        overlaps=np.array([each for part in overlaps for each in part], np.int32),
        overlap_offsets=offsets_of(map(len, overlaps)),
        starts=np.array([each for part in starts for each in part], np.int32),
        start_offsets=offsets_of(map(len, starts)),
        limit=limit,
    )
    counts = _native.count_pairs(flat_pairs(counted, weights), mapping)
    value = counts[:, 2].sum(axis=1)
    finished = steps <= limit if limit else np.zeros(len(pairs), np.bool_)
    most = np.minimum(counts[:, 0], counts[:, 1]).sum(axis=1)
    return Matchings(
        mapping=mapping,
        mapping_offsets=offsets_of(len(gold.nodes) for gold, _ in pairs),
        value=value,
        bound=np.where(finished, value, np.maximum(most, value + 1)),
        settled=finished,
        work=steps,
        counts=counts,
        certificate=np.empty(0, np.int64),
        certificate_offsets=np.zeros(len(pairs) + 1, np.int64),
    )


def _search_pair(gold: Graph, system: Graph) -> GraphPair:
    """The tuples that the search goes by: absent labels too, attributes without edge label."""
    pair = as_pair(_search_tuples(gold), _search_tuples(system))
    if is_ordered(gold):
        return replace(pair, mode="ordered")
    if _is_ucca(gold, system):
        return GraphPair(
            replace(pair.gold, below=_below(gold)),
            replace(pair.system, below=_below(system)),
            "dominated",
        )
    return pair


def _is_ucca(gold: Graph, system: Graph) -> bool:
    return all(graph.framework == "ucca" and graph.input is not None for graph in (gold, system))


def _search_tuples(graph: Graph) -> Tuples:
    plain = graph_tuples(graph)
    features: list[Feature] = [
        *plain.features,
        *((i, _UNLABELLED, None) for i, node in enumerate(graph.nodes) if node.label is None),
    ]
    links: list[Link] = [
        (source, target, kind, key[1:] if kind == ATTRIBUTES else key)  # type: ignore[index]
        for source, target, kind, key in plain.links
    ]
    return Tuples(plain.nodes, features, links)


def _overlap(gold: Graph, system: Graph) -> list[int]:
    if not _is_ucca(gold, system) or gold.input is None or system.input is None:
        return []
    ours, theirs = _yields(gold, gold.input), _yields(system, system.input)
    return [(a & b).bit_count() for a in ours for b in theirs]


def _yields(graph: Graph, text: str) -> list[int]:
    covered = Coverage(text)
    return _gathered(graph, [covered(node.anchors) for node in graph.nodes], 0)  # type: ignore[misc]


def _below(graph: Graph) -> list[tuple[int, int]]:
    reached = _gathered(graph, [0] * len(graph.nodes), 1)
    return [(upper, lower) for upper, found in enumerate(reached) for lower in bits(found)]


def _gathered(graph: Graph, own: Sequence[int], mark: int) -> list[int]:
    """Bits of each node and of all below it; `mark` adds a bit for each node on the way.

    In cyclic graphs a node takes over what the node below it has gathered so far,
    which depends on where the walk began; so it was in mtool.
    """
    children = primary_children(graph)
    result: dict[int, int] = {}
    for start in range(len(graph.nodes)):
        if start in result:
            continue
        result[start] = own[start]
        path = [(start, iter(children[start]))]
        while path:
            node, rest = path[-1]
            child = next(rest, None)
            if child is None:
                path.pop()
                if path:
                    upper = path[-1][0]
                    result[upper] |= result[node] | mark << node
            elif child in result:
                result[node] |= result[child] | mark << child
            else:
                result[child] = own[child]
                path.append((child, iter(children[child])))
    return [result[i] for i in range(len(graph.nodes))]


def _starts(pairs: Sequence[tuple[Graph, Graph]]) -> list[list[int]]:
    """The best correspondence by SMATCH's triples, where mtool climbs towards it."""
    chosen = [i for i, (gold, _) in enumerate(pairs) if gold.framework in ("eds", "amr")]
    found = match_many(
        [as_pair(graph_tuples(pairs[i][0]), graph_tuples(pairs[i][1])) for i in chosen],
        (Kind(),) * 6,
    )
    result: list[list[int]] = [[] for _ in pairs]
    for i, matching in zip(chosen, found, strict=True):
        result[i] = matching.mapping.tolist()
    return result
