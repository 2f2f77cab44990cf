"""What a command loads: no more than it needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SLOW_TO_LOAD = (
    "bz2",
    "concurrent",
    "dask",
    "email",
    "hypothesis",
    "importlib.metadata",
    "lzma",
    "multiprocessing",
    "numpy.ma",
    "numpy.random",
    "numpy.testing",
    "pathlib",
    "rapidfuzz",
    "rich",
    "scipy",
    "statistics",
    "subprocess",
    "tempfile",
    "urllib",
    "xml",
    "zipfile",
)
OTHERS_FORMATS = ("mrp", "amr", "eds", "ucca", "ud", "pmb", "treex", "norec", "sdp", "dot")


def loaded(folder: Path, *words: str) -> set[str]:
    """The modules that a command has loaded when it ends."""
    code = (
        "import sys, atexit\n"
        "atexit.register(lambda: print('\\n'.join(sys.modules), file=sys.stderr))\n"
        "from karat.cli import main\n"
        f"main({list(words)!r})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


def among(modules: set[str], names: tuple[str, ...]) -> list[str]:
    inside = tuple(f"{name}." for name in names)
    return sorted(each for each in modules if each in names or each.startswith(inside))


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    for name in ("gold.amr", "system.amr"):
        (tmp_path / name).write_text("(d / dog)\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("verb", "output"), [("evaluate", ["--json", "-"]), ("evaluate", []), ("explain", [])]
)
def test_graphs(pair: Path, verb: str, output: list[str]) -> None:
    modules = loaded(pair, verb, "smatch", "-g", "gold.amr", "-s", "system.amr", *output)
    assert "karat.graphs.metrics.smatch" in modules
    assert among(modules, SLOW_TO_LOAD) == []
    formats = [f"karat.graphs.formats.{name}" for name in OTHERS_FORMATS]
    assert among(modules, tuple(formats)) == []
    assert among(modules, ("karat.text", "karat.trees", "karat.logic", "karat.meta")) == []


def test_an_option_of_a_format_is_known_all_the_same(pair: Path) -> None:
    words = ("evaluate", "smatch", "-g", "gold.amr", "-s", "system.amr", "--json", "-")
    modules = loaded(pair, *words, "--gold-format", "amr", "--format", "amr", "--full")
    assert "karat.graphs.formats.amr" in modules


def test_processes_are_loaded_where_threads_do_not_share_the_work(pair: Path) -> None:
    """Kernels that take bytes run on threads, which need nothing that takes its time to load."""
    (pair / "gold.txt").write_text("a dog\na cat\n", encoding="utf-8")
    texts = ("evaluate", "bleu", "-g", "gold.txt", "-s", "gold.txt", "--json", "-", "-j", "2")
    assert among(loaded(pair, *texts), SLOW_TO_LOAD) == []
    graphs = ("evaluate", "smatch", "-g", "gold.amr", "-s", "system.amr", "--json", "-", "-j", "2")
    assert "concurrent.futures" in loaded(pair, *graphs)
