"""``karat convert`` for graphs and triples: changes between reading and writing."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, Literal

import msgspec

from karat.core.commands import Conversion, Job
from karat.core.files.writing import whole_file
from karat.core.pairing.pairs import Report
from karat.errors import FormatError, OptionError, Place
from karat.graphs.amr.statements import Statements, dereified, reified, standardized
from karat.graphs.analysis.checks import Check, check_record
from karat.graphs.formats.base import injected, parse_injection
from karat.graphs.formats.mrp import Mrp, as_record, encode
from karat.graphs.model import Graph
from karat.graphs.normalize import ALL, Compat, Step, normalize

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


_SDP: tuple[Check, ...] = ("sdp",)
_FORMATS: dict[str, tuple[str, int, tuple[Check, ...]]] = {
    "amr": ("amr", 2, ("amr",)),
    "camr": ("amr", 2, ("amr",)),
    "eds": ("eds", 1, ("eds", "anchors")),
    "ucca": ("ucca", 1, ("ucca",)),
    "dm": ("dm", 0, _SDP),
    "psd": ("psd", 0, _SDP),
    "pas": ("pas", 0, _SDP),
    "ccd": ("ccd", 0, _SDP),
    "pmb": ("drg", 2, ()),
    "treex": ("ptg", 1, ()),
    "ud": ("ud", 0, ()),
    "eud": ("eud", 0, ()),
    "norec": ("norec", 1, ()),
}
"""The framework that a format stands for, its flavor, and the checks of its rules."""


def fitting(graphs: Iterable[Graph], format: str, report: Report) -> Iterator[Graph]:
    """The graphs that a format can hold as graphs of its own framework.

    What is wrong with a graph of that framework to begin with stays as it is.
    """
    if format not in _FORMATS:
        yield from graphs
        return
    framework, flavor, checks = _FORMATS[format]
    seen: dict[str, tuple[str | None, str | None]] = {}
    for graph in graphs:
        problem = _clash(graph, seen)
        if not problem and graph.framework != framework:
            problem = _broken_rule(graph, framework, flavor, checks)
        if not problem:
            yield graph
            continue
        report.broken(
            FormatError(
                f"this graph cannot be written as {format}: {problem}",
                code="K126",
                place=Place(item=graph.id),
                advice="``on_error='skip'`` leaves such graphs out, ``framework`` chooses those to "
                "convert, ``unchecked=True`` writes them all the same",
            )
        )


def _clash(graph: Graph, seen: dict[str, tuple[str | None, str | None]]) -> str:
    """Graphs with one id are no longer told apart where framework and language are not written."""
    own = graph.framework, graph.language
    other = seen.setdefault(graph.id, own)
    if other == own:
        return ""
    shown = " and ".join(filter(None, other)) or "none"
    return f"another graph with the same id comes before it (framework and language: {shown})"


def _broken_rule(graph: Graph, framework: str, flavor: int, checks: tuple[Check, ...]) -> str:
    record: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(as_record(graph)))
    record |= {"framework": framework, "flavor": flavor}
    found = [
        finding
        for finding in check_record(record, checks)
        if finding.check in checks and finding.level == "error"
    ]
    if not found:
        return ""
    first = found[0]
    where = "" if first.node is None else f"node {first.node}: "
    if first.edge is not None:
        source, target, label = first.edge
        where = f"edge {source} -> {target} ({label}): "
    return where + first.message


def gathered(graphs: Iterable[Graph]) -> list[Graph]:
    """The first graph of each id; its targets are all frameworks seen with that id."""
    first: dict[str, Graph] = {}
    targets: dict[str, dict[str, None]] = {}
    for graph in graphs:
        first.setdefault(graph.id, graph)
        if graph.framework is not None:
            targets.setdefault(graph.id, {})[graph.framework] = None
    return [
        msgspec.structs.replace(graph, targets=tuple(targets.get(name, ())))
        for name, graph in first.items()
    ]


_STEPS: dict[str, Callable[[Statements], Statements]] = {
    "none": lambda graph: graph,
    "generic": lambda graph: standardized(graph, "generic"),
    "amr": lambda graph: standardized(graph, "amr"),
    "dereify": lambda graph: dereified(standardized(graph, "generic")),
    "reify": lambda graph: reified(standardized(graph, "generic")),
}


class ConvertTriples(Conversion):
    """Triples as they are read, or standardised as smatch++ does."""

    standardize: Annotated[
        Literal["none", "generic", "amr", "dereify", "reify"],
        "turn inverted edges, without case and quotes (generic); then all that is special "
        "to AMR, or only edges for nodes that stand for a role, or nodes for such edges",
    ] = "none"

    def convert(self, job: Job) -> Iterator[Statements]:
        return map(_STEPS[self.standardize], job.values())
