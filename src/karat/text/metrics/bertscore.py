"""BERTScore."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated

import numpy as np

from karat.core.files.opener import Source
from karat.core.marks import main, within
from karat.core.metric import Counts, Explanation
from karat.core.options import Range
from karat.core.scores import Array, Scores, ratio
from karat.errors import FormatError, OptionError, Place
from karat.text.embedding import Embedding, Encoded, cosines, partners, weights_of
from karat.text.model import ReferenceMetric, Text


class BertScore(Embedding, ReferenceMetric):
    """BERTScore (Zhang et al. 2020): tokens matched greedily by their vectors in context.

    Precision is the mean over the text's tokens of the largest cosine to a token of the
    reference, recall the same from the reference's side. Of several references the best of
    each value counts, as in the package bert-score. An empty text scores 0. Any language
    model in a folder can be used; scores of different models are not comparable.

    With `idf_corpus`, a file with one text per line, tokens weigh by their inverse document
    frequency in it; bert-score takes the references of the run for that. With `baseline`, a
    table in bert-score's format (``LAYER,P,R,F``), a value x becomes (x - b) / (1 - b), where
    b is the value of unrelated texts. The signature holds the checksums of both.
    """

    name = "bertscore"
    columns = ("items", "precision", "recall", "f1", "cut")
    chunk_size = 64

    model: Annotated[str | None, "the folder of a language model"] = None
    num_layers: Annotated[int, Range(0), "the layer to take, from 1; 0: the last"] = 0
    idf_corpus: Annotated[str | None, "a file of texts, one per line, to weigh tokens by"] = None
    baseline: Annotated[str | None, "a file of the values of unrelated texts, to rescale by"] = None

    def signature(self) -> str:
        files = {"idf": self.idf_corpus, "baseline": self.baseline}
        return super().signature() + "".join(
            f"|{name}:{Source(path).digest()[:12]}" for name, path in files.items() if path
        )

    def measure(self, system: Text, gold: Sequence[Text]) -> Counts:
        text, references = self.strings(system, gold)
        model = self.language_model()
        own = model.encode(text, self.num_layers)
        others = [model.encode(reference, self.num_layers) for reference in references]
        figures = [self._pair(own, other) for other in others]
        cut = own.cut or any(other.cut for other in others)
        return (1.0, *np.max(figures, axis=0).tolist(), float(cut))

    def explain(self, system: Text, gold: Sequence[Text]) -> Explanation:
        """Each token with the one on the other side that it is most similar to, its cosine and its
        weight; of several references, each with its own figures."""
        text, references = self.strings(system, gold)
        model = self.language_model()
        own = model.encode(text, self.num_layers)
        found = []
        for reference in references:
            other = model.encode(reference, self.num_layers)
            precision, recall, f1 = self._pair(own, other).tolist()
            table = cosines(own.vectors, other.vectors)
            found.append(
                {
                    "precision": precision,
                    "recall": recall,
                    "f1": f1,
                    "system": partners(model, own, other, table, self._weights(own)),
                    "gold": partners(model, other, own, table.T, self._weights(other)),
                }
            )
        return {"scores": self.score(system, gold), "matches": found}

    def _pair(self, own: Encoded, other: Encoded) -> Array:
        if not own.inner or not other.inner:
            return np.zeros(3)
        table = cosines(own.vectors, other.vectors)
        own_best, other_best = table.max(axis=1)[own.inner], table.max(axis=0)[other.inner]
        figures = greedy(own_best, self._weights(own), other_best, self._weights(other))
        if self.baseline is None:
            return figures
        unrelated = self._unrelated()
        return np.asarray((figures - unrelated) / (1 - unrelated))

    def _weights(self, encoded: Encoded) -> Array:
        pieces = [encoded.pieces[place] for place in encoded.inner]
        return weights_of(pieces, self.model, self.idf_corpus)

    def _unrelated(self) -> Array:
        assert self.baseline is not None
        layer = self.num_layers or self.language_model().layers
        layers = _baselines(self.baseline, Source(self.baseline).digest())
        if layer not in layers:
            raise OptionError(
                f"{self.baseline} has no baseline for layer {layer or 'of an unknown number'}, "
                f"only for {', '.join(map(str, layers))}",
                code="K302",
                advice="name another layer with ``num_layers``, or the table of this model",
            )
        return np.array(layers[layer])

    def summarize(self, totals: Array) -> Scores:
        items, *sums, _ = self.columns_of(totals)
        precision, recall, f1 = (within(ratio(total, items), -1, 1) for total in sums)
        return {"bertscore": {"precision": precision, "recall": recall, "f1": main(f1)}}


def greedy(own: Array, own_weights: Array, other: Array, other_weights: Array) -> Array:
    """Precision, recall and F of the largest cosine of each token of both sides.

    Marks of beginning and end may be matched, but are not counted. Where nothing has weight,
    nothing is found.

    >>> one, none = np.ones(1), np.zeros(1)
    >>> greedy(one, one, one, one).tolist(), greedy(one, none, one, one).tolist()
    ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0])
    """
    if not own_weights.sum() or not other_weights.sum():
        return np.zeros(3)
    precision = float(np.average(own, weights=own_weights))
    recall = float(np.average(other, weights=other_weights))
    total = precision + recall
    return np.array([precision, recall, 2 * precision * recall / total if total else 0.0])


@lru_cache(maxsize=4)
def _baselines(path: str, _digest: str) -> Mapping[int, tuple[float, float, float]]:
    """Precision, recall and F of unrelated texts, by layer."""
    source = Source(path)
    layers: dict[int, tuple[float, float, float]] = {}
    for number, line in source.lines():
        cells = [cell.strip() for cell in line.split(",")]
        if not line.strip() or [cell.upper() for cell in cells] == ["LAYER", "P", "R", "F"]:
            continue
        try:
            layer, precision, recall, f = (float(cell) for cell in cells)
            if not all(-1 <= value < 1 for value in (precision, recall, f)):
                raise ValueError
        except ValueError:
            raise FormatError(
                f"expected a layer and its precision, recall and F below 1, found {line[:60]!r}",
                code="K178",
                place=Place(source.name, number),
            ) from None
        layers[int(layer)] = (precision, recall, f)
    if not layers:
        raise FormatError("there are no baselines", code="K178", place=Place(source.name))
    return layers
