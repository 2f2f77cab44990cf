"""Pyramid scores, n-gram graphs and SIMetrix against the recorded figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import text_cases as golden
from karat.core.files.opener import Source
from karat.core.reading.items import Item
from karat.text.formats.records import PyramidBased, SplitDocumentBased
from karat.text.metrics.autosummeng import AutoSummEng
from karat.text.metrics.divergences import Simetrix
from karat.text.metrics.pyramid import PyramidScore
from karat.text.pyramid import Annotation, Contributor, PeerScu, Pyramid, Scu

pytestmark = pytest.mark.usefixtures("shared")


def test_readme_of_autosummeng() -> None:
    case = golden.cases()["readme/autosummeng"]
    scores = AutoSummEng().score(case["input"]["summary"], case["input"]["references"])
    assert scores == pytest.approx(case["expected"], abs=1e-6)


@pytest.mark.parametrize("legacy", [False, True])
def test_ngram_graphs(legacy: bool) -> None:
    expected = golden.cases()["corpus/ngram-graph"]["expected"]
    scores = AutoSummEng(legacy=legacy).score_all(
        [golden.text(name) for name in expected], [golden.references(name) for name in expected]
    )
    for (name, figures), score in zip(expected.items(), scores, strict=True):
        wanted = figures["legacy" if legacy else "correct"]
        assert list(score.values()) == pytest.approx(wanted, abs=1.5e-6), name


def hand_made() -> Pyramid:
    given = golden.cases()["micro/pyramid_hand"]["input"]
    size = given["summaries"]
    scus = tuple(
        Scu(int(number), "", tuple(Contributor(index) for index in indices))
        for number, indices in given["scus"].items()
    )
    return Pyramid("d", ("",) * size, tuple("ABCD"[:size]), scus)


def annotated(*units: int) -> Annotation:
    return Annotation("d", "1", scus=tuple(PeerScu(unit) for unit in units))


def test_the_hand_made_pyramid() -> None:
    expected = dict(golden.cases()["micro/pyramid_hand"]["expected"])
    pyramid, metric = hand_made(), PyramidScore(legacy=True)
    jackknife = expected.pop("jackknife")
    for name, case in expected.items():
        score = metric.score(annotated(*case["scu_ids"]), pyramid)
        assert score["modified_pyramid_score"] == pytest.approx(case["score"]), name
    for index, case in enumerate(jackknife.values()):
        rest, own = pyramid.remove_summary(index), pyramid.annotation(index)
        assert {str(scu.scu_id): scu.weight for scu in rest.scus} == case["weights"]
        assert [scu.scu_id for scu in own.scus] == case["annotation_of_removed"]
        score = metric.score(own, rest)["modified_pyramid_score"]
        assert score == pytest.approx(case["score_of_removed"])


def test_a_repeated_unit_counts_once_and_is_told() -> None:
    with pytest.warns(UserWarning, match="1 annotation repeats a unit"):
        score = PyramidScore().score(annotated(1, 1), hand_made())
    assert score["modified_pyramid_score"] == pytest.approx(4 / 11)


def pyramid_items(shared: Path) -> list[Item]:
    folder = shared / "data" / "summ"
    format = PyramidBased(pyramids=str(folder / "pyramids.jsonl"))
    return list(format.read(Source(folder / "pyramid-annotations.jsonl")))


def test_pyramids_of_the_corpus(shared: Path) -> None:
    expected: dict[str, Any] = golden.cases()["corpus/pyramid"]["expected"]
    metric, items = PyramidScore(), pyramid_items(shared)
    seen = 0
    for item in items:
        figures = expected["score"].get("/".join(map(str, item.key or ())))
        if figures is None:
            continue
        annotation, pyramid = item.value.annotation, item.value.pyramid
        full = metric.score(annotation, pyramid)["modified_pyramid_score"]
        ours = {"modified_pyramid_score_jk": full}
        if item.fields["summarizer_type"] == "peer":
            parts = metric.score_multi_all(
                [[annotation]] * len(pyramid.summaries), metric.jackknife(pyramid)
            )
            left_out = [part["modified_pyramid_score"] for (part,) in parts]
            ours = {
                "modified_pyramid_score": full,
                "modified_pyramid_score_jk": sum(left_out) / len(left_out),
            }
        assert ours == pytest.approx(figures, abs=1e-9), item.key
        seen += 1
    assert seen == len(expected["score"])
    for system, figures in expected["evaluate_macro"].items():
        own = [item.value for item in items if item.fields["summarizer_id"] == system]
        macro, _ = metric.evaluate([v.annotation for v in own], [v.pyramid for v in own])
        assert macro["modified_pyramid_score"] == pytest.approx(
            figures["modified_pyramid_score"], abs=1e-9
        )


@pytest.mark.parametrize(
    ("kind", "metric"),
    [
        ("stem_stop", Simetrix()),
        ("plain", Simetrix(use_stemmer=False, remove_stopwords=False)),
    ],
)
def test_simetrix(shared: Path, kind: str, metric: Simetrix) -> None:
    expected = golden.cases()["corpus/simetrix"]["expected"]
    folder = shared / "data" / "summ"
    format = SplitDocumentBased(documents=str(folder / "documents.jsonl"))
    records = {
        "/".join(map(str, item.key or ())): item.value
        for item in format.read(Source(folder / "summaries.jsonl"))
    }
    for name, figures in expected[kind].items():
        score = metric.score(records[name].text, records[name].documents)
        assert score == pytest.approx(figures, abs=1.1e-5), name
    for system, figures in expected[f"{kind}_macro"].items():
        names = [name for name in expected[kind] if name.endswith("/" + system)]
        macro, _ = metric.evaluate(
            [records[name].text for name in names], [records[name].documents for name in names]
        )
        assert macro == pytest.approx(figures, abs=1.1e-5), system
