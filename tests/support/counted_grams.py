"""What explanations say of n-grams, from counters of plain Python, to judge the kernels."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from karat import _native
from karat.core.reading.strings import Strings
from karat.text.words.unicode import INTL

Gram: TypeAlias = tuple[str, ...]
_CODE_POINTS = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"
"""The tokenizer intl works on code points rather than on bytes."""


def tokenized(texts: Sequence[str], tokenizer: str) -> list[list[str]]:
    """The words of texts, as the kernels cut them.

    >>> tokenized(["The dog, he barks."], "13a")
    [['The', 'dog', ',', 'he', 'barks', '.']]
    """
    strings = Strings.of(texts)
    kinds = INTL.for_texts(strings) if tokenizer == "intl" else None
    encoding = _CODE_POINTS if tokenizer == "intl" else "utf-8"
    return [
        [word.decode(encoding, "surrogatepass") for word in words]
        for words in _native.tokenized(*strings.columns, tokenizer, kinds)
    ]


def ngrams(tokens: Sequence[str], n: int) -> Counter[Gram]:
    """How often a text has each of its n-grams."""
    return Counter(zip(*(tokens[i:] for i in range(n)), strict=False))


def counted(ours: Counter[Gram], theirs: Counter[Gram], between: str = " ") -> dict[str, Any]:
    """How many n-grams both sides have, and which; every one is counted once on each side.

    >>> found = counted(ngrams("a b b".split(), 1), ngrams("b c".split(), 1))
    >>> found["common"], found["system"], found["gold"]
    (1, 3, 2)
    >>> found["surplus"]
    {'a': 1, 'b': 1}
    """
    both = ours & theirs
    return {
        "common": both.total(),
        "system": ours.total(),
        "gold": theirs.total(),
        "matched": _listed(both, between),
        "missing": _listed(theirs - ours, between),
        "surplus": _listed(ours - theirs, between),
    }


def _listed(grams: Mapping[Gram, int], between: str) -> dict[str, int]:
    return {between.join(gram): count for gram, count in grams.items()}
