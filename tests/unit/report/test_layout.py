"""Tables in pipes: what rich would draw there, without loading it."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from karat.report import tables
from karat.report.layout import Group, Note, PlainConsole, Shown, Table
from karat.report.numbers import Bold

WORDS = st.text(alphabet="abé日 −|1.", max_size=6).map(str.strip)


def drawn_by_rich(shown: Shown) -> str:
    file = io.StringIO()
    options = {"no_color": True, "highlight": False, "markup": False, "emoji": False}
    Console(file=file, width=10_000, **options).print(shown)  # type: ignore[arg-type]
    return file.getvalue()


def plain(shown: Shown) -> str:
    file = io.StringIO()
    PlainConsole(file).print(shown)
    return file.getvalue()


@st.composite
def some_tables(draw: st.DrawFn) -> Table:
    columns = draw(st.lists(WORDS.filter(bool), min_size=1, max_size=4))
    table = Table(draw(st.sampled_from(["", "a", "of two words"])), *columns)
    for _ in range(draw(st.integers(0, 4))):
        if draw(st.booleans()):
            table.add_section()
        cells = draw(st.lists(WORDS, min_size=1, max_size=len(columns)))
        table.add_row(Bold(cells[0]), *cells[1:])
    return table


@given(some_tables(), WORDS)
def test_it_is_what_rich_would_draw(table: Table, text: str) -> None:
    for shown in (table, Group(table, Note(f"x {text}"), table)):
        assert plain(shown) == drawn_by_rich(shown)


def test_cells_of_several_lines() -> None:
    table = Table("", "", "a header\nof two lines", "")
    table.add_row("one\n- two", "1", "significant")
    assert plain(table) == drawn_by_rich(table)


def test_those_who_want_colours_everywhere_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(tables.console(io.StringIO()), PlainConsole)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert isinstance(tables.console(io.StringIO()), Console)


def test_what_has_no_unicode_gets_lines_of_ascii() -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    tables.console(file).print(Table("", "a"))
    file.flush()
