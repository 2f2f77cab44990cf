"""One self-contained page: scores, their intervals, groups, and the worst items.

No script, no font, no picture comes from elsewhere; the charts are inline SVG.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from karat.core.evaluation import Evaluation
from karat.core.scores import find_leaf, leaves
from karat.errors import OptionError
from karat.report.explanations import pairs_again
from karat.report.numbers import shown
from karat.version import VERSION

WORST = 20

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #667; --line: #d5d9e0; --bar: #3b6ea8;
        --paper: #fff; --soft: #f5f6f8 }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --dim: #9aa3ad; --line: #3a4048;
        --bar: #7aa9dc; --paper: #16191d; --soft: #1f2329 } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
       max-width: 66rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2.2rem } h3 { font-size: 1rem }
table { border-collapse: collapse; margin: .6rem 0 } caption { text-align: left; color: var(--dim) }
th, td { padding: .25rem .8rem .25rem 0; text-align: right; border-bottom: 1px solid var(--line);
         font-variant-numeric: tabular-nums; vertical-align: top }
th:first-child, td:first-child { text-align: left }
tr.main td { font-weight: 600 }
.dim, .signature { color: var(--dim) } .signature { font-family: ui-monospace, monospace;
         font-size: .85rem; overflow-wrap: anywhere }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .4rem 0;
          padding: .3rem .8rem }
summary { cursor: pointer } pre { background: var(--soft); padding: .6rem; overflow-x: auto;
         white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem }
svg text { fill: var(--dim); font-size: 11px } svg rect { fill: var(--bar) }
svg line { stroke: var(--line) }
"""


def page(
    runs: Sequence[Evaluation],
    statistics: Mapping[str, Any],
    by: Sequence[str],
    format_options: Mapping[str, Any],
) -> bytes:
    """The whole page, as UTF-8."""
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>karat: {_text(', '.join(dict.fromkeys(run.system for run in runs)))}</title>",
        f"<style>{_STYLE}</style><h1>What karat measured</h1>",
        f"<p class=dim>karat {VERSION}, {len(runs)} run{'s' if len(runs) > 1 else ''}</p>",
    ]
    for run in runs:
        parts += _run(run, statistics, by, format_options)
    return "\n".join([*parts, "</html>\n"]).encode()


def _text(value: object) -> str:
    return html.escape(str(value))


def _run(
    run: Evaluation, statistics: Mapping[str, Any], by: Sequence[str], options: Mapping[str, Any]
) -> list[str]:
    metric = run.metric
    parts = [
        f"<section><h2>{_text(metric.name)}: {_text(run.system)}</h2>",
        f"<p class=signature>{_text(metric.signature())}</p>",
        _scores(run, statistics),
    ]
    if run.skipped:
        parts.append(
            f"<p><strong>{run.skipped}</strong> items could not be read and are left out.</p>"
        )
    if run.inexact:
        parts.append(f"<p><strong>{run.inexact}</strong> scores are not proven optimal.</p>")
    if run.remarks:
        items = "".join(f"<li>{_text(warning)}</li>" for warning in run.remarks)
        parts.append(f"<h3>Warnings</h3><ul>{items}</ul>")
    parts += [_groups(run, field) for field in by]
    path = find_leaf(run.scores(), metric.headline)
    values = np.asarray(dict(leaves(metric.summarize(run.counts)))[path], float)
    parts += [_histogram(values, metric.headline, metric.scale), _worst(run, values, options)]
    return [*parts, "</section>"]


def _scores(run: Evaluation, statistics: Mapping[str, Any]) -> str:
    found = run.confidence(**statistics)
    macro = dict(leaves(run.macro()))
    level = f"{100 * float(statistics['level']):g}&nbsp;% interval"
    rows = []
    for path, value in leaves(run.scores()):
        name, scale, interval = ".".join(path), run.metric.scale_of(path), found.get(path)
        mark = " class=main" if name == run.metric.headline else ""
        between = (
            f"{shown(interval.low, scale)} – {shown(interval.high, scale)}" if interval else ""
        )
        mean = shown(macro[path], scale) if path in macro else ""
        rows.append(f"<tr{mark}><td>{_text(name)}<td>{shown(value, scale)}<td>{between}<td>{mean}")
    head = f"<tr><th>score<th>all items<th>{level}<th>mean of items"
    return f"<table><caption>{len(run):,} items</caption>{head}{''.join(rows)}</table>"


def _groups(run: Evaluation, field: str) -> str:
    paths = [p for p, _ in leaves(run.scores()) if ".".join(p) not in run.metric.totals]
    head = "".join(f"<th>{_text('.'.join(path))}" for path in paths)
    rows = []
    sizes = run.group_sizes(field)
    for name, scores in run.by(field).items():
        flat = dict(leaves(scores))
        cells = "".join(f"<td>{shown(flat[path], run.metric.scale_of(path))}" for path in paths)
        rows.append(f"<tr><td>{_text(name or '(none)')}<td>{sizes[name]:,}{cells}")
    top = f"<tr><th>{_text(field)}<th>items{head}"
    return f"<h3>By {_text(field)}</h3><table>{top}{''.join(rows)}</table>"


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
        f"<h3>{_text(name)} of the items</h3><svg viewBox='0 0 660 135' width='660' role='img' "
        f"aria-label='histogram'>{bars}<line x1='20' x2='620' y1='110' y2='110'/>{ticks}"
        f"<text x='20' y='10'>{high} items</text></svg>"
    )


def _worst(run: Evaluation, values: Any, options: Mapping[str, Any]) -> str:
    """The items with the worst scores, with what the metric says of them."""
    lower = run.metric.headline in run.metric.lower_is_better
    order = np.argsort(-values if lower else values, kind="stable")[:WORST]
    wanted = {_who(run, i): float(values[i]) for i in order if not np.isnan(values[i])}
    if not wanted or (run.inputs and any(not each.sha256 for each in run.inputs.files)):
        return ""
    found = {}
    for pair in pairs_again(run, options):
        who = (pair.id, *(pair.fields.get(name, "") for name in run.groups))
        if who in wanted:
            found[who] = _item(run, pair.system, pair.gold)
    blocks = "".join(
        f"<details><summary>{_text(who[0])}: {shown(value, run.metric.scale)}</summary>"
        f"{found.get(who, '')}</details>"
        for who, value in wanted.items()
    )
    return f"<h3>The {len(wanted)} worst items</h3>{blocks}"


def _who(run: Evaluation, i: int) -> tuple[str, ...]:
    """Ids may repeat across frameworks; together with the groups they do not."""
    return (run.ids[i], *(values[i] for values in run.groups.values()))


def _item(run: Evaluation, system: Any, gold: Any) -> str:
    shown_parts = [("gold", _plain(gold)), ("system", _plain(system))]
    try:
        explanation = run.metric.explain(system, gold)
        shown_parts.append(
            ("what went wrong", json.dumps(explanation, ensure_ascii=False, indent=1))
        )
    except OptionError:
        pass  # this metric has nothing to add to the two sides
    return "".join(
        f"<p class=dim>{title}</p><pre>{_text(body)}</pre>" for title, body in shown_parts
    )


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value):
        return "\n".join(value)
    return str(value)
