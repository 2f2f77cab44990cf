"""Commands on graphs: convert, analyze and validate; convert for triples."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from karat.core.commands import Answer, Conversion, Inquiry, Job
from karat.core.files.writing import whole_file
from karat.core.reading.items import Item
from karat.core.reading.streams import Stream
from karat.errors import FormatError, OptionError, Place, counted, quote_some
from karat.graphs.checks import CHECKS, Check, Finding, check_record, fitting
from karat.graphs.formats.base import injected, parse_injection
from karat.graphs.formats.mrp import Mrp, as_record, encode
from karat.graphs.model import Graph
from karat.graphs.normalize import ALL, Compat, Step, normalize

if TYPE_CHECKING:
    from karat.graphs.amr.statements import Statements
    from karat.graphs.shape import Corpus, Shape

# -- convert ---------------------------------------------------------------------------------------


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


class ConvertTriples(Conversion):
    """Triples as they are read, or standardised as smatch++ does."""

    standardize: Annotated[
        Literal["none", "generic", "amr", "dereify", "reify"],
        "turn inverted edges, without case and quotes (generic); then all that is special "
        "to AMR, or only edges for nodes that stand for a role, or nodes for such edges",
    ] = "none"

    def convert(self, job: Job) -> Iterator[Statements]:
        from karat.graphs.amr.statements import dereified, reified, standardized

        for graph in job.values():
            if self.standardize == "dereify":
                yield dereified(standardized(graph, "generic"))
            elif self.standardize == "reify":
                yield reified(standardized(graph, "generic"))
            else:
                yield standardized(graph, self.standardize)


# -- analyze ---------------------------------------------------------------------------------------


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
        from karat.graphs.shape import Corpus, shape_of

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


# -- validate --------------------------------------------------------------------------------------


CheckOrAll = Literal["input", "anchors", "edges", "amr", "eds", "sdp", "ucca", "all"]
# Native formats that have no place for the sentence: without companion text there is none.
_WITHOUT_INPUT = frozenset(("eds", "dm", "psd", "pas", "ccd"))


class ValidateGraphs(Inquiry):
    """Ids, flavors, frameworks and node ids are always checked, the rest as chosen."""

    name = "validate"

    check: Annotated[
        tuple[CheckOrAll, ...], "what to check: input, anchors, edges, amr, eds, sdp, ucca, all"
    ] = ("all",)

    def __post_init__(self) -> None:
        chosen = set(self.check)
        self.checks: tuple[Check, ...] = (
            CHECKS if "all" in chosen else tuple(each for each in CHECKS if each in chosen)
        )

    def answer(self, job: Job) -> Answer:
        findings: list[Finding] = []
        graphs = 0
        for stream in job.inputs:
            seen: dict[Any, int] = {}
            before = graphs + len(findings)
            for line, record in _records(stream):
                if isinstance(record, Finding):
                    findings.append(record)
                    continue
                graphs += 1
                findings += self._of_one(stream, line, record, seen)
            if graphs + len(findings) == before:
                findings.append(
                    Finding("line", "there are no graphs in it", file=stream.source.name)
                )
        errors = sum(finding.level == "error" for finding in findings)
        warnings = len(findings) - errors
        counts = ((graphs, "graph"), (errors, "error"), (warnings, "warning"))
        summary = ", ".join(counted(number, noun) for number, noun in counts)
        return Answer(
            "\n".join([*map(str, findings), summary]),
            {"graphs": graphs, "errors": errors, "warnings": warnings, "findings": findings},
            failed=errors > 0,
        )

    def _of_one(
        self, stream: Stream, line: int, record: dict[str, Any], seen: dict[Any, int]
    ) -> Iterator[Finding]:
        checks: Iterable[Check] = self.checks
        if stream.format.name in _WITHOUT_INPUT and "input" not in record:
            checks = [each for each in checks if each != "input"]
        name = str(record.get("id", ""))
        key = tuple(repr(record.get(part)) for part in ("id", "framework", "language"))
        found = list(check_record(record, tuple(checks)))
        if key in seen:
            message = f"line {seen[key]} has a graph with the same id, framework and language"
            found.append(Finding("id", message))
        seen.setdefault(key, line)
        for finding in found:
            yield msgspec.structs.replace(finding, graph=name, file=stream.source.name, line=line)


def _records(stream: Stream) -> Iterator[tuple[int, dict[str, Any] | Finding]]:
    """The graphs as MRP records: of MRP files as they are, of others as they would be written."""
    items = iter(stream)
    if isinstance(stream.format, Mrp):
        items = stream.selection.choose(_raw(stream))
    for item in items:
        if item.error is not None:
            place = item.error.place
            name = place.item if place else ""
            line = place.line if place else item.line
            yield (
                line,
                Finding("line", item.error.message, name, file=stream.source.name, line=line),
            )
        elif isinstance(item.value, dict):
            yield item.line, item.value
        else:
            record = msgspec.json.decode(msgspec.json.encode(as_record(item.value)))
            yield item.line, record


def _raw(stream: Stream) -> Iterator[Item]:
    """Each line of an MRP file as it is; one that is no JSON object carries its error."""
    for number, line in stream.source.lines():
        if not line.strip():
            continue
        try:
            record = msgspec.json.decode(line)
            problem = "" if isinstance(record, dict) else "this is not a JSON object"
        except (msgspec.DecodeError, RecursionError) as error:
            problem = f"this is not JSON: {error}"
        if problem:
            place = Place(stream.source.name, number)
            yield Item(None, None, number, error=FormatError(problem, code="K120", place=place))
            continue
        key = tuple(
            str(record[part]) if record.get(part) is not None else None
            for part in ("id", "framework", "language")
        )
        fields = {"framework": key[1]} if key[1] is not None else {}
        yield Item(record, key, number, fields)
