"""The stories of CNN and Daily Mail, from the archives that all their data sets refer to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from karat.errors import Place
from karat.meta.datasets.archives import tar_members
from karat.meta.datasets.reading import bad

_ENDS = (".", "!", "?", "'", "`", '"', "\u2019", "\u201d", ")")
_MARK = "@highlight"


def read_stories(paths: Sequence[str], wanted: Collection[str]) -> dict[str, str]:
    """The stories that are wanted, by the last parts of their paths."""
    keys = {_tail(path) for path in wanted}
    return {
        _tail(name): data.decode("utf-8", "replace")
        for path in paths
        for name, data in tar_members(path, ".story")
        if _tail(name) in keys
    }


def _tail(path: str) -> str:
    return "/".join(path.split("/")[-3:])


def story(stories: Mapping[str, str], path: str, place: Place) -> str:
    """The story that a record refers to."""
    if _tail(path) not in stories:
        raise bad(
            f"the story {path!r} is in none of the archives",
            place,
            advice="give cnn_stories.tgz and dailymail_stories.tgz as well",
        )
    return stories[_tail(path)]


def article(text: str) -> str:
    """A story without its highlights, in one line."""
    lines = text.partition(_MARK)[0].split("\n")
    return " ".join(line.strip() for line in lines if line.strip())


def article_and_highlights(text: str) -> tuple[str, str]:
    """A story and its highlights, each in one line; lines without an end get a full stop.

    >>> article_and_highlights("It rains\\n\\nToday.\\n\\n@highlight\\n\\nRain")
    ('It rains. Today.', 'Rain.')
    """
    body: list[str] = []
    highlights: list[str] = []
    part = body
    for line in map(str.strip, text.splitlines()):
        if line.startswith(_MARK):
            part = highlights
        elif line:
            part.append(line if line.endswith(_ENDS) else line + ".")
    return " ".join(body), " ".join(highlights)
