"""``karat run``: evaluations that a file declares, and the file that declares a command."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from karat.cli.common.configuration import argument_words
from karat.cli.common.options import QUIET
from karat.cli.common.printing import warn
from karat.core.files import toml
from karat.core.files.opener import Source
from karat.errors import FormatError, OptionError, Place, did_you_mean
from karat.version import VERSION

VERBS = ("evaluate", "compare", "gate")
_TOP = ("karat", *VERBS)


@click.command(
    "run",
    params=[
        click.Argument(["file"], metavar="KARAT.toml", default="karat.toml", required=False),
        click.Option(["--check"], is_flag=True, help="only check the file: all names and values, but not the data"),
        QUIET,
    ],
)  # fmt: skip
@click.pass_context
def run(ctx: click.Context, file: str, check: bool, quiet: bool) -> int:
    """Make the evaluations that a file declares.

    The file is TOML with a table [[evaluate]], [[compare]] or [[gate]] for each command; their
    keys are the options of the command, and files are meant from the folder of the file. What
    --write-config writes is such a file. All tables are checked before anything is measured;
    the exit code is the first that is not 0.
    """
    document = _document(file)
    made = document.pop("karat", VERSION)
    if made != VERSION:
        warn([f"{file} was made with karat {made}, this is {VERSION}: figures may differ"], quiet)
    status = 0
    with _in_folder(file):
        contexts = [
            _prepared(ctx, verb, table, f"{verb} {number}")
            for verb, tables in document.items()
            for number, table in enumerate(tables, 1)
        ]
        for command, context in () if check else contexts:
            with context:
                result = command.invoke(context)
            status = status or (result if isinstance(result, int) else 0)
    return status


def _document(file: str) -> dict[str, Any]:
    source = Source(file)
    try:
        document = toml.loads(source.content())
    except (ValueError, RecursionError) as error:
        raise FormatError(
            f"this is not TOML: {error}", code="K147", place=Place(source.name)
        ) from None
    for name, value in document.items():
        if name not in _TOP:
            raise OptionError(
                f"{source.name}: there is no table {name!r}{did_you_mean(name, _TOP)}",
                code="K374",
                advice="tables: " + ", ".join(VERBS),
            )
        if name == "karat":
            if not isinstance(value, str):
                raise OptionError(f"{source.name}: 'karat' is a version, as a text", code="K374")
            continue
        tables = value if isinstance(value, list) else [value]
        if not all(isinstance(each, dict) for each in tables):
            raise OptionError(f"{source.name}: {name!r} is a table, or several", code="K374")
        document[name] = tables
    if not document.keys() & set(VERBS):
        raise OptionError(
            f"{source.name} declares nothing", code="K374", advice="tables: " + ", ".join(VERBS)
        )
    return document


def _prepared(
    ctx: click.Context, verb: str, table: Mapping[str, Any], where: str
) -> tuple[click.Command, click.Context]:
    """The command of a table, with its options parsed."""
    from karat.cli import cli

    group = cli.get_command(ctx, verb)
    assert isinstance(group, click.Group)
    settings = dict(table)
    metric, runs = settings.pop("metric", None), settings.pop("runs", None)
    if (metric is None) == (runs is None) or (runs is not None and verb == "evaluate"):
        raise OptionError(
            f"{where}: a table has a 'metric'" + ("" if verb == "evaluate" else ", or 'runs'"),
            code="K374",
        )
    if not isinstance(metric if runs is None else runs, str if runs is None else list):
        raise OptionError(f"{where}: 'metric' is a text, 'runs' a list of files", code="K374")
    first, *rest = [metric] if runs is None else [str(each) for each in runs]
    outer = click.Context(group, info_name=verb, parent=ctx.parent)
    command = group.get_command(outer, first)
    assert command is not None
    words = argument_words(command, settings, where)
    return command, command.make_context(first, [*rest, *words], parent=outer)


@contextmanager
def _in_folder(file: str) -> Iterator[None]:
    """Files are meant from the folder of the file that names them."""
    before, folder = Path.cwd(), Path(file).parent
    os.chdir(folder if file != "-" else before)
    try:
        yield
    finally:
        os.chdir(before)
