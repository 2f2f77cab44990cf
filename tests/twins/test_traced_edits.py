"""The kernels that trace alignments back, against all alignments of short texts.

What is told of alignments and how they are marked is compared with plain Python.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aligned_edits import Edit, aligned
from drawn import drawn
from karat.core.reading.strings import Referenced, decoded_json, utf16
from karat.core.shown import Kind
from karat.errors import LimitExceeded
from karat.text.metrics.wer import Wer

TEXTS = st.text("abc", max_size=5)
ODD = ["cat.", "é", "東京", "\U0001f600", '"x"', "\\", "\x1c", "ﬁ", ".", ""]
WORDS = st.lists(st.sampled_from(["a", "b", "the", "The", *ODD]), max_size=9)
BLANKS = st.sampled_from([" ", "  ", "\t", "\u3000", " \xa0", "\x85", "\x01 "])
SENTENCES = st.builds(str.join, BLANKS, WORDS)


def alignments(gold: str, system: str) -> Iterator[tuple[Edit, ...]]:
    """All alignments, from first to last."""
    if not gold and not system:
        yield ()
    if gold and system:
        edit: Edit = "hit" if gold[-1] == system[-1] else "substitution"
        yield from ((*rest, edit) for rest in alignments(gold[:-1], system[:-1]))
    if gold:
        yield from ((*rest, "deletion") for rest in alignments(gold[:-1], system))
    if system:
        yield from ((*rest, "insertion") for rest in alignments(gold, system[:-1]))


@settings(max_examples=drawn(200), deadline=None)
@given(TEXTS, TEXTS, st.booleans())
def test_no_alignment_is_better(gold: str, system: str, jiwer: bool) -> None:
    every = set(alignments(gold, system))
    found = tuple(aligned(gold, system, jiwer))
    assert found in every

    def edits(each: tuple[Edit, ...]) -> int:
        return len(each) - each.count("hit")

    least = min(map(edits, every))
    assert edits(found) == least
    if not jiwer:
        best = max(each.count("hit") for each in every if edits(each) == least)
        assert found.count("hit") == best


def fewest(gold: str, system: str) -> tuple[int, int]:
    """The fewest edits, and the most hits with these: Wagner and Fischer's table, row by row."""
    row = [(j, 0) for j in range(len(system) + 1)]
    for i, theirs in enumerate(gold, 1):
        above, row = row, [(i, 0)]
        for j, ours in enumerate(system, 1):
            edits, hits = above[j - 1]
            through = (edits, hits - 1) if ours == theirs else (edits + 1, hits)
            aside = min(above[j], row[-1])
            row.append(min(through, (aside[0] + 1, aside[1])))
    edits, hits = row[-1]
    return edits, -hits


@settings(max_examples=drawn(30), deadline=None)
@given(
    draw=st.randoms(use_true_random=False),
    sizes=st.tuples(*[st.sampled_from([1, 100, 127, 128, 129, 200, 300])] * 2),
    letters=st.sampled_from(["ab", "abcdefgh", "abcdefghijklmnopqrstuvwxyz0123456789"]),
)
def test_long_texts_have_the_fewest_edits(
    draw: random.Random, sizes: tuple[int, int], letters: str
) -> None:
    """Kernels fill the tables of long texts in another order than those of short ones."""
    gold, system = ("".join(draw.choices(letters, k=size)) for size in sizes)
    edits, hits = fewest(gold, system)
    found = Wer().measure_many([(" ".join(system), " ".join(gold))])[0]
    assert found[2] == hits
    assert found[3:6].sum() == edits
    for jiwer in (False, True):
        steps = aligned(gold, system, jiwer)
        assert len(steps) - steps.count("hit") == edits
        assert jiwer or steps.count("hit") == hits


def words_of(metric: Wer, text: str) -> list[str]:
    if metric.compat == "none":
        return text.split()
    return [word for word in re.sub(r"\s\s+", " ", text).strip().split(" ") if word]


def normalized(metric: Wer, text: str) -> str:
    for step in metric._steps:
        text = step(text)
    return text


def steps_of(edits: Sequence[Edit], gold: Sequence[str], system: Sequence[str]) -> list[Any]:
    """The tokens of each edit."""
    theirs, ours = iter(gold), iter(system)
    return [
        {
            "edit": edit,
            "gold": [next(theirs)] if edit != "insertion" else [],
            "system": [next(ours)] if edit != "deletion" else [],
        }
        for edit in edits
    ]


def told(edits: Sequence[Edit], steps: list[Any]) -> dict[str, Any]:
    kinds = ("hit", "substitution", "deletion", "insertion")
    return {**{f"{kind}s": edits.count(kind) for kind in kinds}, "alignment": steps}


def in_runs(steps: list[Any]) -> list[Any]:
    """Neighbours with the same edit as one."""
    runs = []
    for edit, group in groupby(steps, key=lambda step: step["edit"]):
        some = list(group)
        sides = {
            side: "".join(c for step in some for c in step[side]) for side in ("gold", "system")
        }
        runs.append({"edit": edit, **sides})
    return runs


def marks(metric: Wer, system: str, gold: str) -> dict[str, list[int]]:
    """Edits of words, where they stand as browsers count."""
    kinds = {
        "substitution": Kind.CHANGED, "deletion": Kind.MISSING, "insertion": Kind.SURPLUS,
    }  # fmt: skip
    theirs, ours = (words_of(metric, normalized(metric, side)) for side in (gold, system))
    spans = {}
    for side, text, words in (("gold", gold, theirs), ("system", system, ours)):
        units = utf16(text) or range(len(text) + 1)
        own = [(units[w.start()], units[w.end()]) for w in re.finditer(r"\S+", text)]
        if len(own) != len(words):
            return {}
        spans[side] = [*own, (units[len(text)],)]
    at = {"gold": 0, "system": 0}
    result: list[int] = []
    for edit in aligned(theirs, ours, metric.compat == "jiwer"):
        places: list[int] = []
        for side, absent in (("gold", "insertion"), ("system", "deletion")):
            here = spans[side][at[side]]
            places += (here[0], here[0]) if edit == absent else here
            at[side] += edit != absent
        if edit != "hit":
            result += [kinds[edit], 0, *places]
    return {"word errors": result} if result else {}


@pytest.mark.parametrize("normalize", ["none", "basic", "lower,accents"])
@pytest.mark.parametrize("compat", ["none", "jiwer"])
@settings(max_examples=drawn(80), deadline=None)
@given(pairs=st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1, max_size=3))
def test_wer_tells_and_marks_what_is_aligned(
    normalize: str, compat: Literal["none", "jiwer"], pairs: list[tuple[str, str]]
) -> None:
    metric = Wer(normalize=normalize, compat=compat)
    texts = Referenced.of([(system, [gold]) for system, gold in pairs])
    found = metric.explain_texts(texts, metric.rows(texts))
    layers = metric.layers_of_texts(texts)
    for (system, gold), explained, members in zip(pairs, found, layers, strict=True):
        jiwer = compat == "jiwer"
        sides = [normalized(metric, text) for text in (gold, system)]
        words = [words_of(metric, side) for side in sides]
        characters = [side.strip() for side in sides]
        edits = aligned(*words, jiwer)
        edits_of_characters = aligned(*characters, jiwer)
        expected = {
            "scores": metric.score(system, gold),
            "words": told(edits, steps_of(edits, *words)),
            "characters": told(
                edits_of_characters, in_runs(steps_of(edits_of_characters, *characters))
            ),
        }
        assert explained == msgspec.json.encode(expected)
        assert metric.explain(system, gold) == msgspec.json.decode(explained)
        assert decoded_json(b"{%b}" % members) == marks(metric, system, gold)
        assert metric.layers(system, [gold], expected) == marks(metric, system, gold)


def test_texts_that_are_too_long_are_not_explained() -> None:
    long = [" ".join(letter * 4001) for letter in "ab"]
    metric = Wer()
    texts = Referenced.of([("a", ["b"]), (long[0], [long[1]])])
    assert [bool(found) for found in metric.layers_of_texts(texts)] == [True, False]
    rows = metric.rows(texts)
    assert [bool(found) for found in metric.explain_texts(texts, rows)] == [True, False]
    with pytest.raises(LimitExceeded, match="too long to be explained"):
        metric.explain(*long)
