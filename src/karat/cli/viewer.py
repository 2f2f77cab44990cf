"""``karat viewer``: the page of pyramids or of ROUGE, as ``karat evaluate --report`` writes it."""

from __future__ import annotations

from collections.abc import Sequence

import click

from karat.cli.common.options import OutputOption
from karat.cli.common.printing import warn
from karat.core.files.writing import refuse_replacing, whole_file
from karat.core.runs.evaluation import Evaluation

_ABOUT = "The same page as that of karat evaluate with --report; it needs no server and no network."


def _write(runs: Sequence[Evaluation], scores: Sequence[str], output: str) -> None:
    from karat.report.page import PageMaker

    for run in runs:
        files = run.inputs.files if run.inputs else ()
        refuse_replacing(output, "--output", {each.path: each.role for each in files})
    page, notes = PageMaker(runs, judgements=scores).page()
    warn(notes)
    with whole_file(output) as stream:
        stream.write(page)


def _pyramid(pyramids: str, annotations: Sequence[str], scores: Sequence[str], output: str) -> None:
    from karat.engine import evaluate

    runs = [
        evaluate(
            "pyramid-score",
            system=path,
            format="pyramid-based",
            format_options={"pyramids": pyramids},
        )
        for path in annotations
    ]
    _write(runs, scores, output)


def _rouge(summaries: str, scores: Sequence[str], output: str) -> None:
    from karat.engine import evaluate

    _write([evaluate("rouge(compute_rouge_l=True)", system=summaries)], scores, output)


def _options(name: str) -> list[click.Parameter]:
    return [
        click.Option(
            ["--scores"],
            multiple=True,
            metavar="FILE",
            help="judgements of the outputs, as karat correlate reads them; may be repeated",
        ),
        OutputOption(
            ["-o", "--output"],
            default=f"{name}.html",
            show_default=True,
            metavar="PAGE.html",
            help="where to write the page (- is standard output)",
        ),
    ]


viewer = click.Group(
    "viewer",
    help=f"Write a page to look into pyramids or ROUGE with.\n\n{_ABOUT}",
    commands=[
        click.Command(
            "pyramid",
            help=f"Content units, who contributes to them, and the scores of summaries.\n\n{_ABOUT}",
            params=[
                click.Argument(["pyramids"], metavar="PYRAMIDS.jsonl"),
                click.Option(
                    ["--annotations"],
                    multiple=True,
                    required=True,
                    metavar="FILE",
                    help="annotations of summaries; may be repeated",
                ),
                *_options("pyramid"),
            ],
            callback=_pyramid,
        ),
        click.Command(
            "rouge",
            help="What of a summary is in its references, by n-grams and common "
            f"subsequences.\n\n{_ABOUT}",
            params=[
                click.Argument(["summaries"], metavar="SUMMARIES.jsonl"),
                *_options("rouge"),
            ],
            callback=_rouge,
        ),
    ],
)
