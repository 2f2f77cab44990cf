"""Graph matching: whole commands against Smatch and smatch++, and pairs per second.

    python3 benchmarks/matching.py [GOLD.amr SYSTEM.amr]

Without files, the sample of the shared data is taken fourteen times over: 1,400 pairs.
"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from karat.core.opener import Source
from karat.graphs.formats.mrp import Mrp as MrpFormat
from karat.graphs.matching import match_many
from karat.graphs.metrics.mrp import Mrp
from karat.graphs.metrics.smatch import Smatch
from karat.graphs.metrics.smatchpp import SmatchPlusPlus
from karat.graphs.penman import blocks
from timing import header

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "graphs"
TIMES = 14


def command(name: str, *words: str) -> tuple[float, str]:
    """The CPU seconds of a command, start-up and reading included, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{name:<44} {cpu:9.3f} s of CPU")
    return cpu, done.stdout


def copies(path: Path, times: int, folder: Path) -> str:
    """The graphs of a file, many times over, without comments: they pair by position."""
    texts = [block.text for block in blocks(Source(path).lines())]
    made = folder / path.name
    made.write_text("\n\n".join(texts * times) + "\n", encoding="utf-8")
    return str(made)


def commands(gold: str, system: str) -> None:
    karat = str(Path(sys.executable).parent / "karat")
    evaluate = (karat, "evaluate", "smatch", "-g", gold, "-s", system, "-q", "--json", "-")
    ours, document = command("karat evaluate smatch", *evaluate)
    with tempfile.TemporaryDirectory() as name:
        one = Path(name) / "one.amr"
        one.write_text("(d / dog)\n", encoding="utf-8")
        words = [str(one) if word in (gold, system) else word for word in evaluate]
        start, _ = command("  of this, start-up (one pair)", *words)
    score = float(re.findall(r'"f": ([0-9.]+)', document)[0])
    smatch = Path(sys.executable).parent / "smatch.py"
    theirs, printed = command(
        "smatch, 4 restarts", sys.executable, str(smatch), "-f", system, gold, "--significant", "6"
    )
    climbed = float(printed.split()[-1])
    print(
        f"  karat {score:.6f}, smatch {climbed:.6f}, ratio of CPU {theirs / ours:.0f}, "
        f"beyond karat's start-up {theirs / (ours - start):.0f}"
    )
    if climbed > score + 1e-6:
        raise SystemExit("smatch found more than the optimum: the figures do not agree")
    karatpp = (karat, "evaluate", "smatchpp(style='amr', compat='smatchpp')", *evaluate[3:])
    ours, document = command("karat evaluate smatchpp", *karatpp)
    score = float(re.findall(r'"f": ([0-9.]+)', document)[0])
    theirs, printed = command(
        "smatch++, ILP",
        *(sys.executable, "-m", "smatchpp", "-a", system, "-b", gold, "-solver", "ilp"),
        *("-graph_type", "amr", "-score_type", "micro", "-output_format", "json"),
    )
    found = re.search(r'"F1": \{\s*"result": ([0-9.]+)', printed)
    if found is None or abs(float(found[1]) - score) > 0.005 + 1e-9:
        raise SystemExit("the figures of smatch++ and karat do not agree")
    print(
        f"  karat {score:.2f}, smatch++ {found[1]}, ratio of CPU {theirs / ours:.0f}, "
        f"beyond karat's start-up {theirs / (ours - start):.0f}"
    )


def throughput(gold: str, system: str) -> None:
    texts = [[block.text for block in blocks(Source(path).lines())] for path in (system, gold)]
    pairs = list(zip(*texts, strict=True))
    for name, metric in (
        ("smatch on PENMAN text", Smatch()),
        ("smatchpp on PENMAN text", SmatchPlusPlus()),
    ):
        begin = time.process_time()
        metric.measure_many(pairs)
        rate = len(pairs) / (time.process_time() - begin)
        print(f"{name:<44} {rate:9.0f} pairs a second of CPU")
    if not SHARED.is_dir():
        return
    golds = {
        item.key: item.value for item in MrpFormat().read(Source(SHARED / "sample/eds/wsj.mrp"))
    }
    systems = [item.value for item in MrpFormat().read(Source(SHARED / "score/eds/wsj.pet.mrp"))]
    graphs = [(each, golds[each.key]) for each in systems]
    metric = Mrp()
    begin = time.process_time()
    rows = metric.measure_many(graphs)
    whole = time.process_time() - begin
    prepared = [metric.as_pair(*pair) for pair in graphs]
    begin = time.process_time()
    match_many(prepared, metric.worth)
    alone = time.process_time() - begin
    matched = rows[:, [i for i, c in enumerate(metric.columns) if c.endswith(".c")]].sum()
    print(f"{'mrp, 87 pairs of EDS':<44} {whole:9.3f} s of CPU, the matcher {alone:.3f} s")
    print(f"  {matched:.0f} tuples match, all proven; mtool took 151 s for the whole file")


def main() -> None:
    header("graph matching against Smatch and smatch++", "smatch", "smatchpp")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if len(sys.argv) == 3:
            gold, system = sys.argv[1:]
        else:
            gold = copies(SHARED / "sample/amr/wsj.amr", TIMES, folder)
            system = copies(SHARED / "perturbed/wsj.perturbed.amr", TIMES, folder)
        throughput(gold, system)
        commands(gold, system)


if __name__ == "__main__":
    main()
