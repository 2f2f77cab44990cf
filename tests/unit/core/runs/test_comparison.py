"""Rankings of systems."""

from __future__ import annotations

from pathlib import Path

import pytest

import karat


def test_the_same_outputs_twice(tmp_path: Path) -> None:
    """They are compared, as tests of chance are, but not without a word."""
    for name, text in (("a.txt", "x\ny\n"), ("b.txt", "x\ny\n"), ("c.txt", "x\nz\n")):
        (tmp_path / name).write_text(text)
    a, b, c = (str(tmp_path / name) for name in ("a.txt", "b.txt", "c.txt"))
    with pytest.warns(UserWarning, match=r"a\.txt' is given twice"):
        karat.compare("exact", [a, a], c)
    with pytest.warns(UserWarning, match=r"b\.txt' has the same content as '.*a\.txt'"):
        found = karat.compare("exact", [a, b, c], c)
    assert found.values == [0.5, 0.5, 1.0]
    assert len(found.remarks) == 1
    assert karat.compare("exact", [a, c], c).remarks == []
