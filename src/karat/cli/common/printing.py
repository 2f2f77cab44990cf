"""Output of all commands: messages with options shown as flags, JSON, tables."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Any

import click

from karat.core.files.writing import indented_json, whole_file
from karat.errors import KaratError
from karat.version import VERSION

OPTION = r"``([a-z]\w*)(?:='([^'`]*)'|=(True|False))?``"
"""An option in a message, with its value or without."""
_PLAIN = r"[\w@%+=:,./-]+"
"""What a shell takes as it is."""


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
    return re.sub(OPTION, _as_flag, message) if "``" in message else message


def _as_flag(option: re.Match[str]) -> str:
    name, value, truth = option.groups()
    flag = flag_name(f"no_{name}" if truth == "False" else name)
    if value is None:
        return flag
    return f"{flag} {value}" if re.fullmatch(_PLAIN, value) else f"{flag} '{value}'"


def error_text(error: KaratError) -> str:
    """An error as the command line shows it."""
    lines = with_flags(error.headline), error.excerpt, with_flags(error.advice)
    return "\n".join(line for line in lines if line)


def warn(messages: Iterable[str], quiet: bool = False) -> None:
    """Warnings on standard error, each once."""
    if not quiet:
        for message in dict.fromkeys(messages):
            click.echo(f"warning: {with_flags(message)}", err=True)


def write_json(path: str, document: Any) -> None:
    with whole_file(path) as stream:
        stream.write(indented_json(document))


def one_or_all(documents: Sequence[Any]) -> Any:
    """What the JSON of several results is: one stands for itself, several are a list."""
    return documents[0] if len(documents) == 1 else documents


def print_lines(lines: Callable[[int | None], Iterable[str]]) -> None:
    """Prints lines that are made for the width of a terminal, or for none.

    A reader who stops early, such as head, is no error: the exit code still tells the outcome.
    """
    import shutil  # takes its time to load

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    with suppress(BrokenPipeError):
        click.echo(with_flags("\n".join(lines(width))))


def print_hanging(texts: Sequence[tuple[str, int]]) -> None:
    """Prints texts; those too long for a terminal go on below, indented as far as is said."""

    def lines(width: int | None) -> Iterator[str]:
        from textwrap import wrap  # takes its time to load

        for text, indent in texts:
            if width is None or len(text) <= width:
                yield text
            else:
                yield from wrap(
                    text, width, subsequent_indent=" " * indent,
                    break_long_words=False, break_on_hyphens=False,
                )  # fmt: skip

    print_lines(lines)


def show(
    documents: Sequence[Any],
    json_path: str | None,
    make: Callable[[ModuleType], Iterable[Any]],
    home: str = "tables",
) -> None:
    """Results as JSON, where that is asked for, and as tables, unless the JSON is printed.

    `make` gets the module of `karat.report` that `home` names, which is loaded only if needed.
    """
    if json_path:
        write_json(json_path, one_or_all(documents))
    if json_path != "-":
        from karat.report.layout import Console

        console = Console()
        for table in make(import_module(f"karat.report.{home}")):
            console.print(table)


def show_meta(
    results: Sequence[Mapping[str, Any]],
    json_path: str | None,
    make: Callable[[ModuleType], Iterable[Any]],
) -> None:
    """Results of meta-evaluation as JSON and as tables."""
    documents = [{"karat": VERSION, **each} for each in results]
    show(documents, json_path, make, "meta_tables")
