"""ROUGE against the figures of the Perl engine, rouge-score and SacreROUGE."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import text_cases as golden
from karat.text.metrics.rouge import Rouge
from karat.text.words.english import stem, wordnet_exceptions

pytestmark = pytest.mark.usefixtures("shared")

_FLAGS = {
    "-n": ("max_ngram", int),
    "-2": ("skip_bigram_gap_length", int),
    "-w": ("wlcs_weight", float),
    "-l": ("max_words", int),
    "-b": ("max_bytes", int),
    "-f": ("scoring_function", {"A": "average", "B": "max"}.__getitem__),
}


def engine(flags: str) -> Rouge:
    """The metric that a command line of the Perl engine means; the engine always gives L."""
    options: dict[str, Any] = {"use_porter_stemmer": False, "compute_rouge_l": True}
    words = iter(flags.split())
    for flag in words:
        if flag in _FLAGS:
            name, convert = _FLAGS[flag]
            options[name] = convert(next(words))
        elif flag == "-m":
            options["use_porter_stemmer"] = True
        elif flag == "-s":
            options["remove_stopwords"] = True
    return Rouge(**options)


def fractions(scores: Any) -> list[float]:
    """Recall, precision and F as the engine prints them."""
    return [round(value / 100, 5) for value in scores.values()]


EDGES = [
    "readme", "hyphen-number-apostrophe", "one-token", "empty-peer", "punct-only",
    "empty-reference", "union-lcs-order", "cross-sentence-bigram", "irregular-exceptions",
    "stemming-variant", "leading-space-word-limit", "byte-limit-lcs-not-cumulative",
    "best-is-best-recall", "average-is-micro", "rouge-w",
]  # fmt: skip
CONFIGURATIONS = [
    "stem_A", "nostem_A", "stem_B", "stem_stop_A", "stem_words30_A", "stem_bytes150_A",
]  # fmt: skip


@pytest.mark.parametrize("edge", EDGES)
def test_edge_cases_of_the_perl_engine(edge: str) -> None:
    case = golden.cases()[f"rouge-edge/{edge}"]
    given = case["input"]
    scores = engine(given["perl_options"]).score(given["peer"], given["references"])
    assert {name: fractions(scores[name]) for name in case["expected"]} == case["expected"]


def test_every_edge_case_is_tested() -> None:
    known = [name for name in golden.cases() if name.startswith("rouge-edge/")]
    assert known == [f"rouge-edge/{edge}" for edge in EDGES]


def test_stems_of_the_perl_engine() -> None:
    expected = golden.cases()["rouge-stem/shared"]["expected"]
    irregular = wordnet_exceptions()
    stems = {
        word: word if len(word) <= 3 else irregular.get(word) or stem(word, "1.5.5")
        for word in expected
    }
    assert stems == expected


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_summaries_of_the_perl_engine(configuration: str) -> None:
    case = golden.cases()[f"corpus/rouge155/{configuration}"]
    metric = engine(case["input"]["perl_options"])
    names = list(case["expected"]["summary"])
    scores = metric.score_all(
        [golden.text(name) for name in names], [golden.references(name) for name in names]
    )
    for name, score in zip(names, scores, strict=True):
        expected = case["expected"]["summary"][name]
        assert {key: fractions(score[key]) for key in expected} == expected, name


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_averages_and_intervals_of_the_perl_engine(configuration: str) -> None:
    case = golden.cases()[f"corpus/rouge155/{configuration}"]
    metric = engine(case["input"]["perl_options"])
    for system, expected in case["expected"]["system"].items():
        names = golden.of_system(system)
        rows = metric.measure_many([(golden.text(n), golden.references(n)) for n in names])
        extras = metric.extras([name.split("/")[0] for name in names], rows)["rouge-1.5.5"]
        for measure, parts in expected.items():
            for part, letter in zip(("recall", "precision", "f1"), "RPF", strict=True):
                figure = extras[measure][part]
                ours = [figure["average"] / 100, figure["low"] / 100, figure["high"] / 100]
                assert ours == pytest.approx(parts[letter], abs=1.001e-5), (system, measure, part)


def jackknifed(metric: Rouge, name: str) -> dict[str, Any]:
    """Plain and leave-one-out scores by the procedure of SacreROUGE."""
    text, references = golden.text(name), golden.references(name)
    full = metric.score(text, references)
    if golden.summaries()[name]["summarizer_type"] == "reference":
        return {f"{key}_jk": value for key, value in full.items()}
    parts = metric.score_all([text] * len(references), metric.jackknife(references))
    mean = sum(parts, start=0) / len(parts)  # type: ignore[call-overload]
    return {**full, **{f"{key}_jk": value for key, value in mean.items()}}


@pytest.mark.parametrize(
    ("case", "metric"),
    [
        ("corpus/python-rouge/score", Rouge(profile="python-rouge", compute_rouge_l=True)),
        (
            "corpus/rouge155/score_jk",
            Rouge(max_ngram=2, compute_rouge_l=True, skip_bigram_gap_length=4),
        ),
    ],
)
def test_jackknifed_scores_of_sacrerouge(case: str, metric: Rouge) -> None:
    for name, expected in golden.cases()[case]["expected"].items():
        ours = jackknifed(metric, name)
        assert ours.keys() == expected.keys()
        for measure, parts in expected.items():
            assert ours[measure] == pytest.approx(parts, abs=1e-6), (name, measure)


def test_evaluate_of_sacrerouge() -> None:
    expected = golden.cases()["corpus/evaluate"]["expected"]["macro"]
    names = golden.of_system("S01")
    pairs = [(golden.text(name), golden.references(name)) for name in names]
    plain = Rouge(profile="python-rouge", max_ngram=2)
    macro, _ = plain.evaluate([text for text, _ in pairs], [gold for _, gold in pairs])
    for measure in ("python-rouge-1", "python-rouge-2"):
        assert macro[measure] == pytest.approx(expected[measure], abs=1e-6)
    perl = Rouge(max_ngram=2)
    # SacreROUGE numbers its items from 1, and the engine draws from them in string order.
    ids = [str(index) for index in range(1, len(names) + 1)]
    extras = perl.extras(ids, perl.measure_many(pairs))["rouge-1.5.5"]
    for measure in ("rouge-1", "rouge-2"):
        for part, value in expected[measure].items():
            assert extras[measure][part]["average"] == pytest.approx(value, abs=1e-6)


def test_rouge_score_package() -> None:
    case = golden.cases()["corpus/google-rouge"]["expected"]
    metrics = {
        stemmed: Rouge(profile="google", use_porter_stemmer=stemmed == "True", compute_rouge_l=True)
        for stemmed in ("True", "False")
    }
    for key, kinds in case["summary"].items():
        name, _, stemmed = key.rpartition("/stem=")
        references = golden.references(name)
        for kind, used in (("first_ref", references[:1]), ("multi", references)):
            scores = metrics[stemmed].score(golden.text(name), used)
            for measure, (precision, recall, f) in kinds[kind].items():
                expected = {"recall": recall, "precision": precision, "fmeasure": f}
                assert scores[measure] == pytest.approx(expected, abs=1e-9), (key, kind, measure)


def test_means_of_the_rouge_score_package() -> None:
    expected = golden.cases()["corpus/google-rouge"]["expected"]["system_mean_f_multi_stem"]
    metric = Rouge(profile="google", compute_rouge_l=True)
    for system, figures in expected.items():
        names = golden.of_system(system)
        macro, _ = metric.evaluate(
            [golden.text(name) for name in names], [golden.references(name) for name in names]
        )
        ours = {measure: macro[measure]["fmeasure"] for measure in figures}
        assert ours == pytest.approx(figures, abs=1e-9)


def test_readme_of_sacrerouge() -> None:
    case = golden.cases()["readme/rouge"]
    scores = Rouge(max_ngram=2).score(case["input"]["summary"], case["input"]["references"])
    assert scores.keys() == case["expected"].keys()
    for measure, parts in case["expected"].items():
        assert scores[measure] == pytest.approx(parts, abs=1e-9)


def test_the_shipped_lists_are_the_recorded_ones(shared: Path) -> None:
    from karat.text.words.english import smart_stopwords

    folder = shared / "data" / "summ"
    stops = (folder / "smart-stopwords.txt").read_text().split()
    assert smart_stopwords() == set(stops)
    pairs = (folder / "wordnet20-exceptions.tsv").read_text().splitlines()
    assert wordnet_exceptions() == dict(pair.split("\t") for pair in pairs)
