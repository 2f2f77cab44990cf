"""``karat audit``: where systems agree with each other against gold."""

from __future__ import annotations

import click

from karat.cli.common.measuring import Request, open_outputs
from karat.cli.common.metric_command import MetricCommand
from karat.cli.common.options import (
    BETWEEN_0_AND_1,
    JSON,
    MEASURING,
    OutputOption,
    WholeNumber,
)
from karat.cli.common.printing import show, warn
from karat.core.capabilities import Audits
from karat.core.files.writing import indented_json
from karat.engine.audit import Audit, auditable
from karat.errors import OptionError


def _run(
    request: Request,
    *,
    prior: float,
    top: int,
    write_suggestions: str | None,
    verdicts: str | None,
    report: str | None,
    json_path: str | None,
) -> None:
    request.check_stdin(again=True)
    if len(request.metrics) != 1:
        raise OptionError("an audit has one metric", code="K322")
    if len(request.system) < 2:
        raise OptionError("an audit needs at least two systems", code="K322", advice="repeat -s")
    (metric,) = request.metrics
    auditable(metric)
    outputs = {"list": write_suggestions, "report": report, "json": json_path}
    with open_outputs(outputs) as streams:
        runs = [request.measure(metric, path) for path in request.system]
        found = Audit(runs, prior=prior, verdicts=verdicts)
        document = found.to_dict(top or None)
        warn(document["warnings"], request.quiet)
        if "list" in streams:
            found.write(streams["list"])
        if "report" in streams:
            from karat.report.audits import write_page

            write_page(found, streams["report"], top or None)
        if "json" in streams:
            streams["json"].write(indented_json(document))
    if "-" not in outputs.values():
        show([document], None, lambda audits: audits.tables(found, document), "audits")


audit = MetricCommand(
    "audit",
    "Is the gold wrong here?\n\n"
    "Lists parts on which several SYSTEM files agree with each other and not with GOLD, by the "
    "evidence that gold is wrong. Gold is never changed. The findings are hints for annotators: "
    "--write-suggestions writes a list with a column for their verdicts, which --verdicts reads.",
    [
        *MEASURING,
        click.Option(["--prior"], type=BETWEEN_0_AND_1, default=0.01, show_default=True, help="the prior probability that a part of gold is wrong"),
        click.Option(["--top"], type=WholeNumber(0), default=20, show_default=True, help="how many findings are shown, 0 for all"),
        OutputOption(["--write-suggestions"], metavar="FILE.tsv", help="write all findings with an empty column for verdicts"),
        click.Option(["--verdicts"], metavar="FILE.tsv", help="that list with verdicts (yes: gold is wrong, no): how many findings were right, and the scores with them in gold"),
        OutputOption(["--report"], metavar="PATH.html", help="write a page that shows the findings"),
        JSON,
    ],
    _run,
    capability=Audits,
)  # fmt: skip
