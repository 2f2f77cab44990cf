"""Topics and documents of TAC: a topic has two sets of articles, A and B."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from karat.core.files.opener import Source
from karat.errors import FormatError, Place
from karat.meta.datasets.nist import kind
from karat.meta.datasets.sgml import Element, elements, paragraphs, plain
from karat.meta.datasets.writing import Outcome

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
            raise FormatError(
                f"a topic needs an id such as D0801A and a title: {element.attributes['id']!r}",
                code="K163",
                place=place,
            )
        name = found[1].lower()
        topic: dict[str, Any] = {"title": plain(title.inner)}
        if narrative := next(elements(element.inner, "narrative"), None):
            topic["narrative"] = paragraphs(narrative.inner)
        if category := element.attributes.get("category", "").strip():
            if category not in map(str, range(1, len(_CATEGORIES) + 1)):
                raise FormatError(f"{category!r} is no category", code="K163", place=place)
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
        raise FormatError("there is no element TEXT in this document", code="K163", place=place)
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
