"""Workers on a Dask cluster, either started locally or reached through a scheduler."""

from __future__ import annotations

import math
import os
import pickle
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import ExitStack, suppress
from importlib import import_module
from typing import Any

from karat.engine.executors import Outcome
from karat.errors import MissingExtra, OptionError, RunError

_CONNECTING = "15"
"""Seconds until a scheduler has to answer, and to have a worker, unless KARAT_DASK_TIMEOUT says."""

_LOGGERS = ("distributed", "tornado", "asyncio")
_WARNINGS = (
    "Creating scratch directories",
    "Sending large graph",
    "coroutine '.*' was never awaited",
)
"""Warnings of Dask that are suppressed: about a busy machine, large chunks, a lost scheduler."""


class Cluster:
    """A cluster as ``dask`` names it: ``local``, ``local:4`` or the address of a scheduler.

    It is started, or reached, when it is first asked for its workers.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._count: int | None = None
        kind, _, rest = name.partition(":")
        is_count = rest.isdecimal() and int(rest) > 0
        if kind == "local" and (name == "local" or is_count):
            self._count = int(rest) if rest else 0
        elif "://" not in name:
            raise OptionError(
                f"``dask`` must be local, local:N or the address of a scheduler, got {name!r}",
                code="K302",
                advice="such as local:4 or tcp://192.168.0.1:8786",
            )
        self._stack = ExitStack()
        self._executor: DaskExecutor | None = None

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
        self._executor = None

    def executor(self) -> DaskExecutor:
        """The workers."""
        if self._executor is None:
            self._executor = DaskExecutor(self._client(), self.name)
        return self._executor

    def _client(self) -> Any:
        distributed = _package("distributed")
        _silence()
        seconds = _timeout()
        address: Any = self.name
        if self._count is not None:
            with _package("dask.config").set({_ENVIRONMENT: _silent_environment()}):
                address = self._stack.enter_context(
                    distributed.LocalCluster(
                        n_workers=self._count or None,
                        threads_per_worker=1,
                        processes=True,
                        dashboard_address=None,
                        silence_logs="CRITICAL",
                    )
                )
        try:
            client = distributed.Client(address, timeout=seconds, set_as_default=False)
        except (OSError, ValueError) as error:
            raise RunError(
                f"no Dask scheduler answers at {self.name}: {error}",
                code="K702",
                advice="start one with: dask scheduler",
            ) from None
        self._stack.callback(_close, client)
        try:
            client.wait_for_workers(1, timeout=seconds)
        except TimeoutError:
            raise RunError(
                f"the cluster at {self.name} has no workers",
                code="K702",
                advice=f"start some with: dask worker {self.name}",
            ) from None
        return client


def _timeout() -> float:
    told = os.environ.get("KARAT_DASK_TIMEOUT", "").strip() or _CONNECTING
    try:
        seconds = float(told)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise OptionError(
            f"the environment's KARAT_DASK_TIMEOUT is a number of seconds, got {told!r}",
            code="K302",
        )
    return seconds


_ENVIRONMENT = "distributed.nanny.pre-spawn-environ"


def _silence() -> None:
    """Leaves what happens to workers to our own errors, each in one line.

    Dask's connections live in Tornado's event loop, which logs what breaks in them under its
    own name.
    """
    import logging
    import warnings

    for logger in (*_LOGGERS, *logging.root.manager.loggerDict):
        if logger.partition(".")[0] in _LOGGERS:
            logging.getLogger(logger).setLevel(logging.CRITICAL)
    for message in _WARNINGS:
        warnings.filterwarnings("ignore", message)


def _silent_environment() -> dict[str, str]:
    """The environment that silences local worker processes from their start."""
    known = _package("dask.config").get(_ENVIRONMENT)
    levels = dict.fromkeys((*_LOGGERS, "tornado.application", "distributed.client"), "critical")
    return {**known, "DASK_LOGGING": repr(levels), "PYTHONWARNINGS": f"ignore:{_WARNINGS[0]}"}


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtra.package("distributed", "dask", "running on a cluster") from None


def _close(client: Any) -> None:
    with suppress(Exception):  # the scheduler may be gone
        client.close(timeout=2)


class DaskExecutor(Executor):
    """The workers of a Dask cluster."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._name = name
        self._inner = client.get_executor(pure=False)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        # Dask would look through all arguments for work of its own.
        data = _package("distributed.protocol.pickle").dumps((fn, args, kwargs))
        found: Future[Any] = self._inner.submit(_unpacked, data)
        return found

    def check(self) -> None:
        """Raises if the connection to the scheduler is lost."""
        if self._client.status != "running" or not self._client.scheduler.comm:
            raise self._gone()
        comm = self._client.scheduler_comm
        if comm is None or comm.comm is None or comm.comm.closed():
            raise self._gone()

    def _gone(self) -> RunError:
        return RunError(
            f"the Dask scheduler at {self._name} is gone",
            code="K703",
            advice="start it again, and give the same command; ``resume`` keeps what is done",
        )

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._inner.shutdown(wait=wait and not cancel_futures)


def _unpacked(data: bytes) -> Any:
    """To be run by a worker."""
    import platform

    try:
        fn, args, kwargs = pickle.loads(data)  # noqa: S301 - a worker runs what it is sent
    except ImportError as error:
        return Outcome(
            differs=f"the worker on {platform.node()} cannot load what is needed: {error}"
        )
    return fn(*args, **kwargs)
