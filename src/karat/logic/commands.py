"""The commands convert, draw, validate and analyze for logical forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from typing import Annotated, Any, Literal

import msgspec

from karat.core.commands import Answer, Conversion, Inquiry, Job, frequencies, validation
from karat.core.options import Range
from karat.drawing.page import Drawer, Drawing
from karat.errors import FormatError, PairingError, Place, counted
from karat.logic.convert import converted
from karat.logic.diagnosis import notation_of
from karat.logic.formats import LfJsonLines
from karat.logic.model import (
    DIALECT_HELP,
    GRAMMAR_HELP,
    AnyDialect,
    DialectName,
    Entry,
    Flaw,
    Form,
    Grammar,
)
from karat.logic.parser import Tree, parse

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
            texts = [each for each in (entry.form, entry.gold) if each is not None]
            if not isinstance(job.writer, LfJsonLines):
                texts = texts[:1]  # there is no place for gold beside it
            try:
                written = [
                    converted(
                        parse(text, self.dialect), self.dialect, into, entry.sentence, strict=strict
                    )
                    for text in texts
                ]
            except FormatError as error:
                error.place = Place(entry.file, entry.line)
                job.report.broken(error)
                continue
            gold = written[1] if len(written) > 1 else None
            yield msgspec.structs.replace(entry, form=written[0], gold=gold)


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
        from karat.logic.pictures import drawing_against, drawing_of

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


class ValidateForms(Inquiry):
    """Is every form well-formed? One line for each that is not."""

    name = "validate"

    dialect: Annotated[AnyDialect, DIALECT_HELP] = "cogs"
    grammar: Annotated[Grammar, GRAMMAR_HELP] = "tolerant"
    strict: Annotated[bool, "the same as the grammar strict"] = False

    def answer(self, job: Job) -> Answer:
        notation = notation_of(self.dialect, "strict" if self.strict else self.grammar)
        checked = 0
        problems: list[tuple[Place, dict[str, Any]]] = []
        for stream, item in job.items():
            place = Place(stream.source.name, item.line)
            if item.error is not None:
                problems.append((place, {"offset": None, "message": item.error.message}))
                continue
            for what, text in _texts(item.value):
                checked += 1
                parsed = notation.parse(text)
                if isinstance(parsed, Flaw):
                    found = {"offset": parsed.offset, "message": f"{what}{parsed}"}
                    problems.append((place, found))
        return validation(job, "form", checked, problems)


def _texts(entry: Entry) -> list[tuple[str, str]]:
    """The forms of a line, named where there are two."""
    if entry.gold is None:
        return [("", entry.form or "")]
    if entry.form is None:
        return [("", entry.gold)]
    return [("gold: ", entry.gold), ("system: ", entry.form)]


class AnalyzeForms(Inquiry):
    """Sizes, types, predicates and roles of the forms in files."""

    dialect: Annotated[AnyDialect, DIALECT_HELP] = "cogs"
    top: Annotated[int, Range(1), "how many of the most frequent are shown"] = 10

    def answer(self, job: Job) -> Answer:
        notation = notation_of(self.dialect)
        seen = _FormStatistics()
        for entry in job.values():
            for _, text in _texts(entry):
                parsed = notation.parse(text)
                if isinstance(parsed, Flaw):
                    job.report.broken(parsed.error(Place(entry.file, entry.line)))
                else:
                    seen.add(text, parsed)
        if not seen.types:
            raise job.nothing("forms")
        return Answer(seen.text(self.top), seen.document(self.top))


class _FormStatistics:
    """Counts over forms."""

    def __init__(self) -> None:
        self.types: Counter[str] = Counter()
        self.words: Counter[str] = Counter()
        self.roles: Counter[str] = Counter()
        self.sizes: dict[str, list[int]] = {"tokens": [], "terms": [], "constants": []}

    def add(self, text: str, parsed: Form | Tree) -> None:
        self.sizes["tokens"].append(len(text.split()))
        form = parsed.form if isinstance(parsed, Tree) else parsed
        if form is None:
            assert isinstance(parsed, Tree)
            self.types["tree"] += 1
            self.words.update(parsed.labels)
            self.roles.update(role for role in parsed.roles if role)
            self.sizes["terms"].append(len(parsed.labels))
            return
        self.types[form.type] += 1
        self.sizes["terms"].append(len(form.terms))
        self.sizes["constants"].append(len(form.constants()))
        for term in form.terms:
            word, *role = term.parts
            self.words[word] += 1
            if role:
                self.roles[" . ".join(role)] += 1

    def document(self, top: int) -> dict[str, Any]:
        return {
            "forms": sum(self.types.values()),
            "types": dict(self.types.most_common()),
            **{
                name: {"mean": sum(values) / len(values), "max": max(values)}
                for name, values in self.sizes.items()
                if values
            },
            "words": dict(self.words.most_common(top)),
            "roles": dict(self.roles.most_common(top)),
        }

    def text(self, top: int) -> str:
        found = self.document(top)
        lines = [counted(found["forms"], "form")]
        for name, value in found.items():
            if name == "forms":
                continue
            if name in self.sizes:
                lines.append(f"{name}: {value['mean']:.2f} per form, at most {value['max']}")
            else:
                lines.append(frequencies(name, value))
        return "\n".join(lines)
