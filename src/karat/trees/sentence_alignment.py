"""Alignment of documents whose sentences are split differently from gold."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

import msgspec
import numpy as np

from karat.core.pairing.pairs import Report
from karat.core.reading.items import Item, Pair, Refs, Rows
from karat.errors import PairingError
from karat.trees.model import Tree, TreeError
from karat.trees.token_alignment import Text, WordAligner, without_spaces

_SHOWN = 20


class Part(msgspec.Struct, frozen=True, gc=False):
    """A system sentence, seen from one gold sentence."""

    tree: Tree
    counted: tuple[int, ...]
    """The words that count towards the gold sentence, since they start in it."""
    partners: tuple[int, ...]
    """For each word the word of the gold sentence that it is aligned with, or 0."""


class Share(msgspec.Struct, frozen=True, gc=False):
    """The words, tokens and sentences of a system that belong to one gold sentence."""

    parts: tuple[Part, ...]
    tokens: int
    """How many tokens start in the gold sentence."""
    equal_tokens: int
    sentences: int
    equal_sentences: int


def shares(system: Text, gold: Text, partner: Mapping[int, int]) -> Iterator[Share]:
    """The share of each gold sentence in texts with the same characters.

    `partner` has the gold words of system words, both as numbers.
    """
    starts = [start for start, _ in gold.sentences]
    tokens = _by_start(system.tokens, set(gold.tokens), starts)
    sentences = _by_start(system.sentences, set(gold.sentences), starts)
    # For every gold sentence the system words that matter, by system sentence.
    counted: list[dict[int, list[int]]] = [{} for _ in starts]
    linked: list[dict[int, dict[int, int]]] = [{} for _ in starts]
    bounds = [*system.first_word, len(system.words)]
    golds = [*gold.first_word, len(gold.words)]
    for number in range(len(system.trees)):
        for s in range(bounds[number], bounds[number + 1]):
            word = s - bounds[number] + 1
            home = bisect_right(starts, system.words[s].start) - 1
            counted[home].setdefault(number, []).append(word)
            g = partner.get(s)
            if g is not None:
                other = bisect_right(golds, g) - 1
                linked[other].setdefault(number, {})[word] = g - golds[other] + 1
    for i in range(len(starts)):
        parts = []
        for number in sorted(counted[i].keys() | linked[i].keys()):
            tree, links = system.trees[number], linked[i].get(number, {})
            partners = tuple([links.get(word, 0) for word in range(1, len(tree) + 1)])
            parts.append(Part(tree, tuple(counted[i].get(number, ())), partners))
        yield Share(tuple(parts), *tokens[i], *sentences[i])


def _by_start(
    spans: Sequence[tuple[int, int]], golds: set[tuple[int, int]], starts: Sequence[int]
) -> list[tuple[int, int]]:
    """For each gold sentence the number of spans that start in it, and of those equal to gold's."""
    counts = [[0, 0] for _ in starts]
    for span in spans:
        count = counts[bisect_right(starts, span[0]) - 1]
        count[0] += 1
        count[1] += span in golds
    return [(all_spans, equal) for all_spans, equal in counts]


def share_of(system: Sequence[Tree], gold: Tree) -> Share:
    """The share of a gold sentence in a text that has nothing else."""
    system_text, gold_text = Text(), Text()
    ours, theirs = "".join(map(system_text.add, system)), gold_text.add(gold)
    if ours != theirs:
        raise _difference(theirs, ours, system[0] if system else gold)
    aligner = WordAligner(gold_text, system_text)
    aligner.advance()
    (share,) = shares(system_text, gold_text, aligner.partner)
    return share


def cut_documents(
    system: Refs, gold: Refs, report: Report, size: int
) -> Iterator[tuple[Rows, Rows]]:
    """Chunks of files that have the same characters, each of at least so many gold sentences.

    A chunk ends where a sentence of both files ends at the same character, with a word that
    is the same piece of text in both: no word before it can be aligned with one after it.
    """
    if not (len(system) and len(gold)):
        yield slice(None), slice(None)
        return
    for side, refs in (("gold", gold), ("system", system)):
        blanks = refs.extra["blanks"]
        extra = int(np.maximum(blanks - (refs.number > 0), 0).sum())
        if extra:
            report.warn(f"the {side} file has {extra} blank lines too many")
    _, ours, theirs = np.intersect1d(
        np.cumsum(system.extra["characters"]),
        np.cumsum(gold.extra["characters"]),
        return_indices=True,
    )
    clean = (system.extra["last_word"][ours] == gold.extra["last_word"][theirs]) & (
        system.extra["last_word"][ours] > 0
    )
    first_system = first_gold = 0
    for s, g in zip((ours[clean] + 1).tolist(), (theirs[clean] + 1).tolist(), strict=True):
        if g - first_gold >= size and g < len(gold):
            yield slice(first_system, s), slice(first_gold, g)
            first_system, first_gold = s, g
    yield slice(first_system, None), slice(first_gold, None)


def pair_documents(
    systems: Iterable[Item], golds: Iterable[Item], first: int = 0
) -> Iterator[Pair]:
    """A pair for each gold sentence, with the share that the system has of it.

    The files are read in step. Where a sentence ends in both, and all words
    before have been aligned or passed, what came before is done with.
    """
    sides = _trees(golds), _trees(systems)
    index = first
    while True:
        read = [next(side, None) for side in sides]
        theirs, ours = read
        if theirs is not None and ours is not None and _have_same_words(theirs, ours):
            yield _pair(index, theirs, _all_of(ours))
            index += 1
            continue
        again = [
            chain([] if tree is None else [tree], side)
            for tree, side in zip(read, sides, strict=True)
        ]
        gold, system = Text(), Text()
        aligner = WordAligner(gold, system)
        while _read_to_common_end(gold, system, *again) and not aligner.advance():
            pass
        if not gold.trees:
            break
        for tree, share in zip(gold.trees, shares(system, gold, aligner.partner), strict=True):
            yield _pair(index, tree, share)
            index += 1
    if index == 0:
        raise PairingError("there are no sentences: the files are empty", code="K203")


def _pair(index: int, gold: Tree, share: Share) -> Pair:
    name, key = gold.id or str(index + 1), (gold.id,) if gold.id else None
    return Pair(index, name, {"length": str(len(gold))}, share, gold, key)


def _have_same_words(gold: Tree, system: Tree) -> bool:
    """Whether two sentences are aligned word by word, as is plain to see."""
    if gold.multiword or system.multiword or not len(gold):
        return False
    forms = gold.forms
    return forms is not None and forms == system.forms and all(map(without_spaces, forms))


def _all_of(system: Tree) -> Share:
    every = tuple(range(1, len(system) + 1))
    return Share((Part(system, every, every),), len(every), len(every), 1, 1)


def _read_to_common_end(
    gold: Text, system: Text, golds: Iterator[Tree], systems: Iterator[Tree]
) -> bool:
    """Adds sentences until both texts end with the same character; False if there are no more."""
    rest = ["", ""]  # characters that the other side has not confirmed yet
    while True:
        behind = gold.end > system.end
        text, trees = (system, systems) if behind else (gold, golds)
        tree = next(trees, None)
        if tree is None and not any(rest):
            tree = next(systems, None)  # gold is at its end, the system may not be
            behind, text = True, system
            if tree is None:
                return False
        if tree is None:
            longer = gold if behind else system
            raise _difference(rest[0], rest[1], longer.trees[-1])
        rest[behind] += text.add(tree)
        size = min(map(len, rest))
        if rest[0][:size] != rest[1][:size]:
            raise _difference(rest[0], rest[1], system.trees[-1])
        rest = [rest[0][size:], rest[1][size:]]
        if not any(rest):
            return True


def _trees(items: Iterable[Item]) -> Iterator[Tree]:
    """The trees of one file; what the official script does not read is an error."""
    for item in items:
        if item.error:
            # Without this sentence the characters could not agree any more.
            raise item.error
        tree: Tree = item.value
        if not tree.closed:
            raise TreeError(
                "the last sentence is not followed by a blank line",
                code="K192",
                place=tree.place(len(tree)),
            )
        if tree.forms is None:
            raise TreeError(
                "the file has no words, which are needed here", code="K192", place=tree.place()
            )
        yield tree


def _difference(gold: str, system: str, tree: Tree) -> TreeError:
    same = next(
        (i for i, (a, b) in enumerate(zip(gold, system, strict=False)) if a != b),
        min(len(gold), len(system)),
    )
    return TreeError(
        f"the text is not that of gold: {system[same : same + _SHOWN]!r} stands where gold has "
        f"{gold[same : same + _SHOWN]!r}",
        code="K190",
        place=tree.place(),
        advice="the characters of all tokens, without blanks, must be the same in both files",
    )
