"""The pyramid score by hand."""

from __future__ import annotations

import pytest

from karat.errors import OptionError, PairingError
from karat.text.metrics.pyramid import PyramidScore
from karat.text.pyramid import Annotation, Contributor, PeerScu, Pyramid, Scu


def test_the_original_score_divides_by_the_best_of_as_many_units() -> None:
    """Weights 3, 2, 1 and 1; the summary has the units of weight 2 and 1."""
    weights = {1: 3, 2: 2, 3: 1, 4: 1}
    scus = tuple(
        Scu(unit, "", tuple(Contributor(index) for index in range(weight)))
        for unit, weight in weights.items()
    )
    pyramid = Pyramid("d", ("", "", ""), ("A", "B", "C"), scus)
    found = PyramidScore().score(Annotation("d", "1", scus=(PeerScu(2), PeerScu(3))), pyramid)
    # The summaries have 4, 2 and 1 units: 7 / 3, rounded up, is 3, and the best 3 weigh 6.
    assert found == {"modified_pyramid_score": 3 / 6, "pyramid_score": 3 / 5}


def test_an_empty_pyramid_gives_no_score() -> None:
    nothing = Annotation("d", "1")
    scores = PyramidScore().score(nothing, Pyramid("d"))
    assert scores == {"modified_pyramid_score": None, "pyramid_score": None}
    with pytest.raises(OptionError, match="takes an Annotation, got str"):
        PyramidScore().score("a", Pyramid("d"))  # type: ignore[arg-type]
    with pytest.raises(PairingError, match="no pyramid annotation"):
        PyramidScore().of_system("a")
    with pytest.raises(PairingError, match="an item has 0 pyramids"):
        PyramidScore().of_gold(["a"])
