"""UCCA passages in XML, whole: a file, a list of files, or a folder of them."""

from __future__ import annotations

from collections.abc import Iterator

from karat.core.files.opener import Source
from karat.core.format import Format
from karat.core.items import Item
from karat.graphs.errors import UnreadableGraph
from karat.graphs.formats.base import broken_item, listed_files, xml_files
from karat.graphs.ucca.passages import parse_passage


class PassageXml(Format):
    """One passage, a list of file names, one a line, relative to the list, or a folder."""

    name = "ucca-xml"
    kind = "passage"
    folders = True

    @classmethod
    def recognizes(cls, head: str) -> bool:
        first = head.lstrip().partition("\n")[0].strip()
        return first.startswith("<") or first.endswith(".xml")

    def read(self, source: Source) -> Iterator[Item]:
        if source.is_folder:
            for number, file in enumerate(xml_files(source), 1):
                yield self._item(file, number)
            return
        if source.head().lstrip().startswith(b"<"):
            yield self._item(source, 1)
            return
        for number, listed in listed_files(source, source.lines()):
            yield self._item(listed, number)

    def _item(self, source: Source, line: int) -> Item:
        try:
            passage = parse_passage(source.content())
        except UnreadableGraph as problem:
            return broken_item(problem, source, line)
        self.warnings.extend(passage.notes)
        return Item(passage, (passage.id,), line)
