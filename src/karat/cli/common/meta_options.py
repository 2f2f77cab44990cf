"""Options and output that the commands of meta-evaluation share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any, TypeAlias

import click

from karat.cli.common.outputs import OutputOption
from karat.errors import OptionError
from karat.version import VERSION

Decorator: TypeAlias = Callable[[Any], Any]

LEVELS = ("summary", "system", "global", "by-system")
COEFFICIENTS = ("pearson", "spearman", "kendall", "kendall-c")
TEST_METHODS = ("permutation-both", "permutation-system", "permutation-input", "bootstrap-both", "bootstrap-system", "bootstrap-input", "williams")  # fmt: skip

BETWEEN_0_AND_1 = click.FloatRange(0, 1, min_open=True, max_open=True)

lower_is_better_option = click.option("--lower-is-better", multiple=True, metavar="NAME", help="a score that is better when lower; it is turned round first")  # fmt: skip
one_level_option = click.option("--level", type=click.Choice(LEVELS), default="system", show_default=True, help="what is correlated")  # fmt: skip
one_coefficient_option = click.option("--coefficient", type=click.Choice(COEFFICIENTS), default="kendall", show_default=True, help="how it is correlated")  # fmt: skip
test_option = click.option("--test", "method", type=click.Choice(TEST_METHODS), default="permutation-both", show_default=True, help="how p-values are made")  # fmt: skip
trials_option = click.option("--trials", type=click.IntRange(1), default=1000, show_default=True, help="how many resamples or permutations")  # fmt: skip
confidence_option = click.option("--confidence", type=BETWEEN_0_AND_1, default=0.95, show_default=True, help="level of the intervals")  # fmt: skip
who_option = click.option("--summarizer-type", "who", type=click.Choice(["peer", "reference", "all"]), default="peer", show_default=True, help="whose outputs count: systems, humans, or both")  # fmt: skip
seed_option = click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="for everything random")  # fmt: skip
json_option = click.option("--json", "json_path", cls=OutputOption, metavar="PATH", help="write the result as JSON (- is standard output)")  # fmt: skip
quiet_option = click.option("-q", "--quiet", is_flag=True, help="no warnings")
files_argument = click.argument("files", nargs=-1, required=True, metavar="FILE...")


def alpha_option(of: str) -> Decorator:
    """The level of significance, and what of."""
    return click.option("--alpha", type=BETWEEN_0_AND_1, default=0.05, show_default=True, help=f"level of {of}")  # fmt: skip


def metrics_option(help: str, required: bool = False) -> Decorator:
    """Names of scores, with * for anything."""
    return click.option("-m", "--metric", "metrics", multiple=True, required=required, metavar="NAME", help=f"{help}; repeat it; * stands for anything")  # fmt: skip


def together(*options: Decorator) -> Decorator:
    """Several options as one decorator, in this order in the help."""

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


shared_options = together(files_argument, who_option, seed_option, json_option, quiet_option)
"""Files of scores, whose scores count, randomness, output."""

level_options = together(
    click.option("--level", "levels", multiple=True, type=click.Choice(LEVELS), help="repeat it for several; by-system groups by system  [default: summary, system and global]"),
    click.option("--coefficient", "coefficients", multiple=True, type=click.Choice(COEFFICIENTS), help="repeat it for several  [default: pearson, spearman and kendall]"),
)  # fmt: skip
"""Levels and coefficients; what is left out means the usual three."""


def chosen(levels: tuple[str, ...], coefficients: tuple[str, ...]) -> dict[str, Any]:
    """The asked levels and coefficients as keyword arguments, in their usual order."""
    return {
        "levels": [level for level in LEVELS if level in (levels or LEVELS[:3])],
        "coefficients": [
            name for name in COEFFICIENTS if name in (coefficients or COEFFICIENTS[:3])
        ],
    }


def show(
    result: Mapping[str, Any], json_path: str | None, table: Callable[[ModuleType], Any]
) -> None:
    """The result as JSON, where that is asked for, and as a table, unless the JSON is printed.

    `table` is given the module of tables, which is loaded only if it is needed.
    """
    if json_path:
        from karat.cli.common.measuring import write_json

        write_json(json_path, {"karat": VERSION, **result})
    if json_path != "-":
        from karat.report import meta_tables, tables

        tables.console().print(table(meta_tables))


def pairs_asked(
    pairs: Iterable[tuple[str, str]], metrics: list[str], dependent: str | None
) -> list[tuple[str, str]]:
    """What is to be correlated with what."""
    result = list(pairs)
    if metrics and not dependent:
        raise OptionError("-m needs --dependent, the score to follow", code="K386")
    if dependent and not metrics:
        raise OptionError("--dependent needs metrics: give them with -m", code="K386")
    result += [(name, dependent) for name in metrics if dependent and name != dependent]
    if not result:
        raise OptionError(
            "there is nothing to correlate",
            code="K386",
            advice="give --metrics A B, or --dependent B and -m A for each metric",
        )
    return result
