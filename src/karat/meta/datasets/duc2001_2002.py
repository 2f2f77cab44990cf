"""DUC 2001 and 2002: summaries of documents (task 1) and of sets of them (task 2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from karat.errors import Place, counted
from karat.meta.datasets.archives import File
from karat.meta.datasets.nist import (
    ArchiveContent,
    SummariesByItem,
    collect,
    kind,
    newswire,
    rows,
    see,
    sentence_label,
    take_person,
    units,
    wrote,
)
from karat.meta.datasets.reading import bad, elements, numbers, plain
from karat.meta.datasets.writing import Outcome, demand, metrics_record

_CLUSTER = re.compile(r"(d\d+)[a-z]", re.IGNORECASE)
_PERSON = re.compile(r"(d\d+)[a-z]([a-z])", re.IGNORECASE)

# -- 2001: by people only ------------------------------------------------------

_LENGTHS_2001 = ("50", "100", "200", "400")
_PARTS = {"training": "train", "test": "test"}
_BODY = ("leadpara", "lp", "text")
# Names of documents that are wrong in the published summaries.
_MISNAMED_2001 = {
    "AP870611-0085": "WSJ870611-0085",
    "AP890325-0143": "AP830325-0143",
    "APP890515-0232": "AP890515-0232",
    "FB153-57782": "FBIS3-57782",
    "FBIS3-41815": "FBIS-41815",
    "FBIS4-35908": "FBIS-45908",
    "FBIS4-45908": "FBIS-45908",
    "FT931-100514": "FT931-10514",
    "LA081489-0225": "LA081489-0025",
    "SJMN91-0605144": "SJMN91-06015144",
    "SMN91-06154062": "SJMN91-06154062",
    "WSJ891125-0090": "AP891125-0090",
}


def duc2001(paths: Sequence[str]) -> Outcome:
    """DUC 2001; nothing was scored, so there are documents and summaries only."""
    outcome, found = Outcome(), collect(paths, _take_2001)
    parts: dict[str, object] = {}
    for part in _PARTS.values():
        parts[f"documents ({part})"] = found.documents[part].texts
        parts[f"summaries of documents (perdocs) ({part})"] = found.written[f"{part}.perdocs"]
        for length in _LENGTHS_2001:
            parts[f"summaries of {length} words ({part})"] = found.written[f"{part}.{length}"]
    demand(parts, "duc2001")
    for part in _PARTS.values():
        documents, single = found.documents[part], found.written[f"{part}.perdocs"]
        outcome.files[f"task1.{part}.jsonl"] = documents.singles(single)
        for length in _LENGTHS_2001:
            records = documents.clusters(found.written[f"{part}.{length}"])
            outcome.files[f"task2.{part}.{length}.jsonl"] = records
        for names, what in (
            (
                single.keys() - documents.texts.keys(),
                "summaries are of documents that are not there",
            ),
            (documents.texts.keys() - single.keys(), "documents have no summary"),
        ):
            if names:
                shown = ", ".join(sorted(names)[:5])
                outcome.warnings.append(f"task1.{part}: {len(names)} {what}: {shown}")
    return outcome


def _take_2001(found: ArchiveContent, file: File) -> None:
    part = next((_PARTS[folder] for folder in file.path.parts if folder in _PARTS), None)
    name, folder = file.path.name, file.path.parent.name
    if part is None:
        return
    if person := _PERSON.fullmatch(folder):
        if name in ("perdocs", *_LENGTHS_2001):
            who = person[1].lower(), person[2].upper()
            take_person(found, f"{part}.", name, who, file.text, _named_2001)
    elif "docs" in file.path.parts and not name.endswith("~"):
        chosen = _CLUSTER.fullmatch(folder) or _CLUSTER.fullmatch(file.path.parent.parent.name)
        if chosen:
            found.documents[part].add(chosen[1], name, newswire(file, name, _BODY))


def _named_2001(reference: str) -> str:
    name = "".join(reference.split())
    return _MISNAMED_2001.get(name, name)


# -- 2002: also by systems, with extracts ----------------------------------------

_LENGTHS = ("10", "50", "100", "200")
_EXTRACTS = ("200e", "400e")
_PEERS = re.compile(r"(?:baseline\d|manual|submitted)peers")
# Names of documents that are wrong in the published extracts.
_MISNAMED = {"AP890729-0155": "AP880729-0155", "SJMN91-06048": "SJMN91-06165048"}


def duc2002(paths: Sequence[str]) -> Outcome:
    """DUC 2002. Sentences are those that the documents mark; of extracts, all they mark."""
    outcome, found = Outcome(), collect(paths, _take_2002)
    abstracts, written, tasks = found.documents["abstracts"], found.written, found.tasks
    parts: dict[str, object] = {
        "documents with sentences (duc2002testdocswithsentences.tar.gz)": abstracts.texts,
        "summaries of documents (perdocs)": written["perdocs"],
        "peers of task 1 (...peers.tar.gz)": tasks["task1"].texts,
        "short.results.table": "short.results.table" in found.tables,
        "extracts.results.table": "extracts.results.table" in found.tables,
    }
    for length in _LENGTHS:
        parts[f"abstracts of {length} words"] = written[length]
        parts[f"peers of {length} words"] = tasks[f"task2.{length}"].texts
    for length in _EXTRACTS:
        parts[f"extracts ({length})"] = written[length]
    demand(parts, "duc2002")
    outcome.files["task1.jsonl"] = abstracts.singles(written["perdocs"])
    tasks["task1"].fill(outcome, "task1")
    for length in _LENGTHS:
        outcome.files[f"task2.{length}.jsonl"] = abstracts.clusters(written[length])
        tasks[f"task2.{length}"].fill(outcome, f"task2.{length}")
    for length in _EXTRACTS:
        _extracts(outcome, found, length)
    return outcome


def _take_2002(found: ArchiveContent, file: File) -> None:
    name, folder, content = file.path.name, file.path.parent.name, file.text
    if "phase2" in file.path.parts:
        return
    if name == "short.results.table":
        found.tables.add(name)
        for words, where in rows(file, 33):
            multi = words[1].upper() == "M"
            task = found.tasks[f"task2.{_whole(words[3], where)}" if multi else "task1"]
            instance = words[0].lower() if multi else words[2]
            task.scores[instance][words[8]].update(see(words[10:], 12, where))
    elif name == "extracts.results.table":
        found.tables.add(name)
        for words, where in rows(file, 13):
            scores = found.tasks[f"task2.{_whole(words[2], where)}e"].scores
            judged = scores[words[0].lower()][words[4]]
            measured = numbers(words[11:13], where)
            for score, value in zip(("precision", "recall"), measured, strict=True):
                judged.setdefault(f"sentence_{score}", []).append(value)
    elif name.endswith(".html") and _PEERS.search(str(file.path)):
        _peer(found, name.split("."), content, file.place)
    elif (chosen := _CLUSTER.fullmatch(folder)) and name.lower().endswith(".s"):
        whole = "".join(text.inner for text in elements(content, "text"))
        for use, part in (("abstracts", whole), ("extracts", content)):
            sentences = [plain(sentence.inner) for sentence in elements(part, "s")]
            if not sentences:
                raise bad("this document marks no sentences", file.place)
            document = {"filename": name[:-2], "text": sentences}
            found.documents[use].add(chosen[1], name[:-2], document)
    elif chosen := _PERSON.fullmatch(folder):
        who = chosen[1].lower(), chosen[2].upper()
        if name in ("perdocs", *_LENGTHS):
            take_person(found, "", name, who, content, str)
        elif name in _EXTRACTS:
            # A tag without a name is a closing one that lost its slash.
            marked = [
                ("".join(sentence.attributes["docid"].split()), sentence.attributes.get("num", ""))
                for sentence in elements(content, "s")
                if "docid" in sentence.attributes
            ]
            wrote(found.written[name], *who, marked, "labels")


def _whole(word: str, place: Place) -> int:
    (value,) = numbers([word], place)
    if not value.is_integer():  # infinite ones are not, either
        raise bad(f"expected a whole number, found {word!r}", place)
    return int(value)


def _peer(found: ArchiveContent, names: list[str], content: str, place: Place) -> None:
    """Names are ``D061.M.010.J.B.html``, or ``D061.P.100.J.15.AP880911-0016.html``."""
    if len(names) < (6 if names[1:2] == ["M"] else 7):
        raise bad("the name tells no summary", place)
    if names[1] == "M":
        task, instance = f"task2.{_whole(names[2], place)}", names[0].lower()
    else:
        task, instance = "task1", names[5]
    found.tasks[task].texts[instance][names[4]] = units(content)


def _extracts(outcome: Outcome, found: ArchiveContent, length: str) -> None:
    documents, lost, summaries = found.documents["extracts"], 0, SummariesByItem()
    for topic, written in found.written[length].items():
        for summary in written:
            labels = [
                sentence_label(documents, topic, _MISNAMED.get(name, name), number)
                for name, number in summary["labels"]
            ]
            lost += labels.count({})
            wrote(summaries, topic, summary["annotator"], [x for x in labels if x], "labels")
    outcome.files[f"task2.{length}.jsonl"] = documents.clusters(summaries)
    scores: dict[str, dict[str, Any]] = found.tasks[f"task2.{length}"].scores
    outcome.files[f"task2.{length}.metrics.jsonl"] = [
        metrics_record(instance, who, scores[instance][who], kind(who))
        for instance in sorted(scores)
        for who in sorted(scores[instance])
    ]
    outcome.warn_if(
        lost, f"task2.{length}: {counted(lost, 'sentence')} in no document of the topic"
    )
