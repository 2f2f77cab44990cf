"""Ratings of several annotators, from records whose scores are lists."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Literal

import msgspec
import numpy as np

from karat.errors import FormatError, OptionError, Place, did_you_mean
from karat.meta.records import read_records
from karat.stats.agreement import (
    Agreement,
    Scale,
    SplitHalf,
    fleiss_kappa,
    krippendorff_alpha,
    krippendorff_alpha_of_sets,
    mean_cohen_kappa,
    split_half,
)
from karat.stats.resampling import Array


@dataclass(frozen=True, slots=True)
class AgreementResult:
    """Every measure of agreement that fits the ratings."""

    score: str
    scale: Scale | Literal["masi"]
    annotators: int
    units: int
    alpha: Agreement
    cohen: float | None
    weighted_cohen: float | None
    fleiss: float | None
    halves: SplitHalf | None
    confidence: float
    seed: int

    def summary(self) -> dict[str, Any]:
        """The result as JSON-ready values."""
        return {
            "score": self.score,
            "scale": self.scale,
            "annotators": self.annotators,
            "units": self.units,
            "confidence": self.confidence,
            "seed": self.seed,
            "krippendorff_alpha": msgspec.to_builtins(self.alpha),
            "mean_cohen_kappa": self.cohen,
            "mean_quadratic_kappa": self.weighted_cohen,
            "fleiss_kappa": self.fleiss,
            "split_half": msgspec.to_builtins(self.halves),
        }


def read_ratings(paths: Iterable[str], score: str) -> list[tuple[list[Any], Place]]:
    """The lists under a score's flat name, one for each record that has it."""
    found, known = [], {}
    for path in paths:
        for record, place in read_records(path):
            lists = dict(_lists(record.metrics))
            known.update(dict.fromkeys(lists))
            if score in lists:
                found.append((lists[score], place))
    if not found:
        raise OptionError(
            f"no record has a list of ratings {score!r}{did_you_mean(score, known)}",
            code="K361",
            advice="lists of ratings: " + (", ".join(known) or "none"),
        )
    return found


def _lists(metrics: Mapping[str, Any]) -> Iterable[tuple[str, list[Any]]]:
    waiting = list(metrics.items())
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend((f"{name}_{inner}", each) for inner, each in value.items())
        elif isinstance(value, list):
            yield name, value


def rating_matrix(ratings: Iterable[tuple[list[Any], Place]]) -> Array:
    """Annotators × units; the place in a list is the annotator, null is no rating."""
    rows = list(ratings)
    matrix = np.full((max(len(values) for values, _ in rows), len(rows)), np.nan)
    for unit, (values, place) in enumerate(rows):
        for annotator, value in enumerate(values):
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            _check(value, "a number", is_number, place)
            if value is not None and math.isfinite(value):
                matrix[annotator, unit] = value
    return matrix


def label_sets(ratings: Iterable[tuple[list[Any], Place]]) -> list[list[frozenset[Any] | None]]:
    """One row per annotator of the sets of labels that each unit got; null is none."""
    rows = list(ratings)
    for values, place in rows:
        for value in values:
            are_labels = isinstance(value, list) and all(
                isinstance(label, (str, int, float)) for label in value
            )
            _check(value, "a list of labels", are_labels, place)
    units = zip_longest(*(values for values, _ in rows))
    return [[None if each is None else frozenset(each) for each in row] for row in units]


def _check(value: Any, expected: str, fits: bool, place: Place) -> None:
    if not fits and value is not None:
        raise FormatError(
            f"a rating must be {expected} or null, found {value!r}"[:200], code="K158", place=place
        )


def agreement(
    paths: Iterable[str],
    score: str,
    *,
    scale: Scale | Literal["masi"] = "ordinal",
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> AgreementResult:
    """The agreement of the annotators of a score, by all measures that apply."""
    ratings = read_ratings(paths, score)
    options: dict[str, Any] = {"resamples": resamples, "level": confidence, "seed": seed}
    if scale == "masi":
        sets = label_sets(ratings)
        return AgreementResult(
            score, scale, len(sets), len(ratings), krippendorff_alpha_of_sets(sets, **options),
            None, None, None, None, confidence, seed,
        )  # fmt: skip
    matrix = rating_matrix(ratings)
    halves = split_half(matrix, splits=resamples, level=confidence, seed=seed)
    return AgreementResult(
        score, scale, len(matrix), len(ratings), krippendorff_alpha(matrix, scale, **options),
        mean_cohen_kappa(matrix), mean_cohen_kappa(matrix, "quadratic"), fleiss_kappa(matrix),
        None if scale == "nominal" else halves, confidence, seed,
    )  # fmt: skip
