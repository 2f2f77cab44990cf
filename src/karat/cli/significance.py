"""``karat significance``: does one metric follow judgements better than another."""

from __future__ import annotations

from typing import Any

import click

from karat.cli.common.messages import warn
from karat.cli.common.meta_options import (
    alpha_option,
    chosen,
    level_options,
    lower_is_better_option,
    shared_options,
    show,
    test_option,
    trials_option,
)


@click.command("significance")
@shared_options
@click.option("--dependent", required=True, metavar="NAME", help="the judgement to follow")
@click.option("--metrics", nargs=2, required=True, metavar="A B", help="is A better than B?")
@lower_is_better_option
@level_options
@test_option
@alpha_option("significance")
@click.option("--two-tailed", is_flag=True, help="test equality rather than whether A is better")
@trials_option
def significance(
    files: tuple[str, ...],
    metrics: tuple[str, str],
    dependent: str,
    levels: tuple[str, ...],
    coefficients: tuple[str, ...],
    json_path: str | None,
    quiet: bool,
    **options: Any,
) -> None:  # fmt: skip
    """Test whether metric A follows a judgement better than metric B.

    One-tailed by default: the null hypothesis is that A correlates no better
    than B. permutation-both exchanges single scores of the two metrics and is
    the most powerful test for systems; bootstrap tests resample systems, inputs
    or both; williams assumes normal, independent scores, which these are not.
    """
    from karat.meta.comparing import significance as run
    from karat.meta.table import ScoreTable

    table = ScoreTable.read(files)
    first, second = metrics
    result = run(table, dependent, first, second, **chosen(levels, coefficients), **options)
    warn([*table.warnings, *result.warnings], quiet)
    show(result.summary(), json_path, lambda tables: tables.significance(result))
