"""Single files inside archives, without unpacking anything onto the disk."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from karat.errors import FormatError, LimitExceeded, Place

_LARGEST = 1 << 30


def _too_large(path: str, name: str) -> LimitExceeded:
    return LimitExceeded(
        f"{name!r} is larger than {_LARGEST:,} bytes", code="K502", place=Place(path)
    )


@contextmanager
def _opened(path: str) -> Iterator[Path]:
    try:
        yield Path(path)
    except FileNotFoundError:
        raise FormatError("there is no such file", code="K101", place=Place(path)) from None
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError) as error:
        raise FormatError(
            f"this is no archive, or a damaged one: {error}", code="K104", place=Place(path)
        ) from None


def tar_members(path: str, suffix: str) -> Iterator[tuple[str, bytes]]:
    """The files in a tar archive whose names end so, one after the other."""
    with _opened(path) as place, tarfile.open(place, "r:*") as archive:
        for member in archive:
            if not member.isfile() or not member.name.endswith(suffix):
                continue
            if member.size > _LARGEST:
                raise _too_large(path, member.name)
            stream = archive.extractfile(member)
            if stream is not None:
                yield member.name, stream.read()


class ZipFiles:
    """The files of a zip archive, by name."""

    def __init__(self, path: str) -> None:
        self.path = path
        with _opened(path) as place, zipfile.ZipFile(place) as archive:
            self.names = {entry.filename: entry.file_size for entry in archive.infolist()}

    def read(self, name: str) -> bytes:
        if name not in self.names:
            raise FormatError(f"there is no {name!r} in it", code="K163", place=Place(self.path))
        if self.names[name] > _LARGEST:
            raise _too_large(self.path, name)
        with _opened(self.path) as place, zipfile.ZipFile(place) as archive:
            return archive.read(name)

    def text(self, name: str) -> str:
        """A file as text; bytes that are not UTF-8 are replaced."""
        return self.read(name).decode("utf-8", "replace")
