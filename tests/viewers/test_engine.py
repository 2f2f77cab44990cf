"""The engine of the pages against the metrics: equal to the last digit."""

from __future__ import annotations

import json
import random
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from karat.meta.records import flat_by_top
from karat.text.metrics.autosummeng import AutoSummEng
from karat.text.metrics.meteor import Meteor
from karat.text.metrics.pyramid import PyramidScore
from karat.text.metrics.rouge import Rouge
from karat.text.pyramid import Annotation, Pyramid
from karat.text.rouge.combining import round_5
from karat.text.words.lists import smart_stopwords, wordnet_exceptions
from karat.text.words.porter import stem
from karat.text.words.unicode import words

Engine = Callable[[list[dict[str, Any]]], list[Any]]
pytestmark = pytest.mark.filterwarnings("ignore:rouge. the profile", "ignore:pyramid-score")
USUAL = {
    "profile": "1.5.5", "stemming": True, "stopwords": False, "maxWords": None, "maxBytes": None,
    "maxNgram": 4, "longest": True, "weight": 1.2, "gap": 4, "unigrams": True, "refs": "micro",
}  # fmt: skip
CHOICES: list[dict[str, Any]] = [
    {},
    {"stemming": False, "refs": "best-recall"},
    {"stopwords": True, "refs": "mean", "gap": -1},
    {"maxWords": 30, "refs": "best-f", "unigrams": False},
    {"maxBytes": 150, "gap": 0},
    {"profile": "google", "refs": "best-f"},
    {"profile": "google", "refs": "mean", "stemming": False, "maxNgram": 9},
    {"profile": "google", "refs": "micro", "maxBytes": 100},
    {"profile": "unicode", "stemming": False},
    {"profile": "unicode", "stemming": False, "refs": "mean", "maxBytes": 90, "unigrams": False},
]
# Words that meet often and stem differently, marks, other scripts, and characters that
# change their number when lowered or take two places in a script's strings.
WORDS = [
    "The", "the", "dog", "dogs", "running", "ran", "better", "best", "departmental", "national",
    "nationally", "conditional", "agreed", "skies", "dying", "it's", "1,200", "well-known", "is",
    "was", "a", "of", "Straße", "İstanbul", "K", "東京", "שלום", "😀", "𝒜b", "ΟΔΟΣ", "\t", "  ",
    "generalization", "happily", "controlling", "y", "yes", "eyeing", "<b>", "-", "\u2028", "\x1f",
]  # fmt: skip

ENDINGS = [
    "", "ational", "tional", "enci", "anci", "izer", "alli", "entli", "eli", "ousli", "ization",
    "ation", "ator", "alism", "iveness", "fulness", "ousness", "aliti", "iviti", "biliti", "bli",
    "logi", "fulli", "icate", "ative", "alize", "iciti", "ical", "ful", "ness", "al", "ance",
    "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize", "ion", "sion", "tion", "s", "es", "ies", "sses", "ed", "ied", "eed", "ing",
    "y", "e", "ll", "ly",
]  # fmt: skip


def metric(options: dict[str, Any]) -> Rouge:
    google = options["profile"] == "google"
    return Rouge(
        profile=options["profile"],
        max_ngram=options["maxNgram"],
        use_porter_stemmer=options["stemming"],
        remove_stopwords=options["stopwords"],
        max_words=options["maxWords"],
        max_bytes=options["maxBytes"],
        compute_rouge_l=options["longest"],
        skip_bigram_gap_length=None if google else options["gap"],
        skip_bigram_unigrams=options["unigrams"],
        wlcs_weight=options["weight"] if options["profile"] == "1.5.5" else None,
        refs=options["refs"],
    )


def random_text(chance: random.Random) -> str | list[str]:
    # Few different words make many common subsequences of one length.
    known = chance.choice([WORDS, ["x", "y", "z"]])
    lines = [
        " ".join(chance.choices(known, k=chance.choice([0, 1, 3, 8, 20])))
        for _ in range(chance.randint(0, 4))
    ]
    return chance.choice([lines, "\n".join(lines), " ".join(lines)])


def random_pairs(size: int, seed: int = 0) -> list[tuple[Any, list[Any]]]:
    chance = random.Random(seed)
    return [
        (
            random_text(chance),
            [random_text(chance) for _ in range(chance.choice([1, 2, 3, 11, 20]))],
        )
        for _ in range(size)
    ]


@pytest.fixture(scope="session")
def outputs(shared: Path) -> list[tuple[Any, list[Any]]]:
    """The texts and references of the generated corpus."""
    with (shared / "data/summ/summaries.jsonl").open() as stream:
        records = [json.loads(line) for line in stream]
    return [(r["summary"]["text"], [each["text"] for each in r["references"]]) for r in records]


def check_rouge(engine: Engine, pairs: list[tuple[Any, list[Any]]], choice: dict[str, Any]) -> None:
    options = {**USUAL, **choice}
    jobs = [
        {"kind": "rouge", "system": system, "references": references, "options": options}
        for system, references in pairs
    ]
    scorer = metric(options)
    for (system, references), found in zip(pairs, engine(jobs), strict=True):
        expected = scorer.score(system, references)
        assert found == {name: list(parts.values()) for name, parts in expected.items()}


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_rouge_of_the_generated_corpus(
    engine: Engine, outputs: list[tuple[Any, list[Any]]], choice: dict[str, Any]
) -> None:
    check_rouge(engine, outputs[::4], choice)


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_rouge_of_random_texts(engine: Engine, choice: dict[str, Any]) -> None:
    check_rouge(engine, random_pairs(80), choice)


def test_what_matched(engine: Engine) -> None:
    pairs = [(system, references[0]) for system, references in random_pairs(60, seed=1)]
    options = {**USUAL, "maxNgram": 2}
    jobs = [
        {"kind": "counts", "system": system, "reference": reference, "options": options}
        for system, reference in pairs
    ]
    scorer = metric(options)
    for (system, reference), found in zip(pairs, engine(jobs), strict=True):
        measures = scorer.explain(system, [reference])["references"][0]["measures"]
        for name, own in (
            ("rouge-1", "rouge-1"),
            ("rouge-2", "rouge-2"),
            ("skip-bigrams", "rouge-su4"),
        ):
            counts = {part: found[own][part] for part in ("hits", "gold", "system")}
            assert counts == {part: measures[name][part] for part in counts}
        places, first = [], 0
        for line in measures["common subsequence"]["gold_sentences"]:
            places += [first + place for place in line["matched"]]
            first += len(line["sentence"])
        assert found["rouge-l"]["matched"] == places
        assert found["rouge-l"]["tokens"] == [
            line["sentence"] for line in measures["common subsequence"]["gold_sentences"]
        ]
        assert len(found["rouge-1"]["matched"]) == measures["rouge-1"]["hits"]


@pytest.mark.parametrize("profile", ["1.5.5", "google"])
def test_tokens_stand_where_they_say(engine: Engine, profile: str) -> None:
    text = " ".join(WORDS) + "\n" + "".join(WORDS)
    job = {
        "kind": "places",
        "text": text,
        "options": {**USUAL, "profile": profile, "stemming": False},
    }
    (lines,) = engine([job])
    assert len(lines) == 2
    for line in lines:
        for shown, token in line:
            # A capital I with a dot gives an i and a dot, which is a separator.
            assert token in (shown.lower(), shown.lower().replace("\u0307", ""))


def test_words_of_any_script(engine: Engine) -> None:
    chance = random.Random(4)
    # What the browser calls a letter may be newer than what Python does: no unassigned ones.
    letters = [
        chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) not in ("Cn", "Cs")
    ]
    common = [*"aàßİΣς1٣ก你かア가각ᄀ'’.:,;_-\u0301\u0327\u200d\u00b7\u0387 \t", *WORDS]
    texts = ["".join(chance.choices(common, k=chance.randint(1, 40))) for _ in range(600)]
    texts += ["".join(chance.choices(letters + common * 200, k=30)) for _ in range(600)]
    texts = [text.replace("\n", " ") for text in texts]
    options = {**USUAL, "profile": "unicode", "stemming": False}
    jobs = [{"kind": "places", "text": text, "options": options} for text in texts]
    for text, lines in zip(texts, engine(jobs), strict=True):
        found = lines[0] if lines else []
        assert [token for _, token in found] == words(text), ascii(text)
        for shown, token in found:
            assert token in folded(shown)


def folded(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


@pytest.mark.parametrize("variant", ["1.5.5", "nltk", "martin"])
def test_stems(engine: Engine, variant: Any) -> None:
    chance = random.Random(0)
    forms = {w for word in WORDS for w in word.lower().split()} | smart_stopwords()
    forms |= set(wordnet_exceptions()) | {"", "a", "at", "𝒜a𝒜𝒜ed", "𝒜s", "caf\u00e9s"}
    for _ in range(6000):
        root = "".join(chance.choices("aeiouybcdlmnrstwxz", k=chance.randint(0, 6)))
        forms.add(root + chance.choice(ENDINGS) + chance.choice(ENDINGS))
    ordered = sorted(forms)
    (stems,) = engine([{"kind": "stem", "words": ordered, "variant": variant}])
    assert dict(zip(ordered, stems, strict=True)) == {w: stem(w, variant) for w in ordered}


def test_rounding(engine: Engine) -> None:
    quotients = [a / b for b in range(1, 300) for a in range(b + 1)]
    middles = [k / 64 for k in range(65)]
    near = [
        float(value)
        for k in range(1, 2000)
        for middle in [(k + 0.5) / 1e5]
        for value in (np.nextafter(middle, 0), middle, np.nextafter(middle, 1))
    ]
    values = quotients + middles + near
    (found,) = engine([{"kind": "round", "values": values}])
    assert found == round_5(np.array(values)).tolist()
    assert found == [round(value, 5) for value in values]


@pytest.mark.parametrize(("n", "window"), [(3, 3), (1, 2), (5, 10)])
def test_ngram_graphs(engine: Engine, n: int, window: int) -> None:
    pairs = random_pairs(40, seed=2)
    jobs = [
        {"kind": "graphs", "system": s, "references": r, "options": {"n": n, "window": window}}
        for s, r in pairs
    ]
    scorer = AutoSummEng(min_n=n, max_n=n, d_window=window)
    for (system, references), found in zip(pairs, engine(jobs), strict=True):
        # The page adds up in the order of the edges, the metric exactly.
        assert found == pytest.approx(scorer.score(system, references), rel=1e-14)


def test_alignments(engine: Engine, outputs: list[tuple[Any, list[Any]]]) -> None:
    pairs = [
        (system, references[0]) for system, references in random_pairs(80, seed=3) + outputs[::20]
    ]
    jobs = [{"kind": "alignment", "system": s, "reference": r} for s, r in pairs]
    scorer = Meteor()
    for (system, reference), found in zip(pairs, engine(jobs), strict=True):
        expected = scorer.explain(system, [reference])
        assert found["ours"] == expected["system"]
        places: list[list[Any] | None] = [None] * len(expected["system"])
        for match in expected["references"][0]["matched"]:
            places[match["system"]] = [match["gold"], match["stage"]]
        assert found["places"] == places
        names = ("precision", "recall", "fmean", "penalty", "METEOR")
        figures = [expected["scores"][name] for name in names]
        assert found["figures"][:3] == figures[:3]
        # A power of 0.2 is the last place where browsers and libraries may round differently.
        assert found["figures"][3:] == pytest.approx(figures[3:], rel=1e-15)


@pytest.fixture(scope="session")
def annotated(shared: Path) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The annotations of the generated corpus, each with its pyramid."""
    folder = shared / "data/summ"
    with (folder / "pyramids.jsonl").open() as stream:
        pyramids = {p["instance_id"]: p for p in map(json.loads, stream)}
    with (folder / "pyramid-annotations.jsonl").open() as stream:
        return [(a, pyramids[a["instance_id"]]) for a in map(json.loads, stream)]


def test_pyramid_scores(
    engine: Engine, annotated: list[tuple[dict[str, Any], dict[str, Any]]], shared: Path
) -> None:
    empty = {"instance_id": "e", "summaries": [], "summarizer_ids": [], "scus": []}
    nothing = {"instance_id": "e", "summarizer_id": "1", "summary": "", "scus": []}
    twice = {**annotated[0][0], "scus": annotated[0][0]["scus"] * 2}
    pairs = [*annotated, (nothing, empty), (twice, annotated[0][1])]
    jobs = [{"kind": "pyramid", "annotation": a, "pyramid": p} for a, p in pairs]
    scorer = PyramidScore()
    results = engine(jobs)
    for (annotation, pyramid), found in zip(pairs, results, strict=True):
        expected = scorer.score(
            msgspec.convert(annotation, Annotation), msgspec.convert(pyramid, Pyramid)
        )
        assert found == [None if np.isnan(v) else v for v in map(_number, expected.values())]
    with (shared / "data/summ/pyramid-scores.jsonl").open() as stream:
        recorded = {
            (r["instance_id"], r["summarizer_id"]): r["metrics"].get("modified_pyramid_score")
            for r in map(json.loads, stream)
        }
    for (annotation, _), (modified, _) in zip(annotated, results[: len(annotated)], strict=True):
        assert modified == recorded[annotation["instance_id"], annotation["summarizer_id"]]


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def test_summaries_of_a_pyramid(
    engine: Engine, annotated: list[tuple[dict[str, Any], dict[str, Any]]]
) -> None:
    pyramids = {p["instance_id"]: p for _, p in annotated}.values()
    cases = [(p, i) for p in pyramids for i in range(len(p["summaries"]))]
    jobs = [{"kind": "reference", "pyramid": p, "index": i} for p, i in cases]
    scorer = PyramidScore()
    for (given, index), found in zip(cases, engine(jobs), strict=True):
        pyramid = msgspec.convert(given, Pyramid)
        expected = scorer.score(pyramid.annotation(index), pyramid.remove_summary(index))
        assert found == list(expected.values())


def test_stretches_of_a_text(engine: Engine) -> None:
    text = "a😀bc def"
    stretches = [{"start": 1, "end": 3, "key": 7}, {"start": 2, "end": 99, "key": 8}]
    (found,) = engine([{"kind": "segments", "text": text, "stretches": stretches}])
    assert found == [
        {"text": "a", "keys": []},
        {"text": "😀", "keys": [7]},
        {"text": "b", "keys": [7, 8]},
        {"text": "c def", "keys": [8]},
    ]


def test_records_that_are_dropped(engine: Engine) -> None:
    metrics = {
        "rouge": {"f": 0.5, "none": None},
        "grade": [0.1, 0.2, 0.3, 1e17, -1e17],
        "n": [3, 4],
    }
    lines = [
        {"instance_id": 7, "summarizer_id": "S", "summary": {"text": ["a", "b"]},
         "references": [{"text": "c", "summarizer_id": "A"}, "d"]},
        {"id": "x", "text": "plain", "gold": "one"},
        {"id": "x", "summarizer_id": 1, "summarizer_type": "reference", "metrics": metrics},
    ]  # fmt: skip
    content = "\n\n".join(json.dumps(line) for line in lines)
    (found,) = engine([{"kind": "parsed", "content": content}])
    assert [each["kind"] for each in found] == ["summary", "summary", "scores"]
    first, second, third = (each["value"] for each in found)
    assert (first["instance"], first["system"], first["summary"]) == ("7", "S", ["a", "b"])
    assert first["references"] == [{"name": "A", "text": "c"}, {"name": "2", "text": "d"}]
    assert second["references"] == [{"name": "1", "text": "one"}]
    assert third["scores"] == flat_by_top(metrics)
    assert third["type"] == "reference"


def test_where_scores_disagree(engine: Engine) -> None:
    outputs = [
        {"name": "a", "metric": 1.0, "judgement": 30.0},
        {"name": "b", "metric": 2.0, "judgement": 10.0},
        {"name": "c", "metric": 2.0, "judgement": 20.0},
    ]
    (found,) = engine([{"kind": "disagreements", "outputs": outputs}])
    # Ranks by the metric: 0, 3/4, 3/4; by judgement: 1, 0, 1/2.
    assert [(each["name"], each["difference"]) for each in found] == [
        ("a", -1),
        ("b", 0.75),
        ("c", 0.25),
    ]
