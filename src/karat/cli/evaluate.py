"""``karat evaluate``: how good is it, how sure are we."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

import click

from karat.cli.common.fail_under import Limits
from karat.cli.common.measuring import check_one_run, check_stdin, measure, open_outputs
from karat.cli.common.metric_command import MetricCommand, interval_options, reading_options
from karat.cli.common.outputs import OutputOption
from karat.core.capabilities import PrintsLine, facets_of, has
from karat.core.files.writing import indented_json
from karat.core.metric import Metric
from karat.core.runs.evaluation import Evaluation
from karat.errors import OptionError

if TYPE_CHECKING:
    from karat.core.runs.replicates import Replicates


def _run(
    metrics: Sequence[Metric[Any, Any]],
    format_options: Mapping[str, Any],
    *,
    gold: Sequence[str],
    system: Sequence[str],
    confidence: float,
    resamples: int,
    interval: Any,
    seed: int,
    by: Sequence[str],
    by_system: bool,
    json_path: str | None,
    items: str | None,
    sentences: str | None,
    output: str | None,
    errors: str | None,
    save: str | None,
    report: str | None,
    error_profile: str | None,
    average: bool,
    tsv: str | None,
    markdown: str | None,
    only_errors: bool,
    type: str | None,
    sample: int,
    fail_under: Sequence[str],
    line: bool,
    quiet: bool,
    **options: Any,
) -> int:
    limits = Limits(fail_under)
    if save:
        check_one_run("--save", metrics, system)
    if error_profile:
        check_one_run("--error-profile", metrics, system)
    indexed = bool(errors and errors.endswith(".json"))
    if indexed:
        check_one_run("--errors FILE.json", metrics, system)
    if type is not None and not (errors or sentences):
        raise OptionError("--type chooses what --errors or --sentences writes", code="K303")
    check_stdin(metrics, system, gold, again=bool(errors or error_profile or sentences))
    outputs = {
        "save": save,
        "items": items,
        "errors": errors,
        "sentences": sentences,
        "output": output,
        "error-profile": error_profile,
        "report": report,
        "json": json_path,
        "tsv": tsv,
        "markdown": markdown,
    }
    statistics = {"level": confidence, "resamples": resamples, "seed": seed, "method": interval}
    # All outputs are opened before the work begins and take their names together at its end.
    with open_outputs(outputs) as streams:
        runs = [
            measure(
                metric,
                path,
                gold,
                format_options,
                quiet,
                by_system=by_system,
                facets=[name for name in by if name in facets_of(metric)],
                certify=bool(save),
                **options,
            )
            for metric in metrics
            for path in system
        ]
        if by_system:
            by = [*by, _system_field(runs)]
        for name in by:
            for run in runs:
                run.by(name)
        _warn_of_different_gold(runs, quiet)
        groups = [[run for run in runs if run.metric is metric] for metric in metrics]
        averages = _averages(groups) if average else []
        _write(streams, runs, averages, statistics, by)
        choice = {"type": type, "only_errors": only_errors, "sample": sample, "seed": seed}
        looked = _explain(streams, runs, choice, indexed)
        if "report" in streams:
            from karat.report.page import html

            streams["report"].write(html.page(runs, statistics, by, looked))
        if "output" in streams:
            text = io.StringIO()
            _show(text, metrics, runs, averages, statistics, by, line)
            streams["output"].write(text.getvalue().encode())
    failed = limits.failed(runs)
    for failure in failed:
        click.echo(failure, err=True)
    status = 1 if failed else 0
    if not output and "-" not in outputs.values():
        _show(None, metrics, runs, averages, statistics, by, line)
    return status


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
    """Files that hold their own gold stand side by side only if it is the same."""
    first = runs[0]
    for run in runs[1:]:
        if run.metric is first.metric and not quiet and run.gold_marks != first.gold_marks:
            click.echo(
                f"warning: {run.system} and {first.system} hold different gold: "
                "their scores cannot be compared",
                err=True,
            )


def _show(
    file: IO[str] | None,
    metrics: Sequence[Metric[Any, Any]],
    runs: Sequence[Evaluation],
    averages: Sequence[Replicates],
    statistics: Mapping[str, Any],
    by: Sequence[str],
    line: bool,
) -> None:
    """What is for people: on standard output, or in a file."""
    if line:
        for run in runs:
            if not has(run.metric, PrintsLine):
                raise OptionError(f"{run.metric.name} has no line of its own", code="K337")
            click.echo(run.metric.line(run.scores()), file=file)
        return
    from karat.report import tables  # what draws tables takes its time to load

    console = tables.console(file)
    if averages:
        from karat.report import replicates_table

        for each in averages:
            console.print(replicates_table.scores(each))
            for name in by:
                console.print(replicates_table.groups(each, name))
        return
    for metric in metrics:
        same = [run for run in runs if run.metric is metric]
        console.print(tables.scores(same, statistics))
        for name in by:
            for run in same:
                console.print(tables.groups(run, name, statistics))


def _averages(groups: Sequence[Sequence[Evaluation]]) -> list[Replicates]:
    from karat.core.runs.replicates import Replicates

    return [Replicates(same) for same in groups]


def _write(
    streams: Mapping[str, IO[bytes]],
    runs: Sequence[Evaluation],
    averages: Sequence[Replicates],
    statistics: Mapping[str, Any],
    by: Sequence[str],
) -> None:
    """The outputs that were asked for and hold figures only."""
    if "tsv" in streams or "markdown" in streams:
        from karat.report import plain_tables

        for name, make in (("tsv", plain_tables.tsv), ("markdown", plain_tables.markdown)):
            if name in streams:
                streams[name].write(make(runs, by).encode())
    if "save" in streams:
        runs[0].write_run(streams["save"])
    if "items" in streams:
        for run in runs:
            run.write_items(streams["items"])
    if "json" in streams:
        from karat.report import run_json

        documents = [each.summary(by) for each in averages] or [
            run_json.run(run, statistics, by) for run in runs
        ]
        streams["json"].write(indented_json(documents[0] if len(documents) == 1 else documents))


def _explain(
    streams: Mapping[str, IO[bytes]],
    runs: Sequence[Evaluation],
    choice: Mapping[str, Any],
    indexed: bool,
) -> list[str] | None:
    """The outputs that were asked for and look at the items once more, each run in one pass.

    Comes back with what the report says of the items of each run, where that is wanted too.
    """
    if not {"errors", "error-profile", "sentences"} & streams.keys():
        return None
    from karat.engine.look import Choice
    from karat.report import errors_file, item_table
    from karat.report.page import items as page_items

    chosen, several = Choice(**choice), len(runs) > 1
    rows: item_table.Rows | None = None
    looked: list[str] = []
    for run in runs:
        sinks: list[errors_file.Sink] = []
        if "sentences" in streams:
            rows = item_table.Rows(streams["sentences"], run, chosen, several=several, before=rows)
            sinks.append(rows)
        whole = errors_file.Indexed(run, chosen) if "errors" in streams and indexed else None
        if whole:
            sinks.append(whole)
        elif "errors" in streams:
            sinks.append(errors_file.Lines(streams["errors"], run, chosen, several=several))
        worst = page_items.Worst(run) if "report" in streams else None
        if worst:
            sinks.append(worst)
        wanted = "error-profile" in streams or bool(worst and errors_file.has_profile(run.metric))
        profile = errors_file.look_through(run, sinks, profile=wanted)
        looked += [worst.html(profile)] if worst else []
        if whole:
            whole.write(streams["errors"])
        if "error-profile" in streams:
            errors_file.write_profile(streams["error-profile"], profile)
    return looked if "report" in streams else None


evaluate = MetricCommand(
    "evaluate",
    "How good is a system, and how sure are we?\n\n"
    "Measures each SYSTEM file against GOLD by each METRIC and shows the scores "
    "with their confidence intervals.",
    [
        *reading_options(),
        *interval_options(),
        click.Option(["--by"], multiple=True, metavar="FIELD", help="also show the scores of each group of items"),
        click.Option(["--by-system"], is_flag=True, help="the file holds several systems: show each, told apart by summarizer_id, system, model or the like (--system-field)"),
        click.Option(["--line"], is_flag=True, help="print the line of the tool that the metric stands in for"),
        OutputOption(["--items"], metavar="PATH", help="write the scores of each item as JSON lines"),
        OutputOption(["--errors"], metavar="PATH", help="write what matched, what is missing and what is surplus: a JSON line per item, or to FILE.json one object, by framework and id"),
        OutputOption(["--sentences"], metavar="PATH", help="write a tab-separated row for each item: its fields, all its scores, and what is wrong"),
        click.Option(["--only-errors"], is_flag=True, help="leave out of --errors and --sentences what is perfect"),
        click.Option(["--type"], metavar="T", help="write only items of this type to --errors and --sentences"),
        click.Option(["--sample"], type=click.IntRange(0), default=0, metavar="N", help="write so many items to --errors and --sentences, chosen by --seed; 0 is all", show_default=True),
        OutputOption(["-o", "--output"], metavar="PATH", help="write the tables there (- is standard output)"),
        OutputOption(["--tsv"], metavar="PATH", help="write the scores as tab-separated rows"),
        OutputOption(["--markdown"], metavar="PATH", help="write the scores as Markdown tables"),
        click.Option(["--fail-under"], multiple=True, metavar="SCORE=VALUE", help="exit with 1 if a score is worse than this"),
        OutputOption(["--error-profile"], metavar="PATH", help="write which errors are the most frequent, as JSON"),
        click.Option(["--average"], is_flag=True, help="the systems are runs of one, such as seeds: show mean, standard deviation, least and greatest"),
        OutputOption(["--save"], metavar="RUN", help="keep the run, to compare and verify it later"),
        OutputOption(["--report"], metavar="PATH.html", help="write a page that shows the scores and what went wrong"),
    ],
    _run,
)  # fmt: skip
