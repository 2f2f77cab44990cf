"""Messages name options as Python writes them; only the command line knows flags."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

import karat as package
from karat.cli import cli
from karat.cli.common.flags import SectionedCommand, flag, given, reading_options
from karat.cli.common.metric_command import MetricCommand
from karat.cli.common.printing import OPTION, flag_name, with_flags
from karat.core.capabilities import has
from karat.core.options import declared
from karat.core.pairing.sides import readable_kinds
from karat.core.plugins import FORMATS, METRICS, own_rows, rows
from karat.core.registry import format_class, metric_class
from karat.errors import KaratError

SOURCE = Path(package.__file__).parent
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
    and path.relative_to(SOURCE) != Path("tracing/reading.py")  # which writes command lines
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


def test_every_choice_can_be_given_as_a_flag() -> None:
    classes: list[type] = [metric_class(row.name) for row in own_rows(METRICS)]
    classes += [format_class(row.name) for row in own_rows(FORMATS)]
    for cls in classes:
        for option in declared(cls).values():
            command = click.Command("any", params=[flag(option)])
            for choice in option.choices or option.members:
                context = command.make_context("any", [flag_name(option.name), str(choice)])
                value = given(context.params, {option.name: option})[option.name]
                assert option.accepts(value), (cls, option.name)
                assert value == (choice if option.choices else (choice,))


def test_help_says_which_numbers_an_option_allows() -> None:
    """click writes x<=None of a range without ends."""
    for command in commands(cli):
        context = click.Context(command)
        for param in command.params:
            if isinstance(param, click.Option):
                text = " ".join(param.get_help_record(context) or ("",))
                assert "None" not in text, (command.name, param.name)
    weight = flag(declared(metric_class("smatch"))["instances_weight"])
    assert weight.help == "weight of an instance  [default: 1; 0<=x<=1000]"


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
        for match in re.finditer(OPTION, text)
    }
    assert len(named) > 30
    assert {flag: place for flag, place in named.items() if flag not in flags} == {}


def test_options_that_are_named_as_they_come_are_flags(flags: set[str]) -> None:
    """Those that are put into a message by a variable."""
    names = ("format", "gold_format", "from", "text_field", "gold_field", "by")
    assert {flag_name(name) for name in names} <= flags


def metric_commands() -> list[MetricCommand]:
    context = click.Context(cli)
    every = [cli.get_command(context, name) for name in cli.list_commands(context)]
    return [each for each in every if isinstance(each, MetricCommand)]


@pytest.mark.parametrize("command", metric_commands(), ids=lambda each: str(each.name))
def test_every_option_of_a_metric_has_a_flag_in_every_command(command: MetricCommand) -> None:
    """One that help shows, also where the command has a flag of the same name."""
    context = click.Context(command)
    taken = {option.name for option in command.shared}
    for name in command.list_commands(context):
        params = {
            each.name: each
            for each in command.get_command(context, name).params
            if isinstance(each, click.Option)
        }
        for option in declared(metric_class(name)):
            apart = params[f"{name}_{option}".replace("-", "_").replace("+", "p")]
            assert apart.hidden == (option not in taken)
            assert option in params
        opts = [flag for each in params.values() for flag in (*each.opts, *each.secondary_opts)]
        assert len(opts) == len(set(opts)), "a flag that means two things"


def test_an_option_named_with_its_metric_is_that_of_the_metric_alone(
    karat: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "a").write_text("One two. Three four.\n", encoding="utf-8")
    (tmp_path / "b").write_text("three four. one two.\n", encoding="utf-8")
    files = ("-s", "a", "-g", "b", "-b")

    def shown(*words: str) -> list[str]:
        done = karat("evaluate", *words, *files)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    both = shown("bleu(lowercase=True),chrf")
    assert shown("bleu,chrf", "--bleu-lowercase") == both != shown("bleu,chrf")
    done = karat("evaluate", "rouge", "--rouge-sentences", "full-stop", *files[:4], "--json", "-")
    assert json.loads(done.stdout)["signature"].startswith("rouge(sentences='full-stop')|")


@pytest.mark.parametrize("verb", ["repair", "audit", "explain"])
def test_help_lists_the_metrics_that_a_command_takes(verb: str) -> None:
    (command,) = [each for each in metric_commands() if each.name == verb]
    text = command.get_help(click.Context(command))
    listed = set(re.findall(r"^  ([a-z][\w+-]*)(?:  |$)", text, re.MULTILINE))
    assert command.capability is not None
    able = {row for row in rows(METRICS) if has(metric_class(row), command.capability)}
    assert listed & set(rows(METRICS)) == able


def _choices_that_a_format_has_too() -> list[tuple[str, str, str]]:
    """Metric, option and choice, where a format that the metric reads has an option so named."""
    found = []
    for name in rows(METRICS):
        cls = metric_class(name)
        of_formats = reading_options(set(readable_kinds(cls))).values()
        shared = {key for options in of_formats for key in options}
        for key, option in declared(cls).items():
            if key in shared:
                found += [(name, key, str(choice)) for choice in option.choices or ()]
    return found


@pytest.mark.parametrize(("metric", "option", "choice"), _choices_that_a_format_has_too())
def test_an_option_that_a_format_has_too_is_the_metrics(
    metric: str, option: str, choice: str
) -> None:
    """Also where the options of formats are looked at, as they are once one of them is given."""
    (evaluate,) = [each for each in metric_commands() if each.name == "evaluate"]
    command = evaluate.get_command(click.Context(evaluate), metric)
    assert isinstance(command, SectionedCommand)
    command.complete()
    arguments = [flag_name(option), choice, "-g", "none", "-s", "none"]
    with pytest.raises(KaratError, match="there is no such file"):
        command.main(arguments, standalone_mode=False)
