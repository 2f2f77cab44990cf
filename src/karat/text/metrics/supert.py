"""A metric in the manner of SUPERT: a summary against sentences of its documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import numpy as np

from karat.core.marks import within
from karat.core.metric import Counts, Explanation
from karat.core.options import Range
from karat.core.scores import Array, Scores, ratio
from karat.errors import LimitExceeded
from karat.text.embedding import Embedding, content_places, cosines
from karat.text.model import DocumentMetric, Text, sentences

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
