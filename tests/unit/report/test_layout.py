"""Tables in pipes: what rich, which lays out tables as well, would draw there."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich import box
from rich.console import Console as RichConsole
from rich.table import Table as RichTable

from karat.report.layout import Console, Group, Medium, Note, Styled, Table
from karat.report.numbers import Bold

WORDS = st.text(alphabet="abé日 −|1.", max_size=6).map(str.strip)


def drawn_by_rich(table: Table) -> str:
    twin = RichTable(
        box=box.SIMPLE_HEAD, pad_edge=False, title=table.title or None, title_justify="left"
    )
    for i, column in enumerate(table.columns):
        twin.add_column(column, justify="left" if i in table.left else "right", no_wrap=True)
    for row in table.rows:
        if row.begins_section:
            twin.add_section()
        twin.add_row(*row.cells)
    file = io.StringIO()
    options = {"no_color": True, "highlight": False, "markup": False, "emoji": False}
    RichConsole(file=file, width=10_000, **options).print(twin)  # type: ignore[arg-type]
    return file.getvalue()


def plain(shown: Table | Group | Styled, medium: Medium | None = None) -> str:
    file = io.StringIO()
    Console(file, medium).print(shown)
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


@given(some_tables())
def test_it_is_what_rich_would_draw(table: Table) -> None:
    assert plain(table) == drawn_by_rich(table)
    note = Note("all of it")
    assert plain(Group(table, note, table)) == f"{plain(table)}{note.text}\n{plain(table)}"


def test_cells_of_several_lines() -> None:
    table = Table("", "", "a header\nof two lines", "")
    table.add_row("one\n- two", "1", "significant")
    assert plain(table) == drawn_by_rich(table)


def test_styles_are_for_terminals_and_for_those_who_want_them_everywhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = Table("", "score", "value")
    table.add_row(Bold("f"), "0.5")
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    assert "\x1b" not in plain(table)
    assert "\x1b[1mf" in plain(table, Medium(80, emphasis=True))
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1mf" in plain(table)
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in plain(table)


def test_coloured_words_are_folded_between_words() -> None:
    line = Styled((("system: ", "bold"), ("a cat", "green"), (" sat down", "")))
    assert plain(line) == "system: a cat sat down\n"
    assert plain(line, Medium(14)).splitlines() == ["system: a cat ", "sat down"]
    assert "\x1b[32ma cat\x1b[0m" in plain(line, Medium(14, emphasis=True, colours=True))


def test_what_has_no_unicode_gets_lines_of_ascii() -> None:
    data = io.BytesIO()
    file = io.TextIOWrapper(data, encoding="ascii", newline="")
    table = Table("", "Δ")
    table.add_row("–")
    Console(file).print(table)
    file.flush()
    assert data.getvalue() == b"   \n ? \n - \n ? \n   \n"
