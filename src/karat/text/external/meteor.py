"""Alignment counts by the original Java engine, one process that answers line by line."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from karat.core.files.data_folder import metric_folder
from karat.core.scores import Array
from karat.errors import KaratError, MissingExtra, shell
from karat.text.external.carriers import Running
from karat.text.unique_pairs import Ints

JAR = "meteor-1.5.jar"
_FIGURES = 23
"""How many figures the engine gives for an alignment, in the order of the metric's columns."""


def find_jar(path: str | None = None) -> Path:
    """The engine's jar, or an error that says how to get it."""
    places = [Path(path)] if path else [metric_folder("meteor") / JAR]
    if not path:
        spec = find_spec("pycocoevalcap")
        folders = (spec.submodule_search_locations or []) if spec else []
        places += [Path(folder) / "meteor" / JAR for folder in folders]
    for place in places:
        if place.is_file():
            return place
    raise MissingExtra(
        f"the Java engine of meteor needs {JAR}, which is not at {places[0]}",
        code="K402",
        advice=f"{shell('setup metric meteor', 'from', 'FOLDER')} puts it there; "
        "pip install pycocoevalcap brings it too",
    )


def find_java() -> str:
    """The Java program, or an error that says how to get it."""
    java = shutil.which("java")
    if java is None:
        raise MissingExtra(
            "the Java engine of meteor needs the program java, which is not on the path",
            code="K403",
            advice="install a Java runtime (Debian: apt install default-jre-headless)",
        )
    return java


class Engine:
    """A running engine; it ends with this process."""

    def __init__(self, jar: Path) -> None:
        command = [find_java(), "-Xmx2G", "-jar", str(jar), "-", "-", "-stdio", "-l", "en", "-norm"]
        self._lock = threading.Lock()
        # A file: a pipe that is not read would block an engine that writes much.
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            command,
            cwd=jar.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            encoding="utf-8",
            errors="replace",  # half characters, which no file can hold
        )
        atexit.register(self.stop)

    def stop(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def counts(self, texts: Sequence[str], pairs: Ints) -> Array:
        """A row of counts for each pair (system text, gold text)."""
        with self._lock:
            rows = [self._ask(texts[system], texts[gold]) for system, gold in pairs.tolist()]
        return np.array(rows, np.float64).reshape(len(rows), _FIGURES)

    def _ask(self, system: str, gold: str) -> list[float]:
        line = f"SCORE ||| {_one_line(gold)} ||| {_one_line(system)}\n"
        try:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write(line)
            self._process.stdin.flush()
            answer = self._process.stdout.readline().split()
            row = [float(figure) for figure in answer]
        except (OSError, ValueError) as error:
            raise self._failed(str(error)) from None
        except BaseException:
            # The user interrupts: what was asked would be answered to the next question.
            self.stop()
            raise
        if len(row) != _FIGURES:
            raise self._failed(f"it answered {' '.join(answer)[:80]!r}")
        return row

    def _failed(self, reason: str) -> KaratError:
        self._process.kill()
        self._process.wait()
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace")
        self.stop()
        last = said.strip().splitlines()[-1:] or [reason]
        return KaratError(
            f"the Java engine of meteor failed: {last[0]}",
            code="K404",
            advice="it needs Java 8 or later, 2 GB of memory, and its data folder beside the jar",
        )


def _one_line(text: str) -> str:
    """A text without what the engine's protocol uses."""
    return " ".join(text.replace("|||", " ").split())


engine: Running[str, Engine] = Running(lambda jar: Engine(Path(jar)))
"""The one engine of this process for a jar."""
