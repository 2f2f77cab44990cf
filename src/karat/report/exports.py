"""Results in files: JSON and tab-separated rows for programs, Markdown and LaTeX for papers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from karat.core import signature
from karat.core.files.writing import text_cell
from karat.core.metric import Metric
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import MetricsDict, leaves, nest, undefined_is_nan
from karat.report.numbers import (
    NOTHING,
    bounds,
    ends,
    interval_title,
    metric_titles,
    ranked_pairs,
    ranked_systems,
    sample_size,
    shown,
    side_by_side,
    values_to_show,
)
from karat.stats.intervals import Intervals

if TYPE_CHECKING:
    from karat.core.runs.comparison import Ranking

_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}  # fmt: skip
MARK = "*"
"""Marks a difference that is significant, corrected for all pairs."""
_BORDERS = r"[|`]|\*(?!\*?$)|<(?=[A-Za-z/!?])"
HEADER = ("metric", "system", "field", "group", "items", "score", "value", "low", "high")


# -- runs ------------------------------------------------------------------------------------------


def json(
    evaluation: Evaluation, statistics: Mapping[str, Any], by: Sequence[str]
) -> dict[str, Any]:
    """The JSON of a run: scores, intervals, averages over items, and groups."""
    cluster = statistics.get("cluster")
    with evaluation.keeping_item_scores():
        evaluation.draw_ahead(**statistics)
        macro = evaluation.macro()
        errors = evaluation.standard_errors(cluster)
        record: dict[str, Any] = evaluation.summary()
        found = evaluation.confidence(**statistics)
    if cluster:
        record["clusters"] = evaluation.cluster_count(cluster)
        record["warnings"] += evaluation.cluster_remarks(cluster)
    record["macro"] = macro
    record["confidence"] = {
        **statistics,
        "resampling": found.resampling,
        "intervals": _shown(found, errors),
    }
    if by:
        record["by"] = {
            field: {"groups": evaluation.by(field), "macro": evaluation.macro(field)}
            for field in by
        }
    if evaluation.system_field in by:
        record["by"][evaluation.system_field]["intervals"] = {
            part.system: _shown(part.confidence(**statistics), part.standard_errors(cluster))
            for part in evaluation.split(evaluation.system_field)
        }
    return record


def _shown(found: Intervals, errors: Mapping[tuple[str, ...], float | None]) -> MetricsDict:
    return nest(
        (path, {**_interval(found, path), "standard_error": errors[path]}) for path in found
    )


def _interval(found: Intervals, path: tuple[str, ...]) -> dict[str, Any]:
    one = found[path]
    if one is None:
        reason = found.reasons[path]
        return {"low": None, "high": None, "interval_method": None, "interval_reason": reason}
    return {"low": one.low, "high": one.high, "interval_method": found.methods[path]}


def tsv(runs: Sequence[Evaluation], by: Sequence[str], statistics: Mapping[str, Any]) -> str:
    """One row per score, with all its digits: of the whole, of each group, of their mean.

    Scores of the whole have the ends of their intervals.
    """
    lines, titles = ["\t".join(HEADER)], metric_titles(runs)
    for run in runs:
        found = run.confidence(**statistics)
        for field, group, items, scores in _blocks(run, by):
            for path, value in leaves(scores):
                cells = (titles[run.metric], run.system, field, group, items, ".".join(path))
                numbers = [value, *bounds(None if field else found.get(path))]
                written = ["" if each is None else repr(each) for each in numbers]
                lines.append("\t".join([*(text_cell(flat(str(c))) for c in cells), *written]))
    return "\n".join(lines) + "\n"


def _blocks(run: Evaluation, by: Sequence[str]) -> Iterator[tuple[str, str, int, Any]]:
    yield "", "", len(run), run.scores()
    for field in by:
        sizes = run.group_sizes(field)
        for group, scores in run.by(field).items():
            yield field, group, sizes[group], scores
        yield field, "mean of groups", len(run), run.macro(field)


def markdown(runs: Sequence[Evaluation], by: Sequence[str], statistics: Mapping[str, Any]) -> str:
    """A table for each metric, systems side by side; then one for each field and system.

    Scores have their intervals beside them.
    """
    tables = []
    for metric, title in metric_titles(runs).items():
        same = [run for run in runs if run.metric == metric]
        columns = [(values_to_show(run), run.confidence(**statistics)) for run in same]
        rows = [
            [
                ".".join(path),
                *(_with_interval(metric, path, values[path], found) for values, found in columns),
            ]
            for path in columns[0][0]
        ]
        tables.append(markdown_table([title, *(run.system or "score" for run in same)], rows))
        tables += [_group_table(run, field) for field in by for run in same]
    return "\n".join(tables)


def _with_interval(
    metric: Metric[Any, Any], path: tuple[str, ...], value: Any, found: Intervals
) -> str:
    scale = metric.about.scale_of(path)
    interval = found.get(path)
    return shown(value, scale) + (f" {ends(interval, scale)}" if interval else "")


def _group_table(run: Evaluation, field: str) -> str:
    metric = run.metric
    paths = [path for path, _ in leaves(run.scores()) if ".".join(path) not in metric.about.totals]
    with undefined_is_nan():
        countable = run.by(field)
    rows = []
    for name, group, items, scores in _blocks(run, [field]):
        if name:
            found = dict(leaves(countable.get(group, scores)))
            cells = [shown(found.get(path), metric.about.scale_of(path)) for path in paths]
            rows.append([group or "(none)", f"{items:,}", *cells])
    return markdown_table(
        [f"{run.system} by {field}", "items", *(".".join(path) for path in paths)], rows
    )


def latex(runs: Sequence[Evaluation], _by: Sequence[str], statistics: Mapping[str, Any]) -> str:
    """A table (booktabs) for each metric: a row for each score, systems side by side; no groups."""
    tables = []
    for metric, title in metric_titles(runs).items():
        same = [run for run in runs if run.metric == metric]
        rows = [[".".join(path), *cells] for path, cells in side_by_side(same, statistics).items()]
        level = interval_title(statistics["level"])
        header = [title, *(name for run in same for name in (run.system, level))]
        tables.append(_latex(header, rows, _note(same, statistics.get("cluster"))))
    return "\n".join(tables)


def _note(runs: Sequence[Evaluation], cluster: str | None) -> str:
    return f"{sample_size(runs[0], cluster)}; {signature.of_runs(runs)}"


# -- comparisons ---------------------------------------------------------------------------------


def _systems(ranked: Ranking) -> tuple[list[str], Sequence[Sequence[str]]]:
    return ["system", ranked.score, "rank"], ranked_systems(ranked)


def _pairs(ranked: Ranking) -> tuple[list[str], Sequence[Sequence[str]]]:
    """Differences of all pairs, marked where they are significant."""
    level = interval_title(ranked.comparisons[0].level)
    rows = [
        (each.name, each.difference + MARK * each.is_significant, *each[2:5])
        for each in ranked_pairs(ranked)
    ]
    return ["pair", "difference", level, "p", "p (Holm)"], rows


def _how(ranked: Ranking) -> str:
    test = ranked.comparisons[0].test
    return (
        f"{MARK} significant at level {ranked.alpha:g}, paired {test} test, corrected after Holm; "
        + _note(ranked.evaluations, ranked.cluster)
    )


def ranking_markdown(rankings: Sequence[Ranking]) -> str:
    """Two tables for each ranking: systems, and their differences."""
    return "\n".join(
        f"{markdown_table(*_systems(each))}\n{markdown_table(*_pairs(each))}\n\\{flat(_how(each))}\n"
        for each in rankings
    )


def ranking_latex(rankings: Sequence[Ranking]) -> str:
    """Two LaTeX tables (booktabs) for each ranking: systems, and their differences."""
    return "\n".join(
        f"{_latex(*_systems(each), '')}\n{_latex(*_pairs(each), _how(each))}" for each in rankings
    )


def ranking_tsv(rankings: Sequence[Ranking]) -> str:
    """A row for each pair, with all digits."""
    header = (
        "metric", "score", "first", "second", "first_value", "second_value", "difference",
        "low", "high", "p_value", "adjusted_p_value", "significant",
    )  # fmt: skip
    lines = ["\t".join(header)]
    titles = metric_titles(ranked.evaluations[0] for ranked in rankings)
    for ranked in rankings:
        for comparison, adjusted in zip(ranked.comparisons, ranked.adjusted, strict=True):
            found = comparison.differences[ranked.path]
            numbers = [
                found.first, found.second, found.difference, *bounds(found.interval),
                found.p_value, adjusted,
            ]  # fmt: skip
            names = (
                titles[ranked.evaluations[0].metric], ranked.score,
                comparison.first.system, comparison.second.system,
            )  # fmt: skip
            cells = [text_cell(flat(name)) for name in names]
            cells += ["" if each is None else repr(float(each)) for each in numbers]
            is_significant = adjusted is not None and adjusted <= ranked.alpha
            lines.append("\t".join([*cells, str(is_significant).lower()]))
    return "\n".join(lines) + "\n"


# -- layouts -------------------------------------------------------------------------------------


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]], words: int = 0) -> str:
    """A table of Markdown; its first column and so many last ones hold words, the others figures.

    >>> print(markdown_table(["a|b", "f"], [["*x*", "0.5*"]]), end="")
    | a\\|b | f |
    | --- | ---: |
    | \\*x* | 0.5* |
    """
    figures = len(header) - 1 - words
    lines = [header, ["---", *["---:"] * figures, *["---"] * words], *rows]
    return "".join(f"| {' | '.join(map(_markdown_cell, line))} |\n" for line in lines)


def _markdown_cell(text: str) -> str:
    """A cell with the characters escaped that mean something in Markdown or HTML."""
    return re.sub(_BORDERS, r"\\\g<0>", flat(text))


def _latex(header: Sequence[str], rows: Sequence[Sequence[str]], note: str) -> str:
    lines = [f"% {flat(note)}"] if note else []
    lines += [f"\\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}", "\\toprule"]
    lines += [f"{_row(header)} \\\\", "\\midrule"]
    lines += [f"{_row(row)} \\\\" for row in rows]
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", ""])


def _row(cells: Sequence[str]) -> str:
    return " & ".join(tex(cell).replace(NOTHING, "--").replace("<", "$<$") for cell in cells)


def tex(text: str) -> str:
    """A text with the characters escaped that mean something to TeX."""
    return "".join(_SPECIAL.get(character, character) for character in flat(text))


def flat(text: str) -> str:
    """A text on one line, with single blanks."""
    return " ".join(text.split())
