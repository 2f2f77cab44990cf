"""Explanations of ROUGE: tokens by the profile's rules, matched n-grams and subsequences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from karat import _native
from karat.core.reading.strings import Offsets, Referenced, Strings
from karat.core.shown import Kind
from karat.errors import LimitExceeded
from karat.text.raw_texts import places
from karat.text.rouge.profiles import Reading

if TYPE_CHECKING:
    from karat.text.metrics.rouge import Rouge

_CELLS = 25_000_000
Gram = tuple[str, ...]


class Tokens:
    """The tokens of texts by the rules of a profile: stems, line by line."""

    def __init__(self, reading: Reading, texts: Strings, *, sentence_wise: bool = False) -> None:
        spelt, words = reading.words_by_line(texts, sentence_wise=sentence_wise)
        self.words = spelt.take(words.tokens)
        """All words, before they are stemmed."""
        self.words_in = words.whole
        """Where the words of each text begin."""
        numbers, self.vocabulary = reading.stemmed(spelt)
        self.stems, self.kept = words.renumbered(numbers)
        """The stems, as numbers of the vocabulary; and which words have one."""

    @cached_property
    def _flat(self) -> list[str]:
        return self.vocabulary.take(self.stems.tokens).decoded()

    def lines_of(self, text: int) -> list[list[str]]:
        """The stems of each line of a text."""
        first, last = self.stems.texts[text : text + 2].tolist()
        ends = self.stems.sentences[first : last + 1].tolist()
        return [self._flat[begin:end] for begin, end in pairwise(ends)]

    def whole(self, text: int) -> list[str]:
        """All stems of a text."""
        begin, end = self.stems.whole[text : text + 2].tolist()
        return self._flat[begin:end]


class Read(NamedTuple):
    """Texts and their references, and their tokens."""

    both: Strings
    whole: Tokens
    """As most measures see them."""
    by_line: Tokens
    """As sentence-wise ones do."""


def read(metric: Rouge, texts: Referenced) -> Read:
    """The tokens of texts; the last ones are kept: item files and the page ask for the same."""
    for known, found in metric.read_last:
        if known is texts:
            return found  # type: ignore[no-any-return]
    both = Strings.joined(texts.systems, texts.references)
    whole = by_line = Tokens(metric.reading, both)
    if metric.reading.limits_differ:
        by_line = Tokens(metric.reading, both, sentence_wise=True)
    result = Read(both, whole, by_line)
    metric.read_last[:] = [(texts, result)]
    return result


def explained(
    metric: Rouge,
    texts: Referenced,
    scores: Sequence[bytes],
    matched: bool,
    errors: _native.FrequentErrors | None,
) -> list[bytes]:
    """For each text, as JSON, the tokens of both sides and, per reference and measure, the counts
    behind the score; n-grams that match are listed where `matched`, others counted among `errors`.
    """
    count = len(texts.systems)
    _, whole, by_line = read(metric, texts)
    others = [b""] * len(texts.references)
    orders = sum(kind[6:].isdigit() for kind in metric.measure_kinds)
    lists_others = len(metric.measure_kinds) > orders
    if lists_others:
        owner = np.repeat(np.arange(count), texts.sizes).tolist()
        told = (
            _other_measures(metric, by_line, whole, i, count + j, matched)
            for j, i in enumerate(owner)
        )
        others = [msgspec.json.encode(each)[1:-1] for each in told]
    name = "rouge" if metric.profile == "google" else "rouge-"
    head = msgspec.json.encode({"profile": metric.profile, "refs": metric.rule})[:-1].decode()
    found = _native.rouge_explanations(
        *whole.vocabulary.columns, whole.stems.tokens, whole.stems.whole,
        *by_line.vocabulary.columns, by_line.stems.tokens, by_line.stems.sentences,
        by_line.stems.texts, texts.bounds, orders, name, head, list(scores), others, matched,
        metric.profile == "rouge", None if lists_others else errors,
    )  # fmt: skip
    if lists_others and errors is not None:
        errors.add(found)
    return found


def _other_measures(
    metric: Rouge, by_line: Tokens, whole: Tokens, system: int, gold: int, matched: bool
) -> dict[str, Any]:
    """What a reference has besides n-grams: skip-bigrams and common subsequences."""
    our_lines, their_lines = by_line.lines_of(system), by_line.lines_of(gold)
    ours, theirs = whole.whole(system), whole.whole(gold)
    measures: dict[str, Any] = {}
    if metric.skip_bigram_gap_length is not None:
        gap, unigrams = metric.skip_bigram_gap_length, metric.skip_bigram_unigrams
        measures["skip-bigrams"] = _compared(
            _skips(ours, gap, unigrams), _skips(theirs, gap, unigrams), matched
        )
    kinds = metric.measure_kinds
    if "rouge-l" in kinds and metric.profile == "rouge":  # which compares sets of words
        told = _subsequence(their_lines, our_lines, [*{*theirs}], [*{*ours}])
        sizes = {"system": len({*ours}), "gold": len({*theirs})}
        sentences = {"system_sentences": told["gold_sentences"]}
        measures["common subsequence"] = {"hits": told["hits"], **sizes, **sentences}
    elif "rouge-l" in kinds:
        lines = our_lines, their_lines
        if metric.profile in ("google", "coco"):  # which do not tell sentences apart
            lines = [ours], [theirs]
        measures["common subsequence"] = _subsequence(*lines, ours, theirs)
    if "rouge-lsum" in kinds:
        told = _subsequence(our_lines, their_lines, ours, theirs)
        measures["common subsequence of sentences"] = told
    if metric.wlcs_weight is not None:
        figures = _subsequence(our_lines, their_lines, ours, theirs, metric.wlcs_weight)
        if metric.profile in ("1.5.5", "rouge-metric"):  # which weight the gold size twice
            figures["gold"] **= metric.wlcs_weight
        measures["weighted common subsequence"] = figures
    return measures


def layers(metric: Rouge, texts: Referenced) -> list[bytes]:
    """For each text what counts on both sides, as members of a JSON object: marks of n-grams and of
    common subsequences.
    """
    count = len(texts.systems)
    both, whole, found = read(metric, texts)
    spans, placed = _native.word_places(*both.columns, *found.words.columns, found.words_in)
    if not both.data.isascii():
        _place_others(both, found, spans, placed)
    spans = spans[found.kept]
    result = _native.gram_marks(
        found.stems.tokens, found.stems.whole, spans, placed, texts.bounds, metric.max_ngram,
        "ROUGE-",
    )  # fmt: skip
    if not metric.compute_rouge_l:
        return result
    for i, (begin, end) in enumerate(pairwise(texts.bounds.tolist())):
        golds = [
            (r - begin, count + r) for r in range(begin, end) if placed[i] and placed[count + r]
        ]
        if not golds or any(_are_too_long(found, i, gold) for _, gold in golds):
            continue
        marks = [
            value
            for number, gold in golds
            for value in _subsequence_marks(number, found, whole, spans, i, gold)
        ]
        result[i] += (b"," if result[i] else b"") + b'"ROUGE-L":' + msgspec.json.encode(marks)
    return result


def _place_others(texts: Strings, found: Tokens, spans: Any, placed: Any) -> None:
    """Finds the words of texts that are not ASCII."""
    begins = found.words_in.tolist()
    for i, text in enumerate(texts.decoded()):
        if not text.isascii():
            begin, end = begins[i], begins[i + 1]
            where = places(text, found.words.take(slice(begin, end)).decoded())
            placed[i] = where is not None
            spans[begin:end] = np.array(where or np.full((end - begin, 2), -1)).reshape(-1, 2)


def _skips(tokens: Sequence[str], gap: int, unigrams: bool) -> Counter[Gram]:
    if len(tokens) ** 2 > _CELLS:
        raise LimitExceeded("the texts are too long to be explained", code="K503")
    reach = len(tokens) if gap < 0 else gap + 1
    found: Counter[Gram] = Counter((token,) for token in tokens[:-1] if unigrams)
    for i, token in enumerate(tokens):
        found.update((token, other) for other in tokens[i + 1 : i + 1 + reach])
    return found


def _compared(ours: Counter[Gram], theirs: Counter[Gram], matched: bool) -> dict[str, Any]:
    """The n-grams of both sides; `clipped` counts what one side has more often."""
    both = ours & theirs
    return {
        "hits": both.total(),
        "system": ours.total(),
        "gold": theirs.total(),
        "matched" if matched else "clipped": [
            {
                "gram": " ".join(gram),
                "count": count,
                "clipped": {"system": ours[gram] - count, "gold": theirs[gram] - count},
            }
            for gram, count in both.items()
            if matched or ours[gram] != theirs[gram]
        ],
        "missing": [" ".join(gram) for gram in theirs if gram not in ours],
        "surplus": [" ".join(gram) for gram in ours if gram not in theirs],
    }


def _subsequence(
    our_lines: Sequence[Sequence[str]],
    their_lines: Sequence[Sequence[str]],
    ours: Sequence[str],
    theirs: Sequence[str],
    weight: float | None = None,
) -> dict[str, Any]:
    """The tokens of each gold sentence that are in the union of common subsequences.

    With a weight, a run of so many tokens counts as their number to that power, and the sizes are
    weighted as well.
    """
    if sum(map(len, our_lines)) * sum(map(len, their_lines)) > _CELLS:
        raise LimitExceeded("the texts are too long to be explained", code="K503")
    left_ours, left_theirs = Counter(ours), Counter(theirs)
    result = []
    hits: float = 0
    for gold in their_lines:
        union = {i for line in our_lines for i, _ in common_subsequence(gold, line, weight)}
        counted, clipped, runs, run = [], [], [], 0
        for position in sorted(union):
            token = gold[position]
            if left_ours[token] <= 0 or left_theirs[token] <= 0:
                clipped.append(position)
                continue
            left_ours[token] -= 1
            left_theirs[token] -= 1
            counted.append(position)
            run += 1
            # A token that is clipped neither extends nor ends a run.
            if position + 1 not in union:
                runs.append(run)
                run = 0
        hits += len(counted) if weight is None else sum(float(run) ** weight for run in runs)
        found = {"sentence": list(gold), "matched": counted, "clipped": clipped}
        result.append(found if weight is None else {**found, "runs": runs})
    sizes: dict[str, float] = {"system": len(ours), "gold": sum(map(len, their_lines))}
    if weight is not None:
        weighted = sum(float(len(gold)) ** weight for gold in their_lines)
        sizes = {"system": float(len(ours)) ** weight, "gold": weighted}
    return {"hits": hits, **sizes, "gold_sentences": result}


def common_subsequence(
    gold: Sequence[str], system: Sequence[str], weight: float | None = None
) -> list[tuple[int, int]]:
    """The places in both sentences of one longest common subsequence; ties drop gold tokens.

    With a weight, one in which runs count more than their tokens.
    """
    width = len(system) + 1
    power = 1.0 if weight is None else weight
    table = [[0.0] * width for _ in range(len(gold) + 1)]
    runs = [0] * width
    for i, token in enumerate(gold, 1):
        above, runs = runs, [0] * width
        for j, other in enumerate(system, 1):
            if token == other:
                run = above[j - 1]
                table[i][j] = table[i - 1][j - 1] + (run + 1) ** power - run**power
                runs[j] = run + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    found = []
    i, j = len(gold), len(system)
    while i and j:
        if gold[i - 1] == system[j - 1]:
            i, j = i - 1, j - 1
            found.append((i, j))
        elif table[i - 1][j] >= table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return found


def _are_too_long(found: Tokens, system: int, gold: int) -> bool:
    return len(found.whole(system)) * len(found.whole(gold)) > _CELLS


def _subsequence_marks(
    number: int, found: Tokens, whole: Tokens, spans: Offsets, system: int, gold: int
) -> Iterator[int]:
    """What is counted of a reference; in the system's text all that is in a subsequence."""
    ours, theirs = found.lines_of(system), found.lines_of(gold)
    own, other = (spans[found.stems.whole[text] :].tolist() for text in (system, gold))
    at = 0
    in_system: set[int] = set()
    told = _subsequence(ours, theirs, whole.whole(system), whole.whole(gold))
    for each in told["gold_sentences"]:
        for kind, name in ((Kind.MATCHED, "matched"), (Kind.CLIPPED, "clipped")):
            for place in each[name]:
                yield from (kind, number, *other[at + place], -1, -1)
        begin = 0
        for line in ours:
            in_system |= {begin + j for _, j in common_subsequence(each["sentence"], line)}
            begin += len(line)
        at += len(each["sentence"])
    for place in sorted(in_system):
        yield from (Kind.MATCHED, number, -1, -1, *own[place])
