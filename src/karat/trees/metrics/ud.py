"""The metrics of the CoNLL 2018 shared task on Universal Dependencies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

import msgspec
import numpy as np

from karat import _native
from karat.core.capabilities import Measured, Reading, ToLookAt, grid_in
from karat.core.frequent_errors import Alone, frequent_errors
from karat.core.marks import count, main
from karat.core.metric import Counts, Explanation, Metric, Split
from karat.core.options import Mode
from karat.core.pairing.pairs import ParsedChunk, Report
from karat.core.reading.items import Pair, Refs, Rows
from karat.core.reading.raw import RawChunk
from karat.core.reading.strings import decoded_as
from karat.core.repairs import Claim, Target, f_score
from karat.core.scores import Array, MetricsDict, Scores, ratio
from karat.errors import OptionError
from karat.trees.formats.columns import Side, side_of
from karat.trees.metrics.same_words import no_several_roots
from karat.trees.model import Tree, depths_of
from karat.trees.repair import (
    SEGMENTATION,
    OwnWords,
    WordEdit,
    own_words_reading,
    partners_of,
    sentences_of,
)
from karat.trees.sentence_alignment import Part, Share, cut_documents, pair_documents, share_of

if TYPE_CHECKING:
    from karat.core.shown import Shown

UNIVERSAL_FEATURES = frozenset((
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number",
    "Case", "Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident",
    "Polarity", "Person", "Polite",
))  # fmt: skip
CONTENT = frozenset((
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated",
    "advcl", "advmod", "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed",
    "flat", "compound", "list", "parataxis", "orphan", "goeswith", "reparandum", "root", "dep",
))  # fmt: skip
FUNCTIONAL = frozenset((
    "aux", "cop", "mark", "det", "clf", "case", "cc",
))  # fmt: skip

_OF_WORDS = ("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS")
_OF_CONTENT = ("CLAS", "MLAS", "BLEX")
_NAMES = ("Tokens", "Sentences", "Words", *_OF_WORDS, *_OF_CONTENT)
_GOLD_WORDS = 4
"""The place of that column."""
_OF_COLUMNS = {"UPOS": "upos", "XPOS": "xpos", "UFeats": "feats", "Lemmas": "lemmas"}
"""Scores of single columns of a tree."""
_Function: TypeAlias = tuple[str, str, str]


_alone = msgspec.json.Decoder(Alone)


class DocumentMetric(Metric[Share | Tree | Sequence[Tree], Tree]):
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

    def measure(self, system: Share | Tree | Sequence[Tree], gold: Tree) -> Counts:
        share = self._share(system, gold)
        row = dict.fromkeys(self.columns, 0.0)
        row.update(
            gold_tokens=len(gold) - sum(each.last - each.first for each in gold.multiword),
            system_tokens=share.tokens,
            tokens=share.equal_tokens,
            gold_sentences=1,
            system_sentences=share.sentences,
            sentences=share.equal_sentences,
        )
        for _, _, columns in _judged(share, gold):
            for column in columns:
                row[column] += 1
        return list(row.values())

    def measure_bytes(self, chunk: RawChunk) -> Measured | None:
        """The same counts, from the kernel."""
        sides = _sides(chunk)
        rows = _native.ud_rows(*sides, self.multiple_roots == "error") if sides else None
        if rows is None:
            return None
        return Measured(rows, {"length": list(map(str, rows[:, _GOLD_WORDS].astype(int).tolist()))})

    def look_at(self, chunk: ToLookAt) -> _native.UdLook | None:
        raw = chunk.raw()
        sides = _sides(raw) if raw is not None else None
        return _native.look_at_ud(*sides, self.multiple_roots == "error") if sides else None

    def error_profile(self, explanations: Iterable[Explanation]) -> Explanation:
        """The words that are missing and surplus, the most frequent first."""
        return frequent_errors(explanations) or {}

    def profile_of_json(self, explanations: Iterable[list[bytes]]) -> Explanation:
        """The same; words that are aligned, whose errors are no part of it, are not decoded."""
        return self.error_profile(
            msgspec.structs.asdict(decoded_as(_alone, one)) for some in explanations for one in some
        )

    def _share(self, system: Share | Tree | Sequence[Tree], gold: Tree) -> Share:
        if isinstance(system, Tree):
            system = [system]
        share = system if isinstance(system, Share) else share_of(system, gold)
        if self.multiple_roots == "error":
            no_several_roots(gold)
            for part in share.parts:
                no_several_roots(part.tree)
        return share

    def split(
        self, facet: str, pairs: Sequence[tuple[Share | Tree | Sequence[Tree], Tree]]
    ) -> Split:
        place = {column: i for i, column in enumerate(self.columns)}
        rows: dict[tuple[int, str], Array] = {}
        for number, (system, gold) in enumerate(pairs):
            share = self._share(system, gold)
            value = _values(facet, share, gold)
            for tree, word, columns in _judged(share, gold):
                row = rows.setdefault((number, value[id(tree), word]), np.zeros(len(place)))
                row[[place[column] for column in columns]] += 1
        return Split(
            [number for number, _ in rows],
            [value for _, value in rows],
            np.array(list(rows.values())).reshape(len(rows), len(place)),
        )

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

    def explain(self, system: Share | Tree | Sequence[Tree], gold: Tree) -> Explanation:
        """The words without a partner, and those that are wrong in some respect."""
        share = self._share(system, gold)
        failed: dict[int, tuple[Part, int, list[str]]] = {}
        theirs = _Columns(gold)
        paired: set[int] = set()
        for part in share.parts:
            ours = _Columns(part.tree)
            for s, g, columns in _agreements(part, ours, theirs, gold):
                paired.add(g)
                expected = _ALL_OF_CONTENT if theirs.labels[g - 1] in CONTENT else _ALL
                # The last part that has the word counts.
                if len(columns) == len(expected):
                    failed.pop(g, None)
                else:
                    failed[g] = part, s, sorted(expected.difference(columns, ("alltags",)))
        forms = gold.forms
        described = (gold, *(part.tree for part, *_ in failed.values()))
        describe = {id(tree): _Described(tree) for tree in described} if failed else {}
        wrong = [
            {
                "word": word,
                "form": forms[word - 1] if forms else str(word),
                "wrong": names,
                "gold": describe[id(gold)](word),
                "system": describe[id(part.tree)](other),
            }
            for word, (part, other, names) in sorted(failed.items())
        ]
        missing = [
            {"word": word, "form": gold.form(word)}
            for word in range(1, len(gold) + 1)
            if word not in paired
        ]
        surplus = [
            {"word": word, "form": part.tree.form(word)}
            for part in share.parts
            for word in part.counted
            if not part.partners[word - 1]
        ]
        return {"wrong": wrong, "missing": missing, "surplus": surplus}

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

    def repairs(
        self, pairs: Sequence[tuple[Share | Tree | Sequence[Tree], Tree]]
    ) -> list[OwnWords]:
        return [_repair(self._share(system, gold), gold) for system, gold in pairs]

    def readings(
        self, pairs: Sequence[tuple[Share | Tree | Sequence[Tree], Tree]]
    ) -> list[Reading]:
        """The heads, labels, tags and lemmas of gold's words."""
        columns = list(_OF_COLUMNS.values())
        return [own_words_reading(self._share(s, gold), gold, columns) for s, gold in pairs]

    def for_repaired(self) -> Ud:
        return Ud(multiple_roots="allow")

    def to_write(self, repaired: Iterable[tuple[str, Share]]) -> Iterator[Tree]:
        return sentences_of(share for _, share in repaired)

    def shown(
        self, system: Share | Tree | Sequence[Tree], gold: Tree, explanation: Explanation
    ) -> Shown:
        from karat.trees.content import shown_ud

        return shown_ud(self._share(system, gold).parts, gold, explanation)


def _sides(chunk: RawChunk) -> tuple[Side, Side] | None:
    """Both files as the kernel takes them; None where something is wrong with one."""
    gold = chunk.golds[0] if len(chunk.golds) == 1 else ()
    if not (len(chunk.system) and gold):
        return None
    if not all(items.refs.extra["closed"].all() for items in (chunk.system, gold)):
        return None
    ours, theirs = side_of(chunk.system), side_of(gold)
    return None if ours is None or theirs is None else (ours, theirs)


def _repair(share: Share, gold: Tree) -> OwnWords:
    """The edits of a gold sentence: its segmentation, then word by word."""
    partner = partners_of(share)
    theirs = _Columns(gold)
    columns_of = {id(part): _Columns(part.tree) for part in share.parts}
    words: list[WordEdit] = []
    structural: set[int] = set()
    for word in range(1, len(gold) + 1):
        if word not in partner:
            continue
        part, other = partner[word]
        ours = columns_of[id(part)]
        head = _has_right_head(part, other, gold, word)
        if head and ours.rows[other - 1] == theirs.rows[word - 1]:
            continue
        label = ours.label(other) == theirs.label(word)
        above = gold.heads[word - 1]
        if not head and above and (above not in partner or not _together(partner, word, above)):
            structural.add(word)
        elif not (head and label):
            kind = "both" if not (head or label) else "label" if head else "head"
            changes = (*((("uas", 1.0),) if not head else ()), ("las", 1.0))
            words.append(WordEdit(word, kind, changes))
        same = ours.agree(other, theirs, word)
        if not all(same):
            words += [
                WordEdit(word, column, ((name.lower(), 1.0),))
                for (name, column), agree in zip(_OF_COLUMNS.items(), same, strict=True)
                if not agree
            ]
    first = _segmentation(share, gold, len(gold) - len(partner), len(structural))

    def classes(partition: str) -> Sequence[str]:
        facet = {"pos": "upos", "length": "dependency-length"}.get(partition, partition)
        values = _values(facet, share, gold)
        return [values[id(gold), word] for word in range(1, len(gold) + 1)]

    return OwnWords(share, gold, [*first, *words], structural, classes)


def _together(partner: Mapping[int, tuple[Part, int]], word: int, above: int) -> bool:
    """Whether the system has two words of gold in one sentence."""
    return partner[word][0] is partner[above][0]


def _segmentation(share: Share, gold: Tree, missing: int, structural: int) -> list[WordEdit]:
    """The edit that gives a sentence gold's words and boundaries, where it has others."""
    tokens = len(gold) - sum(each.last - each.first for each in gold.multiword)
    changes = {
        "system_words": len(gold) - sum(len(part.counted) for part in share.parts),
        "words": missing,
        "system_tokens": tokens - share.tokens,
        "tokens": tokens - share.equal_tokens,
        "system_sentences": 1 - share.sentences,
        "sentences": 1 - share.equal_sentences,
        **{name.lower(): missing for name in _OF_COLUMNS},
        **dict.fromkeys(("uas", "las"), missing + structural),
    }
    found = tuple((name, float(change)) for name, change in changes.items() if change)
    return [WordEdit(0, SEGMENTATION, found)] if found else []


def _values(facet: str, share: Share, gold: Tree) -> dict[tuple[int, int], str]:
    """The value of every word; two aligned words both have that of the one that decides."""
    of_tree = _FACETS[facet.removeprefix("system-")]
    system_decides = facet.startswith("system-")
    values = {(id(gold), word): value for word, value in enumerate(of_tree(gold), 1)}
    for part in share.parts:
        for word, (own, partner) in enumerate(
            zip(of_tree(part.tree), part.partners, strict=True), 1
        ):
            if partner and system_decides:
                values[id(gold), partner] = own
            decided = values[id(gold), partner] if partner else own
            values[id(part.tree), word] = decided
    return values


class _Described:
    """Tells what a tree says of its words, whose columns it reads once."""

    def __init__(self, tree: Tree) -> None:
        self._columns = {
            "lemma": tree.lemmas, "upos": tree.upos, "xpos": tree.xpos, "feats": tree.feats
        }  # fmt: skip
        self._forms, self._labels, self._heads = tree.forms, tree.deprels, tree.heads

    def __call__(self, word: int) -> dict[str, Any]:
        i, head = word - 1, self._heads[word - 1]
        told: dict[str, Any] = {
            name: column[i] if column else None for name, column in self._columns.items()
        }
        told["head"] = "ROOT" if not head else self._forms[head - 1] if self._forms else str(head)
        told["deprel"] = self._labels[i] if self._labels else None
        return told


def _judged(share: Share, gold: Tree) -> Iterator[tuple[Tree, int, list[str]]]:
    """Every word of both sides with the columns that it counts in."""
    for part in share.parts:
        labels = _labels(part.tree)
        for word in part.counted:
            content = labels[word - 1] in CONTENT
            yield (
                part.tree,
                word,
                ["system_words", "system_content"] if content else ["system_words"],
            )
    right = _agreeing(share, gold)
    labels = _labels(gold)
    for word in range(1, len(gold) + 1):
        columns = ["gold_words", *right.get(word, ())]
        if labels[word - 1] in CONTENT:
            columns.append("gold_content")
        yield gold, word, columns


_ALL = frozenset(("words", "upos", "xpos", "ufeats", "alltags", "lemmas", "uas", "las"))
"""The columns of a word in which nothing is wrong."""
_ALL_OF_CONTENT = _ALL | {"content", "clas", "mlas", "blex"}


def _agreeing(share: Share, gold: Tree) -> dict[int, list[str]]:
    """For each gold word with a partner, in what they agree."""
    right: dict[int, list[str]] = {}
    theirs = _Columns(gold)
    for part in share.parts:
        found = _agreements(part, _Columns(part.tree), theirs, gold)
        right |= {g: columns for _, g, columns in found}
    return right


def _agreements(
    part: Part, ours: _Columns, theirs: _Columns, gold: Tree
) -> Iterator[tuple[int, int, list[str]]]:
    """Each word with a partner in gold, that partner, and in what they agree."""
    for s, g in enumerate(part.partners, 1):
        if not g:
            continue
        i, j = s - 1, g - 1
        head_is_right = _has_right_head(part, s, gold, g)
        tags, xpos, feats, lemma = ours.agree(s, theirs, g)
        both = head_is_right and ours.labels[i] == theirs.labels[j]
        columns = ["words"]
        if tags:
            columns.append("upos")
        if xpos:
            columns.append("xpos")
        if feats:
            columns.append("ufeats")
        if tags and xpos and feats:
            columns.append("alltags")
        if lemma:
            columns.append("lemmas")
        if head_is_right:
            columns.append("uas")
        if both:
            columns.append("las")
        if theirs.labels[j] in CONTENT:
            columns.append("content")
            if both:
                columns.append("clas")
                if lemma:
                    columns.append("blex")
                if tags and feats and _same_function_words(part, ours, s, theirs, g):
                    columns.append("mlas")
        yield s, g, columns


def _has_right_head(part: Part, s: int, gold: Tree, g: int) -> bool:
    # An unaligned head is no word of gold, and so is one aligned with another sentence.
    head = part.tree.heads[s - 1]
    return (part.partners[head - 1] or -1 if head else 0) == gold.heads[g - 1]


def _same_function_words(part: Part, ours: _Columns, s: int, theirs: _Columns, g: int) -> bool:
    mine = ours.functional.get(s, ())
    their = theirs.functional.get(g, ())
    return len(mine) == len(their) and all(
        part.partners[a - 1] == b and ours.described(a) == theirs.described(b)
        for a, b in zip(mine, their, strict=True)
    )


class _Columns:
    """The columns of a tree as they are compared."""

    def __init__(self, tree: Tree) -> None:
        empty = ("_",) * len(tree)
        self.upos = tree.upos or empty
        self.xpos = tree.xpos or empty
        self._feats = tree.feats or empty
        self.lemmas = tree.lemmas or empty
        self._deprels = tree.deprels or empty
        self._heads = tree.heads

    @cached_property
    def rows(self) -> list[tuple[str, ...]]:
        """All that is written of each word, but its head."""
        columns = self.upos, self.xpos, self._feats, self.lemmas, self._deprels
        return list(zip(*columns, strict=True))

    @cached_property
    def labels(self) -> list[str]:
        return [label.partition(":")[0] for label in self._deprels]

    def label(self, word: int) -> str:
        return self._deprels[word - 1].partition(":")[0]

    @cached_property
    def functional(self) -> dict[int, list[int]]:
        """The function words below each word."""
        found: dict[int, list[int]] = {}
        for word, (head, label) in enumerate(zip(self._heads, self.labels, strict=True), 1):
            if label in FUNCTIONAL:
                found.setdefault(head, []).append(word)
        return found

    def agree(self, word: int, gold: _Columns, other: int) -> tuple[bool, bool, bool, bool]:
        """Whether a word has gold's tags, features and lemma, as `_OF_COLUMNS` lists them."""
        i, j = word - 1, other - 1
        return (
            self.upos[i] == gold.upos[j],
            self.xpos[i] == gold.xpos[j],
            universal_features(self._feats[i]) == universal_features(gold._feats[j]),
            gold.lemmas[j] in ("_", self.lemmas[i]),
        )

    def described(self, word: int) -> _Function:
        return self.label(word), self.upos[word - 1], universal_features(self._feats[word - 1])


def _labels(tree: Tree) -> list[str]:
    return [label.partition(":")[0] for label in tree.deprels or ("_",) * len(tree)]


@lru_cache(maxsize=1 << 14)
def universal_features(feats: str) -> str:
    """The universal features among these, sorted.

    >>> universal_features("Person=1|Xtra=Lang|Mood=Ind")
    'Mood=Ind|Person=1'
    """
    return "|".join(
        sorted(each for each in feats.split("|") if each.partition("=")[0] in UNIVERSAL_FEATURES)
    )


def _tags(tree: Tree) -> Sequence[str]:
    return tree.upos or ("_",) * len(tree)


def _lengths(tree: Tree) -> list[str]:
    return [str(abs(word - head) if head else 0) for word, head in enumerate(tree.heads, 1)]


def _depths(tree: Tree) -> list[str]:
    return list(map(str, depths_of(tree)[:-1].tolist()))


_FACETS: dict[str, Callable[[Tree], Sequence[str]]] = {
    "upos": _tags,
    "deprel": _labels,
    "dependency-length": _lengths,
    "root-distance": _depths,
}
