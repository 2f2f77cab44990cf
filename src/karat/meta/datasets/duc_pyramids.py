"""Pyramids and their annotations in the archives of DUC."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element

import msgspec

from karat.core.files.xml import UnreadableXml
from karat.meta.datasets.nist import kind
from karat.meta.datasets.writing import Outcome
from karat.text.pyramid.ducview import (
    Losses,
    UnreadablePyramid,
    parse_ducview,
    read_annotation,
    read_pyramid,
)
from karat.text.pyramid.model import Annotation, Pyramid

_ANNOTATED = re.compile(r"(?:(\d+)\.)?(D\d+)(?:-([A-Z]))?\.M\.\d+\.[A-Z]\.(\w+)", re.IGNORECASE)
_PYRAMID = re.compile(r"(D\d+)(?:-([A-Z])(?![A-Za-z]))?", re.IGNORECASE)


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


def last_of_each(annotations: Iterable[Annotation]) -> list[Annotation]:
    """One annotation of each summary, the last, in the order of the ids."""
    kept = {(one.instance_id, one.summarizer_id): one for one in annotations}
    return [kept[key] for key in sorted(kept)]


def records(values: Iterable[Pyramid | Annotation]) -> list[Mapping[str, Any]]:
    return [msgspec.to_builtins(value) for value in values]


def report(pyramids: Pyramids, outcome: Outcome) -> None:
    """Adds what was left out to the warnings."""
    outcome.warnings.extend(pyramids.warnings)
    if pyramids.losses:
        outcome.warnings.append(f"pyramids and annotations: left out {pyramids.losses}")
