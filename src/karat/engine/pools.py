"""Pools of threads or processes for one run.

Worker processes ignore signals: the parent ends them. If the parent is gone, they end themselves.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import Any, Protocol, runtime_checkable

from karat.engine.jobs import can_fork


class Work(Protocol):
    """Work in independent parts."""

    def parcels(self) -> Iterator[tuple[Callable[..., Any], tuple[Any, ...]]]:
        """Functions and their arguments, which can be sent to another process."""


@runtime_checkable
class SharedWork(Work, Protocol):
    """Work that processes which share our memory can do by the number of the part."""

    def __len__(self) -> int: ...

    def do(self, number: int) -> Any: ...


def results(work: Work, jobs: int, *, threads: bool) -> Iterator[Any]:
    """The results of all parts, in order, with a bounded number under way.

    On so many workers: processes that share our memory where that is possible, else threads where
    these help, else freshly started processes.
    """
    if isinstance(work, SharedWork):
        jobs = min(jobs, max(1, len(work)))  # as all processes are forked with the first one
    with _submitting(work, jobs, threads) as futures:
        waiting: deque[Future[Any]] = deque()
        for future in futures:
            waiting.append(future)
            if len(waiting) > 2 * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


@contextmanager
def _submitting(work: Work, jobs: int, threads: bool) -> Iterator[Iterator[Future[Any]]]:
    """The parts of some work, submitted one by one as they are asked for."""
    global _shared
    own: ThreadPoolExecutor | ProcessPoolExecutor
    forks = isinstance(work, SharedWork) and can_fork()
    if threads and not forks:
        own = ThreadPoolExecutor(jobs)
    else:
        context = multiprocessing.get_context("fork" if forks else "spawn")
        own = _Workers(jobs, context, initializer=_end_with_parent)
    try:
        if forks:
            assert isinstance(work, SharedWork)
            _shared = work
            yield (own.submit(_do_shared, number) for number in range(len(work)))
        else:
            yield (own.submit(function, *arguments) for function, arguments in work.parcels())
    except BaseException:
        _stop(own)
        raise
    finally:
        _shared = None
    own.shutdown()


_shared: SharedWork | None = None
"""The work of forked processes, which share our memory."""


def _do_shared(number: int) -> Any:
    assert _shared is not None
    return _shared.do(number)


class _Workers(ProcessPoolExecutor):
    """A pool of processes that never handle signals themselves."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with _signals_held_back():
            return super().submit(fn, *args, **kwargs)


def _end_with_parent() -> None:
    """To be run in a worker: ends it when its parent has ended, however that came about."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        # There is no one left to take a result or to show an error.
        os._exit(1)

    threading.Thread(target=watch, name="karat-parent", daemon=True).start()


@contextmanager
def _signals_held_back() -> Iterator[None]:
    """Processes that are started in the block never see these signals; ours come at its end."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # The tracker of multiprocessing would let signals through again when it starts.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _stop(pool: ThreadPoolExecutor | ProcessPoolExecutor) -> None:
    """Ends at once: what is under way is of no use any more."""
    processes = list((getattr(pool, "_processes", None) or {}).values())
    for process in processes:
        process.kill()
    # A pool without processes ends at once, and frees its pipes and semaphores; threads cannot be
    # stopped, and end with what they are doing.
    pool.shutdown(wait=bool(processes), cancel_futures=True)
