"""Agreement of pyramid annotations."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.stats.agreement import masi_distances
from karat.text.pyramid import Annotation, PeerScu, annotation_agreement

units = st.frozensets(st.integers(0, 4), min_size=1)


@given(st.lists(st.tuples(units, units), min_size=1, max_size=5))
def test_agreement_is_that_of_nltk(judgements: list[tuple[Any, Any]]) -> None:
    task = pytest.importorskip("nltk.metrics.agreement").AnnotationTask
    distance = pytest.importorskip("nltk.metrics.distance").masi_distance

    def ours_of(a: Any, b: Any) -> float:
        return float(masi_distances([a, b])[0, 1])

    data = [
        (judge, str(i), value)
        for i, each in enumerate(judgements)
        for judge, value in zip("AB", each, strict=True)
    ]
    for _, _, a in data:
        for _, _, b in data:
            # nltk rounds the weights of its distance to two digits.
            assert ours_of(a, b) == pytest.approx(distance(a, b), abs=0.005)
    ours = annotation_agreement(annotation(summary, *found) for _, summary, found in data)
    theirs = task(data=data, distance=ours_of).alpha()
    assert ours == pytest.approx(theirs)


def annotation(name: str, *found: int) -> Annotation:
    return Annotation("d", name, scus=tuple(PeerScu(unit) for unit in found))


def test_agreement_of_annotations() -> None:
    assert annotation_agreement([]) is None
    assert annotation_agreement([annotation("1", 1, 2), annotation("2", 3)]) is None
    equal = [annotation("1", 1, 2), annotation("1", 2, 1), annotation("2", 3), annotation("2", 3)]
    assert annotation_agreement(equal) == 1.0
