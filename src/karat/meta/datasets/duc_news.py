"""What the archives of DUC 2001 to 2004 hold: documents by topic, summaries, tables of SEE."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from karat.errors import Place
from karat.meta.datasets.archives import every_file
from karat.meta.datasets.nist import Task
from karat.meta.datasets.reading import bad, elements, numbers, paragraphs, plain, worded

Written = dict[str, list[dict[str, Any]]]
"""Summaries by what they are of: who wrote them, and the text."""


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


@dataclass(slots=True)
class Collected:
    """What the archives of DUC 2001 to 2004 hold, by part or task."""

    documents: dict[str, Documents] = field(default_factory=lambda: defaultdict(Documents))
    written: dict[str, Written] = field(default_factory=lambda: defaultdict(dict))
    given: dict[str, dict[str, Any]] = field(default_factory=lambda: defaultdict(dict))
    tasks: dict[str, Task] = field(default_factory=lambda: defaultdict(Task))
    tables: set[str] = field(default_factory=set)


Take = Callable[[Collected, PurePosixPath, bytes, Place], None]


def collect(paths: Sequence[str], take: Take) -> Collected:
    """Hands every file to `take`, with a path that tells the archive it lies in."""
    found = Collected()
    for path in paths:
        archive = PurePosixPath(path.replace("\\", "/")).name
        for name, data in every_file(path):
            take(found, archive / PurePosixPath(name), data, Place(f"{path}:{name}"))
    return found


def take_person(
    found: Collected,
    part: str,
    name: str,
    annotator: tuple[str, str],
    content: str,
    names: Callable[[str], str],
) -> None:
    """The summaries of documents (``perdocs``) or of a topic that a person wrote."""
    topic, person = annotator
    for summary in elements(content, "sum"):
        of = names(summary.attributes.get("docref", "")) if name == "perdocs" else topic
        wrote(found.written[f"{part}{name}"], of, person, paragraphs(summary.inner))


def newswire(name: str, data: bytes, parts: Iterable[str], place: Place) -> dict[str, Any]:
    """A document: the paragraphs of these elements, one after the other."""
    content = data.decode("utf-8", "replace")
    if name.startswith("SJMN"):
        content = _SEMICOLON.sub("\n\n", content)
    text = [row for part in elements(content, *parts) for row in paragraphs(part.inner)]
    if not text:
        raise bad("there is no text in this document", place)
    return {"filename": name, "text": text}


def units(content: str) -> list[str]:
    """The text of a peer in the mark-up of SEE: links with an id."""
    found = (plain(unit.inner) for unit in elements(content, "a") if "id" in unit.attributes)
    return [unit for unit in found if unit]


def rows(
    data: bytes, width: int, place: Place, *, topics: bool = True
) -> Iterator[tuple[list[str], Place]]:
    """The rows of a table; `topics`: those that begin with a topic, and not what is above them."""
    for words, line, where in worded(data, place):
        if topics and not _TOPIC.fullmatch(words[0]):
            continue
        if len(words) != width:
            raise bad(f"a row has {len(words)} columns, expected {width}: {line[:60]!r}", where)
        yield words, where


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


def sentence_label(documents: Documents, topic: str, name: str, number: str) -> dict[str, Any]:
    """Where a sentence of a topic is; nothing where it is in no document."""
    order = sorted(documents.topics.get(topic, ()))
    size = len(documents.texts[name]["text"]) if name in order else 0
    if number.isdecimal() and 1 <= int(number) <= size:
        return {"doc_index": order.index(name), "sent_index": int(number) - 1}
    return {}
