"""What matched, what is missing, what is surplus: one JSON line per item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any

import msgspec

from karat.core.evaluation import Evaluation
from karat.core.items import Pair
from karat.core.opener import Source
from karat.core.pairing import Report
from karat.core.reading import FilePairs, only_once


def pairs_again(run: Evaluation, format_options: Mapping[str, Any]) -> Iterator[Pair]:
    """Reads the files of a run once more, to look at the items themselves."""
    assert run.inputs is not None
    for each in run.inputs.files:
        if not each.sha256:
            raise only_once(Source(each.path).name)
    system = next(each for each in run.inputs.files if each.role == "system")
    golds = [each for each in run.inputs.files if each.role == "gold"]
    return iter(
        FilePairs(
            run.metric,
            system.path,
            [each.path for each in golds],
            format=system.format,
            gold_format=golds[0].format if golds else None,
            format_options=format_options,
            mode=run.inputs.pair,
            report=Report(run.inputs.on_error),
        )
    )


def write_profile(stream: IO[bytes], run: Evaluation, format_options: Mapping[str, Any]) -> None:
    """The most frequent errors of a run."""
    found = run.metric.error_profile(
        run.metric.explain(pair.system, pair.gold) for pair in pairs_again(run, format_options)
    )
    stream.write(msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n")


def write(stream: IO[bytes], runs: Sequence[Evaluation], format_options: Mapping[str, Any]) -> None:
    """The explanation of every pair of every run."""
    for run in runs:
        named = {} if len(runs) == 1 else {"system": run.system, "metric": run.metric.name}
        for pair in pairs_again(run, format_options):
            explanation = run.metric.explain(pair.system, pair.gold)
            stream.write(msgspec.json.encode({"id": pair.id, **named, **explanation}) + b"\n")
