"""``karat pairwise``: judgements of pairs, and which metrics see pairs as people do."""

from __future__ import annotations

from typing import Any

import click

from karat.cli.common.meta_options import json_option, lower_is_better_option, metrics_option, show


@click.command("pairwise")
@click.argument("judgements", nargs=-1, required=True, metavar="JUDGEMENTS...")
@click.option(
    "--scores",
    multiple=True,
    metavar="FILE",
    help="scores of outputs, as karat score writes them; repeat it",
)
@metrics_option("a score to hold against the judgements")
@lower_is_better_option
@click.option(
    "--prior",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    help="so many wins and losses of each system against a middling one",
)
@json_option
def pairwise(
    judgements: tuple[str, ...], scores: tuple[str, ...], metrics: tuple[str, ...],
    json_path: str | None, **options: Any,
) -> None:  # fmt: skip
    """Rank systems by judgements of pairs, and metrics by how they agree with them.

    JUDGEMENTS are tables (CSV or TSV) with instance_id, system_a, system_b and
    winner: a system, a, b, or tie. Strengths are those of Bradley and Terry.
    Accuracy is the share of judgements that a metric's scores agree with, ties
    included; calibrated, small differences of the metric count as ties.
    """
    from karat.meta.preferences import compare_preferences, read_preferences
    from karat.meta.table import ScoreTable

    table = ScoreTable.read(scores) if scores else None
    names = table.expand(metrics) if table else list(metrics)
    result = compare_preferences(read_preferences(judgements), table, names, **options)
    show(result.summary(), json_path, lambda tables: tables.preferences(result))
