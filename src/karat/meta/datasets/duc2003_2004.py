"""DUC 2003 and 2004: very short summaries, and summaries that are given something to tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from karat.errors import Place, counted
from karat.meta.datasets.archives import File
from karat.meta.datasets.nist import (
    ArchiveContent,
    Documents,
    SummariesByItem,
    Task,
    collect,
    kind,
    newswire,
    rows,
    see,
    sentence_label,
    units,
    wrote,
)
from karat.meta.datasets.reading import bad, elements, lines, numbers, paragraphs, plain
from karat.meta.datasets.writing import Outcome, demand

# -- 2003 ------------------------------------------------------------------------

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
_LABEL = re.compile(
    r"^[ \t]*(?:(WHAT|WHO|WHERE|WHEN|Topic Explication)[ \t]*:|(Rules? of Interpretation\b))",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBER = re.compile(r"(?<!\d)(\d{5})(?!\d)")
_BEFORE_TITLE = re.compile(r"^(?:topic\b)?[\s#]*d?(?:\d{5})?[a-z]?(?:[.:\s-]+|$)", re.IGNORECASE)
_EMPTY_LINE = re.compile(r"\n[ \t\r]*\n")
_NUMBERED = re.compile(r"\bd?(\d{3})\b", re.IGNORECASE)


def duc2003(paths: Sequence[str]) -> Outcome:
    """Summaries of documents (1), of events (2), from a viewpoint (3), of an answer (4).

    The sentences of task 4 that answer the question have a file of their own.
    """
    outcome, found = Outcome(), collect(paths, _take_2003)
    written = found.written["all"]
    parts: dict[str, object] = {
        "summaries of people (duc2003.manual.abstracts.tar.gz)": written,
        "documents of the novelty track (trec2002_novelty_docs)": found.documents[
            "sentences"
        ].texts,
        "sentences that are relevant (task4.sentences.tar.gz)": found.given["labels"],
    }
    for number in _TASKS:
        parts[f"documents of task {number} (task{number}.docs.tar.gz)"] = number in found.documents
        parts[f"peers of task {number} (peer*.{number})"] = found.tasks[number].texts
        parts[f"{_TABLES}/short.results.table{number}"] = number in found.tables
    parts |= {
        "topics of task 2 (task2/topics)": "topics" in found.tables,
        "viewpoints of task 3 (viewpoints.given.to.systems.tar.gz)": found.given["3"],
        "questions of task 4 (duc.novelty_topics.txt)": found.given["4"],
    }
    for table in (_RESPONSIVENESS, _USEFULNESS):
        parts[table] = table in found.tables
    demand(parts, "duc2003")
    outcome.files["task1.jsonl"] = found.documents["1"].singles(written)
    for number, what in _GIVEN.items():
        outcome.files[f"task{number}.jsonl"] = [
            _with(record, what, found.given[number], f"task{number}", outcome)
            for record in found.documents[number].clusters(written)
        ]
    _relevant(outcome, found)
    for number in _TASKS:
        found.tasks[number].fill(outcome, f"task{number}")
    return outcome


def _with(
    record: dict[str, Any], what: str, given: dict[str, Any], task: str, outcome: Outcome
) -> dict[str, Any]:
    instance = record["instance_id"]
    if instance not in given:
        outcome.warnings.append(f"{task}: {instance} has documents, but no {what}")
        return record
    return {"instance_id": instance, what: given[instance], **record}


def _take_2003(found: ArchiveContent, file: File) -> None:
    name, folder, whole = file.path.name, file.path.parent.name, str(file.path.parent)
    content = file.text
    if (table := _TABLE.fullmatch(name)) and folder == _TABLES:
        found.tables.add(table[1])
        for words, where in rows(file, 34):
            instance = words[0].lower() if words[1].upper() == "M" else words[2]
            # The quality of summaries of ten words was not judged.
            short = numbers(words[3:4], where) == [10]
            answers = ["-"] * 12 if short else words[11:23]
            judged = see([*answers, *words[23:]], 12, where)
            found.tasks[table[1]].scores[instance][words[8]].update(judged)
    elif name == _RESPONSIVENESS:
        found.tables.add(name)
        for words, where in rows(file, 7):
            scores = found.tasks["4"].scores[words[0].lower()][words[2]]
            scores["responsiveness"] = numbers([words[4], words[6]], where)
    elif name == _USEFULNESS:
        found.tables.add(name)
        for words, where in rows(file, 8, topics=False):
            # The table lacks the dot before the last four digits of a document.
            instance = words[1] if "." in words[1] else f"{words[1][:-4]}.{words[1][-4:]}"
            scores = found.tasks["1"].scores[instance][words[3]]
            scores["usefulness"] = numbers([words[5], words[7]], where)
    elif (peers := _PEERS.fullmatch(folder)) and name.endswith(".html"):
        instance, who = _named(name, file.place)
        marked = content.lstrip().lower().startswith("<html")
        found.tasks[peers[1]].texts[instance][who] = units(content) if marked else lines(file.data)
    elif archive := _DOCUMENTS.search(whole):
        if cluster := _CLUSTER.fullmatch(folder):
            parts = ("text",) if next(elements(content, "text"), None) else ("graphic",)
            document = newswire(file, name, parts)
            found.documents[archive[1]].add(cluster[1], name, document)
    elif "viewpoints.given.to.systems" in whole:
        viewpoint = " ".join(plain(element.inner) for element in elements(content, "viewpoint"))
        found.given["3"][folder[:-2].lower()] = viewpoint
    elif "task4.sentences.tar" in whole:
        found.given["labels"][f"d{name[:3]}"] = [
            sentence.attributes for sentence in elements(content, "s")
            if "docid" in sentence.attributes
        ]  # fmt: skip
    elif "trec2002_novelty_docs" in whole:
        _sentences(found.documents["sentences"], f"d{name[:3]}", content)
    elif name == "duc.novelty_topics.txt":
        found.given["4"].update(_questions(content))
    elif name == "topics" and folder == "task2":
        found.tables.add(name)
        found.given["2"].update(_topics(content))
    elif (written := _WRITTEN.fullmatch(name)) and not written[5]:
        instance, who = _named(name, file.place)
        wrote(found.written["all"], instance, who, lines(file.data))


def _named(name: str, place: Place) -> tuple[str, str]:
    """``D30001.M.100.T.A`` is of a topic, ``D30003.P.10.T.A.APW19981022.0269`` of a document."""
    found = _WRITTEN.fullmatch(name)
    if found is None or (found[2].upper() == "P") != bool(found[4]):
        raise bad("the name tells no summary", place)
    return found[4] or found[1].lower(), found[3]


def _sentences(documents: Documents, cluster: str, content: str) -> None:
    texts: dict[str, list[str]] = {}
    for sentence in elements(content, "s"):
        if "docid" in sentence.attributes:
            texts.setdefault(sentence.attributes["docid"], []).append(plain(sentence.inner))
    for name, text in texts.items():
        documents.add(cluster, name, {"filename": name, "text": text})


def _relevant(outcome: Outcome, found: ArchiveContent) -> None:
    records, lost, documents = [], 0, found.documents["sentences"]
    for cluster, marked in sorted(found.given["labels"].items()):
        labels = []
        for label in marked:
            place = sentence_label(documents, cluster, label["docid"], label.get("num", ""))
            lost += not place
            if place:
                labels.append({**place, "is_novel": "novel" in label})
        names = sorted(documents.topics.get(cluster, ()))
        record = {
            "instance_id": cluster,
            "documents": [documents.texts[name] for name in names],
            "summaries": found.written["all"].get(cluster, []),
            "relevance_labels": labels,
        }
        name = "task4.sentence-labels"
        records.append(_with(record, "question", found.given["4"], name, outcome))
    outcome.files["task4.sentence-labels.jsonl"] = records
    outcome.warn_if(lost, f"task4.sentence-labels: {counted(lost, 'sentence')} in no document")


def _topics(text: str) -> dict[str, dict[str, Any]]:
    """Topics of TDT: number and title, then what, who, where and when, then an explication.

    Topics that lack a number, a title, an event or an explication are not among them.
    """
    found: dict[str, dict[str, Any]] = {}
    labels = list(_LABEL.finditer(text))
    ends = [*(label.start() for label in labels[1:]), len(text)]
    heads = text[: labels[0].start()] if labels else ""
    event: dict[str, str] = {}
    number = title = ""
    for label, end in zip(labels, ends, strict=True):
        name, body = (label[1] or "").lower(), text[label.end() : end]
        if name == "what":
            event = {}
            number, title = _head(heads)
        if name == "topic explication":
            explication = [row for row in map(plain, _EMPTY_LINE.split(body)) if row]
            if number and title and event and explication:
                found[f"d{number}"] = {"title": title, "event": event, "explication": explication}
        elif name:
            event[name] = plain(body)
        heads = body
    return found


def _head(before: str) -> tuple[str, str]:
    """Number and title, the last that stand before an event."""
    number = title = ""
    for line in before.splitlines():
        if found := _NUMBER.search(line):
            number, title = found[1], ""
        rest = _BEFORE_TITLE.sub("", line.strip()) if found else line.strip()
        if rest and not rest.lower().startswith("seminal event"):
            title = rest
    return number, title


def _questions(text: str) -> dict[str, dict[str, Any]]:
    """The topics of the novelty track; lines that begin with a tag hold a label."""
    found: dict[str, dict[str, Any]] = {}
    for top in elements(text, "top"):
        parts = {
            part.name: part.inner
            for part in elements(top.inner, "num", "title", "desc", "desc2", "narr")
        }
        number = _NUMBERED.search(parts.get("num", ""))
        if number and parts.keys() >= {"title", "desc", "desc2", "narr"}:
            found[f"d{number[1]}"] = {
                "title": plain(parts["title"]),
                "description1": plain(parts["desc"].partition("\n")[2]),
                "description2": plain(parts["desc2"].partition("\n")[2]),
                "narrative": paragraphs(parts["narr"].partition("\n")[2]),
            }
    return found


# -- 2004 ------------------------------------------------------------------------

_FOLDER = re.compile(r"(d\d+)[a-z]", re.IGNORECASE)
_TEXTS = re.compile(r"duc2004\.task([125])\.ROUGE\.(?:peers|models)")
_DATED = re.compile(r"[A-Z]{3}(\d{4})(\d\d)(\d\d)\.")
_TOPICS = re.compile(r"(d\d+)[a-z]\t(.+)", re.IGNORECASE)


def duc2004(paths: Sequence[str], *, split_sentences: bool = True) -> Outcome:
    """Summaries of documents (1), of sets of them (2), and about people (5).

    Task 1 was not judged by people, and so has no file of metrics.
    """
    outcome, found = Outcome(), collect(paths, _take_2004)
    news, people, topics = found.documents["news"], found.documents["people"], found.given["topics"]
    parts: dict[str, object] = {
        "documents of tasks 1 and 2": news.texts,
        "documents of task 5": people.texts,
        "topics of task 5 (duc2004.task5.topicsets)": topics,
    }
    for number in "125":
        texts = found.tasks[number].texts
        parts[f"summaries of task {number} (duc2004.task{number}.ROUGE...)"] = texts
    for table in ("short.results.table2", "short.results.table5", "results.table.R"):
        parts[table] = table in found.tables
    demand(parts, "duc2004")
    outcome.files["task1.jsonl"] = news.singles(_written(found.tasks["1"]))
    outcome.files["task2.jsonl"] = news.clusters(_written(found.tasks["2"]))
    outcome.files["task5.jsonl"] = [
        {"topic": topics.get(record["instance_id"]), **record}
        for record in people.clusters(_written(found.tasks["5"]))
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


def _take_2004(found: ArchiveContent, file: File) -> None:
    name = file.path.name
    if texts := _TEXTS.search(str(file.path.parent)):
        names = name.split(".")
        if len(names) < (7 if texts[1] == "1" else 5):
            raise bad("the name tells no summary", file.place)
        instance = ".".join(names[5:7]) if texts[1] == "1" else names[0].lower()
        found.tasks[texts[1]].texts[instance][names[4]] = lines(file.data)
    elif name in ("short.results.table2", "short.results.table5"):
        found.tables.add(name)
        scores = found.tasks[name[-1]].scores
        for words, where in rows(file, 23):
            scores[words[0].lower()][words[7]].update(see(words[8:], 7, where))
    elif name == "results.table.R":
        found.tables.add(name)
        for words, where in rows(file, 5):
            (value,) = numbers(words[4:], where)
            found.tasks["5"].scores[words[0].lower()][words[3]]["responsiveness"] = value
    elif name == "duc2004.task5.topicsets":
        for line in lines(file.data):
            if topic := _TOPICS.fullmatch(line):
                found.given["topics"][topic[1].lower()] = topic[2].strip()
    elif chosen := _FOLDER.fullmatch(file.path.parent.name):
        for part, use in (("tasks1and2", "news"), ("task5", "people")):
            if part in file.path.parts or f"duc2004_{part}_docs" in file.path.parts:
                document = _dated(newswire(file, name))
                found.documents[use].add(chosen[1], name, document)


def _dated(document: dict[str, Any]) -> dict[str, Any]:
    if found := _DATED.match(document["filename"]):
        document["date"] = "-".join(found.groups())
    return document


def _written(task: Task) -> SummariesByItem:
    written = SummariesByItem()
    for instance, texts in task.texts.items():
        for who in sorted(texts):
            if kind(who) == "reference" and texts[who]:
                wrote(written, instance, who, texts[who])
    return written
