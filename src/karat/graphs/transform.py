"""What to change about all graphs of a file, and which ids and frameworks it holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from karat.errors import OptionError, did_you_mean
from karat.graphs.model import Graph

_INJECTABLE: dict[str, tuple[Any, str]] = {
    "id": (str, "a string"),
    "time": (str | None, "a string"),
    "source": (str | None, "a string"),
    "provenance": (str | None, "a string"),
    "language": (str | None, "a string"),
    "flavor": (int | None, "a number"),
    "framework": (str | None, "a string"),
    "targets": (tuple[str, ...], "a list of strings"),
    "input": (str | None, "a string"),
}


def injected(graph: Graph, values: dict[str, Any]) -> Graph:
    """The graph with some of its fields overwritten."""
    return msgspec.structs.replace(graph, **values)


def parse_injection(text: str) -> tuple[dict[str, Any], list[str]]:
    """The fields to overwrite, from a JSON object; and what to say of others.

    >>> parse_injection('{"framework": "eds", "targets": ["eds"], "colour": "red"}')
    ({'framework': 'eds', 'targets': ('eds',)}, ["'colour' cannot be injected and is ignored"])
    """
    try:
        record = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise OptionError(
            f"what to inject is not JSON: {error}",
            code="K340",
            advice="""write it as in ``inject='{"framework": "eds"}'``""",
        ) from None
    if not isinstance(record, dict):
        raise OptionError("what to inject must be a JSON object", code="K340")
    result, ignored = {}, []
    for name, value in record.items():
        if name not in _INJECTABLE:
            meant = did_you_mean(name, _INJECTABLE)
            ignored.append(f"{name!r} cannot be injected and is ignored{meant}")
            continue
        kind, expected = _INJECTABLE[name]
        try:
            result[name] = msgspec.convert(value, kind)
        except msgspec.ValidationError:
            raise OptionError(f"{name!r} must be {expected}, got {value!r}", code="K340") from None
    return result, ignored


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
