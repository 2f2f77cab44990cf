"""Tables on a terminal of 80 columns: nothing is cut, and what belongs together stays so."""

from __future__ import annotations

import io
import re
from copy import copy
from pathlib import Path

import pytest
from rich.cells import cell_len

import karat
from karat.report import tables
from karat.report.layout import Console, Medium, Shown, Table

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
STATISTICS = {"level": 0.95, "resamples": 50, "seed": 0, "method": "auto"}
RUNS = {
    "mrp": ("graphs/system.amr", "graphs/gold.amr"),
    "amr-fine": ("graphs/system.amr", "graphs/gold.amr"),
    "sbn-fine": ("graphs/sbn.system.sbn", "graphs/sbn.gold.sbn"),
    "sdp": ("graphs/mini.dm.sdp", "graphs/mini.dm.sdp"),
    "ucca": ("graphs/mini.xml", "graphs/mini.xml"),
    "counter": ("graphs/counter.system.clf", "graphs/counter.gold.clf"),
    "cogs": ("forms/seed1.tsv", "forms/gold.tsv"),
    "ud": ("dependencies/small.test.conllu", "dependencies/small.gold.conllu"),
    "json": ("records/calls.system.jsonl", "records/calls.gold.jsonl"),
    "spans": ("records/system.iob", "records/gold.iob"),
    "bleu": ("translation/hasty.txt", "translation/gold.txt"),
    "rouge": ("translation/hasty.txt", "translation/gold.txt"),
    "scores": ("logs/samples_reading_old.jsonl", None),
}


def drawn(table: Shown, *, width: int | None = None) -> str:
    """What a terminal of this width shows; without a width, what a pipe gets."""
    file = io.StringIO()
    Console(file, None if width is None else Medium(width, emphasis=True)).print(table)
    return re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue())


def figures(text: str) -> set[str]:
    return set(re.findall(r"[+-]?\d+\.\d+|\[[^\]]*\]", re.split(r"\d items?  ", text)[0]))


@pytest.mark.parametrize("name", RUNS)
def test_no_figure_is_cut_and_intervals_stay_beside_their_scores(name: str) -> None:
    system, gold = RUNS[name]
    run = karat.evaluate(name, str(EXAMPLES / system), gold and str(EXAMPLES / gold))
    table = tables.scores([run], STATISTICS)
    whole, narrow = drawn(table), drawn(table, width=80)
    assert max(map(cell_len, narrow.splitlines())) <= 80
    assert figures(narrow) == figures(whole)
    for line in narrow.splitlines():
        if found := re.search(r"\[[\d., -]+\]", line):
            assert re.search(r"\d\.\d+ +$", line[: found.start()]), line
    for word in re.split(r"[|\s]+", run.signature()):
        assert word in narrow, "signatures are broken at bars and blanks only"


def test_pairs_of_long_paths_stay_readable() -> None:
    files = [str(EXAMPLES / f"logs/samples_reading_{name}.jsonl") for name in ("old", "new")]
    runs = [karat.evaluate("scores", path) for path in files]
    table = tables.ranking(karat.compare(*runs))
    narrow = drawn(table, width=80)
    row = next(i for i, line in enumerate(narrow.splitlines()) if " - samples" in line)
    assert "samples_reading_old.jsonl" in narrow.splitlines()[row - 1]
    assert re.search(r"\d\.\d+ +(not )?significant", narrow), "p and verdict are one"
    assert max(map(cell_len, narrow.splitlines())) <= 80
    assert f"{files[0]} - {files[1]}" in drawn(table), "a pipe gets all"


def test_letters_stand_for_names_that_would_be_broken() -> None:
    """In headers and pairs; a line says whose they are, and a pipe gets the names."""
    names = [f"runs/a-system-with-a-name-that-is-{'much-' * 12}too-long-{i}.txt" for i in (1, 2)]
    runs = [karat.evaluate("bleu", *(EXAMPLES / each for each in RUNS["bleu"] if each))] * 2
    runs = [copy(run) for run in runs]
    for run, name in zip(runs, names, strict=True):
        run.system = name
    for table in (tables.scores(runs, STATISTICS), tables.ranking(karat.compare(*runs))):
        whole, narrow = drawn(table), drawn(table, width=80)
        assert all(name in whole for name in names)
        assert all(name in re.sub(r"\s*\n\s*", "", narrow) for name in names)
        assert narrow.lstrip().startswith("A  runs/a-system")
        assert max(map(cell_len, narrow.splitlines())) <= 80
        assert figures(narrow) == figures(whole)
    assert re.search(r"^ A - B  .* significant $", narrow, re.MULTILINE)
    assert "A  " not in drawn(tables.scores(runs, STATISTICS), width=400)
    title = f"how {names[0]} and {names[1]} compare"
    header = "all the figures that there are of it, in one line"
    other = Table(title, "file", "f", header)
    other.add_row(names[0], "0.5", "0.25")
    other.add_row("short", "0.75", "0.125")
    assert re.search(r"^ A +0\.5 +0\.25 $", drawn(other, width=80), re.MULTILINE)
    once = re.sub(r"\s*\n\s*", "", drawn(other, width=80))
    assert once.count(names[0]) == 2, "in the title, which has the whole width, and the legend"


def test_long_texts_come_below_the_figures_of_their_rows() -> None:
    """A trace has settings and commands in its rows: each begins with the number of its row."""
    table = Table("", "", "setting", "value", "command")
    table.left |= {1, 3}
    table.below = (1, 3)
    settings = [f"metric({'option=1, ' * 9}last={n}) :: score" for n in (1, 2)]
    table.add_row("1", settings[0], "50.4924", "tool GOLD SYSTEM")
    table.add_row("2", settings[1], "50.4932", "")
    narrow = drawn(table, width=80)
    assert max(map(cell_len, narrow.splitlines())) <= 80
    assert re.search(r"^ 2 +50\.4932 *$", narrow, re.MULTILINE)
    words = re.sub(r"\s+", " ", narrow.partition("50.4932")[2])
    assert words.strip() == f"1 {settings[0]} tool GOLD SYSTEM 2 {settings[1]}"
    assert f"1   {settings[0]}   50.4924   tool" in drawn(table), "a pipe gets one table"
    table.below = ()
    stacked = drawn(table, width=80)
    assert len(re.findall(r"^ 1 ", stacked, re.MULTILINE)) >= 2, "every part has the numbers"
    assert max(map(cell_len, stacked.splitlines())) <= 80


def test_rates_come_before_counts_and_headers_are_folded_first() -> None:
    """So that one look at the first part is enough, and a part is not cut for a long header."""
    words = karat.evaluate("ud", *(EXAMPLES / each for each in RUNS["ud"] if each))
    both = (drawn(tables.scores([words], STATISTICS), width=width) for width in (120, 80))
    wide, narrow = both
    assert wide.index("correct") < wide.index("precision")
    assert narrow.index("interval") < narrow.index("correct")
    assert narrow.count(" LAS ") == 2
    forms = karat.evaluate("cogs", *(EXAMPLES / each for each in RUNS["cogs"] if each))
    shown = drawn(tables.scores([forms], STATISTICS), width=80)
    (row,) = re.findall(r"^ arguments\.all\.micro .*$", shown, re.MULTILINE)
    assert len(re.findall(r"\d\.\d{4}", row)) == 5
