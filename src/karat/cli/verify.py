"""``karat verify``: is a saved run what it claims to be."""

from __future__ import annotations

import click


@click.command("verify")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "-j", "--jobs", type=click.IntRange(1), default=1, help="how many threads or processes"
)
def verify(runs: tuple[str, ...], jobs: int) -> None:
    """Check saved runs: their checksum, their input files, and every row of counts.

    The rows are measured again from the input files; anything that does not
    follow from them is an error.
    """
    from karat import engine

    for path in runs:
        checked = engine.verify(path, jobs=jobs)
        click.echo(
            f"{path}: verified: {checked.items} items, {checked.files} files, {checked.signature}"
        )
