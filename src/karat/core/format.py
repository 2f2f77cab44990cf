"""The base class of file formats: options, `read` and `write`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import IO, Any, ClassVar

from karat.core.items import Item
from karat.core.opener import Source
from karat.core.options import Declared
from karat.errors import OptionError


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

    def read(self, source: Source) -> Iterator[Item]:
        """The items, lazily; one that cannot be read carries its error."""
        raise OptionError(f"karat cannot read the format {self.name}", code="K310")

    def changed(self, item: Item) -> Item:
        """What becomes of an item that was chosen, where options change what was read."""
        return item

    def write(self, values: Iterable[Any], stream: IO[bytes]) -> None:
        """Writes values as they come."""
        raise OptionError(f"karat cannot write the format {self.name}", code="K310")
