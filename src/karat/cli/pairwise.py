"""``karat pairwise``: judgements of pairs, and which metrics see pairs as people do."""

from __future__ import annotations

from typing import Any

import click

from karat.cli.running import write_json
from karat.version import VERSION


@click.command("pairwise")
@click.argument("judgements", nargs=-1, required=True, metavar="JUDGEMENTS...")
@click.option(
    "--scores",
    multiple=True,
    metavar="FILE",
    help="scores of outputs, as karat score writes them; repeat it",
)
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="a score to hold against the judgements; * stands for anything",
)
@click.option(
    "--lower-is-better", multiple=True, metavar="NAME", help="a score that is better when lower"
)
@click.option(
    "--prior",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    help="so many wins and losses of each system against a middling one",
)
@click.option(
    "--json", "json_path", metavar="PATH", help="write the result as JSON (- is standard output)"
)
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
    if json_path:
        write_json(json_path, {"karat": VERSION, **result.summary()})
    if json_path != "-":
        from karat.report import meta_tables, tables

        tables.console().print(meta_tables.preferences(result))
