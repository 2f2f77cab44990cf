"""Basic elements."""

from __future__ import annotations

import pytest

from karat.errors import FormatError
from karat.text.metrics.basic_elements import BasicElements


def test_basic_elements() -> None:
    system = ["Bark|dog|subj", "bark|dog|subj", "sleep|cat|subj"]
    golds = [["bark|dog|subj", "sleep||"], "bark|dog|agent\nsleep|cat|subj"]
    score = BasicElements().score(system, golds)["be"]
    assert score["recall"] == pytest.approx(100 * 2 / 4)
    assert score["precision"] == pytest.approx(100 * 2 / 6)
    assert BasicElements(match="hm").score(system, golds)["be"]["recall"] == pytest.approx(75)
    assert BasicElements(match="h").score(system, golds)["be"]["recall"] == pytest.approx(100)
    why = BasicElements().explain(system, golds)["references"][0]
    assert why["matched"] == ["bark|dog|subj"]
    assert why["missing"] == ["sleep||"]
    assert why["surplus"] == ["bark|dog|subj", "sleep|cat|subj"]
    assert BasicElements().score([], [[]])["be"]["f1"] == 0.0


@pytest.mark.parametrize("line", ["bark", "a|b", "a|b|c|d", "|b|c"])
def test_lines_that_are_no_elements(line: str) -> None:
    with pytest.raises(FormatError, match=r"expected head\|modifier\|relation"):
        BasicElements().score([line], [["a|b|c"]])
    assert BasicElements().score(["a|b|c"], "a|b|c") == BasicElements().score(["a|b|c"], ["a|b|c"])
