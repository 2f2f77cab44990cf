"""Tables for papers and spreadsheets: LaTeX, Markdown, and rows of a comparison."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from karat.core import signature
from karat.core.files.writing import text_cell
from karat.core.runs.evaluation import Evaluation
from karat.report.numbers import NOTHING, ends, sample_size, shown, shown_p, values_to_show

if TYPE_CHECKING:
    from karat.core.runs.comparison import Ranking

_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}  # fmt: skip
MARK = "*"
_BORDERS = re.compile(r"[|`]|\*(?!\*?$)|<(?=[A-Za-z/!?])")
"""Marks a difference that is significant, corrected for all pairs."""


def latex(runs: Sequence[Evaluation], statistics: Mapping[str, Any]) -> str:
    """A table (booktabs) for each metric: a row for each score, systems side by side."""
    tables = []
    for same in _by_metric(runs):
        about = same[0].metric.about
        columns = [(values_to_show(run), run.confidence(**statistics)) for run in same]
        paths = list(dict.fromkeys(path for _, found in columns for path in found))
        rows = []
        for path in paths:
            cells = [".".join(path)]
            for values, found in columns:
                scale = about.scale_of(path)
                cells += [shown(values.get(path), scale), ends(found.get(path), scale)]
            rows.append(cells)
        level = f"{100 * float(statistics['level']):g} % interval"
        header = [same[0].metric.name, *(name for run in same for name in (run.system, level))]
        tables.append(_latex(header, rows, _note(same, statistics.get("cluster"))))
    return "\n".join(tables)


def _by_metric(runs: Sequence[Evaluation]) -> list[list[Evaluation]]:
    groups: dict[str, list[Evaluation]] = {}
    for run in runs:
        groups.setdefault(run.metric.name, []).append(run)
    return list(groups.values())


def _note(runs: Sequence[Evaluation], cluster: str | None) -> str:
    return f"{sample_size(runs[0], cluster)}; {signature.of_runs(runs)}"


# -- comparisons ---------------------------------------------------------------------------------


def _systems(ranked: Ranking) -> tuple[list[str], list[list[str]]]:
    """Systems with their scores and ranks, best first."""
    about = ranked.evaluations[0].metric.about
    scale = about.scale_of(ranked.path)
    sign = 1 if ranked.score in about.lower_is_better else -1
    order = sorted(
        range(len(ranked.values)),
        key=lambda i: (ranked.values[i] is None, sign * (ranked.values[i] or 0)),
    )
    rows = [
        [
            ranked.evaluations[i].system,
            shown(values_to_show(ranked.evaluations[i])[ranked.path], scale),
            str(ranked.clusters[i]),
        ]
        for i in order
    ]
    return ["system", ranked.score, "rank"], rows


def _pairs(ranked: Ranking) -> tuple[list[str], list[list[str]]]:
    """Differences of all pairs, marked where they are significant."""
    scale = ranked.evaluations[0].metric.about.scale_of(ranked.path)
    level = f"{100 * ranked.comparisons[0].level:g} % interval"
    rows = []
    for comparison, adjusted in zip(ranked.comparisons, ranked.adjusted, strict=True):
        found = comparison.differences[ranked.path]
        mark = MARK if adjusted <= ranked.alpha else ""
        rows.append(
            [
                f"{comparison.first.system} - {comparison.second.system}",
                f"{found.difference:+.{2 if scale == 100 else 4}f}{mark}",
                ends(found.interval, scale),
                shown_p(found.p_value),
                shown_p(adjusted),
            ]
        )
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
        f"{markdown_table(*_systems(each))}\n{markdown_table(*_pairs(each))}\n\\{_plain(_how(each))}\n"
        for each in rankings
    )


def ranking_latex(rankings: Sequence[Ranking]) -> str:
    """The same for LaTeX (booktabs)."""
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
    for ranked in rankings:
        for comparison, adjusted in zip(ranked.comparisons, ranked.adjusted, strict=True):
            found = comparison.differences[ranked.path]
            interval = found.interval
            numbers = [
                found.first, found.second, found.difference,
                interval.low if interval else None, interval.high if interval else None,
                found.p_value, adjusted,
            ]  # fmt: skip
            names = (
                ranked.evaluations[0].metric.name, ranked.score,
                comparison.first.system, comparison.second.system,
            )  # fmt: skip
            cells = [text_cell(_plain(name)) for name in names]
            cells += ["" if each is None else repr(float(each)) for each in numbers]
            lines.append("\t".join([*cells, str(adjusted <= ranked.alpha).lower()]))
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
    """What would be taken for a border, for emphasis, code or HTML is not."""
    return _BORDERS.sub(r"\\\g<0>", _plain(text))


def _latex(header: Sequence[str], rows: Sequence[Sequence[str]], note: str) -> str:
    lines = [f"% {_plain(note)}"] if note else []
    lines += [f"\\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}", "\\toprule"]
    lines += [f"{_row(header)} \\\\", "\\midrule"]
    lines += [f"{_row(row)} \\\\" for row in rows]
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", ""])


def _row(cells: Sequence[str]) -> str:
    escaped = ("".join(_SPECIAL.get(c, c) for c in _plain(cell)) for cell in cells)
    return " & ".join(cell.replace(NOTHING, "--").replace("<", "$<$") for cell in escaped)


def _plain(text: str) -> str:
    return " ".join(text.split())
