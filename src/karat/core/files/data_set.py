"""Folders of Hugging Face data sets: which of their files hold the rows of which split."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from karat.errors import FormatError, Place

_T = TypeVar("_T")
_TABLES = (".parquet", ".arrow")
_SPLIT = re.compile(r"(.+)-\d{5}-of-\d{5}(?:-[0-9a-f]+)?\.(?:parquet|arrow)")
_DICT, _STATE = "dataset_dict.json", "state.json"


class _State(msgspec.Struct):
    data_files: list[dict[str, str]] = msgspec.field(name="_data_files")
    indices: list[dict[str, str]] | None = msgspec.field(name="_indices_data_files", default=None)


class _Splits(msgspec.Struct):
    splits: list[str]


def tables_in(folder: str, names: Sequence[str]) -> list[str]:
    """The files of a folder with the rows of a data set, in their order; none where it is no such.

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
    prefixes = dict.fromkeys(match[1] for each in tables if (match := _SPLIT.fullmatch(each)))
    if len(prefixes) > 1:
        raise _several(folder, [os.path.join(folder, f"{each}-*") for each in prefixes])  # noqa: PTH118
    return [os.path.join(folder, each) for each in tables]  # noqa: PTH118


def _decoded(folder: str, name: str, kind: type[_T]) -> _T:
    path = os.path.join(folder, name)  # noqa: PTH118
    try:
        with open(path, "rb") as stream:  # noqa: PTH123
            return msgspec.json.decode(stream.read(1 << 20), type=kind)
    except (OSError, msgspec.DecodeError) as error:
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
