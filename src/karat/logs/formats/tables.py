"""Tables of scores: a row for each item, in CSV, TSV, JSON lines or a JSON array."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar

from karat.core.files.opener import Source
from karat.core.reading.fields import csv_module, csv_rows, other_delimiter
from karat.core.reading.items import Item
from karat.errors import FormatError, PairingError, Place, counted
from karat.logs.formats.base import ScoreFormat, decoded, not_a_number, whole
from karat.logs.model import ItemScores, as_field, as_number, known_ranges

IDS = ("id", "doc_id", "sample_id", "segment_id")
_DEEPEST = 8
_MOST_EMPTY = 20_000_000
"""So many cells a table may have, of which nearly all are empty."""


class TableFormat(ScoreFormat):
    """Base class of tables: which columns are ids, scores and fields is told by what they hold."""

    id_field: Annotated[str, "the column that holds the ids of items"] = ""

    texts_are_numbers: ClassVar[bool] = False
    """Whether numbers are written as texts, since there is nothing else."""

    def items(
        self, columns: Mapping[str, Sequence[Any]], lines: Sequence[int], file: str
    ) -> Iterator[Item]:
        """The items of columns of equal length."""
        ids = self._ids(columns, lines, file)
        scores: dict[str, list[Any]] = {}
        fields: dict[str, list[str]] = {}
        for name, values in columns.items():
            if name == ids[0]:
                continue
            if name not in self.group_field:
                numbers = [as_number(each, texts=self.texts_are_numbers) for each in values]
                texts = sum(each == "text" for each in numbers)
                known = sum(each is not None for each in numbers)
                if known and 2 * texts <= known:
                    scores[name] = numbers
                    continue
            found = [as_field(each) for each in values]
            if None not in found:
                fields[name] = [str(each) for each in found]
        if not scores:
            raise FormatError(
                f"no column holds numbers: {', '.join(columns) or 'there are no columns'}",
                code="K198",
                place=Place(file, 1),
                advice=_separated(list(columns))
                or "scores are the columns of numbers that are no ids; "
                "if the file has another format, name it with ``format``",
            )
        ranges = known_ranges(scores)
        for i, line in enumerate(lines):
            row = {name: numbers[i] for name, numbers in scores.items()}
            wrong = next((name for name, each in row.items() if isinstance(each, str)), None)
            yield Item(
                ItemScores(row, ranges) if wrong is None else None,
                (ids[1][i],) if ids[1] else None,
                line,
                {name: texts[i] for name, texts in fields.items()},
                None
                if wrong is None
                else not_a_number(wrong, columns[wrong][i], Place(file, line)),
            )

    def _ids(
        self, columns: Mapping[str, Sequence[Any]], lines: Sequence[int], file: str
    ) -> tuple[str, list[str]]:
        """The column of the ids, and the ids; none where there is none."""
        if self.id_field and self.id_field not in columns:
            raise FormatError(
                f"there is no column {self.id_field!r}: {', '.join(columns)}",
                code="K198",
                place=Place(file, 1),
            )
        name = self.id_field or next((each for each in IDS if each in columns), "")
        if not name:
            return "", []
        found = []
        for value, line in zip(columns[name], lines, strict=True):
            text = as_field(value)
            if not text:
                raise PairingError(f"the row has no {name!r}", code="K206", place=Place(file, line))
            found.append(text)
        return name, found


def _separated(header: Sequence[str]) -> str:
    """Advice for tables whose columns are separated by something else."""
    other = other_delimiter(header)
    return f"if {other!r} separates the columns, write the file with commas" if other else ""


def check_names(names: Sequence[str], file: str, line: int = 1) -> None:
    """Of two columns with one name, one would be lost."""
    if len(set(names)) < len(names):
        raise FormatError(
            f"two columns have one name: {', '.join(names)}", code="K198", place=Place(file, line)
        )


class ScoresCsv(TableFormat):
    """Columns under a header, quoted as spreadsheets do.

    The ids are in `id`, `doc_id`, `sample_id` or `segment_id`, the scores in all other columns
    of numbers; what else there is are fields. Empty cells and NaN are missing scores.
    """

    name = "scores-csv"
    texts_are_numbers = True
    delimiter: ClassVar[str] = ","

    @classmethod
    def recognizes(cls, head: str) -> bool:
        first, _, rest = head.partition("\n")
        return bool(first.strip()) and bool(rest) and not first.startswith(("{", "[", "PAR1", "PK"))

    def read(self, source: Source) -> Iterator[Item]:
        lines_read = (line for _, line in source.lines())
        rows = csv_rows(lines_read, delimiter=self.delimiter, strict=True)
        try:
            header = next(rows, None)
            if header is None:
                return
            check_names(header, source.name)
            columns: list[list[str]] = [[] for _ in header]
            lines: list[int] = []
            begin = rows.line_num + 1
            for cells in rows:
                if len(cells) != len(header) and cells:
                    raise FormatError(
                        f"the row has {counted(len(cells), 'cell')}, the header has {len(header)}",
                        code="K198",
                        place=Place(source.name, begin),
                        advice=_separated(header),
                    )
                if cells:
                    lines.append(begin)
                    for column, cell in zip(columns, cells, strict=True):
                        column.append(cell)
                begin = rows.line_num + 1
        except csv_module().Error as error:
            raise FormatError(
                f"this is not a table: {error}",
                code="K198",
                place=Place(source.name, rows.line_num),
            ) from None
        yield from self.items(dict(zip(header, columns, strict=True)), lines, source.name)


class ScoresTsv(ScoresCsv):
    """Columns under a header, separated by tabs."""

    name = "scores-tsv"
    delimiter = "\t"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return super().recognizes(head) and "\t" in head.partition("\n")[0]


class ScoresJsonLines(TableFormat):
    """An object for each item, on a line of its own or in one array.

    Objects within objects have dotted names: `scores.accuracy`.
    """

    name = "scores-jsonl"
    json_keys = "all"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return head.lstrip().startswith(("{", "["))

    def read(self, source: Source) -> Iterator[Item]:
        columns: dict[str, list[Any]] = {}
        lines: list[int] = []
        filled = 0
        for line, record in self._records(source):
            found = list(_flat(record))
            filled += len(found)
            if len(columns) * len(lines) > max(_MOST_EMPTY, 20 * filled):
                raise FormatError(
                    f"this is no table: {len(columns):,} names occur, few of them on each line",
                    code="K198",
                    place=Place(source.name, line),
                )
            check_names([name for name, _ in found], source.name, line)
            for name, value in found:
                columns.setdefault(name, [None] * len(lines)).append(value)
            lines.append(line)
            for column in columns.values():
                if len(column) < len(lines):
                    column.append(None)
        if lines:
            yield from self.items(columns, lines, source.name)

    def _records(self, source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
        if source.head().lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"["):
            place = Place(source.name)
            yield from enumerate(decoded(whole(source), place, list[dict[str, Any]]), 1)
            return
        for number, line in source.lines():
            if line.strip():
                yield number, decoded(line, Place(source.name, number), dict[str, Any])


def _flat(record: Mapping[str, Any], prefix: str = "", depth: int = 1) -> Iterable[tuple[str, Any]]:
    """Names and values, those of inner objects under dotted names; lists are left out."""
    for name, value in record.items():
        if isinstance(value, dict) and depth < _DEEPEST:
            yield from _flat(value, f"{prefix}{name}.", depth + 1)
        elif not isinstance(value, (list, dict)):
            yield f"{prefix}{name}", value
