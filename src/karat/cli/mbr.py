"""``karat mbr``: choose among the outputs of several systems, or among samples."""

from __future__ import annotations

import click

from karat.cli.common.measuring import Request, open_outputs
from karat.cli.common.metric_command import MetricCommand
from karat.cli.common.options import JSON, READING, SCORE, SEED, DependentOption, OutputOption
from karat.cli.common.printing import show, warn
from karat.core.files.writing import indented_json
from karat.engine.consensus import WAYS
from karat.engine.consensus import mbr as choose
from karat.errors import OptionError


def _weights(_: click.Context, __: click.Parameter, text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        return tuple(map(float, text.split(",")))
    except ValueError:
        raise click.BadParameter(f"{text!r}: expected numbers with commas between them") from None


def _run(
    request: Request,
    *,
    judge: str | None,
    weights: tuple[float, ...] | None,
    oracle: bool,
    random: bool,
    worst: bool,
    output: str | None,
    score: str | None,
    seed: int,
    json_path: str | None,
) -> None:
    request.check_stdin(again=bool(request.gold))
    if len(request.metrics) != 1:
        raise OptionError("one metric chooses; another one can be the ``judge``", code="K322")
    if request.pair not in ("auto", "samples"):
        raise OptionError(f"``pair='{request.pair}'`` has no meaning here", code="K301")
    asked = {"oracle": oracle, "random": random, "worst": worst}
    ways = [way for way in WAYS if asked[way]]
    outputs = {"output": output, "json": json_path}
    with open_outputs(outputs) as streams:
        found = choose(
            request.metrics[0],
            request.system,
            request.gold or None,
            weights=weights,
            judge=judge,
            score=score,
            seed=seed,
            **request.reading,
        )
        document = found.to_dict(ways)
        warn(document["warnings"], request.quiet)
        if "output" in streams:
            found.write(streams["output"])
        if "json" in streams:
            streams["json"].write(indented_json(document))
    if "-" not in outputs.values():
        show([document], None, lambda tables: tables.consensus(found, document))


mbr = MetricCommand(
    "mbr",
    "Choose, for each item, the output that agrees best with the others.\n\n"
    "The candidates are the outputs of several SYSTEM files, or several samples of each id in "
    "one file. With GOLD, the chosen outputs are measured beside the systems, also by a second "
    "metric, since the one that chose favours its choice.",
    [
        *READING,
        click.Option(["--weights"], metavar="W1,W2,...", callback=_weights, help="how much the agreement with each system counts"),
        DependentOption(["--judge"], needs=("gold",), metavar="METRIC", help="a second metric that measures against gold (default: one for the kind of items)"),
        DependentOption(["--oracle"], needs=("gold",), is_flag=True, help="also the best choice by gold, among the first 1, 2, 4, ... candidates"),
        DependentOption(["--random"], needs=("gold",), is_flag=True, help="also the mean of 100 random choices"),
        DependentOption(["--worst"], needs=("gold",), is_flag=True, help="also the worst choice by gold"),
        OutputOption(["-o", "--output"], metavar="FILE", help="write the chosen outputs, in the format of the systems"),
        SCORE,
        SEED,
        JSON,
    ],
    _run,
)  # fmt: skip
