"""Item scores for the metric of scores made elsewhere."""

from __future__ import annotations

from karat.logs.model import ItemScores

ITEMS = [
    (ItemScores({"acc": 1.0, "cost": 3.5}), ""),
    (ItemScores({"acc": 0.0, "cost": 0.25}), ""),
    (ItemScores({"acc": 0.5, "cost": 2.0}), ""),
    (ItemScores({"acc": 0.25, "cost": 7.0}), ""),
]

EXAMPLES = {
    "scores": (
        [
            "scores(names=('acc',), range=('0:1',))",
            "scores(names=('acc', 'cost'), range=('acc=0:1',), lower=('cost',))",
            "scores(names=('cost', 'acc'))",
        ],
        ITEMS,
        None,
    ),
}
