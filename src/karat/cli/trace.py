"""``karat trace``: where a published figure comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from karat.cli.common.flags import (
    SectionedCommand,
    Sections,
    flags,
    format_flags,
    given,
    reading_options,
)
from karat.cli.common.measuring import open_outputs
from karat.cli.common.metric_command import also_skipping_gold
from karat.cli.common.options import JSON, READING, SEED, OutputOption
from karat.cli.common.printing import show, warn
from karat.core.options import declared
from karat.core.reading.selection import Selection
from karat.errors import OptionError

_EXPECTED = {
    "identified": ("identified",),
    "likely": ("identified", "likely"),
    "any": ("identified", "likely", "ambiguous", "range"),
}


_READING = ("format", "gold_format", "format_options", "pair", "on_error", "jobs")


def _run(
    figures: Sequence[str], *, system: Sequence[str], gold: Sequence[str], json_path: str | None,
    report: str | None, expect: str | None, list_settings: bool, quiet: bool, skip_bad_gold: bool, **options: Any,
) -> int:  # fmt: skip
    if list_settings:
        _list(figures, json_path)
        return 0
    if not figures:
        raise OptionError(
            "no figure is given",
            code="K303",
            advice="write: karat trace 'BLEU 39.61' -g GOLD -s SYSTEM",
        )
    if len(system) != 1:
        raise OptionError(
            f"trace takes one system, got {len(system)}",
            code="K303",
            advice="name it with -s SYSTEM",
        )
    from karat.tracing import trace as traced

    if skip_bad_gold:
        options["on_error"] = also_skipping_gold(options["on_error"])
    files: dict[str, Any] = {"system": system[0], "gold": list(gold) or None}
    with open_outputs({"report": report} if report else {}) as streams:
        found = traced(figures, **files, **options)
        warn(found.warnings, quiet)
        if "report" in streams:
            from karat.report.traces import write_page

            reading = {name: options[name] for name in _READING if name in options}
            warn(write_page(found, streams["report"], **files, **reading), quiet)
    show([found.to_dict()], json_path, lambda traces: traces.trace_table(found), "traces")
    if expect and found.verdict not in _EXPECTED[expect]:
        click.echo(f"expected {expect}, found {found.verdict}", err=True)
        return 1
    return 0


def _list(figures: Sequence[str], json_path: str | None) -> None:
    from karat.tracing import settings

    listed = [
        {
            "metric": metric,
            "setting": repr(each.metric).removesuffix("()"),
            "score": each.score,
            "aggregation": each.aggregation,
            "figure": each.name,
            "departures": departures,
        }
        for metric, each, departures in settings(figures)
    ]

    document = {"settings": listed}
    show([document], json_path, lambda traces: traces.settings_table(listed), "traces")


def _callback(figures: tuple[str, ...], **values: Any) -> int:
    values["slips"] = not values.pop("no_slips")
    of_formats = reading_options().values() if trace.is_complete else ()
    format_options: dict[str, Any] = {}
    for options in (declared(Selection), *of_formats):
        format_options |= given(values, options)
        for name in options:
            values.pop(name, None)
    return _run(figures, format_options=format_options, **values)


_OPTIONS = [
    click.Option(["--unit"], type=click.Choice(["auto", "percent", "fraction"]), default="auto", show_default=True, help="how the figures are printed; auto: percent above 1, both up to 1"),
    click.Option(["--rounding"], type=click.Choice(["nearest", "truncate", "both"]), default="both", show_default=True, help="how the figures were rounded"),
    click.Option(["--no-slips"], is_flag=True, help="do not try mistakes in handling files, such as swapped files or lost items"),
    click.Option(["--deep"], is_flag=True, help="also try each setting with one item left out, for every item"),
    click.Option(["--by"], multiple=True, metavar="FIELD", help="also try means over groups of items with equal values of this field"),
    click.Option(["--expect"], type=click.Choice(list(_EXPECTED)), help="exit with 1 unless the verdict is at least that"),
    click.Option(["--list-settings"], is_flag=True, help="show the settings that are tried, of all figures or of those that are named"),
    OutputOption(["--report"], metavar="PATH.html", help="write a page with the verdict, and the items as the first setting scores them"),
    SEED,
    JSON,
]  # fmt: skip


def _reading() -> list[click.Option]:
    """Files may be left out where settings are listed."""
    system = click.Option(["-s", "--system"], multiple=True, metavar="FILE", help="what the system produced")  # fmt: skip
    return [system if option.name == "system" else option for option in READING]


_SHARED = [*_reading(), *_OPTIONS]
_TAKEN = {str(option.name) for option in _SHARED} | {"figures"}
_WHICH = flags([declared(Selection)], _TAKEN)


def _rare() -> Sections:
    return [("Options of the file formats", format_flags(reading_options(), _TAKEN))]


trace = SectionedCommand(
    "trace",
    callback=_callback,
    help="Which metric, options and rounding give a published figure?\n\n"
    "FIGURE is a name and a number with all digits as printed, such as 'BLEU 39.61', 'ROUGE-L 38.4 F' "
    "or 0.273. Several figures are explained by one setting together. Every setting that is known is tried "
    "on the files, and common slips such as swapped files; hits are shown with the number of "
    "accidental ones to expect.",
    params=[click.Argument(["figures"], nargs=-1, metavar="FIGURE...")],
    sections=[("Options", _SHARED), ("Which items", _WHICH)],
    rare=_rare,
)
