"""A program that reads requests from its input and writes answers to its output."""

from __future__ import annotations

import atexit
import contextlib
import queue
import shlex
import subprocess
import threading
from collections.abc import Sequence

from karat.errors import MissingExtra, OptionError
from karat.text.external.program import Running
from karat.text.external.protocol import HEALTH, ExternalError

_LAST_WORDS = 5.0
"""Seconds to wait for the end of what a program wrote; another one may keep that open."""


class Process:
    """A running program; it ends with this one."""

    def __init__(self, command: str, timeout: float) -> None:
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise OptionError(f"the command {command!r} is broken: {error}", code="K302") from None
        if not words:
            raise OptionError("the command is empty", code="K302")
        self.name = words[0]
        self.timeout = timeout
        self._lock = threading.Lock()
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except OSError as error:
            raise MissingExtra(
                f"the program {self.name!r} cannot be started: {error.strerror}", code="K403"
            ) from None
        self._answers: queue.Queue[bytes] = queue.Queue()
        self._errors: list[bytes] = []
        self._error_reader = threading.Thread(target=self._read_errors, daemon=True)
        self._readers = [
            threading.Thread(target=self._read_answers, daemon=True),
            self._error_reader,
        ]
        for reader in self._readers:
            reader.start()
        atexit.register(self.stop)

    def _read_answers(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put(b"")

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._errors[:] = [*self._errors[-20:], line]

    def stop(self) -> None:
        """Ends the program."""
        self._process.kill()
        self._process.wait()
        for reader in self._readers:  # they end with the program's output
            reader.join(1)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def health(self) -> bytes:
        return self.exchange([HEALTH])[0]

    def exchange(self, requests: Sequence[bytes]) -> list[bytes]:
        with self._lock:
            try:
                # A thread writes, so that neither side waits for the other with full pipes.
                writer = threading.Thread(target=self._write, args=(requests,), daemon=True)
                writer.start()
                answers = [self._answer() for _ in requests]
                writer.join(self.timeout)
            except BaseException:
                # Also when a user interrupts: what was asked would be answered to the next one.
                self.stop()
                raise
        return answers

    def _write(self, requests: Sequence[bytes]) -> None:
        assert self._process.stdin is not None
        try:
            for request in requests:
                self._process.stdin.write(request + b"\n")
            self._process.stdin.flush()
        except OSError:  # it ended; who waits for the answer says so
            return

    def _answer(self) -> bytes:
        try:
            line = self._answers.get(timeout=self.timeout)
        except queue.Empty:
            raise ExternalError(
                f"{self.name} did not answer within {self.timeout:g} seconds",
                code="K411",
                advice="give it more time with ``timeout``",
            ) from None
        if line:
            return line
        try:
            self._process.wait(self.timeout)
        except subprocess.TimeoutExpired:  # it closed its output, and runs on
            self._process.kill()
            self._process.wait()
        self._error_reader.join(_LAST_WORDS)  # what it said last may still be under way
        last = b"".join(self._errors).decode("utf-8", "replace").strip().splitlines()[-1:]
        reason = last[0] if last else f"status {self._process.returncode}"
        raise ExternalError(f"{self.name} ended before it answered: {reason}", code="K412")


_started: Running[tuple[str, float], Process] = Running(lambda how: Process(*how))


def process(command: str, timeout: float) -> Process:
    """The program of a command: the one that runs already, or a new one."""
    return _started((command, timeout))
