"""``karat convert`` for graphs: what may be changed between reading and writing."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from karat.core.commands import Conversion, Job
from karat.core.files.writing import whole_file
from karat.errors import OptionError
from karat.graphs.formats.mrp import Mrp, encode
from karat.graphs.frameworks import fitting
from karat.graphs.model import Graph
from karat.graphs.normalize import ALL, Compat, Step, normalize
from karat.graphs.transform import gathered, injected, parse_injection

StepOrAll = Literal["anchors", "case", "edges", "attributes", "all"]


def steps_of(chosen: Iterable[StepOrAll]) -> tuple[Step, ...]:
    """The steps of normalisation that a list of words means."""
    named = set(chosen)
    return ALL if "all" in named else tuple(step for step in ALL if step in named)


class ConvertGraphs(Conversion):
    """Normalise, gather targets, set the source, inject, in this order; then write."""

    normalize: Annotated[
        tuple[StepOrAll, ...], "normalise: anchors, case, edges, attributes or all"
    ] = ()
    compat: Annotated[Compat | None, "read and normalise as mtool did"] = None
    source: Annotated[str, "set the source of every graph"] = ""
    inject: Annotated[str, "a JSON object of fields to set in every graph"] = ""
    targets: Annotated[
        str, "set the targets (names with commas), or gather: all frameworks seen with an id"
    ] = ""
    overlay: Annotated[str, "where to write the graphs made from ``alignment``"] = ""
    unchecked: Annotated[
        bool, "write graphs of another framework even where they break the rules of the format's"
    ] = False

    def __post_init__(self) -> None:
        self.steps = steps_of(self.normalize)
        self.injection, self.ignored = parse_injection(self.inject) if self.inject else ({}, [])

    def convert(self, job: Job) -> Iterator[Graph]:
        self._check_overlay(job)
        for remark in self.ignored:
            job.report.warn(remark)
        graphs: Iterable[Graph] = job.values()
        if self.steps:
            graphs = (normalize(graph, self.steps, self.compat) for graph in graphs)
        if self.targets == "gather":
            graphs = gathered(graphs)
        if job.writer is not None and not self.unchecked:
            graphs = fitting(graphs, job.writer.name, job.report)
        today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        for graph in graphs:
            changes = dict(self.injection)
            if self.source:
                changes.setdefault("source", self.source)
            if self.targets and self.targets != "gather":
                changes.setdefault("targets", tuple(self.targets.split(",")))
            if graph.time is None and isinstance(job.writer, Mrp):
                changes.setdefault("time", today)
            yield injected(graph, changes) if changes else graph

    def _check_overlay(self, job: Job) -> None:
        aligned = any(getattr(stream.format, "alignments", None) for stream in job.inputs)
        if aligned != bool(self.overlay):
            raise OptionError("``alignment`` and ``overlay`` go together", code="K341")

    def finish(self, job: Job) -> None:
        if not self.overlay:
            return
        with whole_file(self.overlay) as stream:
            for each in job.inputs:
                for graph in getattr(each.format, "overlays", ()):
                    stream.write(encode(graph) + b"\n")
