"""The metrics of the CoNLL 2018 shared task on Universal Dependencies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import msgspec
import numpy as np

from karat import _native
from karat.core.capabilities import LazyPairs, Measured, Reading, grid_in
from karat.core.frequent_errors import ranked, ranked_confusions
from karat.core.marks import count, main
from karat.core.metric import Explanation, Metric, Split
from karat.core.options import Mode
from karat.core.pairing.pairs import ParsedChunk, Report
from karat.core.reading.items import Pair, Refs, Rows
from karat.core.reading.raw import RawChunk
from karat.core.reading.strings import decoded_as
from karat.core.repairs import Changes, Claim, Target, f_score
from karat.core.scores import Array, MetricsDict, Scores, ratio
from karat.core.shown import Shown, only_shown
from karat.errors import OptionError
from karat.trees.formats.conll import CONLL_WIDTH, Side, side_of, side_of_trees
from karat.trees.metrics.same_words import no_several_roots, split_rows, summed
from karat.trees.model import Indices, Tree, depths_of, offsets_of
from karat.trees.pairing import Share, cut_documents, pair_documents, share_of
from karat.trees.repair import (
    SEGMENTATION,
    OwnWords,
    WordEdit,
    partners_of,
    reading_of,
    sentences_of,
)

_OF_WORDS = ("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS")
_OF_CONTENT = ("CLAS", "MLAS", "BLEX")
_NAMES = ("Tokens", "Sentences", "Words", *_OF_WORDS, *_OF_CONTENT)
_GOLD_WORDS = 4
"""The place of that column."""
_COMPARED = 10
"""The first of the columns in which a word of the system is compared with its partner."""
_OF_COLUMNS = {"UPOS": "upos", "XPOS": "xpos", "UFeats": "feats", "Lemmas": "lemmas"}
"""Scores of single columns of a tree."""
_CONFUSED = {
    "labels": ("las", "deprel"),
    "upos": ("upos", "upos"),
    "xpos": ("xpos", "xpos"),
    "ufeats": ("ufeats", "feats"),
    "lemmas": ("lemmas", "lemma"),
}
"""By kind of confusion: the score by which a word is wrong, and the value that differs."""
_CHANGES: dict[str, Changes] = {
    "label": (("las", 1.0),),
    **dict.fromkeys(("head", "both"), (("uas", 1.0), ("las", 1.0))),
    **{column: ((name.lower(), 1.0),) for name, column in _OF_COLUMNS.items()},
}
"""What edits of words change, by kind."""
Given: TypeAlias = Share | Tree | Sequence[Tree]
"""What a system has of a gold sentence."""


class DocumentMetric(Metric[Given, Tree]):
    """Base class of metrics of treebanks whose systems have sentences and words of their own.

    An item is a gold sentence, and a system word counts towards the one that it starts in.
    """

    kind = "tree"
    file_format = "conllu"

    def pairs_itself(self, mode: Mode, golds: int) -> bool:
        if golds != 1:
            raise OptionError(f"{self.name} takes one gold file, got {golds}", code="K309")
        if mode == "id":
            raise OptionError(
                f"{self.name} aligns the characters of both files, it cannot pair by id",
                code="K332",
            )
        return True

    def cuts(
        self, system: Refs, golds: Sequence[Refs], report: Report, size: int
    ) -> Iterator[tuple[Rows, Rows]]:
        return cut_documents(system, golds[0], report, size)

    def pair_items(self, chunk: ParsedChunk) -> Iterator[Pair]:
        return pair_documents(chunk.systems, chunk.golds[0], chunk.first)


class Ud(DocumentMetric):
    """Tokens, Sentences, Words, UPOS, XPOS, UFeats, AllTags, Lemmas, UAS, LAS, CLAS, MLAS, BLEX.

    The numbers are those of the official evaluation script of the CoNLL 2018
    shared task. The system may have its own sentences, tokens and words, as long
    as the characters are the same. An item is a gold sentence, and a system word
    counts towards the gold sentence that it starts in.

    Zeman et al., CoNLL 2018.

    >>> gold = Tree.of([2, 0], forms=["We", "go"], lemmas=["we", "go"], upos=["PRON", "VERB"],
    ...     xpos=["_", "_"], feats=["_", "_"], deprels=["nsubj", "root"])
    >>> Ud().score(gold, gold)["MLAS"]["f1"]
    1.0
    """

    name = "ud"
    releases_gil = True
    chunk_size = 1024
    columns = (
        "gold_tokens", "system_tokens", "gold_sentences", "system_sentences",
        "gold_words", "system_words", "gold_content", "system_content",
        "tokens", "sentences", "words", "content",
        *map(str.lower, _OF_WORDS), *map(str.lower, _OF_CONTENT),
    )  # fmt: skip
    facets = tuple(
        f"{side}{facet}"
        for side in ("", "system-")
        for facet in ("upos", "deprel", "dependency-length", "root-distance")
    )

    multiple_roots: Annotated[
        Literal["error", "allow"], "what to do with a sentence that has not exactly one root"
    ] = "error"

    tracing = grid_in("karat.trees.metrics.grids", "ud")

    def measure_many(self, pairs: Sequence[tuple[Given, Tree]]) -> Array:
        judged = _Judged(self._shares(pairs))
        words, numbers, _ = judged.words(len(self.columns))
        rows = summed(words, numbers, len(pairs))
        for row, (share, gold) in zip(rows, judged.pairs, strict=True):
            row[[0, 1, 2, 3, 8, 9]] = (
                gold.tokens, share.tokens, 1, share.sentences, share.equal_tokens,
                share.equal_sentences,
            )  # fmt: skip
        return rows

    def measure_bytes(self, chunk: RawChunk) -> Measured | None:
        """The same counts, from the kernel."""
        sides = sides_of(chunk)
        rows = _native.ud_rows(*sides, self.multiple_roots == "error") if sides else None
        if rows is None:
            return None
        return Measured(rows, {"length": list(map(str, rows[:, _GOLD_WORDS].astype(int).tolist()))})

    def look_at(self, chunk: LazyPairs) -> _native.UdLook:
        raw = chunk.raw()
        sides = sides_of(raw) if raw is not None else None
        found = _native.look_at_ud(*sides, self.multiple_roots == "error") if sides else None
        return found or _Judged(self._shares(chunk.pairs())).look()

    def _shares(self, pairs: Sequence[tuple[Given, Tree]]) -> list[tuple[Share, Tree]]:
        """The pairs, after the checks of this metric."""
        shares = [(share_of(system, gold), gold) for system, gold in pairs]
        if self.multiple_roots == "error":
            for share, gold in shares:
                for tree in (gold, *(part.tree for part in share.parts)):
                    no_several_roots(tree)
        return shares

    def split(self, facet: str, pairs: Sequence[tuple[Given, Tree]]) -> Split:
        judged = _Judged(self._shares(pairs))
        words, numbers, takes_part = judged.words(len(self.columns))
        found = [_values(facet, share, gold) for share, gold in judged.pairs]
        values = chain(*(ours for ours, _ in found), *(theirs for _, theirs in found))
        return split_rows(words, numbers, list(compress(values, takes_part)))

    def summarize(self, totals: Array) -> Scores:
        column = self.by_column(totals)

        def figures(name: str, kind: str) -> Scores:
            correct, gold, system = (
                column[each] for each in (name, f"gold_{kind}", f"system_{kind}")
            )
            unknown = np.full(np.shape(correct), np.nan)
            aligned = unknown if name == kind else column[kind]
            # A file may have no content words, which the script scores 0. Tokens and words
            # are in every file; only groups of words that karat makes can lack them.
            lacking = (gold + system == 0) & (kind != "content")

            def share(part: Array, whole: Array) -> Array:
                return np.where(lacking, np.nan, ratio(part, whole))

            f1 = share(2 * correct, gold + system)
            return {
                "correct": count(correct),
                "gold": count(gold),
                "system": count(system),
                "aligned": count(aligned),
                "aligned_accuracy": unknown if name == kind else share(correct, aligned),
                "precision": share(correct, system),
                "recall": share(correct, gold),
                "f1": main(f1) if name == "las" else f1,
            }

        kinds = {
            "Tokens": "tokens", "Sentences": "sentences", "Words": "words",
            **dict.fromkeys(_OF_WORDS, "words"), **dict.fromkeys(_OF_CONTENT, "content"),
        }  # fmt: skip
        return {name: figures(name.lower(), kinds[name]) for name in _NAMES}

    def line(self, scores: MetricsDict) -> str:
        """The lines of the CoNLL 2018 script; what there are no words for is 0 there."""
        titles = {"LAS": "LAS F1", "MLAS": "MLAS", "BLEX": "BLEX"}
        return "\n".join(
            f"{title} Score: {100 * (scores[name]['f1'] or 0.0):.2f}"
            for name, title in titles.items()
        )

    def explain(self, system: Given, gold: Tree) -> Explanation:
        """The words without a partner, and those that are wrong in some respect."""
        (told,) = _Judged(self._shares([(system, gold)])).look().explanations()
        explanation: Explanation = msgspec.json.decode(told)
        return explanation

    def shown(self, system: Given, gold: Tree, explanation: Explanation) -> Shown:
        return only_shown(_Judged([(share_of(system, gold), gold)]).look().shown())

    def error_profile(self, explanations: Iterable[Explanation]) -> Explanation:
        """Words without a partner, labels of words with another head, and confusions."""
        return self.profile_of_json([msgspec.json.encode(each)] for each in explanations)

    def profile_of_json(self, explanations: Iterable[list[bytes]]) -> Explanation:
        alone: dict[str, Counter[str]] = {side: Counter() for side in ("missing", "surplus")}
        heads: Counter[str] = Counter()
        confused: dict[str, Counter[tuple[str, str]]] = {name: Counter() for name in _CONFUSED}
        decoder = msgspec.json.Decoder(_Errors)
        for each in (decoded_as(decoder, one) for some in explanations for one in some):
            for side, counts in alone.items():
                if words := getattr(each, side):  # most have none
                    counts.update([word.form for word in words])
            for word in each.wrong:
                if "uas" in word.wrong:
                    heads[word.gold.deprel] += 1
                for name, (score, column) in _CONFUSED.items():
                    if score in word.wrong:
                        theirs, ours = getattr(word.gold, column), getattr(word.system, column)
                        if theirs != ours:
                            confused[name][theirs, ours] += 1
        return {
            **{side: ranked(counts) for side, counts in alone.items()},
            "heads": ranked(heads),
            "confusions": {name: ranked_confusions(counts) for name, counts in confused.items()},
        }

    # -- repairing -------------------------------------------------------------

    partitions = ("edge-label", "label", "pos", "length", *facets)
    repair_claim: ClassVar[Claim] = "equal"
    unrepairable = ""

    @property
    def repair_targets(self) -> Mapping[str, Target]:
        kinds = {"LAS": "words", "UAS": "words", **dict.fromkeys(_OF_COLUMNS, "words")}
        kinds |= {"Words": "words", "Tokens": "tokens", "Sentences": "sentences"}
        return {
            f"{name}.f1": f_score(
                {name.lower(): 1},
                {f"system_{kind}": 1},
                {f"gold_{kind}": 1},
                f"{name}.precision",
                f"{name}.recall",
            )
            for name, kind in kinds.items()
        }

    def repairs(self, pairs: Sequence[tuple[Given, Tree]]) -> list[OwnWords]:
        judged = _Judged(self._shares(pairs))
        return [
            _repair(*pair, words)
            for pair, words in zip(judged.pairs, judged.look().edits(), strict=True)
        ]

    def readings(self, pairs: Sequence[tuple[Given, Tree]]) -> list[Reading]:
        """The heads, labels, tags and lemmas of gold's words."""
        columns = list(_OF_COLUMNS.values())
        shares = self._shares(pairs)
        return [reading_of(gold, partners_of(share), columns) for share, gold in shares]

    def for_repaired(self) -> Ud:
        return Ud(multiple_roots="allow")

    def to_write(self, repaired: Iterable[tuple[str, Share]]) -> Iterator[Tree]:
        return sentences_of(share for _, share in repaired)


def sides_of(chunk: RawChunk) -> tuple[Side, Side] | None:
    """Both files as the kernel takes them; None where one is not in ten columns, or not right."""
    gold = chunk.golds[0] if len(chunk.golds) == 1 else ()
    if not (len(chunk.system) and gold):
        return None
    if not all(items.refs.extra["closed"].all() for items in (chunk.system, gold)):
        return None
    ours, theirs = side_of(chunk.system), side_of(gold)
    if ours is None or theirs is None or not ours[3] == theirs[3] == CONLL_WIDTH:
        return None
    return ours, theirs


class _Form(msgspec.Struct, gc=False):
    form: str


class _Word(msgspec.Struct, gc=False):
    lemma: str
    upos: str
    xpos: str
    feats: str
    deprel: str


class _Wrong(msgspec.Struct, gc=False):
    wrong: frozenset[str]
    gold: _Word
    system: _Word


class _Errors(msgspec.Struct, gc=False):
    """The parts of an explanation that a profile counts."""

    wrong: list[_Wrong] = []
    missing: list[_Form] = []
    surplus: list[_Form] = []


class Aligned:
    """Pairs as the kernels take them: the trees of both sides, and what their words belong to."""

    def __init__(self, pairs: Sequence[tuple[Share, Tree]]) -> None:
        self.pairs = pairs
        parts = [part for share, _ in pairs for part in share.parts]
        self.trees = [part.tree for part in parts]
        self.golds = [gold for _, gold in pairs]
        sizes = [sum(len(part.tree) for part in share.parts) for share, _ in pairs]
        self.pair = np.repeat(np.arange(len(pairs)), sizes)
        """Of each word of the system."""
        partner = np.fromiter(
            chain.from_iterable([part.partners for part in parts]), np.int32, len(self.pair)
        )
        self.counted = np.zeros(len(self.pair), bool)
        for begin, part in zip(offsets_of(self.trees).tolist(), parts, strict=False):
            self.counted[[begin + word - 1 for word in part.counted]] = True
        first = offsets_of(self.golds)
        places = np.where(partner, first[self.pair] + partner - 1, -1)
        self.partners = places.astype(np.int32)
        """The number of each word's partner among all words of gold, or -1."""
        self.homes = np.where(self.counted, self.pair, -1).astype(np.int32)
        """The pair that each word counts for, or -1."""
        self.pair_of_gold = np.repeat(np.arange(len(pairs)), np.diff(first))


class _Judged(Aligned):
    """Pairs, with the columns that each word of the system counts in together with its partner."""

    def __init__(self, pairs: Sequence[tuple[Share, Tree]]) -> None:
        super().__init__(pairs)
        self._aligned = side_of_trees(self.trees), side_of_trees(self.golds), self.partners

    def words(self, width: int) -> tuple[Array, Indices, list[bool]]:
        """The counts of each word, the system's first, its pair, and whether it takes part."""
        systems, golds = (
            np.zeros((len(self.pair), width)),
            np.zeros((len(self.pair_of_gold), width)),
        )
        same, content, gold_content = _native.ud_agreements(*self._aligned)
        systems[:, 5], systems[:, 7] = self.counted, self.counted & content.view(bool)
        systems[:, _COMPARED:] = same
        golds[:, 4], golds[:, 6] = 1, gold_content
        part = np.append(self.counted | (self.partners >= 0), np.full(len(golds), True))
        words, pairs = np.vstack((systems, golds)), np.append(self.pair, self.pair_of_gold)
        return words[part], pairs[part], part.tolist()

    def look(self) -> _native.UdLook:
        """The pairs as they are explained and shown."""
        return _native.look_at_aligned(*self._aligned, self.homes)


def _repair(share: Share, gold: Tree, found: Sequence[tuple[Any, ...]]) -> OwnWords:
    """The edits of a gold sentence: its segmentation, then word by word."""
    structural = {word for word, kind, *_ in found if kind == SEGMENTATION}
    words = [WordEdit(*each) for each in found if each[1] != SEGMENTATION]

    def classes(partition: str) -> Sequence[str]:
        facet = {"pos": "upos", "length": "dependency-length"}.get(partition, partition)
        return _values(facet, share, gold)[1]

    first = _segmentation(share, gold, len(structural))
    return OwnWords(share, gold, first, words, _CHANGES, structural, classes)


def _segmentation(share: Share, gold: Tree, structural: int) -> Changes:
    """The changes by giving a sentence gold's words and boundaries, where it has others."""
    missing = len(gold) - sum(len(part.partners) - part.partners.count(0) for part in share.parts)
    surplus = sum(len(part.counted) for part in share.parts) - len(gold)
    spans = share.tokens, share.equal_tokens, share.sentences, share.equal_sentences
    if not (missing or structural or surplus) and spans == (gold.tokens, gold.tokens, 1, 1):
        return ()
    changes = {
        "system_words": -surplus,
        "words": missing,
        "system_tokens": gold.tokens - share.tokens,
        "tokens": gold.tokens - share.equal_tokens,
        "system_sentences": 1 - share.sentences,
        "sentences": 1 - share.equal_sentences,
        **{name.lower(): missing for name in _OF_COLUMNS},
        **dict.fromkeys(("uas", "las"), missing + structural),
    }
    return tuple((name, float(change)) for name, change in changes.items() if change)


def _values(facet: str, share: Share, gold: Tree) -> tuple[list[str], list[str]]:
    """The value of every word of the system and of gold; that of two partners is the one that
    decides."""
    of_tree = _FACETS[facet.removeprefix("system-")]
    theirs, ours = list(of_tree(gold)), []
    for part in share.parts:
        for own, partner in zip(of_tree(part.tree), part.partners, strict=True):
            if partner and facet.startswith("system-"):
                theirs[partner - 1] = own
            ours.append(theirs[partner - 1] if partner else own)
    return ours, theirs


def _labels(tree: Tree) -> list[str]:
    return [label.partition(":")[0] for label in tree.deprels or ("_",) * len(tree)]


def _lengths(tree: Tree) -> list[str]:
    return [str(abs(word - head) if head else 0) for word, head in enumerate(tree.heads, 1)]


_FACETS: dict[str, Callable[[Tree], Sequence[str]]] = {
    "upos": lambda tree: tree.upos or ("_",) * len(tree),
    "deprel": _labels,
    "dependency-length": _lengths,
    "root-distance": lambda tree: list(map(str, depths_of(tree))),
}
