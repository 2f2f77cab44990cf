"""Messages about one thing are in the singular, whatever is counted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import karat

_SOURCES = sorted(Path(karat.__file__).parent.rglob("*.py"))
_AGREES = re.compile(r" (?:[a-z]+ )?[a-z]+s (?:have|are|were|do|hold|need|differ)\b")
"""A plural with its verb, after a number: right for any number but one."""


def _plurals(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Where a number, by how it is taken, stands before a plural with a verb."""
    for text in ast.walk(tree):
        if not isinstance(text, ast.JoinedStr):
            continue
        for value, after in zip(text.values, text.values[1:], strict=False):
            if not (isinstance(value, ast.FormattedValue) and isinstance(after, ast.Constant)):
                continue
            if _AGREES.match(str(after.value)):
                taken = ast.unparse(value.value)
                if re.match(r"len\(|self\.count\b", taken):
                    yield text.lineno, f"{{{taken}}}{after.value}"


def test_the_number_of_a_verb_follows_what_is_counted() -> None:
    """`counted` and `part_of` choose the form; a message does not write down a plural itself."""
    found = [
        f"{path.name}:{line}: {text}"
        for path in _SOURCES
        for line, text in _plurals(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not found, found


def test_plurals_are_seen() -> None:
    some = 'f"{len(names)} of {len(golds)} gold ids have no item", f"{self.count} records have"'
    assert len(list(_plurals(ast.parse(some)))) == 2
    right = "f\"{counted(len(names), 'item')} chosen\", f'{path} is of {name}s have'"
    assert not list(_plurals(ast.parse(right)))
