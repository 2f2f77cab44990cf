"""The number of workers of a run, as given or by the size of its files, and what a run tells."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from karat import cores
from karat.core.capabilities import ReadsOneFormat, has, would_run
from karat.core.metric import Metric
from karat.core.reading.items import Refs
from karat.core.reading.memory import MemoryStream
from karat.core.reading.plan import Plan
from karat.core.reading.streams import FilePairs, Stream
from karat.errors import OptionError, counted

Jobs: TypeAlias = int | Literal["auto"]
"""A number of workers, or that the size of the work decides."""

Progress = Callable[[int], None]
"""Called with the number of pairs measured since the last call."""

Log: TypeAlias = Callable[[str], None]
"""Called with each line of what ``--verbose`` tells."""

PER_WORKER = 2 << 20
"""A worker that shares our memory starts in the time that so many bytes take to be measured: 40 ms
and more, at 20 ns a byte where kernels take bytes, 80 to 300 ns where values are made."""
PER_NEW_PROCESS = 16 << 20
"""The same of a process that starts from nothing and loads everything."""

_MOST_JOBS = 1 << 16


@runtime_checkable
class Watcher(Protocol):
    """A progress display that is told the amount of work beforehand."""

    def begin(self, pairs: int, jobs: int, chunks: int) -> None:
        """So many pairs are about to be measured by so many workers, in so many chunks."""

    def __call__(self, done: int, /) -> None: ...


def tell(progress: Progress | None, pairs: int, jobs: int, chunks: int) -> None:
    """Tells the amount of work to a `Watcher`."""
    if isinstance(progress, Watcher):
        progress.begin(pairs, jobs, chunks)


def workers(jobs: Jobs, files: FilePairs, plan: Plan) -> int:
    """How many workers measure the pairs of files.

    `auto` gives one to each two MiB of the files, up to the cores that this process may use. It
    looks at sizes alone, so that the same files are always treated in the same way.
    """
    if jobs != "auto":
        return checked(jobs)
    cap = cores.available()
    if cap == 1 or runs_elsewhere(files.metric):
        return 1
    sizes = [stamp[0] for stamp in files.stamps()]
    total = sum(_bytes(refs, size) for refs, size in zip(plan.files(), sizes, strict=False))
    if plan.matches is None:
        cap = min(cap, len(plan.cuts))
    return max(1, min(cap, total // share_of(files.metric)))


def share_of(metric: Metric[Any, Any]) -> int:
    """The number of bytes for which another worker pays off."""
    return PER_WORKER if can_fork() or metric.releases_gil else PER_NEW_PROCESS


def checked(jobs: int) -> int:
    """The number of workers, if it is one; more than there are processes are not started."""
    if jobs < 1:
        raise OptionError(f"the number of jobs must be at least 1, got {jobs}", code="K302")
    return min(int(jobs), _MOST_JOBS)


def runs_elsewhere(metric: Metric[Any, Any]) -> bool:
    """Whether another program does the work, which each worker would start again."""
    return bool(would_run(metric))


def can_fork() -> bool:
    """Whether forking is safe: no other thread can hold a lock in the copy."""
    started_threads = {"torch", "tensorflow", "jax", "onnxruntime"} & sys.modules.keys()
    return sys.platform == "linux" and threading.active_count() == 1 and not started_threads


def _bytes(refs: Refs, size: int) -> int:
    """The bytes of items, or of their file where they are parsed already."""
    if refs.items is not None:
        return max(size, 0)
    return int((refs.end - refs.begin).sum())


# -- what --verbose tells -------------------------------------------------------------------------


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
