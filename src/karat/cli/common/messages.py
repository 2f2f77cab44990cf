"""Errors and warnings on standard error, with the options in them shown as flags."""

from __future__ import annotations

import re
from collections.abc import Iterable

import click

from karat.errors import KaratError

OPTION = re.compile(r"``([a-z]\w*)(?:='([^'`]*)'|=(True|False))?``")
"""An option in a message, with its value or without."""


def flag_name(option: str) -> str:
    """The flag of an option.

    >>> flag_name("on_error")
    '--on-error'
    """
    return f"--{option.replace('_', '-')}"


def with_flags(message: str) -> str:
    """A message in which options are shown as flags.

    >>> with_flags("use ``on_error='skip'`` or ``no_text``; ``derp=True`` has no ``'x'``")
    "use --on-error skip or --no-text; --derp has no ``'x'``"
    """
    return OPTION.sub(_as_flag, message)


def _as_flag(option: re.Match[str]) -> str:
    name, value, truth = option.groups()
    flag = flag_name(f"no_{name}" if truth == "False" else name)
    if value is None:
        return flag
    return f"{flag} '{value}'" if set(value) & set(' "{}') else f"{flag} {value}"


def error_text(error: KaratError) -> str:
    """What the command line says of an error."""
    lines = with_flags(error.headline), error.excerpt, with_flags(error.advice)
    return "\n".join(line for line in lines if line)


def warn(messages: Iterable[str], quiet: bool = False) -> None:
    """Warnings on standard error, each once."""
    if not quiet:
        for message in dict.fromkeys(messages):
            click.echo(f"warning: {with_flags(message)}", err=True)
