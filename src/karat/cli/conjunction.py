"""``karat conjunction``: in how many of several tests is there an effect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from karat.cli.common.meta_options import alpha_option, json_option, quiet_option, show, warn


@click.command("conjunction")
@click.argument("files", nargs=-1, required=True, metavar="TEST.json...")
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="NAME",
    help="a name for each file, in order  [default: the file names]",
)
@click.option(
    "--method",
    type=click.Choice(["bonferroni", "holm", "benjamini-hochberg", "fisher"]),
    default="bonferroni",
    show_default=True,
    help="fisher is for tests on independent data",
)
@alpha_option("significance")
@json_option
@quiet_option
def conjunction(
    files: tuple[str, ...],
    names: tuple[str, ...],
    method: Any,
    alpha: float,
    json_path: str | None,
    quiet: bool,
) -> None:  # fmt: skip
    """Count in how many of several significance tests there is an effect.

    TEST.json are the results of karat significance, one for each data set or
    each rival metric. k is how many of them have an effect, at the given level
    for all together (Dror et al. 2017).
    """
    from karat.meta.comparing import conjunction as run
    from karat.meta.correlating import read_tests

    tests = [read_tests(path) for path in files]
    labels = names or tuple(Path(path).name.removesuffix(".json") for path in files)
    result = run(tests, labels, alpha=alpha, method=method)
    if method == "fisher":
        warn(["fisher's count holds only if no two tests share data"], quiet)
    show(result, json_path, lambda tables: tables.conjunctions(result))
