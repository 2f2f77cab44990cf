"""Base class of the metrics of logical forms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias, get_args

import msgspec
import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.capabilities import LazyPairs, Measured
from karat.core.marks import main, mark_at, tiebreak
from karat.core.metric import Explanation, Metric
from karat.core.reading.raw import RawChunk
from karat.core.reading.strings import Strings, decoded_as
from karat.core.scores import Array, Scores
from karat.errors import OptionError, PairingError, Place
from karat.logic.diagnosis import CountedErrors, Notation, error_profile, notation_of
from karat.logic.formats import Spans, spans_of
from karat.logic.model import (
    DIALECT_HELP,
    GRAMMAR_HELP,
    AnyDialect,
    Entry,
    Flaw,
    Grammar,
)

if TYPE_CHECKING:
    from karat.core.shown import Shown
    from karat.logic.content import FormOutputs

Input: TypeAlias = str | Entry
"""A form: its text, or the line of a file that it stands in."""
_ILL_FORMED_GOLD, _ILL_FORMED_SYSTEM = 1, 2
"""What the kernel says of a pair besides its row."""


Group: TypeAlias = Literal[
    "exact", "well_formed", "order", "order_set", "semantic", "edits", "bleu", "parts"
]
"""Columns that the kernel counts together."""


class Component(ABC):
    """A group of columns, which the kernel counts, and the scores made from their sums."""

    group: Group
    columns: Sequence[str]

    @abstractmethod
    def summarize(self, items: Array, totals: Array) -> Scores:
        """Scores from the number of items and the sums of the columns."""


class LogicMetric(Metric[Input, Input], ABC):
    """Base class of metrics of logical forms.

    An ill-formed system form scores 0 and is counted; an ill-formed gold form is
    an error. Where both lines have a sentence, the sentences must be the same.
    """

    kind = "logic"
    releases_gil = True
    chunk_size = 2048
    main_score: ClassVar[str]
    """The dotted name of its headline."""
    finer_score: ClassVar[str] = ""
    """The score that orders forms whose headline is the same."""

    dialect: Annotated[AnyDialect, DIALECT_HELP] = "cogs"
    grammar: Annotated[Grammar, GRAMMAR_HELP] = "tolerant"

    @abstractmethod
    def build(self) -> list[Component]:
        """The components, as the options say."""

    @cached_property
    def components(self) -> list[Component]:
        return self.build()

    @cached_property
    def notation(self) -> Notation:
        return notation_of(self.dialect, self.grammar)

    def __post_init__(self) -> None:
        if self.dialect == "varfree":
            for option, unfit in (("grammar", "strict"), ("legacy", True)):
                if getattr(self, option, None) == unfit:
                    raise OptionError(
                        f"{self.name} has no {option}={unfit!r} for variable-free forms",
                        code="K370",
                    )

    @cached_property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        return ("items", *(name for each in self.components for name in each.columns))

    @property
    def inexact_column(self) -> str | None:
        return "undecided" if "undecided" in self.columns else None

    def of_system(self, record: Any) -> Input:
        if isinstance(record, Entry) and record.form is None:
            raise PairingError(
                f"line {record.line} has no form of the system, only a gold form",
                code="K230",
                advice="give the file of the system's forms as ``system``, the gold as ``gold``",
            )
        return record  # type: ignore[no-any-return]

    def is_null(self, system: Input) -> bool:
        return not self._is_form(system) and isinstance(self.notation.parse(text_of(system)), Flaw)

    def _is_form(self, form: Input) -> bool:
        """Whether the kernel can read a form; what it cannot, parsing tells more of."""
        return _native.is_form(
            text_of(form).encode("utf-8", "surrogatepass"),
            dialect=self.dialect,
            strict=self.grammar == "strict",
        )

    def why_null(self, system: Input) -> tuple[str, str]:
        flaw = self.notation.parse(text_of(system))
        others = [
            dialect
            for part in get_args(AnyDialect)
            for dialect in get_args(part)
            if dialect != self.dialect
            and not isinstance(notation_of(dialect).parse(text_of(system)), Flaw)
        ]
        advice = ""
        if others and text_of(system).strip():
            advice = (
                f"this is a form of {' and '.join(others)}: karat convert makes one of the other"
            )
        return f"{self.dialect} forms are expected, and the first is {flaw}", advice

    def holds_gold(self, record: Any) -> bool:
        return isinstance(record, Entry) and record.gold is not None

    def of_gold(self, records: Sequence[Any]) -> Input:
        if len(records) != 1:
            raise OptionError(f"{self.name} takes one gold file, got {len(records)}", code="K309")
        record: Input = records[0]
        if isinstance(record, Entry) and record.gold is not None:
            record = Entry(record.gold, None, record.sentence, record.file, record.line)
        if not self._is_form(record):
            self.parse_gold(record)
        return record

    def parse_gold(self, gold: Input) -> Any:
        """The gold form; one that is ill-formed is an error."""
        parsed = self.notation.parse(text_of(gold))
        if isinstance(parsed, Flaw):
            place = Place(gold.file, gold.line) if isinstance(gold, Entry) else Place("gold")
            raise parsed.error(place, "the gold form is ")
        return parsed

    def measure_many(self, pairs: Sequence[tuple[Input, Input]]) -> Array:
        return self.measure_forms(Forms.of(pairs), self.components)

    def measure_forms(self, forms: Forms, components: Sequence[Component]) -> Array:
        """The rows of forms, with nothing but zeros in the columns of other components."""
        found, status = self._measured(forms.system, forms.gold, components)
        for place in np.flatnonzero(status & _ILL_FORMED_GOLD).tolist():
            self.parse_gold(forms.golds[place])
        if components is self.components:
            return found
        rows = np.zeros((len(found), len(self.columns)))
        known = [name for each in components for name in each.columns]
        rows[:, [0, *map(self.columns.index, known)]] = found
        return rows

    def measure_bytes(self, chunk: RawChunk) -> Measured | None:
        sides = _spans(chunk)
        if sides is None:
            return None
        system, gold = sides
        rows, status = self._measured(system.forms, gold.forms, self.components)
        if (status & _ILL_FORMED_GOLD).any() or (status & _ILL_FORMED_SYSTEM).all():
            return None
        return Measured(rows, gold.fields)

    def look_at(self, chunk: LazyPairs) -> FormOutputs | None:
        if self.dialect == "varfree":
            return None
        raw = chunk.raw()
        sides = None if raw is None else _spans(raw)
        if sides is None:
            return None
        from karat.logic.content import FormOutputs

        system, gold = sides
        looked = FormOutputs(
            system.forms, gold, self._told,
            dialect=self.dialect, strict=self.grammar == "strict", outputs=chunk.outputs,
        )  # fmt: skip
        return looked if looked.is_good else None  # parsing tells what is wrong in gold

    def _told(self, system: str, gold: str) -> tuple[Explanation, Shown]:
        """What is wrong with an ill-formed form, and how the pair is shown."""
        found = self.explain(system, gold)
        return found, self.shown(system, gold, found)

    def _measured(
        self, system: Strings, gold: Strings, components: Sequence[Component]
    ) -> tuple[Array, npt.NDArray[np.uint8]]:
        """The rows of pairs, and what is to be known of each besides."""
        legacy = bool(getattr(self, "legacy", False))
        counting = getattr(self, "counting", None) or ("set" if legacy else "multiset")
        return _native.measure_forms(
            system.data,
            system.spans,
            gold.data,
            gold.spans,
            [each.group for each in components],
            dialect=self.dialect,
            strict=self.grammar == "strict",
            sets=counting == "set",
            legacy=legacy,
        )

    def summarize(self, totals: Array) -> Scores:
        items = totals[..., 0]
        scores: dict[str, Any] = {}
        first = 1
        for each in self.components:
            last = first + len(each.columns)
            scores.update(each.summarize(items, totals[..., first:last]))
            first = last
        mark_at(scores, self.main_score, main)
        if self.finer_score:
            mark_at(scores, self.finer_score, tiebreak)
        return scores

    def explain(self, system: Input, gold: Input) -> Explanation:
        """The errors of the system's form: terms, constants, or where it is ill-formed."""
        texts = text_of(system), text_of(gold)
        return self.notation.explain(*texts, self.notation.parse(texts[0]), self.parse_gold(gold))

    def shown(self, system: Input, gold: Input, explanation: Explanation) -> Shown:
        from karat.logic.content import shown_forms

        texts = text_of(system), text_of(gold)
        ours, theirs = self.notation.parse(texts[0]), self.parse_gold(gold)
        result = shown_forms(texts, ours, theirs, explanation, self.dialect)
        result.source = gold.sentence if isinstance(gold, Entry) else None
        return result

    def error_profile(self, explanations: Iterable[Explanation]) -> Explanation:
        """The most frequent errors by predicate, role, constant and position."""
        return error_profile(msgspec.convert(each, CountedErrors) for each in explanations)

    def profile_of_json(self, explanations: Iterable[list[bytes]]) -> Explanation:
        decoder = msgspec.json.Decoder(CountedErrors)
        return error_profile(decoded_as(decoder, each) for some in explanations for each in some)


class Forms(NamedTuple):
    """The texts of pairs of forms as the kernel takes them, and the golds that they are of."""

    system: Strings
    gold: Strings
    golds: Sequence[Input]

    @classmethod
    def of(cls, pairs: Sequence[tuple[Input, Input]]) -> Forms:
        """Those of pairs, whose sentences must be the same."""
        for ours, theirs in pairs:
            if isinstance(ours, Entry) and isinstance(theirs, Entry):
                _check_sentences(ours, theirs)
        system, gold = (Strings.of([text_of(pair[side]) for pair in pairs]) for side in (0, 1))
        return cls(system, gold, [gold for _, gold in pairs])


def text_of(entry: Input) -> str:
    """The text of a form."""
    return entry if isinstance(entry, str) else entry.form or ""


def _spans(chunk: RawChunk) -> tuple[Spans, Spans] | None:
    """Where the forms of system and gold are; None where they or their sentences need parsing."""
    if len(chunk.golds) != 1:
        return None
    system, gold = spans_of(chunk.system, is_gold=False), spans_of(chunk.golds[0], is_gold=True)
    if system is None or gold is None:
        return None
    ours, theirs = system.sentences, gold.sentences
    if ours is None or theirs is None:
        return system, gold
    same = _native.same_texts(ours.data, ours.spans, theirs.data, theirs.spans)
    return (system, gold) if same else None


def _check_sentences(system: Entry, gold: Entry) -> None:
    if None in (system.sentence, gold.sentence) or system.sentence == gold.sentence:
        return
    raise PairingError(
        f"the sentences differ: the system has {_short(system.sentence)}, "
        f"the gold at line {gold.line} has {_short(gold.sentence)}",
        code="K231",
        place=Place(system.file, system.line),
        advice="check for lost or doubled lines; ``ignore_sentences=True`` turns this check off",
    )


def _short(sentence: str | None) -> str:
    text = sentence or ""
    return repr(text if len(text) <= 60 else text[:57] + "...")
