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
    ("verb", "output"),
    [
        ("evaluate", ["--json", "-"]),
        ("evaluate", ["--json", "run.json", "--save", "run.karat"]),
        ("evaluate", []),
        ("explain", []),
    ],
)
def test_graphs(pair: Path, verb: str, output: list[str]) -> None:
    modules = loaded(pair, verb, "smatch", "-g", "gold.amr", "-s", "system.amr", *output)
    assert "karat.graphs.metrics.smatch" in modules
    assert among(modules, SLOW_TO_LOAD) == []
    formats = [f"karat.graphs.formats.{name}" for name in OTHERS_FORMATS]
    assert among(modules, tuple(formats)) == []
    assert among(modules, ("karat.text", "karat.trees", "karat.logic", "karat.meta")) == []
    # A table of scores needs nothing of comparisons and papers.
    assert among(modules, ("karat.core.runs.comparison", "karat.core.runs.gate")) == []
    assert ("karat.report.exports" in modules) == ("--json" in output)


def test_an_option_of_a_format_is_known_all_the_same(pair: Path) -> None:
    words = ("evaluate", "smatch", "-g", "gold.amr", "-s", "system.amr", "--json", "-")
    modules = loaded(pair, *words, "--gold-format", "amr", "--format", "amr", "--full")
    assert "karat.graphs.formats.amr" in modules


EXAMPLES = Path(__file__).parents[2] / "examples"
TEXTS = ("translation/gold.txt", "translation/careful.txt")


@pytest.mark.parametrize(
    ("metric", "gold", "system"),
    [
        ("bleu", *TEXTS),
        ("rouge", *TEXTS),
        ("cogs", "forms/gold.tsv", "forms/seed1.tsv"),
        ("ud", "dependencies/small.gold.conllu", "dependencies/small.test.conllu"),
        ("mrp", "graphs/drg.gold.mrp", "graphs/drg.system.mrp"),
    ],
)
def test_kernels_on_threads_need_nothing_more(metric: str, gold: str, system: str) -> None:
    words = ("evaluate", metric, "-g", gold, "-s", system, "--json", "-", "--jobs", "2")
    others = ("karat.core.runs.comparison", "karat.core.tracing", "karat.cli.common.examples")
    modules = loaded(EXAMPLES, *words)
    assert among(modules, (*SLOW_TO_LOAD, *others)) == []
    if gold.endswith(".txt"):
        of_records = ("karat.text.formats.records", "karat.text.records", "karat.core.shown")
        assert among(modules, of_records) == []


def test_processes_are_loaded_where_values_are_made(pair: Path) -> None:
    words = ("evaluate", "smatch", "-g", "gold.amr", "-s", "system.amr", "--json", "-")
    assert "concurrent.futures" in loaded(pair, *words, "--jobs", "2")


def test_modules_that_texts_need_compile_no_patterns_when_they_are_loaded() -> None:
    """But that of the names of metrics, which each command uses."""
    code = (
        "import atexit, re, sys\n"
        "def tell():\n"
        "    for name, part in list(sys.modules.items()):\n"
        "        for each, value in vars(part).items():\n"
        "            if name.startswith('karat.') and isinstance(value, re.Pattern):\n"
        "                print(f'{name}.{each}', file=sys.stderr)\n"
        "atexit.register(tell)\n"
        "from karat.cli import main\n"
        f"main(['evaluate', 'bleu', '-g', {TEXTS[0]!r}, '-s', {TEXTS[1]!r}, '--json', '-'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=EXAMPLES, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.split() == ["karat.core.signature._CALL"]
