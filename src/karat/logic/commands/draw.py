"""``karat draw`` for logical forms."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Annotated

from karat.core.commands import Job
from karat.core.options import Range
from karat.drawing.page import Drawer, Drawing
from karat.errors import PairingError, Place
from karat.logic.metrics.base import AnyDialect, notation_of
from karat.logic.metrics.cogs import DIALECT_HELP
from karat.logic.model import Entry, Flaw
from karat.logic.pictures import drawing_against, drawing_of


class DrawForms(Drawer):
    """Constants as boxes, roles as arrows; with gold, what differs is in colour."""

    dialect: Annotated[AnyDialect, DIALECT_HELP] = "cogs"
    line: Annotated[int, Range(0), "draw only this line, from 1; 0 draws all"] = 0
    only_errors: Annotated[bool, "with gold, draw only forms that differ from it"] = False

    def draw(self, job: Job) -> Iterator[Drawing]:
        golds = job.gold_values() if job.golds else iter(())
        for entry, gold in zip_longest(job.values(), golds):
            if entry is None or (gold is None and job.golds):
                raise PairingError("gold and input have different numbers of forms", code="K202")
            text = gold.form if gold is not None else entry.gold
            if self.line in (0, entry.line) and not (self.only_errors and text == entry.form):
                yield self._drawing(entry, text, gold or entry)

    def _drawing(self, entry: Entry, gold_text: str | None, gold_entry: Entry) -> Drawing:
        notation = notation_of(self.dialect)
        system = notation.parse(entry.form or "")
        heading = entry.sentence or ""
        if gold_text is None or entry.form is None:
            if isinstance(system, Flaw):
                raise system.error(Place(entry.file, entry.line))
            return Drawing(str(entry.line), heading, drawing_of(system, heading))
        gold = notation.parse(gold_text)
        if isinstance(gold, Flaw):
            raise gold.error(Place(gold_entry.file, gold_entry.line), "the gold form is ")
        found = notation.explain(entry.form, gold_text, system, gold)
        svg = drawing_against(system, gold, found, self.dialect, heading)
        return Drawing(str(entry.line), "; ".join(found["diagnosis"]), svg)
