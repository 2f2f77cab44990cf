"""What files hold, as the pages take it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from karat.core.files.opener import Source
from karat.core.items import Item
from karat.errors import FormatError, Place
from karat.meta.records import flat_by_top, read_records
from karat.meta.table import ScoreTable
from karat.text.model import Text
from karat.text.records.layout import Layout
from karat.text.records.schemas import UnfitError, item_of, json_object, unfit_error


class Texts:
    """Each different text once: references are the same for all systems."""

    def __init__(self) -> None:
        self._numbers: dict[Text, int] = {}

    def number(self, text: Text) -> int:
        key = text if isinstance(text, str) else tuple(text)
        return self._numbers.setdefault(key, len(self._numbers))

    @property
    def all(self) -> list[Text]:
        return list(self._numbers)


def summaries_in(path: str) -> dict[str, Any]:
    """The texts of a file, and who wrote what and what it is held against."""
    texts = Texts()
    outputs = []
    for item, record in _items(path):
        if item.value.text is None:
            raise _unfit(path, item, "the record has no text")
        names = _reference_names(record)
        references = [
            [names[i] if i < len(names) else str(i + 1), texts.number(text)]
            for i, text in enumerate(item.value.references or ())
        ]
        outputs.append(
            {
                **_whose(item, record),
                "summary": texts.number(item.value.text),
                "references": references,
            }
        )
    return {"texts": texts.all, "summaries": outputs}


def pyramids_in(path: str) -> dict[str, Any]:
    """The pyramids of a file."""
    found = []
    for item, _ in _items(path):
        if item.value.pyramid is None:
            raise _unfit(path, item, "this is no pyramid")
        found.append(msgspec.to_builtins(item.value.pyramid))
    return {"pyramids": found}


def annotations_in(paths: Iterable[str]) -> dict[str, Any]:
    """The annotations of files."""
    found = []
    for path in paths:
        for item, _ in _items(path):
            if item.value.annotation is None:
                raise _unfit(path, item, "this is no annotation of a summary")
            found.append(msgspec.to_builtins(item.value.annotation))
    return {"annotations": found}


def scores_in(paths: Iterable[str]) -> tuple[dict[str, Any], list[str]]:
    """The scores and judgements of files, by flat names, and what is odd about them."""
    table = ScoreTable()
    found = []
    for path in paths:
        for record, place in read_records(path):
            table.add(record, place)
            found.append(
                {
                    "instance": record.instance_id,
                    "system": record.summarizer_id,
                    "type": record.summarizer_type,
                    "scores": flat_by_top(record.metrics, place),
                }
            )
    return {"scores": found}, table.warnings


def _items(path: str) -> Iterator[tuple[Item, dict[str, Any]]]:
    source = Source(path)
    layout = Layout()
    for number, line in source.lines():
        if not line.strip():
            continue
        try:
            record = json_object(line)
            item = item_of(record, source.name, number, layout)
        except UnfitError as unfit:
            raise unfit_error(source.name, number, unfit) from None
        yield item, record


def _whose(item: Item, record: dict[str, Any]) -> dict[str, str]:
    instance, system = item.key or (None, None)
    return {
        "instance": instance or f"line {item.line}",
        "system": system or "",
        "type": "reference" if record.get("summarizer_type") == "reference" else "peer",
    }


def _reference_names(record: dict[str, Any]) -> list[str]:
    """Who wrote each reference, where the record says it; else its number."""
    given = record.get("references")
    if not isinstance(given, list):
        return []
    names = [each.get("summarizer_id") if isinstance(each, dict) else None for each in given]
    return [str(i) if name is None else str(name) for i, name in enumerate(names, 1)]


def _unfit(path: str, item: Item, message: str) -> FormatError:
    name = str(item.key[0]) if item.key and item.key[0] else ""
    return FormatError(message, code="K111", place=Place(Source(path).name, item.line, item=name))
