"""Correlations of several metrics on several data sets, as one table for a paper."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from karat.core.files.writing import text_cell
from karat.meta.correlating import SYMBOLS
from karat.report.exports import flat, tex

TableFormat = Literal["markdown", "html", "latex", "tsv"]
_USUAL = ("pearson", "spearman", "kendall")
_GREEK = {"r": "r", "rho": "ρ", "tau": "τ", "tau_c": "τ-c"}
_TEX = {"r": "$r$", "rho": r"$\rho$", "tau": r"$\tau$", "tau_c": r"$\tau_c$"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One correlation result with the labels it has in the table."""

    document: Mapping[str, Any]
    metric: str
    dataset: str


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str = ""
    interval: str = ""
    star: bool = False
    best: bool = False


@dataclass(frozen=True, slots=True)
class _Grid:
    metrics: list[str]
    datasets: list[str]
    coefficients: list[str]
    cells: dict[tuple[str, str, str], _Cell]

    def rows(self, show: Callable[[_Cell], str]) -> list[list[str]]:
        return [
            [metric]
            + [
                show(self.cells.get((metric, dataset, name), _Cell()))
                for dataset in self.datasets
                for name in self.coefficients
            ]
            for metric in self.metrics
        ]


def correlation_table(
    entries: Sequence[Entry], level: str, format: TableFormat, *, digits: int = 2,
    intervals: bool = False, stars: bool = True, best: bool = True, alpha: float = 0.05,
) -> str:  # fmt: skip
    """One row per metric; for each data set the coefficients at one level.

    `level` is the name of the level in the documents. A star marks a correlation
    whose interval leaves out 0, or, without interval, whose p-value is at most
    `alpha`; the best of a column is bold.
    """
    grid = _grid(entries, level, digits, intervals, stars, best, alpha)
    return {"markdown": _markdown, "html": _html, "latex": _latex, "tsv": _tsv}[format](grid)


def _grid(
    entries: Sequence[Entry], level: str, digits: int, intervals: bool, stars: bool, best: bool,
    alpha: float,
) -> _Grid:  # fmt: skip
    metrics = list(dict.fromkeys(entry.metric for entry in entries))
    datasets = list(dict.fromkeys(entry.dataset for entry in entries))
    found: dict[tuple[str, str, str], Mapping[str, Any]] = {}
    for entry in entries:
        at_level = entry.document.get(level)
        for name in SYMBOLS:
            if at_level and isinstance(at_level.get(name), dict):
                found[entry.metric, entry.dataset, name] = at_level[name]
    coefficients = [name for name in SYMBOLS if any(key[2] == name for key in found)] or list(
        _USUAL
    )
    cells = {}
    for (metric, dataset, name), values in found.items():
        value = values.get(SYMBOLS[name])
        if value is None:
            continue
        column = [
            other.get(SYMBOLS[name])
            for (_, its, coefficient), other in found.items()
            if (its, coefficient) == (dataset, name)
        ]
        low, high = values.get("lower"), values.get("upper")
        p = values.get("p_value")
        between, sure = "", p is not None and p <= alpha
        if low is not None and high is not None:
            between, sure = f"[{low:.{digits}f}, {high:.{digits}f}]", low > 0 or high < 0
        # Rounded first: what looks equal is equally good.
        ranked = [round(v, digits) for v in column if v is not None]
        cells[metric, dataset, name] = _Cell(
            f"{value:.{digits}f}",
            between if intervals else "",
            stars and sure,
            best and len(ranked) > 1 and round(value, digits) == max(ranked),
        )
    return _Grid(metrics, datasets, coefficients, cells)


def _plain(cell: _Cell) -> str:
    return " ".join(part for part in (cell.text + "*" * cell.star, cell.interval) if part)


def _header(grid: _Grid, symbols: Mapping[str, str]) -> list[str]:
    return [
        f"{dataset} {symbols[SYMBOLS[name]]}"
        for dataset in grid.datasets
        for name in grid.coefficients
    ]


def _tsv(grid: _Grid) -> str:
    header = _header(grid, {symbol: symbol for symbol in SYMBOLS.values()})
    rows = [["metric", *(text_cell(flat(cell)) for cell in header)]]
    rows += [[text_cell(flat(name)), *cells] for name, *cells in grid.rows(_plain)]
    return "".join("\t".join(flat(cell) for cell in row) + "\n" for row in rows)


def _markdown(grid: _Grid) -> str:
    def show(cell: _Cell) -> str:
        number = cell.text + r"\*" * cell.star
        return " ".join(p for p in (f"**{number}**" if cell.best else number, cell.interval) if p)

    header = ["metric", *_header(grid, _GREEK)]
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *grid.rows(show)]
    return "".join(
        "| " + " | ".join(flat(cell).replace("|", r"\|") for cell in line) + " |\n"
        for line in lines
    )


def _html(grid: _Grid) -> str:
    def show(cell: _Cell) -> str:
        number = cell.text + "*" * cell.star
        return (f"<b>{number}</b>" if cell.best else number) + (
            f" <small>{cell.interval}</small>" if cell.interval else ""
        )

    width = len(grid.coefficients)
    over = "".join(f"<th colspan='{width}'>{html.escape(name)}" for name in grid.datasets)
    under = "".join(f"<th>{_GREEK[SYMBOLS[name]]}" for name in grid.coefficients)
    body = "".join(
        f"<tr><th scope='row'>{html.escape(row[0])}" + "".join(f"<td>{c}" for c in row[1:]) + "\n"
        for row in grid.rows(show)
    )
    return (
        "<table>\n<thead>\n"
        f"<tr><th rowspan='2'>metric{over}\n<tr>{under * len(grid.datasets)}\n"
        f"</thead>\n<tbody>\n{body}</tbody>\n</table>\n"
    )


def _latex(grid: _Grid) -> str:
    def show(cell: _Cell) -> str:
        number = rf"\textbf{{{cell.text}}}" if cell.best else cell.text
        small = rf" {{\small {cell.interval}}}" if cell.interval else ""
        return number + "$^{*}$" * cell.star + small

    width = len(grid.coefficients)
    over = " & ".join(rf"\multicolumn{{{width}}}{{c}}{{{tex(name)}}}" for name in grid.datasets)
    rules = "".join(
        rf"\cmidrule(lr){{{2 + i * width}-{1 + (i + 1) * width}}}"
        for i in range(len(grid.datasets))
    )
    under = " & ".join(_TEX[SYMBOLS[name]] for name in grid.coefficients * len(grid.datasets))
    body = "".join(" & ".join([tex(row[0]), *row[1:]]) + " \\\\\n" for row in grid.rows(show))
    return (
        rf"\begin{{tabular}}{{l{'r' * width * len(grid.datasets)}}}" + "\n\\toprule\n"
        rf" & {over} \\" + f"\n{rules}\n" + rf"Metric & {under} \\" + f"\n\\midrule\n{body}"
        "\\bottomrule\n\\end{tabular}\n"
    )
