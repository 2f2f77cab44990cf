"""Looking at many forms: those that are equal to gold are not parsed in Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import msgspec
import numpy as np

from karat import _native
from karat.core.capabilities import Explanation
from karat.core.reading.strings import Strings
from karat.core.shown import Fault, Form, Shown, ShownPairs
from karat.logic.formats.lines import Spans
from karat.logic.model import DialectName

_encode = msgspec.json.encode
_NOTHING_WRONG = b'{"diagnosis":[],"offset":null,"expected":null,"missing":[],"extra":[],'


class Told(NamedTuple):
    """A pair that differs: what is wrong, and how it is shown."""

    explanation: Explanation
    shown: Callable[[], Shown]


class LookedForms:
    """Pairs of forms in the bytes of files; `tell` explains those that differ."""

    def __init__(
        self,
        system: Strings,
        gold: Spans,
        tell: Callable[[str, str], Told],
        *,
        dialect: DialectName,
        strict: bool,
    ) -> None:
        self.system = system
        self.gold = gold.forms
        self.sentences = gold.sentences
        self.tell = tell
        self.terms = _native.form_terms(
            self.gold.data, self.gold.spans, dialect=dialect, strict=strict
        )

    @cached_property
    def _texts(self) -> list[bytes]:
        """The texts of gold as JSON."""
        return _as_json(self.gold)

    @cached_property
    def _told(self) -> dict[int, Told]:
        """What there is to say of pairs that differ, by their places."""
        ours, theirs = self.system.decoded(), self.gold.decoded()
        pairs = enumerate(zip(ours, theirs, strict=True))
        return {i: self.tell(system, gold) for i, (system, gold) in pairs if system != gold}

    def explanations(self) -> list[bytes]:
        told = self._told
        return [
            _encode(told[i].explanation)
            if i in told
            else b'%b"system":%b,"gold":%b}' % (_NOTHING_WRONG, text, text)
            for i, text in enumerate(self._texts)
        ]

    def shown(self) -> tuple[Any, ...]:
        sources = [b"null"] * len(self.gold) if self.sentences is None else _as_json(self.sentences)
        golds, systems, views = [], [], []
        faults: list[Fault] = []
        fault_rows: list[int] = []
        layers: dict[str, None] = {}
        drawn = False
        for i, (source, terms) in enumerate(zip(sources, self.terms, strict=True)):
            told = self._told.get(i)
            if told is None:
                drawn |= terms != b"[]"
                same = b'["raw",%b]' % self._texts[i] if terms == b"[]" else b'["form",%b]' % terms
                golds.append(b"%b,[%b]" % (source, same))
                systems.append(same)
                views.append(b"{},null,[]")
                continue
            shown = told.shown()
            drawn |= any(isinstance(each, Form) for each in (*shown.golds, shown.system))
            golds.append(b"%b,%b" % (source, _encode(shown.golds)))
            systems.append(_encode(shown.system))
            views.append(b"%b,null,%b" % (_encode(shown.layers), _encode(shown.notes)))
            faults += shown.faults
            fault_rows += [i] * len(shown.faults)
            layers |= dict.fromkeys(shown.layers)
        return ShownPairs(
            golds, systems, views, faults, np.array(fault_rows, np.int32),
            np.arange(len(faults), dtype=np.int32), list(layers), drawn,
        )  # fmt: skip


def _as_json(texts: Strings) -> list[bytes]:
    return _native.json_texts(*texts.columns, np.arange(len(texts) + 1), "", "", "")
