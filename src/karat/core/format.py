"""The base classes of file formats: `scan` finds items, `parse` makes values, `write` writes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import IO, Any, ClassVar, Literal, NamedTuple, TypeVar

import msgspec
import numpy as np

from karat._native import scan_blocks, scan_lines
from karat.core.files.memory import Spool
from karat.core.files.opener import Source, check_blocks
from karat.core.options import Declared
from karat.core.reading.items import Item, Refs
from karat.errors import FormatError, LimitExceeded, OptionError, Place, counted, quote_some

_T = TypeVar("_T")
_MOST_HELD = 32 << 20
"""More bytes than that of a file that cannot be read again are kept on disk."""


class Notices(msgspec.Struct, eq=False):
    """What readers corrected, and in which items.

    A notice is what follows the noun: a verb in the plural, ``have`` or one that only takes an s in
    the singular, and then words that do not depend on the number.
    """

    noun: str = "graphs"
    found: dict[str, list[str]] = {}

    def add(self, item: Item, number: int) -> None:
        for notice in item.notices:
            name = item.key[0] if item.key and item.key[0] else str(number + 1)
            self.found.setdefault(notice, []).append(name)

    def update(self, other: Notices) -> None:
        for notice, names in other.found.items():
            self.found.setdefault(notice, []).extend(names)

    def warnings(self) -> list[str]:
        """A sentence for each notice, with the items that it is about."""
        found = []
        for notice, names in self.found.items():
            verb, _, rest = notice.partition(" ")
            one = f"{self.noun.removesuffix('s')} {'has' if verb == 'have' else verb + 's'} {rest}"
            subject = counted(len(names), one, f"{self.noun} {notice}")
            found.append(f"{subject}: {quote_some(names)}")
        return found


class HeldItems:
    """Scanned items; the bytes of those that cannot be read again are kept here.

    In memory while they are few, else all of them in one file.
    """

    def __init__(self, format: Format) -> None:
        self.found: list[Refs] = []
        self._size = 0
        self._spool: Spool | None = None
        self._spools = format.spools

    def add(self, refs: Refs) -> None:
        """More items, in order."""
        self.found.append(refs)
        self._size += sum(map(len, refs.data or ()))
        if self._size > _MOST_HELD or refs.spooled or self._spool is not None:
            if self._spool is None:
                self._spool = Spool()
                self._spools.append(self._spool)
            spool = self._spool
            for each in self.found:
                if each.data is not None:
                    each.begin, each.end = spool.add(each.data)
                    each.data, each.spooled = None, spool.path


def _with_role(made: tuple[Any, ...], role: str) -> Any:
    """A format in another process, where it reads the same side as here."""
    make, arguments = made
    result = make(*arguments)
    result.role = role
    return result


class Format(Declared):
    """Base class of file formats for items of one kind."""

    kind: ClassVar[str]
    noun: ClassVar[str] = "graphs"
    """The noun for items in notices."""
    writing: ClassVar[frozenset[str]] = frozenset()
    """The names of the options that are about writing; the others are about reading."""
    of_systems: ClassVar[frozenset[str]] = frozenset()
    """The names of the options that are about what a system wrote, and not about gold."""
    other_reading: ClassVar[str] = ""
    """The format that reads the same files into another model, where there is one."""
    other_options: ClassVar[frozenset[str]] = frozenset()
    """The options of that format which ask for it, as this one has nothing like them."""
    is_fallback: ClassVar[bool] = False
    """Whether it recognizes almost any text, so that plug-ins are asked first."""
    needs_first_line: ClassVar[bool] = False
    """Whether the first line as a whole tells: one that is cut, in a pipe, does not."""
    content_decides: ClassVar[bool] = False
    """Whether files with its suffix may be in another format, which their content tells."""
    folders: ClassVar[bool] = False
    """Whether a folder can be read as well as a file."""
    json_keys: ClassVar[Literal["", "records", "all"]] = ""
    """Where readers of JSON warn of a key that occurs twice: in records, or in all objects within
    them as well."""
    role = ""
    """The role of the file: ``system``, ``gold``, or empty."""
    continues = False
    """Whether the file is a later part of several that are read as one, so that what was detected
    for the first part holds for it."""
    before = 0
    """How many items the files before it have, where it continues others: items without a name are
    numbered through all of them."""
    alone = False
    """Whether it reads a value in memory, which holds one item: without a name of its own, that
    has none."""
    systems_in = ""
    """The field that names the systems of a file which may hold several, once it is read."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _with_role, (super().__reduce__(), self.role)

    @cached_property
    def warnings(self) -> list[str]:
        """Warnings of the reader about what it corrected."""
        return []

    @classmethod
    def spoken_name(cls) -> str:
        return f"format {cls.name}"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        """Whether the beginning of a file looks like this format."""
        return False

    @classmethod
    def recognizes_file(cls, source: Source) -> bool:
        """Whether a binary file has this format; called for formats that are `Row.binary`."""
        return False

    @cached_property
    def spools(self) -> list[Spool]:
        """Files with the bytes of what was scanned, which last as long as the format."""
        return []

    @property
    def cuts(self) -> bool:
        """Whether `scan` finds items without parsing them, and `parse` then makes their values."""
        return False

    def scan(self, source: Source) -> Refs:
        """The items of a file: where they are and what they are called.

        Those of a format that does not cut are parsed at once.
        """
        return Refs.of_items(list(self.read(source)))

    def parse(self, refs: Refs, data: Sequence[bytes], file: str) -> list[Item]:
        """The items of a scan with their values; invalid items carry their errors."""
        raise OptionError(f"karat cannot read the format {self.name}", code="K310")

    def read(self, source: Source) -> Iterator[Item]:
        """The items with their values, lazily; an invalid item carries its error."""
        raise OptionError(f"karat cannot read the format {self.name}", code="K310")

    def sentence(self, data: bytes) -> str:
        """The source sentence of an item, if a comment in its bytes gives it; else empty."""
        return ""

    def changed(self, item: Item) -> Item:
        """An item that was selected, changed as the options of reading say."""
        return item

    def write(self, values: Iterable[Any], stream: IO[bytes]) -> None:
        """Writes values as they come."""
        raise OptionError(f"karat cannot write the format {self.name}", code="K310")


class Part(NamedTuple):
    """Items that follow each other in a file, and the bytes that they are in."""

    refs: Refs
    content: bytes
    offset: int
    """Where the bytes begin in the file."""

    def data(self) -> list[bytes]:
        """The bytes of each item."""
        content = self.content
        begins, ends = (
            (self.refs.begin - self.offset).tolist(),
            (self.refs.end - self.offset).tolist(),
        )
        return [content[begin:end] for begin, end in zip(begins, ends, strict=True)]


class CutFormat(Format):
    """Base class of the formats whose items can be found without parsing them."""

    @property
    def cuts(self) -> bool:
        return True

    @abstractmethod
    def parts(self, source: Source) -> Iterator[Part]:
        """The items of a file without their names, part by part."""

    def name_items(self, part: Part, file: str) -> None:
        """Sets the keys of items, and the fields and errors that are cheap to see."""

    def scan(self, source: Source) -> Refs:
        if not self.cuts:
            return super().scan(source)
        is_plain = source.is_plain
        # Rows of Parquet files are found by the numbers of their lines.
        leaves_unpacking = source.is_unpacked_again and (
            isinstance(self, LineFormat) or not source.is_parquet
        )
        held = HeldItems(self)
        for part in self.parts(source):
            self.name_items(part, source.name)
            if leaves_unpacking and not is_plain:
                part.refs.packed = True
            elif not is_plain:
                part.refs.data = part.data()
            held.add(part.refs)
        return Refs.joined(held.found)

    def read(self, source: Source) -> Iterator[Item]:
        noticed = Notices(self.noun)
        for part in self.parts(source):
            items = self.parse(part.refs, part.data(), source.name)
            for number, item in enumerate(items, int(part.refs.number[0]) if items else 0):
                noticed.add(item, number)
                yield item
        self.warnings.extend(noticed.warnings())


class LineFormat(CutFormat):
    """Base class of the formats with one item on each line."""

    blank_lines: ClassVar[Literal["items", "inside", "skipped"]] = "items"
    """What blank lines are: items, skipped, or (in tables, `inside`) items up to the last row; in a
    table of one column all are items, since a cell may be empty."""
    has_keys: ClassVar[bool] = True
    """Whether items may have keys. False: they are paired by position, and no line is parsed before
    it is measured."""

    def parts(self, source: Source) -> Iterator[Part]:
        count, columns = 0, False
        held: list[Part] = []  # blank lines that may be the last ones
        for before, offset, content in source.pieces():
            begin, end, line = scan_lines(content, self.blank_lines == "skipped")
            numbers = np.arange(count, count + len(begin))
            count += len(begin)
            refs = Refs(numbers, line + (before + 1), begin + offset, end + offset)
            if self.blank_lines != "inside":
                yield Part(refs, content, offset)
                continue
            columns = columns or b"\t" in content
            filled = np.flatnonzero(end > begin)
            last = int(filled[-1]) + 1 if len(filled) else 0
            if last:
                yield from held
                held = []
                yield Part(refs.take(slice(last)), content, offset)
            held.append(Part(refs.take(slice(last, None)), content, offset))
        if not columns:
            yield from held

    def parse(self, refs: Refs, data: Sequence[bytes], file: str) -> list[Item]:
        lines = zip(data, refs.line.tolist(), strict=True)
        return [self.parse_line(line.decode(), number, file) for line, number in lines]

    @abstractmethod
    def parse_line(self, text: str, line: int, file: str) -> Item:
        """The item on a line of a file."""

    def name_items(self, part: Part, file: str) -> None:
        if self.has_keys:
            self.name_by_parsing(part, file)

    def name_by_parsing(self, part: Part, file: str) -> list[Item]:
        """Sets keys and errors of items that have to be parsed to be named."""
        refs = part.refs
        lines = zip(part.data(), refs.line.tolist(), strict=True)
        items = [self.parse_line(data.decode(), line, file) for data, line in lines]
        refs.errors.update(
            {i: each.error for i, each in enumerate(items) if each.error is not None}
        )
        keys = [item.key for item in items]
        if any(keys) or refs.errors:
            refs.keys = keys
        return items


class BlockFormat(CutFormat):
    """Base class of the formats whose items are lines between blank lines.

    Comments alone are no item. The columns of `Refs.extra` are: `body`, where the first line
    begins that is no comment, from the beginning of the item; `body_line`, its number; `blanks`,
    how many blank lines come before, since the last item; `closed`, whether one follows.
    """

    comment: ClassVar[bytes] = b"#"
    """The beginning of comment lines; empty: there are no comments."""
    indented_comments: ClassVar[bool] = False
    white_space_is_blank: ClassVar[bool] = True

    def parts(self, source: Source) -> Iterator[Part]:
        pending, base, line, count, blanks = b"", 0, 1, 0, 0
        for final, content in _with_end(source.pieces()):
            if content is not None:
                base = base if pending else content[1]
                pending = b"".join((pending, content[2], b"\n"))  # copied once
            columns, consumed, lines, blanks = scan_blocks(
                pending,
                final,
                self.white_space_is_blank,
                self.comment,
                self.indented_comments,
                blanks,
                base,
                line,
            )
            begin, body, end, first, body_line, before, closed = columns
            check_blocks(source.name, pending, base, begin, end, consumed, line)
            if size := len(begin):
                extra = {"body": body, "body_line": body_line, "blanks": before, "closed": closed}
                numbers = np.arange(count, count + size)
                yield Part(Refs(numbers, first, begin, end, extra=extra), pending, base)
                count += size
            line += lines
            base += consumed
            pending = pending[consumed:]


def _with_end(pieces: Iterator[_T]) -> Iterator[tuple[bool, _T | None]]:
    """All pieces with False, then True alone to mark the end."""
    for piece in pieces:
        yield False, piece
    yield True, None


_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode


def array_elements(
    source: Source, what: str, code: str, advice: str = "", most_values: int = 0
) -> Iterator[tuple[bytes, int]]:
    """The elements of a file that is one JSON array of `what`, as written, and their lines."""
    content = source.utf8()
    # Every value but the last of an array or object has a comma behind it.
    if most_values and content.count(b",") > most_values:
        raise LimitExceeded(
            f"the file has more than {most_values:,} values",
            code="K502",
            place=Place(source.name),
            advice=f"cut the array of {what} into several files",
        )
    try:
        elements = _elements(content)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(
            f"this is not an array of {what}: {error}",
            code=code,
            place=Place(source.name),
            advice=advice,
        ) from None
    at, line = 0, 1
    for element in elements:
        text = bytes(element)
        begin = content.find(text, at)
        line += content.count(b"\n", at, begin)
        yield text, line
        at = begin + len(text)
        line += text.count(b"\n")


def block_text(data: bytes) -> str:
    """The lines of a block, which end in LF."""
    text = data.decode()
    return text.replace("\r\n", "\n") if "\r" in text else text
