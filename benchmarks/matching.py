"""Graph matching: whole commands against Smatch and smatch++, and pairs per second.

    python3 benchmarks/matching.py [GOLD.amr SYSTEM.amr]

Without files, the sample of the shared data is taken twenty times over: 2,000 pairs, about as
many as the test set of AMR 3.0 has. Where there is no shared data, graphs are made up.
"""

from __future__ import annotations

import compileall
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import karat
from karat.core.files.opener import Source
from karat.core.reading.raw import RawChunk
from karat.engine import evaluate
from karat.graphs.amr.penman import blocks
from karat.graphs.formats.mrp import Mrp as MrpFormat
from karat.graphs.matching.solver import flat_pairs, match_flat, match_many
from karat.graphs.metrics.mrp import Mrp
from karat.graphs.metrics.smatch import Smatch
from karat.graphs.metrics.smatchpp import SmatchPlusPlus
from timing import header, race

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "graphs"
TIMES = 20
KARAT = str(Path(sys.executable).parent / "karat")


def command(name: str, *words: str, repeats: int = 1) -> tuple[float, str]:
    """The CPU seconds of a command, start-up and reading included, and what it printed.

    Of several runs the median counts.
    """
    seconds = []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    cpu = sorted(seconds)[repeats // 2]
    print(f"{name:<44} {cpu:9.3f} s of CPU")
    return cpu, done.stdout


def texts(path: Path) -> list[str]:
    return [block.text for block in blocks(Source(path).lines())]


def made_up(count: int, seed: int) -> tuple[list[str], list[str]]:
    """Gold graphs of the size of news sentences, and the same with some of their parts changed."""
    draw = random.Random(seed)
    concepts = [f"concept-{i:02}" for i in range(60)]

    def graph(changes: float) -> str:
        size = shape.randint(8, 40)
        children: dict[int, list[int]] = {}
        for i in range(1, size):
            children.setdefault(shape.randrange(max(0, i - 6), i), []).append(i)
        lines = []

        def node(i: int, depth: int) -> None:
            concept = shape.choice(concepts)
            if draw.random() < changes:
                concept = draw.choice(concepts)
            lines.append(f"(v{i} / {concept}")
            if shape.random() < 0.2:
                lines.append(f"\n{'    ' * depth}:quant {shape.randint(1, 9)}")
            if i > 3 and shape.random() < 0.15:
                lines.append(f"\n{'    ' * depth}:ARG2 v{shape.randrange(i)}")
            for child in children.get(i, []):
                role = shape.choice(["ARG0", "ARG1", "mod", "time", "ARG0-of"])
                if draw.random() < changes:
                    role = "ARG3"
                lines.append(f"\n{'    ' * depth}:{role} ")
                node(child, depth + 1)
            lines.append(")")

        node(0, 1)
        return "".join(lines)

    golds, systems = [], []
    for i in range(count):
        shape = random.Random(seed + i)
        golds.append(graph(0.0))
        shape = random.Random(seed + i)
        systems.append(graph(0.15))
    return golds, systems


def files(folder: Path, times: int) -> tuple[str, str]:
    """A gold and a system file, without comments: their graphs meet by position."""
    if SHARED.is_dir():
        golds, systems = (
            texts(SHARED / "sample/amr/wsj.amr"),
            texts(SHARED / "perturbed/wsj.perturbed.amr"),
        )
    else:
        golds, systems = made_up(100, 1)
    made = []
    for name, graphs in ("gold", golds), ("system", systems):
        path = folder / f"{name}{times}.amr"
        path.write_text("\n\n".join(graphs * times) + "\n", encoding="utf-8")
        made.append(str(path))
    return made[0], made[1]


def evaluation(metric: str, gold: str, system: str, *more: str) -> tuple[str, ...]:
    return (KARAT, "evaluate", metric, "-g", gold, "-s", system, "-q", "--json", "-", *more)


def f_score(document: str) -> float:
    return float(re.findall(r'"f": ([0-9.]+)', document)[0])


def commands(gold: str, system: str) -> None:
    """Whole commands, start-up and reading included."""
    ours, document = command(
        "karat evaluate smatch", *evaluation("smatch", gold, system), repeats=5
    )
    with tempfile.TemporaryDirectory() as name:
        one = Path(name) / "one.amr"
        one.write_text("(d / dog)\n", encoding="utf-8")
        words = evaluation("smatch", str(one), str(one))
        start, _ = command("  of this, start-up (one pair)", *words, repeats=5)
    score = f_score(document)
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
    words = evaluation("smatchpp(style='amr', compat='smatchpp')", gold, system)
    ours, document = command("karat evaluate smatchpp", *words, repeats=5)
    score = f_score(document)
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


def growth(folder: Path) -> None:
    """Twice the pairs, twice the work; two threads, half the time."""
    sizes = (10, 20, 40, 80)
    made = {times: files(folder, times) for times in sizes}
    seconds = [
        command(
            f"karat evaluate smatch, {100 * times:,} pairs",
            *evaluation("smatch", *made[times]),
            repeats=3,
        )[0]
        for times in sizes
    ]
    steps = [
        (later - earlier) / (100 * (b - a)) * 1e6
        for (a, earlier), (b, later) in zip(
            zip(sizes, seconds, strict=True),
            list(zip(sizes, seconds, strict=True))[1:],
            strict=False,
        )
    ]
    print("  microseconds for each further pair: " + ", ".join(f"{step:.0f}" for step in steps))
    metric = Smatch()
    golds, systems = (texts(Path(path)) for path in made[sizes[1]])
    prepared = [metric.as_pair(*pair) for pair in zip(systems, golds, strict=True)] * 8
    flat, nodes = flat_pairs(prepared, metric.weights), [pair.gold.nodes for pair in prepared]
    faster = scaling(lambda threads: match_flat(flat, nodes, threads=threads))
    print(f"  the matcher on two threads: {faster:.2f} times as fast (wall time)")
    for name in ("amr-fine", "mrp"):
        words = evaluation(name, *made[sizes[2]], "--jobs")
        faster = scaling(partial(run_with_jobs, words))
        print(f"  karat evaluate {name} --jobs 2: {faster:.2f} times as fast (wall time)")


def run_with_jobs(words: Sequence[str], jobs: int) -> None:
    subprocess.run((*words, str(jobs)), capture_output=True, check=True)


def scaling(work: Callable[[int], object], repeats: int = 3) -> float:
    """How many times as fast two workers are as one, by the medians of the wall times."""
    walls: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(repeats):
        for workers, taken in walls.items():
            begin = time.perf_counter()
            work(workers)
            taken.append(time.perf_counter() - begin)
    return statistics.median(walls[1]) / statistics.median(walls[2])


def throughput(gold: str, system: str) -> None:
    pairs = list(zip(texts(Path(system)), texts(Path(gold)), strict=True))
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
    mrp = Mrp()
    begin = time.process_time()
    rows = mrp.measure_many(graphs)
    whole = time.process_time() - begin
    prepared = [mrp.as_pair(*pair) for pair in graphs]
    begin = time.process_time()
    match_many(prepared, mrp.weights)
    alone = time.process_time() - begin
    matched = rows[:, [i for i, c in enumerate(mrp.columns) if c.endswith(".c")]].sum()
    print(f"{'mrp, 87 pairs of EDS':<44} {whole:9.3f} s of CPU, the matcher {alone:.3f} s")
    print(f"  {matched:.0f} tuples match, all proven; mtool took 151 s for the whole file")
    from_bytes()


def from_bytes(copies: int = 50) -> None:
    """EDS graphs from files to rows: read natively, and parsed and prepared in Python."""
    with tempfile.TemporaryDirectory() as folder:
        names = {"system": "perturbed/eds.wsj.mrp", "gold": "sample/eds/wsj.mrp"}
        files = {side: Path(folder, f"{side}.mrp") for side in names}
        for side, name in names.items():
            lines = (SHARED / name).read_bytes().splitlines()
            files[side].write_bytes(b"\n".join(repeated(lines, copies)))
        race(
            f"mrp from files, EDS {copies} times over",
            lambda: evaluate(Mrp(), **files).counts.tolist(),
            lambda: evaluate(ParsedMrp(), **files).counts.tolist(),
            lambda a, b: a == b,
        )


def repeated(lines: Sequence[bytes], copies: int) -> Iterator[bytes]:
    """Graphs again and again, each time with other ids."""
    for copy in range(copies):
        for line in lines:
            yield line.replace(b'"id": "', f'"id": "{copy}.'.encode(), 1)


class ParsedMrp(Mrp):
    """The same metric for items that are parsed."""

    def measure_bytes(self, chunk: RawChunk) -> None:
        return None


def main() -> None:
    header("graph matching against Smatch and smatch++", "smatch", "smatchpp")
    # What an installer does, and a checkout may lack.
    compileall.compile_dir(str(Path(karat.__file__).parent), quiet=1)
    with tempfile.TemporaryDirectory() as name:
        gold, system = sys.argv[1:] if len(sys.argv) == 3 else files(Path(name), TIMES)
        throughput(gold, system)
        growth(Path(name))
        commands(gold, system)


if __name__ == "__main__":
    main()
