"""Translation edit rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

import msgspec
import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.capabilities import grid_in
from karat.core.marks import cost, count, main, out_of
from karat.core.reading.strings import Referenced, decoded_as
from karat.core.repairs import Claim, Target
from karat.core.scores import Array, Scores, convention, ratio
from karat.core.scoring import encoded_scores, nested_scores
from karat.errors import LimitExceeded
from karat.text.metrics.sacrebleu_base import SacreMetric, yes
from karat.text.model import Text
from karat.text.repair import PARTITIONS, Shift, TextRepair, WordEdit

_CELLS = 250_000_000
_AT_ONCE = 32
"""Texts with many shifts take milliseconds each, and a kernel is not interrupted."""


class Ter(SacreMetric):
    """Translation edit rate (Snover et al. 2006), equal to sacreBLEU.

    Edits, with shifts of phrases, to the closest reference, per word of the
    average reference, times 100. `sent-ter` is the mean of sentence scores.
    Lower is better; above 100 is possible. Without reference words the rate is
    100 if there are edits, else 0. With `normalized`, sacreBLEU tokenises the
    references twice and the system once, which is not always the same (``it's.``
    is first two tokens, then three), so a text equal to its reference may have a
    rate above 0, as in sacreBLEU.

    >>> Ter().score("a b c", ["a c b"])["ter"]
    33.33333333333333
    """

    name = "ter"
    tool_line = "TER = {ter:.2f}"
    columns = ("segments", "sentence_ter", "edits", "length")
    peer_name = "TER"
    chunk_size = 256

    normalized: Annotated[bool, "normalise characters and tokenise as tercom does"] = False
    no_punct: Annotated[bool, "remove punctuation"] = False
    asian_support: Annotated[bool, "treat CJK characters as words"] = False
    case_sensitive: Annotated[bool, "match case"] = False

    @property
    def needs_peer(self) -> bool:
        return self.normalized or self.no_punct  # asian_support alone does nothing

    def choices(self) -> Mapping[str, str]:
        return {
            "case": "mixed" if self.case_sensitive else "lc",
            "tok": "tercom",
            "norm": yes(self.normalized),
            "punct": yes(not self.no_punct),
            "asian": yes(self.asian_support),
        }

    def prepared(self, texts: Referenced) -> Referenced:
        """The texts whose words are compared."""
        if self.needs_peer:
            prepare = self._peer._preprocess_segment
            if self.normalized:  # sacreBLEU tokenises references a second time
                texts = msgspec.structs.replace(texts, references=texts.references.changed(prepare))
            return texts.changed(prepare)
        return texts if self.case_sensitive else texts.lowered()

    def rows(self, texts: Referenced) -> Array:
        texts = self.prepared(texts)
        found = [_native.ter_counts(*part.columns, _CELLS) for part in texts.parts(_AT_ONCE)]
        counts = np.concatenate(found) if found else np.empty((0, 3), np.int64)
        self._check_sizes(counts[:, 2])
        edits, lengths = counts[:, 0].astype(np.float64), counts[:, 1] / texts.sizes
        return np.column_stack([np.ones(len(edits)), _rate(edits, lengths), edits, lengths])

    def _check_sizes(self, cells: npt.NDArray[np.int64]) -> None:
        if cells.max(initial=0) > _CELLS:
            raise LimitExceeded(
                f"two texts are too long for ter: their words make {cells.max():,} pairs, "
                f"at most {_CELLS:,} are possible",
                code="K503",
                advice="score sentences rather than whole documents",
            )

    def explain_texts(self, texts: Referenced, rows: Array) -> list[bytes]:
        """The shifts and edits that make the closest reference of the system's text."""
        lengths = [msgspec.json.encode(each) for each in self.columns_of(rows)[3].tolist()]
        return self._told(texts, nested_scores(encoded_scores(self, rows)), lengths)

    def _told(self, texts: Referenced, scores: list[bytes], lengths: list[bytes]) -> list[bytes]:
        return _native.ter_explained(*self.prepared(texts).columns, _CELLS, scores, lengths)

    # -- repairing -------------------------------------------------------------

    partitions = PARTITIONS
    repair_claim: ClassVar[Claim] = "estimate"

    @property
    def repair_targets(self) -> Mapping[str, Target]:
        return {"ter": Target({"edits": 100}, {"length": 1})}

    @property
    def unrepairable(self) -> str:
        if self.needs_peer:
            return "normalized or without punctuation, the words of a text are not those written"
        return ""

    def repairs(self, pairs: Sequence[tuple[Text, Sequence[Text]]]) -> list[TextRepair]:
        strings = [self.strings(system, gold) for system, gold in pairs]
        nothing = [b"0"] * len(strings)  # what is known of the scores already
        told = self._told(Referenced.of(strings), nothing, nothing)
        return [
            _repair(*each, decoded_as(_edits, found))
            for each, found in zip(strings, told, strict=True)
        ]

    def summarize(self, totals: Array) -> Scores:
        segments, sentences, edits, length = self.columns_of(totals)
        return {
            "ter": main(cost(out_of(_rate(edits, length), 100))),
            "sent-ter": cost(out_of(ratio(sentences, segments), 100)),
            "edits": cost(count(edits)),
            "ref_length": count(length),
        }

    tracing = grid_in("karat.text.metrics.grids.ter")


def _rate(edits: Array, length: Array) -> Array:
    nothing = np.where(edits > 0, 1.0, convention(0.0))
    return 100 * np.where(length > 0, ratio(edits, length), nothing)


class _Shifted(msgspec.Struct, rename={"begin": "from"}, gc=False):
    words: list[str]
    begin: int
    to: int


class _Step(msgspec.Struct, gc=False):
    edit: WordEdit


class _Reference(msgspec.Struct, gc=False):
    number: int


class _Edits(msgspec.Struct, gc=False):
    """What of an explanation repairs need."""

    reference: _Reference
    shifts: list[_Shifted]
    alignment: list[_Step]


_edits = msgspec.json.Decoder(_Edits)
_CHANGES = dict.fromkeys(("shift", "substitute", "delete", "insert"), (("edits", -1.0),))


def _repair(text: str, references: Sequence[str], found: _Edits) -> TextRepair:
    """The shifts and edits of an explanation, on the words as they are written."""
    words = text.split()
    order = list(range(len(words)))
    shifts = []
    for each in found.shifts:
        begin, to = each.begin, each.to
        phrase = order[begin : begin + len(each.words)]
        rest = order[:begin] + order[begin + len(phrase) :]
        shifts.append(Shift(tuple(phrase), rest[to - 1] if to else -1))
        order = [*rest[:to], *phrase, *rest[to:]]
    steps = [each.edit for each in found.alignment]
    gold = references[found.reference.number - 1].split()
    return TextRepair(text, words, gold, steps, _CHANGES, shifts=shifts)
