"""``karat ned``: the line, the options and the exit codes of the script that it stands in for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

GOLD = "2\n0\n2\n3\n"
FLIPPED = "2\n0\n4\n2\n"


def _ned(folder: Path, system: str, gold: str, *options: str) -> subprocess.CompletedProcess[str]:
    for name, text in (("system.f1", system), ("gold.f1", gold)):
        (folder / name).write_bytes(text.encode())
    program = str(Path(sys.executable).parent / "karat")
    args = [program, "ned", "-if", "system.f1", "-gold", "gold.f1", *options]
    return subprocess.run(args, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("system", "gold", "options", "printed"),
    [
        (FLIPPED, GOLD, [], "4/4 (1.000)\n"),
        (FLIPPED, GOLD, ["--all"], "4/4 (1.000)\nundirected 3/4 (0.750)\ndirected 2/4 (0.500)\n"),
        (FLIPPED, GOLD, ["-ml", "3"], "0/0 (0.000)\n"),
        (FLIPPED.replace("\n", "\r\n"), "\ufeff" + GOLD.rstrip("\n"), [], "4/4 (1.000)\n"),
        ("", "", [], "0/0 (0.000)\n"),
        ("\n\n", "", [], "0/0 (0.000)\n"),
        ("2\n0\n\n9\n0\n", "2\n0\n\n2\n0\n", ["--on-error", "skip"], "2/2 (1.000)\n"),
    ],
)
def test_line(tmp_path: Path, system: str, gold: str, options: list[str], printed: str) -> None:
    done = _ned(tmp_path, system, gold, *options)
    assert (done.returncode, done.stdout) == (0, printed)


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ("2\n0\n2\n", "system.f1:1: TreeError K186: item '1': the sentence has 3 words"),
        ("2\n0\n\n2\n3\n", "system.f1:1: TreeError K186: item '1': the sentence has 2 words"),
        ("2\n0\n2\n5\n", "system.f1:4: TreeError K182: item '1': the head is 5"),
        ("2\n0\n2\n-2\n", "system.f1:4: TreeError K182: item '1': the head is '-2'"),
        ("2\n0\n2\nx\n", "system.f1:4: TreeError K182: item '1': the head is 'x'"),
        ("2\n1\n2\n3\n", "system.f1:1: TreeError K183: item '1': word 1 ('1') with head 2 is in a"),
        ("2\n0\n2\t3\n3\n", "system.f1:3: TreeError K180: item '1': the line has 2 columns"),
    ],
)
def test_errors(tmp_path: Path, system: str, message: str) -> None:
    done = _ned(tmp_path, system, GOLD)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message)
