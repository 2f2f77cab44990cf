"""How far annotators of pyramids agree: Krippendorff's alpha over sets of units."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest

from karat.stats.agreement import krippendorff_alpha_of_sets
from karat.text.pyramid.model import Annotation


def annotation_agreement(annotations: Iterable[Annotation]) -> float | None:
    """The agreement of several annotations of the same summaries, with the distance MASI.

    None where no summary is annotated twice; where all annotations are equal, it is 1.
    """
    by_summary: dict[tuple[str, str], list[frozenset[int]]] = {}
    for annotation in annotations:
        key = annotation.instance_id, annotation.summarizer_id
        units = frozenset(scu.scu_id for scu in annotation.scus)
        by_summary.setdefault(key, []).append(units)
    by_annotator = list(zip_longest(*by_summary.values()))
    found = krippendorff_alpha_of_sets(by_annotator, resamples=0)
    return 1.0 if found.units and found.value is None else found.value
