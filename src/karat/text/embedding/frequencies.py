"""How much pieces of words weigh: the same, or the more the fewer texts have them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from karat.core.files.opener import Source
from karat.core.scores import Array
from karat.text.embedding.bert import Bert, find_model, load_model


def weights_of(pieces: Sequence[int], model: str | None, corpus: str | None) -> Array:
    """The weights of pieces: 1, or inverse document frequencies in a file of texts."""
    if corpus is None:
        return np.ones(len(pieces))
    table, unseen = _frequencies(str(find_model(model)), corpus, Source(corpus).digest())
    return np.array([table.get(piece, unseen) for piece in pieces], np.float64)


@lru_cache(maxsize=4)
def _frequencies(model: str, path: str, _digest: str) -> tuple[Mapping[int, float], float]:
    """Inverse document frequencies of pieces in a file, and that of pieces it does not have."""
    bert: Bert = load_model(model)
    counts: Counter[int] = Counter()
    texts = 0
    for _, line in Source(path).lines():
        texts += 1
        counts.update(set(bert.tokens.numbers(line)))
    table = {piece: math.log((texts + 1) / (count + 1)) for piece, count in counts.items()}
    return table, math.log(texts + 1)
