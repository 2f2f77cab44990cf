"""Sentences as blocks of lines between blank lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from karat.core.opener import Source


@dataclass(slots=True)
class Block:
    """The lines of one sentence, not yet split into columns."""

    number: int
    line: int
    """The line that the first of `lines` stands on."""
    lines: list[str]
    comments: list[str] = field(default_factory=list)
    blanks_before: int = 0
    closed: bool = True


def blocks(source: Source, *, comments: bool) -> Iterator[Block]:
    """The sentences of a file; `comments` keeps lines with # before the first word apart."""
    count = blanks = 0
    lines: list[str] = []
    above: list[str] = []
    number = 0
    for number, line in source.lines():
        if line:
            if comments and not lines and line[0] == "#":
                above.append(line)
            else:
                lines.append(line)
            continue
        if lines:
            count += 1
            yield Block(count, number - len(lines), lines, above, blanks)
            lines, above, blanks = [], [], 0
        blanks += 1
    if lines:
        yield Block(count + 1, number + 1 - len(lines), lines, above, blanks, closed=False)
