"""Options that name files to write: no file that is read, or written twice, is among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from karat.core import signature
from karat.core.files.writing import is_same_file, refuse_replacing
from karat.errors import KaratError, OptionError


class OutputOption(click.Option):
    """An option whose value is a file to write.

    Before anything is read, its value is held against those of all other options and arguments
    of the command: what is a file there is an input, unless it is another output.
    """

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        value, args = super().handle_parse_result(ctx, opts, args)
        if isinstance(value, str) and value and not ctx.resilient_parsing:
            self._check(value, ctx, opts)
        return value, args

    def _check(self, output: str, ctx: click.Context, opts: Mapping[str, Any]) -> None:
        inputs = {path: f"{name} is" for path, name in _of_metric(ctx.info_name or "")}
        for param in ctx.command.params:
            if param is self or isinstance(param.type, click.Choice):
                continue
            for path in _texts(opts.get(str(param.name))):
                if not isinstance(param, OutputOption):
                    inputs[path] = f"{shown(param)} is"
                elif path == output == "-" or is_same_file(output, path):
                    names = " and ".join(sorted((shown(self), shown(param))))
                    raise OptionError(
                        f"{names} would both be written to {output!r}",
                        code="K305",
                        advice="write to different files",
                    )
        refuse_replacing(output, shown(self), inputs)


def shown(param: click.Parameter) -> str:
    """An option by its long name, an argument by what the help calls it."""
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return str(param.metavar or param.name)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _texts(each)


def _of_metric(text: str) -> Iterator[tuple[str, str]]:
    """The files that the options of a metric may name, where it is written with them."""
    from karat.cli.common.metric_command import split_names

    for part in split_names(text) if "(" in text else ():
        try:
            name, options = signature.split(part)
        except KaratError:  # to be refused where the metric is made
            continue
        for option, value in options.items():
            yield from ((path, f"{option} of {name}") for path in _texts(value))
