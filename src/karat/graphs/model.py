"""A meaning graph: nodes, edges, and what they say of the input.

The values are immutable and have the fields of the MRP interchange format,
version 1.1. Offsets count Unicode code points of `input` and are half-open.
`to_networkx` and `from_networkx` are for those who have networkx.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import msgspec

from karat.errors import MissingExtra, OptionError

_T = TypeVar("_T")
Value: TypeAlias = Any
"""The value of a property or attribute: a string, a number or a truth value."""


class Anchor(msgspec.Struct, frozen=True, gc=False, order=True):
    """A stretch of the input; in an overlay graph (flavor -1), a run of tokens."""

    start: int = msgspec.field(name="from")
    end: int = msgspec.field(name="to")


class Node(msgspec.Struct, frozen=True, gc=False):
    """A node; `anchorings` holds the anchors of each property's value."""

    id: int
    label: str | None = None
    properties: tuple[str, ...] = ()
    values: tuple[Value, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    anchorings: tuple[tuple[Anchor, ...], ...] = ()

    def property(self, name: str) -> Value | None:
        """The value of the property with this name."""
        for each, value in zip(self.properties, self.values, strict=False):
            if each == name:
                return value
        return None


class Edge(msgspec.Struct, frozen=True, gc=False):
    """An edge; `normal` is its label once it is turned around."""

    source: int
    target: int
    label: str | None = None
    id: int | None = None
    normal: str | None = None
    attributes: tuple[str, ...] = ()
    values: tuple[Value, ...] = ()
    anchors: tuple[Anchor, ...] = ()

    def attribute(self, name: str) -> Value | None:
        """The value of the attribute with this name."""
        for each, value in zip(self.attributes, self.values, strict=False):
            if each == name:
                return value
        return None

    @property
    def is_remote(self) -> bool:
        """Whether the attribute `remote` is there and not false."""
        if not self.attributes:
            return False
        value = self.attribute("remote")
        return value is not None and not is_false(value)


class Token(msgspec.Struct, frozen=True, gc=False):
    """A row of a format made of tokens, whether or not the graph has a node for it.

    `number` is the id of rows that are not numbered through, like ``3-4`` and
    ``9.1`` in CoNLL-U; `misc` its last column.
    """

    form: str
    lemma: str | None = None
    pos: str | None = None
    predicate: bool = False
    frame: str | None = None
    number: str = ""
    misc: str | None = None


class Graph(msgspec.Struct, frozen=True, dict=True):
    """One graph. `tokens` is known where the format is made of them; MRP has none."""

    id: str
    flavor: int | None = None
    framework: str | None = None
    version: float | None = None
    time: str | None = None
    language: str | None = None
    source: str | None = None
    provenance: str | None = None
    targets: tuple[str, ...] = ()
    input: str | None = None
    tops: tuple[int, ...] = ()
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    tokens: tuple[Token, ...] = ()

    @property
    def key(self) -> tuple[str, str | None, str | None]:
        """The key by which gold and system graphs are paired."""
        return self.id, self.framework, self.language

    @cached_property
    def node_of(self) -> dict[int, Node]:
        """The nodes by their ids."""
        return {node.id: node for node in self.nodes}

    @cached_property
    def outgoing(self) -> dict[int, list[Edge]]:
        """The edges that leave each node; every node has an entry."""
        result: dict[int, list[Edge]] = {node.id: [] for node in self.nodes}
        for edge in self.edges:
            result.setdefault(edge.source, []).append(edge)
        return result

    @cached_property
    def incoming(self) -> dict[int, list[Edge]]:
        """The edges that enter each node; every node has an entry."""
        result: dict[int, list[Edge]] = {node.id: [] for node in self.nodes}
        for edge in self.edges:
            result.setdefault(edge.target, []).append(edge)
        return result

    @property
    def is_anchored(self) -> bool:
        """Whether any node has anchors."""
        return any(node.anchors for node in self.nodes)

    def once(self, what: Hashable, make: Callable[[Graph], _T]) -> _T:
        """What is made of the graph, and not to be changed: made once for all that ask for it."""
        made: dict[Hashable, Any] = self.__dict__.setdefault("_made", {})
        if what not in made:
            made[what] = make(self)
        return made[what]  # type: ignore[no-any-return]

    def emptied(self) -> Graph:
        """A graph with the same key and input and nothing in it."""
        return msgspec.structs.replace(self, tops=(), nodes=(), edges=())

    def to_networkx(self) -> Any:
        """A `networkx.MultiDiGraph` with everything as attributes of graph, nodes, edges."""
        return to_networkx(self)


def is_false(value: Value) -> bool:
    """Whether a value says no: JSON's false, or the word in any case.

    >>> is_false(False), is_false("False"), is_false("no"), is_false(0)
    (True, True, False, False)
    """
    return value is False or (isinstance(value, str) and value.lower() == "false")


FLAVORS: dict[str, int] = {
    **dict.fromkeys(("dm", "psd", "pas", "ccd", "ud", "eud", "conllu"), 0),
    **dict.fromkeys(("eds", "ptg", "ucca", "norec"), 1),
    **dict.fromkeys(("amr", "drg"), 2),
    "anchoring": -1,
}
"""The flavor of each framework: 0 bilexical, 1 anchored, 2 unanchored."""


_PARTS = ("nodes", "edges", "tokens")


def to_networkx(graph: Graph) -> Any:
    """A MultiDiGraph: nodes by id, edges by edge id, all fields as attributes."""
    try:
        import networkx
    except ImportError:
        raise MissingExtra.package("networkx", "networkx", "the conversion to networkx") from None
    result = networkx.MultiDiGraph(
        **{name: getattr(graph, name) for name in graph.__struct_fields__ if name not in _PARTS}
    )
    for node in graph.nodes:
        fields = msgspec.structs.asdict(node)
        result.add_node(fields.pop("id"), **fields)
    for number, edge in enumerate(graph.edges):
        fields = msgspec.structs.asdict(edge)
        key = fields.pop("id")
        result.add_edge(
            fields.pop("source"), fields.pop("target"), number if key is None else key, **fields
        )
    return result


def from_networkx(network: Any) -> Graph:
    """The graph that `to_networkx` made this from; unknown attributes are left out.

    Any directed graph will do. Nodes that are not called by whole numbers are numbered; edges
    between the same two nodes are in the order of their keys.
    """
    if not network.is_directed():
        raise OptionError(
            "a graph of networkx must be directed: this one does not say where edges lead",
            code="K317",
            advice="make a networkx.DiGraph or MultiDiGraph",
        )
    numbered = all(type(name) is int for name in network.nodes)
    names = {name: name if numbered else i for i, name in enumerate(network.nodes)}
    nodes = tuple(
        _made(Node, data, f"node {name!r}", id=names[name])
        for name, data in network.nodes(data=True)
    )
    edges = tuple(
        _made(
            Edge,
            data,
            f"edge ({source!r}, {target!r})",
            source=names[source],
            target=names[target],
        )
        for source, target, data in network.edges(data=True)
    )
    if network.is_multigraph():
        keys = [key if type(key) is int else None for *_, key in network.edges(keys=True)]
        edges = tuple(
            msgspec.structs.replace(edge, id=key) for edge, key in zip(edges, keys, strict=True)
        )
        edges = tuple(sorted(edges, key=lambda edge: -1 if edge.id is None else edge.id))
    tops = network.graph.get("tops", ())
    is_list = isinstance(tops, Iterable)
    if not is_list or any(not isinstance(top, Hashable) or top not in names for top in tops):
        raise OptionError(f"the tops {tops!r:.40} are not nodes of the graph", code="K317")
    return _made(
        Graph, network.graph, "graph",
        id=str(network.graph.get("id", "0")), nodes=nodes, edges=edges, tokens=(),
        tops=tuple(names[top] for top in tops),
    )  # fmt: skip


_Struct = TypeVar("_Struct", bound=msgspec.Struct)


def _made(cls: type[_Struct], data: dict[str, Any], where: str, **told: Any) -> _Struct:
    """A part of a graph, with the attributes of networkx that it has as well."""
    names = [name for name in cls.__struct_fields__ if name in data and name != "id"]
    found = {name: data[name] for name in names} | told
    wanted = {field.name: field for field in msgspec.structs.fields(cls)}
    for name, value in found.items():
        try:
            found[name] = msgspec.convert(value, wanted[name].type)
        except msgspec.ValidationError as error:
            raise OptionError(
                f"{where}: the attribute {name} is {value!r:.40}: {str(error).lower()}", code="K317"
            ) from None
    return cls(**found)
