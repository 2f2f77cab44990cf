"""What the archives of DUC 2001 to 2004 have in common."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from karat.errors import FormatError, Place
from karat.meta.datasets.nist import lines, numbers
from karat.meta.datasets.sgml import elements, paragraphs

_UNITS = (
    "unmarked_units_related_to_subject",
    "num_peer_units",
    "num_marked_peer_units",
    "num_unmarked_peer_units",
    "num_model_units",
)
_TOPIC = re.compile(r"D\d+", re.IGNORECASE)
# Paragraphs of the San Jose Mercury News end with one.
_SEMICOLON = re.compile(r"(?<=[.?!\"]);\s+")

Written = dict[str, list[dict[str, Any]]]
"""Summaries by what they are of: who wrote them, and the text."""


@dataclass(slots=True)
class Documents:
    """Documents by their names, and which belong to a topic."""

    texts: dict[str, dict[str, Any]] = field(default_factory=dict)
    topics: dict[str, set[str]] = field(default_factory=dict)

    def add(self, topic: str, name: str, document: dict[str, Any]) -> None:
        self.texts[name] = document
        self.topics.setdefault(topic.lower(), set()).add(name)

    def of(self, topic: str) -> list[dict[str, Any]]:
        return [self.texts[name] for name in sorted(self.topics[topic])]

    def singles(self, written: Mapping[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
        """A record for each document."""
        return [
            {"instance_id": name, "documents": [text], "summaries": written.get(name, [])}
            for name, text in sorted(self.texts.items())
        ]

    def clusters(self, written: Mapping[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
        """A record for each topic."""
        return [
            {"instance_id": topic, "documents": self.of(topic), "summaries": written.get(topic, [])}
            for topic in sorted(self.topics)
        ]


def wrote(written: Written, of: str, annotator: str, text: Any, key: str = "text") -> None:
    """Adds a summary, if it is not there already."""
    found = {"annotator": annotator, key: text}
    if found not in written.setdefault(of, []):
        written[of].append(found)


def newswire(name: str, data: bytes, parts: Iterable[str], place: Place) -> dict[str, Any]:
    """A document: the paragraphs of these elements, one after the other."""
    content = data.decode("utf-8", "replace")
    if name.startswith("SJMN"):
        content = _SEMICOLON.sub("\n\n", content)
    text = [row for part in elements(content, *parts) for row in paragraphs(part.inner)]
    if not text:
        raise FormatError("there is no text in this document", code="K163", place=place)
    return {"filename": name, "text": text}


def rows(data: bytes, width: int, file: str) -> list[tuple[list[str], Place]]:
    """The rows of a table, which begin with a topic; what stands above them is not read."""
    found = []
    for number, line in enumerate(lines(data), 1):
        words = line.split()
        if not _TOPIC.fullmatch(words[0]):
            continue
        place = Place(file, number)
        if len(words) != width:
            raise FormatError(
                f"a row has {len(words)} columns, expected {width}: {line[:60]!r}",
                code="K163",
                place=place,
            )
        found.append((words, place))
    return found


def see(words: Sequence[str], questions: int, place: Place) -> dict[str, Any]:
    """Judgements made with SEE: answers on quality, then units, then coverage."""
    answers = {
        f"Q{i}": numbers([word], place)[0]
        for i, word in enumerate(words[:questions], 1)
        if word != "-"
    }
    values: dict[str, Any] = {"peer_quality": answers} if answers else {}
    rest = numbers(words[questions:], place)
    values |= dict(zip(_UNITS, rest, strict=False))
    for i, name in enumerate(("coverage", "length_adjusted_coverage")):
        part = rest[len(_UNITS) + 3 * i : len(_UNITS) + 3 * i + 3]
        if part:
            values[name] = dict(zip(("mean", "median", "std"), part, strict=True))
    return values


def path_of(given: str, name: str) -> PurePosixPath:
    """The path of a file that tells the archive it lies in."""
    return PurePosixPath(given.replace("\\", "/")).name / PurePosixPath(name)
