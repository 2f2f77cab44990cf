"""One opener for every input: plain, compressed, zipped, standard input.

Compression is recognised by the first bytes, so a misnamed file and standard
input work the same way. Text must be UTF-8; lines end in LF or CRLF and are limited in
length, so that neither a bomb nor a binary file fills the memory.

Every command begins here, so what takes long to load (pathlib, hashlib, what
decompresses) is left to where it is needed.
"""

from __future__ import annotations

import codecs
import io
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, cast

from karat.cores import from_environment
from karat.errors import FormatError, LimitExceeded, OptionError, Place

if TYPE_CHECKING:
    from karat.core.files.notations import DoubledKeys

BLOCK = 1 << 18
_SEVERAL = 8
"""After so many blocks, a file is large."""
_MARK = b"\xef\xbb\xbf"  # that files of some editors begin with
LINE_LIMIT = 64 << 20
FILE_LIMIT = 64 << 20
"""A file that is read whole takes many times its size in memory, and few bytes may unpack to it."""
BLOCK_LIMIT = 8 << 20
_BLOCK_LINES = 250_000
PLAIN_LIMIT = 1 << 30
"""For content that stays as it is, in files that are not compressed."""
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip")


def limit_of(variable: str, default: int) -> int:
    """A limit, or what the environment says instead."""
    return from_environment(variable, "a whole number of bytes", default)


def plain_name(path: str) -> str:
    """The last part of a path, without what tells its compression.

    >>> plain_name("data/gold.txt.gz")
    'gold.txt'
    """
    name = os.path.basename(path)
    while name.lower().endswith(_COMPRESSED):
        name = name.rpartition(".")[0]
    return name


def is_url(path: str) -> bool:
    """Whether a path is the address of a file elsewhere.

    >>> is_url("s3://bucket/gold.txt"), is_url("data/gold.txt"), is_url("c://gold.txt")
    (True, False, False)
    """
    scheme, mark, _ = path.partition("://")
    return bool(mark) and len(scheme) > 1 and scheme.isalnum()


class Source:
    """An input: a path, an address, or ``-`` for standard input."""

    is_digested = False
    """Whether to compute the digest while the bytes are read."""
    keys: DoubledKeys | None = None
    """What looks for keys that stand twice, in files of JSON, while the bytes are read."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        if not isinstance(path, (str, os.PathLike)):
            raise OptionError(f"a path is text, got {type(path).__name__}", code="K302")
        self.path = os.fspath(path)
        self.is_stdin = self.path == "-"
        self.is_remote = is_url(self.path)
        shown = self.path.encode("utf-8", "backslashreplace").decode()
        if self.is_remote:
            from karat.core.files.remote import without_user

            shown = without_user(shown)
        self.name = "<stdin>" if self.is_stdin else shown
        self.is_pipe = self.is_stdin or (not self.is_remote and _is_pipe(self.path))
        self.is_held = False
        """Whether the bytes of items are to be held though they could be read again."""
        self.is_unpacked_again = False
        """Whether those who read items of a packed file unpack it for themselves."""
        self._pipe: IO[bytes] | None = None
        self._digest: tuple[tuple[int, int], str] | None = None

    @property
    def is_folder(self) -> bool:
        """Whether this is a folder, which few formats can read."""
        return not self.is_stdin and os.path.isdir(self.path)

    @property
    def first(self) -> Source:
        """The file by which the format is detected: itself, or the first of many with content."""
        return self

    def __repr__(self) -> str:
        return f"Source({self.path!r})"

    @property
    def is_plain(self) -> bool:
        """Whether this is an uncompressed file, whose bytes can be read again at any offset."""
        if self.is_pipe or self.is_folder or self.is_held:
            return False
        return not self._is_packed()

    def unpack_again(self) -> None:
        """Lets workers decompress the file themselves, so that its items need not be held."""
        self.is_unpacked_again = not (self.is_pipe or self.is_folder)

    @property
    def is_parquet(self) -> bool:
        """Whether this is a Parquet file, which `open` gives as JSON lines."""
        return not self.is_folder and _packing(self._first_bytes()) == "Parquet"

    def stamp(self) -> tuple[int, int]:
        """Size and time of the last change of a file."""
        if self.is_remote:
            from karat.core.files.remote import size_and_mark

            return size_and_mark(self.path)
        try:
            found = os.stat(self.path)
        except (OSError, ValueError):  # what is no name of a file
            return (-1, -1)
        return found.st_size, found.st_mtime_ns

    def size_and_head(self) -> tuple[int, bytes]:
        """The size of a file as it lies on disk, and its first bytes."""
        with self.opened() as stream:
            size = self.stamp()[0] if self.is_remote else os.fstat(stream.fileno()).st_size
            return size, stream.read(4096)

    def read_spans(self, begins: Sequence[int], ends: Sequence[int]) -> list[bytes]:
        """The bytes between begin and end of each span of a plain file."""
        if not begins:
            return []
        spans = zip(begins, ends, strict=True)
        first, last = min(begins), max(ends)
        with self.opened() as stream:
            if _are_close(last - first, sum(ends) - sum(begins)):
                stream.seek(first)
                block = stream.read(last - first)
                return [block[begin - first : end - first] for begin, end in spans]
            if self.is_remote:
                from karat.core.files.remote import read_ranges

                return read_ranges(self.path, begins, ends)
            if isinstance(stream, io.BufferedReader) and hasattr(os, "pread"):
                file = stream.fileno()
                return [os.pread(file, end - begin, begin) for begin, end in spans]
            result = []
            for begin, end in spans:
                stream.seek(begin)
                result.append(stream.read(end - begin))
            return result

    def read_together(self, begins: Any, ends: Any) -> tuple[bytes, Any]:
        """Bytes of a plain file that hold all these spans, and where each begins in them.

        The columns are arrays. Spans that are close to each other are read by one call.
        """
        if not len(begins):
            return b"", begins
        first, last = int(begins.min()), int(ends.max())
        sizes = ends - begins
        if _are_close(last - first, int(sizes.sum())):
            with self.opened() as stream:
                stream.seek(first)
                return stream.read(last - first), begins - first
        return b"".join(self.read_spans(begins.tolist(), ends.tolist())), sizes.cumsum() - sizes

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The decompressed bytes; damage to the container is a FormatError."""
        with self._raw() as raw:
            try:
                with _decompressed(raw, self.name) as stream:
                    yield stream
            except OSError as error:
                if isinstance(error, BrokenPipeError):
                    raise
                raise self._unusable(f"cannot be read: {error.strerror or error}") from None

    def _unusable(self, why: str, advice: str = "") -> FormatError:
        return FormatError(why, code="K101", place=Place(self.name), advice=advice)

    @contextmanager
    def _raw(self) -> Iterator[IO[bytes]]:
        if self.is_stdin:
            yield self._stdin()
            return
        with self._opened_once() if self.is_pipe else self.opened() as stream:
            yield stream

    def _opened_once(self) -> IO[bytes]:
        """A pipe can be read only once, so looking ahead and reading share one stream."""
        if self._pipe is None:
            self._pipe = self._stdin() if self.is_stdin else self.opened()
        return self._pipe

    def _stdin(self) -> IO[bytes]:
        if sys.stdin is None:
            raise self._unusable("standard input is closed")
        return sys.stdin.buffer

    def opened(self) -> IO[bytes]:
        """The bytes of a file as they lie on disk."""
        if self.is_remote:
            from karat.core.files import remote

            return remote.opened(self.path)
        try:
            return open(self.path, "rb")
        except FileNotFoundError:
            raise self._unusable("there is no such file", self._nearby()) from None
        except IsADirectoryError:
            raise self._unusable("this is a directory, expected a file") from None
        except ValueError as error:
            raise self._unusable(f"this is not the name of a file: {error}") from None
        except OSError as error:
            raise self._unusable(f"cannot be opened: {error.strerror}") from None

    def _nearby(self) -> str:
        from pathlib import Path

        from karat.errors import did_you_mean

        folder, wanted = Path(self.path).parent, Path(self.path).name
        try:
            names = [entry.name for entry in folder.iterdir()]
        except OSError:
            return f"the folder {str(folder)!r} does not exist either"
        # That two files have the same ending says nothing.
        stem = wanted.partition(".")[0]
        alike = [name for name in names if did_you_mean(stem, [name.partition(".")[0]])]
        return did_you_mean(wanted, alike).removeprefix("; ")

    def lines(self) -> Iterator[tuple[int, str]]:
        """Numbered lines without their ends; a byte-order mark is dropped."""
        for before, text in self.chunks():
            for number, line in enumerate(text.split("\n"), before + 1):
                yield number, line.removesuffix("\r")

    def block_lines(self) -> Iterator[tuple[int, str]]:
        """Numbered lines; too many without a blank line between them are refused.

        For formats whose items stand between blank lines: an item is held as a whole.
        """
        held = ItemSize(self.name)
        for number, line in self.lines():
            if line and not line.isspace():
                held.add(number, len(line))
            else:
                held.begin()
            yield number, line

    def chunks(self) -> Iterator[tuple[int, str]]:
        """Whole lines, many at a time, without the last end; and how many came before."""
        for number, _, whole in self.pieces():
            yield number, whole.decode()

    def pieces(self) -> Iterator[tuple[int, int, bytes]]:
        """Whole lines of UTF-8, many at a time, without the last end and the byte-order mark.

        Each piece with how many lines come before it, and where it begins in the file.
        """
        from karat._native import utf8_fault

        if self.keys is not None:
            self.keys.begin()
        for number, offset, whole in self._pieces():
            if self.keys is not None:
                self.keys.see(whole, number, lines=True)
            if utf8_fault(whole) < len(whole):
                self._decode(whole, number)
            if offset == 0 and whole.startswith(_MARK):
                yield number, len(_MARK), whole[len(_MARK) :]
            else:
                yield number, offset, whole

    def _pieces(self) -> Iterator[tuple[int, int, bytes]]:
        """Whole lines without the last end, how many lines came before, and how many bytes."""
        from karat._native import line_ends

        limit = limit_of("KARAT_MAX_LINE_BYTES", LINE_LIMIT)
        number = offset = 0
        begun: list[bytes] = []  # the pieces of a line whose end has not come yet
        size = 0
        stamp, hashed = self._digest_begun()
        with self.open() as stream:
            # Threads that scan large files wait for each other once or twice a block.
            while block := stream.read(BLOCK if offset < _SEVERAL * BLOCK else 4 * BLOCK):
                if hashed is not None:
                    hashed.update(block)
                last = block.rfind(b"\n")
                if last >= 0:
                    whole = b"".join((*begun, memoryview(block)[:last]))  # copied once
                    self._check_lines(whole, number, limit)
                    yield number, offset, whole
                    number += 1 + line_ends(whole)
                    offset += len(whole) + 1
                    begun, size = [], 0
                if tail := block[last + 1 :]:
                    begun.append(tail)
                    size += len(tail)
                if size > limit:
                    raise self._too_long(number + 1, limit)
            if begun:
                yield number, offset, b"".join(begun)
        if hashed is not None and self.stamp() == stamp:
            self._digest = stamp, hashed.hexdigest()

    def _digest_begun(self) -> tuple[tuple[int, int], Any]:
        """The digest of a file that is read as it lies on disk, with nothing read yet."""
        if not (self.is_digested and self.is_plain):
            return (-1, -1), None
        import hashlib  # takes its time to load

        return self.stamp(), hashlib.sha256()

    def _check_lines(self, whole: bytes, number: int, limit: int) -> None:
        if len(whole) > limit:
            for i, line in enumerate(whole.split(b"\n"), number + 1):
                if len(line) > limit:
                    raise self._too_long(i, limit)

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
            before = data[begin : error.start].decode("utf-8")
            column = len(before.removeprefix("\ufeff") if line == 1 else before) + 1
            raise FormatError(
                f"byte 0x{data[error.start]:02x} is not UTF-8 text",
                code="K102",
                place=Place(self.name, line, column),
                advice=_to_utf8(data if lines_before == 0 else b""),
            ) from None
        return text.removeprefix("\ufeff") if lines_before == 0 else text

    def text(self) -> str:
        """The whole content, for formats that are not made of lines."""
        return self._decode(self.content(), 0)

    def utf8(self) -> bytes:
        """The whole content as UTF-8, without a mark of that at its beginning."""
        content = self.content()
        self._decode(content, 0)
        return content.removeprefix(codecs.BOM_UTF8)

    def content(self, plain_limit: int = 0) -> bytes:
        """All decompressed bytes, up to a limit; `plain_limit` is that of a plain file."""
        limit = FILE_LIMIT
        if plain_limit > limit and not self._is_packed():
            limit = plain_limit
        limit = limit_of("KARAT_MAX_FILE_BYTES", limit)
        blocks = io.BytesIO()
        with self.open() as stream:
            while block := stream.read(BLOCK):
                blocks.write(block)
                if blocks.tell() > limit:
                    raise LimitExceeded(
                        f"the content is larger than {limit:,} bytes",
                        code="K502",
                        place=Place(self.name),
                        advice="set KARAT_MAX_FILE_BYTES to allow larger files",
                    )
        found = blocks.getvalue()
        if self.keys is not None:
            self.keys.begin()
            self.keys.see(found, 0, lines=False)
        return found

    def packed(self, limit: int) -> bytes:
        """The first bytes as they are on disk or come through a pipe, not decompressed."""
        with self._raw() as raw:
            return raw.read(limit)

    def _is_packed(self) -> bool:
        return bool(_packing(self._first_bytes()))

    def _first_bytes(self) -> bytes:
        """How the file begins on disk, or what can be seen ahead in a pipe."""
        if self.is_pipe:
            return cast(io.BufferedReader, self._opened_once()).peek(6)
        with self.opened() as raw:
            return raw.read(6)

    def digest(self) -> str:
        """The SHA-256 of the file as it lies on disk; empty where it can be read only once.

        That of a folder is made from the names and digests of its files. It is made once, unless
        the file changes.
        """
        if self.is_pipe:
            return ""
        if self.is_folder:  # whose time does not change with that of its files
            return self._hashed()
        stamp = self.stamp()
        if self._digest is None or self._digest[0] != stamp:
            self._digest = stamp, self._hashed()
        return self._digest[1]

    def _hashed(self) -> str:
        import hashlib  # takes its time to load

        if self.is_folder:
            from pathlib import Path

            files = sorted(path for path in Path(self.path).iterdir() if path.is_file())
            listed = "".join(f"{path.name}\0{Source(path).digest()}\n" for path in files)
            return hashlib.sha256(listed.encode()).hexdigest()
        result = hashlib.sha256()
        with self._raw() as raw:
            while block := raw.read(BLOCK):
                result.update(block)
        return result.hexdigest()

    @property
    def hides_its_beginning(self) -> bool:
        """Whether it is a pipe of packed data, too little of which can be seen to unpack it."""
        return self.is_pipe and bool(_packing(self.head()))

    def head(self, size: int = 4096) -> bytes:
        """The first bytes, to guess a format from; of a pipe as many as can be seen ahead."""
        if self.is_pipe:
            ahead = cast(io.BufferedReader, self._opened_once()).peek(size)
            found = _beginning(ahead, size) if _packing(ahead) else b""
            return (found or ahead)[:size]
        with self.open() as stream:
            return stream.read(size)


def _beginning(packed: bytes, size: int) -> bytes:
    """The first bytes of packed data that may be cut anywhere; a few may stand for very many."""
    found = bytearray()
    try:
        with _decompressed(io.BytesIO(packed), "") as stream:
            while len(found) < size and (one := stream.read(1)):
                found += one
    except (FormatError, OSError, EOFError):
        pass  # here it is cut, or damaged, which reading tells of
    return bytes(found)


def _are_close(extent: int, bytes_wanted: int) -> bool:
    """Whether spans are read faster together, with what lies between them."""
    return extent <= 2 * bytes_wanted + BLOCK


class ItemSize:
    """The size of an item of several lines; too large ones raise LimitExceeded."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.limit = limit_of("KARAT_MAX_BLOCK_BYTES", BLOCK_LIMIT)
        self.begin()

    def begin(self) -> None:
        """Another item begins."""
        self.lines = self.size = 0

    def add(self, line: int, size: int, lines: int = 1) -> None:
        """More of the same item, up to a line of the file."""
        self.lines += lines
        self.size += size
        if self.lines > _BLOCK_LINES or self.size > self.limit:
            raise LimitExceeded(
                f"an item is longer than {self.limit:,} characters or {_BLOCK_LINES:,} lines",
                code="K504",
                place=Place(self.name, line),
                advice="check that blank lines separate the items; set KARAT_MAX_BLOCK_BYTES to "
                "allow longer ones",
            )


def check_blocks(
    file: str, data: bytes, base: int, begins: Any, ends: Any, consumed: int, line: int
) -> None:
    """Refuses items of several lines that are too long, also one that has not ended yet.

    `begins` and `ends` are those of the blocks that were found in the data before `consumed`; the
    data begin at the place `base` and at this `line` of the file.
    """
    least = min(limit_of("KARAT_MAX_BLOCK_BYTES", BLOCK_LIMIT), _BLOCK_LINES)
    if len(data) <= least:
        return
    spans: list[tuple[int, int]] = []
    if len(begins) and int((ends - begins).max()) > least:
        spans += zip((begins - base).tolist(), (ends - base).tolist(), strict=True)
    spans.append((consumed, len(data)))
    for begin, end in spans:
        if end - begin > least:
            text = data[begin:end].decode()
            lines = text.count("\n") + 1
            last = line + data.count(b"\n", 0, begin) + lines - 1
            ItemSize(file).add(last, len(text), lines)


def _to_utf8(data: bytes) -> str:
    """Advice how to convert a file with this beginning to UTF-8."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "the file is UTF-16: save it as UTF-8 (iconv -f UTF-16 -t UTF-8 converts it)"
    if b"\0" in data:
        return "it has zero bytes: this is not a text file, but a binary one"
    return "save the file as UTF-8 (iconv -f LATIN1 -t UTF-8 converts from Latin-1)"


def _is_pipe(path: str) -> bool:
    """Whether a path can be read only once, such as ``<(command)``."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


_PACKED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    # A mark, and the size of what follows, a multiple of 8.
    **{b"\xff\xff\xff\xff" + bytes([low]): "Arrow stream" for low in range(0, 256, 8)},
}
"""How files are packed, by their first bytes."""


def _packing(beginning: bytes) -> str:
    """How a file that begins like this is packed; empty: it is not."""
    return next((kind for magic, kind in _PACKED.items() if beginning.startswith(magic)), "")


@contextmanager
def _decompressed(raw: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    buffered = io.BufferedReader(cast(io.RawIOBase, raw)) if not hasattr(raw, "peek") else raw
    kind = _packing(cast(io.BufferedReader, buffered).peek(6))
    if not kind:
        yield buffered
        return
    from karat.core.files.packed import unpacked  # loads what plain files do without

    most = limit_of("KARAT_MAX_FILE_BYTES", FILE_LIMIT)
    with unpacked(buffered, kind, name, PLAIN_LIMIT, most) as stream:
        yield stream
