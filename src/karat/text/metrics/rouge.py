"""ROUGE."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Literal

import numpy as np

from karat import _native
from karat.core.capabilities import Measured
from karat.core.marks import Score, main, out_of
from karat.core.metric import Explanation
from karat.core.options import Range
from karat.core.raw import RawChunk, RawItems
from karat.core.scores import Array, MetricsDict, Scores, ratio
from karat.core.scoring import encoded_scores, nested_scores
from karat.core.strings import Referenced, Strings, decoded_json
from karat.errors import LimitExceeded, OptionError
from karat.text.model import SentenceMetric, Text, sentences
from karat.text.raw_texts import lines_of, measured_records, measured_references
from karat.text.rouge.combining import Combination, Rule, engine_average, percent, round_5
from karat.text.rouge.profiles import Coded, Profile, Reading, coded, key_of, letters
from karat.text.unique_pairs import TextPairs, UniquePairs

_RULES: dict[str, Rule] = {
    "1.5.5": "micro", "google": "best-f", "unicode": "micro", "python-rouge": "micro"
}  # fmt: skip
_ROW_BUDGET = 1e10
_SKIP_BUDGET = 2e8
_DROPPED_SHARE = 0.1


class Rouge(SentenceMetric):
    """ROUGE (Lin 2004): n-grams, common subsequences and skip-bigrams shared with references.

    The profile says which tool to reproduce. ``1.5.5`` equals the original Perl engine to
    the last digit: rounding, stemmer, irregular forms and all. ``google`` equals
    the Python package rouge-score (its names, fractions of 1). ``unicode`` reads
    any script, where the others keep only ASCII. ``python-rouge`` equals
    SacreROUGE's Python approximation.

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
    releases_gil = True
    chunk_size = 4096

    profile: Annotated[Profile, "which ROUGE tool to reproduce"] = "1.5.5"
    max_ngram: Annotated[int, Range(0, 16), "the longest n-grams"] = 4
    use_porter_stemmer: Annotated[bool, "compare stems"] = True
    remove_stopwords: Annotated[bool, "leave out the words of the SMART list"] = False
    max_bytes: Annotated[int | None, Range(1), "cut all texts after so many bytes"] = None
    max_words: Annotated[int | None, Range(1), "cut all texts after so many words"] = None
    compute_rouge_l: Annotated[bool, "longest common subsequences"] = False
    skip_bigram_gap_length: Annotated[
        int | None, Range(-1), "skip-bigrams with at most so many words between; -1: any number"
    ] = None
    skip_bigram_unigrams: Annotated[bool, "count unigrams with skip-bigrams (SU, not S)"] = True
    wlcs_weight: Annotated[
        float | None, Range(1, 16), "weighted common subsequences: 1.2 is usual"
    ] = None
    refs: Annotated[
        Literal["micro", "mean", "best-recall", "best-f"] | None,
        "how several references combine; by default as the profile does",
    ] = None
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
        elif self.profile in ("google", "python-rouge") and (
            self.wlcs_weight is not None or self.skip_bigram_gap_length is not None
        ):
            wrong = f"the profile {self.profile} has neither ROUGE-W nor ROUGE-S"
        elif self.profile == "python-rouge" and (self.max_bytes or self.max_words):
            wrong = "the profile python-rouge has no length limits"
        elif self.remove_stopwords and (
            self.profile == "google" or (self.profile == "unicode" and self.language != "english")
        ):
            wrong = f"the profile {self.profile} has no stop words except for language='english'"
        elif not self._measures:
            wrong = "there is nothing to measure"
        if wrong:
            raise OptionError(f"rouge: {wrong}", code="K390")

    @property
    def parts(self) -> tuple[str, str, str]:
        """The names of recall, precision and F."""
        return ("recall", "precision", "fmeasure" if self.profile == "google" else "f1")

    @cached_property
    def _measures(self) -> list[str]:
        """The names of the measures."""
        orders = range(1, self.max_ngram + 1)
        if self.profile == "google":
            longest = ["rougeL", "rougeLsum"] if self.compute_rouge_l else []
            return [*(f"rouge{n}" for n in orders), *longest]
        prefix = "python-rouge" if self.profile == "python-rouge" else "rouge"
        names = [f"{prefix}-{n}" for n in orders]
        if self.compute_rouge_l:
            names.append(f"{prefix}-l")
        if self.wlcs_weight is not None:
            names.append(f"rouge-w-{self.wlcs_weight:g}")
        if self.skip_bigram_gap_length is not None:
            kind = "su" if self.skip_bigram_unigrams else "s"
            gap = self.skip_bigram_gap_length
            names.append(f"rouge-{kind}{'*' if gap < 0 else gap}")
        return names

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
            self.max_words, self.max_bytes,
        )  # fmt: skip

    # -- measuring -------------------------------------------------------------

    def measure_many(self, pairs: Sequence[tuple[Text, Sequence[Text]]]) -> Array:
        if not pairs:
            return np.empty((0, len(self.columns)))
        for _, gold in pairs:
            self.check_texts(gold)
        unique = UniquePairs(
            [(key_of(system), [key_of(reference) for reference in gold]) for system, gold in pairs]
        )
        texts = [text if isinstance(text, str) else "\n".join(text) for text in unique.texts]
        return self._rows(Strings.of(texts), unique)

    def texts_of(self, chunk: RawChunk) -> Referenced | None:
        return lines_of(chunk)

    def measure_bytes(self, chunk: RawChunk) -> Measured | None:
        return measured_references(chunk, self.rows)

    def measure_records(self, items: RawItems) -> Measured | None:
        return measured_records(items, self.rows)

    def rows(self, texts: Referenced) -> Array:
        """The counts of texts with their references, each a line per sentence."""
        both = Strings.joined(texts.systems, texts.references)
        return self._rows(both, TextPairs.in_order(texts.bounds))

    def _rows(self, texts: Strings, unique: TextPairs) -> Array:
        counts, keys = self._counts(texts, unique)
        exponents = np.array(
            [1 / (self.wlcs_weight or 1) if "-w-" in name else 1.0 for name in self._measures]
        )
        combine = Combination(self.rule, rounded=self.profile == "1.5.5", exponents=exponents)
        scores, count = combine(counts, unique, keys), len(unique.systems)
        return np.column_stack(
            [np.ones(count), self._letters(texts, unique), scores.reshape(count, -1)]
        )

    def _counts(self, texts: Strings, unique: TextPairs) -> tuple[Array, Array]:
        """Hits, gold and system sizes of each pair and measure, and what best recall is judged by.

        The engine compares rounded recalls of n-grams and skip-bigrams, and
        exact ones of subsequences.
        """
        whole, by_sentence = coded(self.reading, texts)
        tables: list[Array] = []
        keys: list[Array] = []
        if self.max_ngram:
            grams = _native.ngram_overlaps(
                whole.tokens, whole.whole, unique.pairs, self.max_ngram
            ).astype(np.float64)
            for n in range(self.max_ngram):
                tables.append(grams[:, n])
                keys.append(self._judged(grams[:, n]))
        if self.compute_rouge_l:
            if self.profile == "google":
                tables.append(self._whole_lcs(whole, unique))
                keys.append(ratio(tables[-1][:, 0], tables[-1][:, 1]))
            tables.append(self._union(by_sentence, whole, unique, 0.0))
            keys.append(ratio(tables[-1][:, 0], tables[-1][:, 1]))
        if self.wlcs_weight is not None:
            table = self._union(by_sentence, whole, unique, self.wlcs_weight)
            keys.append(ratio(table[:, 0], table[:, 1]))
            table[:, 2] **= self.wlcs_weight
            if self.profile == "1.5.5":  # the engine weights the gold size a second time
                table[:, 1] **= self.wlcs_weight
            tables.append(table)
        if self.skip_bigram_gap_length is not None:
            tables.append(self._skips(whole, unique, self.skip_bigram_gap_length))
            keys.append(self._judged(tables[-1]))
        return np.stack(tables, axis=1), np.stack(keys, axis=1)

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

    def _skips(self, whole: Coded, unique: TextPairs, gap: int) -> Array:
        sizes = np.diff(whole.whole).astype(np.float64)
        reach = sizes if gap < 0 else np.minimum(sizes, gap + 2)
        if (sizes * reach).sum() > _SKIP_BUDGET:
            raise LimitExceeded(
                f"the texts have about {(sizes * reach).sum():.0f} skip-bigrams",
                code="K503",
                advice="set a smaller ``skip_bigram_gap_length``, or cut the texts with "
                "``max_words``",
            )
        counts = _native.skip_overlaps(
            whole.tokens, whole.whole, unique.pairs, gap, self.skip_bigram_unigrams
        )
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
        scores = {
            measure: {
                part: self._scaled(ratio(totals[..., next(values)], items), items)
                for part in self.parts
            }
            for measure in self._measures
        }
        # ROUGE-2, or what comes first where there is none.
        headline = scores[self._measures[min(1, self.max_ngram - 1) if self.max_ngram else 0]]
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
        figures = [percent(round_5(each)) for each in engine_average(ids, rows[:, 3:])]
        names = [(measure, part) for measure in self._measures for part in self.parts]
        for i, path in enumerate(names):
            average, low, high = (float(figure[i]) for figure in figures)
            result.put(("rouge-1.5.5", *path), {"average": average, "low": low, "high": high})
        return result

    def explain(self, system: Text, gold: Sequence[Text]) -> Explanation:
        """Tokens by the profile's rules, and for each reference what matched and was clipped."""
        return self.explain_many([(system, gold)])[0]

    def explain_many(self, pairs: Sequence[tuple[Text, Sequence[Text]]]) -> list[Explanation]:
        """The same for many pairs, which are scored at once."""
        for _, gold in pairs:
            self.check_texts(gold)
        texts = Referenced.of(
            [(_lines(system), [_lines(each) for each in gold]) for system, gold in pairs]
        )
        found = self.explain_texts(texts, self.measure_many(pairs))
        return [decoded_json(each) for each in found]

    def explain_texts(self, texts: Referenced, rows: Array) -> list[bytes]:
        from karat.text.rouge.explaining import explained

        return explained(self, texts, nested_scores(encoded_scores(self, rows)))

    def layers_of_texts(self, texts: Referenced) -> list[bytes] | None:
        from karat.text.rouge.explaining import gram_layers

        return gram_layers(self, texts)

    def layers(
        self, system: Text, gold: Sequence[Text], explanation: Explanation
    ) -> dict[str, list[int]]:
        from karat.text.rouge.explaining import layers

        return layers(self, system, gold, explanation)


def _lines(text: Text) -> str:
    """A text as a line for each sentence."""
    return text if isinstance(text, str) else "\n".join(sentences(text))
