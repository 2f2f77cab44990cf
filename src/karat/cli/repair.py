"""``karat repair``: which errors cost how much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from karat.cli.common.measuring import Request, open_outputs
from karat.cli.common.metric_command import MetricCommand
from karat.cli.common.options import (
    CONFIDENCE,
    JSON,
    MEASURING,
    PAGE,
    RESAMPLES,
    SEED,
    DependentOption,
    OutputOption,
    WholeNumber,
)
from karat.cli.common.printing import one_or_all, print_lines, warn
from karat.core.capabilities import Repairs
from karat.core.files.writing import indented_json
from karat.engine import evaluate
from karat.engine.repair import Repair, repair, repairable
from karat.errors import KaratError


def _run(
    request: Request,
    *,
    json_path: str | None,
    write: str | None,
    chosen: Sequence[str],
    report: str | None,
    page_size: int | None,
    **options: Any,
) -> None:
    request.check_stdin(again=True)
    for metric in request.metrics:
        repairable(metric)
    if write:
        request.check_one_run("--write")
    outputs = {"json": json_path, "write": write, "report": report}
    repaired: set[str] = set()
    with open_outputs(outputs) as streams:
        found = [
            repair(request.measure(metric, path), **options)
            for metric in request.metrics
            for path in request.system
        ]
        if "write" in streams:
            (made,) = found
            repaired = set(chosen) or {each.name for each in made.classes}
            made.write(streams["write"], repaired)
        if "json" in streams:
            documents = [each.to_dict() for each in found]
            streams["json"].write(indented_json(one_or_all(documents)))
        if "report" in streams:
            streams["report"].write(_page(found, page_size, request.quiet))
    if write and write != "-" and repaired < found[0].effects.place.keys():
        _check_written(request, write)
    if "-" not in outputs.values():
        print_lines(lambda width: _lines(found, width))


def _check_written(request: Request, path: str) -> None:
    """Warns of a file that cannot be measured: heads of a tree are no tree with some of them fixed."""
    (metric,) = request.metrics
    try:
        evaluate(metric, system=path, gold=request.gold, pair=request.pair, **request.reading)
    except KaratError as error:
        told = f"the written file cannot be measured: {error}"
        warn([f"{told}; repair further classes with --class, or all"], request.quiet)


def _page(found: Sequence[Repair], page_size: int | None, quiet: bool) -> bytes:
    from karat.report.page import PageMaker
    from karat.report.repairs import repaired_run

    runs = [each.evaluation for each in found]
    maker = PageMaker(runs, page_size=page_size, repairs=[repaired_run(each) for each in found])
    page, notes = maker.page()
    warn(notes, quiet)
    return page


def _lines(found: Sequence[Repair], width: int | None) -> Iterator[str]:
    from karat.report.repairs import lines

    for number, each in enumerate(found):
        if number:
            yield ""
        if len(found) > 1:
            yield f"{each.evaluation.system}:"
        yield from lines(each, width)


_OPTIONS = [
    click.Option(["--classes"], default="kind", show_default=True, metavar="NAME", help="how errors are divided: kind, or what the metric offers (edge-label, label, pos, length, frame, word, path, ...)"),
    click.Option(["--by"], metavar="FIELD", help="divide errors by a field of their items instead"),
    click.Option(["--score"], metavar="NAME", help="the score to improve (default: the main score of the metric)"),
    click.Option(["--average"], type=click.Choice(["micro", "macro"]), default="micro", show_default=True, help="the score of all counts, or the mean of the items' scores"),
    click.Option(["--rank"], type=click.Choice(["gain", "gain-per-edit", "plan"]), default="gain", show_default=True, help="list classes by what each gains alone, by that for each edit, or in the order of the best plan"),
    click.Option(["--top"], type=WholeNumber(0), default=20, show_default=True, help="how many classes are listed, 0 for all"),
    click.Option(["--split-half"], is_flag=True, help="choose classes on one half of the items and measure them on the other"),
    click.Option(["--check"], is_flag=True, help="also repair, and measure again"),
    OutputOption(["-o", "--write"], metavar="FILE", help="write the system's file with the listed classes repaired"),
    OutputOption(["--report"], metavar="PATH.html", help="write a page that shows repairs and items"),
    PAGE[0],
    DependentOption(["--class", "chosen"], needs=("write",), multiple=True, metavar="CLASS", help="with --write, repair this class only; may be repeated"),
    CONFIDENCE,
    RESAMPLES,
    SEED,
    JSON,
]  # fmt: skip


command = MetricCommand(
    "repair",
    "Which errors cost how much?\n\n"
    "Divides what is wrong in a SYSTEM file into classes of edits, and says what the score would be "
    "without each of them, and without several. Nothing is measured again for that, unless "
    "--check is given; --write writes the repaired file.",
    [*MEASURING, *_OPTIONS],
    _run,
    capability=Repairs,
)
