"""Evaluations of NIST with pyramids: what their archives hold, and the files made of it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from xml.etree.ElementTree import Element

import msgspec

from karat.core.files.notations import UnreadableXml
from karat.errors import Place
from karat.meta.datasets.archives import File
from karat.meta.datasets.nist import Task, Triple, automatic, kind, three
from karat.meta.datasets.reading import (
    bad,
    elements,
    lines,
    paragraphs,
    plain,
    sentences_of,
)
from karat.meta.datasets.writing import Outcome
from karat.text.formats.ducview import (
    Losses,
    UnreadablePyramid,
    parse_ducview,
    read_annotation,
    read_pyramid,
)
from karat.text.pyramid import Annotation, Pyramid

FOLDER = re.compile(r"(D\d+)([A-Z])(?:-([A-Z]))?", re.IGNORECASE)
_TOPIC = re.compile(r"D\d+(?:-[A-Z])?", re.IGNORECASE)
_BOTH_GROUPS = re.compile(r"D\d+-AB\b", re.IGNORECASE)
_DATED = re.compile(r"(\d{4})(\d\d)(\d\d)\.")
_SET_KEPT = "114"
"""The set of annotations that is kept, where a topic was annotated several times."""

_ANNOTATED = re.compile(r"(?:(\d+)\.)?(D\d+)(?:-([A-Z]))?\.M\.\d+\.[A-Z]\.(\w+)", re.IGNORECASE)
_PYRAMID = re.compile(r"(D\d+)(?:-([A-Z])(?![A-Za-z]))?", re.IGNORECASE)


Read: TypeAlias = "Callable[[Content, File, re.Match[str]], None]"
"""Reads a table of judgements or scores, whose name was matched."""


def instance_of(topic: str, group: str | None) -> str:
    return topic.lower() + (f"-{group.upper()}" if group else "")


@dataclass(slots=True)
class Pyramids:
    """Pyramids by instance, and the files of annotations until all pyramids are known."""

    pyramids: dict[str, Pyramid] = field(default_factory=dict)
    waiting: list[tuple[str, str, str, str, Element]] = field(default_factory=list)
    combined: dict[str, Element] = field(default_factory=dict)
    losses: Losses = field(default_factory=Losses)
    warnings: list[str] = field(default_factory=list)

    def take(self, place: str, data: bytes, *, grouped: bool = True) -> None:
        """A file of either kind; `grouped` says whether names of pyramids tell a group."""
        name = place.rpartition("/")[2]
        try:
            root = parse_ducview(data)
            found = _ANNOTATED.match(name)
            inner = root.find("annotation")
            if found and inner is not None:
                self._annotation(found, root, inner, place)
            elif found := _PYRAMID.match(name):
                instance = instance_of(found[1], found[2] if grouped else None)
                self._pyramid(instance, root)
            else:
                self.warnings.append(f"{place}: the name tells no topic; left out")
        except (UnreadableXml, UnreadablePyramid) as error:
            self.warnings.append(f"{place}: left out: {error}")

    def _annotation(self, found: re.Match[str], root: Element, inner: Element, place: str) -> None:
        instance = instance_of(found[2], found[3])
        summarizer = found[4].lstrip("0") or "0"
        self.waiting.append((instance, summarizer, found[1] or "", place, inner))
        if root.find("pyramid") is not None:
            self.combined.setdefault(instance, root)

    def settle(self) -> None:
        """Takes the pyramids that have no file of their own from the annotations."""
        for instance, root in self.combined.items():
            if instance not in self.pyramids:
                try:
                    self._pyramid(instance, root)
                except UnreadablePyramid as error:
                    self.warnings.append(f"the pyramid of {instance} is left out: {error}")

    def _pyramid(self, instance: str, root: Element) -> None:
        inner = root if root.tag == "pyramid" else root.find("pyramid")
        if inner is None:
            raise UnreadablePyramid("there is no element 'pyramid'")
        self.pyramids[instance] = read_pyramid(inner, instance, self.losses)

    def annotations(self) -> list[tuple[str, Annotation]]:
        """The annotations, each with the number of its set, in the order of the archive."""
        found = []
        for instance, summarizer, number, place, root in self.waiting:
            if instance not in self.pyramids:
                self.warnings.append(f"{place}: there is no pyramid {instance}; left out")
                continue
            known = [scu.scu_id for scu in self.pyramids[instance].scus]
            try:
                annotation = read_annotation(root, instance, summarizer, known, self.losses)
            except UnreadablePyramid as error:
                self.warnings.append(f"{place}: left out: {error}")
                continue
            if not annotation.summary:
                self.warnings.append(f"{place}: the annotated summary is empty; left out")
                continue
            found.append(
                (number, msgspec.structs.replace(annotation, summarizer_type=kind(summarizer)))
            )
        return found


def records(values: Iterable[Pyramid | Annotation]) -> list[Mapping[str, Any]]:
    return [msgspec.to_builtins(value) for value in values]


@dataclass(slots=True)
class Content:
    """All that the archives hold of a task, by instance: a topic, or a topic and its group."""

    task: Task = field(default_factory=Task)
    models: dict[str, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(dict))
    left_out: dict[tuple[str, str, str], list[Triple]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """By instance, summarizer and metric: the scores against all models but one."""
    pyramids: Pyramids = field(default_factory=Pyramids)
    documents: dict[str, dict[str, dict[str, Any]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    topics: dict[str, dict[str, Any]] = field(default_factory=dict)
    selectors: dict[str, str] = field(default_factory=dict)
    """Who chose each topic."""
    listed: dict[str, list[str]] = field(default_factory=dict)
    """The names of the documents of each instance, where the topics list them."""
    tables: set[str] = field(default_factory=set)
    both_groups: int = 0
    """The pyramids of two groups at once, which are left out."""

    def measured(self, file: File, names: re.Pattern[str], *, jackknifed: bool) -> None:
        """Takes an output of ROUGE or BE: against all models, or against all but one."""
        for named, metric, values in automatic(file, names):
            instance, who = instance_of(named[1], named[2]), named[3]
            if jackknifed:
                self.left_out[instance, who, metric].append(values)
            else:
                self.task.scores[instance][who][metric] = three(values)

    def settle(self) -> None:
        """Finishes what needs all files."""
        self.pyramids.settle()
        for (instance, who, metric), measured in self.left_out.items():
            columns = zip(*measured, strict=True)
            mean = tuple(sum(column) / len(measured) for column in columns)
            self.task.scores[instance][who][f"{metric}_jk"] = three(mean)

    def record(self, instance: str, people: Mapping[str, list[str]]) -> dict[str, Any]:
        """The documents of an instance, and the summaries of people."""
        name = instance.partition("-")[0]
        topic = self.topics.get(name)
        return {
            "instance_id": instance,
            "selector": self.selectors[name],
            **({"topic": topic} if topic else {}),
            "documents": [document for _, document in sorted(self.documents[instance].items())],
            "summaries": [{"annotator": who, "text": text} for who, text in sorted(people.items())],
        }

    def fill_pyramids(
        self, outcome: Outcome, name: str, annotations: Sequence[tuple[str, Any]], often: str = ""
    ) -> None:
        """Adds the files of pyramids and of annotations, the last of each summary.

        A topic that was annotated `often` has a file of its own; of it one set is kept.
        """
        kept = {
            (one.instance_id, one.summarizer_id): one
            for number, one in annotations
            if one.instance_id != often or number == _SET_KEPT
        }
        pyramids = self.pyramids
        units = (each for _, each in sorted(pyramids.pyramids.items()))
        outcome.files[f"{name}.pyramids.jsonl"] = records(units)
        outcome.files[f"{name}.pyramid-annotations.jsonl"] = records(
            kept[key] for key in sorted(kept)
        )
        outcome.warnings.extend(pyramids.warnings)
        outcome.warn_if(pyramids.losses, f"pyramids and annotations: left out {pyramids.losses}")
        if often:
            several = [one for _, one in annotations if one.instance_id == often]
            several.sort(key=lambda one: one.summarizer_id)
            outcome.files[f"{name}.{often}.pyramid-annotations.jsonl"] = records(several)


@dataclass(frozen=True, slots=True)
class Year:
    """What differs between the years."""

    names: re.Pattern[str]
    """Names of summaries: topic, group and summarizer."""
    automatic: re.Pattern[str]
    """Outputs of ROUGE and BE; a group says that one model was left out."""
    tables: Mapping[str, Read]
    """Patterns of the names of tables."""
    pyramids: re.Pattern[str]
    """The folders of pyramids and annotations."""
    topics: Callable[[Content, File], None]
    topic_files: tuple[str, ...]
    grouped: str = ""
    """A part of the paths of pyramids whose names tell a group."""
    systems: str = ""
    """The archive with the texts of the systems and the outputs of ROUGE, if others have some."""
    split_sentences: bool = False

    def take(self, found: Content, file: File) -> None:
        """Takes what a file holds; those that are not known are passed over."""
        *folders, name = file.path.parts
        folder = folders[-1] if folders else ""
        own = not self.systems or self.systems in folders
        if folder in ("models", "peers") and "ROUGE" in folders:
            if named := self.names.fullmatch(name):
                instance, text = instance_of(named[1], named[2]), lines(file.data)
                text = sentences_of(text) if self.split_sentences else text
                if folder == "models":
                    found.models[instance][named[3]] = text
                if own:
                    found.task.texts[instance][named[3]] = text
        elif output := self.automatic.fullmatch(name):
            if own:
                found.measured(file, self.names, jackknifed=bool(output[1]))
        elif table := next((m for each in self.tables if (m := re.fullmatch(each, name))), None):
            found.tables.add(name)
            self.tables[table.re.pattern](found, file, table)
        elif self.pyramids.search("/".join(folders)):
            if _BOTH_GROUPS.match(name):
                found.both_groups += 1
            else:
                grouped = self.grouped in str(file.path).lower()
                found.pyramids.take(file.place.file or name, file.data, grouped=grouped)
        elif chosen := FOLDER.fullmatch(folder):
            found.selectors[chosen[1].lower()] = chosen[2].upper()
            document = document_of(name, file.text, file.place)
            found.documents[instance_of(chosen[1], chosen[3])][name] = document
        elif name.lower().endswith(self.topic_files):
            self.topics(found, file)


def document_of(name: str, content: str, place: Place) -> dict[str, Any]:
    """A document with headline and date; stories have paragraphs, what others have is one."""
    whole = next(elements(content, "doc"), None)
    sort = whole.attributes.get("type") if whole else None
    body = next((found for part in ("text", "graphic") for found in elements(content, part)), None)
    if body is None:
        raise bad("there is no element TEXT in this document", place)
    document: dict[str, Any] = {"filename": name}
    if sort:
        document["document_type"] = sort
    if headline := next(elements(content, "headline"), None):
        document["headline"] = plain(headline.inner)
    if dated := _DATED.search(name):
        document["date"] = "-".join(dated.groups())
    document["text"] = paragraphs(body.inner) if sort in (None, "story") else [plain(body.inner)]
    return document


def in_groups(outcome: Outcome, whole: str) -> None:
    """Files such as ``task1.A-B.jsonl`` once more for each group of documents by itself."""
    groups = whole.rpartition(".")[2]
    for name in [name for name in outcome.files if name.startswith(whole)]:
        for group in groups.split("-"):
            outcome.files[name.replace(groups, group, 1)] = [
                record
                for record in outcome.files[name]
                if record["instance_id"].endswith(f"-{group}")
            ]
