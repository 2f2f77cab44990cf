"""NED: attachment without regard to which end of an edge is the head."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from types import MappingProxyType
from typing import Annotated, Literal

import numpy as np

from karat import _native
from karat.core.capabilities import LazyPairs
from karat.core.marks import count, main
from karat.core.metric import Explanation
from karat.core.options import Range
from karat.core.scores import Array, MetricsDict, Scores, ratio
from karat.core.shown import Shown
from karat.trees.metrics.same_words import (
    Batch,
    Mask,
    TreesNeeded,
    WordwiseMetric,
    no_several_roots,
)
from karat.trees.model import Indices, Tree, TreeError

HOW = ("wrong", "parent", "child", "grandparent", "excluded")
WRONG, PARENT, CHILD, GRANDPARENT, EXCLUDED = range(len(HOW))


class Ned(WordwiseMetric):
    """Neutral edge direction (Schwartz, Abend, Reichart & Rappoport, ACL 2011).

    A word is right if its head is its gold parent (`directed`), or one of its
    gold children (`undirected`), or its gold grandparent (`ned`). The scores are
    shares of all words that are not punctuation. Words are judged against gold:
    swapping gold and system gives other numbers.

    >>> gold, system = Tree.of([2, 0, 2, 3]), Tree.of([2, 0, 4, 2])
    >>> scores = Ned().score(system, gold)
    >>> scores["directed"], scores["undirected"], scores["ned"], scores["total"]
    (2, 3, 4, 4)
    """

    name = "ned"
    columns = ("parent", "child", "grandparent", "wrong", "excluded", "sentences", "skipped")
    allows_empty = True
    compares_tags = True
    flag_synonyms = MappingProxyType({"-if": "system", "-gold": "gold", "-ml": "max_length"})

    max_length: Annotated[int, Range(0), "leave out sentences with more words"] = 10_000
    length_counts_punct: Annotated[bool, "punctuation counts towards the length"] = False
    punct_heads: Annotated[
        Literal["error", "lift", "keep"],
        "where the head of a word is punctuation: stop; re-attach the word to its nearest ancestor "
        "that is a word, in both trees; leave it",
    ] = "error"

    def count(self, batch: Batch) -> tuple[Array, Array]:
        skipped = self._skipped(batch)
        how = self._how(batch, skipped)
        scored = ~skipped[batch.sentence]
        words = np.zeros((len(how), len(self.columns)))
        for column, way in enumerate((PARENT, CHILD, GRANDPARENT, WRONG, EXCLUDED)):
            words[:, column] = (how == way) & scored
        sentences = np.zeros((len(batch), len(self.columns)))
        sentences[:, -2], sentences[:, -1] = ~skipped, skipped
        return words, sentences

    def _skipped(self, batch: Batch) -> Mask:
        counted = np.full(len(batch.sentence), True)
        if not self.length_counts_punct:
            counted = ~batch.punctuation
        return batch.per_sentence(counted) > self.max_length

    def _how(self, batch: Batch, skipped: Mask) -> Indices:
        """The way in which each word is right, as an index into `HOW`."""
        if self.single_root and batch.golds:  # what was read from bytes has one
            for tree, left_out in zip(
                batch.golds + batch.systems, skipped.tolist() * 2, strict=True
            ):
                if not left_out:
                    no_several_roots(tree)
        gold, system = batch.gold, batch.system
        if self.punct_heads == "error":
            self._no_punctuation_heads(batch, batch.golds, gold, skipped)
            self._no_punctuation_heads(batch, batch.systems, system, skipped)
        elif self.punct_heads == "lift":
            gold, system = batch.lift(gold), batch.lift(system)
        parent, attached = gold[:-1], system[:-1]
        return np.select(
            [
                batch.punctuation,
                attached == parent,
                gold[attached] == np.arange(len(attached)),
                attached == gold[parent],
            ],
            [EXCLUDED, PARENT, CHILD, GRANDPARENT],
            WRONG,
        )

    def _no_punctuation_heads(
        self, batch: Batch, trees: list[Tree], parents: Indices, skipped: Mask
    ) -> None:
        wrong = batch.under_punctuation(parents) & ~skipped[batch.sentence]
        if not wrong.any():
            return
        tree, word = batch.word(trees, int(np.argmax(wrong)))
        head = tree.heads[word - 1]
        raise TreeError(
            f"word {word} ({tree.form(word)!r}) has as its head the punctuation mark {head} "
            f"({tree.form(head)!r})",
            code="K188",
            place=tree.place(word),
            advice="``punct_heads='lift'`` re-attaches such words, ``punct_heads='keep'`` scores "
            "the trees as they are, ``keep_punct=True`` scores punctuation too",
        )

    def summarize(self, totals: Array) -> Scores:
        parent, child, grandparent, wrong, excluded, sentences, skipped = self.columns_of(totals)
        undirected = parent + child
        ned = undirected + grandparent
        total = ned + wrong
        return {
            "ned": count(ned),
            "undirected": count(undirected),
            "directed": count(parent),
            "total": count(total),
            "ned_score": main(ratio(ned, total, np.nan)),
            "undirected_score": ratio(undirected, total, np.nan),
            "directed_score": ratio(parent, total, np.nan),
            "how": {
                "parent": count(parent),
                "child": count(child),
                "grandparent": count(grandparent),
                "wrong": count(wrong),
            },
            "excluded": count(excluded),
            "sentences": count(sentences),
            "skipped": count(skipped),
        }

    def line(self, scores: MetricsDict) -> str:
        return drop_in_line(scores["ned"], scores["total"])

    def explain(self, system: Tree, gold: Tree) -> Explanation:
        """The head of each word in both trees, and in which way it is right."""
        return self.explain_many([(system, gold)])[0]

    def explain_many(self, pairs: Sequence[tuple[Tree, Tree]]) -> list[Explanation]:
        """The same for many pairs, whose words are judged by one call."""
        if not pairs:
            return []
        batch = self.batch(pairs)
        skipped = self._skipped(batch)
        how = self._how(batch, skipped).tolist()
        bounds = pairwise(batch.offsets.tolist())
        return [
            {"skipped": left_out, "words": _told(system, gold, how[begin:end])}
            for (system, gold), left_out, (begin, end) in zip(
                pairs, skipped.tolist(), bounds, strict=True
            )
        ]

    def look_at(self, chunk: LazyPairs) -> _native.NedLook | None:
        raw = chunk.raw()
        sides = self._sides(raw, raw.mode != "id") if raw is not None else None
        looked = _native.look_at_ned(*sides, **self._rules) if sides else None
        if looked is None:
            return None
        batch = Batch.of_columns(*looked.columns())
        try:
            skipped = self._skipped(batch)
            looked.judge(self._how(batch, skipped).astype(np.uint8), skipped.view(np.uint8))
        except TreesNeeded:
            return None
        return looked

    def shown(self, system: Tree, gold: Tree, explanation: Explanation) -> Shown:
        from karat.trees.content import shown_attachments

        how = {each["word"]: each["how"] for each in explanation["words"]}
        if explanation["skipped"]:
            return shown_attachments(system, gold, (), how)
        words: dict[str, list[int]] = {}
        for word, way in how.items():
            words.setdefault(way, []).append(word)
        wrong, out, _ = (words.pop(way, []) for way in ("wrong", "excluded", "parent"))
        return shown_attachments(system, gold, wrong, out, [*chain(*words.values())])


def _told(system: Tree, gold: Tree, how: Sequence[int]) -> list[Explanation]:
    """The heads of words in both trees, and in which way each is right."""
    forms = gold.forms or system.forms or map(str, range(1, len(how) + 1))
    columns = zip(forms, gold.heads, system.heads, how, strict=True)
    return [
        {"word": word, "form": form, "gold": head, "system": other, "how": HOW[way]}
        for word, (form, head, other, way) in enumerate(columns, 1)
    ]


def drop_in_line(correct: int, total: int) -> str:
    """The line that the authors' script prints.

    >>> drop_in_line(4, 4)
    '4/4 (1.000)'
    >>> drop_in_line(0, 0)
    '0/0 (0.000)'
    """
    return f"{correct}/{total} ({correct / total if total else 0.0:.3f})"
