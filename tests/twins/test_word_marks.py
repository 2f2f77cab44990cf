"""The kernel that marks which words differ, against the definition in plain Python."""

from __future__ import annotations

import json
import re

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat import _native
from karat.core.reading.strings import Referenced, Strings
from karat.core.shown import Fault, Kind
from karat.report.page.faults import MOST_WORDS, WordDifferences, word_marks

UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+(?:['’\-][^\W_]+)*|[^\w\s]")
PIECES = st.sampled_from([
    "a", "b", "cat", "dog", ".", "東", "京", "😀", "it's", "x-ray", "’", "'", "-", "_",
    "é", "e\u0301", "ー", "・", "½", "٣", "\u00a0", "\u3000", "\n", "\x1c", "A_b", "100%",
])  # fmt: skip
TEXTS = st.lists(st.tuples(PIECES, st.sampled_from(["", " "])), max_size=14).map(
    lambda parts: "".join(piece + gap for piece, gap in parts)
)


def differing(gold: list[str], system: list[str]) -> list[tuple[str, int, int, int, int]]:
    """Stretches of one sort of edit: from the end, a word of gold is dropped where that is one of
    the fewest edits, then a word of the system is new, then two stand at the same place.
    """
    n, m = len(gold), len(system)
    cost = np.zeros((n + 1, m + 1), int)
    cost[:, 0], cost[0] = range(n + 1), range(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            through = cost[i - 1, j - 1] + (gold[i - 1] != system[j - 1])
            cost[i, j] = min(through, cost[i - 1, j] + 1, cost[i, j - 1] + 1)
    edits = []
    i, j = n, m
    while i or j:
        if i and cost[i, j] == cost[i - 1, j] + 1:
            edits.append(("lost", i - 1, i, j, j))
            i -= 1
        elif j and (not i or cost[i, j - 1] == cost[i - 1, j - 1] - 1):
            edits.append(("new", i, i, j - 1, j))
            j -= 1
        else:
            i, j = i - 1, j - 1
            if gold[i] != system[j]:
                edits.append(("other", i, i + 1, j, j + 1))
    joined: list[tuple[str, int, int, int, int]] = []
    for sort, g0, g1, s0, s1 in reversed(edits):
        if joined and joined[-1][0] == sort and joined[-1][2] == g0 and joined[-1][4] == s0:
            joined[-1] = (sort, joined[-1][1], g1, joined[-1][3], s1)
        else:
            joined.append((sort, g0, g1, s0, s1))
    return joined


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def twin(system: str, golds: list[str]) -> tuple[list[int], list[Fault]]:
    ours = WORD.findall(system)
    sides = [WORD.findall(gold) for gold in golds]
    edits = [
        sum(max(g1 - g0, s1 - s0) for _, g0, g1, s0, s1 in differing(each, ours)) for each in sides
    ]
    number = edits.index(min(edits))
    gold, theirs = golds[number], sides[number]
    steps = differing(theirs, ours)
    new = [j for *_, s0, s1 in steps for j in range(s0, s1)]
    moved: dict[int, int] = {}
    for i in (i for _, g0, g1, *_ in steps for i in range(g0, g1)):
        same = [j for j in new if ours[j] == theirs[i]]
        if same:
            moved[i] = same[0]
            new.remove(same[0])

    def span(text: str, begin: int, end: int) -> list[int]:
        places = [match.span() for match in WORD.finditer(text)]
        if begin < end:
            return [units(text[: places[begin][0]]), units(text[: places[end - 1][1]])]
        at = places[begin][0] if begin < len(places) else len(text)
        return [units(text[:at])] * 2

    marks: list[int] = []
    faults: list[Fault] = []

    def mark(kind: Kind, g: tuple[int, int], s: tuple[int, int]) -> None:
        marks.extend([kind, number, *span(gold, *g), *span(system, *s)])
        if kind != Kind.MOVED:
            words = "".join(theirs[slice(*g)]), "".join(ours[slice(*s)])
            faults.append(Fault("words", kind, *words))

    for _, g0, g1, s0, s1 in steps:
        left = [i for i in range(g0, g1) if i not in moved]
        right = [j for j in range(s0, s1) if j not in moved.values()]
        both = min(len(left), len(right))
        for i, j in zip(left[:both], right[:both], strict=True):
            mark(Kind.CHANGED, (i, i + 1), (j, j + 1))
        for i in left[both:]:
            mark(Kind.MISSING, (i, i + 1), (s1, s1))
        for j in right[both:]:
            mark(Kind.SURPLUS, (g1, g1), (j, j + 1))
    for i, j in moved.items():
        mark(Kind.MOVED, (i, i + 1), (j, j + 1))
    return marks, faults


@given(system=TEXTS, golds=st.lists(TEXTS, min_size=1, max_size=3))
def test_marks_are_those_of_the_definition(system: str, golds: list[str]) -> None:
    assert word_marks(system, golds) == twin(system, golds)


def test_texts_longer_than_a_machine_word() -> None:
    """Columns of several blocks, with words that are far from where they were."""
    words = [f"w{i % 17}" for i in range(300)]
    other = words[40:130] + ["new"] * 3 + words[:40] + words[150:290]
    texts = " ".join(other), [" ".join(words)]
    assert word_marks(*texts) == twin(*texts)


def test_differences_have_the_same_number_in_all_calls() -> None:
    differences = WordDifferences()
    first = differences.marks(Referenced.of([("a c", ["a b"]), ("x", ["x"])]))
    second = differences.marks(Referenced.of([("q", ["q"]), ("c", ["b"])]))
    assert first[0] == [b"[3,0,2,3,2,3]", b"[]"]
    assert [each.tolist() for each in (*first[1:], *second[1:])] == [[0], [0], [1], [0]]
    assert differences.fault(0) == Fault("words", Kind.CHANGED, "b", "c")


def test_long_texts_are_not_compared() -> None:
    assert word_marks("a " * (MOST_WORDS + 1), ["b"]) == ([], [])


@given(st.text(st.characters(exclude_categories=())))
def test_texts_are_written_as_json(text: str) -> None:
    (found,) = _native.json_texts(*Strings.of([text]).columns, np.arange(2), "", "", "")
    try:
        assert found == msgspec.json.encode(text)
    except UnicodeEncodeError:  # half of a pair
        assert json.loads(found) == json.loads(json.dumps(text))


def test_kernels_refuse_bounds_beyond_the_texts() -> None:
    texts = Strings.of(["a"]).columns
    for bounds in ([0, 2], [1, 0], [-1, 1]):
        wrong = np.array(bounds)
        with pytest.raises(ValueError, match="bounds"):
            _native.json_texts(*texts, wrong, "", "", "")
        with pytest.raises(ValueError, match="bounds"):
            _native.WordMarks().compare(*texts, *texts, wrong, None, 10)
