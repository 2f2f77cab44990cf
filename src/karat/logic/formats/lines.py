"""Forms line by line: alone, or with the sentences in a second file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import IO, Annotated, Any

from karat.core.files.opener import Source
from karat.core.format import Format, LineFormat
from karat.core.items import Item
from karat.core.options import File
from karat.core.raw import RawItems
from karat.core.strings import Strings
from karat.errors import FormatError, OptionError, Place
from karat.logic.convert import restore as restored
from karat.logic.formats.columns import RESTORE, fields_of
from karat.logic.formats.spans import Spans
from karat.logic.model import Entry

_TARGET, _SOURCE = "_target.txt", "_source.txt"


class LfLines(LineFormat):
    """One logical form per line and nothing else; an empty line is an empty prediction."""

    name = "lf-lines"
    kind = "logic"
    is_fallback = True

    restore: Annotated[bool, RESTORE] = False

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return "\t" not in head and not head.lstrip().startswith("{")

    def parse_line(self, text: str, line: int, file: str) -> Item:
        form = restored(text) if self.restore else text
        return Item(Entry(form, file=file, line=line), None, line)

    def spans(self, items: RawItems, *, is_gold: bool) -> Spans | None:
        return (
            None if self.restore else Spans(Strings(items.data, items.begin, items.end), None, {})
        )

    def write(self, values: Iterable[Any], stream: IO[bytes]) -> None:
        for value in values:
            stream.write(f"{value.form or ''}\n".encode())


class OpenNmtParallel(Format):
    """The parallel files of OpenNMT: forms in one file, sentences in another.

    For ``gen_target.txt`` the sentences are those of ``gen_source.txt``, unless
    `source` names another file. Predictions are read as `lf-lines`.
    """

    name = "opennmt-parallel"
    kind = "logic"

    source: Annotated[
        str, File(), "the file of sentences (the _source.txt beside when left out)"
    ] = ""
    restore: Annotated[bool, RESTORE] = False

    def read(self, source: Source) -> Iterator[Item]:
        beside = Source(self.source or self._beside(source))
        for form, sentence in zip_longest(source.lines(), beside.lines()):
            if form is None or sentence is None:
                longer, count = (beside, sentence) if form is None else (source, form)
                raise FormatError(
                    f"the file goes on at line {count[0]}, but the file beside it ends there",
                    code="K174",
                    place=Place(longer.name, count[0]),
                    advice="source and target have one line for each item",
                )
            number, text = form
            text = restored(text) if self.restore else text
            entry = Entry(text, None, sentence[1], source.name, number)
            yield Item(entry, None, number, fields_of(""))

    def _beside(self, source: Source) -> str:
        if not source.path.endswith(_TARGET):
            raise OptionError(
                f"{source.name}: no file of sentences can be guessed, since the name does not end "
                f"in {_TARGET}",
                code="K371",
                advice="name it with ``source``",
            )
        return source.path.removesuffix(_TARGET) + _SOURCE
