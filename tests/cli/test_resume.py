"""``--resume``: runs that were killed go on, and end as if nothing had happened."""

from __future__ import annotations

import hashlib
import json
import random
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

import karat
from karat.engine.resume import Folder, clean
from karat.errors import KaratError, OptionError, RunError
from killing import begin, files_of_chunks, finish, kill_after, release, start, write_texts

OVERLAP = Path(__file__).parents[1] / "servers" / "overlap.py"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def killed_and_finished(folder: Path, command: list[str], output: str, kills: int) -> int:
    """Kills a command several times and lets it finish; how often it was killed."""
    chance = random.Random(len(command))
    resumed = [*command, "--resume", "parts"]
    killed = sum(kill_after(folder, resumed, folder / "parts", 3, chance) for _ in range(kills))
    (folder / output).unlink(missing_ok=True)
    code, error = finish(folder, resumed)
    assert code == 0, error
    return killed


EVALUATE = ["evaluate", "ter", "-g", "gold.txt", "-s", "a.txt", "--resamples", "10"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_run_that_is_killed_goes_on(folder: Path, jobs: str) -> None:
    write_texts(folder, 6000)
    assert finish(folder, [*EVALUATE, "--save", "plain.run"])[0] == 0
    command = [*EVALUATE, "-j", jobs, "--save", "a.run"]
    assert killed_and_finished(folder, command, "a.run", 2) == 2
    assert Path("a.run").read_bytes() == Path("plain.run").read_bytes()
    parts = files_of_chunks(folder / "parts")
    assert finish(folder, [*command, "--resume", "parts"])[0] == 0
    assert files_of_chunks(folder / "parts") == parts, "nothing was left to measure"


@pytest.mark.parametrize(
    ("command", "output"),
    [
        (["compare", "ter", "--trials", "10", "--json", "out"], "out"),
        (["score", "ter", "-q", "-o", "out"], "out"),
        (["score", "--config", "plan.toml", "-q", "-o", "out"], "out"),
    ],
)
def test_other_commands_go_on_too(folder: Path, command: list[str], output: str) -> None:
    write_texts(folder, 3000)
    Path("plan.toml").write_text(
        '[[runs]]\nmetrics = ["ter"]\nsystem = ["a.txt", "b.txt"]\ngold = "gold.txt"\n'
    )
    if "--config" not in command:
        command += ["-g", "gold.txt", "-s", "a.txt", "b.txt"]
    assert finish(folder, command)[0] == 0
    expected = Path(output).read_bytes()
    assert killed_and_finished(folder, command, output, 1) == 1
    assert Path(output).read_bytes() == expected


def small(text: str = "a b\nc d\n") -> None:
    Path("gold.txt").write_text("a b\nc e\n", encoding="utf-8")
    Path("a.txt").write_text(text, encoding="utf-8")


def run(metric: str = "exact", **options: Any) -> karat.Evaluation:
    return karat.evaluate(metric, system="a.txt", gold="gold.txt", resume="parts", **options)


def test_what_has_changed_is_named() -> None:
    small()
    assert run().scores() == {"accuracy": 0.5}
    with pytest.raises(
        RunError, match=r"K713: 'parts' has .*: the metric was exact\(\)\|.* is exact\(ig"
    ):
        run("exact(ignore_case=True)")
    with pytest.raises(RunError, match=r"reading was format:lines, is .*\|pair:position\n"):
        run(pair="position")
    small("a b\nc e\n")
    with pytest.raises(RunError, match=r"K713.*: the content of a\.txt has changed\n") as caught:
        run()
    assert "karat clean parts" in caught.value.advice
    small()
    assert run().scores() == {"accuracy": 0.5}
    (record,) = Path("parts").glob("*/run.json")
    known = json.loads(record.read_text(encoding="utf-8"))
    known["description"]["facts"]["karat"] = "0.0.9 (0123456789ab)"
    record.write_text(json.dumps(known), encoding="utf-8")
    with pytest.raises(RunError, match=r"K713.*: karat was 0\.0\.9 \(0123456789ab\), is "):
        run()


def test_a_file_that_changes_meanwhile_is_noticed() -> None:
    write_texts(Path(), 600)

    def progress(_: int) -> None:
        with Path("gold.txt").open("a", encoding="utf-8") as stream:
            stream.write("one more\n")

    with pytest.raises(RunError, match=r"K714: gold\.txt has changed while it was measured"):
        run(progress=progress)
    assert files_of_chunks(Path("parts")) == 0


def test_damaged_chunks_are_measured_again() -> None:
    small()
    expected = run().counts.tobytes()
    (chunks,) = Path("parts").glob("*/*.chunks")
    content = bytearray(chunks.read_bytes())
    content[-20] ^= 1
    chunks.write_bytes(content)
    (chunks.parent / "00000009.chunks.1.part").write_bytes(b"of a process that was killed")
    assert run().counts.tobytes() == expected
    assert [path.suffix for path in sorted(chunks.parent.iterdir())] == [".chunks", ".json"]


def test_what_does_not_belong_in_a_folder() -> None:
    small()
    expected = run().counts.tobytes()
    (chunks,) = Path("parts").glob("*/*.chunks")
    (chunks.parent / "\u00b2.chunks").write_bytes(b"isdigit() says that this is a number")
    assert run().counts.tobytes() == expected
    body = msgspec.msgpack.encode([(0, b"\xc0")])
    magic = b"karat chunks 1\n"
    chunks.write_bytes(magic + hashlib.sha256(body).digest() + body)
    with pytest.raises(RunError, match=r"K712: .* was changed by something else"):
        run()
    for name in ("7.chunks", "7.part"):
        (chunks.parent / name).mkdir()
        for attempt in (run, lambda: clean("parts")):
            with pytest.raises(RunError, match="K712: finished chunks cannot be kept in 'parts'"):
                attempt()
        (chunks.parent / name).rmdir()


def test_two_runs_in_one_folder(folder: Path) -> None:
    write_texts(folder, 6000)
    process = begin(folder, [*EVALUATE, "--resume", "parts"], "parts", 1)
    try:
        _, error = start(folder, [*EVALUATE, "--resume", "parts"]).communicate(timeout=300)
        begun = f"RunError K711: 'parts' is in use by process {process.pid} on "
        assert error.decode().startswith(begun)
        with pytest.raises(RunError, match="K711"):
            clean("parts")
    finally:
        assert release(folder, process) == (0, "")
    with Folder("parts") as ours:
        ours._open()
        with pytest.raises(RunError, match="K711: 'parts' is in use by this process"):
            run()


def limited() -> None:
    """Files can have so many bytes, and writing more fails as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))


def test_a_full_disk(folder: Path) -> None:
    write_texts(folder, 3000)
    command = [sys.executable, "-m", "karat", *EVALUATE, "--json", "out.json"]
    subprocess.run(command, check=True, capture_output=True)
    expected = Path("out.json").read_bytes()
    Path("out.json").unlink()
    command += ["--resume", "parts"]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limited)
    assert done.returncode == 1
    assert done.stderr.startswith("RunError K712: finished chunks cannot be kept in 'parts': File")
    assert sorted(path.name for path in Path().iterdir()) == ["a.txt", "b.txt", "gold.txt", "parts"]
    assert not list(Path("parts").glob("*/*.part"))
    subprocess.run(command, check=True, capture_output=True)
    assert Path("out.json").read_bytes() == expected


def test_what_cannot_be_resumed(folder: Path) -> None:
    small()
    done = subprocess.run(
        [sys.executable, "-m", "karat", "evaluate", "exact", "-g", "gold.txt", "-s", "-",
         "--resume", "parts"],
        input="a b\nc d\n", capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(
        "OptionError K320: <stdin> can be read only once: a run with --re"
    )
    with pytest.raises(OptionError, match=r"K716: '.' has other files, such as 'a.txt': expected"):
        karat.evaluate("exact", system="a.txt", gold="gold.txt", resume=".")
    with pytest.raises(OptionError, match="K716"):
        clean(".")
    assert sorted(map(str, Path().iterdir())) == ["a.txt", "gold.txt"]


def test_clean_removes_only_what_resume_has_written() -> None:
    small()
    run()
    run("bleu")
    (kept,) = Path("parts").glob("bleu-*")
    (kept / "notes.txt").write_text("mine", encoding="utf-8")
    assert clean("parts") == 2
    assert [str(path) for path in Path("parts").rglob("*")] == [str(kept), str(kept / "notes.txt")]
    with pytest.raises(KaratError, match="K716"):
        clean("parts")


def test_metrics_with_programs(folder: Path) -> None:
    """An earlier run's answers count as long as it is the same program."""
    write_texts(folder, 700)
    program = Path("program.py")
    program.write_text(OVERLAP.read_text(encoding="utf-8"), encoding="utf-8")
    metric = f"external(scores=('overlap',), command='{sys.executable} program.py')"
    expected = karat.evaluate(metric, system="a.txt", gold="gold.txt")

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(metric, progress=stop)
    assert files_of_chunks(Path("parts")) == 1
    assert run(metric).counts.tobytes() == expected.counts.tobytes()
    assert run(metric).signature() == expected.signature()
    text = program.read_text(encoding="utf-8")
    program.write_text(text.replace('"version": "1"', '"version": "2"'), encoding="utf-8")
    words = ["evaluate", metric, "-g", "gold.txt", "-s", "a.txt", "--resume", "parts"]
    code, error = finish(folder, words)
    assert code == 1
    assert "this one: the program was overlap 1, is overlap 2\n" in error
