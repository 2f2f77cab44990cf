"""What the page does with 100,000 items of three systems, in Chromium, beside its budgets.

Each step is told by the clock and by the CPU time of the page's main thread: on a busy machine the
second is the one to read. Scrolling is measured five times, in turns with a box that holds nothing:
its frames show what the machine adds. There is no peer that shows all items of a run. Needs Node,
Chromium and the modules that ``scripts/web`` brings.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from io import BytesIO
from pathlib import Path

from karat import evaluate
from karat.report.page import write

HERE = Path(__file__).resolve()
WORDS = [
    "the", "a", "old", "new", "ferry", "harbour", "captain", "engineer",
    "repaired", "lost", "sold", "map", "key", "pump", "on", "at",
]  # fmt: skip
BUDGETS = {
    "table": (1.0, "table shown"),
    "texts": (1.5, "first texts shown"),
    "filter": (0.15, "filter"),
    "unfilter": (0.15, "filter taken away"),
    "sort": (0.15, "sort"),
    "sort again": (0.15, "sort the other way"),
    "next": (0.05, "next item"),
    "search": (3.0, "search, the first time"),
    "search again": (0.4, "search again"),
    "frame": (0.05, "scrolling: longest frame; longest task"),
    "control": (0.05, "the same over an empty box, for comparison"),
}
RARE, OTHER = "zeppelin", "barometer"


def records(path: Path, count: int, often: float) -> str:
    """Texts in five domains; two words stand in few of them."""
    draw, noise = random.Random(1), random.Random(str(path))
    with path.open("w") as stream:
        for i in range(count):
            words = draw.choices(WORDS, k=18)
            words = [noise.choice(WORDS) if noise.random() < often else word for word in words]
            if i % 997 == 0:
                words[i % 18] = RARE if i % 2 else OTHER
            row = {"id": f"s{i}", "domain": f"domain {i % 5}", "text": " ".join(words)}
            stream.write(json.dumps(row) + "\n")
    return str(path)


def main(count: int) -> None:
    modules = HERE.parents[1] / "web" / "node_modules"
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if not modules.is_dir() or browser is None or shutil.which("node") is None:
        sys.exit("this needs node, chromium and web/node_modules (scripts/web brings them)")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        gold = records(folder / "gold.jsonl", count, 0.0)
        systems = [
            records(folder / f"{x}.jsonl", count, 0.1 * (i + 1)) for i, x in enumerate("abc")
        ]
        runs = [evaluate("bleu", system=path, gold=gold) for path in systems]
        begin = time.process_time()
        page = BytesIO()
        write(page, runs, page_size=None)
        path = folder / "page.html"
        path.write_bytes(page.getvalue())
        print(f"{count:,} items × 3 systems: {path.stat().st_size / 1e6:.1f} MB of page", end=", ")
        print(f"written in {time.process_time() - begin:.1f} s of CPU")
        plan = {"modules": str(modules), "chromium": browser, "address": path.as_uri()}
        (folder / "plan.json").write_text(json.dumps({**plan, "word": RARE, "other": OTHER}))
        done = subprocess.run(
            ["node", str(HERE.with_suffix(".mjs")), str(folder / "plan.json")],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode:
        sys.exit(done.stderr)
    figures = json.loads(done.stdout)
    print(f"{'':50} budget ms  clock ms   CPU ms")
    for key, (budget, text) in BUDGETS.items():
        clock, cpu = figures[key]
        over = "  over" if min(clock, cpu) > budget else ""
        print(f"{text:50} {1000 * budget:9,.0f} {1000 * clock:9,.0f} {1000 * cpu:8,.0f}{over}")
    whole, own = figures["heap"]
    over = "  over" if whole > 250 else ""
    print(f"heap, MB: budget 250, with arrays {whole:.0f}, objects and strings {own:.0f}{over}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
