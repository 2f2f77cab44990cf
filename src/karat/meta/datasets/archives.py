"""Single files inside archives, without unpacking anything onto the disk."""

from __future__ import annotations

import io
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from karat.errors import LimitExceeded, Place
from karat.meta.datasets.reading import bad

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
        raise bad("there is no such file", Place(path), "K101") from None
    except (
        tarfile.TarError,
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        NotImplementedError,  # a compression that Python does not know
        RuntimeError,  # an encrypted file
    ) as error:
        raise bad(
            f"this is not an archive, or it is damaged: {error}", Place(path), "K104"
        ) from None


def tar_members(path: str, suffix: str, data: bytes | None = None) -> Iterator[tuple[str, bytes]]:
    """The files in a tar archive whose names end so, one after the other.

    `data` is the archive itself where it lies within another one.
    """
    stream = None if data is None else io.BytesIO(data)
    with _opened(path) as place, tarfile.open(place, "r:*", fileobj=stream) as archive:
        yield from _tar_files(path, archive, suffix)


def _tar_files(path: str, archive: tarfile.TarFile, suffix: str) -> Iterator[tuple[str, bytes]]:
    for member in archive:
        if not member.isfile() or not member.name.endswith(suffix):
            continue
        if member.size > _LARGEST:
            raise _too_large(path, member.name)
        content = archive.extractfile(member)
        if content is not None:
            yield member.name, content.read()


def every_file(path: str) -> Iterator[tuple[str, bytes]]:
    """The files of a folder, of an archive and of the archives in it; or the file itself.

    Names are relative to what was given and use slashes; those in an archive that lies in a
    folder or an archive begin with its name. Nothing is written to the disk.
    """
    with _opened(path) as place:
        if not place.is_dir():
            yield from _one_file(path, place.name, place, "")
            return
        for inner in sorted(place.rglob("*")):
            if inner.is_file() and not inner.is_symlink():
                name = inner.relative_to(place).as_posix()
                yield from _one_file(str(inner), name, inner, f"{name}/")


def _one_file(path: str, name: str, place: Path, before: str) -> Iterator[tuple[str, bytes]]:
    if name.lower().endswith(_TAR):
        with tarfile.open(place, "r:*") as archive:
            yield from _inside(path, archive, before, 0)
        return
    if place.stat().st_size > _LARGEST:
        raise _too_large(path, name)
    yield name, place.read_bytes()


def _inside(
    path: str, archive: tarfile.TarFile, before: str, depth: int
) -> Iterator[tuple[str, bytes]]:
    for name, data in _tar_files(path, archive, ""):
        if not name.lower().endswith(_TAR):
            yield before + name, data
            continue
        if depth == _DEEPEST:
            message = f"{name!r}: archives in archives, more than {_DEEPEST} deep"
            raise LimitExceeded(message, code="K502", place=Place(path))
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:*") as inner:
            yield from _inside(path, inner, f"{before}{name}/", depth + 1)


class ZipFiles:
    """The files of a zip archive, by name; `data` is the archive where it lies within another."""

    def __init__(self, path: str, data: bytes | None = None) -> None:
        self.path = path
        self._data = data
        with self._archive() as archive:
            self.names = {
                entry.filename: entry.file_size
                for entry in archive.infolist()
                # Macs add a folder with what only they need, under the same names.
                if not entry.is_dir() and not entry.filename.startswith("__MACOSX/")
            }

    @contextmanager
    def _archive(self) -> Iterator[zipfile.ZipFile]:
        with _opened(self.path) as place:
            source = place if self._data is None else io.BytesIO(self._data)
            with zipfile.ZipFile(source) as archive:
                yield archive

    def read(self, name: str) -> bytes:
        if name not in self.names:
            raise bad(f"there is no {name!r} in it", Place(self.path))
        if self.names[name] > _LARGEST:
            raise _too_large(self.path, name)
        with self._archive() as archive:
            return archive.read(name)

    def members(self) -> Iterator[tuple[str, bytes]]:
        """All files, one after the other."""
        with self._archive() as archive:
            for name, size in self.names.items():
                if size > _LARGEST:
                    raise _too_large(self.path, name)
                yield name, archive.read(name)

    def within(self, name: str) -> ZipFiles:
        """The archive that is one of the files."""
        return ZipFiles(f"{self.path}:{name}", self.read(name))

    def text(self, name: str) -> str:
        """A file as text; bytes that are not UTF-8 are replaced."""
        return self.read(name).decode("utf-8", "replace")


def members(path: str) -> Iterator[tuple[str, bytes]]:
    """The files of a zip or tar archive, whatever its name; archives in it stay as they are."""
    with _opened(path) as place, place.open("rb") as stream:
        is_zip = stream.read(4) == b"PK\x03\x04"
    yield from ZipFiles(path).members() if is_zip else tar_members(path, "")


Read = Callable[[str], Iterator[tuple[str, bytes]]]


class File(NamedTuple):
    """A file in a folder or an archive."""

    path: PurePosixPath
    data: bytes
    place: Place
    """Where it is, for messages."""

    @property
    def text(self) -> str:
        """The content as text; bytes that are not UTF-8 are replaced."""
        return self.data.decode("utf-8", "replace")


def files(paths: Sequence[str], read: Read) -> Iterator[File]:
    """The files that `read` finds in each path."""
    for path in paths:
        for name, data in read(path):
            yield File(PurePosixPath(name), data, Place(f"{path}:{name}"))
