"""Commands that do the same with files of every kind: convert, draw, analyze, validate, inspect.

Commands of plug-ins are made in the same way.
"""

from __future__ import annotations

import inspect as inspect_module
import io
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from karat.cli.common.flags import (
    SectionedCommand,
    Sections,
    flags,
    format_flags,
    given,
    reading_options,
)
from karat.cli.common.options import FAIL_OR_SKIP, PRINT_JSON, QUIET, WRITE
from karat.cli.common.printing import flag_name, warn
from karat.core import plugins, registry
from karat.core.commands import Conversion, Inquiry, Job, Verb, command_class, kinds_of, verb_class
from karat.core.files.opener import Source
from karat.core.files.writing import indented_json, whole_file
from karat.core.format import Format
from karat.core.options import Option, declared
from karat.core.pairing.pairs import Report
from karat.core.reading.selection import Selection
from karat.core.reading.streams import Stream
from karat.errors import FormatError, OptionError, Place, did_you_mean

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


Run = Callable[..., int | None]


def file_command(
    verb: str,
    help: str,
    run: Run,
    *,
    options: Sequence[click.Option] = (),
    gold: bool = False,
    writes: bool = False,
) -> click.Command:
    """``karat VERB INPUT…`` with the flags of the families that know the verb.

    `run` is called with the family's verb, the job, and the values of `options`.
    """
    kinds = kinds_of(verb)
    rows = [row for row in plugins.own_rows(plugins.FORMATS) if row.kind in kinds]
    shared: list[click.Option] = [
        *options,
        click.Option(["--from", "from_format"], metavar="NAME", help="format of the input (guessed if not given)"),
        FAIL_OR_SKIP,
        QUIET,
    ]  # fmt: skip
    if gold:
        shared.append(click.Option(["-g", "--gold"], multiple=True, metavar="FILE", help="gold to compare the input with"))  # fmt: skip
        shared.append(click.Option(["-s", "--system"], multiple=True, metavar="FILE", help="the input, named as for karat evaluate"))  # fmt: skip
    if writes:
        shared.append(click.Option(["--to", "to_format"], metavar="NAME", help="format of the output (from the file name if not given)"))  # fmt: skip
    taken = {str(option.name) for option in shared} | {"inputs"}

    def rare() -> Sections:
        own = flags([declared(verb_class(verb, kind)) for kind in kinds], taken)
        writing = {row.name: _written(row.name) for row in rows if row.writes and writes}
        which = flags([declared(Selection)], taken)
        readers, writers = format_flags(reading_options(kinds), taken), format_flags(writing, taken)
        return [
            ("What to do", own), ("Which items", which), ("Reading", readers), ("Writing", writers)
        ]  # fmt: skip

    def callback(inputs: tuple[str, ...], **values: Any) -> int | None:
        inputs += values.pop("system", ())
        if not inputs:
            raise click.UsageError("no input is given: name at least one file")
        job, action = _job(verb, kinds, inputs, values)
        chosen = {str(option.name): values[str(option.name)] for option in options}
        result = run(action, job, **chosen)
        warn(job.warnings(), values["quiet"])
        return result

    return SectionedCommand(
        verb,
        callback=callback,
        help=help,
        params=[click.Argument(["inputs"], nargs=-1, required=not gold, metavar="INPUT...")],
        sections=[("Options", shared)],
        rare=rare,
    )


def _written(name: str) -> dict[str, Option]:
    cls = registry.format_class(name)
    return {k: v for k, v in declared(cls).items() if k in cls.writing}


def _job(
    verb: str, kinds: Sequence[str], inputs: Sequence[str], values: Mapping[str, Any]
) -> tuple[Job, Verb]:
    if "to_format" in values and (values.get("output") or "-") == "-" and len(inputs) > 1:
        _refuse_output(inputs[-1])
    readers = [_reader(path, kinds, values) for path in inputs]
    kind = readers[0].kind
    if any(reader.kind != kind for reader in readers):
        found = [f"{path} ({cls.kind})" for path, cls in zip(inputs, readers, strict=True)]
        raise OptionError(
            f"the inputs are of different kinds: {', '.join(found[:5])}",
            code="K342",
            advice="give files of one kind, or name their format with --from",
        )
    golds = values.get("gold") or ()
    used: set[str] = set()
    action = verb_class(verb, kind)
    of_verb = declared(action).keys()

    def stream(path: str, cls: type[Format], role: str) -> Stream:
        known = declared(cls)
        # An option that the verb has under the same name is the verb's, but whose ways are
        # wanted (compat) both are told.
        options = {
            name: value
            for name, value in given(values, known).items()
            if name not in cls.writing and (name not in of_verb or value in known[name].choices)
        }
        options |= given(values, declared(Selection))
        used.update(options)
        return Stream(path, [kind], role, cls.name, options)

    job = Job(
        [stream(path, cls, "input") for path, cls in zip(inputs, readers, strict=True)],
        golds=[stream(path, _reader(path, kinds, values), "gold") for path in golds],
        writer=_writer(values, kind, used),
        report=Report(values["on_error"]),
    )
    own = given(values, declared(action))
    _refuse_unused(values, used | set(own), readers)
    return job, action(**own)


def _refuse_output(path: str) -> None:
    """Raises where the last input seems to be meant as the output."""
    if not set("*?[@:").isdisjoint(path) or path == "-":
        return
    if os.path.exists(path):  # noqa: PTH110 - pathlib takes its time to load
        return
    raise FormatError(
        "there is no such file",
        code="K101",
        place=Place(path),
        advice=f"to write this file, name it with -o: -o {shlex.quote(path)}",
    )


def _reader(path: str, kinds: Sequence[str], values: Mapping[str, Any]) -> type[Format]:
    if values["from_format"]:
        return registry.check_kind(registry.format_class(values["from_format"]), kinds)
    return registry.guess_kind(kinds, Source(path))


def _writer(values: Mapping[str, Any], kind: str, used: set[str]) -> Format | None:
    if "to_format" not in values:
        return None
    output = values.get("output") or "-"
    name = values["to_format"] or registry.format_named_by(output, "to", kind)
    cls = registry.writer_class(name)
    if cls.kind != kind:
        raise OptionError(
            f"the format {name!r} holds items of the kind {cls.kind}, the input is of {kind}",
            code="K319",
            advice=f"it can be written as {', '.join(row.name for row in registry.writable(kind))}; --from names its own format",
        )
    options = {k: v for k, v in given(values, declared(cls)).items() if k in cls.writing}
    used.update(options)
    return cls(**options)


def _refuse_unused(
    values: Mapping[str, Any], used: set[str], readers: Sequence[type[Format]]
) -> None:
    """An option that nothing here understands is a mistake, not a no-op."""
    general = {"from_format", "to_format", "on_error", "quiet", "gold", "output", "as_json"}
    for name, value in values.items():
        if value is None or value == () or name in used or name in general:
            continue
        known = sorted(used | {key for cls in readers for key in declared(cls)})
        raise OptionError(
            f"{flag_name(name)} does not apply here: the format "
            f"{readers[0].name} has no such option{did_you_mean(name, known)}",
            code="K301",
        )


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
