"""Synonyms from the files of WordNet, wherever they are installed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from karat.core.files.resources import metric_folder
from karat.errors import FormatError, MissingExtra, Place

_PARTS = ("noun", "verb", "adj", "adv")
_SYSTEM = Path("/usr/share/wordnet")
# How regular endings come off, by part of speech (WordNet's morphy).
_ENDINGS = {
    "noun": (
        ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
        ("men", "man"), ("ies", "y"),
    ),
    "verb": (
        ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}  # fmt: skip


def find_wordnet(path: str | None = None) -> Path:
    """The folder with the index files, or an error that says how to get them."""
    folders = [Path(path)] if path else [metric_folder("wordnet"), _SYSTEM]
    for folder in folders:
        if (folder / "index.noun").is_file():
            return folder
    raise MissingExtra(
        f"synonyms need the files of WordNet, which are not in {' or '.join(map(str, folders))}",
        code="K402",
        advice="install Debian's package wordnet-base, or name their folder with ``wordnet``",
    )


class WordNet:
    """For each word, the numbers of the sets of synonyms that it is in."""

    def __init__(self, folder: Path) -> None:
        self._synsets: dict[str, dict[str, tuple[int, ...]]] = {}
        self._irregular: dict[str, Mapping[str, list[str]]] = {}
        for number, part in enumerate(_PARTS):
            self._synsets[part] = dict(_index(folder / f"index.{part}", number))
            self._irregular[part] = _exceptions(folder / f"{part}.exc")

    def synsets(self, word: str) -> list[int]:
        """All sets that the word or one of its base forms is in, in order."""
        found: set[int] = set()
        for part in _PARTS:
            known = self._synsets[part]
            for form in (word, *self._bases(word, part)):
                found.update(known.get(form, ()))
        return sorted(found)

    def _bases(self, word: str, part: str) -> Iterator[str]:
        yield from self._irregular[part].get(word, ())
        for ending, base in _ENDINGS[part]:
            if word.endswith(ending) and len(word) > len(ending):
                yield word[: -len(ending)] + base


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            for number, line in enumerate(stream, 1):
                if not line.startswith(" ") and line.strip():
                    yield number, line.split()
    except OSError as error:
        raise FormatError(
            f"cannot be opened: {error.strerror}", code="K101", place=Place(str(path))
        ) from None


def _index(path: Path, part: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Lemmas and their synsets; the number of a synset is its place in its file."""
    for number, fields in _lines(path):
        try:
            synsets, pointers = int(fields[2]), int(fields[3])
            found = tuple([int(offset) * len(_PARTS) + part for offset in fields[pointers + 6 :]])
        except (IndexError, ValueError):
            synsets, found = 0, ()
        if not synsets or len(found) != synsets:
            raise FormatError(
                "this is not a line of a WordNet index", code="K115", place=Place(str(path), number)
            )
        yield fields[0], found


def _exceptions(path: Path) -> dict[str, list[str]]:
    return {fields[0]: fields[1:] for _, fields in _lines(path)}


@lru_cache(maxsize=2)
def load_wordnet(folder: str) -> WordNet:
    """The WordNet of a folder, read once."""
    return WordNet(Path(folder))
