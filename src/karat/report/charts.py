"""Charts of meta-evaluation: which numbers are drawn where."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from karat.core.files.writing import whole_file
from karat.drawing.charts import Point, distribution, heat_map, scatter
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
