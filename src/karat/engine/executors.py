"""Chunks on any `concurrent.futures.Executor`: a bounded number under way, none of them lost.

Workers may be anywhere. They must have the same karat; files that they cannot read are sent to
them as bytes.
"""

from __future__ import annotations

import os
import pickle
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, TimeoutError, wait
from functools import cache
from typing import Any, Protocol

import msgspec

from karat.arguments import shown
from karat.core.metric import Metric
from karat.engine.chunks import nothing_to_do
from karat.errors import KaratError, OptionError, RunError, counted
from karat.version import VERSION

_PER_WORKER = 4
"""How many chunks are under way for each worker, so that none of them waits for us."""
_TRIES = 4
"""How often a chunk is submitted: three times again, if its worker is lost."""
_LOOK = 0.5
"""After so many seconds without a result an executor that works while one waits is made to."""


class InputFile(msgspec.Struct, frozen=True):
    """A file that workers read: its size and the digest of its first bytes tell whether it is
    the same one where they are."""

    path: str
    size: int
    head: str

    @classmethod
    def of(cls, path: str) -> InputFile | None:
        """None where there is no such file."""
        from karat.core.files.opener import Source

        try:
            size, head = Source(path).size_and_head()
        except (KaratError, OSError):
            return None
        return cls(path, size, _digest(head))


class RemoteWork(Protocol):
    """Work that can be done by workers which share neither memory nor files with us."""

    @property
    def metric(self) -> Metric[Any, Any]: ...

    def files(self, arguments: tuple[Any, ...]) -> Sequence[str]:
        """The files that a worker would read for a part."""

    def parcels(self) -> Iterator[tuple[Callable[..., Any], tuple[Any, ...]]]:
        """Functions and their arguments, which can be sent to another process."""

    def shipped(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments of a part, with the bytes that it needs."""

    def describe(self, number: int) -> str:
        """A description of a part for messages."""


class Check(msgspec.Struct, frozen=True):
    """What a worker must have in common with this process."""

    version: str
    native: str
    metric: Metric[Any, Any]
    signature: str
    """With the versions of other libraries, and the digests of files that options name."""
    files: tuple[InputFile, ...]


class Outcome(msgspec.Struct):
    """The result of a part. Workers return errors; what they raise means that a worker is lost."""

    result: Any = None
    error: BaseException | None = None
    trace: str = ""
    differs: str = ""
    """How the worker differs from this process."""
    unreadable: bool = False
    """Whether the worker cannot read the files, and needs their bytes."""


def workers_of(executor: Executor, jobs: int = 1) -> int:
    """How many workers an executor has, as far as it tells."""
    if not hasattr(executor, "submit"):
        raise OptionError(f"an executor has a method submit, got {shown(executor)}", code="K302")
    if jobs > 1:
        return jobs
    client = getattr(executor, "_client", None)  # that of Dask
    if client is not None and hasattr(client, "ncores"):
        return max(1, int(sum(client.ncores().values())))
    known = getattr(executor, "_max_workers", None)
    return known if isinstance(known, int) and known > 0 else os.cpu_count() or 1


def results_on(
    executor: Executor,
    work: RemoteWork,
    jobs: int = 1,
    on_result: Callable[[int, Any], None] | None = None,
) -> Iterator[Any]:
    """The results of all parts, in their order; `on_result` is told of them as they come.

    A part that is lost with its worker is submitted again, three times; then it is named.
    """

    early: dict[int, Any] = {}
    due = 0
    for number, result in _as_they_come(executor, work, jobs):
        if on_result is not None and result is not None and not isinstance(result, _RaisedError):
            on_result(number, result)
        early[number] = result
        while due in early:
            found = early.pop(due)
            if isinstance(found, _RaisedError):
                raise found.error from found.cause
            yield found
            due += 1


class _RaisedError(msgspec.Struct):
    """An error that takes the place of a result."""

    error: BaseException
    cause: BaseException | None


class RemoteTraceback(Exception):
    """The traceback of an error in a worker."""


def _as_they_come(executor: Executor, work: RemoteWork, jobs: int) -> Iterator[tuple[int, Any]]:
    """The results with the numbers of their parts; errors are `_RaisedError`.

    After an error no more parts are begun, and only those before it are waited for.
    """
    run = _Run(executor, work)
    limit = _PER_WORKER * workers_of(executor, jobs)
    failed: int | None = None
    parcels = enumerate(work.parcels())
    more = True
    try:
        while True:
            while more and failed is None and len(run.under_way) < limit:
                if (parcel := next(parcels, None)) is None:
                    more = False
                    break
                if parcel[1][0] is nothing_to_do:
                    yield parcel[0], None
                    continue
                run.submit(parcel[0], *parcel[1])
                if run.done_at_once():
                    break
            if failed is not None:
                run.forget_after(failed)
            if not run.under_way:
                if not more or failed is not None:
                    return
                continue
            for number, result in run.finished():
                if isinstance(result, _RaisedError):
                    failed = number if failed is None else min(failed, number)
                yield number, result
    finally:
        run.forget_after(-1)


class _Run:
    """The parts of some work that an executor has."""

    def __init__(self, executor: Executor, work: RemoteWork) -> None:
        self.executor, self.work = executor, work
        self.check = Check(VERSION, native_build(), work.metric, work.metric.signature(), ())
        self.known: dict[str, InputFile | None] = {}
        self.ships = False
        self.under_way: dict[Future[Outcome], int] = {}
        self.parts: dict[int, tuple[Callable[..., Any], tuple[Any, ...]]] = {}
        self.tries: dict[int, int] = {}
        self.last: Future[Outcome] | None = None

    def submit(self, number: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.parts[number] = function, arguments
        self._submit(number)

    def _submit(self, number: int) -> None:
        function, arguments = self.parts[number]
        check = self.check
        if self.ships:
            arguments = self.work.shipped(arguments)
        elif paths := self.work.files(arguments):
            check = msgspec.structs.replace(check, files=self._files(paths))
        self.tries[number] = self.tries.get(number, 0) + 1
        try:
            future = self.executor.submit(do_part, check, function, arguments)
        except Exception as error:  # an executor that is broken, or was shut down
            self._check()
            raise self._lost(number, error) from error
        self.last = future
        self.under_way[future] = number

    def _files(self, paths: Sequence[str]) -> tuple[InputFile, ...]:
        for path in paths:
            if path not in self.known:
                self.known[path] = InputFile.of(path)
        found = [self.known[path] for path in paths]
        return tuple(file for file in found if file is not None)

    def done_at_once(self) -> bool:
        """Whether what was submitted last is done, so that there is no need to submit more."""
        return self.last is not None and self.last.done()

    def finished(self) -> list[tuple[int, Any]]:
        """The results that are there, or the next one."""
        done, _ = wait(self.under_way, timeout=_LOOK, return_when=FIRST_COMPLETED)
        if not done:
            self._check()
            # Some executors work only while one waits for a certain result.
            first = min(self.under_way, key=self.under_way.__getitem__)
            try:
                first.result(timeout=0)
            except TimeoutError:
                return []
            except Exception:  # noqa: S110 - `_taken` looks at it
                pass
            done = {first}
        found = []
        for future in sorted(done, key=self.under_way.__getitem__):
            number = self.under_way.pop(future)
            if (result := self._taken(number, future)) is not None:
                self.parts.pop(number)
                found.append((number, result))
        return found

    def _taken(self, number: int, future: Future[Outcome]) -> Any:
        """The result of a part, or None where it had to be submitted again."""
        try:
            outcome = future.result()
        except (pickle.PicklingError, TypeError, AttributeError):  # it cannot be sent
            raise
        except BaseException as error:
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise
            self._check()
            if isinstance(error, ImportError):
                raise _differs(f"a worker cannot load what is needed: {error}") from None
            if self.tries[number] >= _TRIES:
                raise self._lost(number, error) from error
            self._submit(number)
            return None
        if outcome.differs:
            raise _differs(outcome.differs)
        if outcome.unreadable:
            self.ships = True
            self._submit(number)
            return None
        if outcome.error is not None:
            cause = RemoteTraceback(outcome.trace) if outcome.trace else None
            return _RaisedError(outcome.error, cause)
        return outcome.result

    def _check(self) -> None:
        """Lets an executor that knows say that nothing will come any more."""
        check = getattr(self.executor, "check", None)
        if check is not None:
            check()

    def _lost(self, number: int, error: BaseException) -> RunError:
        tries = counted(self.tries[number], "time")
        why = f"{type(error).__name__}: {error}".strip().removesuffix(":")
        return RunError(
            f"{self.work.describe(number)} was given to workers {tries}, and they were lost: {why}",
            code="K701",
            advice="check that the workers run and have enough memory; ``resume`` keeps what "
            "is done",
        )

    def forget_after(self, number: int) -> None:
        """Gives up the parts after this one."""
        for future, each in list(self.under_way.items()):
            if each > number:
                future.cancel()
                del self.under_way[future]


def _differs(message: str) -> RunError:
    return RunError(message, code="K704", advice="install the same karat everywhere")


def do_part(check: Check, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Outcome:
    """To be run by a worker."""
    try:
        if differs := _difference(check):
            return Outcome(differs=differs)
        if any(InputFile.of(file.path) != file for file in check.files):
            return Outcome(unreadable=True)
        return Outcome(function(*arguments))
    except KaratError as error:
        return Outcome(error=error)
    except Exception as error:
        return Outcome(error=_sendable(error), trace=traceback.format_exc())


def _sendable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - what was just made here
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _difference(check: Check) -> str:
    import platform

    for ours, theirs, what in (
        (VERSION, check.version, "karat"),
        (native_build(), check.native, "another build of karat's native module:"),
        (_signature(check.metric), check.signature, "the metric"),
    ):
        if ours != theirs:
            return f"the worker on {platform.node()} has {what} {ours}, here it is {theirs}"
    return ""


@cache
def _signature(metric: Metric[Any, Any]) -> str:
    return metric.signature()


@cache
def native_build() -> str:
    """A short digest of the native module."""
    from pathlib import Path

    from karat import _native

    return _digest(Path(str(_native.__file__)).read_bytes())[:12]


def _digest(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()
