"""``karat list``: what there is."""

from __future__ import annotations

import click

from karat.cli.common.messages import warn
from karat.core import catalog
from karat.core.catalog import Row
from karat.core.files.writing import indented_json


def _rows(what: str) -> list[Row]:
    from importlib.metadata import entry_points

    built_in = {"metrics": catalog.METRICS, "formats": catalog.FORMATS}[what]
    if not entry_points(group=f"karat.{what}"):
        return list(built_in)
    from karat.core.registry import clashes, rows

    for clash in clashes(f"karat.{what}").values():
        warn([clash.headline])
    return list(rows(f"karat.{what}").values())


@click.command("list")
@click.argument("what", type=click.Choice(["metrics", "formats", "datasets"]))
@click.option("--json", "as_json", is_flag=True, help="print JSON")
def listing(what: str, as_json: bool) -> None:
    """Show the metrics, formats and data sets there are."""
    if what == "datasets":
        show_datasets(as_json)
        return
    found = _rows(what)
    if as_json:
        entries = [
            {
                "name": row.name,
                "kind": row.kind,
                "summary": row.summary,
                "package": row.package,
                **({"extra": row.extra or None} if what == "metrics" else {}),
                **(
                    {"reads": row.reads, "writes": row.writes, "suffixes": row.suffixes}
                    if what == "formats"
                    else {}
                ),
            }
            for row in found
        ]
        click.echo(indented_json(entries), nl=False)
        return
    wide = max(len(row.name) for row in found)
    for kind in dict.fromkeys(row.kind for row in found):
        click.echo(f"{kind}:")
        for row in (row for row in found if row.kind == kind):
            note = ""
            if what == "formats":
                note = {(True, True): "", (True, False): " (read only)"}.get(
                    (row.reads, row.writes), " (write only)"
                )
            elif row.extra:
                note = f" (needs karat[{row.extra}])"
            click.echo(f"  {row.name:<{wide}}  {row.summary}{note}")


def show_datasets(as_json: bool) -> None:
    """The data sets that karat setup dataset converts."""
    from dataclasses import asdict

    from karat.meta.datasets.catalog import DATASETS

    if as_json:
        entries = [
            {name: value for name, value in asdict(row).items() if name != "target"}
            for row in DATASETS
        ]
        click.echo(indented_json(entries), nl=False)
        return
    wide = max(len(row.name) for row in DATASETS)
    for row in DATASETS:
        click.echo(f"  {row.name:<{wide}}  {row.summary}")
        click.echo(f"  {'':<{wide}}  from {row.inputs}")
