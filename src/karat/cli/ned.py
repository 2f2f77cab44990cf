"""``karat ned``: a drop-in for the script of the authors of NED."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from karat.cli.common.flags import flags, given, with_synonyms
from karat.cli.common.measuring import Request
from karat.cli.common.options import FAIL_OR_SKIP, JSON, QUIET, OutputOption
from karat.cli.common.printing import write_json
from karat.core.files.writing import text_cell, whole_file
from karat.core.options import declared
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import MetricsDict
from karat.errors import FormatError, PairingError, counted
from karat.trees.formats.conll import NedColumns
from karat.trees.metrics.ned import Ned, drop_in_line

_SCORES = ("ned", "undirected", "directed")


def _run(**values: Any) -> None:
    metric = Ned(**given(values, declared(Ned)))
    request = Request(
        metrics=[metric],
        system=[values["system"]],
        gold=[values["gold"]],
        format_options=given(values, declared(NedColumns)),
        **{name: values[name] for name in ("format", "gold_format", "on_error", "quiet")},
    )
    try:
        result = request.measure(metric, values["system"])
    except (FormatError, PairingError) as error:
        error.exit_code = 2  # as the script that this command stands in for
        raise
    scores = result.scores()
    if not values["quiet"]:
        click.echo(
            f"not scored: {scores['excluded']} punctuation marks, {counted(scores['skipped'], 'sentence')} "
            f"of {scores['sentences'] + scores['skipped']}",
            err=True,
        )
    if values["json_path"]:
        write_json(values["json_path"], {**result.summary(), "macro": result.macro()})
    if values["tsv"]:
        _write_rows(values["tsv"], result)
    if "-" in (values["json_path"], values["tsv"]):
        return
    click.echo(_line(scores, "ned"))
    if values["all"]:
        for name in _SCORES[1:]:
            click.echo(f"{name} {_line(scores, name)}")


def _line(scores: MetricsDict, name: str) -> str:
    return drop_in_line(scores[name], scores["total"])


def _write_rows(path: str, result: Evaluation) -> None:
    columns = (*_SCORES, "total", "excluded", "skipped")
    with whole_file(path) as stream:
        stream.write(("\t".join(("sentence", *columns)) + "\n").encode())
        for name, scores in zip(result.ids, result.per_item(), strict=True):
            cells = [text_cell(name), *(str(scores[column]) for column in columns)]
            stream.write(("\t".join(cells) + "\n").encode())


def _options() -> Sequence[click.Option]:
    own = with_synonyms(flags([declared(Ned), declared(NedColumns)], set()), Ned.flag_synonyms)
    return [
        click.Option(["-if", "-s", "--system"], required=True, metavar="TEST", help="the trees to judge"),
        click.Option(["-gold", "-g", "--gold"], required=True, metavar="GOLD", help="the gold trees"),
        *own,
        click.Option(["--all"], is_flag=True, help="also print undirected and directed"),
        JSON,
        OutputOption(["--tsv"], metavar="PATH", help="write a row for each sentence (- is standard output)"),
        click.Option(["--format"], default="ned", metavar="NAME", help="format of the trees to judge", show_default=True),
        click.Option(["--gold-format"], default="ned", metavar="NAME", help="format of the gold trees", show_default=True),
        FAIL_OR_SKIP,
        QUIET,
    ]  # fmt: skip


ned = click.Command(
    "ned",
    callback=_run,
    params=list(_options()),
    help="Neutral edge direction, with the options and the output of its authors' script: "
    "-if TEST -gold GOLD [-ml N] prints CORRECT/TOTAL (SCORE).\n\n"
    "Intervals, tests and breakdowns: karat evaluate ned.",
)
