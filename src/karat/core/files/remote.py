"""Files that fsspec reads: ``s3://``, ``gs://``, ``https://``, ``memory://``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any, cast
from urllib.parse import urlsplit, urlunsplit

from karat.errors import FormatError, KaratError, MissingExtra, Place

_BLOCK = 8 << 20
"""How much is read at once."""


def without_user(url: str) -> str:
    """The address without user, password and query, which may be secrets.

    >>> without_user("https://me:secret@host/data/gold.txt?token=1")
    'https://host/data/gold.txt'
    """
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


@contextmanager
def _naming(url: str) -> Iterator[None]:
    """Turns errors of file systems into FormatErrors with the address."""
    try:
        yield
    except ImportError as error:
        raise MissingExtra(
            f"reading {without_user(url)} needs another package: {error}", code="K401"
        ) from None
    except FileNotFoundError:
        raise _unusable(url, "there is no such file") from None
    except KaratError:
        raise
    except Exception as error:  # each file system has its own
        raise _unusable(url, f"cannot be opened: {error or type(error).__name__}") from None


def _unusable(url: str, why: str) -> FormatError:
    return FormatError(why, code="K101", place=Place(without_user(url)))


def _file_system(url: str) -> tuple[Any, str]:
    try:
        import fsspec
    except ImportError:
        raise MissingExtra.package("fsspec", "remote", f"reading {without_user(url)}") from None
    return fsspec.core.url_to_fs(url)  # type: ignore[no-any-return]


def opened(url: str) -> IO[bytes]:
    """A seekable stream of the file."""
    with _naming(url):
        system, path = _file_system(url)
        return cast(IO[bytes], system.open(path, "rb", block_size=_BLOCK))


def size_and_mark(url: str) -> tuple[int, int]:
    """The size of a file, and a number that changes with it."""
    import hashlib

    with _naming(url):
        system, path = _file_system(url)
        about = system.info(path)
        told = [about.get(key) for key in ("ETag", "etag", "VersionId", "mtime", "LastModified")]
        mark = hashlib.sha256(repr([about.get("size"), *told]).encode()).digest()
        return int(about.get("size") or 0), int.from_bytes(mark[:6], "big")


def matching(url: str) -> list[str]:
    """The files that fit a pattern."""
    with _naming(url):
        system, path = _file_system(url)
        return [system.unstrip_protocol(each) for each in system.glob(path) if system.isfile(each)]


def read_ranges(url: str, begins: Sequence[int], ends: Sequence[int]) -> list[bytes]:
    """Some parts of a file, by as few requests as the file system can do."""
    with _naming(url):
        system, path = _file_system(url)
        found = system.cat_ranges([path] * len(begins), list(begins), list(ends), on_error="raise")
        return [bytes(each) for each in found]
