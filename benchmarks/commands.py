"""Whole karat commands on files of texts, with interval, against a peer that takes fewer lines."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from timing import measured

LINES = 100_000
Texts = Sequence[str]


def scores(name: str, options: Sequence[str], system: Path, gold: Path) -> Any:
    """What a command says, which starts Python, reads files, counts, and draws 1000 resamples."""
    command = [sys.executable, "-m", "karat", "evaluate", name, "-g", gold, "-s", system]
    done = subprocess.run(
        [*command, *options, "-q", "--json", "-"], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)["scores"]


def at_scale(
    title: str,
    name: str,
    options: Sequence[str],
    texts: tuple[Texts, Texts],
    peer: Callable[[Texts, Texts], Any],
    peer_lines: int,
    figures: Callable[[Any], Any],
    times: int = 1,
) -> None:
    """CPU per line of the command on all lines, `times` over, and of the peer on the first ones.

    First both take the lines of the peer, and must say the same; `figures` picks from what
    karat says what the peer gives.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "system", Path(folder) / "gold"

        def write(count: int, times: int = 1) -> None:
            for file, side in zip(files, texts, strict=True):
                file.write_text(("\n".join(side[:count]) + "\n") * times, encoding="utf-8")

        write(peer_lines)
        ours = figures(scores(name, options, *files))
        _, their_cpu, theirs = measured(lambda: peer(*(t[:peer_lines] for t in texts)), 1)
        if ours != theirs:
            raise SystemExit(f"{title}: the figures differ: {ours} and {theirs}")
        lines = len(texts[0])
        write(lines)
        _, cpu, _ = measured(lambda: scores(name, options, *files))
        each, their_each = cpu / lines, their_cpu / peer_lines
        print(
            f"{title}, {lines:,} lines, interval: karat CPU {cpu:.2f} s, "
            f"{each * 1e6:.1f} µs a line; "
            f"peer {their_each * 1e6:.0f} µs a line (of {peer_lines:,}); "
            f"ratio {their_each / each:.1f}"
        )
        if times > 1:
            write(lines, times)
            _, cpu, _ = measured(lambda: scores(name, options, *files), 1)
            print(f"{title}, {lines * times:,} lines, interval: karat CPU {cpu:.2f} s")
