"""Ridge regression of judgements on scores, and its predictions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from karat.core.files.notations import NOT_JSON
from karat.core.files.opener import Source
from karat.core.files.writing import indented_json, whole_file
from karat.core.scores import MetricsDict
from karat.errors import FormatError, OptionError, Place, counted, quote_some
from karat.meta.records import Record, flat_means, read_records
from karat.meta.table import ScoreTable, Who
from karat.stats.resampling import Array
from karat.version import VERSION

_PENALTIES = tuple(10.0**k for k in range(-6, 4))
_MOST_FOLDS = 10

S3 = (
    "js-1", "js-2", "rouge-1_recall", "rouge-we-1_recall", "rouge-2_recall", "rouge-we-2_recall",
)  # fmt: skip
"""The features of S3 (Peyrard, Botschen and Gurevych 2017), as karat's metrics call them."""


def with_s3(features: Sequence[str]) -> list[str]:
    """The names of features, those of S3 in place of its own name.

    >>> with_s3(["length", "s3"])[:3]
    ['length', 'js-1', 'js-2']
    """
    return [name for given in features for name in (S3 if given == "s3" else (given,))]


class Fit(msgspec.Struct, frozen=True):
    """A linear combination of scores that was fitted to judgements."""

    name: str
    target: str
    features: tuple[str, ...]
    weights: tuple[float, ...]
    intercept: float
    penalty: float
    records: int
    folds: int
    pearson: float | None
    """Between judgements and what was predicted of inputs that were left out."""
    error: float
    """The mean absolute error of the same predictions."""
    karat: str = VERSION

    def predict(self, scores: Mapping[str, float]) -> float:
        """The predicted judgement of an output with these scores."""
        return self.intercept + sum(
            weight * scores[name] for weight, name in zip(self.weights, self.features, strict=True)
        )


def fit(
    table: ScoreTable,
    features: Sequence[str],
    target: str,
    *,
    name: str = "fitted",
    who: Who = "peer",
    penalty: float | None = None,
) -> Fit:
    """Ridge regression of a judgement on scores.

    Scores are standardised first. Inputs (or, where there is one, systems) are left out in
    turn, in up to ten parts; the penalty is the one with the least squared error there,
    unless it is given.
    """
    if not features or len({*features, target}) != len(features) + 1:
        raise OptionError(
            "fit needs different features, and a target that is not one of them", code="K388"
        )
    if penalty is not None and not 0 <= penalty < math.inf:
        raise OptionError(f"a penalty is a number from 0, got {penalty}", code="K388")
    matrices = table.matrices([*features, target], who)
    complete = ~np.isnan(matrices.values[-1])
    x = np.column_stack([values[complete] for values in matrices.values[:-1]])
    y = matrices.values[-1][complete]
    parts = _parts(complete)
    if len(y) < len(features) + 2 or len(set(parts.tolist())) < 2:
        raise OptionError(
            f"{counted(len(y), 'judged output')} of {counted(len(set(parts.tolist())), 'part')}: "
            f"too few to fit {counted(len(features), 'score')}",
            code="K388",
        )
    tried = _PENALTIES if penalty is None else (penalty,)
    outside = {each: _predicted_outside(x, y, parts, each) for each in tried}
    best = min(tried, key=lambda each: (float(((outside[each] - y) ** 2).sum()), -each))
    weights, intercept = _ridge(x, y, best)
    return Fit(
        name,
        target,
        tuple(features),
        tuple(weights.tolist()),
        intercept,
        best,
        len(y),
        len(set(parts.tolist())),
        _pearson(outside[best], y),
        float(np.abs(outside[best] - y).mean()),
    )


def _parts(complete: Array) -> Any:
    """For each judged output the part it is left out with."""
    systems, inputs = np.nonzero(complete)
    groups = inputs if len(set(inputs.tolist())) > 1 else systems
    return groups % min(_MOST_FOLDS, int(groups.max()) + 1)


def _ridge(x: Array, y: Array, penalty: float) -> tuple[Array, float]:
    """Weights of the scores as they are, and the intercept."""
    middle, spread = x.mean(axis=0), x.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    z = (x - middle) / scale
    system = z.T @ z + penalty * len(y) * np.eye(x.shape[1])
    # Without a penalty, scores that say the same share their weight.
    weights = np.linalg.lstsq(system, z.T @ (y - y.mean()), rcond=None)[0] / scale
    return weights, float(y.mean() - middle @ weights)


def _predicted_outside(x: Array, y: Array, parts: Any, penalty: float) -> Array:
    predicted = np.empty(len(y))
    for part in sorted(set(parts.tolist())):
        out = parts == part
        weights, intercept = _ridge(x[~out], y[~out], penalty)
        predicted[out] = x[out] @ weights + intercept
    return predicted


def _pearson(a: Array, b: Array) -> float | None:
    if not a.std() > 0 or not b.std() > 0:
        return None
    return float(np.corrcoef(a, b)[0, 1])


def write_fit(found: Fit, path: str) -> None:
    """Keeps a fit as JSON."""
    with whole_file(path) as stream:
        stream.write(indented_json(found))


def read_fit(path: str) -> Fit:
    """A fit that was kept."""
    source, place = Source(path), Place(path)
    try:
        found = msgspec.json.decode(source.content(), type=Fit)
    except NOT_JSON as error:
        raise FormatError(
            f"this is not a result of karat fit: {error}", code="K179", place=Place(source.name)
        ) from None
    if len(found.features) != len(found.weights):
        raise FormatError("as many weights as features", code="K179", place=place)
    return found


def predict(found: Fit, paths: Iterable[str]) -> Iterator[Record]:
    """One record for each output: what the fit makes of its scores.

    Files of scores of the same outputs are joined first.
    """
    merged: dict[tuple[str, str, str], dict[str, float]] = {}
    for path in paths:
        for record, place in read_records(path):
            key = (record.instance_id, record.summarizer_id, record.summarizer_type)
            merged.setdefault(key, {}).update(flat_means(record.metrics, place))
    complete = {
        key: scores for key, scores in merged.items() if all(n in scores for n in found.features)
    }
    if not complete:
        raise OptionError(
            f"no output has all of {quote_some(found.features)}",
            code="K382",
            advice="score the outputs with the metrics that the fit was made from",
        )
    for (instance, system, kind), scores in sorted(complete.items()):
        value = MetricsDict({found.name: found.predict(scores)})
        yield Record(instance, system, kind, value)  # type: ignore[arg-type]
