"""No command writes to a file that it reads, or twice to one file, whatever the paths look like."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from karat.cli import COMMANDS, cli
from karat.cli.common.options import NO_FILES, OutputOption
from karat.errors import OptionError


def _commands() -> Iterator[tuple[str, click.Command]]:
    """Every command, by the words that call it; of those with a metric, one metric."""
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        yield from _leaves(name, command)


def _leaves(words: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield words, command
        return
    context = click.Context(command)
    names = command.list_commands(context)
    for name in ["mrp"] if "mrp" in names else names:
        inner = command.get_command(context, name)
        assert inner is not None
        yield from _leaves(f"{words} {name}", inner)
    if "mrp" not in names and command.params:
        yield words, command


LEAVES = dict(_commands())


def _is_file(param: click.Parameter) -> bool:
    if isinstance(param, click.Option) and (param.is_flag or param.count):
        return False
    names_none = param.metavar in NO_FILES  # but a field, a score or the like
    return isinstance(param.type, click.types.StringParamType) and not names_none


CASES = [
    (words, max(output.opts, key=len), other)
    for words, command in LEAVES.items()
    for output in command.params
    if isinstance(output, OutputOption)
    for other in command.params
    if other is not output and _is_file(other)
]


def test_commands_that_write_are_known() -> None:
    """Options that say that they write, or where to, are checked; a folder is no file."""
    for words, command in LEAVES.items():
        for param in command.params:
            told = (getattr(param, "help", None) or "").split(" ")[0]
            flag = isinstance(param, click.Option) and param.is_flag
            if (
                told in ("write", "draw", "where", "keep")
                and not flag
                and len(param.metavar or "") > 1
            ):
                is_folder = param.metavar in ("FOLDER", "DIR") or words.startswith("view ")
                assert isinstance(param, OutputOption) or is_folder, (words, param.name)
    assert {words.split(" ")[0] for words, *_ in CASES} >= {
        "evaluate", "compare", "explain", "convert", "draw", "score", "correlate", "significance",
        "compare-metrics", "correlation-table", "fit", "predict", "agreement", "report", "viewer",
        "ned",
    }  # fmt: skip


LINKS = ("same", "symbolic", "hard")


@pytest.mark.parametrize(
    ("words", "output", "other", "link"),
    [(*case, LINKS[i % 3]) for i, case in enumerate(CASES)],
    ids=[f"{words} {output} {other.name}" for words, output, other in CASES],
)
def test_an_output_over_an_input_or_another_output_is_refused(
    words: str, output: str, other: click.Parameter, link: str, tmp_path: Path
) -> None:
    path = tmp_path / "data.txt"
    path.write_text("precious\n")
    alias = tmp_path / "other.txt"
    if link == "symbolic":
        alias.symlink_to(path)
    elif link == "hard":
        os.link(path, alias)
    else:
        alias = tmp_path / "." / "data.txt"
    flag = [] if isinstance(other, click.Argument) else [other.opts[0]]
    named = [*flag, *[str(path)] * max(1, other.nargs)]
    run = CliRunner().invoke(cli, [*words.split(" "), output, str(alias), *named])
    assert isinstance(run.exception, OptionError), run.output
    assert run.exception.code == "K305"
    assert path.read_text() == "precious\n"


def _refused(*arguments: str | Path) -> None:
    run = CliRunner().invoke(cli, list(map(str, arguments)))
    assert isinstance(run.exception, OptionError), run.output
    assert run.exception.code == "K305", run.exception


def test_files_that_are_named_by_others_are_inputs_too(tmp_path: Path) -> None:
    """By a metric's own options, by a saved run, by a plan, by a folder."""
    gold, system = tmp_path / "gold.txt", tmp_path / "system.txt"
    gold.write_text("a b\n")
    system.write_text("a c\n")
    files = ["-g", gold, "-s", system]
    saved = tmp_path / "a.run"
    CliRunner().invoke(cli, list(map(str, ["evaluate", "exact", *files, "--save", saved])))
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("a 1\n")
    _refused("evaluate", f"s2match(vectors='{vectors}')", *files, "--json", vectors)
    _refused("compare", saved, saved, "--json", saved)
    _refused("report", saved, "-o", gold)
    plan = tmp_path / "plan.toml"
    plan.write_text(
        f'output = "{system}"\n[[runs]]\nmetrics = ["exact"]\nsystem = "{system}"\n'
        f'gold = "{gold}"\n'
    )
    _refused("score", "--config", plan)
    folder = tmp_path / "passages"
    folder.mkdir()
    (folder / "1.xml").write_text("<root/>")
    _refused("convert", folder, "--to", "mrp", "-o", folder / "1.xml")
    assert (gold.read_text(), system.read_text()) == ("a b\n", "a c\n")
    assert vectors.read_text() == "a 1\n"


def test_devices_and_new_files_are_no_inputs(tmp_path: Path) -> None:
    gold = tmp_path / "gold.txt"
    gold.write_text("a b\n")
    old = tmp_path / "old.json"
    old.write_text("{}")
    outputs = ["--json", str(old), "--tsv", os.devnull, "--markdown", os.devnull]
    run = CliRunner().invoke(cli, ["evaluate", "exact", "-g", str(gold), "-s", str(gold), *outputs])
    assert run.exit_code == 0, run.output
    assert "accuracy" in old.read_text()
