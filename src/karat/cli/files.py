"""Commands that do the same with files of every kind: convert, draw, analyze, validate, inspect.

Commands of plug-ins are made in the same way.
"""

from __future__ import annotations

import inspect as inspect_module
import io
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from karat.cli.common.file_command import file_command
from karat.cli.common.options import PRINT_JSON, WRITE
from karat.core.commands import Conversion, Inquiry, Job, command_class
from karat.core.files.writing import indented_json, whole_file
from karat.core.format import Format
from karat.core.pairing.pairs import Report
from karat.errors import FormatError, OptionError

if TYPE_CHECKING:
    from karat.drawing.page import Drawer, Drawing


def _convert(action: Conversion, job: Job, *, output: str) -> None:
    assert job.writer is not None
    values: Iterable[Any] = action.convert(job)
    if job.report.on_error == "skip":
        values = _holdable(values, job.writer, job.report)
    with whole_file(output) as stream:
        job.writer.write(values, stream)
    action.finish(job)


def _holdable(values: Iterable[Any], writer: Format, report: Report) -> Iterator[Any]:
    """The values that the format can hold; each is written to a buffer first to check that."""
    for value in values:
        try:
            writer.write([value], io.BytesIO())
        except FormatError as error:
            report.broken(error)
        else:
            yield value


def _draw(action: Drawer, job: Job, *, output: str) -> None:
    from pathlib import Path

    from karat.drawing.page import page

    target = Path(output)
    ending = target.suffix.lower()
    if ending in (".dot", ".gv"):
        with whole_file(output) as stream:
            stream.write("\n".join(action.dot(job)).encode())
        return
    if ending not in ("", ".svg", ".html", ".htm") and not output.endswith("/"):
        raise OptionError(
            f"cannot draw to {output!r}: expected .svg, .html, .dot or a folder",
            code="K343",
        )
    drawings = list(action.draw(job))
    if not drawings:
        raise OptionError("there is nothing to draw", code="K344", advice="\n".join(job.warnings()))
    if output != "-" and (target.is_dir() or output.endswith("/")):
        target.mkdir(parents=True, exist_ok=True)
        for name, drawing in _file_names(drawings):
            with whole_file(target / f"{name}.svg") as stream:
                stream.write(drawing.svg.encode())
        return
    one = len(drawings) == 1 and ending not in (".html", ".htm")
    if not one and ending == ".svg":
        raise OptionError(
            f"an SVG file holds one drawing, there are {len(drawings)}",
            code="K345",
            advice="choose one (--id, --i), or write a page (-o FILE.html) or a folder (-o FOLDER/)",
        )
    with whole_file(output) as stream:
        stream.write((drawings[0].svg if one else page(drawings)).encode())


def _file_names(drawings: Iterable[Drawing]) -> Iterator[tuple[str, Drawing]]:
    """A name for each drawing's file: its id, and a number where that comes again."""
    taken: set[str] = set()
    for drawing in drawings:
        base = name = re.sub(r"[^\w.-]", "_", drawing.id).lstrip(".") or "_"
        number = 1
        while name in taken:
            number += 1
            name = f"{base}-{number}"
        taken.add(name)
        yield name, drawing


def _ask(action: Inquiry, job: Job, *, as_json: bool) -> int:
    """Prints the answer: text for people, JSON for programs."""
    answer = action.answer(job)
    if as_json:
        click.echo(indented_json(answer.document), nl=False)
    elif answer.text:
        click.echo(answer.text)
    return 1 if answer.failed else 0


convert = file_command(
    "convert",
    "Convert files to another format.\n\n"
    "Formats are recognised by name and content; --from and --to name them. "
    "karat list formats shows them all.",
    _convert,
    options=[WRITE],
    writes=True,
)
draw = file_command(
    "draw",
    "Draw what is in files, as SVG.\n\n"
    "One drawing goes to an .svg file or standard output; many go to one .html page, or to "
    "a folder (a name that ends in /) with a file each. Graphs go to a .dot file for Graphviz, too.",
    _draw,
    options=[WRITE],
    gold=True,
)
analyze = file_command(
    "analyze",
    "Count what is in files: sizes, labels, and the shape of what they hold.",
    _ask,
    options=[PRINT_JSON],
)
validate = file_command(
    "validate",
    "Check files against the rules of their format and framework.\n\n"
    "Exits with 1 where there are errors.",
    _ask,
    options=[PRINT_JSON],
)
inspect = file_command(
    "inspect",
    "Check that files have all items of gold, before scoring them.\n\n"
    "Exits with 1 where something is missing.",
    _ask,
    options=[PRINT_JSON],
    gold=True,
)


def plug_in_command(name: str) -> click.Command:
    """The command of an installed package."""
    help = inspect_module.cleandoc(vars(command_class(name)).get("__doc__") or "")
    return file_command(name, help, _ask, options=[PRINT_JSON])
