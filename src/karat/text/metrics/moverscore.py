"""MoverScore."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Annotated, Any

import numpy as np

from karat.core.files.opener import Source
from karat.core.marks import within
from karat.core.metric import Counts, Explanation
from karat.core.options import Range
from karat.core.scores import Array, Scores, ratio
from karat.errors import LimitExceeded, MissingExtra
from karat.text.embedding import Embedding, content_places, cosines, weights_of
from karat.text.model import ReferenceMetric, Text

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
