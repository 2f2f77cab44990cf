"""DUC 2004: very short summaries of documents (1), short ones of sets (2), and of people (5)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from karat.errors import FormatError, Place
from karat.meta.datasets.archives import every_file
from karat.meta.datasets.duc_news import Documents, Written, newswire, path_of, rows, see, wrote
from karat.meta.datasets.nist import Task, demand, kind, lines, numbers
from karat.meta.datasets.writing import Outcome

_FOLDER = re.compile(r"(d\d+)[a-z]", re.IGNORECASE)
_TEXTS = re.compile(r"duc2004\.task([125])\.ROUGE\.(?:peers|models)")
_DATED = re.compile(r"[A-Z]{3}(\d{4})(\d\d)(\d\d)\.")
_TOPICS = re.compile(r"(d\d+)[a-z]\t(.+)", re.IGNORECASE)


@dataclass(slots=True)
class _Found:
    news: Documents = field(default_factory=Documents)
    people: Documents = field(default_factory=Documents)
    topics: dict[str, str] = field(default_factory=dict)
    tasks: dict[str, Task] = field(default_factory=lambda: {n: Task() for n in ("1", "2", "5")})
    tables: set[str] = field(default_factory=set)


def duc2004(paths: Sequence[str], *, split_sentences: bool = True) -> Outcome:
    """DUC 2004. Task 1 was not judged by people, and so has no file of metrics."""
    outcome, found = Outcome(), _Found()
    for path in paths:
        for name, data in every_file(path):
            _take(found, path_of(path, name), data, Place(f"{path}:{name}"))
    parts: dict[str, object] = {
        "documents of tasks 1 and 2": found.news.texts,
        "documents of task 5": found.people.texts,
        "topics of task 5 (duc2004.task5.topicsets)": found.topics,
    }
    for number, task in found.tasks.items():
        parts[f"summaries of task {number} (duc2004.task{number}.ROUGE...)"] = task.texts
    for table in ("short.results.table2", "short.results.table5", "results.table.R"):
        parts[table] = table in found.tables
    demand(parts, "duc2004")
    outcome.files["task1.jsonl"] = found.news.singles(_written(found.tasks["1"]))
    outcome.files["task2.jsonl"] = found.news.clusters(_written(found.tasks["2"]))
    outcome.files["task5.jsonl"] = [
        {"topic": found.topics.get(record["instance_id"]), **record}
        for record in found.people.clusters(_written(found.tasks["5"]))
    ]
    outcome.warnings.extend(
        f"task5: {record['instance_id']} has documents, but no topic"
        for record in outcome.files["task5.jsonl"]
        if record["topic"] is None
    )
    found.tasks["1"].fill(outcome, "task1", judged=False)
    for number in "25":
        found.tasks[number].fill(outcome, f"task{number}", split=split_sentences)
    return outcome


def _take(found: _Found, file: PurePosixPath, data: bytes, place: Place) -> None:
    name = file.name
    if texts := _TEXTS.search(str(file.parent)):
        names = name.split(".")
        if len(names) < (7 if texts[1] == "1" else 5):
            raise FormatError("the name tells no summary", code="K163", place=place)
        instance = ".".join(names[5:7]) if texts[1] == "1" else names[0].lower()
        found.tasks[texts[1]].texts[instance][names[4]] = lines(data)
    elif name in ("short.results.table2", "short.results.table5"):
        found.tables.add(name)
        scores = found.tasks[name[-1]].scores
        for words, where in rows(data, 23, place.file or name):
            scores[words[0].lower()][words[7]].update(see(words[8:], 7, where))
    elif name == "results.table.R":
        found.tables.add(name)
        for words, where in rows(data, 5, place.file or name):
            (value,) = numbers(words[4:], where)
            found.tasks["5"].scores[words[0].lower()][words[3]]["responsiveness"] = value
    elif name == "duc2004.task5.topicsets":
        for line in lines(data):
            if topic := _TOPICS.fullmatch(line):
                found.topics[topic[1].lower()] = topic[2].strip()
    elif chosen := _FOLDER.fullmatch(file.parent.name):
        documents = {"tasks1and2": found.news, "task5": found.people}
        for part, into in documents.items():
            if part in file.parts or f"duc2004_{part}_docs" in file.parts:
                into.add(chosen[1], name, _dated(newswire(name, data, ("text",), place)))


def _dated(document: dict[str, Any]) -> dict[str, Any]:
    if found := _DATED.match(document["filename"]):
        document["date"] = "-".join(found.groups())
    return document


def _written(task: Task) -> Written:
    written = Written()
    for instance, texts in task.texts.items():
        for who in sorted(texts):
            if kind(who) == "reference" and texts[who]:
                wrote(written, instance, who, texts[who])
    return written
