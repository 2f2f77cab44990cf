"""Profiles of errors: the most frequent ones in the explanations of all pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import msgspec

from karat import _native
from karat.core.frequent_errors import ranked, ranked_confusions
from karat.core.metric import Explanation
from karat.core.reading.strings import decoded_json_list


class ProfilesErrors:
    """For metrics of graphs whose explanations list what is missing and surplus, by kind."""

    confused: ClassVar[tuple[str, ...]] = ("labels", "properties", "edges")
    """The kinds in which labels or values can be taken for others."""

    def error_profile(self, explanations: Iterable[Explanation]) -> Explanation:
        """The most frequent errors by kind, and what is taken for what."""
        return self.profile_of_json([msgspec.json.encode(each)] for each in explanations)

    def profile_of_json(self, explanations: Iterable[list[bytes]]) -> Explanation:
        return profile(explanations, self.confused)


def profile(
    explanations: Iterable[list[bytes]], kinds: Sequence[str] = ProfilesErrors.confused
) -> dict[str, Any]:
    """Counts of missing and surplus entries by kind, and of labels taken for others.

    A node label, a value of a property or an edge label is taken for another where the
    nodes correspond, or are known by the same, and each side has one that the other has not.
    Explanations are JSON, some at a time.

    >>> profile([[b'{"correspondences":[[0,5]],"labels":{"missing":[[0,"dog"]],'
    ...     b'"surplus":[[5,"cat"]]}}']])["confusions"]["labels"]
    [{'gold': 'dog', 'system': 'cat', 'count': 1}]
    """
    found = _native.ErrorProfile([msgspec.json.encode(kind).decode() for kind in kinds])
    for some in explanations:
        found.add(some)
    sides = {
        side: {_text(kind): ranked(_counter(names)) for kind, names in found.side(place)}
        for place, side in enumerate(("missing", "surplus"))
    }
    confused = {_text(kind): ranked_confusions(_pairs(names)) for kind, names in found.confusions()}
    return {**sides, "confusions": confused}


def _text(name: bytes) -> str:
    return decoded_json_list([name])[0]


def _counter(names: Sequence[tuple[bytes, int]]) -> Counter[str]:
    texts = decoded_json_list([b'"%b"' % name for name, _ in names])
    result: Counter[str] = Counter()
    for text, (_, times) in zip(texts, names, strict=True):
        result[text] += times
    return result


def _pairs(names: Sequence[tuple[bytes, int]]) -> Counter[tuple[str, str]]:
    texts = decoded_json_list([b'"%b"' % part for name, _ in names for part in name.split(b"\0")])
    result: Counter[tuple[str, str]] = Counter()
    for gold, system, (_, times) in zip(texts[::2], texts[1::2], names, strict=True):
        result[gold, system] += times
    return result
