"""Archives of NIST (DUC and TAC): texts, judgements, scores of ROUGE, pyramids."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from karat.errors import Place, counted
from karat.meta.datasets.archives import File, every_file
from karat.meta.datasets.reading import (
    bad,
    elements,
    numbers,
    paragraphs,
    plain,
    sentences_of,
    worded,
)
from karat.meta.datasets.writing import Outcome, labelled, metrics_record, summary_record

Triple = tuple[float, ...]
"""Recall, precision, F1."""


def kind(summarizer: str) -> str:
    """People are letters, systems are numbers."""
    return "reference" if summarizer.isalpha() else "peer"


def three(values: Triple) -> dict[str, float]:
    return dict(zip(("recall", "precision", "f1"), values, strict=True))


def automatic(file: File, pattern: re.Pattern[str]) -> Iterator[tuple[re.Match[str], str, Triple]]:
    """Lines such as ``1 ROUGE-2 Eval D0801-A.M.100.A.1 R:0.1 P:0.1 F:0.1``, in per cent."""
    for words, _, where in worded(file.data, file.place):
        if len(words) != 7 or words[2] != "Eval":
            continue
        found = pattern.fullmatch(words[3])
        if not found:
            raise bad(f"{words[3]!r} names no summary", where)
        values = numbers([word[2:] for word in words[4:]], where)
        yield found, words[1].lower(), tuple(100 * value for value in values)


def summary_of(instance: str, summarizer: str, texts: Mapping[str, list[str]]) -> dict[str, Any]:
    """A line of a summaries file; `texts` are all of the instance, by who wrote them."""
    own = kind(summarizer)
    others = [each for each in sorted(texts) if kind(each) == "reference" and each != summarizer]
    references = [labelled(other, texts[other]) for other in others]
    text = labelled(summarizer, texts[summarizer], own)
    return summary_record(instance, summarizer, text, references, own)


@dataclass(slots=True)
class Task:
    """The summaries of a task and their scores, by instance and summarizer."""

    texts: dict[str, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(dict))
    scores: dict[str, dict[str, dict[str, Any]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )

    def fill(
        self,
        outcome: Outcome,
        name: str,
        *,
        judged: bool = True,
        split: bool = False,
        keep_empty: bool = False,
        order: Callable[[tuple[str, str]], Any] | None = None,
    ) -> None:
        """Adds the files of summaries and, where a task was judged, of metrics.

        `split` divides the lines of summaries into sentences, `order` is the one of instances and
        summarizers, if it is another than theirs.
        """
        texts = {
            instance: {
                who: sentences_of(text) if split else text
                for who, text in found.items()
                if text or keep_empty
            }
            for instance, found in self.texts.items()
        }
        written = sorted(((i, who) for i, found in texts.items() for who in found), key=order)
        empty = sum(map(len, self.texts.values())) - len(written)
        summaries = [summary_of(instance, who, texts[instance]) for instance, who in written]
        metrics = [
            metrics_record(instance, who, self.scores[instance][who], kind(who))
            for instance, who in written
            if who in self.scores.get(instance, ())
        ]
        unjudged = len(written) - len(metrics)
        textless = sum(
            who not in texts.get(instance, ())
            for instance, found in self.scores.items()
            for who in found
        )
        outcome.files[f"{name}.summaries.jsonl"] = summaries
        if judged:
            outcome.files[f"{name}.metrics.jsonl"] = metrics
        for count, what in (
            (empty, ("empty summary", "empty summaries", "left out")),
            (unjudged if judged else 0, ("summary", "summaries", "without judgement and score")),
            (textless, ("judged summary", "judged summaries", "without text left out")),
        ):
            outcome.warn_if(count, f"{name}: {counted(count, *what[:2])} {what[2]}")


# -- DUC 2001 to 2004: documents by topic, summaries of people, tables of SEE ----------------------

SummariesByItem = dict[str, list[dict[str, Any]]]
"""Summaries by what they are of: who wrote them, and the text."""

_UNITS = (
    "unmarked_units_related_to_subject",
    "num_peer_units",
    "num_marked_peer_units",
    "num_unmarked_peer_units",
    "num_model_units",
)


_NUMBERED_TOPIC = re.compile(r"D\d+", re.IGNORECASE)


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


def wrote(written: SummariesByItem, of: str, annotator: str, text: Any, key: str = "text") -> None:
    """Adds a summary, if it is not there already."""
    found = {"annotator": annotator, key: text}
    if found not in written.setdefault(of, []):
        written[of].append(found)


@dataclass(slots=True)
class ArchiveContent:
    """The content of the archives of DUC 2001 to 2004, by part or task."""

    documents: dict[str, Documents] = field(default_factory=lambda: defaultdict(Documents))
    written: dict[str, SummariesByItem] = field(default_factory=lambda: defaultdict(dict))
    given: dict[str, dict[str, Any]] = field(default_factory=lambda: defaultdict(dict))
    tasks: dict[str, Task] = field(default_factory=lambda: defaultdict(Task))
    tables: set[str] = field(default_factory=set)


Take = Callable[[ArchiveContent, File], None]


def collect(paths: Sequence[str], take: Take) -> ArchiveContent:
    """Hands every file to `take`, with a path that tells the archive it lies in."""
    found = ArchiveContent()
    for path in paths:
        archive = PurePosixPath(path.replace("\\", "/")).name
        for name, data in every_file(path):
            take(found, File(archive / PurePosixPath(name), data, Place(f"{path}:{name}")))
    return found


def take_person(
    found: ArchiveContent,
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


def newswire(file: File, name: str, parts: Iterable[str] = ("text",)) -> dict[str, Any]:
    """A document: the paragraphs of these elements, one after the other."""
    content = file.text
    if name.startswith("SJMN"):
        content = _SEMICOLON.sub("\n\n", content)
    text = [row for part in elements(content, *parts) for row in paragraphs(part.inner)]
    if not text:
        raise bad("there is no text in this document", file.place)
    return {"filename": name, "text": text}


def units(content: str) -> list[str]:
    """The text of a peer in the mark-up of SEE: links with an id."""
    found = (plain(unit.inner) for unit in elements(content, "a") if "id" in unit.attributes)
    return [unit for unit in found if unit]


def rows(file: File, width: int, *, topics: bool = True) -> Iterator[tuple[list[str], Place]]:
    """The rows of a table; `topics`: those that begin with a topic, and not what is above them."""
    for words, line, where in worded(file.data, file.place):
        if topics and not _NUMBERED_TOPIC.fullmatch(words[0]):
            continue
        if len(words) != width:
            raise bad(
                f"a row has {counted(len(words), 'column')}, not {width}: {line[:60]!r}", where
            )
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
    """The document and position of a sentence; empty if no document has it."""
    order = sorted(documents.topics.get(topic, ()))
    size = len(documents.texts[name]["text"]) if name in order else 0
    if number.isdecimal() and len(number) < 10 and 1 <= int(number) <= size:
        return {"doc_index": order.index(name), "sent_index": int(number) - 1}
    return {}
