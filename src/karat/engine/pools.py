"""Threads or processes of our own, which end as soon as they are of no use."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any


@contextmanager
def workers(jobs: int, *, threads: bool) -> Iterator[Executor]:
    """So many threads or processes for the length of a block."""
    own: ThreadPoolExecutor | ProcessPoolExecutor
    if threads:
        own = ThreadPoolExecutor(jobs)
    else:
        own = _Workers(jobs, multiprocessing.get_context("spawn"))
    try:
        yield own
    except BaseException:
        _stop(own)
        raise
    own.shutdown()


class _Workers(ProcessPoolExecutor):
    """Processes that leave interrupts to their parent, from their very first moment."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with _interrupts_held_back():
            return super().submit(fn, *args, **kwargs)


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Processes that are started in the block never see an interrupt; ours comes at its end."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # The tracker of multiprocessing would let interrupts through again when it starts.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
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
