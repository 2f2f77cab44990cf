"""Metrics of vectors in context: BERTScore, MoverScore, and a metric in the manner of SUPERT."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Annotated, Any

import numpy as np

from karat.core.files.opener import Source
from karat.core.marks import main, within
from karat.core.metric import Counts, Explanation
from karat.core.options import Range
from karat.core.scores import Array, Scores, ratio
from karat.errors import FormatError, LimitExceeded, MissingExtra, OptionError, Place
from karat.text.embedding import Embedding, Encoded, content_places, cosines, partners, weights_of
from karat.text.model import DocumentMetric, ReferenceMetric, Text, sentences


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
            if not layer.is_integer() or not all(-1 <= each < 1 for each in (precision, recall, f)):
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


_MOST_CELLS = 250_000


class MoverScore(Embedding, ReferenceMetric):
    """MoverScore (Zhao et al. 2019): how far words have to move from text to reference.

    1 minus the exact earth mover's distance between the content words of both, with
    Euclidean distances between unit vectors in context; the mean over the references. A side
    without content words scores 0. Words weigh the same, or by `idf_corpus`, a file with one
    text per line: inverse document frequencies never depend on the texts that are scored. The
    signature holds the file's checksum.
    """

    name = "moverscore"
    columns = ("items", "score", "cut")
    chunk_size = 32

    model: Annotated[str | None, "the folder of a language model"] = None
    num_layers: Annotated[int, Range(0), "the layer to take, from 1; 0: the last"] = 0
    idf_corpus: Annotated[str | None, "a file of texts, one per line, to weigh words by"] = None

    @classmethod
    def missing(cls) -> str:
        without = "" if find_spec("scipy") else "pip install 'karat[embedding]'"
        return super().missing() or without

    def signature(self) -> str:
        if self.idf_corpus is None:
            return super().signature()
        return f"{super().signature()}|idf:{Source(self.idf_corpus).digest()[:12]}"

    def measure(self, system: Text, gold: Sequence[Text]) -> Counts:
        text, references = self.strings(system, gold)
        scores = [self._moved(text, reference)[0] for reference in references]
        model = self.language_model()
        cut = any(model.encode(each, self.num_layers).cut for each in (text, *references))
        return (1.0, sum(scores) / len(scores), float(cut))

    def _moved(self, text: str, reference: str) -> tuple[float, list[dict[str, Any]]]:
        """The score, and how much of each word of the text moves to which word, and how far."""
        words, weights, vectors = zip(*map(self._words, (text, reference)), strict=True)
        if not all(float(each.sum()) > 0 for each in weights):
            return 0.0, []
        distances = np.sqrt(2 - 2 * cosines(*vectors))
        supply, demand = (each / each.sum() for each in weights)
        cost, plan = transport(supply, demand, distances)
        return 1 - cost, [
            {
                "system": words[0][i],
                "gold": words[1][j],
                "amount": float(plan[i, j]),
                "distance": float(distances[i, j]),
            }
            for i, j in np.argwhere(plan > 0).tolist()
        ]

    def explain(self, system: Text, gold: Sequence[Text]) -> Explanation:
        """For each reference how much of each word of the text moves to which word, and how far."""
        text, references = self.strings(system, gold)
        found = [self._moved(text, reference) for reference in references]
        return {
            "scores": self.score(system, gold),
            "matches": [{"score": score, "moves": moves} for score, moves in found],
        }

    def _words(self, text: str) -> tuple[list[str], Array, Array]:
        """The content words, their weights and their vectors."""
        model = self.language_model()
        encoded = model.encode(text, self.num_layers)
        places = content_places(model, encoded)
        pieces = [encoded.pieces[place] for place in places]
        weights = weights_of(pieces, self.model, self.idf_corpus)
        return [model.piece(piece) for piece in pieces], weights, encoded.vectors[places]

    def summarize(self, totals: Array) -> Scores:
        return {"MoverScore": within(ratio(totals[..., 1], totals[..., 0]), -1, 1)}


def transport(supply: Array, demand: Array, costs: Array) -> tuple[float, Array]:
    """The cost of the best plan, and the plan; both distributions have the same sum.

    The plan is the solution of a linear program, found by HiGHS.
    """
    try:
        from scipy.optimize import linprog
        from scipy.sparse import coo_array
    except ImportError:
        raise MissingExtra.package("scipy", "embedding", "moverscore") from None
    rows, columns = costs.shape
    if rows * columns > _MOST_CELLS:
        raise LimitExceeded(
            f"two texts of {rows} and {columns} words are too long for moverscore", code="K503"
        )
    cells = np.arange(rows * columns)
    places = np.concatenate([cells // columns, rows + cells % columns])
    constraints = coo_array(
        (np.ones(2 * len(cells)), (places, np.concatenate([cells, cells]))),
        shape=(rows + columns, len(cells)),
    ).tocsr()
    # One constraint follows from the others; left in, rounding could contradict it.
    amounts = np.concatenate([supply, demand])[:-1]
    solution = linprog(costs.ravel(), A_eq=constraints[:-1], b_eq=amounts, method="highs")
    return float(solution.fun), np.asarray(solution.x).reshape(rows, columns)


_MOST_SENTENCES = 5000
_END = re.compile(r"(?<=[.!?])\s+|\n+")


class Supert(Embedding, DocumentMetric):
    """Like SUPERT (Gao, Zhao and Eger 2020): no references, only the documents.

    The first sentences of each document stand for a reference. Content words of summary and
    pseudo-reference are matched greedily by their vectors in context, sentence by sentence, and
    the score is the F of both directions. An empty summary scores 0. The model differs from the
    original's, so figures are not comparable with published ones.
    """

    name = "supert"
    columns = ("items", "score", "cut")
    chunk_size = 32

    model: Annotated[str | None, "the folder of a language model"] = None
    num_layers: Annotated[int, Range(0), "the layer to take, from 1; 0: the last"] = 0
    sentences: Annotated[int, Range(1), "how many sentences of each document"] = 12

    def measure(self, system: Text, gold: Sequence[Text]) -> Counts:
        self.check_texts(gold)
        own, own_cut, _ = self._vectors(list(_split(system)))
        other, other_cut, _ = self._vectors(self._chosen(gold))
        if not len(own) or not len(other):
            return (1.0, 0.0, float(own_cut or other_cut))
        table = cosines(own, other)
        precision, recall = float(table.max(axis=1).mean()), float(table.max(axis=0).mean())
        total = precision + recall
        score = 2 * precision * recall / total if total else 0.0
        return (1.0, score, float(own_cut or other_cut))

    def _chosen(self, documents: Sequence[Text]) -> list[str]:
        """The sentences that stand for a reference."""
        return [s for document in documents for s in list(_split(document))[: self.sentences]]

    def explain(self, system: Text, gold: Sequence[Text]) -> Explanation:
        """The sentences that the summary is held against, and each of its content words with the
        most similar one there."""
        self.check_texts(gold)
        chosen = self._chosen(gold)
        own, _, words = self._vectors(list(_split(system)))
        other, _, others = self._vectors(chosen)
        found: list[dict[str, Any]] = []
        if len(own) and len(other):
            table = cosines(own, other)
            best = table.argmax(axis=1).tolist()
            found = [
                {"word": word, "partner": others[j], "cosine": float(table[i, j])}
                for i, (word, j) in enumerate(zip(words, best, strict=True))
            ]
        return {"scores": self.score(system, gold), "sentences": chosen, "words": found}

    def _vectors(self, units: Sequence[str]) -> tuple[Array, bool, list[str]]:
        """The vectors of the content words of all sentences, whether some were cut, the words."""
        if len(units) > _MOST_SENTENCES:
            raise LimitExceeded(
                f"supert takes texts of at most {_MOST_SENTENCES:,} sentences, got {len(units):,}",
                code="K503",
                advice="score summaries rather than whole collections",
            )
        model = self.language_model()
        encoded = [model.encode(unit, self.num_layers) for unit in units]
        places = [content_places(model, each) for each in encoded]
        parts = [each.vectors[at] for each, at in zip(encoded, places, strict=True)]
        words = [
            model.piece(each.pieces[place])
            for each, at in zip(encoded, places, strict=True)
            for place in at
        ]
        whole = np.concatenate(parts) if parts else np.empty((0, 0))
        return np.asarray(whole), any(each.cut for each in encoded), words

    def summarize(self, totals: Array) -> Scores:
        return {"supert": within(ratio(totals[..., 1], totals[..., 0]), -1, 1)}


def _split(text: Text) -> Iterator[str]:
    """The sentences of a text: those of a list, or what ends with a mark or a line."""
    for unit in sentences(text):
        yield from (part for part in _END.split(unit) if part.strip())
