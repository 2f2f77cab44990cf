"""``karat convert`` for logical forms: from one notation to another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from karat.core.verbs import Conversion, Job
from karat.errors import FormatError, Place
from karat.logic.convert import to_recogs, to_varfree
from karat.logic.grammar import DialectName
from karat.logic.model import Entry, Form
from karat.logic.parser import parse
from karat.logic.serializer import serialize
from karat.logic.varfree import serialize_varfree

Target = Literal["same", "varfree", "recogs", "reduced", "cogs"]


class ConvertForms(Conversion):
    """Each form in canonical spacing, in the notation asked for."""

    dialect: Annotated[DialectName, "the notation of the input"] = "cogs"
    into: Annotated[
        Target, "the notation of the output; reduced forms can be made cogs, cogs any"
    ] = "same"

    def convert(self, job: Job) -> Iterator[Entry]:
        for entry in job.values():
            text = entry.form if entry.form is not None else entry.gold
            try:
                written = self._written(parse(text, self.dialect), entry.sentence)
            except FormatError as error:
                error.place = Place(entry.file, entry.line)
                job.report.broken(error)
                continue
            yield msgspec.structs.replace(entry, form=written, gold=None)

    def _written(self, form: Form, sentence: str | None) -> str:
        if self.into == "varfree":
            return serialize_varfree(to_varfree(form))
        if self.into == "recogs":
            if sentence is None and form.type == "iota":
                raise FormatError("ReCOGS needs the sentence of the form", code="K171")
            return to_recogs(form, sentence or "")
        return serialize(form, self.dialect if self.into == "same" else self.into)
