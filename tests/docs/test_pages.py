"""Every page of the documentation runs: Python sessions, and shell commands with their output.

Blocks marked ``python`` with prompts are doctests, without prompts they are
executed; blocks marked ``console`` hold ``$ command`` lines, each followed by
what it prints. ``...`` stands for anything. Shell commands run in a copy of the
folder ``examples``; ``(exit N)`` on a line of its own is the expected status.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from commands import run_karat

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_WORDS = re.compile(r"(?:[\w\s./,:=+@-]|'[^']*')*")
"""What means the same with and without a shell."""
_PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "examples"
    shutil.copytree(ROOT / "examples", folder)
    monkeypatch.chdir(folder)
    text = page.read_text(encoding="utf-8")
    module = ModuleType("page")  # so that what a page defines can be pickled
    monkeypatch.setitem(sys.modules, "page", module)
    names = vars(module)
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 2
        kind, body = match.groups()
        if kind == "console":
            _run_shell(body, f"{page.name}:{line}")
        elif ">>>" in body:
            _run_session(body, names, page, line)
        else:
            exec(compile("\n" * (line - 1) + body, str(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_blocks_stand_at_the_margin(page: Path) -> None:
    """Others are neither run here nor shown as blocks in the site."""
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"^[ \t]+```.*$", text, re.MULTILINE) == []


def _run_session(body: str, names: dict[str, object], page: Path, line: int) -> None:
    test = doctest.DocTestParser().get_doctest(body, names, page.name, str(page), line - 1)
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=_FLAGS)
    runner.run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    assert not report, "".join(report)


def _run_shell(body: str, where: str) -> None:
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        while command.endswith("\\"):
            more, _, expected = expected.partition("\n")
            command = f"{command[:-1]} {more.strip()}"
        status = 0
        if found := re.search(r"^\(exit (\d+)\)\n", expected, re.MULTILINE):
            status = int(found.group(1))
            expected = expected.replace(found.group(0), "")
        if command.startswith("karat ") and _WORDS.fullmatch(command):
            done = run_karat(*shlex.split(command)[1:], timeout=120)
        else:
            done = subprocess.run(
                command,
                shell=True,
                capture_output=True,
                text=True,
                encoding="utf-8",
                env={**os.environ, "PATH": _PATH},
                timeout=120,
            )
        printed = _trimmed(done.stdout + done.stderr)
        assert done.returncode == status, f"{where}: {command}\n{printed}"
        wanted = _trimmed(expected)
        assert doctest.OutputChecker().check_output(wanted, printed, doctest.ELLIPSIS), (
            f"{where}: {command}\nexpected:\n{wanted}\nprinted:\n{printed}"
        )


def _trimmed(text: str) -> str:
    """Without blank lines and trailing blanks, which a page cannot show."""
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines() if line.strip())
