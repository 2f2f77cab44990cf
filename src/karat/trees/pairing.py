"""Pairing of sentences with the same words, by position, and of documents by their characters.

These may be split into other sentences and words than gold.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import Any, Literal

import msgspec
import numpy as np

from karat._native import align_trees
from karat.core.capabilities import allows_empty
from karat.core.metric import Metric
from karat.core.options import Mode
from karat.core.pairing.pairs import ParsedChunk, Report
from karat.core.reading.items import Item, Pair, Refs, Rows
from karat.errors import FormatError, KaratError, LimitExceeded, PairingError, counted
from karat.trees.formats.conll import side_of_trees
from karat.trees.model import Tree, TreeError, offsets_of

_BY_ID = "``pair='id'`` pairs by id, "


def pair_in_step(chunk: ParsedChunk, metric: Metric[Any, Any]) -> Iterator[Pair]:
    """Pairs of sentences with the same place in both files.

    Ids are only compared (unless `mode` is "position"); blank lines and the
    number of words must agree. What the metric refuses is left out or fails.
    """
    systems, golds, report, mode, first, *_ = chunk
    index = first - 1
    for index, (gold, system) in enumerate(zip_longest(golds[0], systems), first):
        if gold is None or system is None:
            raise unequal(index, system, [gold])
        if not chunk.takes(index):
            continue
        error = gold.error or system.error
        if error is None:
            try:
                check_ids(system, gold, mode)
                check_lines(system.value, gold.value)
                if report.on_error == "skip":
                    metric.measure(system.value, gold.value)
            except FormatError as disagreement:
                error = disagreement
        if error:
            (report.broken_gold if gold.error else report.broken)(error)
            continue
        tree: Tree = gold.value
        name = tree.id or str(index + 1)
        fields = {"length": str(len(tree))}
        yield Pair(index, name, fields, system.value, tree, gold.key)
    if index < 0 and not allows_empty(metric):
        raise PairingError("there are no sentences: the files are empty", code="K203")


def unequal(index: int, system: Item | None, golds: Sequence[Item | None]) -> PairingError:
    """The error of files of which some end before others; None stands for the end of one."""
    sides = {"the system file": system}
    for number, gold in enumerate(golds, 1):
        sides["the gold file" if len(golds) == 1 else f"gold file {number}"] = gold
    shorter = next(name for name, item in sides.items() if item is None)
    longer, item = next((name, item) for name, item in sides.items() if item is not None)
    return PairingError(
        f"{longer} has a sentence here, but {shorter} ends after {index}",
        code="K202",
        place=item.value.place() if item.error is None else item.error.place,
        advice="all files must have as many sentences, with a blank line after each",
    )


def check_ids(
    system: Item, gold: Item, mode: Mode, what: str = "gold sentence", advice: str = _BY_ID
) -> None:
    """Raises where both sentences have ids, and they differ."""
    if mode == "auto" and gold.key and system.key and gold.key != system.key:
        raise TreeError(
            f"the sentence id is {system.key[0]!r}, that of the {what} at the same place "
            f"is {gold.key[0]!r}",
            code="K186",
            place=system.value.place(),
            advice=f"{advice}``pair='position'`` does not look at ids",
        )


def check_lines(system: Tree, gold: Tree) -> None:
    """Raises unless both sentences have as many words, after as many blank lines."""
    if len(system.heads) == len(gold.heads) and system.blanks_before == gold.blanks_before:
        return
    where = f"the gold sentence at {gold.place()}" if gold.file else "the gold sentence"
    if len(system) != len(gold):
        raise TreeError(
            f"the sentence has {counted(len(system), 'word')}, {where} has {len(gold)}",
            code="K186",
            place=system.place(),
            advice="both files must have the same words, with blank lines at the same places; the "
            "metric ud compares trees over words that are cut otherwise",
        )
    raise TreeError(
        f"there are {system.blanks_before} blank lines before the sentence, "
        f"{gold.blanks_before} before {where}",
        code="K186",
        place=system.place(),
        advice="blank lines must be at the same places in both files",
    )


def check_words(system: Tree, gold: Tree, what: Literal["word", "POS tag"] = "word") -> None:
    """Raises where both sentences have words, or parts of speech, and they differ."""
    ours, theirs = (tree.forms if what == "word" else tree.tags for tree in (system, gold))
    if ours is None or theirs is None or ours == theirs:
        return
    check_lines(system, gold)
    for word, (our, their) in enumerate(zip(ours, theirs, strict=True), 1):
        if our != their:
            where = f" at {gold.place(word)}" if gold.file else ""
            raise TreeError(
                f"the {what} is {our!r}, that of gold{where} is {their!r}",
                code="K187",
                place=system.place(word),
            )


# -- documents whose sentences are split differently from gold ------------------------------------


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


def shares(systems: Sequence[Tree], golds: Sequence[Tree]) -> Iterator[Share]:
    """The share of each gold sentence in texts with the same characters."""
    for tree in (*systems, *golds):
        if not tree.has("forms"):
            raise TreeError(
                "the sentence has no words, and texts are compared by their words",
                code="K191",
                place=tree.place(),
                advice="give trees with forms; attachment compares heads alone",
            )
    wrong, *found = align_trees(side_of_trees(systems), side_of_trees(golds))
    if wrong:
        raise _refusal(wrong, found, systems, golds)
    partners, homes, spans = found
    starts = offsets_of(golds)
    theirs = np.searchsorted(starts, partners, "right") - 1  # -1 where there is no partner
    words = np.where(theirs < 0, 0, partners - starts[theirs] + 1)
    columns = [each.tolist() for each in (homes, theirs, words)]
    parts: list[list[Part]] = [[] for _ in golds]
    for tree, (first, last) in zip(systems, pairwise(offsets_of(systems).tolist()), strict=True):
        home, aligned, word_of = (column[first:last] for column in columns)
        every = tuple(range(1, len(tree) + 1))
        if every and every == tuple(word_of) and home[0] == home[-1] == aligned[0] == aligned[-1]:
            parts[home[0]].append(Part(tree, every, every))  # the same words, as nearly always
            continue
        for i in sorted({*home, *aligned} - {-1}):
            counted = [word for word, each in enumerate(home, 1) if each == i]
            links = [word if at == i else 0 for word, at in zip(word_of, aligned, strict=True)]
            parts[i].append(Part(tree, tuple(counted), tuple(links)))
    for each, counts in zip(parts, spans.tolist(), strict=True):
        yield Share(tuple(each), *counts)


def _refusal(
    wrong: str, found: Sequence[Any], systems: Sequence[Tree], golds: Sequence[Tree]
) -> KaratError:
    """Why texts cannot be aligned."""
    if wrong == "region":
        return LimitExceeded(
            f"a multiword token has {found[0]} words in gold and {found[1]} in the system's "
            "file: too many to align",
            code="K520",
        )
    of_gold, place, *texts = found
    trees = golds if of_gold else systems
    if wrong == "form":
        starts = offsets_of(trees).tolist()
        number = bisect_right(starts, place) - 1
        word = place - starts[number] + 1
        return TreeError("the form is empty", code="K191", place=trees[number].place(word))
    return TreeError(
        "the text is not that of gold: "
        + (f"{texts[0]!r} stands" if texts[0] else "it ends")
        + f" where gold has {texts[1]!r}",
        code="K190",
        place=trees[place].place(),
        advice="the characters of all tokens, without blanks, must be the same in both files",
    )


def share_of(system: Share | Tree | Sequence[Tree], gold: Tree) -> Share:
    """The share of a gold sentence in a text that has nothing else."""
    if isinstance(system, Share):
        return system
    (share,) = shares([system] if isinstance(system, Tree) else system, [gold])
    return share


def same_share(tree: Tree) -> Share:
    """The share of a gold sentence in a tree over the same words."""
    every = tuple(range(1, len(tree) + 1))
    return Share((Part(tree, every, every),), tree.tokens, tree.tokens, 1, 1)


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
    """A pair for each gold sentence, with the share that the system has of it."""
    theirs, ours = list(_trees(golds)), list(_trees(systems))
    if not first and not theirs and not ours:
        raise PairingError("there are no sentences: the files are empty", code="K203")
    for index, (tree, share) in enumerate(zip(theirs, shares(ours, theirs), strict=True), first):
        name, key = tree.id or str(index + 1), (tree.id,) if tree.id else None
        yield Pair(index, name, {"length": str(len(tree))}, share, tree, key)


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
        if not tree.has("forms"):
            raise TreeError(
                "the file has no words, which are needed here", code="K192", place=tree.place()
            )
        yield tree
