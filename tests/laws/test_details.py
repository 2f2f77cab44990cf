"""An option that is a detail of another one is refused where it would have no effect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import click
import pytest

from karat.cli import cli
from karat.cli.common.metric_command import MetricCommand
from karat.cli.common.options import DependentOption, OutputOption
from karat.core.options import Option, declared
from karat.core.plugins import METRICS, own_rows
from karat.core.registry import metric_class
from karat.errors import OptionError

DECLARED = [
    pytest.param(row.name, option, id=f"{row.name}-{option.name}")
    for row in own_rows(METRICS)
    for option in declared(metric_class(row.name)).values()
]
DETAILS = [each for each in DECLARED if each.values[1].only]  # type: ignore[union-attr]


def another_value(option: Option) -> Any:
    """A value of an option that is not its default."""
    if option.choices:
        return next(each for each in option.choices if each != option.default)
    if option.scalar is bool:
        return not option.default
    if option.scalar is str:
        return ("a.txt",) if option.is_list else "a.txt"
    assert option.range
    return next(n for n in (option.range.low, option.range.low + 1) if n != option.default)


@pytest.mark.parametrize(("name", "option"), DECLARED)
def test_what_help_ties_to_another_option_is_declared_so(name: str, option: Option) -> None:
    tied = re.match(r"with (\w+)(=[\w-]+)?: ", option.help)
    checked_by_hand = {"threshold"}  # settings of paths may ask for fuzzy strings, too
    if tied and option.name not in checked_by_hand:
        assert option.only
        assert option.only.option == tied[1]


@pytest.mark.parametrize(("name", "option"), DETAILS)
def test_details_need_what_they_belong_to(name: str, option: Option) -> None:
    cls, only = metric_class(name), option.only
    assert only
    detail = {option.name: another_value(option)}
    with pytest.raises(OptionError, match=f"K390: option '{option.name}' .* has no effect without"):
        cls(**detail)
    (value,) = only.values[:1] or (another_value(declared(cls)[only.option]),)
    if isinstance(only.values, str):
        value = only.values
    assert cls(**detail, **{only.option: value}).options[option.name] == detail[option.name]
    assert cls(**{option.name: option.default}) == cls()  # which changes nothing


def commands() -> Iterator[tuple[str, list[click.Parameter]]]:
    ctx = click.Context(cli)
    for name in cli.list_commands(ctx):
        command = cli.get_command(ctx, name)
        assert command is not None
        if isinstance(command, MetricCommand):
            yield name, list(command.shared)
        elif not isinstance(command, click.Group):
            yield name, command.params


@pytest.mark.parametrize(
    ("name", "option", "outputs"),
    [
        pytest.param(name, option, outputs, id=f"{name}-{option.name}")
        for name, options in commands()
        for outputs in [{each.opts[-1]: each for each in options if isinstance(each, OutputOption)}]
        for option in options
        if isinstance(option, click.Option) and not isinstance(option, OutputOption)
    ],
)
def test_flags_that_shape_an_output_need_it(
    name: str, option: click.Option, outputs: dict[str, OutputOption]
) -> None:
    """A flag whose help names files to write has no effect without one of them."""
    named = {flag for flag in outputs if re.search(rf"{flag}(?![\w-])", option.help or "")}
    if named:
        assert isinstance(option, DependentOption)
        assert named <= {each.opts[-1] for each in outputs.values() if each.name in option.needs}
