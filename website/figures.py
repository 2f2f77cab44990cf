"""Draws the pictures of ``docs/statistics-in-pictures.md`` from real runs on the examples.

    python website/figures.py

Everything is seeded, so that the same version of karat draws the same pictures.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import karat
from karat.core.marks import Score
from karat.core.metric import Metric
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import Scores, ratio
from karat.drawing.svg import tag

Array = npt.NDArray[np.float64]
ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
IMAGES = ROOT / "docs" / "images" / "statistics"

INK, INK_2, LINE, PAPER = "#1c1b19", "#5b5750", "#e2ded7", "#ffffff"
ACCENT, SOFT = "#1f4fa3", "#c3d3f0"
A, B, MISSING = "#0b6e63", "#7d6608", "#a83a00"
FONT = "ui-sans-serif, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"


class Plot:
    """A chart with an x axis, and a y axis where it is asked for."""

    def __init__(self, title: str, x: tuple[float, float], y: tuple[float, float],
                 *, width: int = 720, height: int = 300, left: int = 40) -> None:  # fmt: skip
        self.title, self.width, self.height = title, width, height
        self.left, self.right, self.top, self.bottom = left, width - 24, 44, height - 52
        self._x, self._y = x, y
        self.parts: list[str] = []

    def x(self, value: float) -> float:
        low, high = self._x
        return self.left + (value - low) / (high - low) * (self.right - self.left)

    def y(self, value: float) -> float:
        low, high = self._y
        return self.bottom - (value - low) / (high - low) * (self.bottom - self.top)

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: str, **more: object) -> None:
        ends = {"x1": round(x1, 1), "y1": round(y1, 1), "x2": round(x2, 1), "y2": round(y2, 1)}
        self.parts.append(tag("line", **ends, stroke=stroke, **more))

    def bar(self, x1: float, x2: float, y1: float, y2: float, fill: str) -> None:
        self.parts.append(
            tag("rect", x=round(min(x1, x2), 1), y=round(min(y1, y2), 1),
                width=round(abs(x2 - x1), 1), height=round(abs(y2 - y1), 1), fill=fill)
        )  # fmt: skip

    def dot(self, x: float, y: float, fill: str, radius: float = 5) -> None:
        self.parts.append(tag("circle", cx=round(x, 1), cy=round(y, 1), r=radius, fill=fill))

    def text(self, x: float, y: float, words: str, *, anchor: str = "middle", fill: str = INK_2,
             size: float = 13, weight: int = 400) -> None:  # fmt: skip
        shown = words.replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append(
            tag("text", shown, x=round(x, 1), y=round(y, 1), text_anchor=anchor, fill=fill,
                font_size=size, font_weight=weight)
        )  # fmt: skip

    def x_axis(self, ticks: Sequence[float], name: str, digits: int = 0) -> None:
        self.line(self.left, self.bottom, self.right, self.bottom, LINE)
        for tick in ticks:
            self.line(self.x(tick), self.bottom, self.x(tick), self.bottom + 5, INK_2)
            self.text(self.x(tick), self.bottom + 19, f"{tick:.{digits}f}".replace("-", "−"))
        self.text((self.left + self.right) / 2, self.bottom + 40, name)

    def y_axis(self, ticks: Sequence[float], digits: int = 1) -> None:
        for tick in ticks:
            self.line(self.left, self.y(tick), self.right, self.y(tick), LINE)
            self.text(self.left - 8, self.y(tick) + 4, f"{tick:.{digits}f}", anchor="end")

    def interval(self, low: float, high: float, y: float, stroke: str) -> None:
        self.line(self.x(low), y, self.x(high), y, stroke, stroke_width=3)
        for end in (low, high):
            self.line(self.x(end), y - 6, self.x(end), y + 6, stroke, stroke_width=2)

    def histogram(self, values: Array, bins: int, top: float) -> None:
        counts, edges = np.histogram(values, bins=bins, range=self._x)
        for count, low, high in zip(counts, edges, edges[1:], strict=False):
            share = float(count) / float(counts.max()) * top
            self.bar(self.x(low) + 0.5, self.x(high) - 0.5, self.y(0), self.y(share), SOFT)

    def save(self, name: str) -> None:
        self.text(16, 26, self.title, anchor="start", fill=INK, size=15, weight=600)
        body = "\n".join([tag("rect", width="100%", height="100%", fill=PAPER), *self.parts])
        svg = tag("svg", f"<title>{self.title}</title>\n{body}\n", role="img",
                  xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {self.width} {self.height}",
                  width=self.width, height=self.height, font_family=FONT)  # fmt: skip
        IMAGES.mkdir(parents=True, exist_ok=True)
        (IMAGES / f"{name}.svg").write_text(svg + "\n", encoding="utf-8")


def values(run: Evaluation, totals: Array) -> Array:
    """The main score of sums of rows."""
    with np.errstate(all="ignore"):
        score: Any = run.metric.summarize(totals)
    for part in run.metric.about.headline.split("."):
        score = score[part]
    return np.asarray(score.values if isinstance(score, Score) else score)


def translated(system: str) -> Evaluation:
    folder = EXAMPLES / "translation"
    return karat.evaluate("chrf", system=str(folder / system), gold=str(folder / "gold.txt"))


def resampling() -> None:
    """What the interval is made of: scores of test sets that might have been drawn."""
    run = translated("hasty.txt")
    n = len(run.ids)
    draws = np.random.default_rng(0).multinomial(n, [1 / n] * n, size=10_000)
    scores = values(run, draws @ run.counts)
    found = run.confidence()[("chrf",)]
    assert found is not None
    plot = Plot("chrF of one system on 10,000 resampled test sets", (60, 82), (0, 1.25))
    plot.histogram(scores, 44, 1.0)
    observed = float(run.scores()["chrf"])  # type: ignore[arg-type]
    plot.line(plot.x(observed), plot.y(1.12), plot.x(observed), plot.bottom, ACCENT, stroke_width=2)
    plot.text(plot.x(observed), plot.y(1.16), f"score {observed:.2f}", fill=ACCENT, weight=600)
    plot.interval(found.low, found.high, plot.y(0.12), MISSING)
    plot.text(plot.x(found.high) + 8, plot.y(0.3), f"95 % interval: {found.low:.2f} to "
              f"{found.high:.2f}", anchor="start", fill=MISSING, weight=600)  # fmt: skip
    plot.x_axis(range(60, 83, 2), f"chrF ({n} sentences, drawn with replacement)")
    plot.save("resampling")


def pairing() -> None:
    """Why a paired test sees more: item by item, one system is better nearly everywhere."""
    careful, hasty = translated("careful.txt"), translated("hasty.txt")
    own = values(careful, careful.counts) - values(hasty, hasty.counts)
    order = np.argsort(own)[::-1]
    plot = Plot("Difference of two systems in each of 33 sentences (chrF)", (-0.5, len(own) - 0.5),
                (-8, 52))  # fmt: skip
    plot.y_axis(range(0, 51, 10), 0)
    for i, item in enumerate(order):
        colour = A if own[item] > 0 else MISSING
        plot.bar(plot.x(i - 0.38), plot.x(i + 0.38), plot.y(0), plot.y(own[item]), colour)
    better = int((own > 0.005).sum())
    equal = int((np.abs(own) <= 0.005).sum())
    plot.text(plot.right, 64, f"better in {better}, equal in {equal}, worse in "
              f"{len(own) - better - equal}", anchor="end", fill=INK, weight=600)  # fmt: skip
    plot.text((plot.left + plot.right) / 2, plot.bottom + 28, "sentences, sorted by difference")
    plot.save("differences")


def randomizing() -> None:
    """What chance alone would give, and what was found."""
    careful, hasty = translated("careful.txt"), translated("hasty.txt")
    observed = float(values(careful, careful.counts.sum(0)) - values(hasty, hasty.counts.sum(0)))
    toss = np.random.default_rng(0).integers(0, 2, size=(10_000, len(careful.ids)))
    first = toss @ careful.counts + (1 - toss) @ hasty.counts
    second = (1 - toss) @ careful.counts + toss @ hasty.counts
    chance = values(careful, first) - values(hasty, second)
    plot = Plot("Differences if the two systems were exchanged at random, 10,000 times", (-26, 26),
                (0, 1.25))  # fmt: skip
    plot.histogram(chance, 52, 1.0)
    plot.line(plot.x(observed), plot.y(1.05), plot.x(observed), plot.bottom, ACCENT, stroke_width=2)
    plot.text(plot.x(observed), plot.y(1.1), f"observed: +{observed:.2f}", fill=ACCENT, weight=600)
    beyond = int((np.abs(chance) >= abs(observed)).sum())
    plot.text(plot.x(0), plot.y(1.1), f"{beyond} of 10,000 are as large", fill=INK, weight=600)
    plot.x_axis(range(-25, 26, 5), "difference in chrF")
    plot.save("randomization")


def clustering() -> None:
    """Two overlapping intervals, and the interval of the difference, which is another question."""
    logs = EXAMPLES / "logs"
    runs = [
        karat.evaluate(
            "scores",
            str(logs / f"samples_reading_{name}.jsonl"),
            format_options={"group_field": ("passage",)},
        )
        for name in ("old", "new")
    ]
    plot = Plot("Accuracy of two language models on 150 questions about 25 passages", (0.5, 0.9),
                (0, 5), left=190)  # fmt: skip
    height = 4.3
    for name, run, colour in zip(("old", "new"), runs, (A, B), strict=True):
        observed = float(run.scores()["exact_match"])  # type: ignore[arg-type]
        for label, cluster in (("by question", None), ("by passage", "passage")):
            found = run.confidence(cluster=cluster)[("exact_match",)]
            assert found is not None
            plot.interval(found.low, found.high, plot.y(height), colour)
            plot.dot(plot.x(observed), plot.y(height), colour)
            plot.text(plot.left - 12, plot.y(height) + 4, f"{name} model, {label}", anchor="end",
                      fill=INK)  # fmt: skip
            height -= 1.05
        height -= 0.2
    plot.x_axis([0.5, 0.6, 0.7, 0.8, 0.9], "exact match, with 95 % intervals", 1)
    plot.save("clusters")


def ranking() -> None:
    """Systems in order, and which ones share a rank."""
    gold, careful, hasty = (
        (EXAMPLES / "translation" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        for name in ("gold", "careful", "hasty")
    )
    runs = []
    for i, share in enumerate((0, 1, 2, 5, 7, 8)):
        mixed = [c if k % 8 < share else h for k, (c, h) in enumerate(zip(careful, hasty, strict=True))]  # fmt: skip  # noqa: E501
        run = karat.evaluate("chrf", mixed, gold)
        run.system = "FEDCBA"[i]
        runs.append(run)
    ranks = karat.Ranking(runs)
    ordered = sorted(
        zip(ranks.evaluations, ranks.clusters, strict=True),
        key=lambda each: -float(each[0].scores()["chrf"]),  # type: ignore[arg-type]
    )
    plot = Plot("Six systems by chrF; those that cannot be told apart share a rank", (60, 100),
                (0, len(runs) + 0.6), left=110)  # fmt: skip
    colours = [A, B, ACCENT, "#8b2f74", "#56607a"]
    for i, (run, rank) in enumerate(ordered):
        found = run.confidence()[("chrf",)]
        assert found is not None
        y = plot.y(len(runs) - i - 0.1)
        colour = colours[(rank - 1) % len(colours)]
        plot.interval(found.low, found.high, y, colour)
        plot.dot(plot.x(float(run.scores()["chrf"])), y, colour)  # type: ignore[arg-type]
        plot.text(plot.left - 12, y + 4, f"{run.system}, rank {rank}", anchor="end", fill=colour,
                  weight=600)  # fmt: skip
    plot.x_axis(range(60, 101, 5), "chrF, with 95 % intervals")
    plot.save("ranks")


class Rate(Metric[Any, Any]):
    """The mean of zeros and ones."""

    name, kind, columns = "rate", "text", ("items", "hits")

    def summarize(self, totals: Array) -> Scores:
        items, hits = self.columns_of(totals)
        return {"rate": ratio(hits, items)}


def covering() -> None:
    """How often an interval holds the truth: each number of hits counts with its probability."""
    sizes, rate = (5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 400), 0.02
    plot = Plot("How often a 95 % interval holds the truth (a rate of 0.02)", (0, len(sizes) - 1),
                (0, 1.12), left=56)  # fmt: skip
    plot.y_axis((0.0, 0.2, 0.4, 0.6, 0.8, 1.0))
    plot.line(plot.left, plot.y(0.95), plot.right, plot.y(0.95), INK_2, stroke_dasharray="5 4")
    plot.text(plot.right, plot.y(0.95) + 18, "0.95, as promised", anchor="end")
    for method, label, colour in (("auto", "karat (exact)", A), ("percentile", "percentile bootstrap", MISSING)):  # fmt: skip  # noqa: E501
        shares = [coverage(size, rate, method) for size in sizes]
        places = [(plot.x(i), plot.y(share)) for i, share in enumerate(shares)]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        plot.parts.append(tag("path", d=path, fill="none", stroke=colour, stroke_width=2.5))
        for x, y in places:
            plot.dot(x, y, colour, 4)
        x, y = places[3]
        plot.text(x + 12, y + (22 if method == "percentile" else -10), label, anchor="start",
                  fill=colour, weight=600)  # fmt: skip
    for i, size in enumerate(sizes):
        plot.text(plot.x(i), plot.bottom + 19, str(size))
    plot.text((plot.left + plot.right) / 2, plot.bottom + 40, "items in the test set")
    plot.save("coverage")


def coverage(size: int, rate: float, method: Any) -> float:
    held = 0.0
    for hits in range(size + 1):
        log_probability = (
            math.lgamma(size + 1) - math.lgamma(hits + 1) - math.lgamma(size - hits + 1)
            + hits * math.log(rate) + (size - hits) * math.log1p(-rate)
        )  # fmt: skip
        if log_probability < -16:
            continue  # too rare to be seen in the picture
        rows = np.ones((size, 2))
        rows[hits:, 1] = 0
        run = Evaluation(Rate(), [str(i) for i in range(size)], rows)
        found = run.confidence(method=method)[("rate",)]
        if found is not None and found.low <= rate <= found.high:
            held += math.exp(log_probability)
    return held


if __name__ == "__main__":
    for draw in (resampling, pairing, randomizing, clustering, ranking, covering):
        draw()
