"""Settings of ROUGE: texts are read once for each profile, stemming and limit; counts of equal
tokens are shared between all of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from karat.core.reading.strings import Strings
from karat.core.scores import Array, harmonic, ratio
from karat.core.tracing import (
    Grid,
    Pairs,
    Part,
    Pass,
    Preset,
    RandomSetting,
    Setting,
    Spread,
    Value,
)
from karat.text.metrics.grids.texts import text_slips
from karat.text.metrics.rouge import Rouge
from karat.text.rouge.combining import (
    Rule,
    averages_alone,
    draws,
    engine_order,
    percent,
    round_5,
)
from karat.text.rouge.profiles import Coded, Profile, Splitting, key_of
from karat.text.unique_pairs import TextPairs, UniquePairs

_GRAMS = ("rouge-1", "rouge-2", "rouge-3", "rouge-4")
_LONGEST = ("rouge-l", "rouge-lsum", "rouge-w")
_SKIPS = {"rouge-s4": (4, False), "rouge-su4": (4, True), "rouge-s*": (-1, False),
          "rouge-su*": (-1, True)}  # fmt: skip
_OPTIONS: dict[str, dict[str, Any]] = {
    "rouge-l": {"compute_rouge_l": True}, "rouge-lsum": {"compute_rouge_l": True},
    "rouge-w": {"wlcs_weight": 1.2},
    **{
        measure: {"skip_bigram_gap_length": gap, "skip_bigram_unigrams": unigrams}
        for measure, (gap, unigrams) in _SKIPS.items()
    },
}  # fmt: skip
"""The options of the metric that figures need."""
_LIMITS: dict[str, dict[str, int]] = {
    "none": {}, "75 words": {"max_words": 75}, "100 words": {"max_words": 100},
    "665 bytes": {"max_bytes": 665},
}  # fmt: skip
_SPLITS: tuple[Splitting, ...] = ("given", "whole", "full-stop", "marks")
_RULES: tuple[Rule, ...] = ("micro", "mean", "best-recall", "best-f")
_PARTS: dict[int, Part] = {0: "r", 1: "p", 2: "f"}
_RESAMPLES = 1000
_MEDIAN = 1.2533
"""The standard error of a median, in those of a mean."""


# -- what figures are called, and how tools set the options ------------------------------------


def _names() -> dict[str, dict[str, int]]:
    measures = (*_GRAMS, *_LONGEST, *_SKIPS)
    found: dict[str, dict[str, int]] = {
        "": dict.fromkeys(measures, 0),
        "rouge": dict.fromkeys(measures, 0),
    }
    for measure in measures:
        short = measure.removeprefix("rouge-")
        for name in (f"rouge{short}", f"r{short}"):
            found[name] = {measure: 0}
    longest = {"rouge-l": 0, "rouge-lsum": 0}
    found |= {"rougel": longest, "rl": longest}
    weighted = {"rouge-w": 0}
    found |= {"rougew1.2": weighted, "rw1.2": weighted, "rougesu": {"rouge-su4": 0, "rouge-su*": 0}}
    return found | {"rouges": {"rouge-s*": 0, "rouge-s4": 0}, "su4": {"rouge-su4": 0}}


_ENGINE: dict[str, Value] = {"profile": "1.5.5", "aggregation": "engine"}
_PERL = "ROUGE-1.5.5.pl -e DATA -n 4 -a"
_PERL_FLAGS: dict[tuple[str, Value], str] = {
    ("remove_stopwords", True): "-s",
    ("limit", "75 words"): "-l 75",
    ("limit", "100 words"): "-l 100",
    ("limit", "665 bytes"): "-b 665",
    ("refs", "best-recall"): "-f B",
}
_GOOGLE: dict[str, Value] = {"profile": "google"}
_SCORER = "rouge_score.rouge_scorer.RougeScorer(..., use_stemmer={})"
_PRESETS = (
    Preset("rouge-score", {**_GOOGLE, "stem": False}, _SCORER.format(False)),
    Preset("rouge-score, stemmed", _GOOGLE, _SCORER.format(True)),
    Preset(
        "Hugging Face evaluate", {**_GOOGLE, "stem": False, "aggregation": "bootstrap"},
        'evaluate.load("rouge")',
    ),
    Preset(
        "Hugging Face evaluate, stemmed", {**_GOOGLE, "aggregation": "bootstrap"},
        'evaluate.load("rouge") with use_stemmer',
    ),
    Preset("ROUGE 1.5.5 -m", _ENGINE, f"{_PERL} -m", _PERL_FLAGS),
    Preset("ROUGE 1.5.5", {**_ENGINE, "stem": False}, _PERL, _PERL_FLAGS),
    Preset("karat", {}, "karat evaluate rouge"),
    Preset("karat, any script", {"profile": "unicode"}, "karat evaluate rouge"),
    Preset("SacreROUGE's python-rouge", {"profile": "python-rouge"}, "sacrerouge python-rouge"),
    Preset("rouge", {"profile": "rouge"}, "rouge.Rouge().get_scores(..., avg=True)"),
    Preset("rouge-metric", {"profile": "rouge-metric"}, "rouge_metric.PyRouge().evaluate(...)"),
    Preset("COCO", {"profile": "coco"}, "pycocoevalcap.rouge.rouge.Rouge().compute_score(...)"),
)  # fmt: skip


def grid() -> Grid:
    """Profiles, stemming, stop words, limits, ends of sentences."""
    defaults: dict[str, Value] = {
        "profile": "1.5.5", "stem": True, "remove_stopwords": False, "irregular_forms": True,
        "limit": "none", "sentences": "given", "refs": "usual", "order": "id",
        "aggregation": "mean",
    }  # fmt: skip
    return Grid(_names(), defaults, _PRESETS, _passes, text_slips())


# -- passes ------------------------------------------------------------------------------------


class Reading(NamedTuple):
    """How texts are read: the options of all settings of a pass."""

    profile: Profile
    stem: bool = True
    remove_stopwords: bool = False
    irregular_forms: bool = True
    limit: str = "none"
    sentences: Splitting = "given"

    def options(self) -> dict[str, Any]:
        """As the metric has them."""
        found: dict[str, Any] = {"profile": self.profile, **_LIMITS[self.limit]}
        if self.profile == "unicode":
            found["language"] = "english" if self.stem else None
        elif not self.stem:
            found["use_porter_stemmer"] = False
        if self.remove_stopwords:
            found["remove_stopwords"] = True
        if not self.irregular_forms:
            found["irregular_forms"] = False
        if self.sentences != "given":
            found["sentences"] = self.sentences
        return found

    def choices(self) -> dict[str, Value]:
        """What the profile lets one choose."""
        names = ("profile", *_CHOOSES.get(self.profile, ()))
        return {name: getattr(self, name) for name in names}


_CHOOSES: dict[Profile, tuple[str, ...]] = {
    "1.5.5": ("stem", "remove_stopwords", "irregular_forms", "limit"),
    "google": ("stem", "limit"),
    "unicode": ("stem", "remove_stopwords", "limit"),
    "python-rouge": ("stem", "remove_stopwords"),
}


def _readings() -> Iterator[Reading]:
    for stem, stop, limit in product((True, False), (False, True), _LIMITS):
        yield Reading("1.5.5", stem, stop, limit=limit)
    yield from (Reading("1.5.5", True, stop, False) for stop in (False, True))
    yield from (Reading("google", stem, limit=limit) for limit in _LIMITS for stem in (False, True))
    yield from (
        Reading("unicode", stem, stop, limit=limit)
        for stem, stop in ((True, False), (True, True), (False, False))
        for limit in _LIMITS
    )
    yield from (
        Reading("python-rouge", stem, stop) for stem in (True, False) for stop in (False, True)
    )
    yield from (Reading(profile) for profile in ("rouge", "rouge-metric", "coco"))


def _passes(names: Collection[str]) -> list[Pass]:
    reader, texts, memo = Rouge(), _Texts(), _Memo()
    found = []
    for reading in _readings():
        own = reading.profile in ("rouge", "coco")
        for split in _SPLITS if not own else _SPLITS[:1]:
            one = reading._replace(sentences=split)
            measures = [
                each for each in _measures(reading.profile)
                if each in names and (split == "given" or each in _by_sentence(reading.profile))
            ]  # fmt: skip
            if measures:
                count = partial(_count, one, texts, memo)
                settings = [each for measure in measures for each in _settings(one, measure, memo)]
                random = [each for measure in measures for each in _random(one, measure)]
                found.append(Pass(reader, count, settings, random))
    return found


def _measures(profile: Profile) -> Sequence[str]:
    """The figures that a profile has."""
    return {
        "google": (*_GRAMS, "rouge-l", "rouge-lsum"),
        "python-rouge": (*_GRAMS, "rouge-l"),
        "rouge": (*_GRAMS, "rouge-l"),
        "coco": ("rouge-l",),
    }.get(profile, (*_GRAMS, "rouge-l", "rouge-w", *_SKIPS))


def _by_sentence(profile: Profile) -> Collection[str]:
    """The figures for which it matters where sentences end."""
    return ("rouge-lsum",) if profile == "google" else ("rouge-l", "rouge-w")


def _metric(reading: Reading, measure: str, **options: Any) -> Rouge:
    """The metric that has the figure."""
    own = {} if reading.profile == "coco" else _OPTIONS.get(measure, {})
    return Rouge(**reading.options(), **own, **options)


def _rules(profile: Profile) -> Sequence[Rule]:
    """How several references may be combined, the usual way first."""
    if profile == "coco":
        return ("best-parts",)
    usual = Rouge(profile=profile).rule
    return (usual, *(each for each in _RULES if each != usual))


def _settings(reading: Reading, measure: str, memo: _Memo) -> Iterator[Setting]:
    for rule in _rules(reading.profile):
        usual = rule == _rules(reading.profile)[0]
        options: dict[str, Any] = {} if usual else {"refs": rule}
        metric = _metric(reading, measure, **options)
        choices = reading.choices()
        if reading.profile not in ("rouge", "coco") and measure in _by_sentence(reading.profile):
            choices["sentences"] = reading.sentences
        # That a tool combines references in its own way is no departure.
        choices["refs"] = "usual" if usual else rule
        columns = partial(_columns, metric, measure)
        engines = {order: _EngineAverage(order, memo) for order in ("id", "file")}
        for place, part in _PARTS.items():
            value: Callable[[Array], Array] = partial(_mean, place)
            if reading.profile == "rouge-metric" and part == "f":
                value = _of_means
            path = f"{metric.score_name(measure)}.{metric.parts[place]}"
            yield Setting(
                metric, path, measure, {**choices, "aggregation": "mean"}, columns, value,
                part=part, needs=frozenset((measure,)),
            )  # fmt: skip
            if reading.profile == "1.5.5" and rule in ("micro", "best-recall"):
                for order in engines:
                    ordered = metric if order == "id" else _metric(
                        reading, measure, **options, average_order="file"
                    )  # fmt: skip
                    yield Setting(
                        ordered, f"extras.rouge-1.5.5.{path}.average", measure,
                        {**choices, "order": order, "aggregation": "engine"}, columns, value,
                        part=part, needs=frozenset((measure,)),
                        of_items=partial(engines[order].of, place),
                    )  # fmt: skip


def _random(reading: Reading, measure: str) -> Iterator[RandomSetting]:
    """The middle of rouge-score's bootstrap, which is a median of resampled means."""
    if reading.profile != "google":
        return
    metric = _metric(reading, measure)
    choices = reading.choices()
    if measure in _by_sentence(reading.profile):
        choices["sentences"] = reading.sentences
    for place, part in _PARTS.items():
        yield RandomSetting(
            metric, f"{metric.score_name(measure)}.{metric.parts[place]}", measure,
            {**choices, "refs": "usual", "aggregation": "bootstrap"},
            partial(_bootstrap, metric, measure, place), part=part,
            needs=frozenset((measure,)),
        )  # fmt: skip


# -- counting ----------------------------------------------------------------------------------


class Counts:
    """Hits, gold and system sizes of each pair, by measure, and what best recall is judged by."""

    def __init__(self, tables: dict[str, tuple[Array, Array]], unique: TextPairs) -> None:
        self.tables = tables
        self.unique = unique
        self._has_one = len(unique.members) == len(unique.systems)
        self._columns: dict[object, Array] = {}

    def columns(self, metric: Rouge, measure: str) -> Array:
        """A one, recall, precision and F of each item; single references need no rule."""
        key = measure, None if self._has_one else metric.rule
        if key not in self._columns:
            table, keys = self.tables[measure]
            exponents = np.array([1 / 1.2 if measure == "rouge-w" else 1.0])
            combine = metric.combination(exponents)
            scores = combine(table[:, None], self.unique, keys[:, None])[:, 0]
            self._columns[key] = np.column_stack([np.ones(len(scores)), scores])
        return self._columns[key]


class _Texts:
    """The texts of pairs as kernels take them, made once for all passes.

    Slips that only pair texts otherwise, such as swapped files, take those that are there.
    """

    def __init__(self) -> None:
        self._made: dict[int, tuple[Pairs, Strings, TextPairs]] = {}
        self._first: tuple[Strings, dict[Any, int]] | None = None

    def of(self, pairs: Pairs) -> tuple[Strings, TextPairs]:
        if id(pairs) not in self._made:
            unique = UniquePairs(
                [(key_of(system), [key_of(each) for each in gold]) for system, gold in pairs]
            )
            self._made[id(pairs)] = pairs, *self._numbered(unique)
        _, strings, pairs_of_texts = self._made[id(pairs)]
        return strings, pairs_of_texts

    def _numbered(self, unique: UniquePairs[Any]) -> tuple[Strings, TextPairs]:
        if self._first is not None:
            strings, numbers = self._first
            if all(text in numbers for text in unique.texts):
                there = np.array([numbers[text] for text in unique.texts], np.int32)
                found = TextPairs(
                    there[unique.systems], there[unique.pairs], unique.members, unique.bounds
                )
                return strings, found
        texts = [text if isinstance(text, str) else "\n".join(text) for text in unique.texts]
        strings = Strings.of(texts)
        if self._first is None:
            self._first = strings, {text: i for i, text in enumerate(unique.texts)}
        return strings, unique


class _Memo:
    """What was made, by all that it depends on: arrays and texts are known by their identity.

    Many ways of reading see the same texts: of equal ones, the first is given.
    """

    def __init__(self) -> None:
        self._made: dict[tuple[object, ...], tuple[Sequence[Any], Any]] = {}
        self._texts: list[Strings] = []
        self._coded: dict[tuple[int, int], list[Coded]] = {}

    def of(self, parts: Sequence[Any], make: Callable[[], Any]) -> Any:
        key = tuple(id(each) if isinstance(each, _KEPT) else each for each in parts)
        if key not in self._made:
            found = make()
            if isinstance(found, Strings):
                found = self._known(found)
            elif isinstance(found, Coded):
                found = self._counts_as(found)
            # The parts are kept, so that no others can have their identity.
            self._made[key] = parts, found
        return self._made[key][1]

    def _known(self, texts: Strings) -> Strings:
        for each in self._texts:
            if each.data == texts.data and np.array_equal(each.end, texts.end):
                return each
        self._texts.append(texts)
        return texts

    def _counts_as(self, texts: Coded) -> Coded:
        """Texts with the same words at the same places, whatever numbers these have."""
        alike = self._coded.setdefault((len(texts.tokens), len(texts.sentences)), [])
        for each in alike:
            if each.is_like(texts):
                return each
        alike.append(texts)
        return texts


_KEPT = (np.ndarray, Strings)
Truths = npt.NDArray[np.bool_]


def _count(
    reading: Reading, texts: _Texts, memo: _Memo, pairs: Pairs, needs: frozenset[str]
) -> Counts:
    strings, unique = texts.of(pairs)
    return _counts(reading, strings, unique, memo, needs)


def _counts(
    reading: Reading, strings: Strings, unique: TextPairs, memo: _Memo, needs: frozenset[str]
) -> Counts:
    def counts() -> Counts:
        metric = Rouge(**reading.options(), compute_rouge_l=True)
        if reading.limit == "none":
            return Counts(dict(metric.tables(strings, unique, needs, memo.of)), unique)
        whole = _counts(reading._replace(limit="none"), strings, unique, memo, needs)
        cut = _cut_texts(metric, strings, memo)
        parts = (metric.reading.limits_differ, strings, cut.texts, unique.pairs)
        shorter: _Shorter = memo.of(("shorter", *parts), lambda: _Shorter(cut, strings, unique))
        if not len(shorter.rows):
            return whole
        if cut.texts is not None:  # which are not split and cut again
            plain = reading._replace(limit="none", sentences="given")
            metric = Rouge(**plain.options(), compute_rouge_l=True)
        return shorter.recounted(metric, whole, needs, memo)

    return memo.of(("counts", reading, needs, strings, unique.pairs), counts)  # type: ignore[no-any-return]


class _Cut(NamedTuple):
    """Texts that are split into sentences and end at a limit."""

    which: Truths
    """Those that the limit changes, which are shorter then."""
    texts: Strings | None
    """All of them; None where what is left of them depends on what is counted."""


def _cut_texts(metric: Rouge, strings: Strings, memo: _Memo) -> _Cut:
    reading = metric.reading
    split = memo.of(("split", reading.sentences, strings), lambda: reading.split_all(strings))
    limits = metric.max_words, metric.max_bytes

    def limited(wise: bool) -> Strings:
        # What is cut in the end does not depend on the case, nor otherwise on the profile.
        cutter = reading if wise else replace(reading, profile="unicode")
        return memo.of(("limited", wise, *limits, split), lambda: cutter.cut_off(split, wise))  # type: ignore[no-any-return]

    def cut() -> _Cut:
        found = np.zeros(len(strings), bool)
        for wise in (False, True) if reading.limits_differ else (False,):
            texts = limited(wise)
            found |= (texts.end - texts.begin) != (split.end - split.begin)
        return _Cut(found, None if reading.limits_differ else limited(False))

    return memo.of(("cut", reading.limits_differ, *limits, split), cut)  # type: ignore[no-any-return]


class _Shorter:
    """The pairs of which a limit changes a text, as pairs of texts of their own."""

    def __init__(self, cut: _Cut, strings: Strings, unique: TextPairs) -> None:
        self.rows = np.flatnonzero(cut.which[unique.pairs].any(axis=1))
        used, numbers = np.unique(unique.pairs[self.rows], return_inverse=True)
        pairs = numbers.reshape(-1, 2).astype(np.int32)
        self.own = TextPairs(pairs[:, 0], pairs, np.arange(len(pairs)), np.arange(len(pairs) + 1))
        texts = strings if cut.texts is None else cut.texts
        self.texts = texts.take(used.astype(np.int64)).compact()

    def recounted(self, metric: Rouge, whole: Counts, needs: frozenset[str], memo: _Memo) -> Counts:
        """The counts where these pairs have other texts than in the whole ones."""
        tables = {}
        for kind, changed in metric.tables(self.texts, self.own, needs, memo.of):
            both = tuple(each.copy() for each in whole.tables[kind])
            for old, new in zip(both, changed, strict=True):
                old[self.rows] = new
            tables[kind] = both[0], both[1]
        return Counts(tables, whole.unique)


# -- figures -----------------------------------------------------------------------------------


def _columns(metric: Rouge, measure: str, counts: Counts) -> Array:
    return counts.columns(metric, measure)


def _mean(place: int, totals: Array) -> Array:
    return ratio(totals[..., 1 + place], totals[..., 0])


def _of_means(totals: Array) -> Array:
    return harmonic(_mean(1, totals), _mean(0, totals))


class _EngineAverage:
    """The engine's averages of recall, precision and F, which are drawn together."""

    def __init__(self, order: str, memo: _Memo) -> None:
        self.order = order
        self.memo = memo

    def of(self, place: int, columns: Array, ids: Sequence[str]) -> float:
        order = self.memo.of(("order", id(ids)), lambda: (ids, engine_order(ids)))[1]
        in_order = self.order == "file" or order == list(range(len(order)))
        scores = columns[:, 1:]
        drawn = self.memo.of(("draws", len(scores)), lambda: draws(len(scores)))
        average = self.memo.of(
            ("average", columns, in_order or id(ids)),
            lambda: averages_alone(
                np.ascontiguousarray(scores if in_order else scores[order]), drawn
            ),
        )
        return float(percent(round_5(average))[place]) / 100


def _bootstrap(
    metric: Rouge, measure: str, place: int, counts: Counts, _: Pairs, __: int
) -> Spread:
    values = counts.columns(metric, measure)[:, 1 + place]
    mean, size = float(values.mean()), len(values)
    spread = float(values.std(ddof=1)) if size > 1 else 0.0
    reach = 4 * _MEDIAN * spread / np.sqrt(size) / np.sqrt(_RESAMPLES)
    return Spread(mean - reach, mean + reach)
