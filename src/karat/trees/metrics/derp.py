"""DERP: word order, judged by the paths between words of two dependency trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np

from karat import _native
from karat.core.marks import cost, count, main
from karat.core.scores import Array, Scores, ratio
from karat.errors import LimitExceeded
from karat.trees.metrics.aligned_sentences import AlignedMetric, flat_links, flat_trees
from karat.trees.model import Reference, Tree, depths_of

_MOST_CELLS = 100_000_000
_encode = msgspec.json.Encoder().encode
_LABELS: dict[str, Callable[[str], str]] = {
    "full": str,
    "universal": lambda label: label.partition(":")[0],
    "none": lambda _: "*",
}


class Derp(AlignedMetric):
    """How far the paths between aligned words differ (McCaffery, PhD thesis, St Andrews 2017).

    The words of one tree that have a counterpart in the other are spanned by the
    cheapest tree of meta-edges; an edge costs the edit distance of the two paths
    between its words and their counterparts. The score is 1 - L / Lmax, with the
    costs and the largest possible costs of the chosen edges. `micro` is that of
    all sentences together, `macro` the mean of the sentences that have a score.
    `coverage` is the share of words with a counterpart; it does not lower the
    score.

    >>> reference = Tree.of([2, 0, 2], forms=["dogs", "chase", "cats"], deprels=["subj", "root", "obj"])
    >>> hypothesis = Tree.of([2, 0, 2], forms=["cats", "chase", "dogs"], deprels=["obj", "root", "subj"])
    >>> Derp().score(hypothesis, reference)["micro"]
    0.5
    """  # noqa: E501 - a doctest has one statement per line

    name = "derp"
    columns = (
        "L", "Lmax", "score", "scored", "covered", "sentences", "nodes", "aligned", "words",
        "hypothesis_base",
    )  # fmt: skip
    per_scored = ("score", "scored", "covered")

    labels: Annotated[
        Literal["full", "universal", "none"],
        "compare labels as they are, up to the first colon, or not at all",
    ] = "full"
    empty_score: Annotated[
        Literal[0, 1] | None, "the score of a sentence with fewer than two aligned words"
    ] = None
    coverage: Annotated[
        Literal["report", "multiply"], "also give the scores multiplied by the coverage"
    ] = "report"

    def _flat(
        self, hypotheses: Sequence[Tree], references: Sequence[Reference], codes: dict[str, int]
    ) -> tuple[Any, ...]:
        """Trees and links as the kernels take them; `codes` get the names of labels."""
        for hypothesis, reference in zip(hypotheses, references, strict=True):
            _check_size(hypothesis, reference)
        label = _LABELS[self.labels]
        trees = [reference.tree for reference in references]
        return (
            *flat_trees(trees, codes, label),
            *flat_trees(hypotheses, codes, label),
            *flat_links([reference.links or () for reference in references]),
        )

    def rows_of(self, hypotheses: Sequence[Tree], references: Sequence[Reference]) -> Array:
        found, _, _ = _native.derp(*self._flat(hypotheses, references, {}))
        base, nodes, disparity, largest = found.astype(np.float64).T
        words = np.array(
            [len(h) + len(r.tree) for h, r in zip(hypotheses, references, strict=True)], float
        )
        aligned = np.array([_aligned_words(reference) for reference in references], float)
        score, scored = self.scores_of(disparity, largest)
        covered = score * ratio(aligned, words)
        ones = np.ones(len(references))
        return np.column_stack(
            [disparity, largest, score, scored, covered, ones, nodes, aligned, words, base]
        )

    def summarize(self, totals: Array) -> Scores:
        (
            disparity, largest, score, scored, covered, sentences, nodes, aligned, words, base,
        ) = self.columns_of(totals)  # fmt: skip
        micro = 1 - ratio(disparity, largest, np.nan)
        coverage = ratio(aligned, words, np.nan)
        scores: dict[str, Any] = {
            "micro": main(micro),
            "macro": ratio(score, scored, np.nan),
            "L": cost(count(disparity)),
            "Lmax": count(largest),
            "coverage": coverage,
            "sentences": count(sentences),
            "scored": count(scored),
            "nodes": count(nodes),
            "base": {"reference": count(sentences - base), "hypothesis": count(base)},
        }
        if self.coverage == "multiply":
            scores["micro_covered"] = micro * coverage
            scores["macro_covered"] = ratio(covered, scored, np.nan)
        return scores

    def told(self, hypotheses: Sequence[Tree], references: Sequence[Reference]) -> list[bytes]:
        """The chosen edges with their paths, the most expensive first."""
        codes: dict[str, int] = {}
        flat = self._flat(hypotheses, references, codes)
        # Scores are written as Python writes them, here.
        found = _native.derp(*flat)[0].tolist()
        scores = [
            b'"score":%b,"coverage":%b'
            % (_encode(self._score(cost, largest)), _encode(_coverage(hypothesis, reference)))
            for (_, _, cost, largest), hypothesis, reference in zip(
                found, hypotheses, references, strict=True
            )
        ]
        trees = [reference.tree for reference in references]
        return _native.derp_texts(list(codes), _forms(trees), _forms(hypotheses), scores, *flat)

    def _score(self, disparity: int, largest: int) -> float | None:
        return 1 - disparity / largest if largest else self.empty_score


class Path(NamedTuple):
    """A path as DERP compares it: up to the lowest common ancestor, the direction, and down."""

    up: tuple[str, ...]
    direction: str
    """``alpha`` if the first word stands left of the second, else ``beta``."""
    down: tuple[str, ...]

    def __str__(self) -> str:
        parts = (" ".join(self.up) or "-", self.direction, " ".join(self.down) or "-")
        return "({}, {}, {})".format(*parts)


def path(tree: Tree, first: int, second: int) -> Path:
    """The path between two different words.

    >>> tree = Tree.of([2, 3, 0, 3], deprels=["det", "nsubj", "root", "obj"])
    >>> print(path(tree, 1, 4))
    (det nsubj, alpha, obj)
    """
    labels = tree.deprels or ("_",) * len(tree)
    ours, theirs = _to_root(tree, first), _to_root(tree, second)
    while ours and theirs and ours[-1] == theirs[-1]:
        ours.pop()
        theirs.pop()
    return Path(
        tuple(labels[word - 1] for word in ours),
        "alpha" if first < second else "beta",
        tuple(labels[word - 1] for word in reversed(theirs)),
    )


def _to_root(tree: Tree, word: int) -> list[int]:
    words = []
    while word:
        words.append(word)
        word = tree.heads[word - 1]
    return words


def _aligned_words(reference: Reference) -> int:
    links = reference.links or ()
    return len({h for h, _ in links}) + len({r for _, r in links})


def _coverage(hypothesis: Tree, reference: Reference) -> float | None:
    words = len(hypothesis) + len(reference.tree)
    return _aligned_words(reference) / words if words else None


def _forms(trees: Sequence[Tree]) -> list[str]:
    """The words of all trees, named as `Tree.form` does."""
    return [form for tree in trees for form in tree.forms or map(str, range(1, len(tree) + 1))]


def _check_size(hypothesis: Tree, reference: Reference) -> None:
    """Guards against pairs whose tables would fill the memory."""
    links = reference.links or ()
    if len(links) * (len(hypothesis) + 1) * (len(reference.tree) + 1) <= _MOST_CELLS:
        return
    deep = [depths_of(tree) for tree in (hypothesis, reference.tree)]
    cells = sum((deep[0][h] + 1) * (deep[1][r] + 1) for h, r in links)
    if cells + len(links) ** 2 > _MOST_CELLS:
        raise LimitExceeded(
            f"the sentences have {len(hypothesis)} and {len(reference.tree)} words and "
            f"{len(links)} links: too many for DERP",
            code="K522",
            place=hypothesis.place(),
        )
