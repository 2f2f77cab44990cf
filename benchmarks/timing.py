"""How benchmarks measure and print: karat and its peer in one run, figures first."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any


def header(title: str, *packages: str) -> None:
    """What runs where, in which versions."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("karat", "numpy", *packages))
    print(f"# {title}\n# Python {platform.python_version()}, {platform.machine()}, {versions}")


def _cpu() -> float:
    """CPU seconds of this process and of those that it started and that ended."""
    return sum(os.times()[:4])


def measured(function: Callable[[], Any], repeats: int = 3) -> tuple[float, float, Any]:
    """Medians of wall and CPU seconds, and what the function gave."""
    walls, cpus, result = [], [], None
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), _cpu()
        result = function()
        walls.append(time.perf_counter() - wall)
        cpus.append(_cpu() - cpu)
    return statistics.median(walls), statistics.median(cpus), result


def race(
    name: str,
    ours: Callable[[], Any],
    theirs: Callable[[], Any],
    equal: Callable[[Any, Any], bool] | None = None,
    repeats: int = 3,
) -> float:
    """Runs both, checks that they agree, and prints how many times faster karat is."""
    our_wall, our_cpu, our_result = measured(ours, repeats)
    their_wall, their_cpu, their_result = measured(theirs, repeats)
    if equal is not None and not equal(our_result, their_result):
        shown = [str(result)[:200] for result in (our_result, their_result)]
        raise SystemExit(f"{name}: the figures differ: {shown[0]} and {shown[1]}")
    ratio = their_wall / our_wall
    by_cpu = their_cpu / max(our_cpu, 1e-3)
    print(
        f"{name:<52} karat {our_wall:8.3f} s (CPU {our_cpu:7.3f})   "
        f"peer {their_wall:8.3f} s (CPU {their_cpu:7.3f})   ratio {ratio:7.1f} (CPU {by_cpu:.1f})"
    )
    return ratio
