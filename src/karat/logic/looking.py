"""Looking at many forms: a kernel tells of most pairs, from the bytes of files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
import numpy as np

from karat import _native
from karat.core.capabilities import Asked, Explanation
from karat.core.reading.strings import Strings
from karat.core.shown import Form, Shown, ShownPairs
from karat.logic.formats.lines import Spans
from karat.logic.model import DialectName

_encode = msgspec.json.encode


class Told(NamedTuple):
    """What is wrong with a form, and how the pair is shown."""

    explanation: Explanation
    shown: Callable[[], Shown]


class LookedForms:
    """Pairs of forms in the bytes of files; `tell` explains those that the kernel leaves to it."""

    def __init__(
        self,
        system: Strings,
        gold: Spans,
        tell: Callable[[str, str], Told],
        *,
        dialect: DialectName,
        strict: bool,
        asked: Asked,
    ) -> None:
        self.system = system
        self.gold = gold.forms
        self.sentences = gold.sentences
        self.tell = tell
        self.dialect, self.strict, self.asked = dialect, strict, asked
        self._told: dict[int, Told] = {}
        self.found = self._look(asked.told, asked.shown)
        """What the kernel tells; None where a gold form is ill-formed."""

    def _look(self, told: bool, shown: bool) -> Any:
        return _native.look_at_forms(
            self.system.data, self.system.spans, self.gold.data, self.gold.spans,
            dialect=self.dialect, strict=self.strict, told=told, shown=shown,
        )  # fmt: skip

    def _tell(self, place: int) -> Told:
        if place not in self._told:
            self._told[place] = self.tell(self.system.text(place), self.gold.text(place))
        return self._told[place]

    def explanations(self) -> list[bytes]:
        found, _ = self.found if self.asked.told else self._look(told=True, shown=False)
        return [each or _encode(self._tell(i).explanation) for i, each in enumerate(found)]

    def shown(self) -> tuple[Any, ...]:
        _, found = self.found if self.asked.shown else self._look(told=False, shown=True)
        pairs = ShownPairs(*found)
        golds, systems, views = map(list, (pairs.golds, pairs.systems, pairs.views))
        faults, rows, numbers = list(pairs.faults), [pairs.fault_rows], [pairs.fault_numbers]
        layers, drawn = dict.fromkeys(pairs.layers), pairs.drawn
        for i in [i for i, each in enumerate(views) if not each]:
            shown = self._tell(i).shown()
            drawn |= any(isinstance(each, Form) for each in (*shown.golds, shown.system))
            golds[i] = _encode(shown.golds)[1:-1]
            systems[i] = _encode(shown.system)
            views[i] = b"%b,null,%b" % (_encode(shown.layers), _encode(shown.notes))
            rows.append(np.full(len(shown.faults), i, np.int32))
            numbers.append(len(faults) + np.arange(len(shown.faults), dtype=np.int32))
            faults += shown.faults
            layers |= dict.fromkeys(shown.layers)
        all_rows = np.concatenate(rows)
        order = np.argsort(all_rows, kind="stable")
        sources = [b"null"] * len(golds) if self.sentences is None else _as_json(self.sentences)
        return ShownPairs(
            [b"%b,[%b]" % each for each in zip(sources, golds, strict=True)], systems, views,
            faults, all_rows[order], np.concatenate(numbers)[order], list(layers), drawn,
        )  # fmt: skip


def _as_json(texts: Strings) -> list[bytes]:
    return _native.json_texts(*texts.columns, np.arange(len(texts) + 1), "", "", "")
