"""ANLS* as its reference implementation computes it, for comparison with published figures."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from karat._native import RecordBatch
from karat.core.capabilities import Pairs
from karat.core.marks import Array
from karat.records.model import Document, Golds, encoded


def measure_anls(pairs: Pairs) -> Array:
    """Items and scores of a chunk; of several golds the best counts."""
    batch = RecordBatch(False, False, False, True)
    golds: list[Any] = []
    numbers: list[tuple[int, int]] = []
    owners: list[int] = []
    for system, (_, gold) in enumerate(pairs):
        for each in gold.documents if isinstance(gold, Golds) else [gold]:
            numbers.append((len(pairs) + len(golds), system))
            owners.append(system)
            golds.append(each)
    batch.read([encoded(system) for system, _ in pairs], 0)
    batch.read([encoded(gold) for gold in golds], 0)
    strings = [_characters(each.decode("utf-8", "surrogatepass")) for each in batch.strings()]
    texts, classes = _numbers([each.decode() for each in batch.numbers()])
    found = batch.anls(np.array(numbers, np.int32).reshape(-1, 2), strings, texts, classes)
    scores = np.zeros(len(pairs))
    for score, owner, gold, (number, _) in zip(found.tolist(), owners, golds, numbers, strict=True):
        if score != score:
            document = gold if isinstance(gold, Document) else Document(encoded(gold))
            failure, offset = batch.failure(number)
            if failure:
                raise document.error(f"gold is not JSON: {failure}", offset)
            raise document.error("gold is a choice between nothing")
        scores[owner] = max(scores[owner], score)
    return np.column_stack([np.ones(len(pairs)), scores])


def _characters(text: str) -> npt.NDArray[np.int32]:
    """The code points of a leaf as it is compared: lower case, single blanks."""
    return _codes(" ".join(text.strip().lower().split()))


def _codes(text: str) -> npt.NDArray[np.int32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.int32)


def _numbers(texts: list[str]) -> tuple[list[npt.NDArray[np.int32]], npt.NDArray[np.int32]]:
    """Numbers as Python prints them, and which are equal: True is 1, 1 is 1.0."""
    known: dict[Any, int] = {0: 0, 1: 1}
    shown, classes = [], []
    for text in texts:
        try:
            value: Any = json.loads(text)
            printed = str(value)
        except ValueError:  # more digits than Python converts
            value = printed = text
        shown.append(_characters(printed))
        classes.append(known.setdefault(value, len(known)))
    return shown, np.array(classes, np.int32)
