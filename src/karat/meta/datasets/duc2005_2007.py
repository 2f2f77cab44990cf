"""DUC 2005 to 2007: summaries that answer a question, with judgements and pyramids.

Files are known by their names and folders inside the archives: texts under
``ROUGE/models`` and ``ROUGE/peers``, tables of judgements, outputs of ROUGE and BE
against all models but one, the files of DUCView, the topics, and the documents in
folders named for the topic and the person who chose it (``D0601A``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from karat.errors import Place
from karat.meta.datasets.archives import every_file, files
from karat.meta.datasets.nist import (
    EvaluatedTask,
    Task,
    document_record,
    in_groups,
    instance_of,
    newspaper,
    records,
)
from karat.meta.datasets.reading import bad, elements, lines, numbers, paragraphs, plain, worded
from karat.meta.datasets.writing import Outcome, demand

_NAME = re.compile(r"(D\d+)(?:-([A-Z]))?\.M\.\d+\.[A-Z]\.(\w+)", re.IGNORECASE)
_FOLDER = re.compile(r"(D\d+)([A-Z])(?:-([A-Z]))?", re.IGNORECASE)
_TOPIC = re.compile(r"D\d+(?:-[A-Z])?", re.IGNORECASE)
_DATED = re.compile(r"[A-Z]{3}(\d{4})(\d\d)(\d\d)\.")
_JACKKNIFED = ("rougejk.m.out", "simplejk.m.hm.out")
_SET_KEPT = "114"


@dataclass(slots=True)
class _TaskContent(EvaluatedTask):
    """All that the archives hold of a task."""

    documents: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    selectors: dict[str, str] = field(default_factory=dict)
    topics: dict[str, dict[str, Any]] = field(default_factory=dict)
    models: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    tables: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Year:
    """What differs between the years."""

    name: str
    tables: dict[str, str]
    pyramid_scores: str
    pyramid_columns: tuple[str, ...]
    systems: str = ""
    """The archive with the texts of the systems and the outputs of ROUGE, if others have some."""
    often: str = ""
    """A topic that was annotated several times: all of that goes to a file of its own."""


_MODIFIED = ("modified_pyramid_score", "num_scus", "num_repetitions")
_2005 = _Year(
    "duc2005",
    {"responsiveness.table": "responsiveness", "linguistic_quality.table": ""},
    "processed_pans.txt",
    ("pyramid_score", *_MODIFIED),
)
_2006 = _Year(
    "duc2006",
    {
        "overall.table": "overall_responsiveness",
        "content.table": "content_responsiveness",
        "linguistic_quality.table": "",
    },
    "2006_modified_scores.txt",
    _MODIFIED,
    "NISTeval2",
    "d0631",
)
_2007 = _Year(
    "duc2007",
    {"content.table": "content_responsiveness", "linguistic_quality.table": ""},
    "2007_modified_scores.txt",
    _MODIFIED,
)


def _one_task(paths: Sequence[str], *, year: _Year) -> Outcome:
    outcome, (found, _) = Outcome(), _read(paths, year)
    _complete(found, year, year.tables)
    _fill(outcome, found, "task1", often=year.often)
    return outcome


duc2005 = partial(_one_task, year=_2005)
duc2006 = partial(_one_task, year=_2006)


def duc2007(paths: Sequence[str]) -> Outcome:
    """DUC 2007: the main task, and updates after reading documents A, then B, then C."""
    outcome = Outcome()
    main, update = _read(paths, _2007)
    _complete(main, _2007, _2007.tables)
    _complete(update, _2007, ["content.table"])
    _fill(outcome, main, "task1")
    _fill(outcome, update, "task2.A-B-C")
    in_groups(outcome, "task2.A-B-C")
    return outcome


def _read(paths: Sequence[str], year: _Year) -> tuple[_TaskContent, _TaskContent]:
    main, update = _TaskContent(), _TaskContent()
    for file, data, place in files(paths, every_file):
        found = update if year is _2007 and "update" in str(file).lower() else main
        _take(found, file, data, year, place)
    main.settle()
    update.settle()
    return main, update


def _take(found: _TaskContent, file: PurePosixPath, data: bytes, year: _Year, place: Place) -> None:
    folders, name = file.parts[:-1], file.name
    folder = folders[-1] if folders else ""
    own = not year.systems or year.systems in folders
    if folder in ("models", "peers") and "ROUGE" in folders:
        if named := _NAME.fullmatch(name):
            instance = instance_of(named[1], named[2])
            if folder == "models":
                found.models.setdefault(instance, {})[named[3]] = lines(data)
            if own:
                found.task.texts[instance][named[3]] = lines(data)
    elif name in _JACKKNIFED:
        if own:
            found.measured(data, _NAME, place, jackknifed=True)
    elif name in year.tables:
        found.tables.add(name)
        _table(found.task, data, year.tables[name], place)
    elif name == year.pyramid_scores:
        found.tables.add(name)
        for instance, who, scores in _pyramid_scores(data, year.pyramid_columns, place):
            found.task.scores[instance][who].update(scores)
    elif folder in ("pans", "allpans", "allpyramids"):
        found.pyramids.take(place.file or name, data, grouped="update" in str(file).lower())
    elif chosen := _FOLDER.fullmatch(folder):
        instance = instance_of(chosen[1], chosen[3])
        found.selectors[instance] = chosen[2].upper()
        content, dated = data.decode("utf-8", "replace"), _DATED.match(name)
        document = newspaper(name, content, dated, place, parts=("text", "graphic"))
        found.documents.setdefault(instance, {})[name] = document
    elif name.lower().endswith(".sgml"):
        found.topics.update(_topics(data, place))


def _table(task: Task, data: bytes, metric: str, place: Place) -> None:
    """Rows of topic, two columns that are not read, summarizer, and the judgement.

    In the table of linguistic quality the number of the question stands before it.
    """
    for words, line, where in worded(data, place):
        if not _TOPIC.fullmatch(words[0]):
            continue
        if len(words) < (5 if metric else 6):
            raise bad(f"this is not a judgement: {line[:60]!r}", where)
        topic, _, group = words[0].partition("-")
        scores = task.scores[instance_of(topic, group)][words[3]]
        if metric:
            (scores[metric],) = numbers(words[4:5], where)
        else:
            (value,) = numbers(words[5:6], where)
            scores.setdefault("linguistic_quality", {})[f"Q{words[4]}"] = value


def _pyramid_scores(
    data: bytes, columns: Sequence[str], place: Place
) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Rows of topic, summarizer and scores; a topic may lack its letter, a number have zeros."""
    for words, line, where in worded(data, place):
        if len(words) < 2 + len(columns):
            raise bad(f"this is not a pyramid score: {line[:60]!r}", where)
        topic, _, group = words[0].lower().removeprefix("d").partition("-")
        values = numbers(words[2 : 2 + len(columns)], where)
        who = words[1].lstrip("0") or "0"
        yield instance_of(f"d{topic}", group), who, dict(zip(columns, values, strict=True))


def _topics(data: bytes, place: Place) -> Iterator[tuple[str, dict[str, Any]]]:
    for topic in elements(data.decode("utf-8", "replace"), "topic"):
        parts = {
            part.name: part.inner
            for part in elements(topic.inner, "num", "title", "narr", "granularity")
        }
        number = _FOLDER.fullmatch(plain(parts.get("num", "")))
        if number is None or not {"title", "narr"} <= parts.keys():
            raise bad("a topic needs num, title and narr", place)
        found: dict[str, Any] = {
            "title": plain(parts["title"]),
            "narrative": paragraphs(parts["narr"]),
        }
        if "granularity" in parts:
            found["granularity"] = plain(parts["granularity"])
        yield number[1].lower(), found


def _complete(found: _TaskContent, year: _Year, tables: Sequence[str] | dict[str, str]) -> None:
    parts: dict[str, object] = {
        "documents (in folders such as D0601A)": found.documents,
        "topics (.sgml)": found.topics,
        "summaries of people (ROUGE/models)": found.models,
        "summaries of systems (ROUGE/peers)": found.task.texts,
        "scores of ROUGE (rougejk.m.out)": found.left_out,
        "pyramids": found.pyramids.pyramids,
        "annotations (pans)": found.pyramids.waiting,
    }
    for table in (*tables, year.pyramid_scores):
        parts[table] = table in found.tables
    demand(parts, year.name)


def _fill(outcome: Outcome, found: _TaskContent, name: str, often: str = "") -> None:
    documents = []
    for instance in sorted(found.documents):
        topic = found.topics.get(instance.partition("-")[0])
        outcome.warn_if(topic is None, f"{name}: {instance} has documents, but no topic")
        own, people = found.documents[instance], found.models.get(instance, {})
        documents.append(document_record(instance, found.selectors[instance], topic, own, people))
    outcome.files[f"{name}.jsonl"] = documents
    found.task.fill(outcome, name)
    annotations = found.pyramids.annotations()
    kept = (one for number, one in annotations if one.instance_id != often or number == _SET_KEPT)
    found.fill_pyramids(outcome, name, kept)
    if often:
        several = [one for _, one in annotations if one.instance_id == often]
        several.sort(key=lambda one: one.summarizer_id)
        outcome.files[f"{name}.{often}.pyramid-annotations.jsonl"] = records(several)
