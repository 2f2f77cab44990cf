"""``karat analyze`` for graphs: statistics per file, per framework, per graph."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from karat.core.commands import Answer, Inquiry, Job
from karat.errors import counted, quote_some
from karat.graphs.analysis.shape import Corpus, Shape, shape_of
from karat.graphs.commands.convert import StepOrAll, steps_of
from karat.graphs.normalize import Compat, normalize


class AnalyzeGraphs(Inquiry):
    """Counts and shapes; nothing is normalised unless asked."""

    normalize: Annotated[
        tuple[StepOrAll, ...], "normalise first: anchors, case, edges, attributes or all"
    ] = ()
    compat: Annotated[Compat | None, "read and normalise as mtool did"] = None
    per_graph: Annotated[bool, "also the figures of each graph"] = False

    def __post_init__(self) -> None:
        self.steps = steps_of(self.normalize)

    def answer(self, job: Job) -> Answer:
        groups: dict[tuple[str, str], list[Shape]] = {}
        for stream, item in job.items():
            if item.error is not None:
                job.report.broken(item.error)
                continue
            graph = normalize(item.value, self.steps, self.compat)
            key = (stream.source.name, graph.framework or "(no framework)")
            groups.setdefault(key, []).append(shape_of(graph))
        several = len({file for file, _ in groups}) > 1
        texts, documents = [], []
        for (file, framework), shapes in groups.items():
            corpus = Corpus(shapes)
            if len(groups) > 1:
                texts.append(f"{file}: {framework}" if several else framework)
            texts += [f"({n})\t{name}\t{value}" for n, name, value in corpus.rows()]
            if self.per_graph:
                texts += ["", *_table(shapes)]
            texts.append("")
            if unproven := [shape.id for shape in shapes if not shape.treewidth_proven]:
                graphs = counted(len(unproven), "graph")
                job.report.warnings.append(
                    f"{file}: the treewidth of {graphs} is an upper bound, as the proof would take "
                    f"too long: {quote_some(unproven)}"
                )
            documents.append(self._document(file, framework, corpus))
        if not groups:
            raise job.nothing("graphs")
        return Answer("\n".join(texts).rstrip("\n"), documents)

    def _document(self, file: str, framework: str, corpus: Corpus) -> dict[str, Any]:
        document: dict[str, Any] = {
            "file": file,
            "framework": framework,
            "statistics": corpus.statistics(),
        }
        if self.per_graph:
            document["per_graph"] = [
                {
                    **msgspec.structs.asdict(shape),
                    "edge_labels": sorted(shape.edge_labels),
                }
                for shape in corpus.shapes
            ]
        return document


_COLUMNS = ("nodes", "edges", "tops", "roots", "reentrant", "treewidth", "density")
_MARKS = (
    ("tree", "tree"),
    ("cyclic", "cyclic"),
    ("noncrossing", "noncrossing"),
    ("two_pages", "two pages"),
)


def _table(shapes: list[Shape]) -> list[str]:
    wide = max([2, *(len(shape.id) for shape in shapes)])
    head = " ".join(f"{name:>9}" for name in _COLUMNS)
    lines = [f"{'id':<{wide}} {head}  is"]
    for shape in shapes:
        cells = [getattr(shape, name) for name in _COLUMNS]
        shown = " ".join(f"{c:>9.3f}" if isinstance(c, float) else f"{c:>9}" for c in cells)
        marks = [word for name, word in _MARKS if getattr(shape, name)]
        if not shape.connected:
            marks.append("not connected")
        lines.append(f"{shape.id:<{wide}} {shown}  {', '.join(marks)}".rstrip())
    return lines
