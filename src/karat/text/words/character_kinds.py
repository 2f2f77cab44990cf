"""Which characters are numbers, punctuation or symbols, as sacreBLEU's tokenizer intl has it.

It asks the package `regex`, which has a Unicode table of its own, so that is asked here as well:
once for each character that a text has.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from karat.core.strings import Strings
from karat.errors import MissingExtra

_UNKNOWN = 255
_KINDS: npt.NDArray[np.uint8] = np.full(0, _UNKNOWN, np.uint8)


def kinds_of_characters(*texts: Strings) -> npt.NDArray[np.uint8]:
    """A number for each character: 1 for numbers, 2 for punctuation, 3 for symbols, else 0.

    It is right for the characters of these texts.
    """
    global _KINDS
    if not len(_KINDS):
        table = np.full(0x110000, _UNKNOWN, np.uint8)
        _classify(table, np.arange(128))
        _KINDS = table
    for each in texts:
        if not each.data.isascii():
            points = np.frombuffer(
                each.data.decode("utf-8", "surrogatepass").encode("utf-32-le", "surrogatepass"),
                np.uint32,
            )
            _classify(_KINDS, np.unique(points[_KINDS[points] == _UNKNOWN]))
    return _KINDS


def _classify(table: npt.NDArray[np.uint8], points: npt.NDArray[np.generic]) -> None:
    """Puts the kinds of some characters into the table."""
    if not len(points):
        return
    try:
        import regex  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        raise MissingExtra.package("regex", "text", "the tokenizer intl") from None
    patterns = [regex.compile(rf"\p{{{kind}}}") for kind in "NPS"]
    for point in points.tolist():
        found = [number for number, each in enumerate(patterns, 1) if each.match(chr(point))]
        table[point] = found[0] if found else 0
