"""Messages on the command line show options as flags."""

from __future__ import annotations

import pytest

from karat.cli.common.printing import error_text, with_flags
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
