"""Which graphs of a file to take, and what to change about them all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from karat.core.items import Item
from karat.core.opener import Source
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


class Selection:
    """Framework and filter first, then ids, else a position, else the first few."""

    def __init__(
        self,
        *,
        framework: Sequence[str] = (),
        filter: str = "",
        id: Sequence[str] = (),
        i: int | None = None,
        n: int | None = None,
        unique: bool = False,
    ) -> None:
        self.frameworks = frozenset(framework)
        self.filter = filter
        self.ids = frozenset(id)
        self.position = None if self.ids else i
        self.first = None if self.ids or i is not None else n
        self.unique = unique
        self.warnings: list[str] = []
        if self.ids and i is not None:
            self.warnings.append("i is ignored, since id is given")
        if n is not None and self.first is None:
            self.warnings.append(f"n is ignored, since {'id' if self.ids else 'i'} is given")

    def apply(self, items: Iterable[Item], warnings: list[str]) -> Iterator[Item]:
        """The items to keep; reading stops when no more can come, none chosen is a warning."""
        listed = listed_ids(self.filter) if self.filter else None
        position = -1
        seen: set[Any] = set()
        names: list[str] = []
        nothing = True
        for item in items:
            key = item.key
            names.append(str(key and key[0]))
            if key is not None:
                # A broken graph may be of any framework; another that names none is of none.
                unknown = item.error is not None and key[1] is None
                if self.frameworks and not unknown and key[1] not in self.frameworks:
                    continue
                if listed is not None and key[0] not in listed:
                    continue
            position += 1
            if self.first is not None and position >= self.first:
                return
            if self.position is not None and position != self.position:
                continue
            if self.ids and (key is None or key[0] not in self.ids):
                continue
            if self.unique and key is not None:
                if key in seen:
                    continue
                seen.add(key)
            nothing = False
            yield item
            if self.position is not None:
                return
        if nothing and names:
            warnings.append(f"none of its {len(names)} graphs is chosen{self._unknown(names)}")

    def _unknown(self, names: Sequence[str]) -> str:
        """Of ids that no graph has, the first, and what may be meant."""
        for name in sorted(self.ids.difference(names)):
            return f": there is no id {name!r}{did_you_mean(name, names)}"
        return ""


def listed_ids(path: str) -> frozenset[str]:
    """The ids in a file: the first tab-separated column of each line."""
    return frozenset(
        line.partition("\t")[0].strip() for _, line in Source(path).lines() if line.strip()
    )


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
            advice="""write it as in --inject '{"framework": "eds"}'""",
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
