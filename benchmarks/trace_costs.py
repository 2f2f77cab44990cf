"""What ``karat trace`` costs beside the slowest of the settings that it tries."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import karat
import trace_files
from karat.core.metric import Metric
from karat.errors import KaratError
from karat.tracing.figures import parse_figure
from karat.tracing.reading import Inputs
from karat.tracing.verb import families
from timing import measured

HEAD = "| figure | files | items | slowest setting | CPU | trace | ratio | allowed |"
_FIGURE = "45.13"
_FINALISTS = 8
"""How many of the settings that are slowest on a part of the items are timed as commands."""
_PART = 10
_RUNS = 2


class Row(NamedTuple):
    """A figure to trace, its files, and how many times three settings it may cost: the number of
    tokenizers, or of profiles."""

    name: str
    files: str
    kind: str
    several: int = 1


ROWS = (
    Row("BLEU", "mt77", "translations", 5),
    Row("chrF", "mt77", "translations"),
    Row("TER", "mt77", "translations"),
    Row("METEOR", "mt77", "translations"),
    Row("GLEU", "mt77", "translations", 4),
    Row("WER", "mt77", "translations"),
    Row("edit distance", "mt77", "translations"),
    Row("exact match", "mt77", "translations"),
    Row("SQuAD F1", "mt77", "translations"),
    Row("ROUGE-1", "sum77", "summaries", 4),
    Row("ROUGE-L", "sum77", "summaries", 4),
    Row("ROUGE-SU4", "sum77", "summaries", 4),
    Row("Smatch", "amr77", "AMR, small"),
    Row("Smatch", "wsj77", "AMR, WSJ"),
    Row("Smatch++", "wsj77", "AMR, WSJ"),
    Row("concepts", "wsj77", "AMR, WSJ"),
    Row("SemBLEU", "wsj77", "AMR, WSJ"),
    Row("SemA", "wsj77", "AMR, WSJ"),
    Row("S2match", "wsj77", "AMR, WSJ"),
    Row("LAS", "ud77", "trees"),
    Row("UAS", "ud77", "trees"),
    Row("CLAS", "ud77", "trees"),
    Row("MLAS", "ud77", "trees"),
    Row("MRP", "dm77", "DM"),
    Row("MRP", "eds77", "EDS in MRP"),
    Row("MRP", "ucca77", "UCCA in MRP"),
    Row("EDM", "eds77", "EDS in MRP"),
    Row("EDM", "native77", "EDS"),
    Row("SDP", "dm77", "DM"),
    Row("UCCA", "ucca77", "UCCA in MRP"),
    Row("UCCA", "passages77", "UCCA in XML"),
    Row("exact match", "cogs77", "COGS"),
    Row("semantic match", "cogs77", "COGS"),
    Row("F1", "cogs77", "COGS"),
    Row("JSON", "json77", "JSON"),
    Row("tool calls", "tools77", "tool calls"),
)


def make(folder: Path, count: int) -> None:
    """All files; those that are copies of samples, where there are any."""
    trace_files.translations(folder, 77, count)
    few, copies = max(1, count // 4), max(1, count // 2000)
    for maker in (trace_files.summaries, trace_files.graphs, trace_files.trees):
        maker(folder, 77, few)
    trace_files.records(folder, 77, few)
    samples: list[Callable[[], None]] = [
        partial(trace_files.mrp_copies, folder, framework, copies)
        for framework in ("dm", "eds", "ucca")
    ]
    samples += [
        partial(trace_files.eds_copies, folder, copies),
        partial(trace_files.passage_copies, folder, copies),
        partial(trace_files.amr_copies, folder, copies),
        partial(trace_files.cogs_copies, folder, max(1, count // 6000)),
    ]
    for each in samples:
        try:
            each()
        except FileNotFoundError as error:
            print(f"not there, and left out: {error.filename}")


def costs(folder: Path, count: int, only: Sequence[str]) -> Iterator[str]:
    """The rows of the table: CPU of a whole command beside that of the slowest single setting."""
    part = folder / "part"
    part.mkdir()
    make(folder, count)
    make(part, count // _PART)
    program = str(Path(sys.executable).parent / "karat")
    for row in ROWS:
        files, some = _sides(folder, row.files), _sides(part, row.files)
        wanted = not only or any(text in f"{row.name} {row.kind}" for text in only)
        if not files or not wanted:
            continue
        system, gold = files
        reading = ["-g", str(gold), "-s", str(system), "-j", "1", "--json", "-", "-q"]
        found = {
            each: _run([program, "evaluate", each, *reading]) for each in slowest(row.name, *some)
        }
        setting = max(found, key=lambda each: found[each][0])
        single, run = found[setting]
        whole, _ = _run([program, "trace", f"{row.name} {_FIGURE}", *reading])
        yield (
            f"| {row.name} | {row.kind} | {run['n']:,} | `{setting}` | {single:.2f} s "
            f"| {whole:.2f} s | {whole / single:.1f} | {3 * row.several} |"
        )


def _sides(folder: Path, files: str) -> list[Path]:
    return sorted(folder.glob(f"{files}.*"), reverse=True)


def slowest(name: str, system: Path, gold: Path) -> list[str]:
    """The settings that take longest on some files, of all that a trace of the figure tries."""
    asked = [parse_figure(f"{name} {_FIGURE}")]
    inputs = Inputs(system, gold, format=None, gold_format=None, format_options={}, pair="auto",
                    on_error="auto", by=())  # fmt: skip
    took: dict[str, float] = {}
    loaded: dict[str, float] = {}  # with what the first of its kind loads
    for family in families(asked, inputs):
        for each in family:
            for one in each.grid.passes(each.meant(asked[0]) or {}):
                metrics = list(dict.fromkeys(setting.metric for setting in one.settings))
                try:
                    if one.applies is not None and not one.applies(inputs.items(one).pairs):
                        continue
                    loaded[_command(metrics[0])] = _took(metrics[0], system, gold)
                    took |= {_command(metric): _took(metric, system, gold) for metric in metrics}
                except KaratError:  # which is not for these files
                    continue
        if took:
            break
    found = [sorted(each, key=each.__getitem__)[-_FINALISTS:] for each in (took, loaded)]
    return list(dict.fromkeys(name for names in found for name in names))


def _took(metric: Metric[Any, Any], system: Path, gold: Path) -> float:
    start = time.process_time()
    karat.evaluate(metric, system=system, gold=gold, jobs=1).scores()
    return time.process_time() - start


def _command(metric: Metric[Any, Any]) -> str:
    return repr(metric).removesuffix("()")


def _run(command: list[str]) -> tuple[float, dict[str, Any]]:
    """The CPU of a command, the least of some runs, with compiled modules as users have them, and
    the JSON that it prints."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

    def run() -> bytes:
        return subprocess.run(command, check=True, capture_output=True, env=environment).stdout

    runs = [measured(run, 1) for _ in range(_RUNS)]
    return min(cpu for _, cpu, _ in runs), json.loads(runs[0][2])
