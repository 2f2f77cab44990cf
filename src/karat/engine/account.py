"""The lines of ``--verbose``: what is read, how it is paired, how many workers there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat import cores
from karat.core.capabilities import ReadsOneFormat, has
from karat.core.reading.memory import MemoryStream
from karat.engine.jobs import Jobs, runs_elsewhere, share_of
from karat.engine.jobs import Log as Log
from karat.errors import counted

if TYPE_CHECKING:
    from karat.core.reading.plan import Plan
    from karat.core.reading.streams import FilePairs, Stream


def tell_reading(log: Log, files: FilePairs) -> None:
    """Logs which files are read, in which format, and why."""
    for stream in (files.system, *files.golds):
        options = "".join(f", {name}={value!r}" for name, value in stream.options.items())
        log(f"{stream.role} {stream.source.name}: {_reading(stream, files)}{options}")


def _reading(stream: Stream | MemoryStream, files: FilePairs) -> str:
    if isinstance(stream, MemoryStream):
        return "values in memory"
    if stream.is_guessed:
        why = "guessed from its content"
    elif has(files.metric, ReadsOneFormat):
        why = f"all that {files.metric.name} reads"
    else:
        why = "as was asked for"
    return f"read as {stream.format.name} ({why})"


def tell_pairing(log: Log, files: FilePairs, plan: Plan) -> None:
    """Logs how many items there are, and how they are paired."""
    found = f"{counted(len(plan.system), 'system item')}"
    if files.golds:
        sizes = " and ".join(f"{len(refs):,}" for refs in plan.golds)
        log(f"{found}, {sizes} of gold, {_pairing(files, plan)}: {counted(plan.size(), 'pair')}")
    else:
        log(f"{found}, no gold file: {counted(plan.size(), 'item')} to measure")


def _pairing(files: FilePairs, plan: Plan) -> str:
    if plan.matches is None:
        return f"paired by {files.metric.name} itself"
    if files.mode == "samples":
        return "paired by id, several samples of one"
    why = "" if files.mode == "auto" else ", as was asked for"
    return f"paired by {'position' if files.paired_by_position else 'id'}{why}"


def tell_jobs(log: Log, files: FilePairs, asked: Jobs, jobs: int, *, elsewhere: bool) -> None:
    """Logs how many workers there are, and why."""
    if elsewhere:
        why = "the workers of the executor"
    elif asked != "auto":
        why = "as was asked for"
    elif runs_elsewhere(files.metric):
        why = "the work is that of another program"
    else:
        share = f"{share_of(files.metric) >> 20} MiB"
        why = f"one for each {share} of the files, up to {counted(cores.available(), 'core')}"
    log(f"{counted(jobs, 'job')}: {why}")
