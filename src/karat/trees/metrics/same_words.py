"""Base class of metrics that compare trees over the same words, word by word."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Annotated, Any, ClassVar, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.capabilities import Measured
from karat.core.metric import Metric, Split
from karat.core.options import Mode
from karat.core.pairing.pairs import ParsedChunk, Report, in_step
from karat.core.reading.items import Pair, Refs, Rows
from karat.core.reading.raw import RawChunk
from karat.core.scores import Array
from karat.errors import OptionError
from karat.trees.formats.conll import Side, same_ids, side_of
from karat.trees.model import (
    Indices,
    Tree,
    TreeError,
    climb,
    depths,
    flat_parents,
    offsets_of,
    tags_of,
)
from karat.trees.pairing import check_lines, check_words, pair_in_step

Mask: TypeAlias = npt.NDArray[np.bool_]
Labels: TypeAlias = tuple[Mask, Mask]
"""Which words have the right label, and which sentences have labels on both sides."""

PENN_TAGS = (",", ".", ":", "#", "(", ")", "-LRB-", "-RRB-", "``", "''", "LS", "SYM", "PUNCT")
"""The tags of punctuation by default; the dollar sign is a word."""


class Punctuation(msgspec.Struct, frozen=True):
    """The rule for punctuation: by tag, by UPOS, by label, or none at all."""

    tags: frozenset[str] = frozenset(PENN_TAGS)
    upos: bool = False
    deprel: str = ""
    keep: bool = False

    def told_by(self) -> tuple[str, list[str]]:
        """What the kernel tells punctuation by, and the names that it has there."""
        if self.keep:
            return "", []
        if self.upos:
            return "upos", []
        return ("label", [self.deprel]) if self.deprel else ("tag", sorted(self.tags))

    def of(self, system: Tree, gold: Tree) -> list[bool]:
        """For each word whether it is punctuation; gold decides where it can."""
        if self.keep:
            return [False] * len(gold)
        if self.upos:
            return [tag == "PUNCT" for tag in _needed(gold.upos, system.upos, "UPOS", gold)]
        if self.deprel:
            labels = _needed(gold.deprels, system.deprels, "DEPREL", gold)
            return [label.partition(":")[0] == self.deprel for label in labels]
        tags = tags_of(system, gold)
        if tags is None:
            return [False] * len(gold)
        return list(map(self.tags.__contains__, tags))


def _needed(
    ours: tuple[str, ...] | None, theirs: tuple[str, ...] | None, column: str, gold: Tree
) -> tuple[str, ...]:
    found = theirs if ours is None else ours
    if found is None:
        raise TreeError(
            f"punctuation is recognised by {column}, but the files have no such column",
            code="K188",
            place=gold.place(),
        )
    return found


class TreesNeeded(Exception):
    """A pair cannot be scored; why, its trees would tell, but they were not made."""


class Batch:
    """Many pairs at once: words are numbered through, the last number is ROOT."""

    def __init__(
        self,
        offsets: Indices,
        system: Indices,
        gold: Indices,
        punctuation: Mask,
        labels: Labels | None = None,
    ) -> None:
        self.systems: list[Tree] = []
        self.golds: list[Tree] = []
        self.offsets = offsets
        self.sentence = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        self.system = system
        self.gold = gold
        self.punctuation = punctuation
        self.labels = labels
        """None where the trees have to be asked."""

    @classmethod
    def of_trees(cls, pairs: Sequence[tuple[Tree, Tree]], punctuation: Punctuation) -> Batch:
        """Pairs of trees."""
        systems, golds = [system for system, _ in pairs], [gold for _, gold in pairs]
        offsets = offsets_of(golds)
        masks = [punctuation.of(system, gold) for system, gold in pairs]
        batch = cls(
            offsets,
            flat_parents(systems, offsets),
            flat_parents(golds, offsets),
            np.fromiter(chain.from_iterable(masks), bool, int(offsets[-1])),
        )
        batch.systems, batch.golds = systems, golds
        return batch

    @classmethod
    def of_columns(
        cls,
        offsets: Indices,
        system: Indices,
        gold: Indices,
        punctuation: npt.NDArray[np.uint8],
        same_label: npt.NDArray[np.uint8],
        labelled: bool,
    ) -> Batch:
        """Pairs that the kernel has read."""
        labels = same_label.view(bool), np.full(len(offsets) - 1, labelled)
        return cls(offsets, system, gold, punctuation.view(bool), labels)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def per_sentence(self, words: Mask) -> Indices:
        """The number of these words in each sentence."""
        return np.bincount(self.sentence[words], minlength=len(self))

    def lift(self, parents: Indices) -> Indices:
        """Reattaches children of punctuation to its nearest non-punctuation ancestor."""
        everyone = np.arange(len(parents))
        is_punctuation = np.append(self.punctuation, False)
        return climb(np.where(is_punctuation, parents, everyone))[parents]

    def under_punctuation(self, parents: Indices) -> Mask:
        """The words whose head is punctuation."""
        return np.append(self.punctuation, False)[parents[:-1]]

    def word(self, trees: Sequence[Tree], number: int) -> tuple[Tree, int]:
        """The tree and the place in it, from 1, of a word."""
        if not trees:
            raise TreesNeeded
        sentence = int(self.sentence[number])
        return trees[sentence], number - int(self.offsets[sentence]) + 1

    # -- facets of words -------------------------------------------------------

    def tags(self) -> list[str]:
        """The POS tag of each word."""
        return self._column(map(tags_of, self.systems, self.golds))

    def gold_labels(self) -> list[str]:
        """The gold label of each word."""
        return self._column([gold.deprels for gold in self.golds])

    def _column(self, columns: Iterable[tuple[str, ...] | None]) -> list[str]:
        sizes = np.diff(self.offsets).tolist()
        return list(
            chain.from_iterable(
                ("_",) * size if column is None else column
                for size, column in zip(sizes, columns, strict=True)
            )
        )

    def dependency_lengths(self) -> list[str]:
        """How far each word is from its gold head; 0 for the edges from ROOT."""
        words = np.arange(len(self.sentence))
        parents = self.gold[:-1]
        lengths = np.where(parents == len(words), 0, np.abs(words - parents))
        return list(map(str, lengths.tolist()))

    def root_distances(self) -> list[str]:
        """The number of gold edges between each word and ROOT."""
        return list(map(str, depths(self.gold)[:-1].tolist()))


FACETS: dict[str, Callable[[Batch], list[str]]] = {
    "pos": Batch.tags,
    "deprel": Batch.gold_labels,
    "dependency-length": Batch.dependency_lengths,
    "root-distance": Batch.root_distances,
}


class WordwiseMetric(Metric[Tree, Tree], ABC):
    """Base class of metrics that count word by word, on equal tokenisation."""

    kind = "tree"
    facets = tuple(FACETS)

    single_root: Annotated[bool, "treat several words under ROOT as an error"] = False
    punct_tags: Annotated[tuple[str, ...], "the POS tags of punctuation"] = ()
    punct_upos: Annotated[bool, "words with the UPOS tag PUNCT are punctuation"] = False
    punct_deprel: Annotated[str, "words with this gold label are punctuation"] = ""
    keep_punct: Annotated[bool, "score punctuation like words"] = False

    compares_tags: ClassVar[bool] = False
    """Whether both files must have the same parts of speech."""
    releases_gil = True
    chunk_size = 1024

    def __post_init__(self) -> None:
        self.punctuation  # noqa: B018 - contradicting options are refused at once

    @cached_property
    def punctuation(self) -> Punctuation:
        """The rule for punctuation, which is not scored; two at a time contradict each other."""
        names = ("punct_tags", "punct_upos", "punct_deprel", "keep_punct")
        given = [name for name in names if getattr(self, name)]
        if len(given) > 1:
            raise OptionError(
                f"{' and '.join(given)} exclude each other: give one of them", code="K331"
            )
        tags = frozenset(self.punct_tags or PENN_TAGS)
        return Punctuation(tags, self.punct_upos, self.punct_deprel, self.keep_punct)

    def pairs_itself(self, mode: Mode, golds: int) -> bool:
        if mode != "id" and golds != 1:
            raise OptionError(f"{self.name} takes one gold file, got {golds}", code="K309")
        return mode != "id"

    def cuts(
        self, system: Refs, golds: Sequence[Refs], report: Report, size: int
    ) -> Iterator[tuple[Rows, Rows]]:
        return in_step(system, golds, size)

    def pair_items(self, chunk: ParsedChunk) -> Iterator[Pair]:
        return pair_in_step(chunk, self)

    def batch(self, pairs: Sequence[tuple[Tree, Tree]]) -> Batch:
        """The pairs as arrays, after the checks of this metric."""
        for system, gold in pairs:
            self.check(system, gold)
        return Batch.of_trees(pairs, self.punctuation)

    def check(self, system: Tree, gold: Tree) -> None:
        """Raises a TreeError for a pair that cannot be scored."""
        if len(system) != len(gold):
            check_lines(system, gold)
        check_words(system, gold)
        if self.compares_tags:
            check_words(system, gold, "POS tag")

    @abstractmethod
    def count(self, batch: Batch) -> tuple[Array, Array]:
        """The counts of each word, and those that only whole sentences have."""

    def measure_many(self, pairs: Sequence[tuple[Tree, Tree]]) -> Array:
        return self._rows(self.batch(pairs))

    def measure_bytes(self, chunk: RawChunk) -> Measured | None:
        """The same counts, of words that the kernel reads into columns."""
        in_step = chunk.mode != "id"
        sides = self._sides(chunk, in_step)
        found = sides and _native.tree_pairs(*sides, **self._rules)
        if found is None:
            return None
        batch = Batch.of_columns(*found)
        try:
            rows = self._rows(batch)
        except TreesNeeded:
            return None
        # Metrics that pair by themselves say how long sentences are.
        lengths = list(map(str, np.diff(batch.offsets).tolist()))
        return Measured(rows, {"length": lengths} if in_step else {})

    def _sides(self, chunk: RawChunk, in_step: bool) -> tuple[Side, Side] | None:
        """Both files as the kernel takes them; None where something is wrong with one."""
        if len(chunk.golds) != 1:
            return None
        system, gold = chunk.system, chunk.golds[0]
        if len(system) != len(gold) or not len(gold):
            return None
        if in_step and (system.refs.extra["blanks"] != gold.refs.extra["blanks"]).any():
            return None
        if in_step and chunk.mode == "auto" and not same_ids(system, gold):
            return None
        ours, theirs = side_of(system), side_of(gold)
        return None if ours is None or theirs is None else (ours, theirs)

    @cached_property
    def _rules(self) -> dict[str, Any]:
        """How the kernel compares two trees."""
        by, names = self.punctuation.told_by()
        return {
            "punctuation_by": by,
            "punctuation": names,
            "compare_tags": self.compares_tags,
            "single_root": self.single_root,
            "ignore_subtypes": self.options.get("subtypes") == "ignore",
        }

    def _rows(self, batch: Batch) -> Array:
        words, sentences = self.count(batch)
        return summed(words, batch.sentence, len(batch)) + sentences

    def split(self, facet: str, pairs: Sequence[tuple[Tree, Tree]]) -> Split:
        batch = self.batch(pairs)
        words, _ = self.count(batch)
        return split_rows(words, batch.sentence, FACETS[facet](batch))


def split_rows(words: Array, pairs: Indices, values: Sequence[str]) -> Split:
    """The counts of words, each of a pair, by their values."""
    names = list(dict.fromkeys(values))
    number = {name: i for i, name in enumerate(names)}
    codes = np.fromiter(map(number.__getitem__, values), np.int64, len(values))
    keys, places = np.unique(pairs * len(names) + codes, return_inverse=True)
    return Split(
        (keys // max(1, len(names))).tolist(),
        [names[code] for code in (keys % max(1, len(names))).tolist()],
        summed(words, places.reshape(-1), len(keys)),
    )


def summed(words: Array, groups: Indices, count: int) -> Array:
    """The sums of the counts of words in each group."""
    columns = [np.bincount(groups, column, minlength=count) for column in words.T]
    return np.stack(columns, axis=-1) if len(words) else np.zeros((count, words.shape[1]))


def no_several_roots(tree: Tree) -> None:
    """Raises unless exactly one word has ROOT as its head."""
    if tree.heads.count(0) == 1:
        return
    roots = tree.roots
    words = ", ".join(f"{word} ({tree.form(word)!r})" for word in roots[:5])
    raise TreeError(
        f"the sentence has {len(roots)} roots, expected one: words {words}"
        if roots
        else "the sentence has no words, of which one has to be the root",
        code="K189",
        place=tree.place(roots[1] if len(roots) > 1 else 1),
    )
