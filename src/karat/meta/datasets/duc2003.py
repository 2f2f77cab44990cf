"""DUC 2003: very short summaries (1), of events (2), from a viewpoint (3), of an answer (4)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from karat.errors import FormatError, Place
from karat.meta.datasets.archives import every_file
from karat.meta.datasets.duc2003_topics import questions, topics, viewpoint
from karat.meta.datasets.duc_news import Documents, Written, newswire, path_of, rows, see, wrote
from karat.meta.datasets.nist import Task, demand, lines, numbers
from karat.meta.datasets.sgml import elements, plain
from karat.meta.datasets.writing import Outcome

_TASKS = ("1", "2", "3", "4")
_DOCUMENTS = re.compile(r"task([1-4])\.docs\.tar")
_CLUSTER = re.compile(r"(d\d+)[a-z]?", re.IGNORECASE)
_PEERS = re.compile(r"peer[1-7]\.([1-4])")
_WRITTEN = re.compile(
    r"(D\d+)\.([MP])\.\d+\.[A-Z]\.(\w+?)(?:\.(\w+\.\d+))?(\.html)?", re.IGNORECASE
)
_TABLE = re.compile(r"short\.results\.table([1-4])")
_TABLES = "original.results.corrected.improved.withPenaltyForExcess"
_RESPONSIVENESS = "results.table.R.paired.noheader"
_USEFULNESS = "results.table.U.paired.noheader"
_GIVEN = {"2": "topic", "3": "viewpoint", "4": "question"}


@dataclass(slots=True)
class _Found:
    documents: dict[str, Documents] = field(default_factory=lambda: defaultdict(Documents))
    sentences: Documents = field(default_factory=Documents)
    labels: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    given: dict[str, dict[str, Any]] = field(default_factory=lambda: defaultdict(dict))
    written: Written = field(default_factory=dict)
    tasks: dict[str, Task] = field(default_factory=lambda: {number: Task() for number in _TASKS})
    tables: set[str] = field(default_factory=set)


def duc2003(paths: Sequence[str]) -> Outcome:
    """DUC 2003. The sentences of task 4 that answer the question have a file of their own."""
    outcome, found = Outcome(), _Found()
    for path in paths:
        for name, data in every_file(path):
            _take(found, path_of(path, name), data, Place(f"{path}:{name}"))
    parts: dict[str, object] = {
        "summaries of people (duc2003.manual.abstracts.tar.gz)": found.written,
        "documents of the novelty track (trec2002_novelty_docs)": found.sentences.texts,
        "sentences that are relevant (task4.sentences.tar.gz)": found.labels,
    }
    for number in _TASKS:
        parts[f"documents of task {number} (task{number}.docs.tar.gz)"] = number in found.documents
        parts[f"peers of task {number} (peer*.{number})"] = found.tasks[number].texts
        parts[f"{_TABLES}/short.results.table{number}"] = number in found.tables
    parts |= {
        "topics of task 2 (task2/topics)": "topics" in found.tables,
        "viewpoints of task 3 (viewpoints.given.to.systems.tar.gz)": found.given.get("3"),
        "questions of task 4 (duc.novelty_topics.txt)": found.given.get("4"),
    }
    for table in (_RESPONSIVENESS, _USEFULNESS):
        parts[table] = table in found.tables
    demand(parts, "duc2003")
    outcome.files["task1.jsonl"] = found.documents["1"].singles(found.written)
    for number, what in _GIVEN.items():
        records = found.documents[number].clusters(found.written)
        outcome.files[f"task{number}.jsonl"] = [
            _with(record, what, found.given[number], f"task{number}", outcome) for record in records
        ]
    _relevant(outcome, found)
    for number, task in found.tasks.items():
        task.fill(outcome, f"task{number}")
    return outcome


def _with(
    record: dict[str, Any], what: str, given: dict[str, Any], task: str, outcome: Outcome
) -> dict[str, Any]:
    instance = record["instance_id"]
    if instance not in given:
        outcome.warnings.append(f"{task}: {instance} has documents, but no {what}")
        return record
    return {"instance_id": instance, what: given[instance], **record}


def _take(found: _Found, file: PurePosixPath, data: bytes, place: Place) -> None:
    name, folder, whole = file.name, file.parent.name, str(file.parent)
    content = data.decode("utf-8", "replace")
    if (table := _TABLE.fullmatch(name)) and folder == _TABLES:
        found.tables.add(table[1])
        _judgements(found.tasks[table[1]], data, place)
    elif name == _RESPONSIVENESS:
        found.tables.add(name)
        for words, where in rows(data, 7, place.file or name):
            scores = found.tasks["4"].scores[words[0].lower()][words[2]]
            scores["responsiveness"] = numbers([words[4], words[6]], where)
    elif name == _USEFULNESS:
        found.tables.add(name)
        _usefulness(found.tasks["1"], data, place)
    elif (peers := _PEERS.fullmatch(folder)) and name.endswith(".html"):
        instance, who = _named(name, place)
        units = elements(content, "a")
        text = [plain(unit.inner) for unit in units if "id" in unit.attributes]
        marked = content.lstrip().lower().startswith("<html")
        found.tasks[peers[1]].texts[instance][who] = (
            [t for t in text if t] if marked else lines(data)
        )
    elif archive := _DOCUMENTS.search(whole):
        if cluster := _CLUSTER.fullmatch(folder):
            parts = ("text",) if next(elements(content, "text"), None) else ("graphic",)
            document = newswire(name, data, parts, place)
            found.documents[archive[1]].add(cluster[1], name, document)
    elif "viewpoints.given.to.systems" in whole:
        found.given["3"][folder[:-2].lower()] = viewpoint(content)
    elif "task4.sentences.tar" in whole:
        found.labels[f"d{name[:3]}"] = [
            sentence.attributes for sentence in elements(content, "s")
            if "docid" in sentence.attributes
        ]  # fmt: skip
    elif "trec2002_novelty_docs" in whole:
        _sentences(found.sentences, f"d{name[:3]}", content)
    elif name == "duc.novelty_topics.txt":
        found.given["4"].update(questions(content))
    elif name == "topics" and folder == "task2":
        found.tables.add(name)
        found.given["2"].update(topics(content))
    elif (written := _WRITTEN.fullmatch(name)) and not written[5]:
        instance, who = _named(name, place)
        wrote(found.written, instance, who, lines(data))


def _named(name: str, place: Place) -> tuple[str, str]:
    """``D30001.M.100.T.A`` is of a topic, ``D30003.P.10.T.A.APW19981022.0269`` of a document."""
    found = _WRITTEN.fullmatch(name)
    if found is None or (found[2].upper() == "P") != bool(found[4]):
        raise FormatError("the name tells no summary", code="K163", place=place)
    return found[4] or found[1].lower(), found[3]


def _judgements(task: Task, data: bytes, place: Place) -> None:
    for words, where in rows(data, 34, place.file or ""):
        instance = words[0].lower() if words[1].upper() == "M" else words[2]
        # The quality of summaries of ten words was not judged.
        short = numbers(words[3:4], where) == [10]
        answers = ["-"] * 12 if short else words[11:23]
        task.scores[instance][words[8]].update(see([*answers, *words[23:]], 12, where))


def _usefulness(task: Task, data: bytes, place: Place) -> None:
    for number, line in enumerate(lines(data), 1):
        words, where = line.split(), Place(place.file, number)
        if len(words) != 8:
            raise FormatError(
                f"a row has {len(words)} columns, expected 8: {line[:60]!r}",
                code="K163",
                place=where,
            )
        # The table lacks the dot before the last four digits of a document.
        instance = words[1] if "." in words[1] else f"{words[1][:-4]}.{words[1][-4:]}"
        scores = task.scores[instance][words[3]]
        scores["usefulness"] = numbers([words[5], words[7]], where)


def _sentences(documents: Documents, cluster: str, content: str) -> None:
    texts: dict[str, list[str]] = {}
    for sentence in elements(content, "s"):
        if "docid" in sentence.attributes:
            texts.setdefault(sentence.attributes["docid"], []).append(plain(sentence.inner))
    for name, text in texts.items():
        documents.add(cluster, name, {"filename": name, "text": text})


def _relevant(outcome: Outcome, found: _Found) -> None:
    records, lost = [], 0
    for cluster in sorted(found.labels):
        names = sorted(found.sentences.topics.get(cluster, ()))
        order = {name: i for i, name in enumerate(names)}
        labels = []
        for label in found.labels[cluster]:
            name, number = label["docid"], label.get("num", "")
            size = len(found.sentences.texts[name]["text"]) if name in order else 0
            if number.isdecimal() and 1 <= int(number) <= size:
                novel = "novel" in label
                labels.append(
                    {"doc_index": order[name], "sent_index": int(number) - 1, "is_novel": novel}
                )
            else:
                lost += 1
        record = {
            "instance_id": cluster,
            "documents": [found.sentences.texts[name] for name in names],
            "summaries": found.written.get(cluster, []),
            "relevance_labels": labels,
        }
        name = "task4.sentence-labels"
        records.append(_with(record, "question", found.given["4"], name, outcome))
    outcome.files["task4.sentence-labels.jsonl"] = records
    if lost:
        outcome.warnings.append(f"task4.sentence-labels: {lost} sentences are in no document")
