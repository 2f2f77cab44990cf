"""One opener for every input: plain, compressed, zipped, standard input.

Compression is recognised by the first bytes, so a misnamed file and standard
input work alike. Text must be UTF-8; lines end in LF or CRLF and are limited in
length, so that neither a bomb nor a binary file fills the memory.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from karat.errors import FormatError, LimitExceeded, MissingExtra, Place

BLOCK = 1 << 20
LINE_LIMIT = 64 << 20
FILE_LIMIT = 1 << 30

_DAMAGE = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error, zipfile.BadZipFile)


def _limit(variable: str, default: int) -> int:
    value = os.environ.get(variable, "")
    return int(value) if value.isdigit() else default


class Source:
    """A place that bytes come from: a path, or ``-`` for standard input."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.is_stdin = self.path == "-"
        self.name = "<stdin>" if self.is_stdin else self.path

    def __repr__(self) -> str:
        return f"Source({self.path!r})"

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The decompressed bytes; damage to the container is a FormatError."""
        with self._raw() as raw:
            try:
                with _decompressed(raw, self.name) as stream:
                    yield stream
            except _DAMAGE as error:
                raise self._damaged(error) from None
            except OSError as error:
                if error.errno is None:  # bz2 reports bad data this way
                    raise self._damaged(error) from None
                raise

    def _damaged(self, error: Exception) -> FormatError:
        return FormatError(
            f"the compressed data is damaged or cut short ({error})",
            code="K104",
            place=Place(self.name),
            advice="get the file again, or decompress it by hand to see how far it goes",
        )

    @contextmanager
    def _raw(self) -> Iterator[IO[bytes]]:
        if self.is_stdin:
            yield sys.stdin.buffer
            return
        try:
            stream = Path(self.path).open("rb")
        except FileNotFoundError:
            raise FormatError(
                "there is no such file", code="K101", place=Place(self.name), advice=self._nearby()
            ) from None
        except IsADirectoryError:
            raise FormatError(
                "this is a directory, expected a file", code="K101", place=Place(self.name)
            ) from None
        except OSError as error:
            raise FormatError(
                f"cannot be opened: {error.strerror}", code="K101", place=Place(self.name)
            ) from None
        with stream:
            yield stream

    def _nearby(self) -> str:
        from karat.errors import did_you_mean

        folder = Path(self.path).parent
        try:
            names = [entry.name for entry in folder.iterdir()]
        except OSError:
            return f"the folder {str(folder)!r} does not exist either"
        return did_you_mean(Path(self.path).name, names).removeprefix("; ")

    def lines(self) -> Iterator[tuple[int, str]]:
        """Numbered lines without their ends; a byte-order mark is dropped."""
        for before, text in self.chunks():
            for number, line in enumerate(text.split("\n"), before + 1):
                yield number, line.removesuffix("\r")

    def chunks(self) -> Iterator[tuple[int, str]]:
        """Whole lines, many at a time, without the last end; and how many came before."""
        limit = _limit("KARAT_MAX_LINE_BYTES", LINE_LIMIT)
        number = 0
        rest = b""
        with self.open() as stream:
            while block := stream.read(BLOCK):
                whole, newline, tail = (
                    (rest + block).rpartition(b"\n") if rest else block.rpartition(b"\n")
                )
                if len(tail) > limit:
                    raise self._too_long(number + 1 + whole.count(b"\n") + len(newline), limit)
                rest = tail
                if newline:
                    yield number, self._decode(whole, number)
                    number += 1 + whole.count(b"\n")
            if rest:
                yield number, self._decode(rest, number)

    def _too_long(self, line: int, limit: int) -> LimitExceeded:
        return LimitExceeded(
            f"the line is longer than {limit:,} bytes",
            code="K501",
            place=Place(self.name, line),
            advice="check that this is a text file; set KARAT_MAX_LINE_BYTES to allow longer lines",
        )

    def _decode(self, data: bytes, lines_before: int) -> str:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            begin = data.rfind(b"\n", 0, error.start) + 1
            line = lines_before + data.count(b"\n", 0, error.start) + 1
            column = len(data[begin : error.start].decode("utf-8")) + 1
            raise FormatError(
                f"byte 0x{data[error.start]:02x} is not UTF-8 text",
                code="K102",
                place=Place(self.name, line, column),
                advice="save the file as UTF-8 (iconv -f LATIN1 -t UTF-8 converts from Latin-1)",
            ) from None
        return text.removeprefix("\ufeff") if lines_before == 0 else text

    def text(self) -> str:
        """The whole content, for formats that are not made of lines."""
        return self._decode(self.content(), 0)

    def content(self) -> bytes:
        """All decompressed bytes, up to a limit."""
        limit = _limit("KARAT_MAX_FILE_BYTES", FILE_LIMIT)
        with self.open() as stream:
            data = stream.read(limit + 1)
        if len(data) > limit:
            raise LimitExceeded(
                f"the content is larger than {limit:,} bytes",
                code="K502",
                place=Place(self.name),
                advice="set KARAT_MAX_FILE_BYTES to allow larger files",
            )
        return data

    def digest(self) -> str:
        """The SHA-256 of the file as it lies on disk; empty for standard input."""
        if self.is_stdin:
            return ""
        result = hashlib.sha256()
        with self._raw() as raw:
            while block := raw.read(BLOCK):
                result.update(block)
        return result.hexdigest()

    def head(self, size: int = 4096) -> bytes:
        """The first bytes, to guess a format from; none for standard input."""
        if self.is_stdin:
            return b""
        with self.open() as stream:
            return stream.read(size)


@contextmanager
def _decompressed(raw: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    buffered = io.BufferedReader(cast(io.RawIOBase, raw)) if not hasattr(raw, "peek") else raw
    magic = cast(io.BufferedReader, buffered).peek(6)[:6]
    if magic.startswith(b"\x1f\x8b"):
        yield cast(IO[bytes], gzip.GzipFile(fileobj=buffered))
    elif magic.startswith(b"BZh"):
        yield cast(IO[bytes], bz2.BZ2File(buffered))
    elif magic.startswith(b"\xfd7zXZ\x00"):
        yield cast(IO[bytes], lzma.LZMAFile(buffered))
    elif magic.startswith(b"\x28\xb5\x2f\xfd"):
        yield _zstd(buffered, name)
    elif magic.startswith(b"PK\x03\x04"):
        with _single_entry(buffered, name) as stream:
            yield stream
    else:
        yield buffered


def _zstd(raw: IO[bytes], name: str) -> IO[bytes]:
    try:
        import zstandard
    except ImportError:
        raise MissingExtra.package("zstandard", "zstd", f"reading {name}") from None
    stream = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
    return cast(IO[bytes], _ZstdErrors(stream, zstandard.ZstdError))


class _ZstdErrors(io.RawIOBase):
    """Gives damage in Zstandard data the same exception as the other containers."""

    def __init__(self, stream: IO[bytes], error: type[Exception]) -> None:
        self._stream = stream
        self._error = error

    def read(self, size: int = -1, /) -> bytes:
        try:
            return self._stream.read(size)
        except self._error as error:
            raise EOFError(str(error)) from None


@contextmanager
def _single_entry(raw: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    seekable = raw if raw.seekable() else io.BytesIO(raw.read(FILE_LIMIT))
    with zipfile.ZipFile(seekable) as archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        if len(entries) != 1:
            raise FormatError(
                f"the zip archive has {len(entries)} files, expected exactly one",
                code="K105",
                place=Place(name),
                advice="unzip it and name the file you mean",
            )
        if entries[0].flag_bits & 1:
            raise FormatError("the zip archive is encrypted", code="K105", place=Place(name))
        with archive.open(entries[0]) as stream:
            yield stream
