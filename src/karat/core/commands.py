"""Base classes of commands on files other than scoring: convert, analyze, validate, …

A verb is the same command for every family. Which families know it is said in
`karat.core.catalog.VERBS`; what a family does is a class with its options as
fields, like a metric or a format, derived from one of the bases here
(or, where it draws, from `karat.drawing.page.Drawer`). A plug-in's command is an
`Inquiry` that says the `kind` of its files:

    class AnalyzeTrees(Inquiry):
        per_item: Annotated[bool, "also one row per tree"] = False

        def answer(self, job: Job) -> Answer:
            count = sum(1 for tree in job.values())
            return Answer(f"{count} trees", {"trees": count})

The command line makes the flags from the options of the class and of the
formats, builds the `Job`, and writes or prints what comes back.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from karat.core import catalog, registry
from karat.core.format import Format
from karat.core.options import Declared
from karat.core.pairing.pairs import Report
from karat.core.plugins import COMMANDS, find_row, load
from karat.core.reading.items import Item
from karat.core.reading.streams import Stream
from karat.errors import FormatError, OptionError, Place, counted


class Answer(msgspec.Struct):
    """The result of an inquiry: text for people, a document for programs, and whether it failed."""

    text: str
    document: Any
    failed: bool = False


def validation(
    job: Job, noun: str, checked: int, problems: Sequence[tuple[Place, dict[str, Any]]]
) -> Answer:
    """The answer of a validation: a line for each problem, then how many there are.

    A problem is its place, and what is said of it: a `message` and further fields. That a file
    has nothing in it is one, too.
    """
    empty = f"there are no {noun}s in it"
    problems = [*problems, *((Place(name), {"message": empty}) for name in job.empty)]
    lines = [f"{place}: {found['message']}" for place, found in problems]
    lines.append(f"{counted(checked, noun)}, {counted(len(problems), 'problem')}")
    if len(problems) >= checked > 1:
        lines.append(f"they are read as {noun}s, and hardly one is right: is it another format?")
    listed = [{"file": place.file, "line": place.line, **found} for place, found in problems]
    document = {f"{noun}s": checked, "problems": listed}
    return Answer("\n".join(lines), document, failed=bool(problems))


def frequencies(name: str, counts: Mapping[str, int]) -> str:
    """A line with the most frequent values of something."""
    shown = ", ".join(f"{value} {count:,}" for value, count in counts.items())
    return f"{name}: {shown or 'none'}"


class Job:
    """The files that a verb is asked about.

    `values` gives what was read; an item that cannot be read ends the job or is
    left out and counted, as the user chose. `items` gives all, errors included.
    """

    def __init__(
        self,
        inputs: Sequence[Stream],
        *,
        golds: Sequence[Stream] = (),
        writer: Format | None = None,
        report: Report | None = None,
    ) -> None:
        self.inputs = list(inputs)
        self.golds = list(golds)
        self.writer = writer
        self.report = report or Report()
        self.empty: list[str] = []
        """The input files in which no item was found."""

    def items(self) -> Iterator[tuple[Stream, Item]]:
        """All items of all input files, with the file they are from."""
        for stream in self.inputs:
            item = None
            for item in stream:
                yield stream, item
            if item is None:
                self.empty.append(stream.source.name)

    def values(self) -> Iterator[Any]:
        """The values of all input files."""
        return self._good(self.inputs)

    def nothing(self, noun: str) -> FormatError:
        """The error that the files are empty."""
        names = ", ".join(stream.source.name for stream in self.inputs)
        return FormatError(f"there are no {noun} in it", code="K106", place=Place(names))

    def gold_values(self) -> Iterator[Any]:
        """The values of all gold files."""
        return self._good(self.golds)

    def _good(self, streams: Iterable[Stream]) -> Iterator[Any]:
        for stream in streams:
            for item in stream:
                if item.error is not None:
                    self.report.broken(item.error)
                else:
                    yield item.value

    def warnings(self) -> list[str]:
        """Warnings of the report and of the readers."""
        return [
            *self.report.warnings,
            *(warning for stream in (*self.inputs, *self.golds) for warning in stream.warnings()),
            *(self.writer.warnings if self.writer else ()),
        ]


class Verb(Declared):
    """Base class of all verbs; options are checked as those of metrics and formats are."""


class Conversion(Verb, ABC):
    """Base class of conversions: values of the inputs, changed as the options say."""

    name = "convert"

    @abstractmethod
    def convert(self, job: Job) -> Iterable[Any]: ...

    def finish(self, job: Job) -> None:
        """Called when all values are written, to write further files."""


class Inquiry(Verb, ABC):
    """Base class of commands that answer a question about files, such as analyze and validate.

    The fields of a class are its flags, as those of metrics are. `kind` is that of the files:
    text, graph, tree, logic, record, span.
    """

    name = "analyze"
    kind: ClassVar[str] = ""

    @abstractmethod
    def answer(self, job: Job) -> Answer: ...


def command_class(name: str) -> type[Inquiry]:
    """The class of a plug-in's command with this name."""
    return registry.named_class(COMMANDS, name, Inquiry)  # type: ignore[no-any-return]


def verb_class(verb: str, kind: str) -> type[Verb]:
    """The class that does this verb for files of a kind."""
    for row in catalog.VERBS:
        if (row.verb, row.kind) == (verb, kind):
            return load(row)  # type: ignore[no-any-return]
    if find_row(COMMANDS, verb) and (cls := command_class(verb)).kind == kind:
        return cls
    raise OptionError(f"karat cannot {verb} files of the kind {kind}", code="K346")


def kinds_of(verb: str) -> list[str]:
    """The kinds of files that a verb is known for."""
    own = [row.kind for row in catalog.VERBS if row.verb == verb]
    return own or [command_class(verb).kind]
