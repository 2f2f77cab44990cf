"""Messages name options as Python writes them; only the command line knows flags."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import karat
from karat.cli import cli
from karat.cli.common.metric_command import MetricCommand, SectionedCommand
from karat.cli.common.printing import OPTION, flag_name, with_flags

SOURCE = Path(karat.__file__).parent
FLAG = re.compile(r"(?<![\w-])(--[a-z][\w-]*|-[a-z](?![\w-]).*?\s)")
OTHER_TOOLS = re.compile(
    r"iconv -f .*|hf download .* --local-dir|%%% bin/boxer --input .*|python -m"
)
"""Command lines of other programs."""


def literals(path: Path) -> Iterator[tuple[str, str]]:
    """The strings of a module and where they are, without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    alone = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in alone:
            yield f"{path.relative_to(SOURCE)}:{node.lineno}", node.value


LITERALS = [
    found
    for path in sorted(SOURCE.rglob("*.py"))
    if path.relative_to(SOURCE).parts[0] != "cli"
    and "grids" not in (path.parent.name, path.stem)  # which name the commands of other tools
    for found in literals(path)
]


def commands(command: click.Command) -> Iterator[click.Command]:
    """A command and all below it, with the options of all metrics and formats."""
    context = click.Context(command)
    if isinstance(command, SectionedCommand):
        command.complete()
    yield command
    if isinstance(command, click.Group):
        names = command.list_commands(context)
        if isinstance(command, MetricCommand) and command.name != "evaluate":
            names = names[:1]  # all have the options of the same metrics
        for name in names:
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below)


@pytest.fixture(scope="module")
def flags() -> set[str]:
    from karat.cli.score import by_plan

    every = [*commands(cli), by_plan]
    return {
        flag
        for command in every
        for param in command.params
        for flag in (*param.opts, *param.secondary_opts)
    }


def test_no_message_outside_the_command_line_has_a_flag() -> None:
    found = [
        (place, match.group())
        for place, text in LITERALS
        for match in FLAG.finditer(OTHER_TOOLS.sub("", text))
    ]
    assert found == []


def test_every_option_that_a_message_names_is_a_flag(flags: set[str]) -> None:
    named = {
        with_flags(match.group()).split()[0]: place
        for place, text in LITERALS
        for match in OPTION.finditer(text)
    }
    assert len(named) > 30
    assert {flag: place for flag, place in named.items() if flag not in flags} == {}


def test_options_that_are_named_as_they_come_are_flags(flags: set[str]) -> None:
    """Those that are put into a message by a variable."""
    names = ("format", "gold_format", "from", "text_field", "gold_field", "by")
    assert {flag_name(name) for name in names} <= flags
