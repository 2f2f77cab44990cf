"""What the metrics of embeddings share: the model, kept words, and a word on cut texts."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from karat.core.scores import Array
from karat.errors import MissingExtra
from karat.text.embedding.bert import GET_MODEL, Bert, Encoded, find_model, load_model
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
            find_model()
        except MissingExtra:
            return GET_MODEL
        return ""

    def bert(self) -> Bert:
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


def content_places(bert: Bert, encoded: Encoded) -> list[int]:
    """Where the pieces are that begin a word which is no stop word and no mark."""
    stops = smart_stopwords()
    return [
        place
        for place, number in enumerate(encoded.pieces[1:-1], 1)
        if not bert.tokens.is_continuation(number)
        and (piece := bert.tokens.pieces[number]) not in stops
        and not all(unicodedata.category(character)[0] in "PS" for character in piece)
    ]
