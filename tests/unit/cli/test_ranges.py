"""Numbers on the command line lie in their ranges."""

from __future__ import annotations

from collections.abc import Iterator

import click

from karat.cli import cli
from karat.cli.common.options import NumberRange


def options(command: click.Command, context: click.Context) -> Iterator[click.Parameter]:
    """The options of a command, and of those below it that are no metrics."""
    yield from command.params
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            if (found := command.get_command(context, name)) is not None:
                yield from found.params


def test_every_range_of_numbers_refuses_nan() -> None:
    ranges = [
        each.type
        for each in options(cli, click.Context(cli))
        if isinstance(each.type, click.FloatRange)
    ]
    assert len(ranges) > 5
    assert all(isinstance(each, NumberRange) for each in ranges)


def test_help_says_nothing_of_ranges_that_there_are_not() -> None:
    context = click.Context(cli)
    helps = [each.get_help_record(context) for each in options(cli, context)]
    assert len(helps) > 100
    assert not [help for help in helps if help and "None]" in help[1]]
