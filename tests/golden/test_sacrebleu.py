"""BLEU, chrF and TER against the figures of sacreBLEU."""

from __future__ import annotations

from typing import Any

import pytest

import text_cases as golden
from karat.text.metrics.bleu import Bleu
from karat.text.metrics.chrf import Chrf, ChrfPlusPlus
from karat.text.metrics.ter import Ter
from karat.text.model import joined

pytest.importorskip("sacrebleu")
pytestmark = pytest.mark.usefixtures("shared")

METRICS: dict[str, Any] = {
    "bleu": Bleu(),
    "bleu_lc_intl": Bleu(lowercase=True, tokenize="intl"),
    "bleu_floor": Bleu(smooth_method="floor"),
    "chrf": Chrf(),
    "chrf++": ChrfPlusPlus(),
}


@pytest.mark.parametrize("name", METRICS)
def test_corpus_scores(name: str) -> None:
    metric = METRICS[name]
    for system, figures in golden.cases()["corpus/sacrebleu/corpus"]["expected"]["scores"].items():
        names = golden.of_system(system)
        macro, _ = metric.evaluate(
            [golden.text(n) for n in names], [golden.references(n) for n in names]
        )
        assert macro[metric.about.headline] == pytest.approx(figures[name], abs=1e-6), system
        if name == "bleu":
            detail = figures["bleu_detail"]
            assert list(macro["precisions"].values()) == pytest.approx(detail["precisions"])
            assert macro["brevity_penalty"] == pytest.approx(detail["bp"])
            assert (macro["sys_len"], macro["ref_len"]) == (detail["sys_len"], detail["ref_len"])


def test_corpus_scores_of_the_first_reference() -> None:
    expected = golden.cases()["corpus/sacrebleu/corpus"]["expected"]["first_reference_only"]
    for system, figures in expected.items():
        names = golden.of_system(system)
        for name, figure in figures.items():
            if name not in METRICS:
                continue
            metric = METRICS[name]
            macro, _ = metric.evaluate(
                [golden.text(n) for n in names], [golden.references(n)[:1] for n in names]
            )
            assert macro[metric.about.headline] == pytest.approx(figure, abs=1e-6), (system, name)


def test_sentence_scores() -> None:
    for name, figures in golden.cases()["corpus/sacrebleu/sentence"]["expected"].items():
        pair = golden.text(name), golden.references(name)
        ours = {
            "sent-bleu": Bleu().score(*pair)["sent-bleu"],
            "chrf": Chrf().score(*pair)["chrf"],
            "chrf++": ChrfPlusPlus().score(*pair)["chrf++"],
        }
        assert ours == pytest.approx(figures, abs=1e-6), name


def test_translation_edit_rates() -> None:
    case = golden.cases()["corpus/sacrebleu/ter"]["expected"]
    variants = {"ter": Ter(), "ter_norm_nopunct_ci": Ter(normalized=True, no_punct=True)}
    for name, figures in case["sentence_first_reference"].items():
        pair = golden.text(name), golden.references(name)[:1]
        ours = {key: variants[key].score(*pair)["ter"] for key in figures}
        assert ours == pytest.approx(figures, abs=1e-6), name
    corpus = case["corpus"]
    names = [f"{instance}/S01" for instance in corpus["instances"]]
    for key, metric in variants.items():
        macro, _ = metric.evaluate(
            [golden.text(n) for n in names], [golden.references(n)[:1] for n in names]
        )
        assert macro["ter"] == pytest.approx(corpus["S01"][key], abs=1e-6)
    for name, figure in case["sentence_multi"].items():
        score = Ter().score(golden.text(name), golden.references(name))
        assert score["ter"] == pytest.approx(figure, abs=1e-6)


def test_lists_are_joined() -> None:
    name = golden.of_system("S01")[0]
    text, references = golden.text(name), golden.references(name)
    for metric in (Bleu(), Chrf(), Ter()):
        flat = metric.score(joined(text), [joined(reference) for reference in references])
        assert metric.score(text, references) == flat
