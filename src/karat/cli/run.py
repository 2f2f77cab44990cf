"""``karat run``: evaluations that a file declares, and the file that declares a command."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from karat.cli.common.flags import SectionedCommand
from karat.cli.common.options import NO_FILES, QUIET, WRITE_CONFIG, OutputOption
from karat.cli.common.printing import warn
from karat.core.files.notations import read_toml, toml_table
from karat.core.files.opener import Source, is_url
from karat.core.files.shards import paths_of
from karat.core.files.writing import whole_file
from karat.errors import FormatError, KaratError, OptionError, Place, did_you_mean
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
    keys are the options of the command, and paths are relative to the folder of the file.
    --write-config writes such a file. All tables are checked before anything is measured;
    the exit code is the first that is not 0.
    """
    document = _document(file)
    made = document.pop("karat", VERSION)
    if made != VERSION:
        warn([f"{file} was made with karat {made}, this is {VERSION}: figures may differ"], quiet)
    status = 0
    with _in_folder(file):
        contexts = [
            _prepared(ctx, verb, table, f"{Source(file).name}: {verb} {number}")
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
        content = source.content()
    except FormatError as error:
        error.advice = error.advice or "--write-config PATH.toml writes such a file"
        raise
    try:
        document = read_toml(content)
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
    from karat.cli import cli, wrong_use

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
    try:
        command = group.get_command(outer, first)
        assert command is not None
        words = argument_words(command, settings)
        context = command.make_context(first, [*rest, *words], parent=outer)
        if isinstance(command, SectionedCommand):
            command.check(context.params)
    except (KaratError, click.ClickException) as error:
        problem = error if isinstance(error, KaratError) else wrong_use(error)
        problem.message = f"{where}: {problem.message}"
        raise problem from None
    return command, context


@contextmanager
def _in_folder(file: str) -> Iterator[None]:
    """Changes to the folder of the file, to which its paths are relative."""
    before, folder = Path.cwd(), Path(file).parent
    os.chdir(folder if file != "-" else before)
    try:
        yield
    finally:
        os.chdir(before)


# -- options of a command as settings of a file, and settings as options -----------------------------


def key_of(option: click.Option) -> str:
    """The name of an option in files: its longest flag, without dashes at its front.

    >>> key_of(click.Option(["-g", "--gold"]))
    'gold'
    """
    return max(option.opts, key=len).lstrip("-")


def argument_words(command: click.Command, settings: Mapping[str, Any]) -> list[str]:
    """Settings as the words of a command line; an unknown one is named with what may be meant."""
    options = _options(command)
    if not settings.keys() <= options.keys() and hasattr(command, "complete"):
        command.complete()
        options = _options(command)
    words: list[str] = []
    for key, value in settings.items():
        option = options.get(key.replace("_", "-"))
        if option is None or option.name == WRITE_CONFIG.name:
            raise OptionError(
                f"there is no option {key!r}{did_you_mean(key, options)}",
                code="K374",
            )
        words += _words(option, key, value)
    return words


def _options(command: click.Command) -> dict[str, click.Option]:
    return {
        flag.lstrip("-"): option
        for option in command.params
        if isinstance(option, click.Option)
        for flag in option.opts
        if flag.startswith("--")
    }


def _words(option: click.Option, key: str, value: Any) -> list[str]:
    flag = max(option.opts, key=len)
    if option.is_flag:
        if not isinstance(value, bool):
            raise OptionError(f"{key!r} must be true or false, got {value!r}", code="K374")
        if value:
            return [flag]
        return [max(option.secondary_opts, key=len)] if option.secondary_opts else []
    values = value if isinstance(value, list) else [value]
    if len(values) != 1 and not option.multiple:
        raise OptionError(f"{key!r} has one value, got {len(values)}", code="K374")
    for each in values:
        if isinstance(each, bool) or not isinstance(each, (str, int, float)):
            raise OptionError(f"{key!r} must be a text or a number, got {each!r}", code="K374")
    return [f"{flag}={each}" for each in values]


def write_config(path: str, verb: str, of: Mapping[str, Any], ctx: click.Context) -> None:
    """Writes the file that declares the command which is being run.

    `of` is what it is about: a metric, or saved runs.
    """
    settings: dict[str, Any] = dict(of)
    if "runs" in of:
        settings["runs"] = [_relative(path, each) for each in of["runs"]]
    for option in ctx.command.params:
        name = str(option.name)
        given = ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if isinstance(option, click.Option) and given and name != WRITE_CONFIG.name:
            value = ctx.params[name]
            values = [_from(path, option, each) for each in _each(value)]
            settings[key_of(option)] = values if isinstance(value, tuple) else values[0]
    text = f'# karat run {Path(path).name}\nkarat = "{VERSION}"\n\n{toml_table(verb, settings)}'
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        raise OptionError(
            "the command cannot be declared in a file: the name of a file is not UTF-8: "
            f"{text[error.start - 8 : error.end + 8]!r}",
            code="K374",
        ) from None
    with whole_file(path) as stream:
        stream.write(content)


def _each(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple) else [value]


def _from(path: str, option: click.Option, value: Any) -> Any:
    """The value of an option as it is written; of a file, as seen from the folder of `path`."""
    if hasattr(option.type, "written"):
        return option.type.written(value)
    if not isinstance(value, str) or value == "-" or path == "-":
        return value
    if isinstance(option.type, click.Choice) or option.metavar in NO_FILES or is_url(value):
        return value
    if option.metavar == "FILE" and paths_of(value) != [value]:  # a pattern, or a list in a file
        mark = "@" if value.startswith("@") else ""
        return mark + _relative(path, value.removeprefix("@"))
    is_file = isinstance(option, OutputOption) or Path(value).exists()
    return _relative(path, value) if is_file else value


def _relative(path: str, file: str) -> str:
    """A file as seen from the folder of `path`."""
    if Path(file).is_absolute() or path == "-":
        return file
    return os.path.relpath(file, Path(path).parent).replace(os.sep, "/")
