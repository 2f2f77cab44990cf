"""The best correspondence of the nodes of two graphs."""

from __future__ import annotations

from dataclasses import dataclass

from karat.graphs.matching.solver import DEFAULT_BUDGET, Kind, match_many
from karat.graphs.matching.tuples import KINDS, as_pair, graph_tuples, is_ordered
from karat.graphs.model import Graph
from karat.graphs.normalize import normalize

#: Among correspondences with equally many matches: more labels, then edges, anchors,
#: properties, tops, attributes.
RANKED = {"labels": 1, "edges": 2, "anchors": 3, "properties": 4, "tops": 5, "attributes": 6}
WORTH = tuple(Kind(rank=RANKED[name]) for name in KINDS)


@dataclass(frozen=True, slots=True)
class Correspondence:
    """Which system node each gold node corresponds to, and how good any other choice can be."""

    mapping: dict[int, int]
    """Gold node ids to system node ids; nodes without partner are not in it."""
    value: int
    """How many tuples match."""
    bound: int
    """No correspondence matches more."""

    @property
    def proven(self) -> bool:
        """Whether no correspondence matches more than this one."""
        return self.value == self.bound


def match(
    gold: Graph, system: Graph, *, ordered: bool | None = None, budget: int = DEFAULT_BUDGET
) -> Correspondence:
    """The correspondence under which most tops, labels, properties, anchors and edges match.

    `ordered` keeps the order of nodes; where it is not given, bilexical graphs
    (flavor 0) are matched so. The graphs are normalised first.

    >>> from karat.graphs.model import Edge, Node
    >>> gold = Graph("1", tops=(1,), nodes=(Node(1, "bark"), Node(2, "dog")), edges=(Edge(1, 2),))
    >>> system = Graph("1", tops=(7,), nodes=(Node(5, "dog"), Node(7, "bark")))
    >>> match(gold, system)
    Correspondence(mapping={1: 7, 2: 5}, value=3, bound=3)
    """
    ours, theirs = graph_tuples(normalize(gold)), graph_tuples(normalize(system))
    keep_order = is_ordered(gold) if ordered is None else ordered
    found = match_many(
        [as_pair(ours, theirs, "ordered" if keep_order else "free")], WORTH, budget=budget
    )[0]
    mapping = {
        ours.nodes[i]: theirs.nodes[j] for i, j in enumerate(found.mapping.tolist()) if j >= 0
    }
    return Correspondence(mapping, found.value, found.bound)
