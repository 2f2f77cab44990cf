"""The base class of file formats: options, `read` and `write`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import IO, Any, ClassVar

from karat.core.files.opener import Source
from karat.core.items import Item
from karat.core.options import Declared
from karat.errors import OptionError, quote_some

_BATCH = 256


class Notices:
    """What readers put right by themselves, and in which items."""

    def __init__(self) -> None:
        self.found: dict[str, list[str]] = {}

    def add(self, item: Item) -> None:
        for notice in item.notices:
            name = item.key[0] if item.key and item.key[0] else str(item.number + 1)
            self.found.setdefault(notice, []).append(name)

    def update(self, other: Notices) -> None:
        for notice, names in other.found.items():
            self.found.setdefault(notice, []).extend(names)

    def warnings(self) -> list[str]:
        """A sentence for each, of which a notice is the predicate."""
        return [
            f"{len(names)} graphs {notice}: {quote_some(names)}"
            for notice, names in self.found.items()
        ]


class Format(Declared):
    """A way to lay out items of one kind in a file."""

    kind: ClassVar[str]
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
    folders: ClassVar[bool] = False
    """Whether a folder can be read as well as a file."""
    role = ""
    """What the file is read for: ``system``, ``gold``, or nothing in particular."""
    systems_in = ""
    """The field that names the systems of a file which may hold several, once it is read."""

    @cached_property
    def warnings(self) -> list[str]:
        """What a reader noticed and could put right by itself, for the user to know."""
        return []

    @classmethod
    def spoken_name(cls) -> str:
        return f"format {cls.name}"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        """Whether the beginning of a file looks like this format."""
        return False

    @property
    def cuts(self) -> bool:
        """Whether `scan` finds items without parsing them, and `parse` then makes their values."""
        return False

    def scan(self, source: Source, *, keep: bool = False) -> Iterator[Item]:
        """The items, lazily: where they are and what they are called.

        With `keep` they hold their bytes. Items of a format that does not cut are parsed.
        """
        return self.read(source)

    def parse(self, item: Item, data: bytes, file: str) -> Item:
        """An item that was scanned with its value, or with the error that it cannot be read."""
        raise OptionError(f"karat cannot read the format {self.name}", code="K310")

    def parse_many(self, items: Sequence[Item], data: Sequence[bytes], file: str) -> list[Item]:
        """The same for many items."""
        return [self.parse(item, each, file) for item, each in zip(items, data, strict=True)]

    def read(self, source: Source) -> Iterator[Item]:
        """The items with their values, lazily; one that cannot be read carries its error."""
        raise OptionError(f"karat cannot read the format {self.name}", code="K310")

    def changed(self, item: Item) -> Item:
        """What becomes of an item that was chosen, where options change what was read."""
        return item

    def write(self, values: Iterable[Any], stream: IO[bytes]) -> None:
        """Writes values as they come."""
        raise OptionError(f"karat cannot write the format {self.name}", code="K310")


class LineFormat(Format):
    """Base class of the formats with one item on each line."""

    @property
    def cuts(self) -> bool:
        return True

    def read(self, source: Source) -> Iterator[Item]:
        noticed = Notices()
        scanned = self.scan(source, keep=True)
        while batch := list(islice(scanned, _BATCH)):
            for item in self.parsed(batch, source.name):
                noticed.add(item)
                yield item
        self.warnings.extend(noticed.warnings())

    def parsed(self, items: Sequence[Item], file: str) -> list[Item]:
        """Items that hold their bytes with their values; those that had an error before keep it."""
        scanned = [item for item in items if item.data is not None]
        made = iter(self.parse_many(scanned, [item.data or b"" for item in scanned], file))
        return [item if item.data is None else next(made) for item in items]

    def scan(self, source: Source, *, keep: bool = False) -> Iterator[Item]:
        for count, (line, begin, data) in enumerate(self.lines_of(source)):
            kept = data if keep else None
            item = Item(
                None, None, line, number=count, begin=begin, end=begin + len(data), data=kept
            )
            yield self.named(item, data, source.name)

    def lines_of(self, source: Source) -> Iterator[tuple[int, int, bytes]]:
        """The lines that are items: their numbers, where they begin, and their bytes."""
        return source.byte_lines()

    def named(self, item: Item, data: bytes, file: str) -> Item:
        """The item with its key and the fields that are cheap to see, or with an error."""
        return item

    def parse(self, item: Item, data: bytes, file: str) -> Item:
        line = data.decode("utf-8").removesuffix("\r")
        return self.parse_line(item, line, file)

    @abstractmethod
    def parse_line(self, item: Item, line: str, file: str) -> Item:
        """The item with the value of its line."""
