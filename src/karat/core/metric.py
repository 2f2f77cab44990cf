"""The one idea: a pair becomes a row of additive counts, a sum of rows becomes scores."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from types import MappingProxyType
from typing import Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np

from karat.core import signature
from karat.core.options import Declared, declared
from karat.core.scores import Array, MetricsDict, Scores, leaves, nest, nest_rows, number
from karat.errors import KaratError, OptionError, PairingError
from karat.version import VERSION

System = TypeVar("System")
Gold = TypeVar("Gold")
Counts: TypeAlias = Sequence[float]
Explanation: TypeAlias = dict[str, Any]


class Split(NamedTuple):
    """Rows taken apart by a property of the items' parts; each has its pair and its value."""

    pairs: Sequence[int]
    values: Sequence[str]
    rows: Array


class Metric(Declared, Generic[System, Gold]):
    """What a metric is: `measure` and `summarize`; the rest is inherited.

    A metric is a value: it compares, hashes, pickles, and its `repr` parses
    back. Its options are its annotated fields.
    """

    columns: ClassVar[Sequence[str]]
    """The names of the counts in a row; a property where options decide them."""
    kind: ClassVar[str]
    """What it compares: the formats of this kind can be read for it."""
    kinds: ClassVar[tuple[str, ...]] = ()
    """The kinds it can compare, the preferred one first, where there are several."""
    file_format: ClassVar[str | None] = None
    """The format of its files, where there is but one; else it is guessed."""
    headline: ClassVar[str]
    """The score that stands for all, as a dotted name: ``labeled.f``."""
    ranked_by: ClassVar[str] = ""
    """The score that tells apart which items are worse where their headline is the same."""
    scale: ClassVar[float] = 1.0
    """What a perfect score is called: 1 or 100."""
    scales: ClassVar[Mapping[str, float]] = {}
    """Dotted names of the scores that have another scale."""
    lower_is_better: ClassVar[frozenset[str]] = frozenset()
    """Dotted names of the scores that are better when lower."""
    totals: ClassVar[frozenset[str]] = frozenset()
    """Dotted names of plain sums (``labeled.g``): no interval, no test, no average."""
    unbounded: ClassVar[frozenset[str]] = frozenset()
    """Dotted names of the scores without an upper end, such as lengths and distances."""
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = MappingProxyType({})
    """Where scores can lie, by dotted name, where that is not from 0 to their scale."""
    releases_gil: ClassVar[bool] = False
    """Whether `measure_many` spends its time outside the GIL, so that threads help."""
    chunk_size: ClassVar[int] = 256
    """How many pairs `measure_many` is given at once; a chunk should take less than a second."""
    allows_empty: ClassVar[bool] = False
    """Whether an empty corpus has scores rather than being an error."""
    inexact_column: ClassVar[str | None] = None
    """The column that counts pairs whose score is not proven, where there is one."""

    flag_synonyms: ClassVar[Mapping[str, str]] = {}
    """Flags of a tool that the metric stands in for, and the options that they mean."""
    facets: ClassVar[tuple[str, ...]] = ()
    """Properties of an item's parts (the POS of a word) that its counts can be split by."""

    certifies: ClassVar[bool] = False
    """Whether rows can come with certificates, by which they are checked without searching."""

    # -- what a metric author writes ------------------------------------------

    def measure(self, system: System, gold: Gold) -> Counts:
        """One pair as a row of counts. Pure: no clock, no globals, no randomness."""
        (row,) = self.measure_many([(system, gold)])
        return [float(count) for count in row]

    def measure_many(self, pairs: Sequence[tuple[System, Gold]]) -> Array:
        """A chunk of pairs as rows; override it where one native call does them all."""
        rows = [self.measure(system, gold) for system, gold in pairs]
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(self.columns))

    def summarize(self, totals: Array) -> Scores:
        """Sums of rows, of any leading shape, as scores of that shape."""
        raise TypeError(f"{type(self).__name__} has no summarize method")

    def split(self, facet: str, pairs: Sequence[tuple[System, Gold]]) -> Split:
        """The rows of a chunk, split by a facet: those of a pair sum up to its row.

        Counts of whole items, which no part has, are left out.
        """
        raise TypeError(f"{type(self).__name__} has no split method")

    def measure_certified(self, pairs: Sequence[tuple[System, Gold]]) -> tuple[Array, list[bytes]]:
        """The rows of a chunk, and for each what it takes to check it without searching."""
        raise TypeError(f"{type(self).__name__} has no measure_certified method")

    def check_certified(
        self, pairs: Sequence[tuple[System, Gold]], proofs: Sequence[bytes]
    ) -> Array:
        """The rows that follow from pairs and certificates.

        A certificate that does not fit its pair is a VerificationError.
        """
        raise TypeError(f"{type(self).__name__} has no check_certified method")

    def explain(self, system: System, gold: Gold) -> Explanation:
        """What matched, what is missing, what is surplus, ready for JSON."""
        raise OptionError(f"{self.name} cannot explain its scores", code="K308")

    def picture(self, system: System, gold: Gold, explanation: Explanation) -> str:
        """The pair as an SVG that marks what `explanation`, that of `explain`, says differs.

        Empty where nothing is drawn. A metric without explanations is given an empty one.
        """
        return ""

    def error_profile(self, explanations: Iterable[Explanation]) -> Explanation:
        """Which errors are the most frequent, from the explanations of all pairs."""
        raise OptionError(f"{self.name} has no profile of its errors", code="K308")

    def line(self, scores: MetricsDict) -> str:
        """The line that the tool prints which the metric stands in for."""
        raise OptionError(f"{self.name} has no line of its own", code="K337")

    def absent(self, gold: Gold) -> System:
        """What to score where the system gave nothing for a gold item.

        Metrics for which that is an error leave this alone.
        """
        raise PairingError(f"{self.name} cannot score an item that the system left out")

    def is_null(self, system: System) -> bool:
        """Whether the system gave nothing: no text, no node, nothing that can be read."""
        return _is_blank(system)

    def why_null(self, system: System) -> tuple[str, str]:
        """Of a system that gave nothing in all items: what is wrong with one, and advice."""
        return "", ""

    def objection(self, totals: Array) -> KaratError | None:
        """Why sums of rows are no result, such as an option that chooses what is not there."""
        sums = {
            side: [
                float(total)
                for name, total in zip(self.columns, totals, strict=True)
                if name.rpartition(".")[2] == side
            ]
            for side in "gs"
        }
        if not sums["g"] or not sums["s"] or any(map(any, sums.values())):
            return None
        return PairingError(
            f"{self!r} finds nothing to count, neither in gold nor in what the system gave",
            code="K242",
            advice="check the options that choose what is counted, and the formats of the files",
        )

    @classmethod
    def missing(cls) -> str:
        """What has to be installed before this metric runs here, in one line; empty: nothing."""
        return ""

    def runs(self) -> str:
        """The program that measuring would run, or the address it would contact; empty: none.

        Options called command, url or function are taken to name such. What a saved run names
        is not run without the user's word, so a metric that runs anything else says so here.
        """
        named = {name: self.options.get(name) for name in ("command", "url", "function")}
        return " and ".join(f"the {name} {value!r}" for name, value in named.items() if value)

    def jackknife(self, gold: Gold) -> list[Gold]:
        """The golds with one part left out each, where a gold has parts: references, a pyramid."""
        return []

    def extras(self, ids: Sequence[str], rows: Array) -> MetricsDict:
        """Figures of a whole run that no sum of rows gives, such as another tool's interval."""
        return MetricsDict()

    def caveats(self, totals: Array) -> list[str]:
        """What a user should know about these scores, told from the sum of rows."""
        return []

    def of_system(self, record: Any) -> System:
        """The system's side of a pair, from what a reader gave."""
        return record  # type: ignore[no-any-return]

    def of_gold(self, records: Sequence[Any]) -> Gold:
        """The gold side of a pair, from what the readers of all gold files gave."""
        if len(records) != 1:
            raise OptionError(f"{self.name} takes one gold file, got {len(records)}", code="K309")
        return records[0]  # type: ignore[no-any-return]

    def holds_gold(self, record: Any) -> bool:
        """Whether a system's record holds its own gold, so that no gold file is needed."""
        return False

    def program(self) -> str:
        """Name and version of the other program that the scores come from, if there is one."""
        return ""

    def has_other_gold(self, record: Any, golds: Sequence[Any]) -> bool:
        """Whether a system's record holds gold of its own that has nothing of the given gold."""
        return False

    # -- help for authors -----------------------------------------------------

    def row(self, **counts: float) -> Counts:
        """A row with these counts, and 0 in the other columns."""
        unknown = counts.keys() - set(self.columns)
        if unknown:
            raise TypeError(f"{self.name} has no columns {sorted(unknown)}")
        return [float(counts.get(column, 0)) for column in self.columns]

    def columns_of(self, totals: Array) -> list[Array]:
        """The columns of an array of totals, in declared order."""
        return [totals[..., i] for i in range(len(self.columns))]

    # -- who it is ------------------------------------------------------------

    def signature(self) -> str:
        """Everything about the metric that decides the numbers, in one line.

        The signature of an evaluation goes on with how its files were read.
        """
        from karat.core.registry import METRICS, package_of

        parts = [repr(self), f"karat:{VERSION}", package_of(METRICS, type(self))]
        known = declared(type(self))
        parts += [f"{k}:{v}" for k, v in signature.digests(known, self.options).items()]
        return "|".join(filter(None, parts))

    @classmethod
    def readable_kinds(cls) -> tuple[str, ...]:
        """The kinds of items that can be read for it."""
        return cls.kinds or (cls.kind,)

    # -- scoring in memory ----------------------------------------------------

    def score(self, system: System, gold: Gold) -> MetricsDict:
        """The scores of one pair."""
        return self.score_all([system], [gold])[0]

    def score_all(self, systems: Sequence[System], golds: Sequence[Gold]) -> list[MetricsDict]:
        """The scores of each pair, in order."""
        if len(systems) != len(golds):
            raise PairingError(
                f"there are {len(systems)} system items and {len(golds)} gold items", code="K202"
            )
        rows = self.measure_many(list(zip(systems, golds, strict=True)))
        self._warn(rows)
        return self.per_row(rows)

    def score_multi(self, systems: Sequence[System], gold: Gold) -> list[MetricsDict]:
        """The scores of many system items against one gold item."""
        return self.score_all(systems, [gold] * len(systems))

    def score_multi_all(
        self, systems: Sequence[Sequence[System]], golds: Sequence[Gold]
    ) -> list[list[MetricsDict]]:
        """The scores of groups of system items, each group against its own gold item."""
        if len(systems) != len(golds):
            raise PairingError(
                f"there are {len(systems)} groups of system items and {len(golds)} gold items",
                code="K202",
            )
        flat = self.score_all(
            [system for group in systems for system in group],
            [gold for group, gold in zip(systems, golds, strict=True) for _ in group],
        )
        scores = iter(flat)
        return [[next(scores) for _ in group] for group in systems]

    def evaluate(
        self, systems: Sequence[System], golds: Sequence[Gold]
    ) -> tuple[MetricsDict, list[MetricsDict]]:
        """The scores of the whole, and of each pair."""
        if not systems:
            raise PairingError(f"{self.name} cannot evaluate an empty list", code="K203")
        if len(systems) != len(golds):
            raise PairingError(
                f"there are {len(systems)} system items and {len(golds)} gold items", code="K202"
            )
        rows = self.measure_many(list(zip(systems, golds, strict=True)))
        self._warn(rows)
        return self.total_scores(rows.sum(axis=0)), self.per_row(rows)

    def _warn(self, rows: Array) -> None:
        for caveat in self.caveats(np.asarray(rows.sum(axis=0))):
            warnings.warn(caveat, stacklevel=3)

    def total_scores(self, totals: Array) -> MetricsDict:
        """The scores of one sum of rows, as plain numbers."""
        return nest(
            (path, self.plain(path, value)) for path, value in leaves(self.summarize(totals))
        )

    def per_row(self, rows: Array) -> list[MetricsDict]:
        """The scores of each row on its own."""
        return nest_rows(
            [
                (path, [self.plain(path, each) for each in np.asarray(values).tolist()])
                for path, values in leaves(self.summarize(rows))
            ]
        )

    @property
    def perfect(self) -> float:
        """The headline score of a system that gives the gold itself."""
        if self.headline in self.lower_is_better:
            return 0.0
        return self.scale_of((self.headline,))

    def scale_of(self, path: tuple[str, ...]) -> float:
        """The scale of one score."""
        return self.scales.get(".".join(path), self.scale)

    def range_of(self, path: tuple[str, ...]) -> tuple[float, float]:
        """Where one score can lie; an end that it does not have is infinite.

        Error rates can exceed their scale: intervals take the greatest item into account.
        """
        name = ".".join(path)
        low, high = self.ranges.get(name, (0.0, self.scale_of(path)))
        if name not in self.unbounded:
            return low, high
        return (low if name in self.ranges else -inf), inf

    def plain(self, path: tuple[str, ...], value: Any) -> Any:
        """A number as a user should see it: whole where it is a sum, None where undefined."""
        result = number(value)
        if isinstance(result, float):
            if result != result:
                return None
            if result.is_integer() and ".".join(path) in self.totals:
                return int(result)
        return result


def _is_blank(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return isinstance(value, (list, tuple)) and all(map(_is_blank, value))
