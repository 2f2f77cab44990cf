"""Chooses an output for each item: by consensus of the candidates, or by gold as an oracle."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.arguments import checks_arguments
from karat.core.metric import Metric
from karat.core.options import OnError
from karat.core.plugins import METRICS, find_row
from karat.core.reading.items import Pair
from karat.core.reading.streams import PathLike
from karat.core.registry import parse
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import Array
from karat.core.scoring import values_of
from karat.engine.candidates import Pool, read_candidates, runs_of
from karat.engine.inputs import is_path
from karat.engine.jobs import Jobs
from karat.engine.run import measure_pairs
from karat.errors import FormatError, KaratError, MissingExtra, OptionError, PairingError, counted
from karat.stats.choosing import best_choice, is_quotient
from karat.stats.resampling import check_seed
from karat.version import VERSION

if TYPE_CHECKING:
    from karat.core.runs.comparison import Comparison

Ints: TypeAlias = npt.NDArray[np.int64]
Way: TypeAlias = Literal["oracle", "random", "worst"]
WAYS: tuple[Way, ...] = ("oracle", "random", "worst")
"""How gold chooses: the best, a random or the worst candidate."""
_PAIRS_AT_ONCE = 50_000
_DRAWS = 100
_CLOSE = 1e-12
_JUDGES = {
    "text": ("chrf", "bleu"),
    "graph": ("smatch", "mrp", "sembleu", "edm"),
    "amr": ("sembleu", "smatch"),
    "tree": ("attachment", "derp"),
    "logic": ("lf-parts", "lf-exact"),
}
"""By kind: metrics for judging the choice of another one; the first is used that can measure these
items and has other figures."""


@checks_arguments
def mbr(
    metric: Metric[Any, Any] | str,
    systems: Sequence[Any] | Mapping[str, Any] | PathLike,
    gold: object = None,
    *,
    weights: Sequence[float] | None = None,
    judge: Metric[Any, Any] | str | None = None,
    score: str | None = None,
    format: str | None = None,
    gold_format: str | None = None,
    format_options: Mapping[str, Any] | None = None,
    on_error: OnError = "auto",
    jobs: Jobs = 1,
    seed: int = 0,
) -> Consensus:
    """Chooses for each item the output that agrees best with the others (minimum Bayes risk).

    `systems` are paths, lists of items, a mapping of names to such, or one path of a file with
    several samples of each id. The utility of an output is its mean score against all other
    outputs for the same item, weighted by `weights` (one for each system). With `gold`, the chosen
    outputs are measured beside the systems, by the same metric, which favours them, and by `judge`.
    """
    metric = parse(metric)
    check_seed(seed)
    if judge is not None and gold is None:
        raise OptionError("a ``judge`` needs gold", code="K303", advice="give ``gold``")
    given = [systems] if is_path(systems) else systems
    if not isinstance(given, (Sequence, Mapping)):
        raise OptionError(
            "the systems are paths, lists, or a mapping of names to such", code="K322"
        )
    pool = read_candidates(
        metric, given, format=format, format_options=format_options or {}, on_error=on_error
    )
    weigh = _weights(weights, pool)
    path = metric.about.path_of(score)
    result = Consensus(metric, path, pool, weigh, _agreement(metric, path, pool, jobs), seed)
    if gold is not None:
        reading = {
            "gold_format": gold_format,
            "format_options": format_options,
            "on_error": on_error,
            "jobs": jobs,
            **({"format": format} if format else {}),
        }
        result.measure(metric, given, gold, reading, result.score)
        if judge is not None:
            result.measure(parse(judge), given, gold, reading)
        else:
            _judge_by_another(result, given, gold, reading)
    return result


def _judge_by_another(
    result: Consensus, systems: Any, gold: object, reading: Mapping[str, Any]
) -> None:
    """Measures by a second metric: the one that chose is biased towards what it chose."""
    problems: list[str] = []
    for name in _JUDGES.get(result.metric.kind, ()):
        if name == result.metric.name or not find_row(METRICS, name):
            continue
        try:
            result.measure(parse(name), systems, gold, reading)
        except MissingExtra:
            continue
        except KaratError as problem:  # this judge was not asked for
            problems.append(f"{name} cannot be the judge: {problem.message}")
            continue
        if not result.measured[-1].repeats(result.measured[0]):
            return
        result.measured.pop()
    result.pool.warnings += problems[:1]


def _weights(weights: Sequence[float] | None, pool: Pool) -> Array:
    if weights is None:
        return np.ones(len(pool.names))
    found = np.asarray(weights, np.float64)
    if not np.isfinite(found).all() or (found < 0).any() or not found.any():
        raise OptionError("``weights`` are numbers from 0 up, not all of them 0", code="K302")
    if found.shape != (len(pool.names),):
        raise OptionError(
            f"there are {found.size} ``weights``, and {len(pool.names)} systems", code="K302"
        )
    return found


def _agreement(metric: Metric[Any, Any], path: tuple[str, ...], pool: Pool, jobs: Jobs) -> Array:
    """The score of each candidate against each other one, by item; NaN where there is none."""
    size = len(pool.names)
    found = np.full((len(pool), size, size), np.nan)
    step = max(1, _PAIRS_AT_ONCE // max(1, size * (size - 1)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is said of gold is not said of outputs
        for first in range(0, len(pool), step):
            places: list[tuple[int, int, int]] = []
            pairs: list[Pair] = []
            for i, j, k, pair in _pairs(pool, range(first, min(first + step, len(pool)))):
                places.append((i, j, k))
                pairs.append(pair)
            if not pairs:
                continue
            scores = _scores(metric, path, pairs, jobs)
            found[tuple(zip(*places, strict=True))] = scores
    return found


def _scores(
    metric: Metric[Any, Any], path: tuple[str, ...], pairs: Sequence[Pair], jobs: Jobs
) -> Array:
    """The score of each pair; NaN where the other output cannot stand for gold."""
    try:
        rows = measure_pairs(metric, pairs, jobs=jobs, as_read=True).counts
    except FormatError:
        if len(pairs) == 1:
            return np.array([np.nan])
        half = len(pairs) // 2
        parts = pairs[:half], pairs[half:]
        return np.concatenate([_scores(metric, path, part, 1) for part in parts])
    return values_of(metric, path, rows)


def _pairs(pool: Pool, items: Sequence[int]) -> Iterator[tuple[int, int, int, Pair]]:
    number = 0
    for i in items:
        row = pool.candidates[i]
        for j, one in enumerate(row):
            for k, other in enumerate(row):
                if j != k and one is not None and other is not None:
                    name = f"{pool.keys[i][0]} ({pool.names[j]}, {pool.names[k]})"
                    yield i, j, k, Pair(number, name, {}, one.system, other.gold)
                    number += 1


class Consensus:
    """The chosen output of each item, its agreement with the others, and its scores by gold."""

    def __init__(
        self,
        metric: Metric[Any, Any],
        path: tuple[str, ...],
        pool: Pool,
        weights: Array,
        agreement: Array,
        seed: int,
    ) -> None:
        self.metric = metric
        self.score = ".".join(path)
        self.pool = pool
        self.names = pool.names
        self.weights = weights
        self.agreement = agreement
        """The score of each candidate against each other one: item, candidate, other."""
        self.seed = seed
        self.measured: list[_Measured] = []
        """The figures by the metric and by the judge, if there is gold."""
        self.utilities = self._utilities(len(self.names))
        """The mean agreement by item and candidate; NaN if it cannot be compared with another."""
        self.choice = self._chosen(self.utilities)
        """Which candidate was chosen for each item."""

    def measure(
        self,
        metric: Metric[Any, Any],
        systems: Any,
        gold: object,
        reading: Mapping[str, Any],
        score: str | None = None,
    ) -> None:
        """Adds figures against gold by a score of a metric, the headline unless it is named."""
        runs = _Measured.evaluated(metric, systems, self.pool, gold, reading)
        self.measured.append(_Measured(metric, score, runs, self.pool, self.choice))

    @property
    def ids(self) -> list[str]:
        """The ids of the items."""
        return [str(key[0]) for key in self.pool.keys]

    @property
    def chosen(self) -> list[str]:
        """The name of the system whose output was chosen, for each item."""
        return [self.names[j] for j in self.choice]

    @property
    def outputs(self) -> list[Any]:
        """The chosen outputs, as they were read."""
        rows = zip(self.pool.candidates, self.choice, strict=True)
        return [found.record for row, j in rows if (found := row[j]) is not None]

    @property
    def _sign(self) -> float:
        return -1.0 if self.score in self.metric.about.lower_is_better else 1.0

    def _utilities(self, size: int) -> Array:
        """The weighted mean agreement of the first `size` candidates with each other."""
        agreement = self.agreement[:, :size, :size]
        # By a power of two, which changes no digit, so that sums of large weights are finite.
        scaled = np.ldexp(self.weights, -np.frexp(self.weights.max())[1])
        weights = np.where(np.isnan(agreement), 0.0, scaled[:size])
        total = weights.sum(axis=2)
        worth = (np.nan_to_num(agreement) * weights).sum(axis=2)
        found = np.full(total.shape, np.nan)
        np.divide(worth, total, out=found, where=total > 0)
        return found

    def _chosen(self, utilities: Array) -> Ints:
        """The best of each item; of equals, the first."""
        size = utilities.shape[1]
        there = self.pool.available()[:, :size]
        # No other output can be scored against one that cannot be read, which comes last.
        others = there.sum(axis=1, keepdims=True) > 1
        unread = there & others & np.isnan(self.agreement[:, :size, :size]).all(axis=1)
        ranked = np.where(np.isnan(utilities), -1e300, self._sign * utilities)
        ranked = np.where(unread, -2e300, ranked)
        ranked = np.where(there, ranked, -np.inf)
        best = ranked.max(axis=1, keepdims=True)
        # Sums of the same scores in another order differ in their last digit.
        return np.asarray(np.argmax(ranked >= best - _CLOSE * np.abs(best), axis=1), np.int64)

    def _by(self, which: int) -> _Measured:
        """The figures by the metric (0) or by the judge (1)."""
        if not self.measured:
            raise OptionError("an oracle needs gold", code="K303", advice="give ``gold``")
        if not 0 <= which < len(self.measured):
            raise OptionError(
                f"0 is the metric, and 1 the judge if there is one; got {which}",
                code="K302",
            )
        return self.measured[which]

    @checks_arguments
    def curve(self, which: int = 0, ways: Sequence[Way] = WAYS) -> list[dict[str, float | int]]:
        """How the number of candidates matters: consensus, and other ways to choose.

        For the first 1, 2, 4, ... systems, by the metric (0) or by the judge (1).
        """
        found = self._by(which)
        sizes = [1 << n for n in range(len(self.names).bit_length()) if 1 << n < len(self.names)]
        rows = []
        for size in [*sizes, len(self.names)]:
            chosen = self._chosen(self._utilities(size))
            rows.append({"candidates": size, **found.choices(size, chosen, self.seed, ways)})
        return rows

    @checks_arguments
    def write(self, path: PathLike | IO[bytes]) -> None:
        """The chosen outputs in the format of the systems' files."""
        self.pool.write(self.choice.tolist(), path)

    @checks_arguments
    def comparisons(self, which: int = 0, **options: Any) -> list[Comparison]:
        """The chosen outputs against each system, on the same items."""
        found = self._by(which)
        return [found.selected.compare(run, seed=self.seed, **options) for run in found.runs]

    def __repr__(self) -> str:
        items = counted(len(self.pool), "item")
        return f"<Consensus of {len(self.names)} systems on {items} by {self.metric!r}>"

    @checks_arguments
    def to_dict(self, ways: Sequence[Way] = ()) -> dict[str, Any]:
        """Everything as JSON-ready values; also the curve of these ways to choose by gold."""
        counts = np.bincount(self.choice, minlength=len(self.names)).tolist()
        worth = [
            None if not np.isfinite(row[j]) else float(row[j])
            for row, j in zip(self.utilities, self.choice, strict=True)
        ]
        return {
            "karat": VERSION,
            "metric": repr(self.metric),
            "signature": self.metric.signature(),
            "score": self.score,
            "systems": self.names,
            "weights": self.weights.tolist(),
            "chosen": dict(zip(self.names, counts, strict=True)),
            "measured": [
                {
                    "metric": repr(each.metric),
                    "score": each.score,
                    "biased": n == 0,
                    "consensus": each.value(each.selected),
                    "systems": {run.system: each.value(run) for run in each.runs},
                    "comparisons": [found.summary() for found in self.comparisons(n)],
                    **({"method": each.method, "curve": self.curve(n, ways)} if ways else {}),
                }
                for n, each in enumerate(self.measured)
            ],
            "items": [
                {"id": name, "chosen": chosen, "utility": utility}
                for name, chosen, utility in zip(self.ids, self.chosen, worth, strict=True)
            ],
            "warnings": [*self.pool.warnings, *self.remarks()],
        }

    def remarks(self) -> list[str]:
        """Warnings on how to read the figures."""
        few = len(self.names) == 2 and not np.ptp(self.weights)
        notes = (
            ["two candidates always agree equally with each other: give three or more"]
            if few
            else []
        )
        if not self.measured:
            return notes
        name = self.metric.name
        found = [
            *notes,
            f"{name} chose, so {name} favours what was chosen: judge the gain by another metric",
        ]
        if len(self.measured) == 1:
            found[-1] += " (``judge`` names it)"
        return found


class _Measured:
    """All systems, and what was chosen of them, against gold by one metric."""

    def __init__(
        self,
        metric: Metric[Any, Any],
        score: str | None,
        runs: list[Evaluation],
        pool: Pool,
        chosen: Ints,
    ) -> None:
        self.metric = metric
        self.runs = runs
        self._places = places = self._places_of(runs[0], pool)
        """The item of the pool that each row of the runs is about."""
        self._rows = np.stack([run.counts for run in runs], axis=1)
        self._available = pool.available()[places]
        self._path = metric.about.path_of(score)
        self.score = ".".join(self._path)
        self._sign = -1.0 if self.score in metric.about.lower_is_better else 1.0
        self.selected = runs[0].taken(range(len(runs[0])))
        self.selected.counts = self._picked(chosen[places])
        self.selected.system = "consensus"

    @staticmethod
    def evaluated(
        metric: Metric[Any, Any],
        systems: Any,
        pool: Pool,
        gold: object,
        reading: Mapping[str, Any],
    ) -> list[Evaluation]:
        """The runs of all systems, on the same items."""
        given = list(systems.values() if isinstance(systems, Mapping) else systems)
        if pool.in_one_file:
            if isinstance(gold, (list, tuple)) and gold and all(map(is_path, gold)):
                if len(gold) > 1:
                    raise OptionError(
                        f"samples of one file are measured against one gold file, got {len(gold)}",
                        code="K309",
                        advice="put the references of an item into one record",
                    )
                (gold,) = gold
            given = [pool.samples(j) for j in range(len(pool.names))]
            reading = {name: each for name, each in reading.items() if name != "format_options"}
        return runs_of(metric, zip(pool.names, given, strict=True), gold, reading)

    @staticmethod
    def _places_of(run: Evaluation, pool: Pool) -> Ints:
        if pool.by_position:
            return np.array(run.places, np.int64)
        whole = {key: i for i, key in enumerate(pool.keys)}
        by_id = {key[0]: i for i, key in enumerate(pool.keys)}
        found = [whole.get(key, by_id.get(key[0], -1)) for key in run.keys]
        if -1 in found:
            missing = run.keys[found.index(-1)][0]
            raise PairingError(f"no system has an output for {missing!r}", code="K203")
        return np.array(found, np.int64)

    def _picked(self, chosen: Ints) -> Array:
        return self._rows[np.arange(len(self._rows)), chosen]

    def _values(self, totals: Array) -> Array:
        return values_of(self.metric, self._path, totals)

    def value(self, run: Evaluation) -> float:
        """The score of a run."""
        return float(self._values(run.totals))

    def repeats(self, other: _Measured) -> bool:
        """Whether all figures are those of another metric, as LAS may have two names."""
        return all(
            abs(self.value(a) - other.value(b)) < _CLOSE
            for a, b in zip([*self.runs, self.selected], [*other.runs, other.selected], strict=True)
        )

    @property
    def method(self) -> str:
        """Whether the oracle is the best choice there is, or found by single changes."""
        exact = is_quotient(self._rows[: 1 << 12], self._values)
        return "exact" if exact else "greedy"

    def choices(self, size: int, chosen: Ints, seed: int, ways: Sequence[Way]) -> dict[str, float]:
        """The score of several ways to choose among the first candidates."""
        rows, available = self._rows[:, :size], self._available[:, :size].copy()
        available[~available.any(axis=1), 0] = True  # what is missing is scored as nothing
        items = np.arange(len(rows))

        def total(choice: Ints) -> float:
            return float(self._values(rows[items, choice].sum(axis=0)))

        def best(sign: float) -> float:
            return total(best_choice(rows, available, lambda sums: sign * self._values(sums)))

        def random() -> float:
            draw = np.random.default_rng(seed)
            numbered = available.cumsum(axis=1)
            found = []
            for _ in range(_DRAWS):
                wanted = draw.integers(1, numbered[:, -1], endpoint=True)
                found.append(total(np.argmax(numbered == wanted[:, None], axis=1)))
            return float(np.mean(found))

        made: dict[Way, Callable[[], float]] = {
            "oracle": lambda: best(self._sign),
            "random": random,
            "worst": lambda: best(-self._sign),
        }
        return {"consensus": total(chosen[self._places]), **{way: made[way]() for way in ways}}
