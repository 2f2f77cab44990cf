"""The mark-up of newswire collections: tags that need not be closed, and no document type."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterator
from typing import NamedTuple

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
