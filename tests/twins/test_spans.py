"""Spans against a search of all pairings, tags against seqeval, files against items; words."""

from __future__ import annotations

import itertools
import json
import random
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import karat
from drawn import drawn
from karat.core.shown import Kind, Raw
from karat.engine import evaluate
from karat.errors import FormatError
from karat.records.metrics.spans import MATCHES, PARTS, Spans
from karat.records.spans import Tagged
from karat.text.metrics.wer import Wer

SPAN = st.builds(
    lambda label, begin, size: [label, begin, begin + size],
    st.sampled_from("AB"), st.integers(0, 6), st.integers(1, 4),
)  # fmt: skip
SPANS = st.lists(SPAN, max_size=5)


def overlap(gold: list[Any], system: list[Any], least: float) -> bool:
    shared = min(gold[2], system[2]) - max(gold[1], system[1])
    return shared > 0 and shared >= least * (gold[2] - gold[1])


def is_correct(gold: list[Any], system: list[Any], match: str) -> bool:
    same = {"place": gold[1:] == system[1:], "label": gold[0] == system[0]}
    if match == "strict":
        return all(same.values())
    return same["label" if match == "type" else "place"]


def best_pairing(gold: Any, system: Any, match: str, least: float) -> tuple[int, int]:
    """Correct pairs and further overlapping pairs, over all one-to-one pairings."""
    found = (0, 0)
    for size in range(min(len(gold), len(system)) + 1):
        for ours in itertools.combinations(gold, size):
            for theirs in itertools.permutations(system, size):
                pairs = [(g, s) for g, s in zip(ours, theirs, strict=True) if overlap(g, s, least)]
                correct = sum(is_correct(g, s, match) for g, s in pairs)
                found = max(found, (correct, len(pairs) - correct))
    return found


@given(SPANS, SPANS, st.sampled_from([0.0, 0.5]))
@settings(max_examples=drawn(120), deadline=None)
def test_pairing_is_the_best_of_all(gold: Any, system: Any, least: float) -> None:
    metric = Spans(min_overlap=least)
    row = dict(zip(metric.columns, metric.measure(system, gold), strict=True))
    for match in MATCHES:
        correct, others = best_pairing(gold, system, match, least)
        paired = correct + others
        expected = dict.fromkeys(PARTS, 0) | {
            "correct": correct,
            "partial" if match == "partial" else "incorrect": others,
            "missed": len(gold) - paired,
            "spurious": len(system) - paired,
        }
        assert {part: row[f"{match}_{part}"] for part in PARTS} == expected


PREFIXES = {
    "lenient": "IOBES", "IOB1": "IOB", "IOB2": "IOB", "IOBES": "IOBES", "BILOU": "BILOU",
}  # fmt: skip


def random_tags(dice: random.Random, scheme: str) -> list[str]:
    prefixes = [dice.choice(PREFIXES[scheme]) for _ in range(dice.randint(1, 9))]
    return [p if p == "O" else f"{p}-{dice.choice(['X', 'Y', 'X-Z'])}" for p in prefixes]


@pytest.mark.parametrize("scheme", PREFIXES)
def test_tags_mean_what_seqeval_says(scheme: Any) -> None:
    labeling = pytest.importorskip("seqeval.metrics.sequence_labeling")
    schemes = pytest.importorskip("seqeval.scheme")
    dice = random.Random(5)
    metric = Spans(tags=scheme)
    for _ in range(400):
        tags = random_tags(dice, scheme)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if scheme == "lenient":
                found = [(t, b, e + 1) for t, b, e in labeling.get_entities(tags)]
            else:
                entities = schemes.Entities([tags], getattr(schemes, scheme)).entities[0]
                found = [(each.tag, each.start, each.end) for each in entities]
        assert sorted(tuple(span) for span in metric.spans(tags)) == sorted(found), tags


@pytest.mark.filterwarnings("ignore:.*seems not to be NE tag")
def test_odd_tags_mean_what_seqeval_says() -> None:
    """Without label or dash, with several dashes, with other characters: all but a wrong prefix."""
    labeling = pytest.importorskip("seqeval.metrics.sequence_labeling")
    odd = [
        "O", "B", "I", "E", "S", "B-", "I-", "B--X", "BX", "IX", "S-X", "E-X", "B-X-Y", "I-X-Y",
        "O-X", "O-", "B- X", "I-x", "B-é", "B-X", "I-X", "I-Y",
    ]  # fmt: skip
    dice = random.Random(6)
    for _ in range(1000):
        tags = dice.choices(odd, k=dice.randint(1, 6))
        found = [(label, begin, end + 1) for label, begin, end in labeling.get_entities(tags)]
        assert sorted(tuple(span) for span in Spans().spans(tags)) == sorted(found), tags


def test_compat_is_nervaluate() -> None:
    """Spans in any order, nested, doubled, of one unit; documents without any."""
    nervaluate = pytest.importorskip("nervaluate")
    dice = random.Random(9)

    def spans(least: int) -> list[dict[str, Any]]:
        begins = [dice.randint(0, 8) for _ in range(dice.randint(least, 4))]
        if dice.random() < 0.5:
            begins.sort()
        return [
            {"label": dice.choice("AB"), "start": each, "end": each + dice.choice((0, 0, 1, 2, 5))}
            for each in begins
        ]

    metric = Spans(compat="nervaluate", end="inclusive")
    for _ in range(300):
        # It fails where the first document has no span.
        sides = [[spans(not i) for i in range(3)] for _ in range(2)]
        found = nervaluate.Evaluator(*sides, tags=["A", "B"], loader="dict").evaluate()
        golds, systems = (
            [[[each["label"], each["start"], each["end"]] for each in item] for item in side]
            for side in sides
        )
        pairs = list(zip(systems, golds, strict=True))
        split = metric.split("type", pairs)
        parts = {"all": metric.measure_many(pairs).sum(axis=0)}
        for label in found["entities"]:
            parts[label] = split.rows[[value == label for value in split.values]].sum(axis=0)
        assert set(split.values) == set(found["entities"])
        for label, row in parts.items():
            theirs = found["entities"].get(label, found["overall"])
            ours = metric.by_column(row)
            for match in MATCHES:
                counts = theirs["ent_type" if match == "type" else match]
                assert [ours[f"{match}_{part}"] for part in PARTS] == [
                    getattr(counts, part) for part in PARTS
                ], (label, match, sides)


@pytest.mark.parametrize("scheme", PREFIXES)
def test_figures_of_labels_are_those_of_seqeval(scheme: Any) -> None:
    metrics = pytest.importorskip("seqeval.metrics")
    schemes = pytest.importorskip("seqeval.scheme")
    dice = random.Random(8)
    strict = {} if scheme == "lenient" else {"mode": "strict", "scheme": getattr(schemes, scheme)}
    for _ in range(100):
        golds = [random_tags(dice, scheme) for _ in range(4)]
        systems = [
            [dice.choice(random_tags(dice, scheme)) if dice.random() < 0.3 else tag for tag in gold]
            for gold in golds
        ]
        metric = Spans(tags=scheme)
        run = karat.evaluate(metric, system=systems, gold=golds, facets=["type"])
        if not run.scores()["gold"]:
            continue  # where its report fails
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            report = metrics.classification_report(golds, systems, output_dict=True, **strict)
        by_label = run.by("type")
        for label in report.keys() - {"micro avg", "macro avg", "weighted avg"}:
            theirs, ours = report[label], by_label[label]
            assert ours["gold"] == theirs["support"]
            for name in ("precision", "recall", "f1-score"):
                value = ours["f" if name == "f1-score" else name]
                defined = value is not None and value == value
                assert (value if defined else 0) == pytest.approx(theirs[name]), label


def test_text_and_id_of_spans_are_written_with_them(tmp_path: Path) -> None:
    path, copy = tmp_path / "spans.jsonl", tmp_path / "copy.jsonl"
    path.write_text('{"id": 7, "text": "Ada met Bob.", "entities": [["PER", 0, 3]]}\n')
    karat.write(karat.read(path, "span-lines"), copy, "span-lines")
    record = {"id": "7", "text": "Ada met Bob.", "spans": [["PER", 0, 3]]}
    assert json.loads(copy.read_text()) == record


def test_tags_without_labels_have_one() -> None:
    assert [tuple(span) for span in Spans().spans(["B", "I", "O", "B"])] == [
        ("_", 0, 2),
        ("_", 3, 4),
    ]


@pytest.mark.parametrize("scheme", PREFIXES)
@pytest.mark.parametrize("options", [{}, {"compat": "nervaluate"}, {"min_overlap": 0.6}])
def test_files_are_measured_as_their_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: Any, options: Any
) -> None:
    dice = random.Random(7)
    metric = Spans(tags=scheme, **options)
    golds, systems, files = [], [], (tmp_path / "gold", tmp_path / "system")
    texts: list[list[str]] = [[], []]
    for number in range(60):
        # The kernel looks at 64 bytes at a time.
        gold = [tag for _ in range(dice.choice((1, 6))) for tag in random_tags(dice, scheme)]
        system = gold if dice.random() < 0.4 else random_tags(dice, scheme)
        system = (system * 60)[: len(gold)]
        if dice.random() < 0.5:
            system = [*gold[: len(gold) // 2], *system[len(gold) // 2 :]]
        golds.append(gold)
        systems.append(system)
        separator = dice.choice(["\t", " ", "\tx\t", "  "])
        words = [
            dice.choice(
                ["wörd", "-", "“quoted”", "a", "O", "a" * 70, "10\u00a0000", "a\u2028b\x85"]
            )
            for _ in gold
        ]
        if separator == "\t":
            words[0] = "New York"
        for text, tags in zip(texts, (gold, system), strict=True):
            lines = [f"{word}{separator}{tag}\n" for word, tag in zip(words, tags, strict=True)]
            if number % 9 == 4:
                lines.insert(0, "-DOCSTART- -X- O\n")
            text.append("".join(lines) + "\n")
    for path, text in zip(files, texts, strict=True):
        path.write_text("".join(text))
    expected = metric.measure_many(list(zip(systems, golds, strict=True)))
    with monkeypatch.context() as patch:
        patch.setattr(Spans, "measure_many", None)  # nothing was parsed
        run = evaluate(metric, gold=files[0], system=files[1], format="tag-columns")
    assert run.counts.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("gold", "system"),
    [
        ("New York\tO", "New Yorkk\tO"),
        ("New York\tO", "New Yorkk O"),
        ("ab O", "ac O"),
        ("a\tO\nb\tO", "a\tB-X\nc\tO"),
        ("a\tO", "a\tO\nb\tO"),
        ("a\tO\nb\tO", "a\tO"),
        ("a\tO\nb\tO", "a\tB-X"),
    ],
)
def test_other_tokens_are_noticed(tmp_path: Path, gold: str, system: str) -> None:
    for name, text in (("gold", gold), ("system", system)):
        (tmp_path / name).write_text(text + "\n")
    with pytest.raises(FormatError, match="K187"):
        evaluate(Spans(), gold=tmp_path / "gold", system=tmp_path / "system", format="tag-columns")


SPANS = st.lists(
    st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 3), st.integers(1, 2)).map(
        lambda each: [each[0], each[1], each[1] + each[2]]
    ),
    max_size=6,
)


@given(gold=SPANS, system=SPANS)
def test_explanations_have_each_span_as_often_as_counters(gold: Any, system: Any) -> None:
    ours, theirs = (Counter(map(tuple, side)) for side in (gold, system))

    def told(spans: Counter[tuple[Any, ...]]) -> list[dict[str, Any]]:
        places = sorted((begin, end, label) for label, begin, end in spans.elements())
        return [{"label": label, "begin": begin, "end": end} for begin, end, label in places]

    assert Spans().explain(system, gold) == {
        "matched": told(ours & theirs),
        "missing": told(ours - theirs),
        "surplus": told(theirs - ours),
    }
    shown = Spans().shown(system, gold, Spans().explain(system, gold))
    for content, side in ((shown.golds[0], gold), (shown.system, system)):
        lines = sorted((begin, end, label) for label, begin, end in side)
        assert content == Raw("\n".join(f"{begin} {end} {label}" for begin, end, label in lines))


def test_spans_are_marked_in_the_text() -> None:
    tokens = ("\U0001f600", "Ada", "King", "went", "home")
    gold = Tagged(("O", "B-PER", "I-PER", "O", "B-LOC"), tokens)
    system = Tagged(("O", "B-PER", "O", "O", "B-LOC"), tokens)
    metric = Spans()
    shown = metric.shown(system, gold, metric.explain(system, gold))
    (text,) = shown.golds
    units = text.text.encode("utf-16-le")
    found = [
        (Kind(kind).name, [units[2 * b : 2 * e].decode("utf-16-le") for b, e in spans if b >= 0])
        for kind, _, *places in zip(*[iter(shown.layers["spans"])] * 6, strict=True)
        for spans in [(places[:2], places[2:])]
    ]
    assert found == [
        ("MATCHED", ["home", "home"]), ("MISSING", ["Ada King"]), ("SURPLUS", ["Ada"])
    ]  # fmt: skip


def textbook(gold: list[str], system: list[str]) -> tuple[int, int]:
    """The fewest edits and then the most hits, by the whole table."""
    table = {(i, 0): (i, 0) for i in range(len(gold) + 1)}
    table |= {(0, j): (j, 0) for j in range(len(system) + 1)}
    for i, ours in enumerate(gold, 1):
        for j, theirs in enumerate(system, 1):
            edits, hits = table[i - 1, j - 1]
            through = (edits, hits - 1) if ours == theirs else (edits + 1, hits)
            left, above = table[i - 1, j], table[i, j - 1]
            table[i, j] = min(through, (left[0] + 1, left[1]), (above[0] + 1, above[1]))
    edits, hits = table[len(gold), len(system)]
    return edits, -hits


WORDS = st.lists(st.sampled_from(["a", "b", "c", "dd"]), max_size=8)


@given(WORDS, WORDS)
@settings(max_examples=drawn(300), deadline=None)
def test_word_errors_are_those_of_the_table(gold: list[str], system: list[str]) -> None:
    pair = " ".join(system), " ".join(gold)
    metric = Wer()
    row = dict(zip(metric.columns, metric.measure(*pair), strict=True))
    for prefix, ours, theirs in (("", gold, system), ("char_", list(pair[1]), list(pair[0]))):
        parts = [row[prefix + name] for name in ("substitutions", "deletions", "insertions")]
        hits = row[prefix + "hits"]
        assert (sum(parts), hits) == textbook(ours, theirs)
        assert hits + parts[0] + parts[1] == len(ours)
        assert hits + parts[0] + parts[2] == len(theirs)


@given(WORDS.filter(bool), WORDS)
@settings(max_examples=drawn(200), deadline=None)
def test_compat_is_jiwer(gold: list[str], system: list[str]) -> None:
    jiwer = pytest.importorskip("jiwer")
    pair = " ".join(system), " ".join(gold)
    theirs = jiwer.process_words(pair[1], pair[0])
    ours = Wer(compat="jiwer").score(*pair)
    names = ("hits", "substitutions", "deletions", "insertions")
    assert [ours[name] for name in names] == [getattr(theirs, name) for name in names]
    assert ours["wer"] == Wer().score(*pair)["wer"] == pytest.approx(theirs.wer)
    if system:
        assert ours["wil"] == pytest.approx(theirs.wil)
    assert ours["cer"] == pytest.approx(jiwer.process_characters(pair[1], pair[0]).cer)


def test_compat_is_jiwer_on_odd_texts() -> None:
    """White space of all kinds, marks and characters beyond the basic plane; empty sides."""
    jiwer = pytest.importorskip("jiwer")
    parts = [
        "a", "b", "ab", "é", "e\u0301", "🙂", "\u200b", " ", " ", " ", "  ", "\t", "\n", "\r",
        "\u00a0", "\u2028", "\u3000", "\x0b", "\x1c",
    ]  # fmt: skip
    dice = random.Random(10)
    metric = Wer(compat="jiwer")
    names = ("hits", "substitutions", "deletions", "insertions")
    for _ in range(600):
        gold = "".join(dice.choices(parts, k=dice.randint(0, 9)))
        system = "".join(dice.choices(parts, k=dice.randint(0, 9)))
        if dice.random() < 0.5:
            system = gold.replace(dice.choice(parts), dice.choice(parts))
        row = dict(zip(metric.columns, metric.measure(system, gold), strict=True))
        words = jiwer.process_words(gold, system)
        characters = jiwer.process_characters(gold, system)
        assert [row[each] for each in names] == [getattr(words, each) for each in names]
        assert [row[f"char_{each}"] for each in names] == [
            getattr(characters, each) for each in names
        ]
