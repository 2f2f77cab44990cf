"""TAC 2008 to 2011: summaries of news topics with NIST's judgements and scores.

One evaluation archive holds everything: texts under ``ROUGE/models`` and
``ROUGE/peers``, tables of judgements under ``manual``, the outputs of ROUGE and
BE, each once against all models and once against all but one. The archives of
AESOP add the scores of the metrics that were submitted. Names of files are
``TOPIC-GROUP.M.LENGTH.ASSESSOR.SUMMARIZER``. Pyramids and the annotations of
systems are under ``manual/pyramids`` and ``manual/peers``. Topics and documents
are in archives of their own; the documents of 2011 are in English Gigaword."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from karat.core.files.opener import Source
from karat.errors import OptionError, Place
from karat.meta.datasets.archives import every_file
from karat.meta.datasets.nist import (
    Pyramids,
    automatic,
    kind,
    last_of_each,
    mean,
    records,
    report,
    summary_of,
    three,
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
from karat.meta.datasets.writing import Outcome, metrics_record
from karat.text.pyramid.ducview import UnreadablePyramid, renumber_by_label

_NAME = re.compile(r"(D\d+)-([A-Z])\.M\.\d+\.[A-Z]\.(\w+)", re.IGNORECASE)
_AUTOMATIC = re.compile(r"(?:rouge|simple)(jk)?(?:_[AB])?\.m(?:\.hm)?\.out")
_MANUAL = re.compile(r"manual\.(model|peer)(?:\.[AB])?")
_BOTH_GROUPS = re.compile(r"D\d+-AB\b", re.IGNORECASE)
_AESOP = re.compile(r"aesop_allpeers_([AB])")

Key = tuple[str, str, str]
"""Topic, group, summarizer."""


def tac2008(paths: Sequence[str]) -> Outcome:
    """TAC 2008, from UpdateSumm08_eval.tar.gz."""
    return _tac(paths, 800)


def tac2009(paths: Sequence[str], *, split_sentences: bool = True) -> Outcome:
    """TAC 2009, from UpdateSumm09_eval.tar.gz and AESOP09_eval.tar.gz."""
    return _tac(paths, 900, split=split_sentences)


def tac2010(paths: Sequence[str], *, split_sentences: bool = True) -> Outcome:
    """TAC 2010, from GuidedSumm2010_eval.tgz and AESOP2010_eval.tgz."""
    return _tac(paths, 1000, split=split_sentences)


def tac2011(paths: Sequence[str], *, split_sentences: bool = True) -> Outcome:
    """TAC 2011, from GuidedSumm2011_eval.tgz and AESOP2011_eval_V1.2.tgz."""
    return _tac(paths, 1100, by_label=True, split=split_sentences)


def _tac(
    paths: Sequence[str], first_topic: int, *, by_label: bool = False, split: bool = False
) -> Outcome:
    """`first_topic` is what AESOP's numbers of topics are counted from.

    `by_label` says that the annotations number the SCUs in another way than the
    pyramids, `split` that the lines of summaries are divided into sentences.
    """
    outcome = Outcome()
    texts: dict[Key, list[str]] = {}
    scores: dict[Key, dict[str, Any]] = {}
    left_out: dict[tuple[Key, str], list[tuple[float, ...]]] = {}
    topics, pyramids, gigaword, both_groups = Topics(), Pyramids(), [], 0
    for path in paths:
        if months := gigaword_files(path):
            gigaword += months
            continue
        for name, data in every_file(path):
            place, file = Place(f"{path}:{name}"), PurePosixPath(name)
            if file.parent.name in ("models", "peers") and "ROUGE" in file.parts:
                if found := _NAME.fullmatch(file.name):
                    text = lines(data)
                    texts[_key(found)] = sentences_of(text) if split else text
            elif found := _MANUAL.fullmatch(file.name):
                for key, values in _manual(data, found[1], place):
                    scores.setdefault(key, {}).update(values)
            elif found := _AUTOMATIC.fullmatch(file.name):
                for named, metric, measured in automatic(data, _NAME, place):
                    key = _key(named)
                    if found[1]:
                        left_out.setdefault((key, metric), []).append(measured)
                    else:
                        scores.setdefault(key, {})[metric] = three(measured)
            elif found := _AESOP.fullmatch(file.name):
                for key, values in _aesop(data, found[1], first_topic, place):
                    scores.setdefault(key, {})["aesop"] = values
            elif "manual" in file.parts and {"pyramids", "peers"} & set(file.parts):
                if _BOTH_GROUPS.match(file.name):
                    both_groups += 1
                else:
                    pyramids.take(f"{path}:{name}", data)
            else:
                topics.take(file, data, place)
    for (key, metric), lines_of_one in left_out.items():
        scores.setdefault(key, {})[f"{metric}_jk"] = mean(lines_of_one)
    if not texts:
        raise OptionError(
            "the archives hold no summaries: expected files under ROUGE/models and ROUGE/peers",
            code="K364",
        )
    _fill(outcome, texts, scores)
    written: dict[str, dict[str, list[str]]] = {}
    for (topic, group, summarizer), text in texts.items():
        written.setdefault(f"{topic}-{group}", {})[summarizer] = text
    topics.read_gigaword(gigaword)
    topics.fill(outcome, written)
    if both_groups:
        outcome.warnings.append(f"{both_groups} pyramids of both groups at once are left out")
    pyramids.settle()
    if by_label:
        _renumber(outcome, pyramids)
    _fill_pyramids(outcome, pyramids)
    return outcome


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


def _fill_pyramids(outcome: Outcome, pyramids: Pyramids) -> None:
    if not pyramids.pyramids:
        outcome.warnings.append("there are no pyramids in the archives")
        return
    annotations = last_of_each(one for _, one in pyramids.annotations())
    for name in ("A", "B", "A-B"):
        groups = name.split("-")
        outcome.files[f"task1.{name}.pyramids.jsonl"] = records(
            pyramids.pyramids[key] for key in sorted(pyramids.pyramids) if key[-1] in groups
        )
        outcome.files[f"task1.{name}.pyramid-annotations.jsonl"] = records(
            one for one in annotations if one.instance_id[-1] in groups
        )
    report(pyramids, outcome)


def _key(found: re.Match[str]) -> Key:
    return found[1].lower(), found[2].upper(), found[3]


def _manual(data: bytes, who: str, place: Place) -> Iterator[tuple[Key, dict[str, float]]]:
    """Judgements; the last three columns are the jackknifed pyramid score, quality, response."""
    for words, line, where in worded(data, place):
        topic, dash, group = words[0].partition("-")
        if not dash or len(words) < (7 if who == "model" else 9):
            raise bad(f"this is no judgement: {line[:60]!r}", where)
        row = numbers(words[2:], where)
        jackknifed, quality, response = row[-3:]
        values = {"num_scus_jk": row[0]} if who == "model" else {
            "modified_pyramid_score": row[0],
            "num_scus": row[1],
            "num_repetitions": row[2],
        }  # fmt: skip
        values |= {
            "modified_pyramid_score_jk": jackknifed,
            "linguistic_quality": quality,
            "overall_responsiveness": response,
        }
        yield (topic.lower(), group[:1].upper(), words[1]), values


def _aesop(
    data: bytes, group: str, first_topic: int, place: Place
) -> Iterator[tuple[Key, dict[str, float]]]:
    """A row for each summary: summarizer and topic with a letter before, then the metrics."""
    for words, line, where in worded(data, place, 1):
        if len(words) < 3 or not words[1][1:].isdigit():
            raise bad(f"this is no row of AESOP: {line[:60]!r}", where)
        topic = f"d{first_topic + int(words[1][1:]):04d}"
        values = {
            str(i): numbers([word], where)[0]
            for i, word in enumerate(words[2:], 1)
            if word != "NaN"
        }
        yield (topic, group, words[0][1:]), values


def _fill(outcome: Outcome, texts: dict[Key, list[str]], scores: dict[Key, dict[str, Any]]) -> None:
    unjudged = 0
    written: dict[tuple[str, str], dict[str, list[str]]] = {}
    for (topic, group, summarizer), text in texts.items():
        written.setdefault((topic, group), {})[summarizer] = text
    summaries: dict[str, list[dict[str, Any]]] = {}
    metrics: dict[str, list[dict[str, Any]]] = {}
    for topic, group, summarizer in sorted(texts, key=lambda key: (key[0], key[2], key[1])):
        instance = f"{topic}-{group}"
        record = summary_of(instance, summarizer, written[topic, group])
        found = scores.get((topic, group, summarizer))
        unjudged += found is None
        for name in (group, "A-B"):
            summaries.setdefault(name, []).append(record)
            if found is not None:
                metrics.setdefault(name, []).append(
                    metrics_record(instance, summarizer, found, kind(summarizer))
                )
    for name in summaries:
        outcome.files[f"task1.{name}.summaries.jsonl"] = summaries[name]
        outcome.files[f"task1.{name}.metrics.jsonl"] = metrics.get(name, [])
    if unjudged:
        outcome.warnings.append(f"{unjudged} summaries have no judgement and no score")


_FOLDER = re.compile(r"(D\d+)([A-Z])-([A-Z])", re.IGNORECASE)
_TOPIC = re.compile(r"(D\d+)([A-Z])", re.IGNORECASE)
_DATED = re.compile(r"(\d{4})(\d{2})(\d{2})\.")
_CATALOG = re.compile(r"\.LDC\d+T\d+$")
_GIGAWORD = re.compile(r"[a-z]{3}_eng_\d{6}(?:\.gz)?", re.IGNORECASE)
_BEGIN = re.compile(r'<DOC\s+id\s*=\s*"([^"]+)"', re.IGNORECASE)
_CATEGORIES = (
    "Accidents and Natural Disasters", "Attacks", "Health and Safety", "Endangered Resources",
    "Investigations and Trials",
)  # fmt: skip


def gigaword_files(path: str) -> list[Path]:
    """The files of English Gigaword, such as ``afp_eng_200501.gz``, that a path is or holds."""
    place = Path(path)
    found = sorted(place.rglob("*_eng_*")) if place.is_dir() else [place]
    return [file for file in found if _GIGAWORD.fullmatch(file.name)]


@dataclass(slots=True)
class Topics:
    """What was to be summarized, by topic and by ``topic-group``."""

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
                raise bad(f"{category!r} is no category", place)
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
        records: dict[str, list[Mapping[str, Any]]] = {"A": [], "B": [], "A-B": []}
        lost = 0
        for instance in sorted(self.documents):
            name, _, group = instance.partition("-")
            if name not in self.topics:
                outcome.warnings.append(f"{instance} has documents, but no topic; left out")
                continue
            own = self.documents[instance]
            lost += sum(each not in own for each in self.listed.get(instance, ()))
            record = {
                "instance_id": instance,
                "selector": self.selectors[name],
                "topic": self.topics[name],
                "documents": [document for _, document in sorted(own.items())],
                "summaries": [
                    {"annotator": who, "text": text}
                    for who, text in sorted(texts.get(instance, {}).items())
                    if kind(who) == "reference"
                ],
            }
            for part in (group, "A-B"):
                records.setdefault(part, []).append(record)
        for part, found in records.items():
            outcome.files[f"task1.{part}.jsonl"] = found
        unseen = sum(len(names) for key, names in self.listed.items() if key not in self.documents)
        if lost + unseen:
            outcome.warnings.append(f"{lost + unseen} documents that the topics list are not there")


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
    """Stories have paragraphs; what another document has is one."""
    whole = next(elements(text, "doc"), None)
    body = next(elements(text, "text"), None)
    if body is None:
        raise bad("there is no element TEXT in this document", place)
    document: dict[str, Any] = {"filename": name}
    sort = whole.attributes.get("type") if whole else None
    if sort:
        document["document_type"] = sort
    if headline := next(elements(text, "headline"), None):
        document["headline"] = plain(headline.inner)
    if dated := _DATED.search(name):
        document["date"] = "-".join(dated.groups())
    document["text"] = paragraphs(body.inner) if sort in (None, "story") else [plain(body.inner)]
    return document
