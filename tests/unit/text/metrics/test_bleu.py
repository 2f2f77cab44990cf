"""Options of BLEU on texts that can be worked out by hand."""

from __future__ import annotations

import pytest

from karat.text.metrics.bleu import Bleu

pytest.importorskip("sacrebleu")


def test_an_effective_order_leaves_out_ngrams_that_a_text_is_too_short_for() -> None:
    assert Bleu().score("a b", ["a b"])["bleu"] == 0
    assert Bleu(effective_order=True).score("a b", ["a b"])["bleu"] == pytest.approx(100)
