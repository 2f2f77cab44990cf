"""The alignment of two tokenisations, and what its words count for, against the definitions."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import groupby, pairwise
from typing import NamedTuple

import hypothesis.strategies as st
from hypothesis import given

from karat.core.reading.items import Item
from karat.trees.metrics.ud import Ud
from karat.trees.model import MultiwordToken, Tree
from karat.trees.pairing import Share, pair_documents, share_of

FORM = st.text("ab", min_size=1, max_size=2)


class Word(NamedTuple):
    """A word as a span of characters; those of a multiword token all have its span."""

    start: int
    end: int
    multiword: bool
    form: str


@st.composite
def plain(draw: st.DrawFn, text: str, start: int, end: int) -> list[Word]:
    """Single words that cover a span."""
    cuts = draw(st.lists(st.integers(start, end), unique=True))
    edges = [start, *sorted(set(cuts) - {start, end}), end]
    return [Word(a, b, False, text[a:b]) for a, b in pairwise(edges)]


@st.composite
def sides(draw: st.DrawFn) -> tuple[str, list[Word], list[Word], list[tuple[int, int]]]:
    """A text, two lists of its words, and the spans around multiword tokens.

    Each span begins after a word that is the same on both sides, so that nothing
    is left over before it.
    """
    gold: list[Word] = []
    system: list[Word] = []
    spans = []
    text = ""
    for kind in draw(
        st.lists(st.sampled_from(["single", "gold", "system", "both"]), min_size=1, max_size=4)
    ):
        size = draw(st.integers(1, 4))
        span = (len(text), len(text) + size)
        text += draw(st.text("ab", min_size=size, max_size=size)) + "x"
        if kind == "single":
            gold += draw(plain(text, *span))
            system += draw(plain(text, *span))
        else:
            spans.append(span)
            for side, words in (("gold", gold), ("system", system)):
                if kind in (side, "both"):
                    words += [
                        Word(*span, True, form)
                        for form in draw(st.lists(FORM, min_size=1, max_size=4))
                    ]
                else:
                    words += draw(plain(text, *span))
        same = Word(span[1], span[1] + 1, False, "x")
        gold.append(same)
        system.append(same)
    return text, gold, system, spans


def tree(text: str, words: list[Word]) -> Tree:
    """The words as a tree, each below the one before."""
    tokens = []
    for span, group in groupby(enumerate(words, 1), lambda each: each[1][:3]):
        if span[2]:
            numbers = [number for number, _ in group]
            tokens.append(MultiwordToken(numbers[0], numbers[-1], text[span[0] : span[1]]))
    forms = tuple(word.form for word in words)
    return Tree(heads=tuple(range(len(words))), columns={"forms": forms}, multiword=tuple(tokens))


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


def aligned(share: Share) -> set[tuple[int, int]]:
    """Words of gold and of the system's only sentence, from 0."""
    (part,) = share.parts
    return {(g - 1, s) for s, g in enumerate(part.partners) if g}


@given(sides())
def test_alignment_is_its_definition(
    case: tuple[str, list[Word], list[Word], list[tuple[int, int]]],
) -> None:
    text, gold, system, spans = case
    share = share_of(tree(text, system), tree(text, gold))
    assert aligned(share) == by_definition(gold, system, spans)


def test_the_script_lets_left_over_words_in() -> None:
    """What the official script does where a word is left over before a multiword token.

    Gold: ab | (b c); system: a | b | bc. The first left-over word is passed, the
    second takes part in the common subsequence.
    """
    gold = [Word(0, 2, False, "ab"), Word(2, 4, True, "b"), Word(2, 4, True, "c")]
    system = [Word(0, 1, False, "a"), Word(1, 2, False, "b"), Word(2, 4, False, "bc")]
    assert aligned(share_of(tree("abbc", system), tree("abbc", gold))) == {(1, 1)}


UNIVERSAL = {"Case", "Number", "Tense"}
CONTENT, FUNCTIONAL = {"nsubj", "obj", "root"}, {"det", "case"}


def counted(share: Share, gold: Tree) -> dict[str, int]:
    """The counts of a gold sentence, word by word as the shared task defines them."""

    def label(tree: Tree, word: int) -> str:
        return str(tree.cell("deprels", word)).partition(":")[0]

    def feats(tree: Tree, word: int) -> list[str]:
        every = str(tree.cell("feats", word)).split("|")
        return sorted(each for each in every if each.partition("=")[0] in UNIVERSAL)

    def functions(tree: Tree, word: int) -> list[int]:
        words = range(1, len(tree) + 1)
        return [w for w in words if tree.heads[w - 1] == word and label(tree, w) in FUNCTIONAL]

    row: Counter[str] = Counter()
    for word in range(1, len(gold) + 1):
        row.update(["gold_words"] + ["gold_content"] * (label(gold, word) in CONTENT))
    for part in share.parts:
        tree = part.tree
        for word in part.counted:
            row.update(["system_words"] + ["system_content"] * (label(tree, word) in CONTENT))
        partner = [0, *part.partners]

        def described(tree: Tree, word: int, number: int) -> object:
            return number, label(tree, word), tree.cell("upos", word), feats(tree, word)

        for s, g in enumerate(part.partners, 1):
            if not g:
                continue
            head = tree.heads[s - 1]
            same = {
                "upos": tree.cell("upos", s) == gold.cell("upos", g),
                "xpos": tree.cell("xpos", s) == gold.cell("xpos", g),
                "ufeats": feats(tree, s) == feats(gold, g),
                "lemmas": gold.cell("lemmas", g) in ("_", tree.cell("lemmas", s)),
                "uas": (partner[head] or -1 if head else 0) == gold.heads[g - 1],
                "words": True,
                "content": label(gold, g) in CONTENT,
            }
            same["alltags"] = same["upos"] and same["xpos"] and same["ufeats"]
            same["las"] = same["uas"] and label(tree, s) == label(gold, g)
            same["clas"] = same["las"] and same["content"]
            same["blex"] = same["clas"] and same["lemmas"]
            same["mlas"] = (
                same["clas"] and same["upos"] and same["ufeats"]
                and [described(tree, w, partner[w]) for w in functions(tree, s)]
                == [described(gold, w, w) for w in functions(gold, g)]
            )  # fmt: skip
            row.update(name for name, right in same.items() if right)
    return row


CELLS = {
    "lemmas": ("_", "a", "b"),
    "upos": ("_", "X", "Y"),
    "xpos": ("_", "X"),
    "feats": ("_", "Case=Nom", "Foo=1|Case=Nom", "Number=Sing|Case=Nom", "Case=Nom|Number=Sing"),
    "deprels": ("nsubj", "nsubj:pass", "det", "case:x", "punct", "obj"),
}


@st.composite
def annotated(draw: st.DrawFn, forms: list[str]) -> list[Tree]:
    """Sentences of these words with random trees and cells."""
    found = []
    while forms:
        size = draw(st.integers(1, len(forms)))
        own, forms = forms[:size], forms[size:]
        order = draw(st.permutations(range(1, size + 1)))
        heads = {order[0]: 0}
        for place, word in enumerate(order[1:], 1):
            heads[word] = draw(st.sampled_from(order[:place]))
        columns = {
            name: draw(st.lists(st.sampled_from(cells), min_size=size, max_size=size))
            for name, cells in CELLS.items()
        }
        found.append(Tree.of([heads[word] for word in sorted(heads)], forms=own, **columns))
    return found


@given(st.data())
def test_counts_are_their_definition(data: st.DataObject) -> None:
    """Of each gold sentence, also where the system has other words and sentences."""
    letters = data.draw(st.text("abc", min_size=1, max_size=10))

    def words() -> list[str]:
        cuts = data.draw(st.lists(st.booleans(), min_size=len(letters), max_size=len(letters)))
        cut = "".join(c + " " * end for c, end in zip(letters, cuts, strict=True))
        return cut.split()

    items = [
        [Item(tree, None, 1) for tree in data.draw(annotated(words()))] for _ in ("system", "gold")
    ]
    metric = Ud()
    pairs = [(pair.system, pair.gold) for pair in pair_documents(*items)]
    for row, (share, gold) in zip(metric.measure_many(pairs).tolist(), pairs, strict=True):
        expected = counted(share, gold)
        found = dict(zip(metric.columns, row, strict=True))
        for name in metric.columns[4:8] + metric.columns[10:]:
            assert found[name] == expected[name], name


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
