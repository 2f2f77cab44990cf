"""Nothing opens a socket unless the user named a server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from examples_text import EXAMPLES
from karat.core.plugins import METRICS, rows

SUPPORT = Path(__file__).parents[1] / "support"

TEXT_METRICS = [name for name, row in rows(METRICS).items() if row.kind == "text"]

# Python itself tells of every socket, and what is told cannot be caught and forgotten.
WATCHED = """
import os, sys

def watch(event, arguments):
    if event.startswith("socket."):
        os.write(2, event.encode())
        os._exit(99)

sys.addaudithook(watch)
"""


def status(code: str, cwd: Path, *words: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", WATCHED + code, *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(SUPPORT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, done.stderr


def test_the_watch_sees_a_server_that_the_user_named(tmp_path: Path) -> None:
    code = """
import karat
karat.parse("external(scores=('s',), url='http://127.0.0.1:9/')").score("a", ["b"])
"""
    returned, told = status(code, tmp_path)
    assert returned == 99
    assert told.startswith("socket.")


def test_no_metric_of_texts_opens_one(tmp_path: Path) -> None:
    code = """
import karat
from examples_text import EXAMPLES
for variants, pairs, _ in EXAMPLES.values():
    for text in variants:
        karat.parse(text).evaluate([s for s, _ in pairs], [g for _, g in pairs])
print(*EXAMPLES)
"""
    returned, told = status(code, tmp_path)
    assert returned == 0, told


def test_every_metric_of_texts_is_watched() -> None:
    assert set(TEXT_METRICS) <= set(EXAMPLES)


@pytest.mark.parametrize(
    "words",
    [
        ["list", "metrics"],
        ["doctor"],
        ["setup", "metric"],
        ["evaluate", "rouge,meteor,chrf", "-g", "gold.txt", "-s", "system.txt"],
        ["explain", "rouge", "-g", "gold.txt", "-s", "system.txt"],
        ["evaluate", "bleurt", "-g", "gold.txt", "-s", "system.txt"],
        ["evaluate", "bertscore", "-g", "gold.txt", "-s", "system.txt", "--model", "none"],
    ],
    ids=" ".join,
)
def test_no_command_opens_one(words: list[str], tmp_path: Path) -> None:
    """Also where something is missing that could be got somewhere."""
    for name in ("gold.txt", "system.txt"):
        (tmp_path / name).write_text("a dog barks\n")
    code = """
import os
os.environ["KARAT_HOME"] = "home"
from karat.cli import main
sys.exit(main(sys.argv[1:]))
"""
    returned, told = status(code, tmp_path, *words)
    lacking = bool({"bleurt", "bertscore"} & set(words))
    assert (returned, "MissingExtra" in told) == (2 if lacking else 0, lacking), told
