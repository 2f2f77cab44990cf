"""The kernels that explain texts, against explanations that are put together in plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from counted_grams import counted, ngrams, tokenized
from drawn import drawn
from karat import _native
from karat.core.reading.strings import Referenced
from karat.core.shown import Kind
from karat.errors import OptionError
from karat.text.metrics.gleu import Gleu
from karat.text.metrics.meteor import STAGES, Aligner, Meteor, tokens
from karat.text.metrics.ter import Ter
from karat.text.raw_texts import places
from karat.text.words.wordnet import WordNet, load_wordnet

ODD = ["é", "東京", "\U0001f600", '"x"', "\\", "ẞ", "İ", "Σ", ".", "don't", "5,5", "_a"]
WORDS = st.sampled_from(["a", "b", "The", "the", "cat", "cats", "running", "runs", "of", *ODD])
BLANKS = st.sampled_from([" ", " ", "  ", "\t", "\u3000", "\x1c"])
TEXTS = st.builds(str.join, BLANKS, st.lists(WORDS, max_size=12))
FEW = st.lists(st.sampled_from("abc"), max_size=9).map(" ".join)
GOLDS = st.lists(TEXTS | FEW, min_size=1, max_size=3)
ITEMS = st.lists(st.tuples(TEXTS | FEW, GOLDS), min_size=1, max_size=3)


def replayed(found: dict[str, Any], words: list[str]) -> dict[str, Any]:
    """The shifts and edits of an explanation, made again on the words of a text."""
    shifts = []
    for shift in found["shifts"]:
        begin, to, size = shift["from"], shift["to"], len(shift["words"])
        phrase, rest = words[begin : begin + size], words[:begin] + words[begin + size :]
        shifts.append({"words": phrase, "from": begin, "to": to})
        words = [*rest[:to], *phrase, *rest[to:]]
    ours, theirs = iter(words), iter(found["reference"]["words"])
    alignment = []
    for step in found["alignment"]:
        own = [next(ours)] if step["edit"] != "insert" else []
        gold = [next(theirs)] if step["edit"] != "delete" else []
        assert (step["edit"] == "keep") == (own == gold)
        alignment.append({"edit": step["edit"], "system": own, "gold": gold})
    assert not [*ours, *theirs]
    edits = len(shifts) + sum(step["edit"] != "keep" for step in alignment)
    return {"edits": edits, "shifts": shifts, "alignment": alignment}


@pytest.mark.parametrize("metric", [Ter(), Ter(case_sensitive=True), Ter(normalized=True)])
@settings(max_examples=drawn(150), deadline=None)
@given(items=ITEMS)
@example(items=[("", ["", "a"]), ("b c a x", ["a b c"]), ("a b", [""])])
def test_ter_tells_of_shifts_and_edits(metric: Ter, items: list[tuple[str, list[str]]]) -> None:
    texts = Referenced.of(items)
    rows = metric.rows(texts)
    told = metric.explain_texts(texts, rows)
    prepared = metric.prepared(texts).pairs()
    for (system, golds), row, (text, references), own in zip(
        items, rows.tolist(), prepared, told, strict=True
    ):
        found = msgspec.json.decode(own)
        words = text.split()
        # That of each reference by itself is what measuring finds for it.
        each = [metric.score(system, [gold])["edits"] for gold in golds]
        best = each.index(min(each))
        assert row[2] == each[best]
        expected = {
            "scores": metric.score(system, golds),
            "reference": {"number": best + 1, "words": references[best].split()},
            "reference_edits": each,
            "length": sum(len(other.split()) for other in references) / len(references),
            "system": words,
            **replayed(found, words),
        }
        assert expected["edits"] == each[best]
        assert own == msgspec.json.encode(expected)
        assert metric.explain(system, golds) == found


@settings(max_examples=drawn(150), deadline=None)
@given(items=ITEMS, tokenizer=st.sampled_from(["none", "13a", "char", "intl"]))
@example(items=[("b c", ["", "q"]), ("", [""]), ("a", ["b", "a"])], tokenizer="none")
def test_gleu_lists_the_grams_of_the_reference_that_counts(
    items: list[tuple[str, list[str]]], tokenizer: str
) -> None:
    metric = Gleu(tokenize=tokenizer, max_ngram_order=3)
    texts = Referenced.of(items)
    rows = metric.rows(texts)
    told = metric.explain_fully(texts, rows)
    for (system, golds), row, own in zip(items, rows.tolist(), told, strict=True):
        ours, *theirs = tokenized([system, *golds], tokenizer)
        # The first of the references that alone have the score of all.
        alone = [metric.rows(Referenced.of([(system, [gold])]))[0].tolist() for gold in golds]
        chosen = alone.index(row)
        expected = {
            "scores": metric.score(system, golds),
            "reference": chosen,
            "tokens": {"system": ours, "references": theirs},
            "ngrams": {
                str(n): counted(ngrams(ours, n), ngrams(theirs[chosen], n)) for n in (1, 2, 3)
            },
        }
        assert own == msgspec.json.encode(expected)
        assert metric.explain(system, golds) == msgspec.json.decode(own)


KINDS = {"exact": Kind.MATCHED, "stem": Kind.STEM, "synonym": Kind.SYNONYM}
RELATED = ["buys", "bought", "purchase", "purchases", "children", "kid", "box", "boxing"]
RELATED_TEXTS = st.lists(WORDS | st.sampled_from(RELATED), max_size=9).map(" ".join)


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Buy and purchase share a set of synonyms; kid is in that of child, and in another one."""
    folder = tmp_path_factory.mktemp("wordnet")
    lines = {
        "index.noun": "child n 1 1 @ 1 1 00000010\nkid n 2 1 @ 2 1 00000010 00000020\n"
        "box n 1 0 1 0 00000030\n",
        "index.verb": "buy v 1 1 @ 1 1 00000040\npurchase v 1 1 @ 1 0 00000040\n",
        "noun.exc": "children child\n",
        "verb.exc": "bought buy\n",
    }
    for part in ("noun", "verb", "adj", "adv"):
        for name in (f"index.{part}", f"{part}.exc"):
            (folder / name).write_text(lines.get(name, ""))
    return folder


def matches(aligner: Aligner, system: str, gold: str) -> list[dict[str, Any]]:
    """The words that match, from the kernel that is given numbers."""
    ours, theirs = tokens(system), tokens(gold)
    found = _native.word_alignment(*aligner._data([system, gold]), 1e8).tolist()
    return [
        {"system": i, "gold": j, "words": [ours[i], theirs[j]], "stage": STAGES[stage]}
        for i, (j, stage) in enumerate(zip(*found, strict=True))
        if j >= 0
    ]


def layer(system: str, golds: Sequence[str], told: dict[str, Any]) -> Iterable[int]:
    """The marks of an explanation."""
    ours = places(system, told["system"])
    for number, (gold, found) in enumerate(zip(golds, told["references"], strict=True)):
        theirs = places(gold, found["tokens"])
        if ours is not None and theirs is not None:
            for each in found["matched"]:
                at = *theirs[each["gold"]], *ours[each["system"]]
                yield from (KINDS[each["stage"]], number, *at)


def check_meteor(
    metric: Meteor, wordnet: WordNet | None, items: list[tuple[str, list[str]]]
) -> None:
    aligner = Aligner(wordnet)
    texts = Referenced.of(items)
    told = metric.explain_texts(texts, metric.measure_many(items))
    marked = metric.layers_of_texts(texts)
    for (system, golds), own, marks in zip(items, told, marked, strict=True):
        expected = {
            "scores": metric.score(system, golds),
            "system": tokens(system),
            "references": [
                {"tokens": tokens(gold), "matched": matches(aligner, system, gold)}
                for gold in golds
            ],
        }
        assert own == msgspec.json.encode(expected)
        found = {"METEOR": list(layer(system, golds, expected))}
        assert b"{%b}" % marks == msgspec.json.encode(found)


@settings(max_examples=drawn(300), deadline=None)
@given(items=ITEMS)
@example(
    items=[
        ("İ a running", ["a runs İ", "running İ"]),
        ("a running", ["a runs İ", "running"]),
        ("Σ ẞ \U0001f600 x", ["σ ß \U0001f600\U0001f600 x"]),
    ]
)
def test_meteor_tells_and_marks_alignments(items: list[tuple[str, list[str]]]) -> None:
    check_meteor(Meteor(), None, items)


@settings(max_examples=drawn(150), deadline=None)
@given(
    items=st.lists(
        st.tuples(RELATED_TEXTS, st.lists(RELATED_TEXTS, min_size=1, max_size=2)),
        min_size=1,
        max_size=3,
    )
)
@example(items=[("children bought boxes", ["kids purchase box", "kid buys"])])
def test_meteor_tells_and_marks_synonyms(wordnet: Path, items: list[tuple[str, list[str]]]) -> None:
    metric = Meteor(synonyms=True, wordnet=str(wordnet))
    check_meteor(metric, load_wordnet(str(wordnet)), items)


def test_meteor_of_java_has_neither_explanations_nor_marks() -> None:
    metric, texts = Meteor(engine="java"), Referenced.of([("a", ["a"])])
    assert metric.layers_of_texts(texts) == [b""]
    with pytest.raises(OptionError, match="java"):
        metric.explain_texts(texts, Meteor().measure_many([("a", ["a"])]))
