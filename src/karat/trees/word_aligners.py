"""Word aligners: links between the words of a hypothesis and of a reference.

The built-in aligner knows forms and lemmas. Others come from packages (entry
points of the group ``karat.aligners``) or from `register`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from karat.errors import KaratError, LimitExceeded, OptionError, did_you_mean
from karat.trees.model import Links, Tree, TreeError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "karat.aligners"
BUILT_IN = "built-in"
_LARGEST_TABLE = 100_000_000


class Sentence(NamedTuple):
    """A sentence as an aligner takes it."""

    tokens: tuple[str, ...]
    lemmas: tuple[str, ...]
    tags: tuple[str, ...]


Aligner: TypeAlias = Callable[[Sentence, Sentence], Iterable[tuple[int, int]]]
"""From a hypothesis and a reference to pairs of words (hypothesis, reference), from 0."""

_REGISTERED: dict[str, Aligner] = {}


def register(name: str, aligner: Aligner) -> None:
    """Makes a function known as an aligner, for metrics in this process."""
    if name == BUILT_IN or name in _REGISTERED:
        raise OptionError(f"there is an aligner {name!r} already", code="K311")
    _REGISTERED[name] = aligner


@cache
def _plugins() -> dict[str, list[EntryPoint]]:
    from importlib.metadata import entry_points

    found: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=GROUP):
        found.setdefault(point.name, []).append(point)
    return found


@cache
def _load(name: str) -> Aligner:
    points = _plugins().get(name, [])
    if len(points) != 1:
        known = [BUILT_IN, *_REGISTERED, *_plugins()]
        found = f"{len(points)} packages offer" if points else "there is no"
        raise OptionError(
            f"{found} aligner {name!r}" + ("" if points else did_you_mean(name, known)),
            code="K311" if points else "K333",
            advice="aligners: " + ", ".join(known),
        )
    try:
        aligner: Aligner = points[0].load()
    except Exception as error:
        raise OptionError(
            f"the aligner {name!r} does not load: {error!r}",
            code="K313",
            advice="report this to the makers of that package; the rest of karat works",
        ) from error
    return aligner


def align(name: str, hypothesis: Tree, reference: Tree) -> Links:
    """The links that the aligner with this name makes."""
    sentences = _sentence(hypothesis), _sentence(reference)
    if name == BUILT_IN:
        return by_form_and_lemma(*sentences)
    aligner = _REGISTERED.get(name) or _load(name)
    try:
        links = tuple(sorted({(int(h), int(r)) for h, r in aligner(*sentences)}))
    except KaratError:
        raise
    except Exception as error:
        raise OptionError(
            f"the aligner {name!r} fails: {error!r}", code="K313", place=hypothesis.place()
        ) from error
    check_links(links, hypothesis, reference, f"the aligner {name!r}")
    return links


def check_links(links: Links, hypothesis: Tree, reference: Tree, source: str) -> None:
    """Raises for a link to a word that is not there."""
    for h, r in links:
        if not (0 <= h < len(hypothesis) and 0 <= r < len(reference)):
            raise TreeError(
                f"{source} links hypothesis word {h} with reference word {r}, but there are "
                f"{len(hypothesis)} and {len(reference)} words, counted from 0",
                code="K194",
                place=hypothesis.place(),
            )


def _sentence(tree: Tree) -> Sentence:
    if tree.forms is None:
        raise TreeError(
            "the file has no words to align",
            code="K195",
            place=tree.place(),
            advice="give alignments with ``alignment``",
        )
    empty = ("_",) * len(tree)
    return Sentence(tree.forms, tree.lemmas or empty, tree.tags or empty)


def by_form_and_lemma(hypothesis: Sentence, reference: Sentence) -> Links:
    """The built-in aligner: equal forms, then lower-cased forms, then lower-cased lemmas.

    Among words with the same key, as many as possible are linked, in order, with
    the least difference of relative positions.
    """
    links: list[tuple[int, int]] = []
    stages: list[Callable[[Sentence], Sequence[str | None]]] = [
        lambda sentence: sentence.tokens,
        lambda sentence: [token.lower() for token in sentence.tokens],
        lambda sentence: [None if each == "_" else each.lower() for each in sentence.lemmas],
    ]
    free = [set(range(len(side.tokens))) for side in (hypothesis, reference)]
    scale = len(reference.tokens), len(hypothesis.tokens)
    for stage in stages:
        groups = [
            _by_key(stage(side), words)
            for side, words in zip((hypothesis, reference), free, strict=True)
        ]
        for key, ours in groups[0].items():
            theirs = groups[1].get(key)
            if theirs:
                links += _linked(ours, theirs, *scale)
        free[0] -= {h for h, _ in links}
        free[1] -= {r for _, r in links}
    return tuple(sorted(links))


def _by_key(keys: Sequence[str | None], words: set[int]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for word, key in enumerate(keys):
        if key is not None and word in words:
            groups.setdefault(key, []).append(word)
    return groups


def _linked(
    ours: Sequence[int], theirs: Sequence[int], scale: int, other_scale: int
) -> list[tuple[int, int]]:
    """Links all words of the shorter list, in order, as near to each other as possible.

    The distance of words h and r, from 1, is |h * scale - r * other_scale|. Of
    equally good ways the first in the order of links is taken.
    """
    if len(ours) == len(theirs):
        return list(zip(ours, theirs, strict=True))
    if len(ours) > len(theirs):
        return [(h, r) for r, h in _linked(theirs, ours, other_scale, scale)]
    slack = len(theirs) - len(ours)
    if len(ours) * (slack + 1) > _LARGEST_TABLE:
        raise LimitExceeded(
            f"a word occurs {len(ours)} and {len(theirs)} times: too often to align", code="K521"
        )
    place = (np.array(ours) + 1) * scale
    other = (np.array(theirs) + 1) * other_scale
    # rest[k]: what it costs to link ours[i:], each with a word of theirs[i + k:].
    rest = np.zeros(slack + 1, np.int64)
    best_skip = np.empty((len(ours), slack + 1), np.int32)
    for i in range(len(ours) - 1, -1, -1):
        total = np.abs(place[i] - other[i : i + slack + 1]) + rest
        rest = np.minimum.accumulate(total[::-1])[::-1]
        # The first place, at k or later, where the least is reached.
        reached = np.where(total == rest, np.arange(slack + 1), slack + 1)
        best_skip[i] = np.minimum.accumulate(reached[::-1])[::-1]
    links = []
    skipped = 0
    for i, word in enumerate(ours):
        skipped = int(best_skip[i, skipped])
        links.append((word, theirs[i + skipped]))
    return links
