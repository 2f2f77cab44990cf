"""``karat score``: every output by itself, jackknifed, for meta-evaluation."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import click

from karat.cli.common.measuring import Request
from karat.cli.common.metric_command import MetricCommand, open_places
from karat.cli.common.options import JOBS, MEASURING, QUIET, RUNNING, OutputOption
from karat.cli.common.printing import progress_bar, warn
from karat.core.files.writing import refuse_replacing, whole_file
from karat.engine.jobs import Jobs
from karat.errors import OptionError, counted
from karat.meta.records import write_records
from karat.meta.scoring import Files, Scores, score_files


def _run(
    request: Request, *, output: str | None, jackknife: bool, allow_duplicates: bool, names: Any
) -> None:
    files = Files(
        request.system, request.gold, request.format, request.gold_format, request.format_options,
        request.pair, request.on_error, request.log,
    )  # fmt: skip
    # A bar and lines would write over each other.
    with progress_bar("scoring", request.quiet or request.verbose) as progress:
        scores = score_files(
            request.metrics,
            files,
            jackknife_peers=jackknife,
            naming=names,
            allow_duplicates=allow_duplicates,
            jobs=request.jobs,
            progress=progress,
            resume=request.resume,
            executor=request.executor(),
        )
    _write(scores, output or "-", request.quiet)


def _write(scores: Scores, output: str, quiet: bool) -> None:
    with whole_file(output) as stream:
        undefined = write_records(scores.records, stream)
    warn(scores.warnings, quiet)
    if undefined:
        warn([f"{undefined} infinite or undefined numbers are null"], quiet)
    if not quiet:
        note = f"{counted(len(scores.records), 'output')} scored by {', '.join(scores.signatures)}"
        click.echo(note, err=True)


class ScoreCommand(MetricCommand):
    """Takes metrics, or a configuration in their place."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Brings --config to the front, as the command that it is."""
        for i, word in enumerate(args):
            option, equals, value = word.partition("=")
            if option == "--config":
                args = ["config", *([value] if equals else []), *args[:i], *args[i + 1 :]]
                break
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] == "config":
            return "--config", by_plan, args[1:]
        return super().resolve_command(ctx, args)


@click.command(
    "--config",
    params=[
        click.Argument(["path"], metavar="PLAN"),
        OutputOption(["-o", "--output"], metavar="SCORES.jsonl", help="where the scores go, whatever the plan says"),
        click.Option(["--overrides"], metavar="JSON", help='settings in place of those of the plan, such as {"pair": "id", "runs": {"0": {"system": "b.txt"}}}'),
        JOBS,
        QUIET,
        *RUNNING,
    ],
)  # fmt: skip
def by_plan(
    path: str,
    output: str | None,
    overrides: str | None,
    jobs: Jobs,
    quiet: bool,
    resume: str | None,
    dask: str | None,
) -> None:
    """Score several sets of files by several metrics, as a TOML or JSON file says."""
    from karat.meta.plans import read_plan

    plan = read_plan(path, _settings(overrides) if overrides is not None else None)
    target = output or plan.output
    if target is None:
        raise OptionError(
            "neither the plan nor the command says where the scores go",
            code="K349",
            advice='write output = "scores.jsonl" in the plan, or give -o',
        )
    refuse_replacing(target, "the output", {path: "--config is", **plan.inputs()})
    asked: dict[str, Any] = {"jobs": jobs, "resume": resume}
    with ExitStack() as stack:
        open_places(asked, dask, stack)
        progress = stack.enter_context(progress_bar("scoring", quiet))
        machines = asked.pop("machines", None)
        scores = plan.score(**asked, progress=progress, executor=machines and machines.executor())
    _write(scores, target, quiet)


def _settings(text: str) -> dict[str, Any]:
    import msgspec

    from karat.core.files.notations import doubled_key

    if name := doubled_key(text):
        raise OptionError(f"--overrides has the key {name!r} twice in one object", code="K349")
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError) as error:
        raise OptionError(
            f"--overrides must be a JSON object: {error}",
            code="K349",
            advice="""such as --overrides '{"output": "other.jsonl"}'""",
        ) from None


score = ScoreCommand(
    "score",
    "Score every output by itself, for meta-evaluation.\n\n"
    "All systems and humans together, one JSON line for each output, sorted by "
    "input and system. Without -g the records hold their references and say who "
    "made them (summarizer_id, summarizer_type). Scores of systems against all "
    "references but one, and scores of humans, have names that end in _jk. "
    "In place of a metric, karat score --config PLAN.toml runs several metrics over "
    "several sets of files.",
    [
        *MEASURING,
        OutputOption(["-o", "--output"], metavar="SCORES.jsonl", help="where the scores go (default: standard output)"),
        click.Option(["--jackknife/--no-jackknife"], default=True, show_default=True, help="score systems against all sets of references that lack one, too"),
        click.Option(["--allow-duplicates"], is_flag=True, help="where an output occurs twice take the last, with a warning"),
        click.Option(["--names"], type=click.Choice(["auto", "nested", "plain"]), default="auto", show_default=True, help="nested puts scores under their metric's name; auto does so unless it is a metric of texts"),
    ],
    _run,
)  # fmt: skip
