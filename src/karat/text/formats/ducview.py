"""DUCView: the XML files of pyramids and of their annotations."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from karat.core.files.opener import Source
from karat.core.files.xml import UnreadableXml
from karat.core.format import Format
from karat.core.items import Item
from karat.errors import FormatError, Place
from karat.text.model import TextRecord
from karat.text.pyramid.ducview import (
    Losses,
    UnreadablePyramid,
    parse_ducview,
    read_annotation,
    read_pyramid,
)


class DucView(Format):
    """A pyramid (``.pyr``), or an annotation together with its pyramid (``.pan``).

    The ids are those of the file's name, ``D0601.M.250.A.7.pan``: what stands before the
    first dot, in lower case, and what stands last; options say otherwise. Parts that are
    not where the file says are searched for; what is left out is counted in a warning.
    """

    name = "ducview"
    kind = "text"

    instance_id: Annotated[str, "the id of the input"] = ""
    summarizer_id: Annotated[str, "the id of the system"] = ""

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return head.lstrip().startswith("<") and ("<pyramid" in head or "<peer" in head)

    def read(self, source: Source) -> Iterator[Item]:
        losses = Losses()
        try:
            yield self._item(source, losses)
        except UnreadableXml as error:
            place = Place(source.name, error.line, error.column)
            raise FormatError(str(error), code="K109", place=place) from None
        except UnreadablePyramid as error:
            raise FormatError(str(error), code="K109", place=Place(source.name)) from None
        if losses:
            warnings.warn(f"{source.name}: left out {losses}", stacklevel=2)

    def _item(self, source: Source, losses: Losses) -> Item:
        names = Path(source.path).name.split(".")
        names = names[:-1] if len(names) > 1 else names
        instance = self.instance_id or names[0].lower()
        root = parse_ducview(source.content())
        inner = root if root.tag == "pyramid" else root.find("pyramid")
        if inner is None:
            raise UnreadablePyramid("there is no element 'pyramid'")
        pyramid = read_pyramid(inner, instance, losses)
        annotation = root.find("annotation")
        if annotation is None:
            return Item(TextRecord(pyramid=pyramid), (instance, None), 1)
        summarizer = self.summarizer_id or names[-1]
        known = [scu.scu_id for scu in pyramid.scus]
        found = read_annotation(annotation, instance, summarizer, known, losses)
        if not found.summary:
            raise UnreadablePyramid("the annotated summary is empty")
        fields = {"summarizer_id": summarizer, "summarizer_type": "peer"}
        value = TextRecord(found.summary, annotation=found, pyramid=pyramid)
        return Item(value, (instance, summarizer), 1, fields)
