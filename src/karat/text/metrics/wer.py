"""Word error rate and its relatives."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Annotated, ClassVar, Literal

import numpy as np

from karat._native import told_alignments, word_error_marks, word_errors
from karat.core.capabilities import grid_in
from karat.core.marks import cost, count, main
from karat.core.reading.strings import Referenced, Strings, decoded_json
from karat.core.repairs import Claim, Target
from karat.core.scores import Array, Scores, quotient, ratio
from karat.core.scoring import encoded_scores, nested_scores
from karat.core.shown import Kind
from karat.errors import LimitExceeded, OptionError, did_you_mean
from karat.text.raw_texts import LineMetric, MarkedTexts
from karat.text.repair import PARTITIONS, TextRepair, WordEdit

_NAN = float("nan")
_RUNS = re.compile(r"\s\s+")
_PARTS = ("hits", "substitutions", "deletions", "insertions")
_KINDS = [int(kind) for kind in (Kind.MATCHED, Kind.CHANGED, Kind.MISSING, Kind.SURPLUS)]
"""The marks of hits, substitutions, deletions and insertions."""
_MOST_CELLS = 16_000_000
"""Two longer texts take too much memory to be aligned edit by edit."""
_ALSO_PUNCTUATION = frozenset("$+<=>^`|~")


class _Changed(dict[int, "str | None"]):
    """For `str.translate`: what becomes of each character, by a function that is asked once."""

    def __init__(self, change: Callable[[str], str | None]) -> None:
        self.change = change

    def __missing__(self, code: int) -> str | None:
        self[code] = found = self.change(chr(code))
        return found


def _is_punctuation(c: str) -> bool:
    return unicodedata.category(c).startswith("P") or c in _ALSO_PUNCTUATION


_NO_PUNCTUATION = _Changed(lambda c: None if _is_punctuation(c) else c)
_BLANK_MARKS = _Changed(lambda c: " " if unicodedata.category(c)[0] in "MSP" else c)


def _without_accents(text: str) -> str:
    parts = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(c for c in parts if not unicodedata.combining(c)))


_BRACKETS = (re.compile(r"[<\[][^>\]]*[>\]]"), ">]"), (re.compile(r"\([^)]+\)"), ")")


def _whisper_basic(text: str) -> str:
    """As Whisper's BasicTextNormalizer: nothing in brackets, blanks for marks and symbols."""
    text = text.lower()
    for pattern, ends in _BRACKETS:
        # Nothing can match beyond the last bracket, where searching would take quadratic time.
        last = max(map(text.rfind, ends)) + 1
        text = pattern.sub("", text[:last]) + text[last:]
    text = unicodedata.normalize("NFKC", text).translate(_BLANK_MARKS)
    return re.sub(r"\s+", " ", text.lower())


STEPS: dict[str, Callable[[str], str]] = {
    "nfc": lambda text: unicodedata.normalize("NFC", text),
    "nfkc": lambda text: unicodedata.normalize("NFKC", text),
    "lower": str.lower,
    "casefold": str.casefold,
    "punctuation": lambda text: text.translate(_NO_PUNCTUATION),
    "accents": _without_accents,
    "spaces": lambda text: " ".join(text.split()),
    "whisper-basic": _whisper_basic,
}
"""What can be done to texts before they are compared."""
_BASIC = ("nfkc", "lower", "punctuation", "spaces")


_UNDONE: dict[str, WordEdit] = {
    "hit": "keep", "substitution": "substitute", "insertion": "delete", "deletion": "insert",
}  # fmt: skip
_CHANGES = {
    "substitute": (("hits", 1.0), ("substitutions", -1.0)),
    "insert": (("hits", 1.0), ("deletions", -1.0)),
    "delete": (("insertions", -1.0),),
}


class Wer(MarkedTexts, LineMetric):
    """Word error rate: the edits between two texts for each word of the reference.

    Of all alignments with the fewest edits the one with the most hits counts, so that every figure
    is unique and swapping the sides only swaps deletions and insertions. `mer` and `wil`
    (Morris et al. 2004) come from the same alignment, `cer` from one of characters, `ser` is the
    share of texts with an error. Words are separated by white space; among characters, inner
    blanks count.

    >>> Wer().score("the cat sat on mat", "the cat sat on the mat")["wer"]
    0.16666666666666666
    """

    name = "wer"
    tool_line = "{wer}"
    columns = (
        "items", "exact",
        "hits", "substitutions", "deletions", "insertions",
        "char_hits", "char_substitutions", "char_deletions", "char_insertions",
    )  # fmt: skip

    normalize: Annotated[str, "none, basic, or steps in order: " + ", ".join(STEPS)] = "none"
    compat: Annotated[Literal["none", "jiwer"], "count as jiwer does"] = "none"

    of_characters: ClassVar[bool] = True
    """Whether errors of characters are counted, which cost more than those of words."""

    def __post_init__(self) -> None:
        self._steps  # noqa: B018, to refuse unknown steps at once

    @cached_property
    def _steps(self) -> list[Callable[[str], str]]:
        if self.normalize == "none":
            return []
        names = _BASIC if self.normalize == "basic" else self.normalize.replace(",", " ").split()
        for name in names:
            if name not in STEPS:
                raise OptionError(
                    f"there is no step {name!r} to normalize texts by{did_you_mean(name, STEPS)}",
                    code="K302",
                    advice="write none, basic, or some of " + ", ".join(STEPS),
                )
        return [STEPS[name] for name in names]

    def rows(self, texts: Referenced) -> Array:
        systems, golds = self._normalized(texts.systems), self._normalized(texts.references)
        if self.compat == "none":
            counts = self._counts(systems, golds, of_characters=self.of_characters)
        else:
            spaced = self._spaced(systems), self._spaced(golds)
            counts = self._counts(*spaced, of_characters=False)
            if self.of_characters:
                counts += self._counts(systems, golds, of_words=False)
        exact = counts[:, 1:4].sum(axis=1) == 0
        return np.column_stack([np.ones(len(systems)), exact, counts])

    def _normalized(self, texts: Strings) -> Strings:
        for step in self._steps:
            texts = texts.changed(step)
        return texts

    def _spaced(self, texts: Strings) -> Strings:
        """The texts whose words are compared.

        For jiwer, runs of white space are a blank between words, and themselves as characters.
        """
        if self.compat == "none":
            return texts
        return texts.changed(lambda text: _RUNS.sub(" ", text))

    def _counts(
        self, systems: Strings, golds: Strings, of_words: bool = True, of_characters: bool = True
    ) -> Array:
        as_jiwer = self.compat == "jiwer"
        try:
            return word_errors(*systems.columns, *golds.columns, as_jiwer, of_words, of_characters)
        except ValueError as error:
            raise LimitExceeded(
                f"{error} to be aligned",
                code="K503",
                advice="split them into sentences or paragraphs that belong together",
            ) from None

    tracing = grid_in("karat.text.metrics.grids.words", "wer")

    def explain_texts(self, texts: Referenced, rows: Array) -> list[bytes]:
        """The alignment of words, and that of characters."""
        systems, golds = self._normalized(texts.systems), self._normalized(texts.references)
        words = self._alignments(self._spaced(systems), self._spaced(golds))
        characters = self._alignments(systems, golds, of_characters=True)
        scores = nested_scores(encoded_scores(self, rows))
        return [
            b'{"scores":%b,"words":%b,"characters":%b}' % each if all(each) else b""
            for each in zip(scores, words, characters, strict=True)
        ]

    def _alignments(
        self, systems: Strings, golds: Strings, *, of_characters: bool = False
    ) -> list[bytes]:
        """Edit by edit, as JSON; empty where two texts are too long."""
        jiwer = self.compat == "jiwer"
        return told_alignments(*systems.columns, *golds.columns, of_characters, jiwer, _MOST_CELLS)

    def layers_of_texts(self, texts: Referenced) -> list[bytes]:
        systems, golds = (
            self._spaced(self._normalized(side)) for side in (texts.systems, texts.references)
        )
        return word_error_marks(
            *texts.systems.columns, *texts.references.columns,
            *systems.columns, *golds.columns, _KINDS, self.compat == "jiwer", _MOST_CELLS,
        )  # fmt: skip

    # -- repairing -------------------------------------------------------------

    partitions = PARTITIONS
    repair_claim: ClassVar[Claim] = "equal"

    @property
    def repair_targets(self) -> Mapping[str, Target]:
        edits = dict.fromkeys(("substitutions", "deletions", "insertions"), 1)
        return {"wer": Target(edits, dict.fromkeys(("hits", "substitutions", "deletions"), 1))}

    @property
    def unrepairable(self) -> str:
        return "normalized words are not those written" if self._steps else ""

    def repairs(self, pairs: Sequence[tuple[str, str]]) -> list[TextRepair]:
        texts = self.texts_of_pairs(pairs)
        found = self._alignments(self._spaced(texts.systems), self._spaced(texts.references))
        return [self._repair(system, told) for (system, _), told in zip(pairs, found, strict=True)]

    def _repair(self, system: str, told: bytes) -> TextRepair:
        if not told:
            raise LimitExceeded("the texts are too long to be repaired", code="K503")
        edits = decoded_json(told)["alignment"]
        ours, theirs = ([w for edit in edits for w in edit[side]] for side in ("system", "gold"))
        steps = [_UNDONE[edit["edit"]] for edit in edits]
        return TextRepair(system, ours, theirs, steps, _CHANGES)

    def summarize(self, totals: Array) -> Scores:
        items, exact, *counts = self.columns_of(totals)
        hits, substitutions, deletions, insertions = counts[:4]
        edits = substitutions + deletions + insertions
        reference, output = hits + substitutions + deletions, hits + substitutions + insertions
        char_edits = counts[5] + counts[6] + counts[7]
        alike = quotient(hits, reference) * quotient(hits, output)
        lost = np.where((reference == 0) & (output == 0), _NAN, 1 - alike)
        return {
            "wer": main(cost(ratio(edits, reference, _NAN))),
            "mer": cost(ratio(edits, edits + hits, _NAN)),
            "wil": cost(lost),
            "cer": cost(ratio(char_edits, counts[4] + counts[5] + counts[6], _NAN)),
            "ser": cost(ratio(items - exact, items, _NAN)),
            **{name: count(each) for name, each in zip(_PARTS, counts[:4], strict=True)},
        }
