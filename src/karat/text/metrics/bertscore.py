"""BERTScore."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from karat.core.metric import Counts
from karat.core.options import Range
from karat.core.scores import Array, Scores, ratio
from karat.text.embedding.metric import Embedding, cosines
from karat.text.model import ReferenceMetric, Text


class BertScore(Embedding, ReferenceMetric):
    """BERTScore (Zhang et al. 2020): tokens matched greedily by their vectors in context.

    Precision is the mean over the text's tokens of the largest cosine to a token of the
    reference, recall the same from the reference's side. Of several references the best of
    each value counts, as in the package bert-score. An empty text scores 0. Any BERT model
    in a folder will do; scores of different models are not comparable.
    """

    name = "bertscore"
    columns = ("items", "precision", "recall", "f1", "cut")
    headline = "bertscore.f1"
    chunk_size = 64

    def __init__(
        self,
        *,
        model: Annotated[str | None, "the folder of a BERT model"] = None,
        num_layers: Annotated[int, Range(0), "the layer to take, from 1; 0: the last"] = 0,
    ) -> None:
        self.model = model
        self.num_layers = num_layers

    def measure(self, system: Text, gold: Sequence[Text]) -> Counts:
        text, references = self.strings(system, gold)
        bert = self.bert()
        own = bert.encode(text, self.num_layers)
        others = [bert.encode(reference, self.num_layers) for reference in references]
        figures = [greedy(cosines(own.vectors, other.vectors)) for other in others]
        cut = own.cut or any(other.cut for other in others)
        return (1.0, *np.max(figures, axis=0).tolist(), float(cut))

    def summarize(self, totals: Array) -> Scores:
        items = totals[..., 0]
        names = ("precision", "recall", "f1")
        return {"bertscore": {n: ratio(totals[..., i], items) for i, n in enumerate(names, 1)}}


def greedy(table: Array) -> Array:
    """Precision, recall and F of a table of cosines with marks of beginning and end around.

    The marks may be matched, but are not themselves counted.

    >>> greedy(np.eye(3)).tolist(), greedy(np.eye(2)).tolist()
    ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0])
    """
    if min(table.shape) < 3:
        return np.zeros(3)
    precision = float(table.max(axis=1)[1:-1].mean())
    recall = float(table.max(axis=0)[1:-1].mean())
    total = precision + recall
    return np.array([precision, recall, 2 * precision * recall / total if total else 0.0])
