"""``karat setup``: data sets and what metrics need, from the files that you have."""

from __future__ import annotations

from pathlib import Path

import click

from karat.cli.common.options import QUIET
from karat.cli.common.printing import warn, with_flags
from karat.core.files.writing import refuse_replacing
from karat.errors import OptionError, counted


@click.group("setup")
def setup() -> None:
    """Prepare data sets and metrics from files that you have. Nothing is downloaded."""


@setup.command(
    "dataset",
    short_help="Convert a published data set to files that karat reads.",
    params=[
        click.Argument(["name"], required=False),
        click.Argument(["files"], nargs=-1, metavar="FILE..."),
        click.Option(["-o", "--output"], metavar="FOLDER", help="where the files go"),
        click.Option(["--split-sentences/--no-split-sentences"], default=None, help="divide the lines of English summaries into sentences, where SacreROUGE did (DUC 2004, TAC 2009 to 2011, MultiLing 2013 to 2017)  [default: yes]"),
        QUIET,
    ],
)  # fmt: skip
def dataset(
    name: str | None,
    files: tuple[str, ...],
    output: str | None,
    split_sentences: bool | None,
    quiet: bool,
) -> None:
    """Convert a data set, from its files as published, to the files karat reads.

    Without a name, lists the data sets. Files may be anywhere and may be
    compressed.
    """
    from karat.meta.datasets.catalog import dataset as find
    from karat.meta.datasets.writing import ABOUT, write

    if name is None:
        from karat.cli.installed import show_datasets

        show_datasets(as_json=False)
        return
    found = find(name)
    outcome = found.convert(files, split_sentences)
    if output is None:
        raise OptionError("where to? give a folder with -o", code="K367")
    inputs = {path: "the data set has" for path in files if not Path(path).is_dir()}
    for file in (*outcome.files, ABOUT):
        refuse_replacing(str(Path(output) / file), "a file in --output,", inputs)
    signature = found.signature(split_sentences)
    for file, count in write(outcome, output, signature).items():
        click.echo(f"{output}/{file}: {counted(count, 'record')}")
    click.echo(f"{output}/{ABOUT}: {signature}")
    warn(outcome.warnings, quiet)


@setup.command("metric", short_help="Keep files of a metric, or how to reach its program.")
@click.argument("name", required=False)
@click.option("--from", "source", metavar="FOLDER", help="where the files of the metric are")
@click.option("--command", metavar="COMMAND", help="the program that computes the metric")
@click.option("--url", metavar="URL", help="the server that computes the metric")
def metric(name: str | None, source: str | None, command: str | None, url: str | None) -> None:
    """Keep what a metric needs in KARAT_HOME: its files, or how to reach its program.

    Without a name, shows what can be set up and what is missing. Files are checked
    against their checksums before they are copied.
    """
    from karat.core.registry import metric_class
    from karat.text.external.programs import remember_program
    from karat.text.resources import FILES, install

    if name is None:
        _show_metrics()
        return
    if name in FILES:
        if source is None or command or url:
            raise OptionError(
                f"{name} is set up from files: karat setup metric {name} --from FOLDER",
                code="K390",
                advice="files: " + ", ".join(wanted.path for wanted in FILES[name]),
            )
        for path in install(name, source):
            click.echo(str(path))
        return
    if name not in _programs():
        metric_class(name)  # an unknown name is another mistake
        raise OptionError(
            f"the metric {name!r} needs no setup",
            code="K390",
            advice="karat setup metric shows what can be set up",
        )
    if source is not None:
        raise OptionError(f"{name} is a program: give --command or --url", code="K390")
    click.echo(str(remember_program(name, command, url)))


def _programs() -> dict[str, str]:
    """The metrics that other programs compute, and what is missing for each."""
    from karat.core.capabilities import install_hint
    from karat.core.plugins import METRICS, rows
    from karat.core.registry import metric_class

    modules = ("karat.text.metrics.presets:", "karat.text.metrics.questions:")
    found = [row.name for row in rows(METRICS).values() if row.target.startswith(modules)]
    return {name: install_hint(metric_class(name)) for name in found}


def _show_metrics() -> None:
    from karat.text.resources import FILES, PURPOSES, missing

    for name in FILES:
        state = "ready" if not missing(name) else f"karat setup metric {name} --from FOLDER"
        click.echo(f"{name} ({PURPOSES[name]}): {state}")
    for name, lacking in _programs().items():
        click.echo(f"{name}: {with_flags(lacking) or 'ready'}")
