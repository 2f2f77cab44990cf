"""Options and output that the commands of meta-evaluation share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

from karat.errors import OptionError

Command = TypeVar("Command", bound=Callable[..., Any])

LEVELS = ("summary", "system", "global", "by-system")
COEFFICIENTS = ("pearson", "spearman", "kendall", "kendall-c")


lower_is_better_option = click.option(
    "--lower-is-better",
    multiple=True,
    metavar="NAME",
    help="a score that is better when lower; it is turned round first",
)
one_level_option = click.option(
    "--level",
    type=click.Choice(LEVELS),
    default="system",
    show_default=True,
    help="what is correlated",
)
one_coefficient_option = click.option(
    "--coefficient",
    type=click.Choice(COEFFICIENTS),
    default="kendall",
    show_default=True,
    help="how it is correlated",
)
trials_option = click.option(
    "--trials",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="how many resamples or permutations",
)
alpha_option = click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="level of significance",
)
confidence_option = click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="level of the intervals",
)


def shared_options(command: Command) -> Command:
    """Files of scores, whose scores count, randomness, output."""
    for option in reversed(
        [
            click.argument("files", nargs=-1, required=True, metavar="FILE..."),
            click.option("--summarizer-type", "who", type=click.Choice(["peer", "reference", "all"]), default="peer", show_default=True, help="whose outputs count: systems, humans, or both"),
            click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="for everything random"),
            click.option("--json", "json_path", metavar="PATH", help="write the result as JSON (- is standard output)"),
            click.option("-q", "--quiet", is_flag=True, help="no warnings"),
        ]
    ):  # fmt: skip
        command = option(command)
    return command


def level_options(command: Command) -> Command:
    """Levels and coefficients; what is left out means the usual three."""
    for option in (
        click.option("--coefficient", "coefficients", multiple=True, type=click.Choice(COEFFICIENTS), help="repeat it for several  [default: pearson, spearman and kendall]"),
        click.option("--level", "levels", multiple=True, type=click.Choice(LEVELS), help="repeat it for several; by-system groups by system  [default: summary, system and global]"),
    ):  # fmt: skip
        command = option(command)
    return command


def chosen(levels: tuple[str, ...], coefficients: tuple[str, ...]) -> dict[str, Any]:
    """The asked levels and coefficients as keyword arguments, in their usual order."""
    return {
        "levels": [level for level in LEVELS if level in (levels or LEVELS[:3])],
        "coefficients": [
            name for name in COEFFICIENTS if name in (coefficients or COEFFICIENTS[:3])
        ],
    }


def warn(messages: Iterable[str], quiet: bool) -> None:
    """Warnings on standard error, each once."""
    if not quiet:
        for message in dict.fromkeys(messages):
            click.echo(f"warning: {message}", err=True)


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
