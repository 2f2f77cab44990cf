"""Tables of meta-evaluation: for a terminal, and of correlations for papers."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from karat.core.files.writing import text_cell
from karat.errors import counted
from karat.meta.annotators import AgreementResult
from karat.meta.comparing import MetricRanking, SignificanceResult
from karat.meta.correlating import FIELDS, SYMBOLS, CorrelationResult
from karat.meta.preferences import PreferenceResult
from karat.report.exports import flat, tex
from karat.report.layout import Group, Note, Shown, Table
from karat.report.numbers import ends, interval_title, shown, shown_p
from karat.stats.correlation import COEFFICIENTS


def correlations(result: CorrelationResult) -> Shown:
    """One pair of scores: a row for each level and coefficient."""
    interval = interval_title(1 - result.alpha)
    table = Table(
        f"{result.first} ~ {result.second}", "level", "coefficient", "value", interval, "p"
    )
    for level, at_level in result.levels.items():
        for name, each in at_level.estimates.items():
            grouped = level in ("summary", "by-system")
            size = counted(each.groups, "group") if grouped else str(at_level.size)
            table.add_row(
                f"{level} ({size})",
                name,
                shown(each.value),
                ends(each.interval),
                "" if grouped else shown_p(each.p_value),
            )
        if at_level.pairwise and at_level.pairwise.value is not None:
            exact, calibrated = at_level.pairwise.value, at_level.pairwise.calibrated
            table.add_row(
                f"{level} ({counted(at_level.pairwise.pairs, 'pair')})", "accuracy", shown(exact)
            )
            note = f"tie up to {at_level.pairwise.threshold:.4g}"
            table.add_row("", "calibrated", shown(calibrated), note)
    notes = [
        counted(len(result.matrices.systems), "system")
        + f" × {counted(len(result.matrices.inputs), 'input')}",
        f"summarizers: {result.who}",
        result.method,
    ]
    if result.method.startswith("bootstrap"):
        notes.append(f"{counted(result.resamples, 'resample')}, seed {result.seed}")
    if not result.two_tailed:
        notes.append("one-tailed bounds")
    if result.given:
        notes.append(f"partial, given {', '.join(result.given)}")
    if result.weight:
        notes.append(f"weighted by {result.weight}")
    if result.matrices.dropped:
        notes.append(f"{counted(result.matrices.dropped, 'record')} without one of the scores")
    return Group(table, _note(*notes))


def significance(result: SignificanceResult) -> Shown:
    """One test: a row for each level and coefficient."""
    document = result.summary()
    table = Table(f"H1: {document['H1']}", "level", "coefficient", "p", "")
    for level, values in result.levels.items():
        for name in result.coefficients:
            p = values.values[COEFFICIENTS.index(name)]
            verdict = "not tested"
            if p is not None:
                verdict = "significant" if p <= result.alpha else "not significant"
            table.add_row(level, name, shown_p(p), verdict)
    return Group(table, _note(result.method, f"level {result.alpha:g}", *_drawn(result)))


def _drawn(result: SignificanceResult | MetricRanking) -> list[str]:
    """How many trials a test made, if it draws any."""
    if result.method == "williams":
        return []
    return [f"{counted(result.trials, 'trial')}, seed {result.seed}"]


def conjunctions(result: Mapping[str, Any]) -> Shown:
    """How many of several tests have an effect, for each level and coefficient."""
    table = Table("", "level", "coefficient", "k", "significant")
    for field in FIELDS.values():
        for name, found in result.get(field, {}).items():
            table.add_row(field, name, str(found["k"]), ", ".join(found["significant"]))
    note = f"{result['method']}, {counted(len(result['names']), 'test')}, level {result['alpha']:g}"
    return Group(table, _note(note))


def metric_ranking(ranked: MetricRanking) -> Shown:
    """Metrics, best first; then the p-values of all pairs."""
    title = f"{ranked.level} {ranked.coefficient} with {ranked.dependent}"
    order = ranked.order
    names = [f"{place}  {ranked.names[i]}" for place, i in enumerate(order, 1)]
    numbers = {name: str(place) for place, name in enumerate(names, 1)}
    table = Table(title, "metric", "value", "rank", together=2)
    for name, i in zip(names, order, strict=True):
        table.add_row(name, shown(ranked.values[i]), str(ranked.clusters[i]))
    matrix = Table("p that the row is no better than the column", "", *numbers.values())
    for each in (table, matrix):
        each.letters, each.legend = numbers, names
    for name, i in zip(names, order, strict=True):
        cells = [
            "" if i == j else _p_cell(ranked.p_values[i, j], ranked.adjusted[i, j], ranked.alpha)
            for j in order
        ]
        matrix.add_row(name, *cells)
    return Group(
        table,
        matrix,
        _note(
            ranked.method,
            *_drawn(ranked),
            f"* differs at level {ranked.alpha:g} two-tailed, correction: {ranked.correction}",
        ),
    )


def agreement(result: AgreementResult) -> Shown:
    """Every measure that fits the ratings."""
    interval = interval_title(result.confidence)
    table = Table(f"{result.score} ({result.scale})", "measure", "value", interval)
    table.add_row("Krippendorff's alpha", shown(result.alpha.value), ends(result.alpha.interval))
    rows = [
        ("Cohen's kappa, mean of pairs", result.cohen),
        ("Cohen's kappa, quadratic weights", result.weighted_cohen),
        ("Fleiss' kappa", result.fleiss),
    ]
    if result.scale != "masi":
        for name, value in rows:
            table.add_row(name, shown(value), "")
    if result.halves:
        table.add_row("split halves", shown(result.halves.value), "")
        table.add_row(
            "split halves, Spearman-Brown",
            shown(result.halves.corrected),
            ends(result.halves.interval),
        )
    sizes = f"{counted(result.annotators, 'annotator')}, {counted(result.units, 'unit')}"
    alone = [] if result.alpha.units else ["no unit has two ratings to compare"]
    return Group(table, _note(sizes, *alone))


def power(document: Mapping[str, Any]) -> Shown:
    """Power at each size that was tried, and the size that is needed."""
    table = Table("", str(document["what"]), "power", "standard error")
    for point in document["points"]:
        table.add_row(f"{point['size']:,}", f"{point['power']:.3f}", f"{point['error']:.3f}")
    needed, target = document["needed"], document["target"]
    verdict = (
        f"no size that was tried has power {target:g}"
        if needed is None
        else f"about {needed:,} {document['what']} for power {target:g}"
    )
    return Group(table, _note(verdict, f"level {document['alpha']:g}", f"seed {document['seed']}"))


def preferences(result: PreferenceResult) -> Shown:
    """Systems by strength, and metrics by how they agree."""
    document = result.summary()
    level = interval_title(result.level)
    systems = Table("", "system", "strength", level)
    for row in document["systems"]:
        interval = f"[{row['low']:+.4f}, {row['high']:+.4f}]"
        systems.add_row(row["system"], f"{row['strength']:+.4f}", interval)
    parts: list[Shown] = [systems]
    if result.metrics:
        table = Table("", "metric", "judgements", "accuracy", "calibrated", "kendall")
        for each in result.metrics:
            tau = each.correlations.get("kendall", {}).get("value")
            table.add_row(
                each.metric,
                f"{each.judgements:,}",
                shown(each.accuracy),
                shown(each.calibrated),
                shown(tau),
            )
        parts.append(table)
    note = f"{counted(result.judgements, 'judgement')}, {counted(result.ties, 'tie')}"
    made = f"intervals: {result.interval_method}, prior {result.interval_prior:g}"
    return Group(*parts, _note(note, f"prior {result.prior:g}", made))


def _p_cell(p: float, adjusted: float, alpha: float) -> str:
    return "–" if p != p else shown_p(float(p)) + ("*" if adjusted <= alpha and p < 0.5 else "")


def _note(*parts: str) -> Note:
    return Note("  ".join(parts))


# -- correlations of several metrics on several data sets ---------------


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
