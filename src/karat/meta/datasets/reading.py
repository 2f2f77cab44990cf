"""Readers of the files of data sets: lines, tables, JSON, newswire mark-up, sentences."""

from __future__ import annotations

import csv
import html
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from karat.core.files.notations import NOT_JSON, doubled_key
from karat.core.files.opener import Source
from karat.core.reading.fields import csv_module, csv_rows
from karat.errors import FormatError, OptionError, Place, counted, did_you_mean, quote_some


def bad(message: str, place: Place, code: str = "K163", advice: str = "") -> FormatError:
    """The error of a file that differs from the published layout."""
    return FormatError(message, code=code, place=place, advice=advice)


def lines(data: bytes) -> list[str]:
    """The lines that are not blank; bytes that are not UTF-8 are replaced."""
    return [line.strip() for line in data.decode("utf-8", "replace").splitlines() if line.strip()]


def as_number(text: str) -> float:
    """The number in a text; what only Python takes for one, such as 20_01, is a ValueError."""
    if "_" in text:
        raise ValueError(text)
    return float(text)


def numbers(words: Sequence[str], place: Place) -> list[float]:
    try:
        return [as_number(word) for word in words]
    except ValueError:
        raise bad(f"expected numbers, found {words}", place) from None


def worded(data: bytes, place: Place, header: int = 0) -> Iterator[tuple[list[str], str, Place]]:
    """The words of each line that is not blank, the line, and where it stands."""
    for number, line in enumerate(lines(data)[header:], header + 1):
        yield line.split(), line, Place(place.file, number)


def table_rows(path: str, separator: str | None = None) -> Iterator[tuple[dict[str, str], Place]]:
    """The rows of a table with a header, as dicts, with their places."""
    source = Source(path)
    numbered = source.lines()
    first = next(numbered, None)
    if first is None:
        raise bad("the table is empty", Place(source.name), "K166")
    if separator is None:
        separator = (
            "\t" if "\t" in first[1] else ";" if first[1].count(";") > first[1].count(",") else ","
        )
    # A quoted cell may run over several lines; tabs in WMT files are never quoted.
    quoting: Literal[0, 3] = csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL
    texts = (line for _, line in chain([first], numbered))
    rows = cells_of(texts, source.name, delimiter=separator, quoting=quoting)
    header = [name.strip() for name in next(rows)[0]]
    if len(set(header)) != len(header):
        raise bad("two columns have one name", Place(source.name, 1), "K166")
    for row, place in rows:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(header):
            raise bad(
                f"the row has {counted(len(row), 'cell')}, the header {len(header)}", place, "K166"
            )
        yield dict(zip(header, row, strict=True)), place


def cells_of(texts: Iterable[str], file: str, **how: Any) -> Iterator[tuple[list[str], Place]]:
    """The cells of each row of a table, with the line at which it ends."""
    rows = csv_rows(texts, **how)
    try:
        for row in rows:
            yield row, Place(file, rows.line_num)
    except csv_module().Error as error:
        raise bad(f"this is not a table: {error}", Place(file, rows.line_num), "K166") from None


def column(row: dict[str, str], names: Sequence[str], place: Place) -> str:
    for name in names:
        if name in row:
            return name
    raise bad(
        f"there is no column {names[0]!r}{did_you_mean(names[0], row)}",
        Place(place.file, 1),
        "K166",
        advice=f"it may also be called {', '.join(names[1:])}; columns: {', '.join(row)}",
    )


def one_file(paths: Sequence[str], begins: str) -> str:
    """The one file whose name begins so."""
    found = [path for path in paths if Path(path).name.lower().startswith(begins)]
    if len(found) != 1:
        raise OptionError(
            f"expected one file {begins}..., found {quote_some(found) or 'none'}", code="K364"
        )
    return found[0]


def json_value(data: bytes | str, place: Place) -> Any:
    """The parsed JSON."""
    try:
        value = msgspec.json.decode(data)
    except NOT_JSON as error:
        raise bad(f"this is not JSON: {error}", place, "K147") from None
    if name := doubled_key(data):
        raise bad(f"the key {name!r} stands twice in one object", place, "K147")
    return value


def json_object(line: bytes | str, place: Place) -> dict[str, Any]:
    """The object on a line."""
    value = json_value(line, place)
    if not isinstance(value, dict):
        raise bad("expected a JSON object", place, "K147")
    return value


def json_lines(path: str) -> Iterator[tuple[dict[str, Any], Place]]:
    """The objects of a file, one a line, and where each stands."""
    source = Source(path)
    for number, line in source.lines():
        if line.strip():
            place = Place(source.name, number)
            yield json_object(line, place), place


def inner_lines(file: str, data: bytes) -> Iterator[tuple[dict[str, Any], Place]]:
    """The objects of a file in an archive; only a line feed ends a line, as JSON has others."""
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        if line.strip():
            place = Place(file, number)
            yield json_object(line, place), place


def need(record: Mapping[str, Any], name: str, kind: type, place: Place) -> Any:
    """A field that a record must have."""
    value = record.get(name)
    if not isinstance(value, kind):
        raise bad(
            f"$.{name} must be a {kind.__name__}" + ("; there is none" if value is None else ""),
            place,
        )
    return value


# A tag whose end was forgotten ends after its attributes.
_TAG = re.compile(
    r"<(/?)([A-Za-z][\w.-]*)(?![\w.-])(?:([^<>]*)>|((?:\s+[\w-]+\s*=\s*\"[^\"<>]*\")+))"
)
_ATTRIBUTE = re.compile(r"""([\w-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")
_BREAK = re.compile(r"<[pP]\b[^<>]*>|\n[ \t\r]*\n|\n(?=[ \t]{2,}\S)")


class Element(NamedTuple):
    """A tag, and what stands between it and its end."""

    name: str
    attributes: dict[str, str]
    inner: str


def elements(text: str, *names: str) -> Iterator[Element]:
    """The elements with these names; one that is not closed ends where the next begins.

    >>> [e.inner for e in elements("<TEXT>one<S num=1>two</S></TEXT>", "s")]
    ['two']
    """
    opened: tuple[re.Match[str], str] | None = None
    for tag in _TAG.finditer(text):
        name = tag[2].lower()
        if name not in names:
            continue
        if opened is not None:
            yield _element(opened[1], opened[0], text[opened[0].end() : tag.start()])
        opened = None if tag[1] else (tag, name)
    if opened is not None:
        yield _element(opened[1], opened[0], text[opened[0].end() :])


def _element(name: str, tag: re.Match[str], inner: str) -> Element:
    attributes = {
        found[1].lower(): next((value for value in found.groups()[1:] if value is not None), "")
        for found in _ATTRIBUTE.finditer(tag[3] or tag[4] or "")
    }
    return Element(name, attributes, inner)


def plain(inner: str) -> str:
    """Text without tags, its entities resolved, its white space squeezed.

    >>> plain("AT&amp;T<P>\\n  rose ")
    'AT&T rose'
    """
    return " ".join(html.unescape(_TAG.sub(" ", inner)).split())


def paragraphs(inner: str) -> list[str]:
    """Paragraphs: they begin at a tag ``P``, after an empty line or with an indent."""
    blocks = _BREAK.split(textwrap.dedent(inner.replace("\r\n", "\n")))
    return [text for text in map(plain, blocks) if text]


_TITLES = frozenset(
    (
        "adm", "brig", "capt", "cmdr", "col", "cpl", "det", "dr", "fr", "gen", "gov", "hon", "lt",
        "maj", "messrs", "mr", "mrs", "ms", "mt", "prof", "rep", "rev", "sen", "sens", "sgt",
        "sr", "st", "supt"
    )
)  # fmt: skip
_ABBREVIATIONS = frozenset(
    (
        "approx", "apr", "assn", "aug", "ave", "bros", "co", "corp", "cos", "ct", "dec", "dept",
        "dist", "est", "etc", "feb", "inc", "jan", "jr", "jul", "jun", "ltd", "mar", "nov", "oct",
        "sep", "sept", "viz", "vs"
    )
)  # fmt: skip
_NUMBERED = frozenset(("art", "fig", "no", "nos", "pp", "vol"))
_BEGINNINGS = frozenset(
    (
        "a", "after", "although", "an", "and", "as", "at", "before", "both", "but", "by",
        "despite", "during", "even", "for", "from", "he", "her", "his", "how", "however", "i",
        "if", "in", "it", "its", "last", "many", "meanwhile", "more", "most", "nevertheless",
        "on", "one", "our", "she", "since", "so", "some", "still", "such", "that", "the", "their",
        "then", "there", "these", "they", "this", "those", "to", "under", "we", "what", "when",
        "where", "while", "who", "with", "yesterday", "you"
    )
)  # fmt: skip
_CLOSING = "\"')]}\u2019\u201d\u00bb"
_OPENING = "\"'([{\u2018\u201c\u00ab`"
_ELLIPSIS = re.compile(r"\.{2,}|\u2026")


def sentences(text: str) -> list[str]:
    """The sentences of a line, in order; together they have all its words.

    >>> sentences('Mr. Smith of the U.S. Senate left. "Why?" she asked. It was 5 p.m. The end')
    ['Mr. Smith of the U.S. Senate left.', '"Why?"', 'she asked.', 'It was 5 p.m.', 'The end']
    """
    words = text.split()
    found: list[str] = []
    begin = 0
    for i, word in enumerate(words):
        following = words[i + 1] if i + 1 < len(words) else None
        if following is None or _ends(word, following.lstrip(_OPENING)):
            found.append(" ".join(words[begin : i + 1]))
            begin = i + 1
    return found


def sentences_of(lines: Iterable[str]) -> list[str]:
    """The sentences of lines: a sentence never goes over the end of a line."""
    return [sentence for line in lines for sentence in sentences(line)]


def _ends(word: str, following: str) -> bool:
    """Whether a sentence ends with a word before another one."""
    bare = word.rstrip(_CLOSING)
    if bare.endswith(("!", "?")):
        return True
    if _ELLIPSIS.search(bare[-3:]) and bare.endswith((".", "\u2026")):
        return not following[:1].islower()
    if not bare.endswith("."):
        return False
    stem = bare[:-1].lstrip(_OPENING).lower()
    if stem in _TITLES:
        return False
    if stem in _NUMBERED:
        return not following[:1].isdigit()
    if "." in stem or stem in _ABBREVIATIONS or (len(stem) == 1 and stem.isalpha()):
        return following[:1].isupper() and following.rstrip(".,;:!?").lower() in _BEGINNINGS
    return not (stem[-1:].isdigit() and following[:1].islower())
