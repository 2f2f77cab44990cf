"""What the metrics of embeddings share: the model, weights of tokens, cosines, content words."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from karat.core.files.opener import Source
from karat.core.scores import Array
from karat.errors import MissingExtra
from karat.text.embedding.model import (
    Encoded,
    LanguageModel,
    check_packages,
    find_model,
    load_model,
)
from karat.text.words.lists import smart_stopwords


class Embedding:
    """Mixed into a metric that has the options `model` and `num_layers`."""

    name: ClassVar[str]
    model: str | None
    num_layers: int
    columns: ClassVar[Sequence[str]]

    @classmethod
    def missing(cls) -> str:
        try:
            check_packages(find_model())
        except MissingExtra as error:
            return error.advice
        return ""

    def language_model(self) -> LanguageModel:
        """The model."""
        return load_model(str(find_model(self.model)))

    def caveats(self, totals: Array) -> list[str]:
        cut = int(totals[list(self.columns).index("cut")])
        if not cut:
            return []
        return [f"{self.name}: {cut} items have texts too long for the model, which were cut"]


def cosines(a: Array, b: Array) -> Array:
    """The cosines of unit vectors; rounding never takes one above 1."""
    return np.asarray(np.clip(a @ b.T, -1.0, 1.0))


def partners(
    model: LanguageModel, own: Encoded, other: Encoded, table: Array, weights: Array
) -> list[dict[str, Any]]:
    """Each token of a text with the most similar one of another text."""
    if not own.inner or not other.inner:
        return []
    best = table.argmax(axis=1)
    return [
        {
            "token": model.piece(own.pieces[place]),
            "partner": model.piece(other.pieces[int(best[place])]),
            "cosine": float(table[place, best[place]]),
            "weight": float(weight),
        }
        for place, weight in zip(own.inner, weights.tolist(), strict=True)
    ]


def content_places(model: LanguageModel, encoded: Encoded) -> list[int]:
    """Where the tokens are that begin a word which is no stop word and no punctuation mark."""
    stops = smart_stopwords()
    return [
        place
        for place in model.begins_word(encoded)
        if (piece := model.piece(encoded.pieces[place])) not in stops
        and not all(unicodedata.category(character)[0] in "PS" for character in piece)
    ]


def weights_of(pieces: Sequence[int], model: str | None, corpus: str | None) -> Array:
    """The weights of tokens: 1, or inverse document frequencies in a file of texts."""
    if corpus is None:
        return np.ones(len(pieces))
    table, unseen = _frequencies(str(find_model(model)), corpus, Source(corpus).digest())
    return np.array([table.get(piece, unseen) for piece in pieces], np.float64)


@lru_cache(maxsize=4)
def _frequencies(folder: str, path: str, _digest: str) -> tuple[Mapping[int, float], float]:
    """Inverse document frequencies of tokens in a file, and that of tokens it does not have."""
    model = load_model(folder)
    counts: Counter[int] = Counter()
    texts = 0
    for _, line in Source(path).lines():
        texts += 1
        counts.update(set(model.pieces(line)))
    table = {piece: math.log((texts + 1) / (count + 1)) for piece, count in counts.items()}
    return table, math.log(texts + 1)
