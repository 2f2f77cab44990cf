"""Interprets the arguments of `evaluate`: files, lists, columns and data frames."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from karat.core.reading.doors import door_class
from karat.core.reading.fields import GOLDS, IDS, REFERENCES, TEXTS, listed
from karat.core.reading.memory import Memory, check_lengths
from karat.core.reading.streams import PathLike
from karat.core.reading.tables import (
    Rows,
    Table,
    Together,
    Values,
    column_of,
    holds_numbers,
    table_of,
    table_of_records,
)
from karat.errors import OptionError

Side: TypeAlias = PathLike | Memory
MISSING: Any = object()


def sides(
    data: Any, golds: Any, *, system: Any, gold: Any, id: Any, by: Any, name: str | None,
    system_field: str = "", kind: str = "",
) -> tuple[Side, list[Side]]:  # fmt: skip
    """The system's side and those of gold, from the arguments of `evaluate`.

    `kind` is that of the metric's items.
    """
    if data is MISSING:
        if system is None:
            raise OptionError("there is no system to evaluate", code="K303")
        data, system = system, None
    table = table_of(data)
    if table is None and isinstance(system, str) and not is_path(data):
        table = table_of_records(data)
    if table is not None:
        theirs = gold if golds is MISSING else golds
        if id is None and not any(each in table.names for each in IDS):
            _check_order(data, theirs)
        if golds is MISSING and gold is None and door_class(kind).rows_are_items:
            return _of_scores(table, system, id, by, name, system_field), []
        return _of_table(table, golds, system, gold, id, by, name, system_field)
    if system is not None:
        column_of([] if is_path(data) else data, "data")  # which may be nothing that is known
        raise OptionError(
            "the system is given twice: as data, and with ``system``",
            code="K393",
            advice="``system`` names a column where the data are a frame; for files, the format "
            "option text_field names a field",
        )
    if golds is not MISSING and gold is not None:
        raise OptionError("gold is given twice", code="K393")
    golds = gold if golds is MISSING else golds
    if is_path(data) or are_files(data):
        return _of_path(data, golds, id, by, name)
    column = column_of(data, "system")
    if id is None:
        _check_order(data, golds)
    given = Memory(column, name or "system", _ids(data, id), {})
    groups = _groups_of_lists(by)
    if golds is None or is_empty(golds):
        given = Memory(column, given.name, given.ids, groups)
        check_lengths(given)
        return given, []
    check_lengths(given)
    return given, [_gold_side(golds, None, id, by, groups)]


def _gold_side(
    golds: Any, gold: Any, id: Any, by: Any, groups: Mapping[str, Values], ids: Any = MISSING
) -> Side:
    """Gold that is given by itself: a path, a frame, or a list.

    `gold` names its column in a frame; `ids` are those of the system's frame, for a list of gold.
    """
    if is_path(golds):
        if groups:
            raise OptionError(
                "groups are those of gold, and gold is a file",
                code="K393",
                advice="give gold as a list or in the frame",
            )
        return golds  # type: ignore[no-any-return]
    table = table_of(golds)
    if table is not None:
        return _of_gold(table, gold, id, by)
    column = column_of(golds, "gold")
    if ids is MISSING:
        ids = _ids(golds, id)
    elif ids is not None and len(ids) != len(column):
        ids = None
    reference = Memory(column, "gold", ids, groups)
    check_lengths(reference)
    return reference


def _check_order(ours: Any, theirs: Any) -> None:
    """Raises if two pandas objects have the same index in different orders."""
    one, two = (getattr(each, "index", None) for each in (ours, theirs))
    if one is None or two is None or not hasattr(one, "names") or not hasattr(two, "names"):
        return
    if len(one) == len(two) and not one.equals(two) and set(one) == set(two):
        raise OptionError(
            "system and gold have the same index in another order, and no ids to pair them by",
            code="K393",
            advice="name the ids with ``id``, put both in one frame, or use reset_index(drop=True) "
            "to pair them as they are",
        )


def is_path(value: Any) -> bool:
    """Whether a value names a file."""
    return isinstance(value, (str, os.PathLike))


def are_files(value: Any) -> bool:
    """Whether a value is a list of paths: parts of one file. Strings in a list are items."""
    return (
        isinstance(value, (list, tuple))
        and bool(value)
        and all(isinstance(each, os.PathLike) for each in value)
    )


def is_empty(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and not value


_IN_FILES = {
    "id": "the format option id_field names the field of ids",
    "by": "break the result down by a field of the items: evaluate(...).by('FIELD')",
    "name": "the name of the file is the name of the system",
}
"""Where files say what arguments say of data in memory."""


def _of_path(
    path: PathLike, golds: Any, id: Any, by: Any, name: str | None
) -> tuple[Side, list[Side]]:
    if id is not None or by or name is not None:
        option = "id" if id is not None else "by" if by else "name"
        raise OptionError(
            f"``{option}`` is for data in memory; a file says so itself",
            code="K393",
            advice=_IN_FILES[option],
        )
    if golds is None:
        return path, []
    if isinstance(golds, (list, tuple)) and all(map(is_path, golds)):
        return path, list(golds)
    return path, [_gold_side(golds, None, id, by, {})]


def _of_table(
    table: Table, golds: Any, system: Any, gold: Any, id: Any, by: Any, name: str | None,
    system_field: str,
) -> tuple[Side, list[Side]]:  # fmt: skip
    if not table.size:
        raise OptionError("the frame has no rows", code="K393")
    if system is not None and not _is_name(system):
        raise OptionError(
            f"``system`` names a column of the frame, got {type(system).__name__}", code="K393"
        )
    column = _text_column(table, gold, by) if system is None else system
    ids = _id_column(table, id)
    systems = (system_field, table[system_field]) if system_field else None
    theirs = golds
    if theirs is MISSING and not (gold is None or _is_name(gold) or _are_names(table, gold)):
        theirs, gold = gold, None
    # Groups are those of gold, which may have a frame of its own.
    apart = theirs is not MISSING and not is_path(theirs) and table_of(theirs) is not None
    groups = {} if apart else {str(each): table[each] for each in _names(by)}
    if theirs is not MISSING:
        ours = Memory(table[column], name or str(column), ids, {}, systems)
        return ours, [_gold_side(theirs, gold, id, by, groups, ids)]
    ours = Memory(table[column], name or str(column), ids, groups, systems)
    own = _gold_column(table, gold)
    return ours, [] if own is None else [Memory(own, own.name, ids, groups, systems)]


def _of_scores(
    table: Table, system: Any, id: Any, by: Any, name: str | None, system_field: str
) -> Memory:
    """The scores in a frame: all numeric columns, or one column."""
    if not table.size:
        raise OptionError("the frame has no rows", code="K393")
    ids = _id_column(table, id)
    groups = {str(each): table[each] for each in _names(by)}
    systems = (system_field, table[system_field]) if system_field else None
    if system is not None:
        column = table[system]
        if not holds_numbers(column):  # but scores by their names
            return Memory(column, name or str(system), ids, groups, systems)
        columns = {"score": column}
    else:
        others = {*groups, system_field}
        named = {str(each): table[each] for each in table.names if str(each) not in others}
        columns = {
            each: column
            for each, column in named.items()
            if (ids is None or column.name != ids.name) and holds_numbers(column)
        }
        if not columns:
            listing = listed(map(str, table.names))
            raise OptionError(f"no column holds numbers; columns: {listing}", code="K393")
    return Memory(Rows(columns, table.size), name or str(system or "system"), ids, groups, systems)


def _of_gold(table: Table, gold: Any, id: Any, by: Any) -> Memory:
    if not table.size:
        raise OptionError("the frame of gold has no rows", code="K393")
    column = _gold_column(table, gold)
    if column is None:
        column = table[_known(table, TEXTS, "gold", "gold")]
    groups = {str(each): table[each] for each in _names(by)}
    return Memory(column, column.name, _id_column(table, id), groups)


def _gold_column(table: Table, gold: Any) -> Values | None:
    """The column of gold, or several as one; None where no name is known to be gold."""
    if _is_name(gold):
        return table[gold]
    if gold is not None:
        return Together([table[each] for each in gold])
    groups = [group for group in GOLDS if any(name in table.names for name in group)]
    found = [name for group in groups for name in group if name in table.names]
    if len(found) > 1:
        raise _ambiguous(table, found, "gold", "gold")
    return table[found[0]] if found else None


def _id_column(table: Table, id: Any) -> Values | None:
    if id is None:
        found = [name for name in IDS if name in table.names]
        return table[found[0]] if found else None
    if not _is_name(id):
        raise OptionError("``id`` names a column of the frame", code="K393")
    return table[id]


def _text_column(table: Table, gold: Any, by: Any) -> str:
    """The column of the outputs.

    `system` mostly names who made them; it holds them where nothing else can.
    """
    golds = [gold] if _is_name(gold) else gold if _are_names(table, gold) else ()
    others = {*REFERENCES, *IDS, *golds, *_names(by)}
    if [name for name in table.names if name not in others] == ["system"]:
        return "system"
    return _known(table, TEXTS, "the system's output", "system")


def _known(table: Table, names: Sequence[str], what: str, option: str) -> str:
    found = [name for name in names if name in table.names]
    if len(found) == 1:
        return found[0]
    raise _ambiguous(table, found, what, option)


def _ambiguous(table: Table, found: Sequence[str], what: str, option: str) -> OptionError:
    columns = listed(map(str, table.names))
    if found:
        message = f"{what} may be any of {listed(found)}; columns: {columns}"
    else:
        message = f"no column is known to hold {what}; columns: {columns}"
    return OptionError(message, code="K393", advice=f"name one with ``{option}='COLUMN'``")


def _are_names(table: Table, gold: Any) -> bool:
    return (
        isinstance(gold, (list, tuple))
        and bool(gold)
        and all(_is_name(each) and each in table.names for each in gold)
    )


def _is_name(value: Any) -> bool:
    """Whether a value may name a column; those of pandas may be numbers."""
    return isinstance(value, (str, int))


def _names(by: Any) -> list[str]:
    if _is_name(by):
        return [by]
    if isinstance(by, Mapping):
        raise OptionError("``by`` names columns of the frame", code="K393")
    return list(by or ())


def _ids(data: Any, id: Any) -> Values | None:
    if isinstance(data, Mapping):
        return column_of(list(data), "id")
    if id is None:
        return None
    if isinstance(id, str):
        raise OptionError(
            "``id`` names a column, but the data are not a data frame",
            code="K393",
            advice="give a list of ids",
        )
    return column_of(id, "id")


def _groups_of_lists(by: Any) -> dict[str, Values]:
    if not by:
        return {}
    if not isinstance(by, Mapping):
        raise OptionError(
            "``by`` names columns, but the data are not a data frame",
            code="K393",
            advice="give a mapping of names to lists: by={'domain': [...]}",
        )
    return {str(name): column_of(values, f"by[{name!r}]") for name, values in by.items()}
