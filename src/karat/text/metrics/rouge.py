"""ROUGE."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, partial
from typing import Annotated, Any, Literal

import numpy as np

from karat import _native
from karat.core.capabilities import grid_in
from karat.core.marks import Score, main, out_of
from karat.core.options import Range
from karat.core.reading.strings import Referenced, Strings
from karat.core.scores import Array, MetricsDict, Scores, harmonic, ratio
from karat.core.scoring import encoded_scores, nested_scores
from karat.errors import LimitExceeded, OptionError
from karat.text.model import SentenceMetric, Text, sentences
from karat.text.raw_texts import ListedGrams, MarkedTexts, TextKernel
from karat.text.rouge.combining import (
    Combination,
    Rule,
    engine_average,
    in_order,
    percent,
    round_5,
)
from karat.text.rouge.profiles import (
    PACKAGES,
    Coded,
    Profile,
    Reading,
    Shared,
    Splitting,
    coded,
    distinct_tables,
    each_time,
    key_of,
    letters,
)
from karat.text.unique_pairs import TextPairs, UniquePairs

_RULES: dict[str, Rule] = {
    "1.5.5": "micro", "google": "best-f", "unicode": "micro", "python-rouge": "micro",
    "rouge": "mean", "rouge-metric": "micro", "coco": "best-parts",
}  # fmt: skip
_ROW_BUDGET = 1e10
_SKIP_BUDGET = 2e8
_DROPPED_SHARE = 0.1


class Rouge(ListedGrams, MarkedTexts, TextKernel, SentenceMetric):
    """ROUGE (Lin 2004): n-grams, common subsequences and skip-bigrams shared with references.

    The profile says which tool to reproduce. ``1.5.5`` equals the original Perl engine to
    the last digit: including rounding, stemmer and irregular forms. ``google`` equals
    the Python package rouge-score (its names, fractions of 1). ``unicode`` reads
    any script, where the others keep only ASCII. ``python-rouge`` equals
    SacreROUGE's Python approximation. ``rouge``, ``rouge-metric`` (its Python engine) and ``coco``
    (ROUGE-L of pycocoevalcap, where recall counts 1.2 times) equal these packages: words are what
    white space separates, with their case and punctuation.

    Several references: `micro` adds up hits and sizes over references (formula A
    of the engine), `mean` averages the scores, `best-recall` (formula B) and
    `best-f` take one reference. The score of a system is the mean of its items;
    under ``1.5.5`` the engine's own average and interval are given besides.

    A string is one sentence per line; a list is one sentence per element.

    >>> Rouge(max_ngram=2).score(
    ...     "Dan walked to the bakery this morning.",
    ...     ["Dan went to buy scones earlier this morning."],
    ... )["rouge-1"]
    {'recall': 50.0, 'precision': 57.143, 'f1': 53.333}
    """

    name = "rouge"

    profile: Annotated[Profile, "which ROUGE tool to reproduce"] = "1.5.5"
    max_ngram: Annotated[int, Range(0, 16), "the longest n-grams"] = 4
    use_porter_stemmer: Annotated[bool, "compare stems"] = True
    remove_stopwords: Annotated[bool, "leave out the words of the SMART list"] = False
    max_bytes: Annotated[int | None, Range(1), "cut all texts after this number of bytes"] = None
    max_words: Annotated[int | None, Range(1), "cut all texts after this number of words"] = None
    compute_rouge_l: Annotated[bool, "longest common subsequences"] = False
    skip_bigram_gap_length: Annotated[
        int | None,
        Range(-1),
        "skip-bigrams with at most this many words in between; -1: any number",
    ] = None
    skip_bigram_unigrams: Annotated[bool, "count unigrams with skip-bigrams (SU, not S)"] = True
    wlcs_weight: Annotated[
        float | None, Range(1, 16), "weighted common subsequences: 1.2 is usual"
    ] = None
    refs: Annotated[
        Literal["micro", "mean", "best-recall", "best-f"] | None,
        "how several references combine; by default as the profile does",
    ] = None
    sentences: Annotated[
        Splitting, "where sentences end: as given (lines), nowhere, at full stops, at . ! and ?"
    ] = "given"
    irregular_forms: Annotated[
        bool,
        "stem irregular forms by WordNet's list; off: as an engine built without it",
    ] = True
    average_order: Annotated[
        Literal["id", "file"], "the order of items in which the 1.5.5 engine averages"
    ] = "id"
    scoring_function: Annotated[
        Literal["average", "max"] | None, "SacreROUGE's names for micro and best-recall"
    ] = None
    language: Annotated[
        str | None, "language of the Snowball stemmer of the unicode profile; none: no stemming"
    ] = None

    @cached_property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        sums = (f"{measure}_{part}" for measure in self._measures for part in self.parts)
        return ("items", "letters", "dropped", *sums)

    def __post_init__(self) -> None:
        wrong = ""
        if self.max_bytes is not None and self.max_words is not None:
            wrong = "max_bytes and max_words exclude each other"
        elif self.refs is not None and self.scoring_function is not None:
            wrong = "refs and scoring_function say the same thing: give one of them"
        elif self.language is not None and self.profile != "unicode":
            wrong = f"the profile {self.profile} has its own stemmer, language is for unicode"
        elif self.profile in ("google", "python-rouge", "rouge", "coco") and (
            self.wlcs_weight is not None or self.skip_bigram_gap_length is not None
        ):
            wrong = f"the profile {self.profile} has neither ROUGE-W nor ROUGE-S"
        elif self.profile in ("python-rouge", *PACKAGES) and (self.max_bytes or self.max_words):
            wrong = f"the profile {self.profile} has no length limits"
        elif self.sentences != "given" and self.profile in ("rouge", "coco"):
            wrong = f"the profile {self.profile} has its own sentences"
        elif not self.irregular_forms and self.profile not in ("1.5.5", "python-rouge"):
            wrong = f"the profile {self.profile} has no list of irregular forms"
        elif self.remove_stopwords and (
            self.profile in ("google", *PACKAGES)
            or (self.profile == "unicode" and self.language != "english")
        ):
            wrong = f"the profile {self.profile} has no stop words except for language='english'"
        elif self.average_order != "id" and self.profile != "1.5.5":
            wrong = f"the profile {self.profile} does not average as the 1.5.5 engine does"
        elif not self._measures:
            wrong = "there is nothing to measure"
        if wrong:
            raise OptionError(f"rouge: {wrong}", code="K390")

    @property
    def parts(self) -> tuple[str, str, str]:
        """The names of recall, precision and F."""
        return ("recall", "precision", "fmeasure" if self.profile == "google" else "f1")

    @cached_property
    def measure_kinds(self) -> list[str]:
        """The measures, as all profiles call them."""
        if self.profile == "coco":
            return ["rouge-l"]
        found = [f"rouge-{n}" for n in range(1, self.max_ngram + 1)]
        if self.compute_rouge_l:
            found += ["rouge-l", "rouge-lsum"] if self.profile == "google" else ["rouge-l"]
        if self.wlcs_weight is not None:
            found.append("rouge-w")
        if self.skip_bigram_gap_length is not None:
            kind = "su" if self.skip_bigram_unigrams else "s"
            gap = self.skip_bigram_gap_length
            found.append(f"rouge-{kind}{'*' if gap < 0 else gap}")
        return found

    @cached_property
    def _measures(self) -> list[str]:
        return list(map(self.score_name, self.measure_kinds))

    def score_name(self, kind: str) -> str:
        """What the profile calls a measure."""
        if self.profile == "google":
            return "rouge" + kind.removeprefix("rouge-").replace("l", "L", 1)
        if kind == "rouge-w":
            return f"rouge-w-{self.wlcs_weight:g}"
        return f"python-{kind}" if self.profile == "python-rouge" else kind

    @property
    def rule(self) -> Rule:
        """The rule that combines several references."""
        if self.scoring_function is not None:
            return "micro" if self.scoring_function == "average" else "best-recall"
        return self.refs or _RULES[self.profile]

    def signature(self) -> str:
        return f"{super().signature()}|refs:{self.rule}"

    @cached_property
    def reading(self) -> Reading:
        """The rules that turn a text into tokens."""
        return Reading(
            self.profile, self.use_porter_stemmer, self.language, self.remove_stopwords,
            self.max_words, self.max_bytes, self.sentences, self.irregular_forms,
        )  # fmt: skip

    @cached_property
    def read_last(self) -> list[tuple[Referenced, Any]]:
        """The texts that were explained or marked last, with their tokens."""
        return []

    # -- measuring -------------------------------------------------------------

    def measure_many(self, pairs: Sequence[tuple[Text, Sequence[Text]]]) -> Array:
        for _, gold in pairs:
            self.check_texts(gold)
        unique = UniquePairs(
            [(key_of(system), [key_of(reference) for reference in gold]) for system, gold in pairs]
        )
        texts = [text if isinstance(text, str) else "\n".join(text) for text in unique.texts]
        return self._rows(Strings.of(texts), unique)

    def rows(self, texts: Referenced) -> Array:
        """The counts of texts with their references, each a line per sentence."""
        both = Strings.joined(texts.systems, texts.references)
        return self._rows(both, TextPairs.in_order(texts.bounds))

    def _rows(self, texts: Strings, unique: TextPairs) -> Array:
        found = [each for _, each in self.tables(texts, unique, self.measure_kinds)]
        counts, keys = (np.stack(parts, axis=1) for parts in zip(*found, strict=True))
        weighted = np.array([kind == "rouge-w" for kind in self.measure_kinds])
        exponents = np.where(weighted, 1 / (self.wlcs_weight or 1), 1.0)
        combine = self.combination(exponents)
        scores, count = combine(counts, unique, keys), len(unique.systems)
        return np.column_stack(
            [
                np.ones(count),
                self._letters(texts, unique),
                scores.reshape(count, len(self.columns) - 3),
            ]
        )

    def combination(self, exponents: Array) -> Combination:
        """How counts become the scores of items."""
        beta = 1.2 if self.profile == "coco" else 1.0
        added = 1e-8 if self.profile == "rouge" else 0.0
        return Combination(
            self.rule, rounded=self.profile == "1.5.5", exponents=exponents, beta=beta, added=added
        )

    def tables(
        self,
        texts: Strings,
        unique: TextPairs,
        kinds: Collection[str],
        shared: Shared = each_time,
    ) -> Iterator[tuple[str, tuple[Array, Array]]]:
        """For each measure: hits, gold and system sizes of each pair, and what best recall is
        judged by.

        The engine compares rounded recalls of n-grams and skip-bigrams, and exact ones of
        subsequences. `shared` is called with all that words or a count depend on, and makes them
        unless it knows the result.
        """
        whole, lines = coded(self.reading, texts, shared)
        flat = (whole.tokens, whole.whole, unique.pairs)
        by_line = (lines.tokens, lines.sentences, lines.texts, *flat)
        grams = [int(kind[6:]) for kind in kinds if kind[6:].isdigit()]
        if self.profile == "rouge":
            has_l = "rouge-l" in kinds
            tables = distinct_tables(whole, unique, max(grams, default=0), has_l, shared)
            named = [*(f"rouge-{n + 1}" for n in range(len(tables) - has_l)), "rouge-l"]
            for kind, table in zip(named, tables, strict=False):
                if kind in kinds:
                    yield kind, (self._within_budget(table), self._judged(table))
            return
        if grams:
            counted = shared(
                ("grams", *flat, max(grams)), lambda: self._grams(whole, unique, max(grams))
            )
            for n in grams:
                yield f"rouge-{n}", (counted[:, n - 1], self._judged(counted[:, n - 1]))
        for kind in [each for each in ("rouge-l", "rouge-lsum") if each in kinds]:
            if kind == "rouge-l" and self.profile in ("google", "coco"):
                table = shared(("lcs", *flat), lambda: self._whole_lcs(whole, unique))
            else:
                table = shared(("union", *by_line), lambda: self._union(lines, whole, unique, 0.0))
            yield kind, (table, ratio(table[:, 0], table[:, 1]))
        if "rouge-w" in kinds:
            yield "rouge-w", self._weighted(shared, by_line, lines, whole, unique)
        for kind in kinds:
            if kind.startswith("rouge-s"):
                gap = int(kind.removeprefix("rouge-s").removeprefix("u").replace("*", "-1"))
                table = shared(
                    ("skips", *flat, kind),
                    partial(self._skips, whole, unique, gap, kind.startswith("rouge-su")),
                )
                yield kind, (table, self._judged(table))

    def _grams(self, whole: Coded, unique: TextPairs, longest: int) -> Array:
        found = _native.ngram_overlaps(whole.tokens, whole.whole, unique.pairs, longest)
        return found.astype(np.float64)

    def _weighted(
        self, shared: Shared, parts: Sequence[Any], lines: Coded, whole: Coded, unique: TextPairs
    ) -> tuple[Array, Array]:
        weight = 1.2 if self.wlcs_weight is None else self.wlcs_weight
        table = shared(
            ("weighted", *parts, weight), lambda: self._union(lines, whole, unique, weight)
        ).copy()
        keys = ratio(table[:, 0], table[:, 1])
        table[:, 2] **= weight
        # The engine weights the gold size a second time.
        if self.profile in ("1.5.5", "rouge-metric"):
            table[:, 1] **= weight
        if self.profile == "rouge-metric":  # judges by what it shows
            keys = ratio(table[:, 0], table[:, 1])
        return table, keys

    def _judged(self, table: Array) -> Array:
        recall = ratio(table[:, 0], table[:, 1])
        return round_5(recall) if self.profile == "1.5.5" else recall

    def _whole_lcs(self, whole: Coded, unique: TextPairs) -> Array:
        hits = _native.lcs_lengths(whole.tokens, whole.whole, unique.pairs, _ROW_BUDGET)
        sizes = np.diff(whole.whole)
        table = np.column_stack([hits, sizes[unique.pairs[:, 1]], sizes[unique.pairs[:, 0]]])
        return self._within_budget(table.astype(np.float64))

    def _union(self, lines: Coded, whole: Coded, unique: TextPairs, weight: float) -> Array:
        table = _native.lcs_unions(
            lines.tokens, lines.sentences, lines.texts, whole.tokens, whole.whole, unique.pairs,
            weight, _ROW_BUDGET,
        )  # fmt: skip
        return self._within_budget(table)

    def _within_budget(self, table: Array) -> Array:
        if (table[:, 0] < 0).any():
            raise LimitExceeded(
                "two texts are too long for their common subsequences to be found",
                code="K503",
                advice="leave out ``compute_rouge_l`` and ``wlcs_weight``, split the texts into "
                "sentences, or cut them with ``max_words``",
            )
        return table

    def _skips(self, whole: Coded, unique: TextPairs, gap: int, unigrams: bool) -> Array:
        sizes = np.diff(whole.whole).astype(np.float64)
        reach = sizes if gap < 0 else np.minimum(sizes, gap + 2)
        if (sizes * reach).sum() > _SKIP_BUDGET:
            raise LimitExceeded(
                f"the texts have about {(sizes * reach).sum():.0f} skip-bigrams",
                code="K503",
                advice="set a smaller ``skip_bigram_gap_length``, or cut the texts with "
                "``max_words``",
            )
        counts = _native.skip_overlaps(whole.tokens, whole.whole, unique.pairs, gap, unigrams)
        return np.asarray(counts, np.float64)

    def _letters(self, texts: Strings, unique: TextPairs) -> Array:
        """Letters, and letters that the profile drops, of each item's texts."""
        if not self.reading.ascii_only:
            return np.zeros((len(unique.systems), 2))
        each = letters(texts).astype(np.float64)
        golds = np.add.reduceat(each[unique.pairs[unique.members, 1]], unique.starts, axis=0)
        return np.asarray(each[unique.systems] + golds)

    # -- scores ----------------------------------------------------------------

    def summarize(self, totals: Array) -> Scores:
        items, values = totals[..., 0], iter(range(3, totals.shape[-1]))
        scores = {}
        for measure in self._measures:
            means = {part: ratio(totals[..., next(values)], items) for part in self.parts}
            if self.profile == "rouge-metric":  # whose F is that of mean recall and precision
                means["f1"] = harmonic(means["precision"], means["recall"])
            scores[measure] = {part: self._scaled(mean, items) for part, mean in means.items()}
        # ROUGE-2, or what comes first where there is none.
        grams = min(1, self.max_ngram - 1) if self.max_ngram and self.profile != "coco" else 0
        headline = scores[self._measures[grams]]
        headline[self.parts[2]] = main(headline[self.parts[2]])
        return scores

    def _scaled(self, means: Array, items: Array) -> Array | Score:
        """Means as they are shown; one item has the engine's rounded figures."""
        if self.profile == "google":
            return means
        scaled = 100.0 * means
        if self.profile == "1.5.5" and self.rule != "mean":
            scaled = np.where(items == 1, percent(means), scaled)
        return out_of(scaled, 100)

    def caveats(self, totals: Array) -> list[str]:
        total, dropped = float(totals[1]), float(totals[2])
        if dropped <= _DROPPED_SHARE * total:
            return []
        return [
            f"rouge: the profile {self.profile} keeps only ASCII and drops {dropped / total:.0%} "
            "of the letters of these texts; use ``profile='unicode'``"
        ]

    def extras(self, ids: Sequence[str], rows: Array) -> MetricsDict:
        """The engine's average and 95 % interval, under the profile 1.5.5."""
        result = MetricsDict()
        if self.profile != "1.5.5" or not len(rows):
            return result
        names = ids if self.average_order == "id" else in_order(len(ids))
        figures = [percent(round_5(each)) for each in engine_average(names, rows[:, 3:])]
        paths = [(measure, part) for measure in self._measures for part in self.parts]
        for i, path in enumerate(paths):
            average, low, high = (float(figure[i]) for figure in figures)
            result.put(("rouge-1.5.5", *path), {"average": average, "low": low, "high": high})
        return result

    def line(self, scores: MetricsDict) -> str:
        """What ROUGE-1.5.5 prints of a system; other profiles stand in for no such program."""
        found = scores["extras"].get("rouge-1.5.5", {})
        lines = []
        for measure, parts in found.items():
            lines.append("-" * 45)
            for letter, part in zip("RPF", parts.values(), strict=True):
                average, low, high = (part[name] / 100 for name in ("average", "low", "high"))
                lines.append(
                    f"1 {measure.upper()} Average_{letter}: {average:.5f} "
                    f"(95%-conf.int. {low:.5f} - {high:.5f})"
                )
        return "\n".join(lines)

    tracing = grid_in("karat.text.metrics.grids.rouge")

    def texts_of_pairs(self, pairs: Sequence[tuple[Text, Sequence[Text]]]) -> Referenced:
        for _, gold in pairs:
            self.check_texts(gold)
        return Referenced.of(
            [(_lines(system), [_lines(each) for each in gold]) for system, gold in pairs]
        )

    def explain_texts(
        self,
        texts: Referenced,
        rows: Array,
        *,
        matched: bool = False,
        errors: _native.FrequentErrors | None = None,
    ) -> list[bytes]:
        """Tokens by the profile's rules, and for each reference what is missing, surplus or
        clipped; with `matched` also what matched."""
        from karat.text.rouge.explaining import explained

        scores = nested_scores(encoded_scores(self, rows))
        return explained(self, texts, scores, matched, errors)

    def layers_of_texts(self, texts: Referenced) -> list[bytes]:
        from karat.text.rouge.explaining import layers

        return layers(self, texts)


def _lines(text: Text) -> str:
    """A text as a line for each sentence."""
    return text if isinstance(text, str) else "\n".join(sentences(text))
