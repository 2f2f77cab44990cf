"""Options of TER on texts that can be worked out by hand."""

from __future__ import annotations

import pytest

from karat.text.metrics.ter import Ter

pytest.importorskip("sacrebleu")


def test_asian_characters_are_words_on_request() -> None:
    """One edit of one word, or of two characters."""
    assert Ter().score("日本", ["日中"])["ter"] == 100
    asian = Ter(normalized=True, asian_support=True)
    assert asian.score("日本", ["日中"])["ter"] == 50
