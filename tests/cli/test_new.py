"""``karat new metric``: a package whose tests pass, and that works once it is installed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from karat.cli.new import class_name


def run(folder: Path, *args: str, path: str = "") -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(args, cwd=folder, env=env, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("name", ["word-recall", "none"])
def test_its_tests_pass(program: str, tmp_path: Path, name: str) -> None:
    pytest.importorskip("setuptools")
    done = run(tmp_path, program, "new", "metric", name)
    assert (done.returncode, done.stderr) == (0, "")
    folder = tmp_path / f"karat-{name}"
    written = {str(path.relative_to(tmp_path)) for path in folder.rglob("*") if path.is_file()}
    assert written == set(done.stdout.splitlines()[:-1])
    # The entry points, as installers read them.
    setup = "import setuptools; setuptools.setup()"
    assert run(folder, sys.executable, "-c", setup, "-q", "egg_info").returncode == 0
    source = str(folder / "src")
    tests = run(folder, sys.executable, "-m", "pytest", "-q", "--doctest-modules", path=source)
    assert tests.returncode == 0, tests.stdout
    assert re.search(r"\b9 passed", tests.stdout)

    (tmp_path / "gold").write_text("the dog barks\nyes\n")
    (tmp_path / "system").write_text("a dog\nyes\n")
    files = ["-g", "gold", "-s", "system"]
    done = run(tmp_path, program, "evaluate", name, *files, "--json", "-", path=source)
    found = json.loads(done.stdout)
    assert found["scores"] == {"recall": 0.5, "gold_words": 4}
    assert f"karat-{name}:0.1" in found["signature"]
    done = run(tmp_path, program, "explain", name, *files, "--item", "1", path=source)
    assert done.stdout.splitlines()[1:] == ["found: dog", "missing: the barks"]
    listed = run(tmp_path, program, "list", "metrics", path=source).stdout
    assert f"counted with repetitions. (from karat-{name} 0.1)" in listed
    again = run(tmp_path, program, "new", "metric", name, "-o", "other", path=source)
    assert (again.returncode, (tmp_path / "other").exists()) == (2, False)
    assert f"K396: there is a metric {name!r} already, in karat-{name} 0.1" in again.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["bleu"], "K396: there is a metric 'bleu' already, in karat"),
        (["edit_distance"], "K396: there is a metric 'edit-distance' already, in karat"),
        (["two words"], "K396: 'two words' cannot be the name of a metric"),
        (["../up"], "K396: '../up' cannot be the name of a metric"),
        (["1st"], "K396: '1st' cannot be the name of a metric"),
        (["mine", "-o", "taken"], "K397: taken exists already"),
        (["mine", "-o", "file/inside"], "K397: file/inside cannot be written"),
    ],
)
def test_wrong_use(program: str, tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "file").write_text("mine")
    done = run(tmp_path, program, "new", "metric", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "taken"]


def test_names_of_classes() -> None:
    names = ["f1", "word-recall", "word_recall", "metric", "true"]
    assert [class_name(name) for name in names] == [
        "F1", "WordRecall", "WordRecall", "MetricMetric", "TrueMetric",
    ]  # fmt: skip
