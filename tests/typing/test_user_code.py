"""User code in the eyes of mypy and pyright: revealed types, and what must be refused."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "user"
WRONG = [
    number
    for number, line in enumerate((FOLDER / "wrong.py").read_text().splitlines(), 1)
    if line.endswith("# wrong")
]


def mypy(name: str, cache: Path) -> set[int]:
    """The lines with errors."""
    pytest.importorskip("mypy")
    done = subprocess.run(
        [
            sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-error-summary",
            "--cache-dir", str(cache), "--show-error-codes", str(FOLDER / name),
        ],
        capture_output=True, text=True, timeout=300, cwd=cache.parent,
    )  # fmt: skip
    assert done.stderr == ""
    lines = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert all(name in line for line in lines), done.stdout
    return {int(line.split(":")[1]) for line in lines}


def pyright(name: str) -> set[int]:
    program = shutil.which("pyright", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("pyright is not installed")
    done = subprocess.run(
        [program, "--outputjson", "--pythonpath", sys.executable, str(FOLDER / name)],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    if not done.stdout.startswith("{"):
        pytest.skip("pyright cannot run here: it fetches Node.js on first use")
    found = json.loads(done.stdout)["generalDiagnostics"]
    return {each["range"]["start"]["line"] + 1 for each in found if each["severity"] == "error"}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mypy") / "cache"


def test_mypy_sees_the_types(cache: Path) -> None:
    assert mypy("good.py", cache) == set()


def test_mypy_refuses_what_is_wrong(cache: Path) -> None:
    assert mypy("wrong.py", cache) == set(WRONG)


def test_pyright_sees_the_types() -> None:
    assert pyright("good.py") == set()


def test_pyright_refuses_what_is_wrong() -> None:
    assert pyright("wrong.py") == set(WRONG)
