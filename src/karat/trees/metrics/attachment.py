"""Attachment scores on equal tokenisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np

from karat import _native
from karat.core.capabilities import LazyPairs, Reading, grid_in
from karat.core.marks import count, main
from karat.core.metric import Explanation
from karat.core.repairs import Changes, Claim, Target
from karat.core.scores import Array, Scores, ratio
from karat.core.shown import Shown
from karat.trees.metrics.same_words import (
    FACETS,
    Batch,
    Labels,
    WordwiseMetric,
    no_several_roots,
)
from karat.trees.model import Column, Tree
from karat.trees.pairing import same_share
from karat.trees.repair import OwnWords, SameWords, partners_of, reading_of, word_edit

_LABELLED: dict[str, Changes] = {
    "head": (("heads", 1.0), ("both", 1.0)),
    "label": (("labels", 1.0), ("both", 1.0)),
    "both": (("heads", 1.0), ("labels", 1.0), ("both", 1.0)),
}
_UNLABELLED: dict[str, Changes] = {"head": (("heads", 1.0),)}
"""What edits change, by kind, with labels on both sides and without."""


class Attachment(WordwiseMetric):
    """Unlabelled and labelled attachment scores of trees over the same words.

    `UAS` is the share of words with the right head, `LAS` with the right head
    and label, `LA` with the right label. `UEM` and `LEM` are the shares of
    sentences that are right as a whole, `root_accuracy` of those whose words
    under ROOT are the right ones. Punctuation is not scored, unless told to be.
    LAS, LA and LEM are undefined where a file has no labels.

    >>> gold = Tree.of([2, 0, 2], deprels=["nsubj", "root", "obj"])
    >>> system = Tree.of([2, 0, 2], deprels=["nsubj", "root", "obl"])
    >>> scores = Attachment().score(system, gold)
    >>> scores["UAS"], round(scores["LAS"], 4), scores["LEM"]
    (1.0, 0.6667, 0.0)
    """

    name = "attachment"
    columns = (
        "words", "heads", "excluded", "labelled_words", "labels", "both",
        "sentences", "complete_heads", "roots", "labelled_sentences", "complete_both",
    )  # fmt: skip

    subtypes: Annotated[
        Literal["keep", "ignore"], "compare labels as they are, or up to the first colon"
    ] = "keep"

    tracing = grid_in("karat.trees.metrics.grids", "attachment")

    def check(self, system: Tree, gold: Tree) -> None:
        super().check(system, gold)
        if self.single_root:
            no_several_roots(gold)
            no_several_roots(system)

    def _equal_labels(self, system: Column, gold: Column) -> list[bool] | None:
        if system is None or gold is None:
            return None
        if system == gold:
            return [True] * len(gold)
        if self.subtypes == "keep":
            return [ours == theirs for ours, theirs in zip(system, gold, strict=True)]
        return [
            ours.partition(":")[0] == theirs.partition(":")[0]
            for ours, theirs in zip(system, gold, strict=True)
        ]

    def _labels(self, batch: Batch) -> Labels:
        if batch.labels is not None:
            return batch.labels
        labels: list[bool] = []
        labelled = []
        for system, gold in zip(batch.systems, batch.golds, strict=True):
            equal = self._equal_labels(system.deprels, gold.deprels)
            labelled.append(equal is not None)
            labels.extend([False] * len(gold) if equal is None else equal)
        return np.array(labels, bool), np.array(labelled, bool)

    def count(self, batch: Batch) -> tuple[Array, Array]:
        root = len(batch.sentence)
        scored = ~batch.punctuation
        parent, attached = batch.gold[:-1], batch.system[:-1]
        heads = (parent == attached) & scored
        right, labelled = self._labels(batch)
        labels = right & scored
        both = heads & labels
        labelled_words = scored & labelled[batch.sentence]
        other_roots = scored & ((parent == root) != (attached == root))
        words = np.zeros((root, len(self.columns)))
        for column, mask in enumerate((scored, heads, ~scored, labelled_words, labels, both)):
            words[:, column] = mask
        size = batch.per_sentence(scored)
        counted = size > 0
        sentences = np.zeros((len(batch), len(self.columns)))
        sentences[:, 6] = counted
        sentences[:, 7] = counted & (batch.per_sentence(heads) == size)
        sentences[:, 8] = counted & (batch.per_sentence(other_roots) == 0)
        sentences[:, 9] = counted & labelled
        sentences[:, 10] = counted & labelled & (batch.per_sentence(both) == size)
        return words, sentences

    def summarize(self, totals: Array) -> Scores:
        (
            words, heads, excluded, labelled_words, labels, both,
            sentences, complete_heads, roots, labelled_sentences, complete_both,
        ) = self.columns_of(totals)  # fmt: skip
        return {
            "UAS": ratio(heads, words, np.nan),
            "LAS": main(ratio(both, labelled_words, np.nan)),
            "LA": ratio(labels, labelled_words, np.nan),
            "UEM": ratio(complete_heads, sentences, np.nan),
            "LEM": ratio(complete_both, labelled_sentences, np.nan),
            "root_accuracy": ratio(roots, sentences, np.nan),
            "correct": {"heads": count(heads), "labels": count(labels), "both": count(both)},
            "total": count(words),
            "excluded": count(excluded),
            "sentences": count(sentences),
        }

    def explain(self, system: Tree, gold: Tree) -> Explanation:
        """The words with a wrong head or label."""
        self.check(system, gold)
        found, out, _ = self._judged(system, gold)
        theirs, ours = gold.deprels, system.deprels
        wrong = [
            {
                "word": word,
                "form": gold.form(word),
                "gold": [gold.heads[word - 1], theirs[word - 1] if theirs else None],
                "system": [system.heads[word - 1], ours[word - 1] if ours else None],
            }
            for word, _ in found
        ]
        return {"wrong": wrong, "excluded": sum(out)}

    def _judged(self, system: Tree, gold: Tree) -> tuple[list[tuple[int, str]], list[bool], bool]:
        """The words that are wrong, and in what; which are not scored; whether there are labels."""
        equal = self._equal_labels(system.deprels, gold.deprels)
        ignored = self.punctuation.of(system, gold)
        wrong = []
        for i, out in enumerate(ignored):
            head, label = system.heads[i] == gold.heads[i], equal is None or equal[i]
            if not (out or (head and label)):
                wrong.append((i + 1, "label" if head else "head" if label else "both"))
        return wrong, ignored, equal is not None

    def look_at(self, chunk: LazyPairs) -> _native.AttachmentLook | None:
        raw = chunk.raw()
        sides = self._sides(raw, raw.mode != "id") if raw is not None else None
        return _native.look_at_attachments(*sides, **self._rules) if sides else None

    # -- repairing -------------------------------------------------------------

    partitions = ("edge-label", "label", "length", *FACETS)
    repair_claim: ClassVar[Claim] = "equal"
    unrepairable = ""

    @property
    def repair_targets(self) -> Mapping[str, Target]:
        return {
            "LAS": Target({"both": 1}, {"labelled_words": 1}),
            "UAS": Target({"heads": 1}, {"words": 1}),
            "LA": Target({"labels": 1}, {"labelled_words": 1}),
            "LEM": Target({"complete_both": 1}, {"labelled_sentences": 1}, whole=True),
        }

    def repairs(self, pairs: Sequence[tuple[Tree, Tree]]) -> list[SameWords]:
        return [self._repair(system, gold) for system, gold in pairs]

    def readings(self, pairs: Sequence[tuple[Tree, Tree]]) -> list[Reading]:
        """The heads and labels of words that are scored."""
        found = []
        for system, gold in pairs:
            self.check(system, gold)
            out = self.punctuation.of(system, gold)
            ignored = {word for word, each in enumerate(out, 1) if each}
            found.append(reading_of(gold, partners_of(same_share(system)), (), ignored))
        return found

    def for_repaired(self) -> Attachment:
        return Attachment(**{**self.options, "single_root": False})

    def _repair(self, system: Tree, gold: Tree) -> SameWords:
        wrong, ignored, labelled = self._judged(system, gold)
        words = [word_edit(system, gold, *each) for each in wrong]

        def classes(partition: str) -> Sequence[str]:
            facet = "dependency-length" if partition == "length" else partition
            return FACETS[facet](Batch.of_trees([(system, gold)], self.punctuation))

        changes = _LABELLED if labelled else _UNLABELLED
        share = same_share(system)
        return SameWords(OwnWords(share, gold, (), words, changes, (), classes), ignored)

    def shown(self, system: Tree, gold: Tree, explanation: Explanation) -> Shown:
        from karat.trees.content import shown_attachments

        wrong = [each["word"] for each in explanation["wrong"]]
        out = [word for word, out in enumerate(self.punctuation.of(system, gold), 1) if out]
        return shown_attachments(system, gold, wrong, out)
