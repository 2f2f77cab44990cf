"""Many files as one: patterns, lists, folders and saved data sets, in natural order."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TypeAlias, TypeVar

import msgspec

from karat.core.files.notations import NOT_JSON
from karat.core.files.opener import Source, is_url
from karat.errors import FormatError, OptionError, Place

PathLike: TypeAlias = str | os.PathLike[str]
_LISTED = "\n"
"""Between the paths of a list that is kept as one text, in saved runs."""
_T = TypeVar("_T")
_TABLES = (".parquet", ".arrow")
_SPLIT = r"(.+)-\d{5}-of-\d{5}(?:-[0-9a-f]+)?\.(?:parquet|arrow)"
_DICT, _STATE = "dataset_dict.json", "state.json"


class Shards(Source):
    """Several files that are read as one."""

    def __init__(self, paths: Sequence[str], path: str) -> None:
        super().__init__(path)
        self.is_stdin = self.is_pipe = False
        self.parts = [Source(each) for each in paths]
        if _LISTED in path:
            self.name = f"{self.parts[0].name} and {len(self.parts) - 1} more"
        for part in self.parts:
            if part.is_pipe:
                raise OptionError(
                    f"{part.name} is not a file: if several are given, all must be files",
                    code="K320",
                )
        # Either the bytes of all of them can be read again from where they are, or of none.
        self._plain = all(part.is_plain for part in self.parts)
        for part in self.parts:
            part.is_held = not self._plain

    @property
    def is_folder(self) -> bool:
        return False

    @property
    def is_plain(self) -> bool:
        return self._plain

    def unpack_again(self) -> None:
        for part in self.parts:
            part.is_held = False
            part.unpack_again()

    def stamp(self) -> tuple[int, int]:
        stamps = [part.stamp() for part in self.parts]
        return sum(size for size, _ in stamps), sum(time for _, time in stamps)

    def digest(self) -> str:
        import hashlib  # takes its time to load

        listed = "".join(f"{part.digest()}\n" for part in self.parts)
        return hashlib.sha256(listed.encode()).hexdigest()

    @property
    def first(self) -> Source:
        return next((part for part in self.parts if part.head(1)), self.parts[0])

    def head(self, size: int = 4096) -> bytes:
        return self.first.head(size)


def source_of(path: PathLike | Sequence[PathLike]) -> Source:
    """The source of a path; several files for a list, a pattern or ``@FILE``."""
    if not isinstance(path, (str, os.PathLike)):
        return _listed([os.fspath(each) for each in path])
    text = os.fspath(path)
    if _LISTED in text:
        return _listed(text.split(_LISTED))
    is_pattern = not set("*?[").isdisjoint(text.partition("?")[0] if is_url(text) else text)
    if not (text.startswith("@") or is_pattern) or os.path.exists(text):  # noqa: PTH110 - pathlib takes its time to load
        return Source(text)
    if text.startswith("@"):
        lines = [line.strip() for _, line in Source(text[1:]).lines()]
        return _found([line for line in lines if line], text, "the list is empty")
    if is_url(text):
        from karat.core.files.remote import matching

        return _found(sorted(matching(text), key=natural), text, "no file fits this pattern")
    import glob

    found = [each for each in glob.glob(text, recursive=True) if os.path.isfile(each)]  # noqa: PTH113, PTH207
    return _found(sorted(found, key=natural), text, "no file fits this pattern")


_READ_AS_FOLDERS = (".xml", ".zip")  # the endings of the files in them


def one_or_many(source: Source) -> Source:
    """A folder is the files in it, unless it is of the kind that a format reads as a whole."""
    if not source.is_folder:
        return source
    with os.scandir(source.path) as entries:
        if any(entry.name.lower().endswith(_READ_AS_FOLDERS) for entry in entries):
            return source
    return files_in(source)


def files_in(folder: Source) -> Source:
    """The files of a folder, without hidden ones and marks of other programs (``_SUCCESS``).

    Of a data set those that hold its rows.
    """
    names = [
        entry.path
        for entry in os.scandir(folder.path)
        if entry.is_file() and not entry.name.startswith((".", "_"))
    ]
    if tables := tables_in(folder.path, [os.path.basename(each) for each in names]):  # noqa: PTH119
        names = tables
    return _found(sorted(names, key=natural), folder.path, "there is no file in this folder")


def paths_of(path: str) -> list[str]:
    """The paths of all files that a path stands for; itself if it cannot be resolved."""
    try:
        source = source_of(path)
    except (FormatError, OptionError, OSError, ValueError):
        return [path]
    return [part.path for part in source.parts] if isinstance(source, Shards) else [path]


def _listed(paths: list[str]) -> Source:
    if not paths:
        raise OptionError("an empty list of files is given", code="K302")
    return Source(paths[0]) if len(paths) == 1 else Shards(paths, _LISTED.join(paths))


def _found(paths: list[str], name: str, problem: str) -> Source:
    if not paths:
        raise FormatError(problem, code="K101", place=Place(name))
    return Shards(paths, name)


def natural(path: str) -> list[tuple[int, str]]:
    """Sorts numbers by their values.

    >>> sorted(["part-10", "part-9", "part-1"], key=natural)
    ['part-1', 'part-9', 'part-10']
    """
    pieces = re.split(r"([0-9]+)", path)
    return [(int(each), "") if i % 2 else (-1, each) for i, each in enumerate(pieces)]


# -- folders of Hugging Face data sets: which files hold the rows of which split -------------------


class _State(msgspec.Struct):
    data_files: list[dict[str, str]] = msgspec.field(name="_data_files")
    indices: list[dict[str, str]] | None = msgspec.field(name="_indices_data_files", default=None)


class _Splits(msgspec.Struct):
    splits: list[str]


def tables_in(folder: str, names: Sequence[str]) -> list[str]:
    """The files of a folder that hold the rows of a Hugging Face data set; none for other folders.

    `names` are those of its files. More than one split is an error.
    """
    if _DICT in names:
        splits = _decoded(folder, _DICT, _Splits).splits
        if len(splits) != 1:
            raise _several(folder, [os.path.join(folder, each) for each in splits])  # noqa: PTH118
        inside = os.path.join(folder, os.path.basename(splits[0]))  # noqa: PTH118, PTH119
        found = os.listdir(inside) if os.path.isdir(inside) else []  # noqa: PTH112, PTH208
        return tables_in(inside, found)
    if _STATE in names and any(name.endswith(".arrow") for name in names):
        state = _decoded(folder, _STATE, _State)
        if state.indices:
            raise FormatError(
                "the data set was saved with a selection of its rows beside them",
                code="K103",
                place=Place(folder),
                advice="call flatten_indices() and save it again",
            )
        files = [os.path.basename(each.get("filename", "")) for each in state.data_files]  # noqa: PTH119
        return [os.path.join(folder, each) for each in files]  # noqa: PTH118
    tables = [name for name in names if name.endswith(_TABLES)]
    prefixes = dict.fromkeys(match[1] for each in tables if (match := re.fullmatch(_SPLIT, each)))
    if len(prefixes) > 1:
        raise _several(folder, [os.path.join(folder, f"{each}-*") for each in prefixes])  # noqa: PTH118
    return [os.path.join(folder, each) for each in tables]  # noqa: PTH118


def _decoded(folder: str, name: str, kind: type[_T]) -> _T:
    path = os.path.join(folder, name)  # noqa: PTH118
    try:
        with open(path, "rb") as stream:  # noqa: PTH123
            return msgspec.json.decode(stream.read(1 << 20), type=kind)
    except (OSError, *NOT_JSON) as error:
        raise FormatError(
            f"this does not describe a data set: {error}", code="K103", place=Place(path)
        ) from None


def _several(folder: str, paths: Sequence[str]) -> FormatError:
    return FormatError(
        "the folder holds several splits of a data set",
        code="K103",
        place=Place(folder),
        advice="give one of them: " + ", ".join(sorted(paths)),
    )
