"""How far annotators of pyramids agree: Krippendorff's alpha over sets of units."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations
from typing import TypeAlias

from karat.text.pyramids import Annotation

Units: TypeAlias = frozenset[Hashable]


def masi(a: Units, b: Units) -> float:
    """The distance MASI (Passonneau 2006): overlap, and whether one set is in the other.

    >>> masi(frozenset("ab"), frozenset("a"))
    0.6666666666666667
    """
    if a == b:
        return 0.0
    common = a & b
    if not common:
        return 1.0
    monotonicity = 2 / 3 if common in (a, b) else 1 / 3
    return 1 - len(common) / len(a | b) * monotonicity


def alpha(judgements: Iterable[Sequence[Units]]) -> float | None:
    """Krippendorff's alpha with the distance MASI; None where nothing can be compared.

    One sequence per thing that was judged, with one set of units per judge. Things with
    fewer than two judges do not count; where all judgements are equal, alpha is 1.
    """
    judged = [list(each) for each in judgements if len(each) > 1]
    values = [value for each in judged for value in each]
    if not values:
        return None
    observed = sum(
        2 * masi(a, b) / (len(each) - 1) for each in judged for a, b in combinations(each, 2)
    ) / len(values)
    expected = sum(2 * masi(a, b) for a, b in combinations(values, 2)) / (
        len(values) * (len(values) - 1)
    )
    return 1.0 if expected == 0 else 1 - observed / expected


def annotation_agreement(annotations: Iterable[Annotation]) -> float | None:
    """The agreement of several annotations of the same summaries."""
    by_summary: dict[tuple[str, str], list[Units]] = {}
    for annotation in annotations:
        key = annotation.instance_id, annotation.summarizer_id
        units = frozenset(scu.scu_id for scu in annotation.scus)
        by_summary.setdefault(key, []).append(units)
    return alpha(by_summary.values())
