"""The carriers of requests: a process with pipes, or an HTTP server that takes POST requests."""

from __future__ import annotations

import atexit
import contextlib
import http.client
import os
import queue
import shlex
import subprocess
import threading
from base64 import b64encode
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from karat.errors import MissingExtra, OptionError
from karat.text.external.programs import without_password
from karat.text.external.protocol import HEALTH, Carrier, ExternalError

_MOST_BYTES = 1 << 28
_LAST_WORDS = 5.0
"""Seconds to wait for the end of what a program wrote; another one may keep that open."""


Key = TypeVar("Key", bound=Hashable)
Kept = TypeVar("Kept", bound="Process")


class Running(Generic[Key, Kept]):
    """One program per key, for all threads; a new one where it has ended.

    Processes do not share programs: an answer must go to the one who asked.
    """

    def __init__(self, start: Callable[[Key], Kept]) -> None:
        self._start = start
        self._lock = threading.Lock()
        self._found: dict[tuple[int, Key], Kept] = {}

    def __call__(self, key: Key) -> Kept:
        with self._lock:
            found = self._found.get((os.getpid(), key))
            if found is None or not found.running:
                found = self._found[os.getpid(), key] = self._start(key)
            return found


class Process:
    """A running program that answers line by line; it ends with this one."""

    def __init__(
        self, words: Sequence[str], timeout: float | None = None, folder: Path | None = None
    ) -> None:
        self.name = words[0]
        self.timeout = timeout
        self._lock = threading.Lock()
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                words, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder
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
            raise _too_late(self) from None
        if line:
            return line
        try:
            self._process.wait(self.timeout)
        except subprocess.TimeoutExpired:  # it closed its output, and runs on
            self._process.kill()
            self._process.wait()
        reason = self.last_words() or f"status {self._process.returncode}"
        raise ExternalError(f"{self.name} ended before it answered: {reason}", code="K412")

    def last_words(self) -> str:
        """The last line of what it wrote besides answers; empty where there is none."""
        self._error_reader.join(_LAST_WORDS)  # what it said last may still be under way
        last = b"".join(self._errors).decode("utf-8", "replace").strip().splitlines()[-1:]
        return "".join(last)


def _begun(how: tuple[str, float]) -> Process:
    command, timeout = how
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise OptionError(f"the command {command!r} is broken: {error}", code="K302") from None
    if not words:
        raise OptionError("the command is empty", code="K302")
    return Process(words, timeout)


_started: Running[tuple[str, float], Process] = Running(_begun)


def process(command: str, timeout: float) -> Process:
    """The process of a command: the one that runs already, or a new one."""
    return _started((command, timeout))


class Server:
    """A server at an address that the user gave; nothing else is ever connected to."""

    def __init__(self, url: str, timeout: float) -> None:
        self.name = without_password(url)
        self.timeout = timeout
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise OptionError(f"the address {self.name!r} is wrong: {error}", code="K302") from None
        if parts.scheme not in ("http", "https") or not host:
            raise OptionError(
                f"the address {self.name!r} must begin with http:// or https://", code="K302"
            )
        self._secure = parts.scheme == "https"
        self._host, self._port = host, port
        target = urlunsplit(("", "", parts.path or "/", parts.query, ""))
        self._target = quote(target, safe="/?:@!$&'()*+,;=%~[]")
        self._headers = {"Content-Type": "application/x-ndjson"}
        if parts.username is not None:
            who = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            self._headers["Authorization"] = f"Basic {b64encode(who.encode()).decode()}"

    def health(self) -> bytes:
        return self.exchange([HEALTH])[0]

    def exchange(self, requests: Sequence[bytes]) -> list[bytes]:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=self.timeout)
        try:
            body = b"\n".join(requests) + b"\n"
            connection.request("POST", self._target, body, self._headers)
            response = connection.getresponse()
            body = response.read(_MOST_BYTES + 1)
        except TimeoutError:
            raise _too_late(self) from None
        except (OSError, http.client.HTTPException) as error:
            raise ExternalError(
                f"{self.name} cannot be reached: {error}",
                code="K412",
                advice="start the server, or check its address",
            ) from None
        finally:
            connection.close()
        if response.status != 200:
            raise ExternalError(f"{self.name} answered with the status {response.status}")
        if len(body) > _MOST_BYTES:
            raise ExternalError(f"{self.name} answered with more than {_MOST_BYTES:,} bytes")
        return [line for line in body.split(b"\n") if line.strip()]


def _too_late(carrier: Process | Server) -> ExternalError:
    return ExternalError(
        f"{carrier.name} did not answer within {carrier.timeout:g} seconds",
        code="K411",
        advice="give it more time with ``timeout``",
    )


def carrier_of(command: str | None, url: str | None, timeout: float) -> Carrier | None:
    """The process of a command, or else the server at a URL; None where neither is given."""
    if command is not None:
        return process(command, timeout)
    return None if url is None else Server(url, timeout)
