"""METEOR through the original engine, held against hand-made counts and the native engine."""

from __future__ import annotations

import contextlib
import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from karat.errors import KaratError
from karat.text.external.meteor import engine
from karat.text.metrics.meteor import COLUMNS, Meteor


@pytest.fixture(scope="module")
def java(meteor_jar: str) -> Meteor:
    return Meteor(engine="java", jar=meteor_jar)


def penalty(chunks: int, matches: float) -> float:
    return 0.6 * (chunks / matches) ** 0.2


def fmean(precision: float, recall: float) -> float:
    return precision * recall / (0.85 * precision + 0.15 * recall)


def test_figures_by_hand(java: Meteor) -> None:
    """Dan, to, this, morning and the full stop match, in three chunks.

    Content words weigh 0.75, function words 0.25: the system has four of each and 2 and 3 of
    them match; the gold text has six and three. No word matches by meaning.
    """
    scores = java.score(
        "Dan walked to the bakery this morning.", ["Dan went to buy scones earlier this morning."]
    )
    precision = (2 * 0.75 + 3 * 0.25) / (4 * 0.75 + 4 * 0.25)
    recall = (2 * 0.75 + 3 * 0.25) / (6 * 0.75 + 3 * 0.25)
    assert scores["precision"] == pytest.approx(precision)
    assert scores["recall"] == pytest.approx(recall)
    assert scores["fmean"] == pytest.approx(fmean(precision, recall))
    assert scores["penalty"] == pytest.approx(penalty(3, 5))
    whole = fmean(precision, recall) * (1 - penalty(3, 5))
    assert scores["METEOR"] == pytest.approx(whole)


@pytest.mark.parametrize(
    ("system", "gold", "weight"),
    [
        ("tep", "Tep", 1.0),
        ("kicking", "kicked", 0.6),  # one stem
        ("automobile", "car", 0.8),  # one synset
        ("with respect to", "regarding", 0.6),  # one entry of the table of paraphrases
    ],
)
def test_stages_weigh_as_the_paper_says(
    java: Meteor, system: str, gold: str, weight: float
) -> None:
    """Two equal words around one thing that matches in another way; all is one chunk."""
    scores = java.score(f"vok {system} zam", [f"vok {gold} zam"])
    function = {"with respect to": (1.25, 0.75)}.get(system, (0.75, 0.75))
    precision, recall = ((1.5 + weight * own) / (1.5 + own) for own in function)
    assert scores["precision"] == pytest.approx(precision)
    assert scores["recall"] == pytest.approx(recall)
    assert scores["METEOR"] == pytest.approx(fmean(precision, recall))


def test_references_combine_by_mean_or_by_the_best(java: Meteor, meteor_jar: str) -> None:
    golds = ["vok zam", "vok lir"]
    one, two = (java.score("vok zam tep", [gold])["METEOR"] for gold in golds)
    assert one > two > 0
    assert java.score("vok zam tep", golds)["METEOR"] == pytest.approx((one + two) / 2)
    best = Meteor(engine="java", jar=meteor_jar, refs="max")
    assert best.score("vok zam tep", golds)["METEOR"] == one


def test_the_final_score_is_that_of_summed_counts(java: Meteor) -> None:
    """One of one word matches, and one of three: 2 of 4, 2 of 2 in the gold.

    The segment that matches wholly has no chunk, so that there is one.
    """
    macro, each = java.evaluate(["vok", "zam lir tep"], [["vok"], ["zam"]])
    assert [score["METEOR"] for score in each] == pytest.approx(
        [1.0, fmean(1 / 3, 1.0) * (1 - penalty(1, 1))]
    )
    assert macro["METEOR-final"] == pytest.approx(fmean(2 / 4, 1.0) * (1 - penalty(1, 2)))


def engine_scores(meteor_jar: str, pairs: list[tuple[str, str]]) -> list[float]:
    """What the engine itself says: the score of each pair of texts, and the final score."""
    running = engine(meteor_jar)
    lines = [f"SCORE ||| {gold} ||| {system}".encode() for system, gold in pairs]
    rows = [row.strip() for row in running.exchange(lines)]
    running._write([b"EVAL ||| " + b" ||| ".join(rows)])
    return [float(running._answer()) for _ in range(len(pairs) + 1)]


def test_the_final_score_is_the_engines(java: Meteor, meteor_jar: str) -> None:
    """The engine's own figures: its file mode says 0.3731988798799943 of these three."""
    pairs = [
        ("the cat sat on the mat", "the cat sat on a mat"),
        ("dogs run fast", "a dog runs"),
        ("the big dog", "the big dog"),
    ]
    macro, each = java.evaluate(*split(pairs))
    assert macro["METEOR-final"] == pytest.approx(0.3731988798799943, abs=1e-15)
    *segments, final = engine_scores(meteor_jar, pairs)
    assert [score["METEOR"] for score in each] == pytest.approx(segments, abs=1e-15)
    assert macro["METEOR-final"] == pytest.approx(final, abs=1e-15)


def test_random_segments_have_the_engines_scores(java: Meteor, meteor_jar: str) -> None:
    """Whole matches by form, stem, synonym and paraphrase, other orders, and anything else."""
    generator = random.Random(11)
    words = [
        "the", "a", "of", "dog", "dogs", "cat", "ran", "run", "car", "automobile", "sofa",
        "couch", "kick", "kicked", ".",
    ]  # fmt: skip
    seen = set()
    for _ in range(60):
        pairs = []
        for _ in range(generator.randint(1, 6)):
            gold = generator.choices(words, k=generator.randint(1, 6))
            system = list(gold)
            change = generator.randrange(4)
            if change == 1:
                generator.shuffle(system)
            elif change == 2:
                system = generator.choices(words, k=generator.randint(1, 6))
            elif change == 3:
                twins = {"car": "automobile", "sofa": "couch", "kick": "kicked", "dog": "dogs"}
                system = [twins.get(word, word) for word in gold]
            pairs.append((" ".join(system), " ".join(gold)))
        *segments, final = engine_scores(meteor_jar, pairs)
        macro, each = java.evaluate(*split(pairs))
        assert [score["METEOR"] for score in each] == pytest.approx(segments, abs=1e-15), pairs
        assert macro["METEOR-final"] == pytest.approx(final, abs=1e-15), pairs
        seen |= {score == 1 for score in segments}
    assert seen == {True, False}


def invented(generator: random.Random, size: int) -> list[str]:
    """Different words that no stemmer changes and no list has."""
    words: dict[str, None] = {}
    while len(words) < size:
        words["".join(generator.choices("bdfgklmnprtvz", k=4)) + "ok"] = None
    return list(words)


def test_both_engines_agree_where_no_word_occurs_twice(java: Meteor) -> None:
    generator = random.Random(7)
    vocabulary = invented(generator, 40)
    systems, golds = [], []
    for _ in range(150):
        systems.append(" ".join(generator.sample(vocabulary, generator.randint(0, 25))))
        golds.append([" ".join(generator.sample(vocabulary, generator.randint(0, 25)))])
    native, _ = Meteor().evaluate(systems, golds)
    macro, each = java.evaluate(systems, golds)
    assert macro == pytest.approx(native, abs=1e-9)
    assert each == [pytest.approx(score) for score in Meteor().score_all(systems, golds)]


def test_synonyms_are_those_of_the_original(java: Meteor) -> None:
    """Debian's WordNet against the engine's own."""
    debian = Path("/usr/share/wordnet")
    if not (debian / "index.noun").is_file():
        pytest.skip("wordnet-base is not there")
    words = ["automobile", "cars", "sofa", "couches", "spud", "potatoes", "dog", "ran", "run"]
    pairs = [(f"vok {a} zam", f"vok {b} zam") for a in words for b in words]
    ours = Meteor(synonyms=True, wordnet=str(debian)).score_all(*split(pairs))
    theirs = java.score_all(*split(pairs))
    assert ours == [pytest.approx(score) for score in theirs]
    # By hand: four pairs of synonyms, either way.
    same = Meteor().score_all(*split(pairs))
    assert sum(a["METEOR"] > b["METEOR"] for a, b in zip(ours, same, strict=True)) == 8


def split(pairs: list[tuple[str, str]]) -> tuple[list[str], list[list[str]]]:
    return [a for a, _ in pairs], [[b] for _, b in pairs]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "...",
        "vok\nzam",
        "vok ||| zam",
        "|||",
        "🙂",
        "שלום",
        "\ud800",
        "vok\x00zam",
        "\x85",
    ],
)
def test_odd_texts_do_not_stop_the_engine(java: Meteor, text: str) -> None:
    for system, gold in ((text, "vok zam"), ("vok zam", text), (text, text)):
        assert 0 <= java.score(system, [gold])["METEOR"] <= 1
    assert java.score("vok zam tep", ["vok zam tep"])["METEOR"] == 1


def test_lists_and_lines_are_one_text(java: Meteor) -> None:
    flat = java.score("vok zam tep", ["zam tep vok"])
    assert java.score(["vok zam", "tep"], [["zam tep", "vok"]]) == flat
    assert java.score("vok zam\ntep", ["zam\ntep vok"]) == flat


def test_counts_have_the_columns_of_the_formula(meteor_jar: str) -> None:
    (row,) = engine(meteor_jar).counts(["vok zam", "zam"], np.array([[0, 1]], np.int32))
    found = {name: count for name, count in zip(COLUMNS, row, strict=True) if count}
    assert found == {
        "system_words": 2, "gold_words": 1, "exact_system_content": 1, "exact_gold_content": 1,
        "chunks": 1, "system_matches": 1, "gold_matches": 1,
    }  # fmt: skip


def test_one_engine_serves_all_threads(meteor_jar: str, java: Meteor) -> None:
    texts = [" ".join(["vok"] * n) for n in range(1, 30)]
    with ThreadPoolExecutor(4) as pool:
        engines = set(pool.map(lambda _: engine(meteor_jar), texts))
        scores = list(pool.map(lambda text: java.score(text, [text])["METEOR"], texts))
    assert engines == {engine(meteor_jar)}
    assert scores == [1.0] * len(texts)


def test_an_engine_that_ended_is_told_and_started_again(meteor_jar: str, java: Meteor) -> None:
    assert java.score("vok", ["vok"])["METEOR"] == 1
    engine(meteor_jar)._process.kill()
    # Whether the end is seen before or after the next question is a matter of chance.
    with contextlib.suppress(KaratError):
        java.score("vok", ["vok"])
    assert java.score("vok", ["vok"])["METEOR"] == 1


def test_a_jar_that_is_none(tmp_path: Path) -> None:
    if shutil.which("java") is None:
        pytest.skip("java is not there")
    (tmp_path / "meteor-1.5.jar").write_bytes(b"no jar")
    metric = Meteor(engine="java", jar=str(tmp_path / "meteor-1.5.jar"))
    with pytest.raises(KaratError, match=r"the Java engine of meteor failed: .*jar"):
        metric.score("a", ["b"])


def test_a_jar_without_its_data(meteor_jar: str, tmp_path: Path) -> None:
    shutil.copy(meteor_jar, tmp_path)
    metric = Meteor(engine="java", jar=str(tmp_path / "meteor-1.5.jar"))
    with pytest.raises(KaratError, match="the Java engine of meteor failed") as caught:
        metric.score("a", ["b"])
    assert "its data folder beside the jar" in str(caught.value)


def test_an_engine_whose_answer_nobody_waited_for_is_not_asked_again(
    meteor_jar: str, java: Meteor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer to an interrupted question must not be taken for that to the next one."""
    asked = engine(meteor_jar)

    def interrupted() -> bytes:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(asked, "_answer", interrupted)
        with pytest.raises(KeyboardInterrupt):
            java.score("vok", ["zam"])
    assert not asked.running
