"""``karat validate`` and ``karat analyze`` for logical forms."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from karat.core.commands import Answer, Inquiry, Job
from karat.core.options import Range
from karat.errors import Place
from karat.logic.metrics.base import AnyDialect, Grammar, notation_of
from karat.logic.metrics.cogs import DIALECT_HELP, GRAMMAR_HELP
from karat.logic.model import Entry, Flaw, Form
from karat.logic.varfree import Tree


class ValidateForms(Inquiry):
    """Is every form well-formed? One line for each that is not."""

    name = "validate"

    dialect: Annotated[AnyDialect, DIALECT_HELP] = "cogs"
    grammar: Annotated[Grammar, GRAMMAR_HELP] = "tolerant"
    strict: Annotated[bool, "the same as the grammar strict"] = False

    def answer(self, job: Job) -> Answer:
        notation = notation_of(self.dialect, "strict" if self.strict else self.grammar)
        checked = 0
        problems: list[dict[str, Any]] = []
        lines: list[str] = []
        for stream, item in job.items():
            found: list[tuple[str, int | None]] = []
            if item.error is not None:
                found.append((item.error.message, None))
            else:
                for what, text in _texts(item.value):
                    checked += 1
                    parsed = notation.parse(text)
                    if isinstance(parsed, Flaw):
                        found.append((f"{what}{parsed}", parsed.offset))
            for message, offset in found:
                place = Place(stream.source.name, item.line)
                lines.append(f"{place}: {message}")
                problems.append(
                    {
                        "file": place.file,
                        "line": item.line,
                        "offset": offset,
                        "message": message,
                    }
                )
        verdict = f"{_count(checked, 'form')}, {_count(len(problems), 'problem')}"
        document = {"forms": checked, "problems": problems}
        return Answer("\n".join([*lines, verdict]), document, failed=bool(problems))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


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
        seen = _Seen()
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


class _Seen:
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
        lines = [_count(found["forms"], "form")]
        for name, value in found.items():
            if name == "forms":
                continue
            if name in self.sizes:
                lines.append(f"{name}: {value['mean']:.2f} per form, at most {value['max']}")
            else:
                shown = ", ".join(f"{key} {count:,}" for key, count in value.items())
                lines.append(f"{name}: {shown or 'none'}")
        return "\n".join(lines)
