"""Pairing of files with the same sentences and words, by position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Literal

from karat.core.capabilities import allows_empty
from karat.core.metric import Metric
from karat.core.options import Mode
from karat.core.pairing.pairs import ParsedChunk
from karat.core.reading.items import Item, Pair
from karat.errors import FormatError, PairingError, counted
from karat.trees.model import Tree, TreeError

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
