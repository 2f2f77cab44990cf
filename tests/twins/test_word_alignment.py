"""The alignment of two tokenisations against its definition, on short texts."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import hypothesis.strategies as st
from hypothesis import given

from karat.core.reading.items import Item
from karat.trees.model import MultiwordToken, Tree
from karat.trees.sentence_alignment import pair_documents, share_of
from karat.trees.token_alignment import Text, Word, WordAligner

FORM = st.text("ab", min_size=1, max_size=2)


@st.composite
def plain(draw: st.DrawFn, start: int, end: int) -> list[Word]:
    """Single words that cover a span."""
    cuts = draw(st.lists(st.integers(start, end), unique=True))
    edges = [start, *sorted(set(cuts) - {start, end}), end]
    return [
        Word(a, b, False, draw(st.text("ab", min_size=b - a, max_size=b - a)))
        for a, b in pairwise(edges)
    ]


@st.composite
def sides(draw: st.DrawFn) -> tuple[list[Word], list[Word], list[tuple[int, int]]]:
    """Two lists of words, and the spans around multiword tokens.

    Each span begins after a word that is the same on both sides, so that nothing
    is left over before it.
    """
    gold: list[Word] = []
    system: list[Word] = []
    spans = []
    place = 0
    for kind in draw(st.lists(st.sampled_from(["single", "gold", "system", "both"]), max_size=4)):
        size = draw(st.integers(1, 4))
        span = (place, place + size)
        if kind == "single":
            gold += draw(plain(*span))
            system += draw(plain(*span))
        else:
            spans.append(span)
            for side, words in (("gold", gold), ("system", system)):
                if kind in (side, "both"):
                    words += [
                        Word(*span, True, form)
                        for form in draw(st.lists(FORM, min_size=1, max_size=4))
                    ]
                else:
                    words += draw(plain(*span))
        same = Word(span[1], span[1] + 1, False, "x")
        gold.append(same)
        system.append(same)
        place = span[1] + 1
    return gold, system, spans


def by_definition(
    gold: list[Word], system: list[Word], spans: list[tuple[int, int]]
) -> set[tuple[int, int]]:
    result = set()
    regions = [
        [
            [i for i, word in enumerate(words) if start <= word.start and word.end <= end]
            for words in (gold, system)
        ]
        for start, end in spans
    ]
    inside = [{i for region in regions for i in region[side]} for side in (0, 1)]
    for g, ours in enumerate(gold):
        for s, theirs in enumerate(system):
            single = g not in inside[0] and s not in inside[1]
            if single and (ours.start, ours.end) == (theirs.start, theirs.end):
                result.add((g, s))

    for golds, systems in regions:

        @cache
        def longest(g: int, s: int, golds: tuple[int, ...], systems: tuple[int, ...]) -> int:
            if g == len(golds) or s == len(systems):
                return 0
            best = max(longest(g + 1, s, golds, systems), longest(g, s + 1, golds, systems))
            if gold[golds[g]].form == system[systems[s]].form:
                best = max(best, 1 + longest(g + 1, s + 1, golds, systems))
            return best

        g = s = 0
        fixed = tuple(golds), tuple(systems)
        while g < len(golds) and s < len(systems):
            if gold[golds[g]].form == system[systems[s]].form:
                result.add((golds[g], systems[s]))
                g, s = g + 1, s + 1
            elif longest(g + 1, s, *fixed) == longest(g, s, *fixed):
                g += 1
            else:
                s += 1
    return result


@given(sides())
def test_alignment_is_its_definition(
    case: tuple[list[Word], list[Word], list[tuple[int, int]]],
) -> None:
    gold, system, spans = case
    aligner = WordAligner(Text(words=gold), Text(words=system))
    assert aligner.advance()
    assert {(g, s) for s, g in aligner.partner.items()} == by_definition(gold, system, spans)


def test_the_script_lets_left_over_words_in() -> None:
    """What the official script does where a word is left over before a multiword token.

    Gold: ab | (b c); system: a | b | bc. The first left-over word is passed, the
    second takes part in the common subsequence.
    """
    gold = [Word(0, 2, False, "ab"), Word(2, 4, True, "b"), Word(2, 4, True, "c")]
    system = [Word(0, 1, False, "a"), Word(1, 2, False, "b"), Word(2, 4, False, "bc")]
    aligner = WordAligner(Text(words=gold), Text(words=system))
    aligner.advance()
    assert aligner.partner == {1: 1}


def test_system_words_count_where_they_start() -> None:
    gold = Tree.of([0, 1], forms=["ab", "c"])
    system = Tree(
        heads=(0, 1, 1), columns={"forms": ("a", "b", "c")}, multiword=(MultiwordToken(1, 2, "ab"),)
    )
    share = share_of([system], gold)
    assert (share.tokens, share.equal_tokens, share.sentences) == (2, 2, 1)
    assert share.parts[0].counted == (1, 2, 3)
    assert share.parts[0].partners == (0, 0, 2)


def test_sentences_with_the_same_words_are_paired_as_alignment_pairs_them() -> None:
    """Between them, and after them, sentences that have to be aligned."""
    words = (["a", "b c", "d"], ["e"], ["f", "g"], ["h", "i"])
    golds = [Tree.of([0] + [1] * (len(forms) - 1), forms=forms) for forms in words]
    others = (
        ([0, 1, 2], ["a", "b c", "d"]),
        ([0, 1], ["e", "f"]),
        ([0], ["g"]),
        ([2, 0], ["h", "i"]),
    )
    systems = [Tree.of(heads, forms=forms) for heads, forms in others]
    items = [[Item(tree, None, 1) for tree in side] for side in (systems, golds)]
    shares = [pair.system for pair in pair_documents(*items)]
    assert shares[0] == share_of(systems[:1], golds[0])
    assert shares[3] == share_of(systems[3:], golds[3])
    assert [[part.partners for part in share.parts] for share in shares] == [
        [(1, 2, 3)], [(1, 0)], [(0, 1), (2,)], [(1, 2)]
    ]  # fmt: skip
    assert [pair.gold for pair in pair_documents(*items)] == golds
