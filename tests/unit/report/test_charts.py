"""Tables and charts of meta-evaluation."""

from __future__ import annotations

import builtins
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest

from karat.core.scores import MetricsDict
from karat.errors import MissingExtra, OptionError
from karat.meta.comparing import compare_metrics
from karat.meta.correlating import correlate
from karat.meta.records import Record
from karat.meta.table import ScoreTable
from karat.report import charts
from karat.report.charts import Point, distribution, heat_map, scatter
from karat.report.meta_tables import Entry, correlation_table

SVG = "{http://www.w3.org/2000/svg}"


def document(r: float | None, low: float | None = None, p: float | None = None) -> dict[str, Any]:
    high = None if low is None else low + 0.2
    return {
        "metric1": "m",
        "system_level": {
            "pearson": {"r": r, "p_value": p, "lower": low, "upper": high},
            "spearman": {"rho": r, "p_value": p, "lower": low, "upper": high},
            "kendall": {"tau": r, "p_value": p, "lower": low, "upper": high},
        },
    }


ENTRIES = [
    Entry(document(0.815, 0.7), "rouge_1 & co", "news"),
    Entry(document(0.5, -0.1), "bleu|x", "news"),
    Entry(document(0.3, p=0.01), "bleu|x", "<talk>"),
]


def test_markdown() -> None:
    text = correlation_table(ENTRIES, "system_level", "markdown", intervals=True)
    lines = text.splitlines()
    assert lines[0] == "| metric | news r | news ρ | news τ | <talk> r | <talk> ρ | <talk> τ |"
    assert lines[2].startswith(r"| rouge_1 & co | **0.81\*** [0.70, 0.90] |")
    assert lines[3].startswith(r"| bleu\|x | 0.50 [-0.10, 0.10] |")
    assert lines[3].endswith(r"| 0.30\* | 0.30\* | 0.30\* |")
    assert lines[2].endswith("|  |  |  |")


def test_tsv_is_rectangular() -> None:
    rows = [
        line.split("\t") for line in correlation_table(ENTRIES, "system_level", "tsv").splitlines()
    ]
    assert {len(row) for row in rows} == {7}
    assert rows[1][:2] == ["rouge_1 & co", "0.81*"]


def test_html_and_latex_escape_labels() -> None:
    html = correlation_table(ENTRIES, "system_level", "html")
    assert "<th colspan='3'>&lt;talk&gt;" in html
    assert "<b>0.81*</b>" in html
    latex = correlation_table(ENTRIES, "system_level", "latex")
    assert r"rouge\_1 \& co & \textbf{0.81}$^{*}$" in latex
    assert latex.count("\\\\") == 4
    assert latex.count("&") - latex.count(r"\&") == 2 + 6 + 6 + 6


def test_undefined_and_absent_values_are_empty() -> None:
    text = correlation_table([Entry(document(None), "m", "d")], "system_level", "tsv")
    assert text.splitlines()[1] == "m\t\t\t"
    assert correlation_table([Entry(document(0.5), "m", "d")], "global", "tsv").count("\n") == 2


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def test_scatter_marks_every_point_and_escapes() -> None:
    points = [Point(0.1, 1, "a<b", (0.0, 0.2)), Point(0.9, 3, "c&d", None, (2, 4))]
    root = parsed(scatter(points, "x <", "y &", "t"))
    circles = root.findall(f".//{SVG}circle")
    assert len(circles) == 2
    assert {text.text for text in root.iter(f"{SVG}text")} >= {"a<b", "c&d", "x <", "y &"}
    left, right = (float(circle.get("cx", "")) for circle in circles)
    low, high = (float(circle.get("cy", "")) for circle in circles)
    assert left < right
    assert low > high  # upwards on paper is downwards in SVG


def test_charts_of_one_value_do_not_fail() -> None:
    parsed(scatter([Point(1, 1, "only")], "x", "y", "t"))
    parsed(distribution([0.5] * 10, [("", 0.5)], "x", "t"))


def test_heat_map_has_a_cell_for_each_number() -> None:
    root = parsed(heat_map(["a", "b"], ["c"], [[0.25], [None]], "t", marks=[[True], [False]]))
    assert [text.text for text in root.iter(f"{SVG}text")].count("0.25*") == 1
    assert len(root.findall(f".//{SVG}g")) == 1


def table() -> ScoreTable:
    random = np.random.default_rng(0)
    return ScoreTable.of(
        Record(f"d{j}", f"s{i}", "peer", MetricsDict({"z": z, "m": z + r, "n": random.random()}))
        for i in range(5)
        for j in range(6)
        for z, r in [(float(i + random.random()), random.random())]
    )


def test_charts_of_results() -> None:
    scores = table()
    result = correlate(scores, "m", "z", resamples=200)
    assert len(parsed(charts.system_scatter(result)).findall(f".//{SVG}circle")) == 5
    assert len(parsed(charts.global_scatter(result)).findall(f".//{SVG}circle")) == 30
    parsed(charts.bootstrap_distribution(result, "global", "pearson"))
    ranked = compare_metrics(scores, "z", ["m", "n"], trials=100)
    assert len(parsed(charts.significance_map(ranked)).findall(f".//{SVG}g")) == 2
    names = ["m", "n", "z"]
    svg = charts.metric_map(names, scores.matrices(names).values, "system", "pearson")
    assert [t.text for t in parsed(svg).iter(f"{SVG}text")].count("1.00") >= 3
    assert len(parsed(svg).findall(f".//{SVG}g")) == 9


def test_scores_are_drawn_whatever_the_levels_and_resamples_are_not() -> None:
    result = correlate(table(), "m", "z", levels=["global"], method="none")
    everything = correlate(table(), "m", "z", method="none")
    assert charts.system_scatter(result) == charts.system_scatter(everything)
    with pytest.raises(OptionError, match="system level was left out"):
        charts.bootstrap_distribution(result, "system", "pearson")
    with pytest.raises(OptionError, match="only bootstrap"):
        charts.bootstrap_distribution(result, "global", "pearson")


def test_images_follow_the_ending() -> None:
    svg = scatter([Point(1, 1), Point(2, 3)], "x", "y", "t")
    assert charts.as_image(svg, "a.svg") == svg.encode()
    with pytest.raises(OptionError, match=r"\.svg or \.png"):
        charts.as_image(svg, "a.pdf")
    try:
        image = charts.as_image(svg, "a.png")
    except MissingExtra as missing:
        pytest.skip(missing.headline)
    assert image.startswith(b"\x89PNG")


def test_png_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_cairo(name: str, *args: Any, **options: Any) -> Any:
        if name == "cairosvg":
            raise OSError("no library called cairo was found")
        return real(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without_cairo)
    with pytest.raises(MissingExtra, match="needs the library cairo") as caught:
        charts.as_image("<svg/>", "a.png")
    assert "apt install libcairo2" in caught.value.advice


def test_every_public_name_is_there() -> None:
    from karat import meta

    for name in meta.__all__:
        assert callable(getattr(meta, name))
    with pytest.raises(AttributeError):
        meta.nothing  # noqa: B018
