"""Pages and saved runs: ``karat report``, ``view``, ``viewer``, ``verify`` and ``clean``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from karat.cli.common.options import (
    BY,
    JOBS,
    PAGE,
    QUIET,
    RUNS,
    OutputOption,
    WholeNumber,
    interval_options,
    statistics_of,
)
from karat.cli.common.printing import warn, with_flags
from karat.core.runs.evaluation import Evaluation
from karat.errors import OptionError, Place, counted

if TYPE_CHECKING:
    from karat.engine.jobs import Jobs

_ABOUT = (
    "Several runs by one metric on the same items are compared. Items are shown as "
    "long as the files that the runs were made from are still there, unchanged."
)


def _options(
    by: Sequence[str], judgements: Sequence[str], full_paths: bool, **options: Any
) -> dict[str, Any]:
    """The arguments of `PageMaker`, from options."""
    return {
        "statistics": statistics_of(options),
        "by": by,
        "judgements": judgements,
        "full_paths": full_paths,
    }


def _write(
    output: str, runs: Sequence[str], page_size: int | None, quiet: bool, **options: Any
) -> None:
    loaded = {path: Evaluation.load(path) for path in runs}
    _write_page(output, loaded, quiet, page_size=page_size, **_options(**options))


def _write_page(output: str, runs: Mapping[str, Evaluation], quiet: bool, **made: Any) -> None:
    from karat.report.page import write_file

    warn(write_file(output, runs.items(), "--output", **made), quiet)


def _serve(port: int, open_browser: bool, runs: Sequence[str], **options: Any) -> None:
    from karat.report.page.serving import server

    evaluations = [Evaluation.load(path) for path in runs]
    try:
        serving, address = server(evaluations, port, **_options(**options))
    except (OSError, OverflowError) as error:
        raise OptionError(
            f"port {port} cannot be used: {getattr(error, 'strerror', error)}",
            code="K395",
            place=Place("--port"),
            advice="choose another, or leave it out",
        ) from None
    click.echo(f"{address}  (Ctrl-C ends it)")
    if open_browser:
        click.launch(address)
    with serving:
        serving.serve_forever()


report = click.Command(
    "report",
    help=f"Write a page that shows saved runs: scores, groups, items, errors.\n\n{_ABOUT}",
    params=[
        RUNS,
        BY,
        *interval_options(),
        *PAGE,
        QUIET,
        OutputOption(["-o", "--output"], default="report.html", show_default=True, metavar="PATH.html", help="where to write the page (- is standard output)"),
    ],
    callback=_write,
)  # fmt: skip

view = click.Command(
    "view",
    help=f"Look into saved runs in a browser: the page of karat report, served to this machine only.\n\n{_ABOUT}",
    params=[
        RUNS,
        BY,
        *interval_options(),
        *PAGE[1:],
        click.Option(["--port"], type=WholeNumber(0, 65535), default=0, help="where to serve it; 0 is any port that is free", show_default=True),
        click.Option(["--open", "open_browser"], is_flag=True, help="open it in the browser"),
    ],
    callback=_serve,
)  # fmt: skip


def _pyramid(pyramids: str, annotations: Sequence[str], scores: Sequence[str], output: str) -> None:
    from karat.engine import evaluate

    options = {"pyramids": pyramids}
    runs = {
        path: evaluate("pyramid-score", system=path, format="pyramid-based", format_options=options)
        for path in annotations
    }
    _write_page(output, runs, quiet=False, judgements=scores)


def _rouge(summaries: str, scores: Sequence[str], output: str) -> None:
    from karat.engine import evaluate

    try:
        run = evaluate("rouge(compute_rouge_l=True)", system=summaries)
    except OptionError as error:
        if error.code == "K338":  # this command takes no file of gold
            error.advice = "write: karat evaluate rouge -g GOLD -s SYSTEM --report PAGE.html"
        raise
    _write_page(output, {summaries: run}, quiet=False, judgements=scores)


def _viewer_options(name: str) -> list[click.Parameter]:
    return [
        click.Option(["--scores"], multiple=True, metavar="FILE", help="judgements of the outputs, as karat correlate reads them; may be repeated"),
        OutputOption(["-o", "--output"], default=f"{name}.html", show_default=True, metavar="PATH.html", help="where to write the page (- is standard output)"),
    ]  # fmt: skip


_OF_VIEWER = (
    "The same page as that of karat evaluate with --report; it needs no server and no network."
)

viewer = click.Group(
    "viewer",
    help=f"Write a page that shows pyramids or ROUGE matches.\n\n{_OF_VIEWER}",
    commands=[
        click.Command(
            "pyramid",
            short_help="Content units, and who contributes to them.",
            help=f"Content units, who contributes to them, and the scores of summaries.\n\n{_OF_VIEWER}",
            params=[
                click.Argument(["pyramids"], metavar="PYRAMIDS.jsonl"),
                click.Option(["--annotations"], multiple=True, required=True, metavar="FILE", help="annotations of summaries; may be repeated"),
                *_viewer_options("pyramid"),
            ],
            callback=_pyramid,
        ),
        click.Command(
            "rouge",
            short_help="What of a summary is in its references.",
            help=f"What of a summary is in its references, by n-grams and common subsequences.\n\n{_OF_VIEWER}",
            params=[click.Argument(["summaries"], metavar="SUMMARIES.jsonl"), *_viewer_options("rouge")],
            callback=_rouge,
        ),
    ],
)  # fmt: skip


@click.command(
    "verify",
    params=[
        RUNS,
        JOBS,
        click.Option(["--allow-commands"], is_flag=True, help="let the metric of a run use the program or the server that the run names"),
    ],
)  # fmt: skip
def verify(runs: tuple[str, ...], jobs: Jobs, allow_commands: bool) -> None:
    """Check saved runs: their checksum, their input files, and every row of counts.

    The rows are measured again from the input files, or checked by certificates;
    anything that does not follow from the files is an error.
    """
    from karat import engine

    for path in runs:
        checked = engine.verify(path, jobs=jobs, allow_commands=allow_commands)
        click.echo(
            f"{path}: verified: {counted(checked.items, 'item')}, {counted(checked.files, 'file')}, {checked.signature}"
        )
        if checked.skipped:
            click.echo(f"{path}: {counted(checked.skipped, 'item was', 'items were')} left out")
        for warning in checked.warnings:
            click.echo(f"{path}: {with_flags(warning)}")


@click.command("clean", params=[click.Argument(["folder"], metavar="DIR")])
def clean(folder: str) -> None:
    """Remove what --resume has kept in a folder, and nothing else.

    A folder that a run is using is left as it is.
    """
    from karat.engine.resume import clean as remove
    from karat.errors import counted

    click.echo(f"removed the parts of {counted(remove(folder), 'run')}")
