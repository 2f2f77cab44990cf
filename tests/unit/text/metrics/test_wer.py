"""Steps that normalise texts before word errors are counted."""

from __future__ import annotations

import pytest

from karat.text.metrics.wer import STEPS, Wer


@pytest.mark.parametrize(
    ("text", "expected"),
    # As the BasicTextNormalizer of whisper-normalizer 0.1.15 gives them.
    [
        ("It's [noise] 1,200 <unk> (laughs) — ok", "it s 1 200 ok"),
        ("()( )<a] (a(b)c)", " c "),
        ("नमस्ते e\u0301 ﬁ½ 東京", "नमस त é fi1 2 東京"),
        ("< a [b", " a b"),
    ],
)
def test_whisper(text: str, expected: str) -> None:
    assert STEPS["whisper-basic"](text) == expected


def test_brackets_that_do_not_end_take_linear_time() -> None:
    assert STEPS["whisper-basic"]("[" * 10**6 + "(" * 10**6) == " "


def test_steps_are_taken_in_order() -> None:
    assert Wer(normalize="accents lower").score("Café", "cafe")["wer"] == 0
    assert Wer(normalize="whisper-basic").score("It's ok!", "it s (er) OK")["wer"] == 0
