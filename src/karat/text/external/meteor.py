"""Alignment counts by the original Java engine, one process that answers line by line."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from karat.core.files.resources import metric_folder
from karat.core.scores import Array
from karat.errors import KaratError, MissingExtra, shell
from karat.text.external.carriers import Process, Running
from karat.text.external.protocol import ExternalError
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


class Engine(Process):
    """A running engine."""

    def __init__(self, jar: Path) -> None:
        options = ("-Xmx2G", "-jar", str(jar), "-", "-", "-stdio", "-l", "en", "-norm")
        super().__init__([find_java(), *options], folder=jar.parent)

    def counts(self, texts: Sequence[str], pairs: Ints) -> Array:
        """A row of counts for each pair (system text, gold text)."""
        lines = [
            f"SCORE ||| {_one_line(texts[gold])} ||| {_one_line(texts[system])}"
            for system, gold in pairs.tolist()
        ]
        try:
            # Half characters, which no file can hold, are replaced.
            answers = self.exchange([line.encode("utf-8", "replace") for line in lines])
        except ExternalError as error:
            raise _failed(self.last_words() or error.message) from None
        rows = [_figures(answer) for answer in answers]
        if broken := [answer for answer, row in zip(answers, rows, strict=True) if not row]:
            self.stop()
            raise _failed(f"it answered {broken[0].decode('utf-8', 'replace').strip()[:80]!r}")
        return np.array(rows, np.float64).reshape(len(rows), _FIGURES)


def _figures(answer: bytes) -> list[float]:
    """The figures of an alignment; none where the answer is something else."""
    try:
        found = [float(figure) for figure in answer.split()]
    except ValueError:
        return []
    return found if len(found) == _FIGURES else []


def _failed(reason: str) -> KaratError:
    return KaratError(
        f"the Java engine of meteor failed: {reason}",
        code="K404",
        advice="it needs Java 8 or later, 2 GB of memory, and its data folder beside the jar",
    )


def _one_line(text: str) -> str:
    """A text without what the engine's protocol uses."""
    return " ".join(text.replace("|||", " ").split())


engine: Running[str, Engine] = Running(lambda jar: Engine(Path(jar)))
"""The one engine of this process for a jar."""
