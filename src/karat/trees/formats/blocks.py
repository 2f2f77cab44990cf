"""Sentences as blocks of lines between blank lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from karat.core.files.opener import Held, Source


@dataclass(slots=True)
class Block:
    """The lines of one sentence, not yet split into columns."""

    number: int
    line: int
    """The line that `text` begins on."""
    text: str
    comments: Sequence[str] = ()
    blanks_before: int = 0
    closed: bool = True


def blocks(source: Source, *, comments: bool) -> Iterator[Block]:
    """The sentences of a file; `comments` keeps lines with # before the first word apart."""
    count = blanks = 0
    line = 1
    for piece, closed in _pieces(source):
        text = piece.lstrip("\n")
        leading = len(piece) - len(text)
        blanks += leading
        line += leading
        count_lines = text.count("\n") + 1 if text else 0
        above: list[str] = []
        rest = text
        while comments and rest[:1] == "#":
            comment, _, rest = rest.partition("\n")
            above.append(comment)
        if rest:
            count += 1
            yield Block(count, line + len(above), rest, above, blanks, closed)
            blanks = 0
        # What ends a piece is the end of its last line and a blank line.
        blanks += 1 + (not text)
        line += count_lines + 1 + (not text)


def _pieces(source: Source) -> Iterator[tuple[str, bool]]:
    """The text between blank lines, and whether one follows; it may begin with more of them."""
    pending: list[str] = []
    held = Held(source.name)
    for before, chunk in source.chunks():
        text = (chunk.replace("\r\n", "\n").removesuffix("\r") if "\r" in chunk else chunk) + "\n"
        pending.append(text)
        if text[0] != "\n" and "\n\n" not in text:
            held.add(before + 1, len(text), text.count("\n"))
            continue
        held.begin()
        *whole, rest = "".join(pending).split("\n\n")
        for piece in whole:
            yield piece, True
        pending = [rest] if rest else []
    rest = "".join(pending).rstrip("\n")
    if rest:
        yield rest, False
