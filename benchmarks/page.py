"""What the page costs: CPU seconds of the plain run and of the same run with ``--report``.

There is no peer that shows all items of a run; the ratio is that of the two runs.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from io import BytesIO
from pathlib import Path

from karat import evaluate
from karat.report.page import write

WORDS = [
    "the", "a", "old", "new", "ferry", "harbour", "captain", "engineer",
    "repaired", "lost", "sold", "map", "key", "pump", "on", "at",
]  # fmt: skip


def texts(path: Path, count: int, often: float) -> str:
    draw, noise = random.Random(1), random.Random(2)
    with path.open("w") as stream:
        for _ in range(count):
            words = draw.choices(WORDS, k=18)
            kept = [noise.choice(WORDS) if noise.random() < often else word for word in words]
            stream.write(" ".join(kept) + "\n")
    return str(path)


def main(sizes: list[int]) -> None:
    print("items  plain s  page s  ratio  page MB")
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            gold = texts(folder / "gold.txt", size, 0.0)
            systems = [texts(folder / f"{i}.txt", size, 0.1 * i) for i in (1, 2, 3)]
            begin = time.process_time()
            runs = [evaluate("bleu", system=path, gold=gold) for path in systems]
            for run in runs:
                run.confidence()
            plain = time.process_time() - begin
            stream = BytesIO()
            begin = time.process_time()
            write(stream, runs)
            page = time.process_time() - begin
        megabytes = len(stream.getvalue()) / 1e6
        print(f"{size:6,} {plain:8.2f} {page:7.2f} {page / plain:6.1f} {megabytes:8.2f}")


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]] or [1_000, 10_000])
