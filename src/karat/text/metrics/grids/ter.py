"""Settings of TER: segments with the same pattern of equal words are counted once for all."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from itertools import product

import numpy as np

from karat.core.reading.strings import Referenced
from karat.core.scores import Array
from karat.core.tracing import Grid, Pairs, Pass, Preset, Setting, Value, own_settings
from karat.text.metrics.grids.texts import Texts, has_cjk, text_slips
from karat.text.metrics.ter import Ter

_NAMES = {
    "": {"ter": 0, "sentence ter": 0},
    "ter": {"ter": 0, "sentence ter": 0},
    "sentenceter": {"sentence ter": 0},
    "sentter": {"sentence ter": 0},
}
_FLAGS: dict[tuple[str, Value], str] = {
    ("normalized", True): "--ter-normalized",
    ("no_punct", True): "--ter-no-punct",
    ("case_sensitive", True): "--ter-case-sensitive",
    ("asian_support", True): "--ter-asian-support",
}
_PRESETS = (
    Preset("sacreBLEU", {}, "sacrebleu GOLD -i SYSTEM -m ter", _FLAGS),
    Preset(
        "sacreBLEU, mean of sentences", {"aggregation": "mean"},
        "sacrebleu.sentence_ter(...) for each line",
    ),
)  # fmt: skip


def grid() -> Grid:
    """Normalised or not, with and without punctuation and case; Chinese as characters."""
    defaults: dict[str, Value] = {
        "normalized": False, "no_punct": False, "asian_support": False, "case_sensitive": False,
        "aggregation": "corpus",
    }  # fmt: skip
    return Grid(_NAMES, defaults, _PRESETS, _passes, text_slips())


def _passes(names: Collection[str]) -> list[Pass]:
    reader, prepared, known = Ter(), _Prepared(), _Known()
    found = []
    for normalized, no_punct, asian, case in product((False, True), repeat=4):
        if asian and not (normalized or no_punct):  # where it does nothing
            continue
        metric = Ter(
            normalized=normalized, no_punct=no_punct, asian_support=asian, case_sensitive=case
        )
        settings = [each for each in _settings(metric) if each.name in names]
        if settings:
            count = partial(_count, metric, prepared, known)
            found.append(Pass(reader, count, settings, applies=has_cjk if asian else None))
    return found


def _settings(metric: Ter) -> list[Setting]:
    choices: dict[str, Value] = {
        "normalized": metric.normalized,
        "no_punct": metric.no_punct,
        "asian_support": metric.asian_support,
        "case_sensitive": metric.case_sensitive,
    }
    scores = {"ter": ("ter", "", "corpus"), "sent-ter": ("sentence ter", "", "mean")}
    return own_settings(metric, scores, choices)  # type: ignore[arg-type]


Pattern = tuple[str, ...]
"""A text and its references with numbers for words: equal words have equal numbers."""


class _Known(dict[Pattern, Array]):
    """The rows of patterns: edits do not depend on what words are, only on which are equal."""

    def rows(self, texts: Referenced) -> Array:
        """The rows of texts, of which those that are not known yet are counted."""
        found = _patterns(texts)
        new = list(dict.fromkeys(each for each in found if each not in self))
        if new:
            counted = Ter(case_sensitive=True).rows(
                Referenced.of([(each[0], each[1:]) for each in new])
            )
            self.update(zip(new, counted, strict=True))
        return np.array([self[each] for each in found])


def _patterns(texts: Referenced) -> list[Pattern]:
    references = texts.references.decoded()
    bounds = texts.bounds.tolist()
    found = []
    for i, system in enumerate(texts.systems.decoded()):
        codes = _Codes()
        sides = (system, *references[bounds[i] : bounds[i + 1]])
        found.append(tuple(" ".join(map(codes.__getitem__, side.split())) for side in sides))
    return found


class _Codes(dict[str, str]):
    def __missing__(self, word: str) -> str:
        number = self[word] = str(len(self))
        return number


_CASED = (b"&", b"'S", "Σ".encode())
"""Entities, the possessive, and the letter that ends words in another form."""


class _Prepared:
    """Texts as TER compares them, prepared once for both cases.

    Lower-casing may as well come last, unless there is something that the rules know in one case
    only, or a letter whose lower case depends on what follows.
    """

    def __init__(self) -> None:
        self._texts = Texts()
        self._made: dict[tuple[Ter, int], Referenced] = {}

    def of(self, metric: Ter, pairs: Pairs) -> Referenced:
        texts = self._texts.of(pairs)
        if any(each in side.data for each in _CASED for side in (texts.systems, texts.references)):
            return metric.prepared(texts)
        kept = Ter(**{**metric.options, "case_sensitive": True})
        if (kept, id(texts)) not in self._made:
            self._made[kept, id(texts)] = kept.prepared(texts)
        found = self._made[kept, id(texts)]
        return found if metric.case_sensitive else found.lowered()


def _count(
    metric: Ter, prepared: _Prepared, known: _Known, pairs: Pairs, _: frozenset[str]
) -> Array:
    return known.rows(prepared.of(metric, pairs))
