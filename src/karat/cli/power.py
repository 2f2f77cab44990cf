"""``karat power``: how much data is needed to see a difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from karat.cli.common.options import (
    BETWEEN_0_AND_1,
    CLUSTER,
    COEFFICIENT,
    COEFFICIENTS,
    DEPENDENT,
    FILES,
    JSON,
    LEVEL,
    LOWER_IS_BETTER,
    SCORE,
    SEED,
    TWO_METRICS,
    WHO,
    WholeNumber,
    alpha_option,
)
from karat.cli.common.printing import show_meta, warn
from karat.core import signature
from karat.errors import OptionError


@click.group("power")
def power() -> None:
    """How many items or systems are needed to tell two systems, or two metrics, apart?

    Data sets of several sizes are drawn from a pilot, and each is tested: the
    share in which the difference is found is the power at that size. The difference
    in the pilot is taken to be the true one, so do not trust small pilots.
    """


def _options(runs: int) -> list[click.Parameter]:
    return [
        click.Option(["--runs"], type=WholeNumber(1), default=runs, show_default=True, help="data sets drawn for each size"),
        click.Option(["--size", "sizes"], multiple=True, type=WholeNumber(2), help="a size to try; may be repeated  [default: from half to 16 times the pilot]"),
        click.Option(["--power", "target"], type=BETWEEN_0_AND_1, default=0.8, show_default=True, help="how often the difference should be found"),
        alpha_option("the test"),
        click.Option(["--trials"], type=WholeNumber(1), default=200, show_default=True, help="random exchanges in each test"),
        SEED,
        JSON,
    ]  # fmt: skip


def _sizes(given: Sequence[int], pilot: int) -> list[int]:
    return sorted(given) if given else [max(2, pilot * step // 2) for step in (1, 2, 4, 8, 16, 32)]


@power.command(
    "systems",
    short_help="How many items are needed to tell two systems apart.",
    params=[
        click.Argument(["first"], metavar="A.run"),
        click.Argument(["second"], metavar="B.run"),
        SCORE,
        CLUSTER,
        *_options(500),
    ],
)
def systems(
    first: str, second: str, score: str | None, cluster: str | None, sizes: tuple[int, ...],
    json_path: str | None, **options: Any,
) -> None:  # fmt: skip
    """How many items are needed to tell two systems apart, by a paired randomization test.

    A.run and B.run are what karat evaluate --save wrote for the two systems.
    """
    from karat.core.runs.evaluation import Evaluation

    a, b = Evaluation.load(first), Evaluation.load(second)
    units = a.cluster_count(cluster) if cluster else len(a)
    name, curve = a.power(b, _sizes(sizes, units), score=score, cluster=cluster, **options)
    document = {
        "what": "clusters" if cluster else "items",
        "metric": signature.of_runs([a, b]),
        "score": name,
        "pilot_items": len(a),
        **({"cluster": cluster, "pilot_clusters": units} if cluster else {}),
    }
    _report(curve, document, options, json_path)


@power.command(
    "metrics",
    params=[
        FILES,
        DEPENDENT,
        TWO_METRICS,
        LOWER_IS_BETTER,
        click.Option(["--grow"], type=click.Choice(["inputs", "systems"]), default="inputs", show_default=True, help="what there could be more of"),
        LEVEL,
        COEFFICIENT,
        click.Option(["--test"], type=click.Choice(["permutation-both", "williams"]), default="permutation-both", show_default=True, help="the one-tailed test"),
        WHO,
        *_options(200),
    ],
)  # fmt: skip
def metrics(
    files: tuple[str, ...], dependent: str, metrics: tuple[str, str], grow: str, level: Any,
    coefficient: str, who: Any, lower_is_better: tuple[str, ...], sizes: tuple[int, ...],
    json_path: str | None, **options: Any,
) -> None:  # fmt: skip
    """How many inputs or systems are needed to tell two metrics apart."""
    from karat.meta.table import ScoreTable
    from karat.stats.power import metric_power

    table = ScoreTable.read(files)
    found = table.matrices((*metrics, dependent), who).turned(lower_is_better)
    warn([*table.warnings, *found.warnings, *found.constant()], quiet=False)
    x, y, z = found.values
    pilot = x.shape[1] if grow == "inputs" else x.shape[0]
    shapes = [
        (x.shape[0], size) if grow == "inputs" else (size, x.shape[1])
        for size in _sizes(sizes, pilot)
    ]
    if len({*shapes}) < 2:
        raise OptionError("power needs at least two sizes to try", code="K363")
    curve = metric_power(x, y, z, level, COEFFICIENTS.index(coefficient), shapes, **options)
    document = {
        "what": grow,
        "metric_A": metrics[0],
        "metric_B": metrics[1],
        "dependent_metric": dependent,
        "level": level,
        "coefficient": coefficient,
        "pilot_systems": x.shape[0],
        "pilot_inputs": x.shape[1],
    }
    _report(curve, document, options, json_path)


def _report(
    curve: Any, document: dict[str, Any], options: dict[str, Any], json_path: str | None
) -> None:
    from dataclasses import asdict

    document = {**document, **options, **asdict(curve)}
    show_meta([document], json_path, lambda tables: [tables.power(document)])
