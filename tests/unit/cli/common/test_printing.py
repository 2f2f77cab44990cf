"""Messages on the command line show options as flags."""

from __future__ import annotations

import sys

import pytest

from karat.cli.common.printing import error_text, print_hanging, with_flags
from karat.errors import OptionError, Place

SHOWN = [
    ("use ``pair='position'``", "use --pair position"),
    ("``on_error='skip'`` or ``format``", "--on-error skip or --format"),
    ("``keep_punct=True``, ``jackknife=False``", "--keep-punct, --no-jackknife"),
    ("""``inject='{"a": 1}'``""", """--inject '{"a": 1}'"""),
    ("the text ``word'' and `id` stay", "the text ``word'' and `id` stay"),
    ("`` a `` and ``A`` are no options", "`` a `` and ``A`` are no options"),
]


@pytest.mark.parametrize(("message", "shown"), SHOWN)
def test_options_are_shown_as_flags(message: str, shown: str) -> None:
    assert with_flags(message) == shown


def test_what_a_file_holds_is_shown_as_it_is() -> None:
    place = Place("a.txt", 3)
    error = OptionError("no ``gold``", place=place, excerpt="a ``gold`` b", advice="give ``gold``")
    assert error_text(error) == ("a.txt:3: OptionError K300: no --gold\na ``gold`` b\ngive --gold")
    assert str(error).endswith("give ``gold``")


def test_long_lines_go_on_below_in_a_terminal_and_stay_whole_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [("kind:", 0), ("  name  a sentence that is longer than the terminal-width", 8)]
    print_hanging(texts)
    assert capsys.readouterr().out == "\n".join(text for text, _ in texts) + "\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "30")
    print_hanging(texts)
    assert capsys.readouterr().out.splitlines() == [
        "kind:", "  name  a sentence that is", "        longer than the", "        terminal-width",
    ]  # fmt: skip
