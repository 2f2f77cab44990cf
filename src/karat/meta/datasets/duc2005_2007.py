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
from pathlib import PurePosixPath
from typing import Any

from karat.errors import Place
from karat.meta.datasets.archives import every_file
from karat.meta.datasets.nist import (
    Pyramids,
    Task,
    Triple,
    automatic,
    demand,
    instance_of,
    last_of_each,
    mean,
    records,
    report,
)
from karat.meta.datasets.reading import bad, elements, lines, numbers, paragraphs, plain, worded
from karat.meta.datasets.writing import Outcome

_NAME = re.compile(r"(D\d+)(?:-([A-Z]))?\.M\.\d+\.[A-Z]\.(\w+)", re.IGNORECASE)
_FOLDER = re.compile(r"(D\d+)([A-Z])(?:-([A-Z]))?", re.IGNORECASE)
_TOPIC = re.compile(r"D\d+(?:-[A-Z])?", re.IGNORECASE)
_DATED = re.compile(r"[A-Z]{3}(\d{4})(\d\d)(\d\d)\.")
_JACKKNIFED = ("rougejk.m.out", "simplejk.m.hm.out")
_SET_KEPT = "114"
_ANNOTATED_OFTEN = "d0631"


@dataclass(slots=True)
class _Found:
    """All that the archives hold of a task."""

    task: Task = field(default_factory=Task)
    left_out: dict[tuple[str, str, str], list[Triple]] = field(default_factory=dict)
    pyramids: Pyramids = field(default_factory=Pyramids)
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
)
_2007 = _Year(
    "duc2007",
    {"content.table": "content_responsiveness", "linguistic_quality.table": ""},
    "2007_modified_scores.txt",
    _MODIFIED,
)


def duc2005(paths: Sequence[str]) -> Outcome:
    """DUC 2005. People whose summaries were scored are not in the pyramids."""
    outcome = Outcome()
    (found,) = _read(paths, _2005)
    _complete(found, _2005, _2005.tables)
    _fill(outcome, found, "task1")
    return outcome


def duc2006(paths: Sequence[str]) -> Outcome:
    """DUC 2006. One topic was annotated several times: all that goes to its own file."""
    outcome = Outcome()
    (found,) = _read(paths, _2006)
    _complete(found, _2006, _2006.tables)
    _fill(outcome, found, "task1", often=_ANNOTATED_OFTEN)
    return outcome


def duc2007(paths: Sequence[str]) -> Outcome:
    """DUC 2007: the main task, and updates after reading documents A, then B, then C."""
    outcome = Outcome()
    main, update = _read(paths, _2007)
    _complete(main, _2007, _2007.tables)
    _complete(update, _2007, ["content.table"])
    _fill(outcome, main, "task1")
    _fill(outcome, update, "task2.A-B-C")
    for name in [name for name in outcome.files if name.startswith("task2.A-B-C")]:
        for group in "ABC":
            outcome.files[name.replace("A-B-C", group)] = [
                record
                for record in outcome.files[name]
                if record["instance_id"].endswith(f"-{group}")
            ]
    return outcome


def _read(paths: Sequence[str], year: _Year) -> list[_Found]:
    main, update = _Found(), _Found()
    for path in paths:
        for name, data in every_file(path):
            member = PurePosixPath(name)
            found = update if year is _2007 and "update" in name.lower() else main
            _take(found, member, data, year, Place(f"{path}:{name}"))
    for found in (main, update):
        found.pyramids.settle()
        for (instance, who, metric), measured in found.left_out.items():
            found.task.scores[instance][who][f"{metric}_jk"] = mean(measured)
    return [main, update] if year is _2007 else [main]


def _take(found: _Found, file: PurePosixPath, data: bytes, year: _Year, place: Place) -> None:
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
            for named, metric, values in automatic(data, _NAME, place):
                key = (instance_of(named[1], named[2]), named[3], metric)
                found.left_out.setdefault(key, []).append(values)
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
        document = _document(name, data, place)
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
            raise bad(f"this is no judgement: {line[:60]!r}", where)
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
            raise bad(f"this is no pyramid score: {line[:60]!r}", where)
        topic, _, group = words[0].lower().removeprefix("d").partition("-")
        values = numbers(words[2 : 2 + len(columns)], where)
        who = words[1].lstrip("0") or "0"
        yield instance_of(f"d{topic}", group), who, dict(zip(columns, values, strict=True))


def _document(name: str, data: bytes, place: Place) -> dict[str, Any]:
    content = data.decode("utf-8", "replace")
    inner = next(elements(content, "text"), None) or next(elements(content, "graphic"), None)
    if inner is None:
        raise bad("there is no element TEXT in this document", place)
    document: dict[str, Any] = {"filename": name}
    if headline := next(elements(content, "headline"), None):
        document["headline"] = plain(headline.inner)
    if dated := _DATED.match(name):
        document["date"] = "-".join(dated.groups())
    document["text"] = paragraphs(inner.inner)
    return document


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


def _complete(found: _Found, year: _Year, tables: Sequence[str] | dict[str, str]) -> None:
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


def _fill(outcome: Outcome, found: _Found, name: str, often: str = "") -> None:
    documents = []
    for instance in sorted(found.documents):
        topic = found.topics.get(instance.partition("-")[0])
        if topic is None:
            outcome.warnings.append(f"{name}: {instance} has documents, but no topic")
        documents.append(
            {
                "instance_id": instance,
                "selector": found.selectors[instance],
                **({"topic": topic} if topic else {}),
                "documents": [text for _, text in sorted(found.documents[instance].items())],
                "summaries": [
                    {"annotator": who, "text": text}
                    for who, text in sorted(found.models.get(instance, {}).items())
                ],
            }
        )
    outcome.files[f"{name}.jsonl"] = documents
    found.task.fill(outcome, name)
    pyramids = found.pyramids
    annotations = pyramids.annotations()
    several = sorted(
        (one for _, one in annotations if one.instance_id == often), key=lambda a: a.summarizer_id
    )
    kept = last_of_each(
        one for number, one in annotations if one.instance_id != often or number == _SET_KEPT
    )
    outcome.files[f"{name}.pyramids.jsonl"] = records(
        pyramids.pyramids[key] for key in sorted(pyramids.pyramids)
    )
    outcome.files[f"{name}.pyramid-annotations.jsonl"] = records(kept)
    if often:
        outcome.files[f"{name}.{often}.pyramid-annotations.jsonl"] = records(several)
    report(pyramids, outcome)
