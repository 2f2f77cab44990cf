"""Output files appear whole or not at all: written beside, then renamed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, Any

from karat.errors import OptionError


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
    try:
        with _made_whole(os.fspath(path)) as stream:
            yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        folder = os.path.dirname(path) or "."
        why = error.strerror if os.path.exists(folder) else f"there is no folder {folder!r}"
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
def _made_whole(path: str) -> Iterator[IO[bytes]]:
    try:
        target = os.path.realpath(path)  # a link stays a link: what it points to is written
    except ValueError as error:
        raise _refused(path, str(error)) from None
    if os.path.isdir(target):
        raise _refused(path, "it is a directory")
    if os.path.exists(target) and not os.path.isfile(target):
        # A device or a pipe must never be replaced by a file.
        with open(target, "wb") as stream:
            yield stream
        return
    folder, name = os.path.split(target)
    beside = os.path.join(folder, f".{name}.{os.urandom(5).hex()}")
    stream = open(beside, "xb")
    try:
        with stream:
            yield stream
        os.replace(beside, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(beside)
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
    """Whether two paths name one file, or would; pipes and devices are no files, nor is no name.

    A file in a folder is one with the folder.
    """
    if not {"-", ""}.isdisjoint((one, other)):
        return False
    try:
        first, second = os.path.realpath(one), os.path.realpath(other)
        if os.path.isdir(second):
            return os.path.isfile(first) and first.startswith(os.path.join(second, ""))
        if not os.path.exists(first) or not os.path.exists(second):
            return first == second
        return os.path.isfile(first) and os.path.samefile(first, second)
    except (OSError, ValueError):  # a name that no file can have is for others to refuse
        return False


def _refused(path: str | os.PathLike[str], why: str) -> OptionError:
    return OptionError(f"cannot write {os.fspath(path)!r}: {why}", code="K305")
