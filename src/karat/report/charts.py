"""Charts of meta-evaluation as SVG: points with labels and whiskers, distributions, heat maps.

Colours can be told apart without colour vision; every mark has a title that viewers show when it
is pointed at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from karat.core.files.writing import whole_file
from karat.errors import MissingExtra, OptionError
from karat.meta.comparing import MetricRanking
from karat.meta.correlating import CorrelationResult
from karat.stats.correlation import COEFFICIENTS, Coefficient
from karat.stats.interval_methods import of_mean
from karat.stats.levels import Level, correlation_matrix
from karat.stats.resampling import Array


def as_image(svg: str, path: str) -> bytes:
    """The chart in the format of the file's ending: SVG, or PNG if cairosvg is installed."""
    if path.lower().endswith(".svg") or path == "-":
        return svg.encode()
    if path.lower().endswith(".png"):
        try:
            import cairosvg
        except ImportError:
            raise MissingExtra.package("cairosvg", "png", "drawing PNG") from None
        except OSError:
            raise MissingExtra(
                "drawing PNG needs the library cairo, which is not installed",
                code="K401",
                advice="install it (Debian: apt install libcairo2), or draw an .svg",
            ) from None
        image: bytes = cairosvg.svg2png(bytestring=svg.encode(), scale=2.0)
        return image
    raise OptionError(
        f"charts are drawn as .svg or .png, not as {path!r}", code="K350", advice="rename the file"
    )


def write(path: str, svg: str) -> None:
    """Writes a chart as the file's ending asks."""
    image = as_image(svg, path)
    with whole_file(path) as stream:
        stream.write(image)


def _require(result: CorrelationResult, level: Level) -> None:
    if level not in result.levels:
        raise OptionError(f"the {level} level was left out and cannot be drawn", code="K351")


def system_scatter(result: CorrelationResult) -> str:
    """One point for each system: its mean scores, with their intervals over inputs."""
    x, y = result.matrices.values[:2]
    level = 1 - result.alpha
    points = [
        Point(
            float(np.nanmean(x[i])),
            float(np.nanmean(y[i])),
            name,
            of_mean(x[i], level),
            of_mean(y[i], level),
        )
        for i, name in enumerate(result.matrices.systems)
    ]
    return scatter(points, result.first, result.second, "Systems")


def global_scatter(result: CorrelationResult) -> str:
    """One point for each output."""
    x, y = result.matrices.values[:2]
    points = [
        Point(
            float(x[i, j]),
            float(y[i, j]),
            f"{result.matrices.systems[i]} on {result.matrices.inputs[j]}",
        )
        for i, j in np.argwhere(~np.isnan(x))
    ]
    return scatter(points, result.first, result.second, "Summaries", labels=False)


def bootstrap_distribution(
    result: CorrelationResult, level: Level, coefficient: Coefficient
) -> str:
    """The resampled values of a coefficient, with the observed one and its interval."""
    _require(result, level)
    at_level = result.levels[level]
    if at_level.samples is None:
        raise OptionError("only bootstrap intervals have a distribution to draw", code="K351")
    drawn = at_level.samples[:, COEFFICIENTS.index(coefficient)]
    drawn = drawn[~np.isnan(drawn)]
    estimate = at_level.estimates[coefficient]
    if not len(drawn) or estimate.value is None:
        raise OptionError(f"{level} {coefficient} is undefined and cannot be drawn", code="K351")
    marks = [("", estimate.value)]
    if estimate.interval:
        marks += [("", estimate.interval.low), ("", estimate.interval.high)]
    title = f"{level} {coefficient}: {result.first} ~ {result.second}"
    return distribution(drawn.tolist(), marks, title, title)


def significance_map(ranked: MetricRanking) -> str:
    """Which metric is better: one minus the p-value, with stars where that is significant."""
    order = ranked.order
    names = [ranked.names[i] for i in order]
    p, adjusted = (m[np.ix_(order, order)] for m in (ranked.p_values, ranked.adjusted))
    count = range(len(order))
    values = [
        [None if i == j or p[i, j] != p[i, j] else float(1 - p[i, j]) for j in count] for i in count
    ]
    stars = [
        [bool(i != j and adjusted[i, j] <= ranked.alpha and p[i, j] < 0.5) for j in count]
        for i in count
    ]
    title = f"1 - p that the row is no better than the column, {ranked.level} {ranked.coefficient}"
    return heat_map(names, names, values, title, marks=stars)


def metric_map(
    names: Sequence[str], matrices: Sequence[Array], level: Level, coefficient: Coefficient
) -> str:
    """How scores correlate with each other."""
    values = correlation_matrix(matrices, level, coefficient)
    return heat_map(names, names, values, f"{level} {coefficient}", low=-1.0)


_WIDTH, _HEIGHT = 640, 480
_LEFT, _RIGHT, _TOP, _BOTTOM = 76, 24, 24, 60
_INK, _DIM, _POINT, _LINE = "#222222", "#777777", "#0072b2", "#d55e00"
_FONT = "font-family='system-ui, sans-serif' font-size='12'"


@dataclass(frozen=True, slots=True)
class Point:
    """A dot with a label, and where it may lie as well."""

    x: float
    y: float
    label: str = ""
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None


class _Axis:
    """A scale with round ticks, from numbers to places on the page."""

    def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
        low, high = min(values), max(values)
        if high - low <= 1e-12 * max(1.0, abs(high)):
            low, high = low - 0.5, high + 0.5
        margin = 0.05 * (high - low)
        self.low, self.high = low - margin, high + margin
        self.begin, self.end = begin, end

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def ticks(self) -> list[float]:
        rough = (self.high - self.low) / 6
        power = 10.0 ** math.floor(math.log10(rough))
        step = power * next(s for s in (1, 2, 5, 10) if s * power >= rough)
        first = math.ceil(self.low / step)
        return [i * step for i in range(first, math.floor(self.high / step) + 1)]


def _document(body: Sequence[str], width: float, height: float, title: str) -> str:
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:g} {height:g}' "
        f"width='{width:g}' height='{height:g}' role='img'><title>{escape(title)}</title>"
        f"<rect width='100%' height='100%' fill='#ffffff'/>\n" + "\n".join(body) + "\n</svg>\n"
    )


def _text(x: float, y: float, words: str, anchor: str = "middle", extra: str = "") -> str:
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' fill='{_INK}' {_FONT} {extra}>"
        f"{escape(words)}</text>"
    )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, extra: str = "") -> str:
    return (
        f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' stroke='{colour}' {extra}/>"
    )


def _frame(x: _Axis, y: _Axis, x_name: str, y_name: str) -> list[str]:
    bottom, middle = _HEIGHT - _BOTTOM, (_TOP + _HEIGHT - _BOTTOM) / 2
    parts = [
        _line(_LEFT, bottom, _WIDTH - _RIGHT, bottom, _DIM),
        _line(_LEFT, _TOP, _LEFT, bottom, _DIM),
        _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 16, x_name),
        _text(18, middle, y_name, extra=f"transform='rotate(-90 18 {middle:.1f})'"),
    ]
    for tick in x.ticks():
        parts += [
            _line(x(tick), bottom, x(tick), bottom + 5, _DIM),
            _text(x(tick), bottom + 19, f"{tick:.6g}"),
        ]
    for tick in y.ticks():
        parts += [
            _line(_LEFT - 5, y(tick), _LEFT, y(tick), _DIM),
            _text(_LEFT - 8, y(tick) + 4, f"{tick:.6g}", "end"),
        ]
    return parts


def scatter(
    points: Sequence[Point], x_name: str, y_name: str, title: str, *, labels: bool = True
) -> str:
    """Points, the line of least squares through them, and whiskers where ranges are given."""
    xs = [v for p in points for v in (p.x, *(p.x_range or ()))]
    ys = [v for p in points for v in (p.y, *(p.y_range or ()))]
    x = _Axis(xs, _LEFT, _WIDTH - _RIGHT)
    y = _Axis(ys, _HEIGHT - _BOTTOM, _TOP)
    parts = _frame(x, y, x_name, y_name)
    if line := _least_squares(points):
        slope, offset = line
        left, right = min(p.x for p in points), max(p.x for p in points)
        ends = [(v, slope * v + offset) for v in (left, right)]
        (x1, y1), (x2, y2) = ((x(a), y(b)) for a, b in ends)
        parts.append(_line(x1, y1, x2, y2, _LINE, "stroke-width='1.5' stroke-dasharray='6 4'"))
    for p in points:
        if p.x_range:
            parts.append(_line(x(p.x_range[0]), y(p.y), x(p.x_range[1]), y(p.y), _DIM))
        if p.y_range:
            parts.append(_line(x(p.x), y(p.y_range[0]), x(p.x), y(p.y_range[1]), _DIM))
    radius = 4 if len(points) <= 200 else 2
    for p in points:
        hint = escape(f"{p.label}: {p.x:.6g}, {p.y:.6g}")
        parts.append(
            f"<circle cx='{x(p.x):.1f}' cy='{y(p.y):.1f}' r='{radius}' fill='{_POINT}' "
            f"fill-opacity='0.75'><title>{hint}</title></circle>"
        )
        if labels and p.label:
            parts.append(_text(x(p.x) + 6, y(p.y) - 6, p.label, "start"))
    return _document(parts, _WIDTH, _HEIGHT, title)


def _least_squares(points: Sequence[Point]) -> tuple[float, float] | None:
    count = len(points)
    mean_x = math.fsum(p.x for p in points) / count
    mean_y = math.fsum(p.y for p in points) / count
    spread = math.fsum((p.x - mean_x) ** 2 for p in points)
    if count < 2 or spread == 0:
        return None
    slope = math.fsum((p.x - mean_x) * (p.y - mean_y) for p in points) / spread
    return slope, mean_y - slope * mean_x


def distribution(
    values: Sequence[float], marks: Sequence[tuple[str, float]], x_name: str, title: str
) -> str:
    """Bars of how often values occur, with named vertical marks."""
    x = _Axis([*values, *(place for _, place in marks)], _LEFT, _WIDTH - _RIGHT)
    bins = max(8, min(60, round(2 * len(values) ** (1 / 3))))
    low, high = min(values), max(values)
    width = (high - low) / bins or 1.0
    counts = [0] * bins
    for value in values:
        counts[min(bins - 1, int((value - low) / width))] += 1
    y = _Axis([0, max(counts)], _HEIGHT - _BOTTOM, _TOP)
    y.low = 0.0
    parts = _frame(x, y, x_name, "resamples")
    for i, count in enumerate(counts):
        left, right = x(low + i * width), x(low + (i + 1) * width)
        parts.append(
            f"<rect x='{left:.1f}' y='{y(count):.1f}' width='{max(0.5, right - left - 1):.1f}' "
            f"height='{y(0) - y(count):.1f}' fill='{_POINT}'><title>{count}</title></rect>"
        )
    for name, place in marks:
        parts += [
            _line(x(place), _TOP, x(place), _HEIGHT - _BOTTOM, _LINE, "stroke-width='1.5'"),
            _text(x(place), _TOP - 8, f"{name} {place:.3f}"),
        ]
    return _document(parts, _WIDTH, _HEIGHT, title)


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    title: str,
    *,
    low: float = 0.0,
    marks: Sequence[Sequence[bool]] | None = None,
) -> str:
    """A grid of numbers from `low` to 1, darker where higher; marked ones have a star."""
    cell = 56
    left = 16 + 7 * max((len(name) for name in rows), default=0)
    top = 16 + 7 * max((len(name) for name in columns), default=0)
    parts = []
    for j, name in enumerate(columns):
        place = left + (j + 0.5) * cell
        parts.append(
            _text(place, top - 8, name, "start", f"transform='rotate(-90 {place:.1f} {top - 8})'")
        )
    for i, name in enumerate(rows):
        parts.append(_text(left - 8, top + (i + 0.5) * cell + 4, name, "end"))
        for j, value in enumerate(values[i]):
            if value is None:
                continue
            share = min(1.0, max(0.0, (value - low) / (1 - low)))
            dark = share > 0.55
            star = "*" if marks and marks[i][j] else ""
            hint = escape(f"{name} / {columns[j]}: {value:.6g}")
            parts.append(
                f"<g><title>{hint}</title><rect x='{left + j * cell}' y='{top + i * cell}' "
                f"width='{cell - 2}' height='{cell - 2}' fill='{_shade(share)}'/>"
                f"<text x='{left + (j + 0.5) * cell - 1:.1f}' y='{top + (i + 0.5) * cell + 4:.1f}' "
                f"text-anchor='middle' fill='{'#ffffff' if dark else _INK}' {_FONT}>"
                f"{value:.2f}{star}</text></g>"
            )
    bottom = top + cell * len(rows)
    parts.append(_text(16, bottom + 18, title, "start"))
    wide = max(left + cell * len(columns) + 16, 32 + 7 * len(title))
    return _document(parts, wide, bottom + 32, title)


def _shade(share: float) -> str:
    """From almost white to dark blue."""
    light, dark = (0xF2, 0xF5, 0xF9), (0x08, 0x30, 0x6B)
    return "#" + "".join(
        f"{round(a + share * (b - a)):02x}" for a, b in zip(light, dark, strict=True)
    )
