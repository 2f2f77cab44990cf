"""TAC 2008 to 2011: summaries of news topics with NIST's judgements and scores.

One evaluation archive holds everything: texts under ``ROUGE/models`` and
``ROUGE/peers``, tables of judgements under ``manual``, the outputs of ROUGE and
BE, each once against all models and once against all but one. The archives of
AESOP add the scores of the metrics that were submitted. Names of files are
``TOPIC-GROUP.M.LENGTH.ASSESSOR.SUMMARIZER``. Pyramids and the annotations of
systems are under ``manual/pyramids`` and ``manual/peers``. Topics and documents
are in archives of their own; the documents of 2011 are in English Gigaword.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from karat.core.files.opener import Source
from karat.errors import OptionError, Place, counted
from karat.meta.datasets.archives import every_file
from karat.meta.datasets.nist import (
    EvaluatedTask,
    Pyramids,
    Task,
    document_record,
    in_groups,
    instance_of,
    newspaper,
)
from karat.meta.datasets.reading import (
    Element,
    bad,
    elements,
    lines,
    numbers,
    paragraphs,
    plain,
    sentences_of,
    worded,
)
from karat.meta.datasets.writing import Outcome
from karat.text.formats.ducview import UnreadablePyramid, renumber_by_label

_NAME = re.compile(r"(D\d+)-([A-Z])\.M\.\d+\.[A-Z]\.(\w+)", re.IGNORECASE)
_AUTOMATIC = re.compile(r"(?:rouge|simple)(jk)?(?:_[AB])?\.m(?:\.hm)?\.out")
_MANUAL = re.compile(r"manual\.(model|peer)(?:\.[AB])?")
_BOTH_GROUPS = re.compile(r"D\d+-AB\b", re.IGNORECASE)
_AESOP = re.compile(r"aesop_allpeers_([AB])")
_FOLDER = re.compile(r"(D\d+)([A-Z])-([A-Z])", re.IGNORECASE)
_TOPIC = re.compile(r"(D\d+)([A-Z])", re.IGNORECASE)
_DATED = re.compile(r"(\d{4})(\d{2})(\d{2})\.")
_CATALOG = re.compile(r"\.LDC\d+T\d+$")
_GIGAWORD = re.compile(r"[a-z]{3}_eng_\d{6}(?:\.gz)?", re.IGNORECASE)
_BEGIN = re.compile(r'<DOC\s+id\s*=\s*"([^"]+)"', re.IGNORECASE)
_WHOLE = "task1.A-B"
_CATEGORIES = (
    "Accidents and Natural Disasters", "Attacks", "Health and Safety", "Endangered Resources",
    "Investigations and Trials",
)  # fmt: skip


def _tac(
    paths: Sequence[str],
    *,
    first_topic: int,
    by_label: bool = False,
    split_sentences: bool = False,
) -> Outcome:
    """`first_topic` is what AESOP's numbers of topics are counted from.

    `by_label` says that the annotations number the SCUs in another way than the pyramids.
    """
    outcome, found, topics = Outcome(), EvaluatedTask(), _Topics()
    task, gigaword, both_groups = found.task, list[Path](), 0
    for path in paths:
        if months := _gigaword_files(path):
            gigaword += months
            continue
        for name, data in every_file(path):
            place, file = Place(f"{path}:{name}"), PurePosixPath(name)
            if file.parent.name in ("models", "peers") and "ROUGE" in file.parts:
                if named := _NAME.fullmatch(file.name):
                    text = sentences_of(lines(data)) if split_sentences else lines(data)
                    task.texts[instance_of(named[1], named[2])][named[3]] = text
            elif table := _MANUAL.fullmatch(file.name):
                _manual(task, data, table[1], place)
            elif table := _AUTOMATIC.fullmatch(file.name):
                found.measured(data, _NAME, place, jackknifed=bool(table[1]))
            elif table := _AESOP.fullmatch(file.name):
                _aesop(task, data, table[1], first_topic, place)
            elif "manual" in file.parts and {"pyramids", "peers"} & set(file.parts):
                if _BOTH_GROUPS.match(file.name):
                    both_groups += 1
                else:
                    found.pyramids.take(f"{path}:{name}", data)
            else:
                topics.take(file, data, place)
    if not task.texts:
        raise OptionError(
            "the archives hold no summaries: expected files under ROUGE/models and ROUGE/peers",
            code="K364",
        )
    found.settle()
    task.fill(outcome, _WHOLE, keep_empty=True, order=_by_topic)
    topics.read_gigaword(gigaword)
    topics.fill(outcome, task.texts)
    outcome.warn_if(both_groups, f"{counted(both_groups, 'pyramid')} of both groups left out")
    if by_label:
        _renumber(outcome, found.pyramids)
    if found.pyramids.pyramids:
        found.fill_pyramids(outcome, _WHOLE, (one for _, one in found.pyramids.annotations()))
    else:
        outcome.warnings.append("there are no pyramids in the archives")
    in_groups(outcome, _WHOLE)
    return outcome


def _by_topic(key: tuple[str, str]) -> tuple[str, str, str]:
    """Topic, summarizer, group."""
    topic, _, group = key[0].partition("-")
    return topic, key[1], group


tac2008 = partial(_tac, first_topic=800)
tac2009 = partial(_tac, first_topic=900)
tac2010 = partial(_tac, first_topic=1000)
tac2011 = partial(_tac, first_topic=1100, by_label=True)


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


def _manual(task: Task, data: bytes, who: str, place: Place) -> None:
    """Judgements; the last three columns are the jackknifed pyramid score, quality, response."""
    first = ("num_scus_jk",) if who == "model" else (
        "modified_pyramid_score", "num_scus", "num_repetitions",
    )  # fmt: skip
    last = ("modified_pyramid_score_jk", "linguistic_quality", "overall_responsiveness")
    for words, line, where in worded(data, place):
        topic, dash, group = words[0].partition("-")
        if not dash or len(words) < (7 if who == "model" else 9):
            raise bad(f"this is not a judgement: {line[:60]!r}", where)
        row = numbers(words[2:], where)
        values = dict(zip((*first, *last), (*row[: len(first)], *row[-3:]), strict=True))
        task.scores[instance_of(topic, group[:1])][words[1]].update(values)


def _aesop(task: Task, data: bytes, group: str, first_topic: int, place: Place) -> None:
    """A row for each summary: summarizer and topic with a letter before, then the metrics."""
    for words, line, where in worded(data, place, 1):
        if len(words) < 3 or not re.fullmatch(r"\d{1,18}", words[1][1:]):
            raise bad(f"this is not a row of AESOP: {line[:60]!r}", where)
        instance = instance_of(f"d{first_topic + int(words[1][1:]):04d}", group)
        task.scores[instance][words[0][1:]]["aesop"] = {
            str(i): numbers([word], where)[0]
            for i, word in enumerate(words[2:], 1)
            if word != "NaN"
        }


def _gigaword_files(path: str) -> list[Path]:
    """The files of English Gigaword, such as ``afp_eng_200501.gz``, that a path is or holds."""
    place = Path(path)
    found = sorted(place.rglob("*_eng_*")) if place.is_dir() else [place]
    return [file for file in found if _GIGAWORD.fullmatch(file.name)]


@dataclass(slots=True)
class _Topics:
    """Topics and documents, by topic and by ``topic-group``."""

    topics: dict[str, dict[str, Any]] = field(default_factory=dict)
    selectors: dict[str, str] = field(default_factory=dict)
    documents: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    listed: dict[str, list[str]] = field(default_factory=dict)
    """The names of the documents of each set, as the topics list them."""

    def take(self, file: PurePosixPath, data: bytes, place: Place) -> bool:
        """Takes a file of topics, or a document in a folder such as ``D0801A-A``."""
        if found := _FOLDER.fullmatch(file.parent.name):
            instance = f"{found[1].lower()}-{found[3].upper()}"
            self.selectors[found[1].lower()] = found[2].upper()
            text = data.decode("utf-8", "replace")
            self.documents.setdefault(instance, {})[file.name] = _document(file.name, text, place)
            return True
        if "topics" in file.name.lower() and file.name.lower().endswith((".xml", ".xml.txt")):
            for element in elements(data.decode("utf-8", "replace"), "topic"):
                self._topic(element, place)
            return True
        return False

    def _topic(self, element: Element, place: Place) -> None:
        if "id" not in element.attributes:  # a mention in the explanation at the top
            return
        found = _TOPIC.fullmatch(element.attributes["id"].strip())
        title = next(elements(element.inner, "title"), None)
        if not found or title is None:
            raise bad(
                f"a topic needs an id such as D0801A and a title: {element.attributes['id']!r}",
                place,
            )
        name = found[1].lower()
        topic: dict[str, Any] = {"title": plain(title.inner)}
        if narrative := next(elements(element.inner, "narrative"), None):
            topic["narrative"] = paragraphs(narrative.inner)
        if category := element.attributes.get("category", "").strip():
            if category not in map(str, range(1, len(_CATEGORIES) + 1)):
                raise bad(f"{category!r} is not a category", place)
            topic["category"] = _CATEGORIES[int(category) - 1]
        self.topics[name] = topic
        self.selectors[name] = found[2].upper()
        for group in "AB":
            for inner in elements(element.inner, f"docset{group.lower()}"):
                names = [doc.attributes.get("id", "") for doc in elements(inner.inner, "doc")]
                self.listed[f"{name}-{group}"] = [_CATALOG.sub("", each) for each in names if each]

    def read_gigaword(self, files: list[Path]) -> None:
        """Finds the listed documents in the months of Gigaword that they are from."""
        wanted: dict[str, set[str]] = {}
        for names in self.listed.values():
            for name in names:
                wanted.setdefault(name[:14].lower(), set()).add(name)
        found: dict[str, dict[str, Any]] = {}
        for file in files:
            months = wanted.get(file.name.lower().removesuffix(".gz"))
            if months:
                for name, text in _wanted_documents(file, months):
                    found[name] = _document(name, text, Place(str(file)))
        for instance, names in self.listed.items():
            known = {name: found[name] for name in names if name in found}
            if known:
                self.documents.setdefault(instance, {}).update(known)

    def fill(self, outcome: Outcome, texts: Mapping[str, Mapping[str, list[str]]]) -> None:
        """Adds the files of documents; `texts` are the summaries of each instance."""
        if not self.topics or not self.documents:
            lacking = " and ".join(
                name
                for name, there in (("topics", self.topics), ("documents", self.documents))
                if not there
            )
            outcome.warnings.append(f"task1.*.jsonl are not written: there are no {lacking}")
            return
        records: list[Mapping[str, Any]] = []
        lost = 0
        for instance in sorted(self.documents):
            name = instance.partition("-")[0]
            if name not in self.topics:
                outcome.warnings.append(f"{instance} has documents, but no topic; left out")
                continue
            own = self.documents[instance]
            lost += sum(each not in own for each in self.listed.get(instance, ()))
            people = {w: text for w, text in texts.get(instance, {}).items() if w.isalpha()}
            topic, selector = self.topics[name], self.selectors[name]
            records.append(document_record(instance, selector, topic, own, people))
        outcome.files[f"{_WHOLE}.jsonl"] = records
        unseen = sum(len(names) for key, names in self.listed.items() if key not in self.documents)
        if lost + unseen:
            outcome.warnings.append(f"{counted(lost + unseen, 'listed document')} not found")


def _wanted_documents(file: Path, names: set[str]) -> Iterator[tuple[str, str]]:
    """The documents with these names, from a file that is read line by line."""
    name, kept = "", list[str]()
    for _, line in Source(str(file)).lines():
        if begin := _BEGIN.match(line):
            name, kept = (begin[1], []) if begin[1] in names else ("", [])
        if name:
            kept.append(line)
            if line.strip().upper() == "</DOC>":
                yield name, "\n".join(kept)
                name = ""


def _document(name: str, text: str, place: Place) -> dict[str, Any]:
    whole = next(elements(text, "doc"), None)
    sort = whole.attributes.get("type") if whole else None
    return newspaper(name, text, _DATED.search(name), place, sort)
