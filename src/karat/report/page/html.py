"""One self-contained page: scores, intervals, systems side by side, groups, what went wrong.

No script, no font, no picture comes from elsewhere; the charts are inline SVG.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from karat.core.runs.comparison import Ranking
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import find_leaf, leaves, undefined_is_nan
from karat.errors import KaratError, counted
from karat.report.numbers import (
    ends,
    reasons_note,
    sample_size,
    score_name,
    shown,
    shown_p,
    values_to_show,
)
from karat.report.page.items import headline_values, items
from karat.report.page.parts import BETWEEN, MAIN, escaped, small_print, style, table
from karat.stats.intervals import Interval, Intervals
from karat.version import VERSION

_WIDTH, _LEFT, _ROW = 660, 200, 24


def page(
    runs: Sequence[Evaluation],
    statistics: Mapping[str, Any],
    by: Sequence[str],
    looked: Sequence[str] | None = None,
) -> bytes:
    """The whole page, as UTF-8; `looked` is what was made of each run's items already."""
    names = ", ".join(dict.fromkeys(run.system for run in runs))
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>karat: {escaped(names)}</title>",
        f"<style>{style()}</style><h1>What karat measured</h1>",
        f"<p class=dim>karat {VERSION}, {counted(len(runs), 'run')}</p>",
        _contents(runs) if len(runs) > 1 else "",
    ]
    for metric in dict.fromkeys(run.metric for run in runs):
        same = [run for run in runs if run.metric == metric]
        if len(same) > 1:
            parts.append(_side_by_side(same, statistics))
    for number, run in enumerate(runs, 1):
        part = items(run) if looked is None else looked[number - 1]
        parts += _run(run, number, statistics, by, part)
    return "\n".join([*parts, "</html>\n"]).encode()


def _contents(runs: Sequence[Evaluation]) -> str:
    links = "".join(
        f"<li><a href='#run-{i}'>{escaped(run.metric.name)}: {escaped(run.system)}</a>"
        for i, run in enumerate(runs, 1)
    )
    return f"<nav><ul>{links}</ul></nav>"


def _run(
    run: Evaluation, number: int, statistics: Mapping[str, Any], by: Sequence[str], looked: str
) -> list[str]:
    metric = run.metric
    parts = [
        f"<section id='run-{number}'><h2>{escaped(metric.name)}: {escaped(run.system)}</h2>",
        f"<p class=signature>{escaped(run.signature())}</p>",
        _scores(run, statistics),
    ]
    if run.skipped:
        parts.append(
            f"<p><strong>{run.skipped}</strong> items could not be read and are left out.</p>"
        )
    if run.inexact:
        parts.append(f"<p><strong>{run.inexact}</strong> scores are not proven optimal.</p>")
    if warnings := [*run.remarks, *run.cluster_remarks(statistics.get("cluster"))]:
        remarks = "".join(f"<li>{escaped(warning)}</li>" for warning in warnings)
        parts.append(f"<h3>Warnings</h3><ul>{remarks}</ul>")
    parts += [_groups(run, field) for field in by]
    path = find_leaf(run.scores(), metric.about.headline)
    histogram = _histogram(headline_values(run), metric.about.headline, metric.about.scale_of(path))
    parts += [histogram, looked]
    return [*parts, "</section>"]


def _scores(run: Evaluation, statistics: Mapping[str, Any]) -> str:
    """Plain scores below each other, groups of scores with the same names as one table."""
    shape: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for path, _ in leaves(run.scores()):
        shape.setdefault(path[:-1], []).append(path)
    same: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for group, paths in shape.items():
        same.setdefault(tuple(path[-1] for path in paths) if group else (), []).append(group)
    plain = [p for groups in same.values() if len(groups) == 1 for p in shape[groups[0]]]
    found = run.confidence(**statistics)
    level = f"{100 * statistics['level']:g}&nbsp;% interval"
    parts = [_plain_scores(run, plain, found, level)] if plain else []
    parts += [
        _score_groups(run, groups, names, found, level)
        for names, groups in same.items()
        if len(groups) > 1
    ]
    parts.sort(key=lambda part: MAIN not in part)  # the headline comes first
    count = f"{escaped(sample_size(run, statistics.get('cluster')))}{_against(run)}"
    why = reasons_note((".".join(path), reason) for path, reason in found.reasons.items())
    return f"<p class=dim>{count}</p>{''.join(parts)}{small_print(why)}"


def _against(run: Evaluation) -> str:
    golds = [each.path for each in run.inputs.files if each.role == "gold"] if run.inputs else []
    return f", against {escaped(', '.join(golds))}" if golds else ""


def _plain_scores(
    run: Evaluation, paths: Sequence[tuple[str, ...]], found: Intervals, level: str
) -> str:
    scores, macro = values_to_show(run), dict(leaves(run.macro()))
    rows = []
    for path in paths:
        scale = run.metric.about.scale_of(path)
        mean = shown(macro[path], scale) if path in macro else ""
        rows.append(
            [
                escaped(score_name(run.metric, path)),
                shown(scores[path], scale),
                _between(path, run, found),
                mean,
            ]
        )
    names = [".".join(path) for path in paths]
    main = names.index(run.metric.about.headline) if run.metric.about.headline in names else None
    return table(["score", "all items", level, "mean of items"], rows, main=main)


def _score_groups(
    run: Evaluation,
    groups: Sequence[tuple[str, ...]],
    names: Sequence[str],
    found: Intervals,
    level: str,
) -> str:
    scores = values_to_show(run)
    rows, main = [], None
    for i, group in enumerate(groups):
        cells = [escaped(".".join(group))]
        for name in names:
            path = (*group, name)
            between = _between(path, run, found)
            small = f"<br><small>{between}</small>" if between else ""
            cells.append(f"{shown(scores[path], run.metric.about.scale_of(path))}{small}")
            if ".".join(path) == run.metric.about.headline:
                main = i
        rows.append(cells)
    head = ["", *map(escaped, names)]
    has_intervals = any("<small>" in cell for row in rows for cell in row)
    caption = f"below each score: {level}" if has_intervals else ""
    return table(head, rows, caption=caption, main=main)


def _between(path: tuple[str, ...], run: Evaluation, found: Intervals) -> str:
    return ends(found[path], run.metric.about.scale_of(path), BETWEEN) if path in found else ""


def _groups(run: Evaluation, field: str) -> str:
    paths = [p for p, _ in leaves(run.scores()) if ".".join(p) not in run.metric.about.totals]
    sizes = run.group_sizes(field)
    rows = []
    with undefined_is_nan():
        groups = run.by(field)
    for name, scores in groups.items():
        flat = dict(leaves(scores))
        cells = [shown(flat[path], run.metric.about.scale_of(path)) for path in paths]
        rows.append([escaped(name or "(none)"), f"{sizes[name]:,}", *cells])
    head = [escaped(field), "items", *(escaped(".".join(path)) for path in paths)]
    return f"<h3>By {escaped(field)}</h3>{table(head, rows)}"


def _histogram(values: Any, name: str, scale: float) -> str:
    """How the items' scores are spread."""
    defined = values[~np.isnan(values)]
    if len(defined) < 2:
        return ""
    top = max(scale, float(defined.max()))
    counts, edges = np.histogram(defined, bins=20, range=(min(0.0, float(defined.min())), top))
    high = max(1, int(counts.max()))
    bars = "".join(
        f"<rect x='{20 + 30 * i}' y='{110 - 100 * count / high:.1f}' width='27' "
        f"height='{100 * count / high:.1f}'><title>{shown(float(edges[i]), scale)} to "
        f"{shown(float(edges[i + 1]), scale)}: {count} items</title></rect>"
        for i, count in enumerate(counts.tolist())
    )
    ticks = "".join(
        f"<text x='{20 + 30 * i}' y='126' text-anchor='middle'>"
        f"{shown(float(edges[i]), scale)}</text>"
        for i in (0, 5, 10, 15, 20)
    )
    return (
        f"<h3>{escaped(name)} of the items</h3><svg class=chart viewBox='0 0 660 135' role='img' "
        f"aria-label='histogram'>{bars}<line x1='20' x2='620' y1='110' y2='110'/>{ticks}"
        f"<text x='20' y='10'>{high} items</text></svg>"
    )


def _side_by_side(runs: Sequence[Evaluation], statistics: Mapping[str, Any]) -> str:
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
        f"{_system_chart(names, values, found, scale)}{table(head, rows)}"
        f"{small_print(why)}{note}</section>"
    )


def _ranking(runs: Sequence[Evaluation], statistics: Mapping[str, Any]) -> Ranking | None:
    """None where the systems were not measured on the same items."""
    try:
        return Ranking(
            runs,
            level=statistics["level"],
            seed=statistics["seed"],
            cluster=statistics.get("cluster"),
        )
    except KaratError:
        return None


def _p_value(ranking: Ranking, i: int, j: int) -> str:
    if i == j:
        return ""
    return shown_p(ranking.adjusted[ranking.pairs.index((min(i, j), max(i, j)))])


def _system_chart(
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
