"""The result of a run: the metric, the items, and a row of counts for each."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any

import msgspec
import numpy as np

from karat.arguments import checks_arguments, shown
from karat.core.capabilities import AddsFigures, Searches, Warns, facets_of, has
from karat.core.files.shards import PathLike
from karat.core.files.writing import json_lines, whole_file
from karat.core.metric import Metric
from karat.core.reading.items import Key, Named, item_names
from karat.core.runs import notebook, store
from karat.core.runs.notebook import Tabular
from karat.core.runs.store import Inputs
from karat.core.scores import Array, MetricsDict, leaves, nest, undefined_is_nan
from karat.core.scoring import plain, row_scores, total_scores
from karat.errors import (
    MissingExtra,
    OptionError,
    PairingError,
    check_choice,
    counted,
    did_you_mean,
    part_of,
    quote_some,
)
from karat.version import VERSION

if TYPE_CHECKING:
    from karat.core.runs.comparison import Comparison
    from karat.stats.intervals import Intervals, Method, Sample
    from karat.stats.paired_tests import Test
    from karat.stats.power import PowerCurve
    from karat.stats.resampling import Clusters, Resampling


#: What is the same in an evaluation and in its saved run.
_AS_KEPT = (
    "version", "system", "inputs", "skipped", "warnings", "certificates", "gold_marks",
    "system_field", "program", "by_position",
)  # fmt: skip
#: What is the same in an evaluation and in that of some of its items.
_OF_ALL_ITEMS = (
    "version", "system", "inputs", "skipped", "system_field", "program", "by_position", "is_loaded",
)  # fmt: skip
#: A number, or a class of numbers like 10-19 and 100-.
_SIZE = r"\d{1,18}(-\d*)?"


class Parts(msgspec.Struct, frozen=True, eq=False):
    """The counts of all items split by a facet: a row for each item and value."""

    items: list[int]
    values: list[str]
    counts: Array


class Evaluation(Tabular):
    """The result of measuring one system; every figure is derived from its counts."""

    def __init__(
        self,
        metric: Metric[Any, Any],
        ids: Sequence[str] | Named,
        counts: Array,
        *,
        groups: Mapping[str, Sequence[str]] | None = None,
        parts: Mapping[str, Parts] | None = None,
        system: str = "",
        inputs: Inputs | None = None,
        skipped: int = 0,
        warnings: Sequence[str] = (),
        certificates: Mapping[int, bytes] | None = None,
        keys: Sequence[Key] | None = None,
        places: Sequence[int] | None = None,
        gold_marks: Sequence[bytes] = (),
    ) -> None:
        if not isinstance(metric, Metric):
            raise OptionError(f"expected a Metric, got {shown(metric)}", code="K304")
        if not _are_groups(groups):
            raise OptionError(
                f"groups are a mapping of names to lists, got {shown(groups)}", code="K302"
            )
        self.metric = metric
        self._named: Named | None = None
        if isinstance(ids, (str, bytes)) or not hasattr(ids, "__len__"):
            raise OptionError(f"ids are a list, got {shown(ids)}", code="K302")
        if isinstance(ids, Named):
            self._named = ids
        else:
            self.ids = list(ids)
            self.keys = [(name,) for name in self.ids] if keys is None else list(keys)
            self.places = list(range(len(self.ids)) if places is None else places)
        self.has_places = places is not None or self._named is not None
        """Whether keys and places are known; runs of earlier versions do not tell."""
        self.counts = _table(counts, len(ids), len(metric.columns))
        self.groups = {name: list(values) for name, values in (groups or {}).items()}
        for name, values in self.groups.items():
            if len(values) != len(ids):
                raise OptionError(
                    f"the field {name!r} has {counted(len(values), 'value')}, and there are "
                    f"{counted(len(ids), 'item')}",
                    code="K302",
                )
        self.parts = dict(parts or {})
        self.system = system
        self.inputs = inputs
        self.skipped = skipped
        self.warnings = list(warnings)
        self.certificates = dict(certificates or {})
        self.again: Any = None
        """The engine's plan of the files, by which it reads items again."""
        self.mappings: Mapping[int, bytes] = {}
        """Mappings between the parts of pairs, by the places of items, if the metric gave them."""
        self.is_loaded = False
        """Whether it was loaded from a file; then its metric may not run programs."""
        self.version = VERSION
        """The version of karat that measured it."""
        self._intervals: dict[tuple[float, int, int, str, str, str], Intervals] = {}
        self._samples: dict[str, Sample] | None = None
        self.gold_marks = list(gold_marks)
        """A short digest of each item's gold, where the system's file held it."""
        self.system_field = ""
        """The field that names the systems of a file which may hold several."""
        self.by_position = False
        """Whether items without ids and without a gold file are known by their order alone."""
        self.program = ""
        """Name and version of the program that the scores come from, if it is another one."""

    @cached_property
    def ids(self) -> list[str]:
        """The id of each item, in gold order; made when it is asked for."""
        assert self._named is not None
        return self._named.ids()

    @cached_property
    def keys(self) -> list[Key]:
        """The whole key of each item: its id, and what else tells it apart."""
        assert self._named is not None
        return self._named.keys()

    @cached_property
    def places(self) -> list[int]:
        """Which item of the gold file each one is, from 0."""
        assert self._named is not None
        return self._named.places.tolist()  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        path = self.metric.about.path_of()
        value = notebook.shown(dict(leaves(self.scores())).get(path), self._scale(path))
        found = self.remarks
        remarks = f"; {counted(len(found), 'remark')}" if found else ""
        return (
            f"<Evaluation of {self.system or 'a system'} by {self.metric!r}: "
            f"{counted(len(self), 'item')}, {'.'.join(path)} {value}{remarks}>"
        )

    def _scale(self, path: tuple[str, ...]) -> float:
        return max(map(abs, self.metric.about.range_of(path)))

    def _repr_html_(self) -> str:
        """A table for notebooks: scores, and their intervals drawn."""
        known = self.metric.about
        intervals = self.confidence()
        rows = []
        with undefined_is_nan():  # what is 0/0 is shown as no number
            found = dict(leaves(total_scores(self.metric, self.totals)))
        for path, value in found.items():
            scale = self._scale(path)
            name = ".".join(path)
            title = notebook.strong(name) if name == known.headline else notebook.escape(name)
            cells = [title, notebook.shown(value, scale), "", ""]
            interval = intervals.get(path)
            if interval is not None and isinstance(value, (int, float)):
                low, high = interval.low, interval.high
                begin, end = known.range_of(path)
                begin, end = (begin, end) if scale < np.inf else (low, high)
                cells[2] = f"[{notebook.shown(low, scale)}, {notebook.shown(high, scale)}]"
                cells[3] = notebook.drawn(low, float(value), high, begin, end)
            rows.append(cells)
        skipped = f", {self.skipped} left out" if self.skipped else ""
        (system,) = notebook.short_names([self.system or "a system"])
        return notebook.table(
            f"{system}: {self.metric!r}, {counted(len(self), 'item')}{skipped}",
            ("score", "value", "95 % interval", ""),
            rows,
            "\n".join([*(f"warning: {each}" for each in self.remarks), self.signature()]),
        )

    def to_columns(self) -> dict[str, Sequence[Any]]:
        """A row for each item: its id, its groups, and its scores under dotted names."""
        return self._columns(
            {".".join(path): values for path, values in leaves(self.metric.summarize(self.counts))}
        )

    def _columns(self, figures: Mapping[str, Any]) -> dict[str, Sequence[Any]]:
        """Ids, groups and figures; a field that is called like one of these does not hide it."""
        found: dict[str, Any] = {"id": self.ids}
        for name, values in self.groups.items():
            found[f"{name} (field)" if name in figures or name == "id" else name] = values
        return found | {name: np.asarray(values) for name, values in figures.items()}

    def __getstate__(self) -> dict[str, Any]:
        """The state without the references to files or to data in memory."""
        return {**vars(self), "again": None, "mappings": {}}

    # -- scores ---------------------------------------------------------------

    @property
    def totals(self) -> Array:
        return np.asarray(self.counts.sum(axis=0))

    def scores(self) -> MetricsDict:
        """The scores of the whole: all rows summed, then summarized."""
        return total_scores(self.metric, self.totals)

    def per_item(self) -> list[MetricsDict]:
        """The scores of each item alone, in gold order."""
        return row_scores(self.metric, self.counts)

    @checks_arguments
    def by(self, field: str) -> dict[str, MetricsDict]:
        """The scores of each group of items, numbers in their order, others as they appear.

        Fields joined by + group by all of them: ``by("language+framework")``.
        """
        return {
            group: total_scores(self.metric, totals) for group, totals in self.group_totals(field)
        }

    @checks_arguments
    def macro(self, field: str | None = None) -> MetricsDict:
        """Means of the scores of items, or of the groups of a field; undefined ones left out."""
        if field is None:
            rows = self.counts
        else:
            rows = np.array([totals for _, totals in self.group_totals(field)])
            rows = rows.reshape(-1, self.counts.shape[1])
        from karat.stats.resampling import in_blocks

        totals = self.metric.about.totals
        own = in_blocks(
            lambda some: {
                path: np.asarray(values)
                for path, values in leaves(self.metric.summarize(some))
                if ".".join(path) not in totals
            },
            rows,
        )
        return nest(
            (path, plain(self.metric.about, path, _mean(values))) for path, values in own.items()
        )

    @checks_arguments
    def group_totals(self, field: str) -> list[tuple[str, Array]]:
        """The sum of rows of each group, in the order of `by`."""
        values, counts = self._grouping(field)
        names = list(dict.fromkeys(values))
        sizes = [re.fullmatch(_SIZE, name) for name in names]
        if all(sizes):
            names.sort(key=lambda name: int(name.partition("-")[0]))
        number = {name: i for i, name in enumerate(names)}
        totals = np.zeros((len(names), self.counts.shape[1]))
        np.add.at(totals, [number[value] for value in values], counts)
        return list(zip(names, totals, strict=True))

    def _grouping(self, field: str) -> tuple[list[str], Array]:
        if field in self.groups:
            return self.groups[field], self.counts
        parts = field.split("+")
        if len(parts) > 1 and all(part in self.groups for part in parts):
            joined = list(zip(*map(self.groups.__getitem__, parts), strict=True))
            return _group_names(joined), self.counts
        if field in self.parts:
            return self.parts[field].values, self.parts[field].counts
        facets = facets_of(self.metric)
        known = [*self.groups, *facets]
        advice = (
            f"fields: {', '.join(known)}"
            if known
            else "fields are those of gold, where its items are records or rows of a table"
        )
        if field in facets:
            advice = f"measure with facets=[{field!r}] to split the items by it"
        raise OptionError(
            f"the items have no field {field!r}{did_you_mean(field, self.groups)}",
            code="K315",
            advice=advice,
        )

    def names(self) -> list[dict[str, str]]:
        """The names of the items, as `item_names` gives them."""
        return item_names(self.keys, self.groups, self.places)

    @checks_arguments
    def split(self, field: str) -> list[Evaluation]:
        """An evaluation of each group of items, under the group's name."""
        values, _ = self._grouping(field)
        if field in self.parts:
            raise OptionError(f"{field!r} splits items, it does not group them", code="K315")
        return [self._only(name, values) for name in self.group_sizes(field)]

    def by_system(self) -> list[Evaluation]:
        """An evaluation of each system whose outputs the data hold, on items of the same names.

        Alone, where no field tells systems apart, or all items are of one.
        """
        field = self.system_field
        if len({name for name in self.groups.get(field, ()) if name}) < 2:
            return [self]
        from karat.core.runs.comparison import in_order

        found = self.split(field)
        for each in found:
            # The system is a part of the keys, which would tell the items of systems apart.
            each.keys = [
                key[:1] + key[2:] if key[1:2] == (each.system,) else key for key in each.keys
            ]
        first = found[0].keys
        return [each if each.keys == first else in_order(each, first) for each in found]

    def _only(self, name: str, values: Sequence[str]) -> Evaluation:
        found = self.taken([i for i, value in enumerate(values) if value == name])
        found.system = name
        return found

    @checks_arguments
    def taken(
        self,
        items: Sequence[int],
        metric: Metric[Any, Any] | None = None,
        columns: Sequence[int] | None = None,
    ) -> Evaluation:
        """The evaluation of some items, in this order; also by a metric with some of the columns.

        Neither parts nor certificates come with it.
        """
        rows = self.counts[list(items)]
        result = Evaluation(
            metric or self.metric,
            [self.ids[i] for i in items],
            rows if columns is None else rows[:, list(columns)],
            groups={field: [each[i] for i in items] for field, each in self.groups.items()},
            keys=[self.keys[i] for i in items],
            places=[self.places[i] for i in items],
            gold_marks=[self.gold_marks[i] for i in items] if self.gold_marks else (),
        )
        for name in _OF_ALL_ITEMS:
            setattr(result, name, getattr(self, name))
        return result

    @checks_arguments
    def group_sizes(self, field: str) -> dict[str, int]:
        """How many items each group has; an item with parts in several counts in each."""
        return dict(Counter(self._grouping(field)[0]))

    @property
    def inexact(self) -> int | None:
        """The number of items whose score is not proven optimal; None if all are exact."""
        column = self.metric.inexact_column if has(self.metric, Searches) else None
        return None if column is None else int(self.totals[list(self.metric.columns).index(column)])

    # -- statistics -----------------------------------------------------------

    @checks_arguments
    def clusters(self, field: str) -> Clusters:
        """The number of the cluster that each item belongs to, in order of first appearance.

        Items of a cluster have the same values of a field, or of several joined by +; the
        field ``id`` is that of the items' ids. An item without a value is an error.
        """
        from karat.stats.resampling import numbered

        names = field.split("+") if field not in self.groups else [field]
        columns = []
        for name in names:
            if name != "id" and name not in self.groups:
                known = ["id", *self.groups]
                raise OptionError(
                    f"the items have no field {name!r}{did_you_mean(name, known)}",
                    code="K315",
                    advice="fields: " + ", ".join(dict.fromkeys(known)),
                )
            values = self.ids if name == "id" else self.groups[name]
            missing = [self.ids[i] for i, value in enumerate(values) if not value]
            if missing:
                raise PairingError(
                    part_of(len(missing), len(self), "item")
                    + f" no {name!r} to be clustered by: {quote_some(missing)}",
                    code="K217",
                    advice="give all items a value, or cluster by another field",
                )
            columns.append(values)
        return numbered(list(zip(*columns, strict=True)))

    def units(self, cluster: str | None) -> Clusters | None:
        """The clusters that statistics resample as units; None: each item is a unit.

        Several samples of one input are not independent, and have to be in one cluster.
        """
        found = self.clusters(cluster) if cluster else None
        if self.inputs is None or self.inputs.pair != "samples":
            return found
        of_item = range(len(self)) if found is None else found.tolist()
        units: dict[str, set[int]] = {}
        for name, unit in zip(self.ids, of_item, strict=True):
            units.setdefault(name, set()).add(unit)
        if apart := [name for name, each in units.items() if len(each) > 1]:
            raise PairingError(
                f"{counted(len(apart), 'input has', 'inputs have')} several, dependent samples: "
                + quote_some(apart),
                code="K204",
                advice="``cluster='id'`` makes one unit of each",
            )
        return found

    def cluster_count(self, field: str) -> int:
        """The number of clusters of items by a field."""
        from karat.stats.resampling import count

        return count(self.clusters(field))

    def cluster_remarks(self, field: str | None) -> list[str]:
        """A warning if there are too few clusters for reliable statistics."""
        from karat.stats.resampling import FEW_CLUSTERS

        if not field or (count := self.cluster_count(field)) >= FEW_CLUSTERS:
            return []
        if count == 1:
            return ["only 1 cluster: there are no intervals and no tests"]
        return [f"only {counted(count, 'cluster')}: intervals are wide and tests weak"]

    def _flat(self, totals: Array) -> dict[tuple[str, ...], Array]:
        """The scores that statistics make sense for; NaN where they are 0/0."""
        with undefined_is_nan():
            return {
                path: np.asarray(value)
                for path, value in leaves(self.metric.summarize(totals))
                if ".".join(path) not in self.metric.about.totals
            }

    @checks_arguments
    def confidence(
        self,
        level: float = 0.95,
        *,
        resamples: int = 1000,
        seed: int = 0,
        method: Method = "auto",
        resampling: Resampling = "auto",
        cluster: str | None = None,
    ) -> Intervals:
        """An interval for every score, or None; `reasons` of the result says why.

        With `cluster`, a field or several joined by +, whole clusters of items are drawn: items
        about one text, or several samples of one input (``cluster="id"``), say less than
        independent ones. Intervals are made once for each choice of options.
        """
        from karat.stats import intervals
        from karat.stats.intervals import METHODS
        from karat.stats.resampling import RESAMPLINGS

        # They are keys, which not every value can be.
        check_choice("an interval method", method, METHODS)
        check_choice("a way of resampling", resampling, RESAMPLINGS)
        options = _interval_options(level, resamples, seed, method, resampling, cluster)
        if options not in self._intervals:
            self._intervals[options] = intervals(
                self.counts,
                self._flat,
                level=level,
                resamples=resamples,
                seed=seed,
                method=method,
                range_of=self.metric.about.range_of,
                resampling=resampling,
                sample=self._sample(cluster),
            )
        return self._intervals[options].copy()

    def draw_ahead(self, **statistics: Any) -> None:
        """Begins what `confidence` with these options takes most time for: resamples are drawn on
        other threads, without the GIL, which all else needs. Item scores have to be kept."""
        from karat.stats.resampling import chosen_resampling

        options = _interval_options(**statistics)
        _, resamples, seed, _, resampling, cluster = options
        if self._samples is not None and options not in self._intervals:
            sample = self._sample(cluster)
            draw = resamples, seed, chosen_resampling(len(sample.rows), resampling)
            sample.draw_ahead(draw, self.metric.about.range_of)

    @checks_arguments
    def standard_errors(self, cluster: str | None = None) -> dict[tuple[str, ...], float | None]:
        """The standard error of every score; None where fewer than two units have it.

        Of means of item scores it is s / √n, or with clusters the cluster-robust one; of other
        scores it is that of the delete-one jackknife.
        """
        from karat.stats.intervals import standard_errors

        return standard_errors(self.counts, self._flat, sample=self._sample(cluster))

    def _sample(self, cluster: str | None) -> Sample:
        """The sample of which intervals and standard errors are computed."""
        from karat.stats.intervals import Sample

        made = (self._samples or {}).get(cluster or "")
        if made is None:
            made = Sample(self.counts, self._flat, self.units(cluster))
            if self._samples is not None:
                made = self._samples.setdefault(cluster or "", made)  # one for all threads
        return made

    @contextmanager
    def keeping_item_scores(self) -> Iterator[None]:
        """Within it, the scores of items are made once for all that is computed from them.

        They take 16 bytes for each item and score.
        """
        self._samples = {}
        try:
            yield
        finally:
            self._samples = None

    @checks_arguments
    def compare(
        self,
        other: Evaluation,
        *,
        test: Test = "auto",
        trials: int = 10_000,
        level: float = 0.95,
        seed: int = 0,
        cluster: str | None = None,
    ) -> Comparison:
        """Whether this system is better than another one on the same items.

        With `cluster`, whole clusters of items are exchanged or drawn, as in `confidence`.
        """
        from karat.core.runs.comparison import Comparison, aligned, check_comparable
        from karat.stats import compare_paired

        first, second = aligned([self, other])
        check_comparable(first, second)
        used, differences = compare_paired(
            first.counts,
            second.counts,
            first._flat,
            test=test,
            trials=trials,
            level=level,
            seed=seed,
            range_of=first.metric.about.range_of,
            clusters=first.units(cluster),
        )
        # What is 0/0 is undefined in tests, and shown as the metric's convention has it.
        ours, theirs = (dict(leaves(each.scores())) for each in (first, second))
        differences = {
            path: found.of_reported(ours[path], theirs[path]) for path, found in differences.items()
        }
        return Comparison(first, second, used, trials, seed, level, differences, cluster)

    @checks_arguments
    def power(
        self,
        other: Evaluation,
        sizes: Sequence[int],
        *,
        score: str | None = None,
        cluster: str | None = None,
        **options: Any,
    ) -> tuple[str, PowerCurve]:
        """The name of the score, and the power of the test at several numbers of items.

        With `cluster`, the sizes are numbers of clusters.
        """
        from karat.core.runs.comparison import aligned, check_comparable
        from karat.stats.power import system_power

        first, second = aligned([self, other])
        check_comparable(first, second)
        path = first.metric.about.path_of(score)
        units = first.units(cluster)
        curve = system_power(
            first.counts, second.counts, first._flat, path, sizes, clusters=units, **options
        )
        return ".".join(path), curve

    # -- the way out ----------------------------------------------------------

    @property
    def remarks(self) -> list[str]:
        """The warnings of the run and the caveats of the metric."""
        caveats = self.metric.caveats(self.totals) if has(self.metric, Warns) else []
        return [*self.warnings, *caveats]

    def signature(self) -> str:
        """Everything that decides the figures, in one line: the metric, and how files were read."""
        reading = self.inputs.reading() if self.inputs else ""
        program = self.program and f"program:{self.program}"
        return "|".join(filter(None, (self.metric.signature(), program, reading)))

    def extras(self) -> MetricsDict:
        """Figures that no sum of rows gives, where the metric has such."""
        if not has(self.metric, AddsFigures):
            return MetricsDict()
        return self.metric.extras(self.ids, self.counts)

    def line(self) -> str:
        """The output line of the tool that the metric stands in for; for other metrics, the main
        score and the signature."""
        return notebook.line_of(self)

    def summary(self) -> dict[str, Any]:
        """The JSON of a run, as a dict."""
        extras = self.extras()
        return {
            "karat": VERSION,
            "metric": self.metric.name,
            "signature": self.signature(),
            **({"reading": self.inputs.as_read()} if self.inputs else {}),
            "system": self.system,
            "n": len(self),
            "scores": self.scores(),
            **({"extras": extras} if extras else {}),
            "inexact": self.inexact,
            "skipped": self.skipped,
            "warnings": self.remarks,
        }

    def to_json(self) -> str:
        """The JSON of a run; undefined numbers are null."""
        return json_lines([self.summary()]).decode().rstrip("\n")

    @checks_arguments
    def write_items(self, stream: IO[bytes], named: Mapping[str, str] | None = None) -> None:
        """One JSON line per item: id, what all are `named`, groups, scores."""
        for i, (name, scores) in enumerate(zip(self.ids, self.per_item(), strict=True)):
            groups = {field: values[i] for field, values in self.groups.items()}
            # The names come first, and are never hidden by a field of the same name.
            names = {"id": name, **(named or {})}
            record = names | groups | names | {"scores": scores}
            stream.write(json_lines([record]))

    @checks_arguments
    def to_parquet(self, path: PathLike) -> None:
        """One row per item: id, groups, counts and flat scores."""
        with whole_file(path) as stream:
            self.write_parquet(stream)

    def write_parquet(self, stream: IO[bytes]) -> None:
        """Writes to a stream what `to_parquet` writes to a file."""
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise MissingExtra.package("pyarrow", "parquet", "writing Parquet") from None
        counts = {f"count:{name}": self.counts[:, i] for i, name in enumerate(self.metric.columns)}
        scores = MetricsDict(self.metric.summarize(self.counts)).flatten()
        table = pyarrow.table(self._columns({**counts, **scores}))
        pyarrow.parquet.write_table(table, stream)

    @checks_arguments
    def save(self, path: PathLike) -> None:
        """Writes the evaluation to a file that `load` reads and `verify` checks.

        To a file whose name ends in ``.parquet``, the counts are written as a table.
        """
        with whole_file(path) as stream:
            if str(path).endswith(".parquet"):
                self.write_counts(stream)
            else:
                self.write_run(stream)

    def write_counts(self, stream: IO[bytes]) -> None:
        """Writes a Parquet table: ids, groups, a column of each count, for any engine to sum."""
        from karat.core.arrow import counts_table

        table = counts_table(self.metric, self.ids, self.groups, self.counts, self.signature())
        import pyarrow.parquet

        pyarrow.parquet.write_table(table, stream)

    def write_run(self, stream: IO[bytes]) -> None:
        """Writes to a stream what `save` writes to a file."""
        run = store.Run(
            metric=repr(self.metric),
            ids=self.ids,
            groups=self.groups,
            parts={
                name: store.Parts(each.items, each.values, _bytes(each.counts))
                for name, each in self.parts.items()
            },
            columns=list(self.metric.columns),
            counts=_bytes(self.counts),
            keys=[key[1:] for key in self.keys],
            places=self.places,
            **{name: getattr(self, name) for name in _AS_KEPT},
        )
        stream.write(store.encode(run))

    @classmethod
    @checks_arguments
    def load(cls, path: PathLike) -> Evaluation:
        """Reads a saved evaluation; a damaged or altered file is an error."""
        from karat.core.registry import parse

        path = os.fspath(path)
        run = store.load(path)
        try:
            metric = parse(run.metric)
        except OptionError as error:
            raise store.not_a_run(path, error.message) from None
        if list(metric.columns) != run.columns:
            raise store.not_a_run(path, f"its columns are not those of {metric!r}")
        if not run.parts.keys() <= set(facets_of(metric)):
            raise store.not_a_run(path, f"it is split by what {metric!r} cannot be split by")
        loaded = cls(
            metric,
            run.ids,
            _array(run.counts, metric),
            groups=run.groups,
            parts={
                name: Parts(each.items, each.values, _array(each.counts, metric))
                for name, each in run.parts.items()
            },
            keys=[(name, *rest) for name, rest in zip(run.ids, run.keys, strict=True)]
            if run.keys
            else None,
            places=run.places or None,
        )
        for name in _AS_KEPT:
            setattr(loaded, name, getattr(run, name))
        loaded.is_loaded = True
        return loaded


def _group_names(groups: Sequence[tuple[str, ...]]) -> list[str]:
    """A name for each group of several values, another one for each group.

    >>> _group_names([("de", "amr"), ("en", "amr")]), _group_names([("a b", "c"), ("a", "b c")])
    (['de amr', 'en amr'], ["'a b' 'c'", "'a' 'b c'"])
    """
    names = {group: " ".join(group) for group in groups}
    if len(set(names.values())) < len(names):
        names = {group: " ".join(map(repr, group)) for group in groups}
    return [names[group] for group in groups]


def _interval_options(
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    method: Method = "auto",
    resampling: Resampling = "auto",
    cluster: str | None = None,
) -> tuple[float, int, int, Method, Resampling, str]:
    """The options of `confidence`, by which intervals are known."""
    return level, resamples, seed, method, resampling, cluster or ""


def _are_groups(groups: Any) -> bool:
    if not isinstance(groups, Mapping):
        return groups is None
    return all(hasattr(each, "__iter__") and type(each) is not str for each in groups.values())


def _table(counts: Array, rows: int, columns: int) -> Array:
    """Counts as a table of so many rows and columns."""
    try:
        return np.asarray(counts, np.float64).reshape(rows, columns)
    except (TypeError, ValueError):
        raise OptionError(
            f"the counts of {counted(rows, 'item')} are a table of {counted(rows, 'row')} and "
            f"{counted(columns, 'column')}",
            code="K302",
        ) from None


def _bytes(counts: Array) -> bytes:
    return np.ascontiguousarray(counts, "<f8").tobytes()


def _array(data: bytes, metric: Metric[Any, Any]) -> Array:
    return np.frombuffer(data, "<f8").astype(np.float64).reshape(-1, len(metric.columns))


def _mean(values: Any) -> float:
    values = np.asarray(values, float)
    undefined = np.isnan(values)
    defined = values[~undefined] if undefined.any() else values
    return float(defined.mean()) if len(defined) else float("nan")
