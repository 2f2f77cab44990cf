"""Several systems by one metric: their scores side by side, and which differ for sure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karat.core.runs.comparison import Ranking
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import find_leaf
from karat.errors import KaratError
from karat.report.numbers import ends, reasons_note, shown, shown_p, values_to_show
from karat.report.page.parts import BETWEEN, escaped, small_print, table
from karat.stats.intervals import Interval

_WIDTH, _LEFT, _ROW = 660, 200, 24


def section(runs: Sequence[Evaluation], statistics: Mapping[str, Any]) -> str:
    """The headline score of all systems, with intervals and rank clusters."""
    metric = runs[0].metric
    path = find_leaf(runs[0].scores(), metric.about.headline)
    scale = metric.about.scale_of(path)
    values = [values_to_show(run)[path] for run in runs]
    intervals = [run.confidence(**statistics) for run in runs]
    found = [each.get(path) for each in intervals]
    ranking = _ranking(runs, statistics)
    level = f"{100 * statistics['level']:g}&nbsp;% interval"
    head = ["system", escaped(metric.about.headline), level]
    if ranking:
        head += ["cluster", *(f"p against {i}" for i, _ in enumerate(runs, 1))]
    rows = []
    for i, (run, value, interval) in enumerate(zip(runs, values, found, strict=True)):
        between = ends(interval, scale, BETWEEN)
        cells = [f"{i + 1} {escaped(run.system)}", shown(value, scale), between]
        if ranking:
            cells.append(str(ranking.clusters[i]))
            cells += [_p_value(ranking, i, j) for j in range(len(runs))]
        rows.append(cells)
    note = (
        "<p class=dim>Systems in one cluster cannot be told apart; p-values are those of "
        f"a paired test ({ranking.comparisons[0].test}), corrected after Holm.</p>"
        if ranking
        else ""
    )
    names = [run.system for run in runs]
    why = reasons_note(
        (name, each.reasons[path])
        for name, each in zip(names, intervals, strict=True)
        if path in each.reasons
    )
    return (
        f"<section><h2>{escaped(metric.name)}: systems side by side</h2>"
        f"{_chart(names, values, found, scale)}{table(head, rows)}"
        f"{small_print(why)}{note}</section>"
    )


def _ranking(runs: Sequence[Evaluation], statistics: Mapping[str, Any]) -> Ranking | None:
    """None where the systems were not measured on the same items."""
    try:
        return Ranking(runs, level=statistics["level"], seed=statistics["seed"])
    except KaratError:
        return None


def _p_value(ranking: Ranking, i: int, j: int) -> str:
    if i == j:
        return ""
    return shown_p(ranking.adjusted[ranking.pairs.index((min(i, j), max(i, j)))])


def _chart(
    names: Sequence[str],
    values: Sequence[float | None],
    found: Sequence[Interval | None],
    scale: float,
) -> str:
    """A point and its interval for each system, on one axis."""
    ends = [v for v in values if v is not None]
    ends += [end for each in found if each for end in (each.low, each.high)]
    if not ends:
        return ""
    low, high = min(ends), max(ends)
    margin = 0.05 * (high - low) or 0.01 * scale
    low, high = low - margin, high + margin

    def x(value: float) -> float:
        return _LEFT + (value - low) / (high - low) * (_WIDTH - _LEFT - 20)

    parts = []
    for i, (name, value, interval) in enumerate(zip(names, values, found, strict=True)):
        y = _ROW * i + 14
        short = name if len(name) <= 30 else f"…{name[-29:]}"
        parts.append(
            f"<text x='{_LEFT - 10}' y='{y + 4}' text-anchor='end'>{escaped(short)}</text>"
        )
        if interval:
            parts.append(
                f"<line class=interval x1='{x(interval.low):.1f}' x2='{x(interval.high):.1f}' "
                f"y1='{y}' y2='{y}'/>"
            )
        if value is not None:
            parts.append(
                f"<circle cx='{x(value):.1f}' cy='{y}' r='4'>"
                f"<title>{shown(value, scale)}</title></circle>"
            )
    bottom = _ROW * len(names) + 4
    parts.append(f"<line x1='{_LEFT}' x2='{_WIDTH - 20}' y1='{bottom}' y2='{bottom}'/>")
    for share in (0, 0.5, 1):
        value = low + share * (high - low)
        parts.append(
            f"<text x='{x(value):.1f}' y='{bottom + 15}' text-anchor='middle'>"
            f"{shown(float(value), scale)}</text>"
        )
    return (
        f"<svg class=chart viewBox='0 0 {_WIDTH} {bottom + 22}' role='img' "
        f"aria-label='scores with intervals'>{''.join(parts)}</svg>"
    )
