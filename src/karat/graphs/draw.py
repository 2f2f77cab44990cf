"""``karat draw`` for graphs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from karat.core.commands import Job
from karat.drawing.page import Drawer, Drawing
from karat.graphs.formats.dot import Dot
from karat.graphs.metrics.mrp import Mrp
from karat.graphs.model import Graph
from karat.graphs.pictures.content import Style
from karat.graphs.pictures.layout import (
    LEGEND,
    drawing_of,
    heading_of,
    laid_over,
    overlaid,
    side_by_side,
)
from karat.graphs.pictures.marked import Record, Records, as_compared, overlay_of


class DrawGraphs(Drawer):
    """Arcs over words for bilexical graphs, boxes in layers for others."""

    ids: Annotated[bool, "show the ids of nodes"] = False
    strings: Annotated[bool, "show the text that nodes are anchored to"] = False
    properties: Annotated[bool, "show the properties of nodes"] = True
    errors: Annotated[
        str, "what evaluate wrote as ``errors``: show it in the gold graphs, which are the input"
    ] = ""
    apart: Annotated[bool, "with gold: draw gold and system one above the other, not as one"] = (
        False
    )

    def __post_init__(self) -> None:
        self.style = Style(self.ids, self.strings, self.properties)
        self.records = Records(self.errors) if self.errors else None

    def draw(self, job: Job) -> Iterator[Drawing]:
        for graph, gold, record in self._graphs(job):
            if record is not None:
                found = overlay_of(as_compared(graph, record), record)
                svg = overlaid(found, heading_of(graph, LEGEND), self.style)
            elif gold is None:
                svg = drawing_of(graph, self.style)
            elif not self.apart:
                metric = Mrp()
                found = metric.respelt(graph, gold, metric.explain(graph, gold))
                svg = laid_over(graph, gold, found, self.style)
            else:
                svg = side_by_side(gold, graph, self.style)
            yield Drawing(graph.id, " ".join(filter(None, (graph.framework, graph.language))), svg)

    def dot(self, job: Job) -> Iterator[str]:
        writer = Dot(ids=self.style.ids, strings=self.style.strings)
        for graph, gold, record in self._graphs(job):
            if record is not None:
                yield writer.text(graph, record, broken=True)
            elif gold is None:
                yield writer.text(graph)
            elif not self.apart:
                yield writer.text(gold, Mrp().explain(graph, gold), broken=True)
            else:
                yield from (writer.text(gold), writer.text(graph))

    def _graphs(self, job: Job) -> Iterator[tuple[Graph, Graph | None, Record | None]]:
        """Each graph, with its gold graph and the record of its errors, where there are such."""
        golds: dict[object, Graph] = {graph.key: graph for graph in job.gold_values()}
        by_id: dict[tuple[str, str | None], Graph] = {key[:2]: g for key, g in golds.items()}  # type: ignore[index]
        alone: list[str] = []
        for graph in job.values():
            gold = golds.get(graph.key) or by_id.get(graph.key[:2])
            if gold is None:
                alone.append(graph.id)
            yield graph, gold, self.records.of(graph) if self.records else None
        self.warn_alone(job, "graph", alone)
