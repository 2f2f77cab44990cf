"""Pairing of files with the same sentences and words, by position."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from karat.core.capabilities import allows_empty
from karat.core.metric import Metric
from karat.core.options import Mode
from karat.core.pairing.pairs import ParsedChunk
from karat.core.reading.items import Item, Pair
from karat.errors import FormatError, PairingError, counted
from karat.trees.model import Tree, TreeError

Check = Callable[[Tree, Tree], object]
"""Raises a FormatError for a pair (system, gold) that cannot be scored."""


def pair_in_step(chunk: ParsedChunk, *, metric: Metric[Any, Any], check: Check) -> Iterator[Pair]:
    """Pairs of sentences with the same place in both files.

    Ids are only compared (unless `mode` is "position"); blank lines and the
    number of words must agree. What `check` refuses is left out or fails.
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
                _check_ids(gold, system, mode)
                check_lines(system.value, gold.value)
                if report.on_error == "skip":
                    check(system.value, gold.value)
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


def _check_ids(gold: Item, system: Item, mode: Mode) -> None:
    if mode == "auto" and gold.key and system.key and gold.key != system.key:
        raise TreeError(
            f"the sentence id is {system.key[0]!r}, that of the gold sentence at the same place "
            f"is {gold.key[0]!r}",
            code="K186",
            place=system.value.place(),
            advice="``pair='id'`` pairs by id, ``pair='position'`` does not look at ids",
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


def check_words(system: Tree, gold: Tree) -> None:
    """Raises where both sentences have words, and they differ."""
    _check_equal("word", system, gold, system.forms, gold.forms)


def check_tags(system: Tree, gold: Tree) -> None:
    """Raises where both sentences have parts of speech, and they differ."""
    _check_equal("POS tag", system, gold, system.tags, gold.tags)


def _check_equal(
    what: str,
    system: Tree,
    gold: Tree,
    ours: tuple[str, ...] | None,
    theirs: tuple[str, ...] | None,
) -> None:
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
