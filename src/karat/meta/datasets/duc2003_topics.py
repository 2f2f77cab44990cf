"""What systems were given in DUC 2003 besides documents: topics, viewpoints, questions."""

from __future__ import annotations

import re
from typing import Any

from karat.meta.datasets.sgml import elements, paragraphs, plain

_LABEL = re.compile(
    r"^[ \t]*(?:(WHAT|WHO|WHERE|WHEN|Topic Explication)[ \t]*:|(Rules? of Interpretation\b))",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBER = re.compile(r"(?<!\d)(\d{5})(?!\d)")
_BEFORE_TITLE = re.compile(r"^(?:topic\b)?[\s#]*d?(?:\d{5})?[a-z]?(?:[.:\s-]+|$)", re.IGNORECASE)
_EMPTY_LINE = re.compile(r"\n[ \t\r]*\n")
_NUMBERED = re.compile(r"\bd?(\d{3})\b", re.IGNORECASE)


def topics(text: str) -> dict[str, dict[str, Any]]:
    """Topics of TDT: number and title, then what, who, where and when, then an explication.

    Topics that lack a number, a title, an event or an explication are not among them.
    """
    found: dict[str, dict[str, Any]] = {}
    labels = list(_LABEL.finditer(text))
    ends = [*(label.start() for label in labels[1:]), len(text)]
    heads = text[: labels[0].start()] if labels else ""
    event: dict[str, str] = {}
    number = title = ""
    for label, end in zip(labels, ends, strict=True):
        name, body = (label[1] or "").lower(), text[label.end() : end]
        if name == "what":
            event = {}
            number, title = _head(heads)
        if name == "topic explication":
            explication = [row for row in map(plain, _EMPTY_LINE.split(body)) if row]
            if number and title and event and explication:
                found[f"d{number}"] = {"title": title, "event": event, "explication": explication}
        elif name:
            event[name] = plain(body)
        heads = body
    return found


def _head(before: str) -> tuple[str, str]:
    """Number and title, the last that stand before an event."""
    number = title = ""
    for line in before.splitlines():
        if found := _NUMBER.search(line):
            number, title = found[1], ""
        rest = _BEFORE_TITLE.sub("", line.strip()) if found else line.strip()
        if rest and not rest.lower().startswith("seminal event"):
            title = rest
    return number, title


def viewpoint(text: str) -> str:
    """The sentence that says from where to look at the documents."""
    return " ".join(plain(element.inner) for element in elements(text, "viewpoint"))


def questions(text: str) -> dict[str, dict[str, Any]]:
    """The topics of the novelty track; lines that begin with a tag hold a label."""
    found: dict[str, dict[str, Any]] = {}
    for top in elements(text, "top"):
        parts = {
            part.name: part.inner
            for part in elements(top.inner, "num", "title", "desc", "desc2", "narr")
        }
        number = _NUMBERED.search(parts.get("num", ""))
        if number and parts.keys() >= {"title", "desc", "desc2", "narr"}:
            found[f"d{number[1]}"] = {
                "title": plain(parts["title"]),
                "description1": plain(parts["desc"].partition("\n")[2]),
                "description2": plain(parts["desc2"].partition("\n")[2]),
                "narrative": paragraphs(parts["narr"].partition("\n")[2]),
            }
    return found
