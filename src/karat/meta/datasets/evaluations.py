"""DUC 2005 to 2007 and TAC 2008 to 2011: summaries of news with NIST's judgements and scores.

Files are known by their names and folders inside the archives: texts under ``ROUGE/models`` and
``ROUGE/peers``, tables of judgements, the outputs of ROUGE and BE against all models or against all
but one, the files of DUCView, the topics, and the documents in folders named for the topic and the
person who chose it (``D0601A``, ``D0801A-A``). Names of summaries are
``TOPIC-GROUP.M.LENGTH.ASSESSOR.SUMMARIZER``; only updates have groups. The archives of AESOP add
the scores of the metrics that were submitted. The documents of 2011 are in English Gigaword.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from karat.core.files.opener import Source
from karat.errors import OptionError, Place, counted
from karat.meta.datasets.archives import File, every_file, files
from karat.meta.datasets.evaluated import (
    FOLDER,
    Content,
    Pyramids,
    Year,
    document_of,
    in_groups,
    instance_of,
)
from karat.meta.datasets.reading import (
    Element,
    bad,
    elements,
    numbers,
    paragraphs,
    plain,
    worded,
)
from karat.meta.datasets.writing import Outcome, demand
from karat.text.formats.ducview import UnreadablePyramid, renumber_by_label

_TOPIC = re.compile(r"D\d+(?:-[A-Z])?", re.IGNORECASE)


# -- DUC 2005 to 2007: answers to questions --------------------------------------


def _judged(found: Content, file: File, _: re.Match[str], *, metric: str = "") -> None:
    """Rows of topic, two columns that are not read, summarizer, and the judgement.

    In the table of linguistic quality the number of the question stands before it.
    """
    for words, line, where in worded(file.data, file.place):
        if not _TOPIC.fullmatch(words[0]):
            continue
        if len(words) < (5 if metric else 6):
            raise bad(f"this is not a judgement: {line[:60]!r}", where)
        topic, _dash, group = words[0].partition("-")
        scores = found.task.scores[instance_of(topic, group)][words[3]]
        if metric:
            (scores[metric],) = numbers(words[4:5], where)
        else:
            (value,) = numbers(words[5:6], where)
            scores.setdefault("linguistic_quality", {})[f"Q{words[4]}"] = value


_MODIFIED = ("modified_pyramid_score", "num_scus", "num_repetitions")


def _pyramid_scores(
    found: Content, file: File, _: re.Match[str], *, columns: Sequence[str] = _MODIFIED
) -> None:
    """Rows of topic, summarizer and scores; a topic may lack its letter, a number have zeros."""
    for words, line, where in worded(file.data, file.place):
        if len(words) < 2 + len(columns):
            raise bad(f"this is not a pyramid score: {line[:60]!r}", where)
        topic, _dash, group = words[0].lower().removeprefix("d").partition("-")
        values = numbers(words[2 : 2 + len(columns)], where)
        scores = found.task.scores[instance_of(f"d{topic}", group)][words[1].lstrip("0") or "0"]
        scores.update(zip(columns, values, strict=True))


def _questions(found: Content, file: File) -> None:
    for topic in elements(file.text, "topic"):
        parts = {
            part.name: part.inner
            for part in elements(topic.inner, "num", "title", "narr", "granularity")
        }
        number = FOLDER.fullmatch(plain(parts.get("num", "")))
        if number is None or not {"title", "narr"} <= parts.keys():
            raise bad("a topic needs num, title and narr", file.place)
        found.topics[number[1].lower()] = {
            "title": plain(parts["title"]),
            "narrative": paragraphs(parts["narr"]),
            **{name: plain(parts[name]) for name in ("granularity",) if name in parts},
        }


def _duc(systems: str = "", columns: Sequence[str] = _MODIFIED) -> Year:
    tables = {
        r"responsiveness\.table": "responsiveness",
        r"overall\.table": "overall_responsiveness",
        r"content\.table": "content_responsiveness",
        r"linguistic_quality\.table": "",
    }
    return Year(
        re.compile(r"(D\d+)(?:-([A-Z]))?\.M\.\d+\.[A-Z]\.(\w+)", re.IGNORECASE),
        re.compile(r"(?:rouge|simple)(jk)\.m(?:\.hm)?\.out"),
        {name: partial(_judged, metric=metric) for name, metric in tables.items()}
        | {
            r"processed_pans\.txt|200[67]_modified_scores\.txt": partial(
                _pyramid_scores, columns=columns
            )
        },
        re.compile(r"(?:^|/)(?:pans|allpans|allpyramids)$"),
        _questions,
        (".sgml",),
        grouped="update",
        systems=systems,
    )


def _fill(
    outcome: Outcome, found: Content, of: str, name: str, tables: Sequence[str], often: str = ""
) -> None:
    """Adds the files of a task, of which nothing may be missing."""
    found.settle()
    parts: dict[str, object] = {
        "documents (in folders such as D0601A)": found.documents,
        "topics (.sgml)": found.topics,
        "summaries of people (ROUGE/models)": found.models,
        "summaries of systems (ROUGE/peers)": found.task.texts,
        "scores of ROUGE (rougejk.m.out)": found.left_out,
        "pyramids": found.pyramids.pyramids,
        "annotations (pans)": found.pyramids.waiting,
    }
    demand(parts | {table: table in found.tables for table in tables}, of)
    for instance in sorted(found.documents):
        lacks = instance.partition("-")[0] not in found.topics
        outcome.warn_if(lacks, f"{name}: {instance} has documents, but no topic")
    outcome.files[f"{name}.jsonl"] = [
        found.record(instance, found.models.get(instance, {}))
        for instance in sorted(found.documents)
    ]
    found.task.fill(outcome, name)
    found.fill_pyramids(outcome, name, found.pyramids.annotations(), often)


def _one_task(
    paths: Sequence[str], *, of: str, year: Year, tables: Sequence[str], often: str = ""
) -> Outcome:
    outcome, found = Outcome(), Content()
    for file in files(paths, every_file):
        year.take(found, file)
    _fill(outcome, found, of, "task1", tables, often)
    return outcome


duc2005 = partial(
    _one_task,
    of="duc2005",
    year=_duc(columns=("pyramid_score", *_MODIFIED)),
    tables=("responsiveness.table", "linguistic_quality.table", "processed_pans.txt"),
)
duc2006 = partial(
    _one_task,
    of="duc2006",
    year=_duc("NISTeval2"),
    tables=(
        "overall.table", "content.table", "linguistic_quality.table", "2006_modified_scores.txt",
    ),
    often="d0631",
)  # fmt: skip


def duc2007(paths: Sequence[str]) -> Outcome:
    """DUC 2007: the main task, and updates after reading documents A, then B, then C."""
    outcome, main, update = Outcome(), Content(), Content()
    for file in files(paths, every_file):
        _duc().take(update if "update" in str(file.path).lower() else main, file)
    tables = ("content.table", "linguistic_quality.table", "2007_modified_scores.txt")
    _fill(outcome, main, "duc2007", "task1", tables)
    _fill(outcome, update, "duc2007", "task2.A-B-C", (tables[0], tables[2]))
    in_groups(outcome, "task2.A-B-C")
    return outcome


# -- TAC 2008 to 2011: updates, and summaries that are guided by a category ------

_WHOLE = "task1.A-B"
_CATEGORIES = (
    "Accidents and Natural Disasters", "Attacks", "Health and Safety", "Endangered Resources",
    "Investigations and Trials",
)  # fmt: skip
_CATALOG = re.compile(r"\.LDC\d+T\d+$")
_GIGAWORD = re.compile(r"[a-z]{3}_eng_\d{6}(?:\.gz)?", re.IGNORECASE)
_BEGIN = re.compile(r'<DOC\s+id\s*=\s*"([^"]+)"', re.IGNORECASE)


def _manual(found: Content, file: File, table: re.Match[str]) -> None:
    """Judgements; the last three columns are the jackknifed pyramid score, quality, response."""
    is_model = table[1] == "model"
    first = ("num_scus_jk",) if is_model else _MODIFIED
    last = ("modified_pyramid_score_jk", "linguistic_quality", "overall_responsiveness")
    for words, line, where in worded(file.data, file.place):
        topic, dash, group = words[0].partition("-")
        if not dash or len(words) < (7 if is_model else 9):
            raise bad(f"this is not a judgement: {line[:60]!r}", where)
        row = numbers(words[2:], where)
        values = dict(zip((*first, *last), (*row[: len(first)], *row[-3:]), strict=True))
        found.task.scores[instance_of(topic, group[:1])][words[1]].update(values)


def _aesop(found: Content, file: File, table: re.Match[str], *, first_topic: int) -> None:
    """A row for each summary: summarizer and topic with a letter before, then the metrics.

    `first_topic` is what the numbers of topics are counted from.
    """
    for words, line, where in worded(file.data, file.place, 1):
        if len(words) < 3 or not re.fullmatch(r"\d{1,18}", words[1][1:]):
            raise bad(f"this is not a row of AESOP: {line[:60]!r}", where)
        instance = instance_of(f"d{first_topic + int(words[1][1:]):04d}", table[1])
        found.task.scores[instance][words[0][1:]]["aesop"] = {
            str(i): numbers([word], where)[0]
            for i, word in enumerate(words[2:], 1)
            if word != "NaN"
        }


def _topics(found: Content, file: File) -> None:
    for element in elements(file.text, "topic"):
        if "id" in element.attributes:  # no mention in the explanation at the top
            _topic(found, element, file.place)


def _topic(found: Content, element: Element, place: Place) -> None:
    id_ = element.attributes["id"]
    named = FOLDER.fullmatch(id_.strip())
    title = next(elements(element.inner, "title"), None)
    if not named or named[3] or title is None:
        raise bad(f"a topic needs an id such as D0801A and a title: {id_!r}", place)
    name = named[1].lower()
    topic: dict[str, Any] = {"title": plain(title.inner)}
    if narrative := next(elements(element.inner, "narrative"), None):
        topic["narrative"] = paragraphs(narrative.inner)
    if category := element.attributes.get("category", "").strip():
        if category not in map(str, range(1, len(_CATEGORIES) + 1)):
            raise bad(f"{category!r} is not a category", place)
        topic["category"] = _CATEGORIES[int(category) - 1]
    found.topics[name] = topic
    found.selectors[name] = named[2].upper()
    for group in "AB":
        for inner in elements(element.inner, f"docset{group.lower()}"):
            names = [doc.attributes.get("id", "") for doc in elements(inner.inner, "doc")]
            found.listed[f"{name}-{group}"] = [_CATALOG.sub("", each) for each in names if each]


def _tac(
    paths: Sequence[str],
    *,
    first_topic: int,
    by_label: bool = False,
    split_sentences: bool = False,
) -> Outcome:
    """`by_label` says that the annotations number the SCUs in another way than the pyramids."""
    outcome, found = Outcome(), Content()
    year = Year(
        re.compile(r"(D\d+)-([A-Z])\.M\.\d+\.[A-Z]\.(\w+)", re.IGNORECASE),
        re.compile(r"(?:rouge|simple)(jk)?(?:_[AB])?\.m(?:\.hm)?\.out"),
        {
            r"manual\.(model|peer)(?:\.[AB])?": _manual,
            r"aesop_allpeers_([AB])": partial(_aesop, first_topic=first_topic),
        },
        re.compile(r"(?:^|/)manual/(?:.*/)?(?:pyramids|peers)(?:/|$)"),
        _topics,
        (".xml", ".xml.txt"),
        split_sentences=split_sentences,
    )
    months = {path: _gigaword_files(path) for path in paths}
    for file in files([path for path in paths if not months[path]], every_file):
        year.take(found, file)
    task = found.task
    if not task.texts:
        raise OptionError(
            "the archives hold no summaries: expected files under ROUGE/models and ROUGE/peers",
            code="K364",
        )
    found.settle()
    task.fill(outcome, _WHOLE, keep_empty=True, order=_by_topic)
    _read_gigaword(found, [file for some in months.values() for file in some])
    _fill_documents(outcome, found)
    outcome.warn_if(
        found.both_groups, f"{counted(found.both_groups, 'pyramid')} of both groups left out"
    )
    if by_label:
        _renumber(outcome, found.pyramids)
    if found.pyramids.pyramids:
        found.fill_pyramids(outcome, _WHOLE, found.pyramids.annotations())
    else:
        outcome.warnings.append("there are no pyramids in the archives")
    in_groups(outcome, _WHOLE)
    return outcome


tac2008 = partial(_tac, first_topic=800)
tac2009 = partial(_tac, first_topic=900)
tac2010 = partial(_tac, first_topic=1000)
tac2011 = partial(_tac, first_topic=1100, by_label=True)


def _by_topic(key: tuple[str, str]) -> tuple[str, str, str]:
    """Topic, summarizer, group."""
    topic, _, group = key[0].partition("-")
    return topic, key[1], group


def _renumber(outcome: Outcome, pyramids: Pyramids) -> None:
    """Brings the numbers of SCUs in annotations to those of the pyramids, by their labels."""
    lost = 0
    for instance, _, _, place, root in pyramids.waiting:
        if instance in pyramids.pyramids:
            try:
                lost += renumber_by_label(root, pyramids.pyramids[instance])
            except UnreadablePyramid as error:
                pyramids.warnings.append(f"{place}: {error}")
    if pyramids.waiting:
        outcome.warnings.append(
            "the annotations number SCUs in another way than the pyramids: they are matched by "
            f"their labels, {lost} have none there and are left out"
        )


def _fill_documents(outcome: Outcome, found: Content) -> None:
    """Adds the file of documents, where there are some and topics."""
    parts = (("topics", found.topics), ("documents", found.documents))
    if lacking := " and ".join(name for name, there in parts if not there):
        outcome.warnings.append(f"task1.*.jsonl are not written: there are no {lacking}")
        return
    made: list[Mapping[str, Any]] = []
    lost = sum(len(names) for key, names in found.listed.items() if key not in found.documents)
    for instance in sorted(found.documents):
        if instance.partition("-")[0] not in found.topics:
            outcome.warnings.append(f"{instance} has documents, but no topic; left out")
            continue
        own = found.documents[instance]
        lost += sum(each not in own for each in found.listed.get(instance, ()))
        texts = found.task.texts.get(instance, {})
        made.append(found.record(instance, {w: text for w, text in texts.items() if w.isalpha()}))
    outcome.files[f"{_WHOLE}.jsonl"] = made
    outcome.warn_if(lost, f"{counted(lost, 'listed document')} not found")


def _gigaword_files(path: str) -> list[Path]:
    """The files of English Gigaword, such as ``afp_eng_200501.gz``, that a path is or holds."""
    place = Path(path)
    found = sorted(place.rglob("*_eng_*")) if place.is_dir() else [place]
    return [file for file in found if _GIGAWORD.fullmatch(file.name)]


def _read_gigaword(found: Content, months: Iterable[Path]) -> None:
    """Finds the listed documents in the months of Gigaword that they are from."""
    wanted = {name for names in found.listed.values() for name in names}
    read: dict[str, dict[str, Any]] = {}
    for file in months:
        month = file.name.lower().removesuffix(".gz")
        for name, text in _wanted_documents(
            file, {each for each in wanted if each[:14].lower() == month}
        ):
            read[name] = document_of(name, text, Place(str(file)))
    for instance, names in found.listed.items():
        known = {name: read[name] for name in names if name in read}
        if known:
            found.documents[instance].update(known)


def _wanted_documents(file: Path, names: set[str]) -> Iterator[tuple[str, str]]:
    """The documents with these names, from a file that is read line by line, if there are any."""
    name, kept = "", list[str]()
    for _, line in Source(str(file)).lines() if names else ():
        if begin := _BEGIN.match(line):
            name, kept = (begin[1], []) if begin[1] in names else ("", [])
        if name:
            kept.append(line)
            if line.strip().upper() == "</DOC>":
                yield name, "\n".join(kept)
                name = ""
