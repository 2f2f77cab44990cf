"""Results of several runs: paired tests, rank clusters, and the spread over runs of one system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.arguments import checks_arguments
from karat.core import signature
from karat.core.capabilities import ChoosesScores, has
from karat.core.marks import find_path
from karat.core.reading.items import Key
from karat.core.runs import notebook
from karat.core.runs.notebook import Tabular
from karat.core.scores import MetricsDict, leaves, nest
from karat.core.scoring import plain
from karat.errors import OptionError, PairingError, counted, quote_some
from karat.version import VERSION

if TYPE_CHECKING:
    from karat.core.runs.evaluation import Evaluation
    from karat.stats import Difference
    from karat.stats.paired_tests import Test


def aligned(runs: Sequence[Evaluation]) -> list[Evaluation]:
    """Runs that can be compared row by row, where they are about the same items.

    Of scores that were made elsewhere, where no gold file tells the items and their order: those
    scores that all runs have, and the items in the order of the first run. All else is for
    `check_comparable`.
    """
    for each in runs:
        if not hasattr(each, "metric"):
            raise OptionError(f"an evaluation cannot be compared with {each!r}", code="K316")
    metrics = [run.metric for run in runs]
    if not all(has(metric, ChoosesScores) for metric in metrics):
        return list(runs)
    choosing: list[Any] = metrics
    result = list(runs)
    if any(metric != metrics[0] for metric in metrics):
        names = [name for name in choosing[0].names if all(name in m.names for m in choosing)]
        ranges = [text for text in choosing[0].range if all(text in m.range for m in choosing)]
        if not names:
            raise OptionError(
                "the runs have no score in common: "
                + "; ".join(", ".join(metric.names) for metric in choosing),
                code="K316",
            )
        result = [
            run.taken(range(len(run)), *metric.chosen(names, ranges))
            for run, metric in zip(runs, choosing, strict=True)
        ]
    keys = result[0].keys
    return [run if run.keys == keys else in_order(run, keys) for run in result]


def in_order(run: Evaluation, keys: Sequence[Key]) -> Evaluation:
    """A run with its items in the order of these keys; as it is, where it has others."""
    place = {key: i for i, key in enumerate(run.keys)}
    if len(place) < len(run) or place.keys() != set(keys) or len(keys) != len(run):
        return run
    return run.taken([place[key] for key in keys])


def check_comparable(a: Evaluation, b: Evaluation) -> None:
    """Two runs by one metric, on the same items of the same gold files."""
    if a.metric != b.metric:
        raise OptionError(f"cannot compare {a.metric!r} with {b.metric!r}", code="K316")
    if a.program and b.program and a.program != b.program:
        raise OptionError(
            f"cannot compare scores by {a.program} with scores by {b.program}", code="K316"
        )
    if a.inputs and b.inputs and a.inputs.gold_digests() != b.inputs.gold_digests():
        raise PairingError("the two systems were not measured against the same gold", code="K209")
    if a.inputs and b.inputs and a.inputs.gold_readings() != b.inputs.gold_readings():
        ways = " and ".join("+".join(each.inputs.gold_readings()) for each in (a, b) if each.inputs)
        raise PairingError(
            f"the gold of the two systems was read differently: {ways}",
            code="K209",
            advice="measure both with the same formats and the same options of reading",
        )
    if a.ids == b.ids and a.gold_marks and b.gold_marks and a.gold_marks != b.gold_marks:
        marks = zip(a.ids, a.gold_marks, b.gold_marks, strict=True)
        differing = [name for name, one, other in marks if one != other]
        raise PairingError(
            f"the files of the two systems hold different gold for {len(differing)} of "
            f"{counted(len(a), 'item')}: {quote_some(differing)}",
            code="K216",
            advice="give both the same ``gold``, or ids if their items are in another order",
        )
    if a.ids != b.ids:
        differing = sorted(set(a.ids) ^ set(b.ids)) or ["the order"]
        raise PairingError(
            f"the two systems were not measured on the same items: {quote_some(differing)} differ",
            code="K209",
        )


@dataclass(repr=False, eq=False)
class Comparison(Tabular):
    """The result of a paired test of two systems."""

    first: Evaluation
    second: Evaluation
    test: Test
    trials: int
    seed: int
    level: float
    differences: Mapping[tuple[str, ...], Difference]
    cluster: str | None = None
    """The field whose values make clusters of items, where there is one."""

    def __repr__(self) -> str:
        path = self.first.metric.about.path_of()
        found = self.differences.get(path)
        shown = ""
        if found is not None:
            p = notebook.shown_p(found.p_value)
            p = p if p.startswith("<") else f"= {p}"
            shown = f": {'.'.join(path)} {notebook.signed(found.difference)}, p {p}"
        return f"<Comparison of {self.first.system} with {self.second.system}{shown}>"

    def _repr_html_(self) -> str:
        """A table for notebooks: differences, and their intervals drawn."""
        names = " – ".join(notebook.short_names([self.first.system, self.second.system]))
        known = self.first.metric.about
        rows = []
        for path, found in self.differences.items():
            name = ".".join(path)
            title = notebook.strong(name) if name == known.headline else notebook.escape(name)
            rows.append([title, *difference_cells(found, known.scale_of(path))])
        title = f"{names}: {self.first.metric!r}, {counted(len(self.first), 'item')}, {self.test}"
        return notebook.table(title, ("score", *DIFFERENCE), rows, self.first.signature())

    def to_columns(self) -> dict[str, Sequence[Any]]:
        """A row for each score: both values, the difference, its interval, the p-value."""
        return _columns(
            {"score": ".".join(path), **_plain(found)} for path, found in self.differences.items()
        )

    def __getitem__(self, score: str) -> Difference:
        return self.differences[find_path(self.differences, score)]

    def summary(self) -> dict[str, Any]:
        """The comparison as JSON-ready values."""
        from karat.stats.paired_tests import EXACT_TESTS

        known = self.first.metric.about
        return {
            "first": self.first.system,
            "second": self.second.system,
            "test": self.test,
            "trials": None if self.test in EXACT_TESTS else self.trials,
            "seed": self.seed,
            "confidence": self.level,
            **({"cluster": self.cluster} if self.cluster else {}),
            "differences": nest(
                (
                    path,
                    {
                        "first": plain(known, path, d.first),
                        "second": plain(known, path, d.second),
                        "difference": plain(known, (), d.difference),
                        "low": d.interval.low if d.interval else None,
                        "high": d.interval.high if d.interval else None,
                        "interval_method": "skew-t" if d.interval else None,
                        **({"interval_reason": d.interval_reason} if not d.interval else {}),
                        "p_value": d.p_value,
                    },
                )
                for path, d in self.differences.items()
            ),
        }


DIFFERENCE = ("first", "second", "difference", "interval", "", "p")


def difference_cells(found: Difference, scale: float) -> list[str]:
    """The cells of a difference in a table of HTML."""
    interval, drawing = "–", ""
    if found.interval is not None:
        low, high = found.interval.low, found.interval.high
        most = max(abs(low), abs(high)) or 1.0
        interval = f"[{notebook.signed(low, scale)}, {notebook.signed(high, scale)}]"
        drawing = notebook.drawn(low, found.difference, high, -most, most, 0.0)
    return [
        notebook.shown(found.first, scale),
        notebook.shown(found.second, scale),
        notebook.signed(found.difference, scale),
        interval,
        drawing,
        notebook.escape(notebook.shown_p(found.p_value)),
    ]


def _plain(found: Difference) -> dict[str, Any]:
    return {
        "first": found.first,
        "second": found.second,
        "difference": found.difference,
        "low": found.interval.low if found.interval else None,
        "high": found.interval.high if found.interval else None,
        "p_value": found.p_value,
    }


def _columns(rows: Iterable[dict[str, Any]]) -> dict[str, Sequence[Any]]:
    listed = list(rows)
    return {name: [row[name] for row in listed] for name in listed[0]} if listed else {}


class Ranking(Tabular):
    """All pairs of several systems on one score, Holm-corrected, with rank clusters."""

    @checks_arguments
    def __init__(
        self, evaluations: Sequence[Evaluation], score: str | None = None, *, alpha: float = 0.05,
        test: Test = "auto", trials: int = 10_000, level: float = 0.95, seed: int = 0,
        cluster: str | None = None,
    ) -> None:  # fmt: skip
        from karat.stats import holm, rank_clusters

        if not 0 <= alpha <= 1:
            raise OptionError(f"alpha lies between 0 and 1, got {alpha}", code="K302")
        if not len(evaluations):
            raise OptionError("there is no run to rank", code="K322")
        evaluations = aligned(evaluations)
        metric = evaluations[0].metric
        self.evaluations = list(evaluations)
        self.path = metric.about.path_of(score)
        self.score = ".".join(self.path)
        self.alpha = alpha
        self.cluster = cluster
        """The field whose values make clusters of items, where there is one."""
        count = len(evaluations)
        self.pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]
        self.comparisons = [
            evaluations[i].compare(
                evaluations[j], test=test, trials=trials, level=level, seed=seed, cluster=cluster
            )
            for i, j in self.pairs
        ]
        # All runs are by one metric here: comparing them has checked it.
        self.values = [dict(leaves(e.scores()))[self.path] for e in evaluations]
        raw = [c.differences[self.path].p_value for c in self.comparisons]
        if test == "mcnemar" and None in raw:
            raise OptionError(
                f"the test 'mcnemar' is for means of 0 and 1, which {self.score} is not",
                code="K302",
                advice="use the test 'auto'",
            )
        corrected = holm([1.0 if p is None else p for p in raw])
        matrix = np.ones((count, count))
        for (i, j), p in zip(self.pairs, corrected, strict=True):
            matrix[i, j] = matrix[j, i] = p
        self.adjusted = [
            None if p is None else each for p, each in zip(raw, corrected, strict=True)
        ]
        """The p-value of each pair after Holm; None where a pair has no test."""
        sign = -1 if self.score in metric.about.lower_is_better else 1
        worth = [sign * value if value is not None else -np.inf for value in self.values]
        self.clusters = rank_clusters(worth, matrix, alpha)

    @property
    def remarks(self) -> list[str]:
        """A warning for each system whose outputs are those of an earlier one, byte by byte."""
        first: dict[tuple[str, str], Evaluation] = {}
        found = []
        for each in self.evaluations:
            files = each.inputs.systems if each.inputs else []
            if len(files) != 1 or not files[0].path or each.system != files[0].name:
                continue  # from memory, or one of several systems in a file
            same = first.setdefault((files[0].sha256, str(files[0].options)), each)
            if same is not each and files[0].sha256:
                names = (repr(each.system), repr(same.system))
                found.append(
                    f"{names[0]} is given twice"
                    if names[0] == names[1]
                    else f"{names[0]} has the same content as {names[1]}"
                )
        return list(dict.fromkeys(found))

    @property
    def order(self) -> list[int]:
        """The places of the systems, best first; undefined scores come last."""
        lower = self.score in self.evaluations[0].metric.about.lower_is_better
        sign = 1 if lower else -1
        return sorted(
            range(len(self.values)),
            key=lambda i: (self.values[i] is None, sign * (self.values[i] or 0)),
        )

    def __repr__(self) -> str:
        order = sorted(range(len(self.clusters)), key=lambda i: self.clusters[i])
        shown = ", ".join(
            f"{self.clusters[i]}. {self.evaluations[i].system} {notebook.shown(self.values[i])}"
            for i in order
        )
        return f"<Ranking by {self.score} of {self.evaluations[0].metric!r}: {shown}>"

    def _repr_html_(self) -> str:
        """Two tables for notebooks: the systems with their ranks, and all pairs of them."""
        order = sorted(range(len(self.clusters)), key=lambda i: self.clusters[i])
        given = [each.system for each in self.evaluations]
        names = dict(zip(given, notebook.short_names(given), strict=True))
        scale = self.evaluations[0].metric.about.scale_of(self.path)
        systems = [
            [
                notebook.escape(names[given[i]]),
                notebook.shown(self.values[i], scale),
                str(self.clusters[i]),
            ]
            for i in order
        ]
        pairs = [
            [
                notebook.escape(f"{names[found.first.system]} – {names[found.second.system]}"),
                *difference_cells(found.differences[self.path], scale)[:-1],
                notebook.escape(notebook.shown_p(p)),
            ]
            for found, p in zip(self.comparisons, self.adjusted, strict=True)
        ]
        metric, size = self.evaluations[0].metric, len(self.evaluations[0])
        return notebook.table(
            f"{metric!r}, {counted(size, 'item')}", ("system", self.score, "rank"), systems
        ) + notebook.table(
            "all pairs, p-values after Holm", ("systems", *DIFFERENCE), pairs,
            signature.of_runs(self.evaluations),
        )  # fmt: skip

    def to_columns(self) -> dict[str, Sequence[Any]]:
        """A row for each system: its score, its rank, how many items were left out."""
        return {
            "system": [each.system for each in self.evaluations],
            self.score: self.values,
            "rank": [int(each) for each in self.clusters],
            "skipped": [each.skipped for each in self.evaluations],
        }

    def pairs_to_columns(self) -> dict[str, Sequence[Any]]:
        """A row for each pair of systems, with the p-value after Holm."""
        return _columns(
            {
                "system": found.first.system,
                "other": found.second.system,
                **_plain(found.differences[self.path]),
                "adjusted_p_value": p,
            }
            for found, p in zip(self.comparisons, self.adjusted, strict=True)
        )

    def summary(self) -> dict[str, Any]:
        """The ranking as JSON-ready values."""
        return {
            "karat": VERSION,
            "metric": self.evaluations[0].metric.name,
            "signature": signature.of_runs(self.evaluations),
            "n": len(self.evaluations[0]),
            **(
                {
                    "cluster": self.cluster,
                    "clusters": self.evaluations[0].cluster_count(self.cluster),
                }
                if self.cluster
                else {}
            ),
            "score": self.score,
            "alpha": self.alpha,
            "systems": [
                {"system": e.system, "score": value, "cluster": cluster, "skipped": e.skipped}
                for e, value, cluster in zip(
                    self.evaluations, self.values, self.clusters, strict=True
                )
            ],
            "comparisons": [
                {**c.summary(), "adjusted_p_value": p}
                for c, p in zip(self.comparisons, self.adjusted, strict=True)
            ],
        }


# -- runs of one system, such as seeds ------------------------------------------------------------


class Replicates:
    """Mean, standard deviation, least and greatest value of every score over runs.

    The standard deviation is that of a sample (n - 1 below the line), and
    undefined for a single run; so is any figure where a run has no score.
    """

    def __init__(self, runs: Sequence[Evaluation]) -> None:
        if not runs:
            raise OptionError("there are no runs to average", code="K372")
        self.runs = aligned(runs)
        self.metric = self.runs[0].metric
        for run in self.runs[1:]:
            if run.metric != self.metric:
                raise OptionError(
                    f"cannot average {self.metric!r} with {run.metric!r}", code="K316"
                )
            check_comparable(self.runs[0], run)

    def scores(self) -> MetricsDict:
        """Each score as mean, sd, min and max."""
        return _over([run.scores() for run in self.runs])

    def by(self, field: str) -> dict[str, MetricsDict]:
        """Mean, sd, min and max of each score for each group of items."""
        found = [run.by(field) for run in self.runs]
        if any(each.keys() != found[0].keys() for each in found):
            raise PairingError(f"the runs have different groups by {field!r}", code="K209")
        return {group: _over([each[group] for each in found]) for group in found[0]}

    def macro(self, field: str) -> MetricsDict:
        """Mean, sd, min and max of the means over groups."""
        return _over([run.macro(field) for run in self.runs])

    def summary(self, by: Sequence[str] = ()) -> dict[str, Any]:
        """The replicates as JSON-ready values."""
        return {
            "karat": VERSION,
            "metric": self.metric.name,
            "signature": signature.of_runs(self.runs),
            "n": len(self.runs[0]),
            "systems": [run.system for run in self.runs],
            "scores": self.scores(),
            **(
                {"by": {f: {"groups": self.by(f), "macro": self.macro(f)} for f in by}}
                if by
                else {}
            ),
        }


def _over(scores: Sequence[MetricsDict]) -> MetricsDict:
    found = [dict(leaves(each)) for each in scores]
    return nest((path, _spread([each[path] for each in found])) for path in found[0])


def _spread(values: Sequence[Any]) -> Any:
    if any(value is None for value in values):
        return dict.fromkeys(("mean", "sd", "min", "max"))
    array = np.asarray(values, float)
    return {
        "mean": float(array.mean()),
        "sd": float(array.std(ddof=1)) if len(array) > 1 else None,
        "min": float(array.min()),
        "max": float(array.max()),
    }
