"""``karat viewer``: pages to look into pyramids and ROUGE with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import click

from karat.cli.common.options import OutputOption
from karat.cli.common.printing import warn
from karat.core.files.writing import whole_file

_ABOUT = (
    "The page needs no server and no network. Files can also be dropped on it, "
    "so that it can be written without any."
)


def _write(kind: Literal["pyramid", "rouge"], content: Mapping[str, Any], output: str) -> None:
    from karat.report.viewers.page import page

    written = page(kind, dict(content))
    with whole_file(output) as stream:
        stream.write(written)


def _scores(paths: Sequence[str]) -> dict[str, Any]:
    from karat.report.viewers import content

    found, warnings = content.scores_in(paths)
    warn(warnings)
    return found


def _pyramid(
    pyramids: str | None, annotations: Sequence[str], scores: Sequence[str], output: str
) -> None:
    from karat.report.viewers import content

    found = content.pyramids_in(pyramids) if pyramids is not None else {}
    if annotations:
        found |= content.annotations_in(annotations)
    _write("pyramid", found | _scores(scores), output)


def _rouge(summaries: str | None, scores: Sequence[str], output: str) -> None:
    from karat.report.viewers import content

    found = content.summaries_in(summaries) if summaries is not None else {}
    _write("rouge", found | _scores(scores), output)


def _options(name: str) -> list[click.Parameter]:
    return [
        click.Option(
            ["--scores"],
            multiple=True,
            metavar="FILE",
            help="scores or judgements, as karat score writes them; may be repeated",
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
                click.Argument(["pyramids"], required=False, metavar="[PYRAMIDS.jsonl]"),
                click.Option(
                    ["--annotations"],
                    multiple=True,
                    metavar="FILE",
                    help="annotations of summaries; may be repeated",
                ),
                *_options("pyramid"),
            ],
            callback=_pyramid,
        ),
        click.Command(
            "rouge",
            help="What of a summary is in its references, by n-grams, common subsequences, "
            f"skip-bigrams, n-gram graphs and alignments.\n\n{_ABOUT}",
            params=[
                click.Argument(["summaries"], required=False, metavar="[SUMMARIES.jsonl]"),
                *_options("rouge"),
            ],
            callback=_rouge,
        ),
    ],
)
