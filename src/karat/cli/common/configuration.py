"""Options of a command as settings of a file, and settings as options."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from karat.cli.common.options import WRITE_CONFIG, OutputOption
from karat.core.files import toml
from karat.core.files.writing import whole_file
from karat.errors import OptionError, did_you_mean
from karat.version import VERSION


def key_of(option: click.Option) -> str:
    """The name of an option in files: its longest flag, without dashes at its front.

    >>> key_of(click.Option(["-g", "--gold"]))
    'gold'
    """
    return max(option.opts, key=len).lstrip("-")


def argument_words(command: click.Command, settings: Mapping[str, Any], where: str) -> list[str]:
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
                f"{where}: there is no option {key!r}{did_you_mean(key, options)}",
                code="K374",
                advice=f"karat {where.partition(' ')[0]} METRIC --help shows what there is",
            )
        words += _words(option, key, value, where)
    return words


def _options(command: click.Command) -> dict[str, click.Option]:
    return {
        flag.lstrip("-"): option
        for option in command.params
        if isinstance(option, click.Option)
        for flag in option.opts
        if flag.startswith("--")
    }


def _words(option: click.Option, key: str, value: Any, where: str) -> list[str]:
    flag = max(option.opts, key=len)
    if option.is_flag:
        if not isinstance(value, bool):
            raise OptionError(f"{where}: {key!r} is true or false, got {value!r}", code="K374")
        if value:
            return [flag]
        return [max(option.secondary_opts, key=len)] if option.secondary_opts else []
    values = value if isinstance(value, list) else [value]
    if len(values) != 1 and not option.multiple:
        raise OptionError(f"{where}: {key!r} has one value, got {len(values)}", code="K374")
    for each in values:
        if isinstance(each, bool) or not isinstance(each, (str, int, float)):
            raise OptionError(f"{where}: {key!r} is a text or a number, got {each!r}", code="K374")
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
    text = f'# karat run {Path(path).name}\nkarat = "{VERSION}"\n\n{toml.dumps(verb, settings)}'
    with whole_file(path) as stream:
        stream.write(text.encode())


def _each(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple) else [value]


def _from(path: str, option: click.Option, value: Any) -> Any:
    """The value of an option; of one that names a file, as seen from the folder of `path`."""
    if not isinstance(value, str) or value == "-" or path == "-":
        return value
    is_file = isinstance(option, OutputOption) or Path(value).exists()
    if not is_file or isinstance(option.type, click.Choice):
        return value
    return _relative(path, value)


def _relative(path: str, file: str) -> str:
    """A file as seen from the folder of `path`."""
    if Path(file).is_absolute() or path == "-":
        return file
    return os.path.relpath(file, Path(path).parent).replace(os.sep, "/")
