"""``karat convert`` for logical forms: from one notation to another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from karat.core.commands import Conversion, Job
from karat.errors import FormatError, Place
from karat.logic.convert import converted
from karat.logic.grammar import AnyDialect, DialectName, Grammar
from karat.logic.model import Entry
from karat.logic.parser import parse

Target = Literal["same", "cogs", "slog", "recogs", "reduced", "varfree"]


class ConvertForms(Conversion):
    """Each form in canonical spacing, in the notation asked for."""

    dialect: Annotated[DialectName, "the notation of the input"] = "cogs"
    into: Annotated[Target, "the notation of the output"] = "same"
    grammar: Annotated[
        Grammar, "refuse what is not well-formed in the output's notation: tolerant, strict"
    ] = "strict"

    def convert(self, job: Job) -> Iterator[Entry]:
        into: AnyDialect = self.dialect if self.into == "same" else self.into
        strict = self.grammar == "strict"
        for entry in job.values():
            text = entry.form if entry.form is not None else entry.gold
            try:
                form = parse(text, self.dialect)
                written = converted(form, self.dialect, into, entry.sentence, strict=strict)
            except FormatError as error:
                error.place = Place(entry.file, entry.line)
                job.report.broken(error)
                continue
            yield msgspec.structs.replace(entry, form=written, gold=None)
