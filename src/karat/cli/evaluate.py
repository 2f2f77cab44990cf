"""``karat evaluate``: a plan made from the options, measured, and shown by its outputs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import click

from karat.cli.common.measuring import Request, open_outputs
from karat.cli.common.metric_command import MetricCommand
from karat.cli.common.options import (
    BY,
    MEASURING,
    PAGE,
    WRITE_CONFIG,
    interval_options,
    statistics_of,
)
from karat.cli.common.printing import warn
from karat.cli.evaluate_outputs import CHOICE, OUTPUTS, Plan, Result, Tables
from karat.core.capabilities import facets_of
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import leaves, unknown_score
from karat.errors import OptionError


def _run(request: Request, *, fail_under: Sequence[str], **values: Any) -> int:
    limits = Limits(fail_under)
    plan = _plan(request.clustered(values["cluster"]), values)
    plan.check()
    # All outputs are opened before the work begins and take their names together at its end.
    with open_outputs(plan.outputs) as streams:
        result = _measured(plan)
        outputs = [OUTPUTS[name](stream, result) for name, stream in streams.items()]
        result.look(outputs)
        for output in outputs:
            output.write()
    failed = limits.failed(result.runs)
    for failure in failed:
        click.echo(failure, err=True)
    if "output" not in plan.outputs and "-" not in plan.outputs.values():
        Tables.show(result)
    return 1 if failed else 0


def _plan(request: Request, values: dict[str, Any]) -> Plan:
    return Plan(
        request=request,
        statistics=statistics_of(values),
        choice={name: values[name] for name in ("type", "only_errors", "sample", "seed")},
        outputs={name: values[name] for name in OUTPUTS if values[name]},
        **{name: values[name] for name in Plan.__struct_fields__ if name in values},
    )


def _measured(plan: Plan) -> Result:
    request = plan.request
    groups = [
        [
            request.measure(
                metric,
                path,
                by=plan.by,
                by_system=plan.by_system,
                facets=[name for name in plan.by if name in facets_of(metric)],
                certify="save" in plan.outputs,
            )
            for path in request.system
        ]
        for metric in request.metrics
    ]
    runs = [run for same in groups for run in same]
    by = [*plan.by, _system_field(runs)] if plan.by_system else plan.by
    for name in by:
        for run in runs:
            run.by(name)
    for run in runs:
        warn(run.cluster_remarks(plan.statistics.get("cluster")), request.quiet)
    for same in groups:
        _warn_of_different_gold(same, request.quiet)
    return Result(plan, groups, by)


def _system_field(runs: Sequence[Evaluation]) -> str:
    """The field that tells the systems of a file apart."""
    fields = list(dict.fromkeys(run.system_field for run in runs))
    if len(fields) > 1 or not fields[0]:
        found = " and ".join(repr(name) for name in fields if name) or "none is known"
        raise OptionError(
            f"--by-system needs one field that names the systems: {found}",
            code="K315",
            advice="name it with --system-field, or group by any field with --by",
        )
    return fields[0]


def _warn_of_different_gold(runs: Sequence[Evaluation], quiet: bool) -> None:
    """Files that hold their own gold can be compared only if it is the same."""
    first = runs[0]
    for run in runs[1:]:
        if run.gold_marks != first.gold_marks:
            differ = f"{run.system} and {first.system} hold different gold"
            warn([f"{differ}: their scores cannot be compared"], quiet)


class Limits:
    """The scores of ``--fail-under``: the least values (where lower is better, the greatest)
    that are good enough."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.limits: list[tuple[str, float]] = []
        for text in texts:
            name, _, value = text.partition("=")
            try:
                limit = float(value)
            except ValueError:
                limit = math.nan
            if not name or math.isnan(limit):  # which no score is below
                raise OptionError(
                    f"--fail-under takes SCORE=VALUE, got {text!r}",
                    code="K373",
                    advice="such as --fail-under bleu=40",
                )
            self.limits.append((name, limit))

    def failed(self, runs: Sequence[Evaluation]) -> list[str]:
        """A line for each score that is worse than its limit; an undefined one is.

        A limit holds for the metrics that have such a score; one that no metric has is an error.
        """
        lines = []
        for name, limit in self.limits:
            concerned = [(run, path) for run in runs for path in _paths_of(name, run)]
            if not concerned:
                known = [path for run in runs for path, _ in leaves(run.scores())]
                raise unknown_score(name, list(dict.fromkeys(map(".".join, known))))
            for run, path in concerned:
                value = dict(leaves(run.scores()))[path]
                lower = ".".join(path) in run.metric.about.lower_is_better
                if value is None or (value > limit if lower else value < limit):
                    side = "above" if lower else "under"
                    lines.append(f"{run.system}: {name} is {value}, {side} {limit:g}")
        return lines


def _paths_of(name: str, run: Evaluation) -> list[tuple[str, ...]]:
    """The score of this name, if the run has it.

    A group of scores stands for the only one in it that is not a plain sum.
    """
    paths = [path for path, _ in leaves(run.scores())]
    same = [path for path in paths if name in (".".join(path), "_".join(path))]
    if same:
        return same[:1]
    rates = [
        path
        for path in paths
        if ".".join(path).startswith(f"{name}.") and ".".join(path) not in run.metric.about.totals
    ]
    return rates if len(rates) == 1 else []


evaluate = MetricCommand(
    "evaluate",
    "How good is a system, and how sure are we?\n\n"
    "Measures each SYSTEM file against GOLD by each METRIC and shows the scores "
    "with their confidence intervals.",
    [
        *MEASURING,
        *interval_options(),
        BY,
        click.Option(["--by-system"], is_flag=True, help="the file holds several systems: show each of them, by summarizer_id, system, model or a similar field (--system-field)"),
        click.Option(["--average"], is_flag=True, help="the files are runs of one system, such as several seeds: show mean, standard deviation, minimum and maximum"),
        click.Option(["-b", "--bare"], is_flag=True, help="print only the main score of each run"),
        click.Option(["--line"], is_flag=True, help="print one line, as the metric's original tool does; for other metrics, the main score and its signature"),
        click.Option(["--fail-under"], multiple=True, metavar="SCORE=VALUE", help="exit with 1 if a score is worse than this"),
        *(output.option for output in OUTPUTS.values()),
        WRITE_CONFIG,
        *CHOICE,
        *PAGE,
    ],
    _run,
)  # fmt: skip
