"""``karat draw`` for graphs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from karat.core.verbs import Drawer, Drawing, Job
from karat.graphs.differences import Records
from karat.graphs.draw import Style, drawing_of, laid_over, side_by_side, with_errors
from karat.graphs.model import Graph


class DrawGraphs(Drawer):
    """Arcs over words for bilexical graphs, boxes in layers for others."""

    def __init__(
        self,
        *,
        ids: Annotated[bool, "show the ids of nodes"] = False,
        strings: Annotated[bool, "show the text that nodes are anchored to"] = False,
        properties: Annotated[bool, "show the properties of nodes"] = True,
        errors: Annotated[
            str, "what evaluate --errors wrote: show it in the gold graphs, which are the input"
        ] = "",
        apart: Annotated[
            bool, "with gold: draw gold and system one above the other, not as one"
        ] = False,
    ) -> None:
        self.style = Style(ids, strings, properties)
        self.records = Records(errors) if errors else None
        self.apart = apart

    def draw(self, job: Job) -> Iterator[Drawing]:
        golds: dict[object, Graph] = {graph.key: graph for graph in job.gold_values()}
        by_id: dict[tuple[str, str | None], Graph] = {key[:2]: g for key, g in golds.items()}  # type: ignore[index]
        for graph in job.values():
            gold = golds.get(graph.key) or by_id.get(graph.key[:2])
            record = self.records.of(graph) if self.records else None
            if record is not None:
                svg = with_errors(graph, record, self.style)
            elif gold is None:
                svg = drawing_of(graph, self.style)
            elif not self.apart:
                svg = laid_over(gold, graph, self.style)
            else:
                svg = side_by_side(gold, graph, self.style)
            yield Drawing(graph.id, " ".join(filter(None, (graph.framework, graph.language))), svg)
