"""Output files appear whole or not at all: written beside, then renamed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from karat.errors import OptionError

if TYPE_CHECKING:
    from pathlib import Path


def indented_json(document: Any) -> bytes:
    """A document as indented JSON with a line end."""
    import msgspec

    return msgspec.json.format(_json(document), indent=2) + b"\n"


def json_lines(documents: Iterable[Any]) -> bytes:
    """A line for each document."""
    return b"".join(_json(document) + b"\n" for document in documents)


def _json(document: Any) -> bytes:
    import msgspec

    try:
        return msgspec.json.encode(document)
    except UnicodeEncodeError:
        return msgspec.json.encode(escaped(document))


def escaped(value: Any) -> Any:
    """A value to be written, as plain values; what UTF-8 cannot hold of names of files is escaped.

    >>> escaped({"path": "a\\udcff.txt"})
    {'path': 'a\\\\udcff.txt'}
    """
    import msgspec

    return _escaped(msgspec.to_builtins(value, builtin_types=(bytes,)))


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_escaped(key): _escaped(each) for key, each in value.items()}
    return [_escaped(each) for each in value] if isinstance(value, (list, tuple)) else value


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A binary file that takes its name only when the block ends without an error.

    ``-`` is standard output.
    """
    if os.fspath(path) == "-":
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    from pathlib import Path

    try:
        with _made_whole(Path(path)) as stream:
            yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        folder = Path(path).parent
        why = f"there is no folder {str(folder)!r}" if not folder.exists() else error.strerror
        raise _refused(path, why or str(error)) from None


@contextmanager
def whole_output(target: str | os.PathLike[str] | IO[bytes]) -> Iterator[IO[bytes]]:
    """A stream as it is, or a `whole_file` for a path."""
    if isinstance(target, (str, os.PathLike)):
        with whole_file(target) as stream:
            yield stream
    else:
        yield target


@contextmanager
def _made_whole(path: Path) -> Iterator[IO[bytes]]:
    try:
        target = path.resolve()  # a link stays a link: what it points to is written
    except ValueError as error:
        raise _refused(path, str(error)) from None
    if target.is_dir():
        raise _refused(path, "it is a directory")
    if target.exists() and not target.is_file():
        # A device or a pipe must never be replaced by a file.
        with target.open("wb") as stream:
            yield stream
        return
    import tempfile  # what is only read, or printed, does without

    beside = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        beside = type(target)(name)
        with os.fdopen(handle, "wb") as stream:
            yield stream
        beside.chmod(0o666 & ~_umask())
        beside.replace(target)
    except BaseException:
        if beside is not None:
            beside.unlink(missing_ok=True)
        raise


_FORMULA = tuple("=+-@\t\r＝＋－＠")
_NUMBER = r"[+-]?[0-9]+([.][0-9]*)?([eE][+-]?[0-9]+)?"


def text_cell(text: str) -> str:
    """A text from a file as a cell of a table that spreadsheets open.

    What they would take for a formula, and run, has an apostrophe before it; numbers have not.

    >>> text_cell("=1+1"), text_cell("@x"), text_cell("-1.5"), text_cell("a=b")
    ("'=1+1", "'@x", '-1.5', 'a=b')
    """
    if not text.startswith(_FORMULA):
        return text
    import re

    return text if re.fullmatch(_NUMBER, text) else f"'{text}"


def refuse_replacing(output: str, option: str, inputs: Mapping[str, str]) -> None:
    """Refuses to write to a file that is read; `inputs` are paths, with what names them.

    Files are the same by their identity, so that links do not hide one.
    """
    for path, named_by in inputs.items():
        if is_same_file(output, path):
            raise OptionError(
                f"{option} {output!r} would replace a file that is read: {named_by} {path!r}",
                code="K305",
                advice="write to another file",
            )


def is_same_file(one: str, other: str) -> bool:
    """Whether two paths name one file, or would; pipes and devices are no files.

    A file in a folder is one with the folder.
    """
    if "-" in (one, other):
        return False
    try:
        first, second = os.path.realpath(one), os.path.realpath(other)
        if os.path.isdir(second):  # noqa: PTH112 - pathlib takes its time to load
            return os.path.isfile(first) and first.startswith(os.path.join(second, ""))  # noqa: PTH113, PTH118
        if not os.path.exists(first) or not os.path.exists(second):  # noqa: PTH110
            return first == second
        return os.path.isfile(first) and os.path.samefile(first, second)  # noqa: PTH113, PTH121
    except (OSError, ValueError):  # a name that no file can have is for others to refuse
        return False


def _refused(path: str | os.PathLike[str], why: str) -> OptionError:
    return OptionError(f"cannot write {os.fspath(path)!r}: {why}", code="K305")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
