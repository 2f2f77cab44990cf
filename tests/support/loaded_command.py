"""A process that has loaded what most commands load, and becomes one in a copy for each call.

Loading takes most of the time of a short command. `tests/cli/test_startup.py`, what needs a shell
and all tests that take the fixture `program` start commands from nothing.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from tempfile import TemporaryFile

_LOADED = ("karat.cli.evaluate", "karat.cli.compare", "karat.cli.files", "rich.table")

Call = tuple[list[str], str, dict[str, str], bytes]
"""Words of the command line, the folder, the environment, and standard input."""
Outcome = tuple[int, bytes, bytes]
"""Status, standard output and standard error."""


class LoadedCommand:
    """The process, as its owner sees it."""

    def __init__(self) -> None:
        self._connection, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.PIPE,  # no terminals, as for each call
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )

    def run(self, call: Call, timeout: float) -> Outcome:
        self._connection.send(call)
        if not self._connection.poll(timeout):
            os.killpg(self._process.pid, signal.SIGKILL)  # and the command
            raise subprocess.TimeoutExpired(call[0], timeout)
        outcome: Outcome = self._connection.recv()
        return outcome


def _answer(owner: Connection) -> None:
    """Answers calls until the owner ends; returns in the processes that are to be commands."""
    while True:
        try:
            words, folder, environment, given = owner.recv()
        except EOFError:
            os._exit(0)
        reading, writing = os.pipe()
        with TemporaryFile() as out, TemporaryFile() as err:
            if (process := os.fork()) == 0:
                for source, standard in (reading, 0), (out.fileno(), 1), (err.fileno(), 2):
                    os.dup2(source, standard)
                for each in (owner, out, err):
                    each.close()
                os.close(reading)
                os.close(writing)
                os.chdir(folder)
                os.environ.clear()
                os.environ.update(environment)
                sys.argv = words
                return
            os.close(reading)
            writer = threading.Thread(target=_write, args=(writing, given))
            writer.start()
            _, status = os.waitpid(process, 0)
            writer.join()
            for file in (out, err):
                file.seek(0)
            owner.send((os.waitstatus_to_exitcode(status), out.read(), err.read()))


def _write(descriptor: int, given: bytes) -> None:
    with suppress(BrokenPipeError), open(descriptor, "wb") as file:
        file.write(given)


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command has it
    for name in _LOADED:
        import_module(name)
    _answer(Connection(int(sys.argv[1])))
    from karat.__main__ import main

    main()
