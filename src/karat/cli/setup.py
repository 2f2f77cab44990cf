"""``karat setup``: data sets from the files that you have."""

from __future__ import annotations

import click

from karat.cli.judging import warn
from karat.errors import OptionError


@click.group("setup")
def setup() -> None:
    """Prepare data sets from files that you have. Nothing is downloaded."""


@setup.command("dataset")
@click.argument("name", required=False)
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option("-o", "--output", metavar="FOLDER", help="where the files go")
@click.option("-q", "--quiet", is_flag=True, help="no warnings")
def dataset(name: str | None, files: tuple[str, ...], output: str | None, quiet: bool) -> None:
    """Convert a data set, from its files as published, to the files karat reads.

    Without a name, the data sets there are. Files may lie anywhere and may be
    compressed.
    """
    from karat.meta.datasets.catalog import dataset as find
    from karat.meta.datasets.writing import write

    if name is None:
        from karat.cli.listing import show_datasets

        show_datasets(as_json=False)
        return
    found = find(name)
    outcome = found.convert(files)
    if output is None:
        raise OptionError("where to? give a folder with -o", code="K367")
    for file, count in write(outcome, output).items():
        click.echo(f"{output}/{file}: {count} records")
    warn(outcome.warnings, quiet)
