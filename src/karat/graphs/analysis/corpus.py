"""The shapes of many graphs summed up: the 22 statistics of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karat.graphs.analysis.shape import Shape

Row = tuple[str, str, str]


class Corpus:
    """What many graphs are like as a whole."""

    def __init__(self, shapes: Sequence[Shape]) -> None:
        self.shapes = shapes
        self.graphs = len(shapes)
        self.inner = sum(shape.nodes - shape.singletons for shape in shapes)
        self.bilexical = bool(shapes) and all(shape.flavor == 0 for shape in shapes)

    def _sum(self, name: str) -> int:
        return sum(getattr(shape, name) for shape in self.shapes)

    def _share(self, name: str) -> float:
        """The percentage of graphs of which something is true."""
        return 100 * self._sum(name) / self.graphs if self.graphs else 0.0

    def _of_nodes(self, number: int) -> float:
        return 100 * number / self.inner if self.inner else 0.0

    def statistics(self) -> dict[str, Any]:
        """All figures by name; those of bilexical graphs are None for others."""
        widths = [shape.treewidth for shape in self.shapes]
        edges = self._sum("edges")
        result: dict[str, Any] = {
            "graphs": self.graphs,
            "nodes": self._sum("nodes"),
            "tops": self._sum("tops"),
            "node_labels": self._sum("labels"),
            "node_properties": self._sum("properties"),
            "node_anchors": self._sum("anchors"),
            "edges": edges,
            "edge_attributes": self._sum("attributes"),
            "edge_labels": len(frozenset().union(*(shape.edge_labels for shape in self.shapes))),
            "trees_percent": self._share("tree"),
            "treewidth_one_percent": 100 * widths.count(1) / self.graphs if widths else 0.0,
            "treewidth_mean": sum(widths) / self.graphs if widths else 0.0,
            "treewidth_max": max(widths, default=0),
            "treewidth_unproven": sum(not shape.treewidth_proven for shape in self.shapes),
            "density_mean": sum(s.density for s in self.shapes) / self.graphs if widths else 0.0,
            "reentrant_nodes_percent": self._of_nodes(self._sum("reentrant")),
            "cyclic_percent": self._share("cyclic"),
            "disconnected_percent": 100 - self._share("connected") if widths else 0.0,
            "multi_rooted_percent": (
                100 * sum(shape.roots > 1 for shape in self.shapes) / self.graphs if widths else 0.0
            ),
            "non_top_roots_percent": self._of_nodes(self._sum("non_top_roots")),
            "edge_length_mean": None,
            "noncrossing_percent": None,
            "two_pages_percent": None,
        }
        if self.bilexical:
            result["edge_length_mean"] = self._sum("edge_length") / edges if edges else 0.0
            result["noncrossing_percent"] = self._share("noncrossing")
            result["two_pages_percent"] = self._share("two_pages")
        return result

    def rows(self) -> list[Row]:
        """The figures as numbered lines for people, in the order that papers use."""
        found = self.statistics()
        total = sum(found[name] for name in _COUNTED)
        rows = [
            ("01", "number of graphs", str(found["graphs"])),
            ("02", "number of nodes", str(found["nodes"])),
        ]
        for number, name in enumerate(_COUNTED, 3):
            if total:
                shown = name.replace("_", " ")
                share = f"{found[name]} ({100 * found[name] / total:.2f})"
                rows.append((f"{number:02d}", f"number of {shown} (percentage)", share))
        rows.append(("09", "number of edge labels", str(found["edge_labels"])))
        for number, (shown, name, digits) in enumerate(_RATIOS, 10):
            value = found[name]
            text = "--" if value is None else f"{value:.{digits}f}"
            rows.append((f"{number:02d}", shown, text))
        return rows


_COUNTED = (
    "tops",
    "node_labels",
    "node_properties",
    "node_anchors",
    "edges",
    "edge_attributes",
)
_RATIOS = (
    ("% graphs trees", "trees_percent", 2),
    ("% graphs treewidth one", "treewidth_one_percent", 2),
    ("average treewidth", "treewidth_mean", 3),
    ("maximal treewidth", "treewidth_max", 0),
    ("average edge density", "density_mean", 3),
    ("% nodes reentrant", "reentrant_nodes_percent", 2),
    ("% graphs cyclic", "cyclic_percent", 2),
    ("% graphs not connected", "disconnected_percent", 2),
    ("% graphs multi-rooted", "multi_rooted_percent", 2),
    ("percentage of non-top roots", "non_top_roots_percent", 2),
    ("average edge length", "edge_length_mean", 3),
    ("% graphs noncrossing", "noncrossing_percent", 2),
    ("% graphs pagenumber two", "two_pages_percent", 2),
)
