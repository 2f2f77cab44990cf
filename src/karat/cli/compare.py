"""``karat compare`` and ``karat gate``: is A better than B, and may a change go in."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import click

from karat.cli.common.measuring import Request, open_outputs
from karat.cli.common.metric_command import RunsOrMetricCommand
from karat.cli.common.options import (
    BETWEEN_0_AND_1,
    CLUSTER,
    CONFIDENCE,
    JSON,
    JSON_LINES,
    MEASURING,
    SCORE,
    SEED,
    WRITE_CONFIG,
    NumberRange,
    OutputOption,
    WholeNumber,
)
from karat.cli.common.printing import one_or_all, print_lines, show, warn, write_json
from karat.core.files.writing import indented_json, json_lines
from karat.core.runs.comparison import Ranking
from karat.core.runs.evaluation import Evaluation
from karat.core.runs.gate import Gate
from karat.errors import KaratError, OptionError
from karat.stats.paired_tests import TESTS


def _run(request: Request, **options: Any) -> None:
    request.check_stdin()
    request = request.clustered(options["cluster"])
    runs = [request.measure_systems(metric) for metric in request.metrics]
    _compare(runs, quiet=request.quiet, **options)


def _compare(
    runs: Sequence[Sequence[Evaluation]],
    *,
    score: str | None,
    confidence: float,
    json_path: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    if any(len(each) < 2 for each in runs):
        raise OptionError(
            "a comparison needs at least two systems",
            code="K322",
            advice="repeat -s; where one file holds several systems, a field of its records tells "
            "whose they are (``system_field``)",
        )
    named = {name: options.pop(name) for name in ("json_lines", "tsv", "markdown", "latex")}
    paths = {name: path for name, path in named.items() if path}
    rankings = [Ranking(each, score, level=confidence, **options) for each in runs]
    for ranking in rankings:
        warn(ranking.remarks, quiet)
    for each in runs:
        warn(each[0].cluster_remarks(options["cluster"]), quiet)
        _warn_of_positions(each, quiet)
    documents = [ranking.summary() for ranking in rankings]
    if paths:
        from karat.report import exports

        with open_outputs(paths) as streams:
            for name, stream in streams.items():
                if name == "json_lines":
                    stream.write(json_lines(documents))
                else:
                    stream.write(getattr(exports, f"ranking_{name}")(rankings).encode())
        if "-" in paths.values():
            if json_path:
                write_json(json_path, one_or_all(documents))
            return
    show(documents, json_path, lambda tables: map(tables.ranking, rankings))


def _warn_of_positions(runs: Sequence[Evaluation], quiet: bool) -> None:
    if any(run.by_position for run in runs):
        warn(["the items have no ids: they are paired by position"], quiet)


_TESTING = [
    SCORE,
    click.Option(["--test"], type=click.Choice(TESTS), default="auto", help="the paired test; auto is an exact permutation test for few items, else approximate randomisation", show_default=True),
    click.Option(["--trials"], type=WholeNumber(1), default=10_000, help="how many random trials the test makes", show_default=True),
    click.Option(["--alpha"], type=NumberRange(0, 1), default=0.05, help="level of significance of the rank clusters", show_default=True),
    CONFIDENCE,
    SEED,
    CLUSTER,
    JSON,
    JSON_LINES,
    OutputOption(["--tsv"], metavar="PATH", help="write a tab-separated row for each pair"),
    OutputOption(["--markdown"], metavar="PATH", help="write the tables as Markdown; * marks what is significant"),
    OutputOption(["--latex"], metavar="PATH", help="write the tables for LaTeX (booktabs); * marks what is significant"),
]  # fmt: skip


compare = RunsOrMetricCommand(
    "compare",
    "Is one system really better than another?\n\n"
    "Measures each SYSTEM file against GOLD and tests every difference on the same "
    "items. In place of a metric and files, two or more saved runs may be given: "
    "karat compare A.run B.run",
    [*MEASURING, *_TESTING, WRITE_CONFIG],
    _run,
    of_runs=lambda runs, **options: _compare([runs], **options),
    options_of_runs=_TESTING,
)


_SUMMARY = "GITHUB_STEP_SUMMARY"


def _run_gate(request: Request, **options: Any) -> int:
    request.check_stdin()
    if len(request.metrics) != 1:
        raise OptionError("a gate has one metric; several scores of it are --score", code="K322")
    request = request.clustered(options["cluster"])
    runs = request.measure_systems(request.metrics[0])
    return _decide(runs, quiet=request.quiet, **options)


def _decide(
    runs: Sequence[Evaluation],
    *,
    scores: Sequence[str],
    json_path: str | None,
    markdown: str | None,
    allow_unsure: bool,
    quiet: bool,
    **options: Any,
) -> int:
    if len(runs) != 2:
        raise OptionError(
            f"a gate compares two systems, the base and the new one; got {len(runs)}",
            code="K322",
            advice="write: karat gate METRIC -g GOLD -s BASE NEW, or give two saved runs",
        )
    base, new = runs
    gate = Gate(base, new, dict(map(_margin, scores)), **options)
    warn(gate.base.cluster_remarks(gate.cluster), quiet)
    _warn_of_positions(runs, quiet)
    outputs = {"json": json_path, "markdown": markdown}
    from karat.report.tables import gate_lines, gate_markdown

    with open_outputs(outputs) as streams:
        if "json" in streams:
            streams["json"].write(indented_json(gate.summary()))
        if "markdown" in streams:
            streams["markdown"].write(gate_markdown(gate).encode())
    if not markdown and (summary := os.environ.get(_SUMMARY)):
        with open(summary, "a", encoding="utf-8") as stream:  # noqa: PTH123 - appended to
            stream.write(gate_markdown(gate))
    if "-" not in outputs.values():
        print_lines(lambda width: gate_lines(gate, width))
    return 0 if allow_unsure and gate.exit_code == 3 else gate.exit_code


def _margin(text: str) -> tuple[str, float | None]:
    """A score, and its margin where it has one.

    >>> _margin("labeled.f:0.02"), _margin("match")
    (('labeled.f', 0.02), ('match', None))
    """
    name, colon, value = text.rpartition(":")
    with suppress(ValueError):
        if colon:
            return name, float(value)
    return text, None


class GateCommand(RunsOrMetricCommand):
    """Exits with 2 for all errors, since 1 means worse."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KaratError as error:
            error.exit_code = 2
            raise
        except OSError as error:
            failed = OptionError(
                f"the output cannot be written: {error.strerror or error}", code="K101"
            )
            raise failed from None


_OPTIONS = [
    click.Option(["--score", "scores"], multiple=True, metavar="NAME[:MARGIN]", help="a score to check, and how much it may lose; may be repeated (default: the main score of the metric)"),
    click.Option(["--margin"], type=NumberRange(0, min_open=True), help="how much a score may lose  [default: a hundredth of its scale]"),
    click.Option(["--alpha"], type=NumberRange(0, 0.5, min_open=True, max_open=True), default=0.05, show_default=True, help="error rate: how often a verdict may be wrong"),
    click.Option(["--power"], type=BETWEEN_0_AND_1, default=0.8, show_default=True, help="power for which the needed number of items is computed"),
    CLUSTER,
    OutputOption(["--markdown"], metavar="PATH", help="write the verdict as Markdown, for a pull request (without it, to the file that $GITHUB_STEP_SUMMARY names)"),
    click.Option(["--allow-unsure"], is_flag=True, help="exit with 0 when the data cannot decide"),
    JSON,
]  # fmt: skip

gate = GateCommand(
    "gate",
    "May a change go in?\n\n"
    "Compares a NEW system with its BASE on the same items: karat gate BASE.run NEW.run, or a metric "
    "and files, the base first: karat gate METRIC -g GOLD -s BASE NEW. Exits with 0 if the new "
    "system is not worse by more than a margin, with 1 if it is worse, with 3 if the data cannot decide "
    "(and says how many items would do), with 2 for wrong use and bad data.",
    [*MEASURING, *_OPTIONS, WRITE_CONFIG],
    _run_gate,
    of_runs=_decide,
    options_of_runs=_OPTIONS,
)
