"""Single files inside archives, without unpacking anything onto the disk."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from karat.errors import FormatError, LimitExceeded, Place

_LARGEST = 1 << 30
_DEEPEST = 3
_TAR = (".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz")


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


def every_file(path: str) -> Iterator[tuple[str, bytes]]:
    """The files of a folder, of an archive and of the archives in it; or the file itself.

    Names are relative to what was given and use slashes; nothing is written to the disk.
    """
    with _opened(path) as place:
        if not place.is_dir():
            yield from _one_file(path, place.name, place, 0)
            return
        for inner in sorted(place.rglob("*")):
            if inner.is_file() and not inner.is_symlink():
                yield from _one_file(str(inner), inner.relative_to(place).as_posix(), inner, 0)


def _one_file(path: str, name: str, place: Path, depth: int) -> Iterator[tuple[str, bytes]]:
    if name.lower().endswith(_TAR):
        with tarfile.open(place, "r:*") as archive:
            yield from _inside(path, archive, depth)
        return
    if place.stat().st_size > _LARGEST:
        raise _too_large(path, name)
    yield name, place.read_bytes()


def _inside(path: str, archive: tarfile.TarFile, depth: int) -> Iterator[tuple[str, bytes]]:
    for member in archive:
        if not member.isfile():
            continue
        if member.size > _LARGEST:
            raise _too_large(path, member.name)
        stream = archive.extractfile(member)
        if stream is None:
            continue
        data = stream.read()
        if not member.name.lower().endswith(_TAR):
            yield member.name, data
            continue
        if depth == _DEEPEST:
            raise LimitExceeded(
                f"{member.name!r}: archives in archives, more than {_DEEPEST} deep",
                code="K502",
                place=Place(path),
            )
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:*") as inner:
            yield from _inside(path, inner, depth + 1)


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
