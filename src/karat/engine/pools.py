"""Threads or processes of our own, which end as soon as they are of no use.

Signals are left to the process that started the others: it ends them. Where it is gone, so that
nobody can, they end by themselves.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import Any


@contextmanager
def workers(jobs: int, *, threads: bool) -> Iterator[Executor]:
    """So many threads or processes for the length of a block."""
    own: ThreadPoolExecutor | ProcessPoolExecutor
    if threads:
        own = ThreadPoolExecutor(jobs)
    else:
        context = multiprocessing.get_context("spawn")
        own = _Workers(jobs, context, initializer=_end_with_parent)
    try:
        yield own
    except BaseException:
        _stop(own)
        raise
    own.shutdown()


class _Workers(ProcessPoolExecutor):
    """Processes that leave signals to their parent, from their very first moment."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with _signals_held_back():
            return super().submit(fn, *args, **kwargs)


def _end_with_parent() -> None:
    """To be run in a worker: ends it when its parent has ended, however that came about."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        # Nobody waits for what is under way, and nobody would see an error.
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
    # A pool whose processes are gone ends at once, and gives back what the system lent it;
    # threads cannot be stopped, and end with what they are doing.
    pool.shutdown(wait=bool(processes), cancel_futures=True)
