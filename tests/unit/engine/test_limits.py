"""What a long run may take: memory that stays flat, an end when it is told to stop."""

from __future__ import annotations

import json
import os
import pty
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

PAIRS = 200_000

MEASURE = """
import json, resource, sys
from karat import evaluate
import karat.text.metrics.words, karat.text.formats.lines
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
evaluate("exact", system="small.txt", gold="small.txt")
before = peak()
result = evaluate("exact", system="system.txt", gold="gold.txt", jobs=int(sys.argv[1]))
print(json.dumps({"grown": peak() - before, "n": len(result), **result.scores()}))
"""


def test_memory_stays_flat(tmp_path: Path) -> None:
    """What grows with the items are counts, ids and places: under 200 bytes each.

    The texts, at 155 characters a line and two sides, would take more than 400. Buffers
    for reading, which do not grow with the files, have 16 MiB to themselves.
    """
    filler = "word " * 30
    with (tmp_path / "system.txt").open("w") as system, (tmp_path / "gold.txt").open("w") as gold:
        for i in range(PAIRS):
            system.write(f"{filler}{i}\n")
            gold.write(f"{filler}{i - i % 2}\n")
    (tmp_path / "small.txt").write_text("a\n" * 1000)
    content = (tmp_path / "system.txt").stat().st_size + (tmp_path / "gold.txt").stat().st_size
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, "1"], cwd=tmp_path, capture_output=True, text=True,
        timeout=120, check=True,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert found["n"] == PAIRS
    assert found["accuracy"] == 0.5
    assert found["grown"] < 200 * PAIRS + (16 << 20)
    assert found["grown"] < content


def _long_texts(folder: Path) -> None:
    """TER of so many texts that share words takes much longer than the test waits."""
    generator, words = random.Random(1), [f"w{i % 40}" for i in range(120)]
    for name in ("system.txt", "gold.txt"):
        lines = [" ".join(generator.sample(words, 120)) for _ in range(10_000)]
        (folder / name).write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_ends_a_run_at_once(jobs: str, program: str, tmp_path: Path) -> None:
    _long_texts(tmp_path)
    before = sorted(tmp_path.iterdir())
    run = subprocess.Popen(
        [
            program, "evaluate", "ter", "-g", "gold.txt", "-s", "system.txt", "-j", jobs,
            "--json", "out.json", "--items", "items.jsonl", "--save", "a.run",
        ],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    # The outputs are open before the work begins: then it is time to interrupt.
    _until(lambda: len(list(tmp_path.iterdir())) > len(before))
    time.sleep(0.5)
    assert run.poll() is None, run.communicate()
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does, to all processes of the group
    _, errors = run.communicate(timeout=300)
    assert run.returncode == 130
    assert "Traceback" not in errors
    assert errors.splitlines()[-1] == "stopped"
    assert sorted(tmp_path.iterdir()) == before


@contextmanager
def _started(program: str, folder: Path, jobs: int) -> Iterator[subprocess.Popen[str]]:
    """A long run with temporary files and, for several jobs, worker processes."""
    _long_texts(folder)
    before = len(list(folder.iterdir()))
    run = subprocess.Popen(
        [
            program, "evaluate", "autosummeng", "-g", "gold.txt", "-s", "system.txt",
            "-j", str(jobs),
            "--json", "out.json", "--save", "a.run",
        ],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    wanted = 1 if jobs == 1 else jobs + 1
    _until(lambda: len(list(folder.iterdir())) == before + 2 and len(_group(run.pid)) >= wanted)
    try:
        assert run.poll() is None, run.communicate()
        yield run
    finally:
        with suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        run.communicate()


def _group(leader: int) -> list[int]:
    """The processes of a group that still run, as Linux knows them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, group = path.read_text().rpartition(")")[2].split()[:3]
        except (OSError, ValueError):  # it has ended meanwhile
            continue
        if int(group) == leader and state != "Z":
            found.append(int(path.parent.name))
    return found


def _until(fulfilled: Callable[[], bool]) -> None:
    for _ in range(6000):
        if fulfilled():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come about within five minutes")


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


@needs_proc
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("to_all", [False, True], ids=["one", "all"])
def test_sigterm_ends_a_run_as_an_interrupt_does(
    jobs: int, to_all: bool, program: str, tmp_path: Path
) -> None:
    """Sent to the process, as kill does, or to all of its group, as supervisors do."""
    with _started(program, tmp_path, jobs) as run:
        (os.killpg if to_all else os.kill)(run.pid, signal.SIGTERM)
        _, errors = run.communicate(timeout=300)
        assert run.returncode == 143
        assert errors.splitlines()[-1] == "stopped"
        assert "Traceback" not in errors
        assert {path.name for path in tmp_path.iterdir()} == {"gold.txt", "system.txt"}
        _until(lambda: not _group(run.pid))


@needs_proc
def test_workers_end_when_their_parent_is_killed(program: str, tmp_path: Path) -> None:
    with _started(program, tmp_path, 2) as run:
        run.kill()
        run.wait(300)
        _until(lambda: not _group(run.pid))


def test_sigterm_stays_ignored_where_it_was(program: str) -> None:
    """A run that was started with the signal ignored, as some supervisors do, goes on."""
    code = (
        "import os, signal, sys; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        "from karat import cli; cli._stop_when_told(); "
        "os.kill(os.getpid(), signal.SIGTERM); print('still here')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "still here\n"


def _on_a_terminal(command: list[str], folder: Path) -> tuple[int, str]:
    """Runs a command whose standard error is a terminal; what it printed there."""
    try:
        leader, follower = pty.openpty()
    except OSError as error:
        pytest.skip(f"there are no terminals here: {error}")
    run = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=follower,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )  # fmt: skip
    os.close(follower)
    printed = b""
    while True:
        try:
            block = os.read(leader, 65536)
        except OSError:
            break
        if not block:
            break
        printed += block
    os.close(leader)
    return run.wait(300), printed.decode()


def test_progress_on_a_terminal_only(program: str, tmp_path: Path) -> None:
    name = "sys[tem].txt"
    (tmp_path / name).write_text("a b c\n" * 600)
    command = [program, "evaluate", "bleu", "-g", name, "-s", name]
    status, printed = _on_a_terminal(command, tmp_path)
    assert status == 0
    assert f"bleu {name}" in printed
    assert _on_a_terminal([*command, "--quiet"], tmp_path) == (0, "")
    piped = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert piped.stderr == ""
    assert "\x1b" not in piped.stdout
