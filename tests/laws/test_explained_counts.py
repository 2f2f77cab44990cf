"""What the explanation of a text metric lists adds up to the row that it is scored by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.registry import parse

VECTORS = Path(__file__).parents[1] / "support" / "vectors.txt"
_PIECES = [
    *"abAB .,!-\n'",
    *(
        "a b ",
        "the dog ",
        "dog the ",
        "b a ",
        "1,200.5",
        "U.S. ",
        "&amp;",
        "İ",
        "ß",
        "中文",
        "\u3000",
    ),
    *("\u200b", "\ud800", "\U0001f600", "\x1c"),
]
texts = st.lists(st.sampled_from(_PIECES), max_size=25).map("".join)
pairs = st.tuples(texts, st.lists(texts, min_size=1, max_size=3))


def row_of(metric: Any, system: Any, gold: Any) -> dict[str, float]:
    (row,) = metric.measure_many([(system, gold)])
    return dict(zip(metric.columns, np.asarray(row).tolist(), strict=True))


def check_order(found: dict[str, Any]) -> tuple[int, int, int]:
    """Its sums, which are those of the n-grams that are listed."""
    sums = {name: sum(found[name].values()) for name in ("matched", "missing", "surplus")}
    assert all(count > 0 for name in sums for count in found[name].values())
    assert found["common"] == sums["matched"]
    assert found["system"] == sums["matched"] + sums["surplus"]
    assert found["gold"] == sums["matched"] + sums["missing"]
    return found["system"], found["gold"], found["common"]


@pytest.mark.parametrize(
    "text",
    [
        "bleu", "bleu(lowercase=True, max_ngram_order=2)", "bleu(tokenize='char')",
        "bleu(tokenize='none')", "bleu(tokenize='intl')", "bleu(tokenize='zh')",
    ],
)  # fmt: skip
@settings(max_examples=40)
@given(pair=pairs)
def test_bleu(text: str, pair: tuple[str, list[str]]) -> None:
    metric = parse(text)
    row, found = row_of(metric, *pair), metric.explain(*pair)
    assert found["lengths"]["system"] == row["sys_len"] == len(found["tokens"]["system"])
    assert found["lengths"]["closest"] == row["ref_len"]
    assert found["lengths"]["references"] == [len(each) for each in found["tokens"]["references"]]
    assert found["scores"] == metric.score(*pair)
    assert len(found["ngrams"]) == metric.max_ngram_order
    for n, order in found["ngrams"].items():
        system, _, common = check_order(order)
        assert (common, system) == (row[f"correct_{n}"], row[f"total_{n}"])


@pytest.mark.parametrize(
    "text", ["chrf", "chrf++(lowercase=True)", "chrf(whitespace=True, eps_smoothing=True)"]
)
@settings(max_examples=40)
@given(pair=pairs)
def test_chrf(text: str, pair: tuple[str, list[str]]) -> None:
    metric = parse(text)
    row, found = row_of(metric, *pair), metric.explain(*pair)
    orders = [order for kind in ("characters", "words") for order in found.get(kind, {}).values()]
    assert len(orders) == metric.char_order + metric.word_order
    for n, order in enumerate(orders, 1):
        assert check_order(order) == tuple(row[f"{s}_{n}"] for s in ("system", "gold", "common"))
    best = found["reference"]["number"] - 1
    assert found["reference_scores"][best] == max(found["reference_scores"]) == row["sentence_chrf"]
    assert found["reference"]["text"] == pair[1][best]


def replayed(found: dict[str, Any]) -> list[str]:
    """The words that come of shifts and edits, done one after the other."""
    words = list(found["system"])
    for shift in found["shifts"]:
        begin, size = shift["from"], len(shift["words"])
        assert words[begin : begin + size] == shift["words"]
        del words[begin : begin + size]
        words[shift["to"] : shift["to"]] = shift["words"]
    result = []
    for step in found["alignment"]:
        for word in step["system"]:
            assert word == words.pop(0)
        sides = (len(step["system"]), len(step["gold"]))
        assert sides == {"delete": (1, 0), "insert": (0, 1)}.get(step["edit"], (1, 1))
        assert (step["edit"] == "keep") == (step["system"] == step["gold"])
        result += step["gold"]
    assert not words
    return result


words = st.lists(st.sampled_from("abcdefg"), max_size=30).map(" ".join)


@pytest.mark.parametrize("text", ["ter", "ter(normalized=True)", "ter(no_punct=True)"])
@settings(max_examples=60)
@given(pair=pairs | st.tuples(words, st.lists(words, min_size=1, max_size=2)))
def test_ter(text: str, pair: tuple[str, list[str]]) -> None:
    metric = parse(text)
    row, found = row_of(metric, *pair), metric.explain(*pair)
    assert replayed(found) == found["reference"]["words"]
    changes = [step for step in found["alignment"] if step["edit"] != "keep"]
    assert len(found["shifts"]) + len(changes) == found["edits"] == row["edits"]
    assert found["length"] == row["length"]
    best = found["reference"]["number"] - 1
    assert found["reference_edits"][best] == min(found["reference_edits"]) == found["edits"]


def test_a_shift_of_ter() -> None:
    found = parse("ter").explain("x y z a b c d", ["a b c d x y z"])
    assert found["edits"] == len(found["shifts"]) == 1
    assert replayed(found) == found["reference"]["words"]


_EDITS = {"hits": "hit", "substitutions": "substitution", "deletions": "deletion",
          "insertions": "insertion"}  # fmt: skip


@pytest.mark.parametrize("text", ["wer", "wer(normalize='basic')", "wer(compat='jiwer')"])
@settings(max_examples=60)
@given(system=texts | words, gold=texts | words)
def test_wer(text: str, system: str, gold: str) -> None:
    metric = parse(text)
    row, found = row_of(metric, system, gold), metric.explain(system, gold)
    for kind, prefix in (("words", ""), ("characters", "char_")):
        part = found[kind]
        for name, edit in _EDITS.items():
            steps = [step for step in part["alignment"] if step["edit"] == edit]
            size = sum(max(len(step["gold"]), len(step["system"])) for step in steps)
            assert part[name] == size == row[prefix + name]
            for step in steps:
                assert (step["gold"] == step["system"]) == (edit == "hit")
                assert bool(step["gold"]) == (edit != "insertion")
                assert bool(step["system"]) == (edit != "deletion")
    if metric.normalize == "none":
        for side, given_text in (("gold", gold), ("system", system)):
            spelt = "".join(step[side] for step in found["characters"]["alignment"])
            assert spelt == given_text.strip()


@pytest.mark.parametrize("text", ["edit-distance", "edit-distance(characters=True)"])
@given(system=words, gold=words)
def test_edit_distance(text: str, system: str, gold: str) -> None:
    metric = parse(text)
    found = metric.explain(system, gold)
    assert found["distance"] == len(found["edits"]) == row_of(metric, system, gold)["distance"]


_TOLD = {
    "rouge-l": "common subsequence",
    "rouge-lsum": "common subsequence of sentences",
    "rouge-s2": "skip-bigrams",
    "rouge-su2": "skip-bigrams",
}


@pytest.mark.parametrize(
    "options",
    [
        "compute_rouge_l=True, skip_bigram_gap_length=2",
        "compute_rouge_l=True, skip_bigram_gap_length=2, max_bytes=9",
        "profile='unicode', compute_rouge_l=True, skip_bigram_gap_length=2",
        "profile='rouge-metric', compute_rouge_l=True, skip_bigram_gap_length=2",
        "profile='google', compute_rouge_l=True",
        "profile='python-rouge', compute_rouge_l=True",
        "profile='rouge', compute_rouge_l=True",
        "profile='coco'",
    ],
)
@settings(max_examples=60)
@given(
    system=st.lists(st.text("ab. ", max_size=9) | words, min_size=1, max_size=3),
    gold=st.lists(st.text("ab. ", max_size=9) | words, min_size=1, max_size=3),
)
def test_measures_of_rouge(options: str, system: list[str], gold: list[str]) -> None:
    """Whatever a profile measures is told of, by counts that give its recall and precision."""
    metric = parse(f"rouge(max_ngram=2, {options})")
    row, found = row_of(metric, system, [gold]), metric.explain(system, [gold])
    measures = found["references"][0]["measures"]
    dash = "" if metric.profile == "google" else "-"
    told = [_TOLD.get(kind) or kind.replace("-", dash) for kind in metric.measure_kinds]
    assert {*measures} == {*told}
    for kind, name in zip(metric.measure_kinds, told, strict=True):
        for side, part in (("gold", "recall"), ("system", "precision")):
            size = measures[name][side]
            share = measures[name]["hits"] / size if size else 0.0
            near = pytest.approx(share, abs=6e-6 if metric.profile == "1.5.5" else 1e-9)
            assert row[f"{metric.score_name(kind)}_{part}"] == near


@settings(max_examples=60)
@given(
    system=st.lists(words, min_size=1, max_size=3),
    gold=st.lists(words.filter(bool), min_size=1, max_size=3),
    weight=st.sampled_from([1.0, 1.2, 2.0]),
    profile=st.sampled_from(["unicode", "1.5.5", "rouge-metric"]),
)
def test_weighted_subsequences_of_rouge(
    system: list[str], gold: list[str], weight: float, profile: str
) -> None:
    metric = parse(f"rouge(profile={profile!r}, max_ngram=0, wlcs_weight={weight})")
    found = metric.explain(system, [gold])
    measure = found["references"][0]["measures"]["weighted common subsequence"]
    runs = [run for each in measure["gold_sentences"] for run in each["runs"]]
    assert measure["hits"] == pytest.approx(sum(run**weight for run in runs))
    row = row_of(metric, system, [gold])
    for side, part in (("gold", "recall"), ("system", "precision")):
        share = measure["hits"] / measure[side] if measure[side] else 0.0
        near = pytest.approx(share ** (1 / weight), abs=6e-6 if profile == "1.5.5" else 1e-9)
        assert row[f"rouge-w-{weight:g}_{part}"] == near


@settings(max_examples=40)
@given(pair=pairs)
def test_squad(pair: tuple[str, list[str]]) -> None:
    metric = parse("squad")
    row, found = row_of(metric, *pair), metric.explain(*pair)
    assert row["em"] == max(each["em"] for each in found["accepted"])
    assert row["f1"] == max(each["f1"] for each in found["accepted"])
    for each in found["accepted"]:
        system, gold, common = check_order(each["words"])
        assert each["em"] == (found["answer"] == each["answer"])
        if system and gold:
            assert each["f1"] == 2 * common / (system + gold)


@settings(max_examples=60)
@given(pair=st.tuples(texts, texts), fold=st.booleans())
def test_exact(pair: tuple[str, str], fold: bool) -> None:
    metric = parse(f"exact(ignore_case={fold})")
    row, found = row_of(metric, *pair), metric.explain(*pair)
    assert found["correct"] == bool(row["correct"])
    assert bool(found["edits"]) == (not found["correct"]) == ("first_difference" in found)


@settings(max_examples=60)
@given(pair=pairs)
def test_divergences(pair: tuple[str, list[str]]) -> None:
    metric = parse("js")
    row, found = row_of(metric, *pair), metric.explain(*pair)
    for name in ("js-1", "js-2"):
        each = [reference[name] for reference in found["references"]]
        assert np.mean([one["divergence"] for one in each]) == pytest.approx(row[name], abs=1e-12)
        for one in each:
            if one["grams"]:
                adds = sum(gram["adds"] for gram in one["grams"])
                assert adds == pytest.approx(one["divergence"], abs=1e-12)
    metric = parse("simetrix")
    row, found = row_of(metric, *pair), metric.explain(*pair)
    if row["scored"]:
        adds = sum(word["adds"] for word in found["smoothedJSD"]) + found["others"]["adds"]
        assert adds == pytest.approx(row["smoothedJSD"], abs=1e-12)


@settings(max_examples=40)
@given(pair=pairs)
def test_graphs_of_ngrams(pair: tuple[str, list[str]]) -> None:
    metric = parse("autosummeng(min_n=2, max_n=3)")
    row, found = row_of(metric, *pair), metric.explain(*pair)
    each = [reference["similarity"] for reference in found["references"]]
    assert np.mean(each) == pytest.approx(row["AutoSummENG"], abs=1e-12)
    for reference in found["references"]:
        for size in reference["sizes"].values():
            assert len(size["matched"]) == min(50, size["edges"]["common"])


@settings(max_examples=40)
@given(pair=pairs)
def test_similar_ngrams(pair: tuple[str, list[str]]) -> None:
    metric = parse(f"rouge-we(vectors={str(VECTORS)!r}, max_ngram=1)")
    row, found = row_of(metric, *pair), metric.explain(*pair)
    hits = size = 0
    for reference in found["references"]:
        one = reference["1"]
        exact = sum(each["count"] for each in one["matched"])
        assert one["common"] == exact + len(one["similar"])
        hits, size = hits + one["common"], size + one["common"] + len(one["missing"])
    assert row["rouge-we-1_recall"] == pytest.approx(hits / size if size else 0.0)


ROLES = (":ARG0", ":ARG1", ":mod", ":ARG0-of")


@st.composite
def graphs(draw: st.DrawFn, depth: int = 2, names: Any = None) -> str:
    """A graph with few concepts, constants and variables that come again."""
    names = [] if names is None else names
    name = f"x{len(names)}"
    names.append(name)
    parts = [f"({name} / {draw(st.sampled_from(['dog', 'bark-01', 'bark-02', 'sing-01']))}"]
    for role in draw(st.lists(st.sampled_from(ROLES), max_size=2 if depth else 0)):
        if draw(st.booleans()):
            parts.append(f"{role} {draw(graphs(depth - 1, names))}")
        else:
            parts.append(f":quant {draw(st.integers(1, 2))}")
    if len(names) > 2 and depth == 2 and draw(st.booleans()):
        parts.append(f":ARG2 {draw(st.sampled_from(names[1:]))}")
    return " ".join(parts) + ")"


@settings(max_examples=60, deadline=None)
@given(system=graphs(), gold=graphs())
@pytest.mark.parametrize(
    "text", ["sembleu", "sema", "sema(compat='sema')", "s2match", "s2match(top='constant')"]
)
def test_graphs(text: str, system: str, gold: str) -> None:
    metric = parse(text)
    row, found = row_of(metric, system, gold), metric.explain(system, gold)
    kinds = [each for each in found.values() if isinstance(each, dict)]
    if metric.name == "sembleu":
        for order, each in enumerate(kinds, 1):
            assert len(each["matched"]) == row[f"{order}.matched"]
            assert len(each["matched"]) + len(each["surplus"]) == row[f"{order}.paths"]
        return
    points = sum(
        entry[-1] if isinstance(entry[-1], (int, float)) else 1
        for each in kinds
        for entry in each["matched"]
    )
    assert points == pytest.approx(row["c"])
