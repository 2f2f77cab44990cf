"""``karat verify``: is a saved run what it claims to be."""

from __future__ import annotations

import click


@click.command("verify")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "-j", "--jobs", type=click.IntRange(1), default=1, help="how many threads or processes"
)
@click.option(
    "--allow-commands",
    is_flag=True,
    help="let the metric of a run use the program or the server that the run names",
)
def verify(runs: tuple[str, ...], jobs: int, allow_commands: bool) -> None:
    """Check saved runs: their checksum, their input files, and every row of counts.

    The rows are measured again from the input files, or checked by certificates;
    anything that does not follow from the files is an error.
    """
    from karat import engine

    for path in runs:
        checked = engine.verify(path, jobs=jobs, allow_commands=allow_commands)
        click.echo(
            f"{path}: verified: {checked.items} items, {checked.files} files, {checked.signature}"
        )
        if checked.skipped:
            click.echo(f"{path}: {checked.skipped} items were left out")
        for warning in checked.warnings:
            click.echo(f"{path}: {warning}")
