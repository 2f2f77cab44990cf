"""DUC 2002: summaries of single documents and of sets, abstracts and extracts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from karat.errors import FormatError, Place
from karat.meta.datasets.archives import every_file
from karat.meta.datasets.duc_news import Documents, Written, path_of, rows, see, wrote
from karat.meta.datasets.nist import Task, demand, kind, numbers
from karat.meta.datasets.sgml import elements, paragraphs, plain
from karat.meta.datasets.writing import Outcome, metrics_record

_LENGTHS = ("10", "50", "100", "200")
_EXTRACTS = ("200e", "400e")
_CLUSTER = re.compile(r"(d\d+)[a-z]", re.IGNORECASE)
_PERSON = re.compile(r"(d\d+)[a-z]([a-z])", re.IGNORECASE)
_PEERS = re.compile(r"(?:baseline\d|manual|submitted)peers")
# Names of documents that are wrong in the published extracts.
_MISNAMED = {"AP890729-0155": "AP880729-0155", "SJMN91-06048": "SJMN91-06165048"}


@dataclass(slots=True)
class _Found:
    abstracts: Documents = field(default_factory=Documents)
    extracts: Documents = field(default_factory=Documents)
    single: Written = field(default_factory=dict)
    multi: dict[str, Written] = field(default_factory=lambda: defaultdict(dict))
    labels: dict[str, Written] = field(default_factory=lambda: defaultdict(dict))
    tasks: dict[str, Task] = field(default_factory=lambda: defaultdict(Task))
    tables: set[str] = field(default_factory=set)


def duc2002(paths: Sequence[str]) -> Outcome:
    """DUC 2002. Sentences are those that the documents mark; of extracts, all they mark."""
    outcome, found = Outcome(), _Found()
    for path in paths:
        for name, data in every_file(path):
            _take(found, path_of(path, name), data, Place(f"{path}:{name}"))
    parts: dict[str, object] = {
        "documents with sentences (duc2002testdocswithsentences.tar.gz)": found.extracts.texts,
        "summaries of documents (perdocs)": found.single,
        "peers of task 1 (...peers.tar.gz)": found.tasks["task1"].texts,
        "short.results.table": "short.results.table" in found.tables,
        "extracts.results.table": "extracts.results.table" in found.tables,
    }
    for length in _LENGTHS:
        parts[f"abstracts of {length} words"] = found.multi.get(length)
        parts[f"peers of {length} words"] = found.tasks[f"task2.{length}"].texts
    for length in _EXTRACTS:
        parts[f"extracts ({length})"] = found.labels.get(length)
    demand(parts, "duc2002")
    outcome.files["task1.jsonl"] = found.abstracts.singles(found.single)
    found.tasks["task1"].fill(outcome, "task1")
    for length in _LENGTHS:
        outcome.files[f"task2.{length}.jsonl"] = found.abstracts.clusters(found.multi[length])
        found.tasks[f"task2.{length}"].fill(outcome, f"task2.{length}")
    for length in _EXTRACTS:
        _extracts(outcome, found, length)
    return outcome


def _take(found: _Found, file: PurePosixPath, data: bytes, place: Place) -> None:
    name, folder = file.name, file.parent.name
    if "phase2" in file.parts:
        return
    if name == "short.results.table":
        found.tables.add(name)
        for words, where in rows(data, 33, place.file or name):
            multi = words[1].upper() == "M"
            task = found.tasks[f"task2.{_whole(words[3], where)}" if multi else "task1"]
            instance = words[0].lower() if multi else words[2]
            task.scores[instance][words[8]].update(see(words[10:], 12, where))
    elif name == "extracts.results.table":
        found.tables.add(name)
        for words, where in rows(data, 13, place.file or name):
            scores = found.tasks[f"task2.{_whole(words[2], where)}e"].scores
            precision, recall = numbers(words[11:13], where)
            judged = scores[words[0].lower()][words[4]]
            judged.setdefault("sentence_precision", []).append(precision)
            judged.setdefault("sentence_recall", []).append(recall)
    elif name.endswith(".html") and _PEERS.search(str(file)):
        _peer(found, name.split("."), data, place)
    elif (chosen := _CLUSTER.fullmatch(folder)) and name.lower().endswith(".s"):
        content = data.decode("utf-8", "replace")
        whole = "".join(text.inner for text in elements(content, "text"))
        for documents, part in ((found.abstracts, whole), (found.extracts, content)):
            sentences = [plain(sentence.inner) for sentence in elements(part, "s")]
            if not sentences:
                raise FormatError("this document marks no sentences", code="K163", place=place)
            documents.add(chosen[1], name[:-2], {"filename": name[:-2], "text": sentences})
    elif chosen := _PERSON.fullmatch(folder):
        _person(found, chosen[1].lower(), chosen[2].upper(), name, data)


def _whole(word: str, place: Place) -> int:
    return int(numbers([word], place)[0])


def _peer(found: _Found, names: list[str], data: bytes, place: Place) -> None:
    """Names are ``D061.M.010.J.B.html``, or ``D061.P.100.J.15.AP880911-0016.html``."""
    if len(names) < (6 if names[1:2] == ["M"] else 7):
        raise FormatError("the name tells no summary", code="K163", place=place)
    units = elements(data.decode("utf-8", "replace"), "a")
    text = [plain(unit.inner) for unit in units if "id" in unit.attributes]
    if names[1] == "M":
        task, instance = f"task2.{_whole(names[2], place)}", names[0].lower()
    else:
        task, instance = "task1", names[5]
    found.tasks[task].texts[instance][names[4]] = [unit for unit in text if unit]


def _person(found: _Found, topic: str, annotator: str, name: str, data: bytes) -> None:
    content = data.decode("utf-8", "replace")
    if name == "perdocs":
        for summary in elements(content, "sum"):
            document = summary.attributes.get("docref", "")
            wrote(found.single, document, annotator, paragraphs(summary.inner))
    elif name in _LENGTHS:
        for summary in elements(content, "sum"):
            wrote(found.multi[name], topic, annotator, paragraphs(summary.inner))
    elif name in _EXTRACTS:
        # A tag without a name is a closing one that lost its slash.
        marked = [
            ("".join(sentence.attributes["docid"].split()), sentence.attributes.get("num", ""))
            for sentence in elements(content, "s")
            if "docid" in sentence.attributes
        ]
        wrote(found.labels[name], topic, annotator, marked, "labels")


def _extracts(outcome: Outcome, found: _Found, length: str) -> None:
    lost, summaries = 0, Written()
    for topic, written in found.labels[length].items():
        order = {name: i for i, name in enumerate(sorted(found.extracts.topics.get(topic, ())))}
        for summary in written:
            labels = []
            for document, number in summary["labels"]:
                name = _MISNAMED.get(document, document)
                size = len(found.extracts.texts[name]["text"]) if name in order else 0
                if number.isdecimal() and 1 <= int(number) <= size:
                    labels.append({"doc_index": order[name], "sent_index": int(number) - 1})
                else:
                    lost += 1
            wrote(summaries, topic, summary["annotator"], labels, "labels")
    outcome.files[f"task2.{length}.jsonl"] = found.extracts.clusters(summaries)
    scores: dict[str, dict[str, Any]] = found.tasks[f"task2.{length}"].scores
    outcome.files[f"task2.{length}.metrics.jsonl"] = [
        metrics_record(instance, who, scores[instance][who], kind(who))
        for instance in sorted(scores)
        for who in sorted(scores[instance])
    ]
    if lost:
        outcome.warnings.append(f"task2.{length}: {lost} sentences are in no document of the topic")
