"""Commands that do the same for files of every kind: flags from options, a job from files."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from karat.cli.common.flags import (
    SectionedCommand,
    Sections,
    flags,
    format_flags,
    given,
    reading_options,
)
from karat.cli.common.options import FAIL_OR_SKIP, QUIET
from karat.cli.common.printing import flag_name, warn
from karat.core import plugins, registry
from karat.core.commands import Job, Verb, kinds_of, verb_class
from karat.core.files.opener import Source
from karat.core.format import Format
from karat.core.options import Option, declared
from karat.core.pairing.pairs import Report
from karat.core.reading.selection import Selection
from karat.core.reading.streams import Stream
from karat.errors import FormatError, OptionError, Place, did_you_mean

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
