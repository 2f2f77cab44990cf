"""``karat validate`` for graphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal

import msgspec

from karat.core.commands import Answer, Inquiry, Job
from karat.core.reading.items import Item
from karat.core.reading.streams import Stream
from karat.errors import counted
from karat.graphs.analysis.checks import CHECKS, Check, Finding, check_record
from karat.graphs.formats.mrp import Mrp, as_record

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
    from karat.errors import FormatError, Place

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
