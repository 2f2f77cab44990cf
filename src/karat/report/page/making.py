"""A page from runs: statistics, one look at the items, and all of it in one file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import IO, Any, NamedTuple

import msgspec
import numpy as np

from karat.core.files.writing import refuse_replacing, whole_file
from karat.core.repairs import Drawn
from karat.core.runs.evaluation import Evaluation
from karat.errors import counted
from karat.report.contract import (
    SCHEMA,
    AuditView,
    Edit,
    ItemSet,
    LeftOut,
    Made,
    Page,
    RepairView,
    TraceView,
)
from karat.report.numbers import sample_size
from karat.report.page import html
from karat.report.page.arrangement import Arrangement, Items
from karat.report.page.columns import (
    BLOCK,
    Stored,
    make_blocks,
    make_columns,
    make_postings,
    posting,
)
from karat.report.page.items import Collector, Sink
from karat.report.page.statistics import (
    ALPHA,
    facet,
    fields_of,
    headline,
    score_table,
    trials_for,
)
from karat.version import VERSION

PAGE_SIZE = 20_000_000
"""So many bytes a page has at most, unless another size is asked for."""
STATISTICS: Mapping[str, Any] = {"level": 0.95, "resamples": 1000, "seed": 0, "method": "auto"}


class RepairedRun(NamedTuple):
    """What fixing the errors of a run would gain: the view, and the edits of its items by row."""

    run: Evaluation
    view: RepairView
    """Its metric and system are set by the page."""
    edits: Mapping[int, Sequence[Edit]]
    drawn: Mapping[int, Sequence[Sequence[Drawn]]] = {}
    """What of the drawing of an item each of its edits is about, where they do not say it."""


class PageMaker:
    """Makes the page of some runs; `sink` of a run may be shown its items on the way."""

    def __init__(
        self,
        runs: Sequence[Evaluation],
        *,
        statistics: Mapping[str, Any] = STATISTICS,
        by: Sequence[str] = (),
        page_size: int | None = PAGE_SIZE,
        judgements: Sequence[str] = (),
        title: str = "",
        full_paths: bool = False,
        repairs: Sequence[RepairedRun] = (),
        audit: AuditView | None = None,
        trace: TraceView | None = None,
    ) -> None:
        for run in runs:
            for field in by:
                run.group_sizes(field)  # an error where its items have no such field
        self.statistics = statistics
        self.by = by
        self.page_size = page_size
        self.judgements = judgements
        self.title = title
        self.full_paths = full_paths
        """Whether the page names files by their whole paths, which may tell who made it."""
        self.paths = {path for run in runs for path in paths_of(run)}
        self.arrangement = Arrangement(runs)
        self.collectors = [Collector(each) for each in self.arrangement.sets]
        self.stored = Stored()
        self._looked: set[int] = set()
        self.audit = None if audit is None else self._with_short_names(audit)
        self.trace = trace
        self.repairs = repairs
        for each in repairs:
            collector = self._collector(each.run)
            place = collector.place_of(each.run)
            each.view.metric, each.view.system = place
            collector.edits[place], collector.drawn[place] = each.edits, each.drawn

    def _with_short_names(self, audit: AuditView) -> AuditView:
        """The same with systems named as the page names them: paths do not enter it."""
        names = {
            run.system: system.name
            for items in self.arrangement.sets
            for row in items.runs
            for run, system in zip(row, self.arrangement.systems, strict=True)
            if run is not None
        }
        for each in audit.systems:
            each.name = names.get(each.name, each.name)
        for finding in audit.findings:
            finding.systems = [names.get(name, name) for name in finding.systems]
        return audit

    def sink(self, run: Evaluation) -> Sink:
        """What takes the items of a run that is looked at for other outputs as well."""
        self._looked.add(id(run))
        collector = self._collector(run)
        sink = collector.sink(run)
        if not sink.adds:
            sink.positions = ()
        return sink

    def _collector(self, run: Evaluation) -> Collector:
        for each in self.collectors:
            if each.holds(run):
                return each
        raise ValueError("the run is not one of this page")

    def look(self) -> None:
        """Looks at the items of all runs that were not shown to their sinks."""
        for run in self.arrangement.runs:
            if id(run) not in self._looked:
                self._looked.add(id(run))
                self._collector(run).look(run)

    def has_seen(self, run: Evaluation) -> bool:
        """Whether all items of a run were looked at."""
        return id(run) in self._looked

    def head(self) -> Page:
        """Everything but the blocks of items; columns are stored."""
        arrangement = self.arrangement
        metrics = arrangement.about_metrics()
        sets = [
            self._set(number, collector, metrics)
            for number, collector in enumerate(self.collectors)
        ]
        for m, info in enumerate(metrics):
            names = dict.fromkeys(name for each in self.collectors for name in each.layers[m])
            info.layers = list(names)
        options = self.statistics
        first = sets[0] if sets else None
        return Page(
            schema=SCHEMA,
            title=self.title or ", ".join(info.label for info in metrics),
            headline=headline(
                arrangement.systems, metrics, first.scores, first.facets, options["level"],
                sample_size(arrangement.sets[0].first, options.get("cluster")),
            )
            if first
            else ["Nothing was measured"],
            warnings=_warnings(sets, arrangement, options.get("cluster")),
            made=Made(
                VERSION, options["level"], options["resamples"], options["seed"],
                options["method"], trials_for(first.n if first else 0), ALPHA,
                options.get("cluster") or "",
            ),
            systems=arrangement.systems,
            metrics=metrics,
            sets=sets,
            left_out=[
                LeftOut(self._named(f"items of {', '.join(names)}"), self._named(reason), "")
                for each in self.collectors
                for reason, names in each.not_shown.items()
            ],
        )  # fmt: skip

    def _named(self, text: str) -> str:
        """A message that names files without their folders, where these stay out of the page."""
        if not self.full_paths:
            for path in sorted(self.paths, key=len, reverse=True):
                text = text.replace(path, PurePath(path).name)
        return text

    def _set(self, number: int, collector: Collector, metrics: Any) -> ItemSet:
        items = collector.items
        fields = fields_of(items, self.by)
        made = (facet(items, field, metrics, self.statistics) for field in fields)
        facets = [each for each in made if each is not None]
        columns, ids = make_columns(number, items, fields, self.stored)
        scores = [
            score_table(items, m, self.statistics, full_paths=self.full_paths)
            for m in range(len(metrics))
        ]
        for run in (each for table in scores for each in table.runs if each is not None):
            run.warnings = list(map(self._named, run.warnings))
        for each in facets:
            each.column = ids.get(each.name, "")
        result = ItemSet(
            name=_set_name(items),
            n=len(items),
            block=BLOCK,
            blocks=[],
            kept=len(items),
            systems=items.systems,
            scores=scores,
            facets=facets,
            errors=[],
            errors_left_out=0,
            confusions=[],
            columns=columns,
            agreements=[],
            source_label=collector.source_label,
            tests=[],
            repairs=[each.view for each in self.repairs if collector.holds(each.run)],
            audit=self.audit if number == 0 else None,
            trace=self.trace if number == 0 else None,
        )
        if self.judgements:
            from karat.report.page import agreement  # takes its time to load

            found = agreement.agreements(items, metrics, self.judgements, self.statistics)
            result.agreements, result.tests = found
        make_postings(number, result, collector, self.stored)
        for place, repaired in enumerate(self.repairs):
            if collector.holds(repaired.run):
                make_edit_postings(f"k-{number}r{place}", result, repaired, self.stored)
        return result

    def page(self) -> tuple[bytes, list[str]]:
        """The whole page, and what a user should know of it."""
        self.look()
        head = self.head()
        parts = {id: html.packed_element(self.stored.data(id)) for id in self.stored}
        extras = html.extras_of(head, any(each.has_drawings for each in self.collectors))
        frame = html.frame(head, msgspec.json.encode(head), extras)
        used = sum(map(len, parts.values())) + frame.size
        blocks: dict[str, bytes] = {}
        for number, (found, collector) in enumerate(zip(head.sets, self.collectors, strict=True)):
            room = None if self.page_size is None else max(0, self.page_size - used)
            made, found.kept, lacking = make_blocks(number, found, collector, room)
            used += sum(map(len, made.values()))
            blocks |= made
            if collector.has_items() and found.kept < found.n:
                lacking.append(f"contents of {found.n - found.kept:,} of {found.n:,} items")
            why = f"the page would be larger than {(self.page_size or 0) / 1e6:g} MB"
            head.left_out += [LeftOut(what, why, "karat view") for what in lacking]
        notes = [f"the page leaves out {each.what}: {each.why}" for each in head.left_out]
        # What blocks hold is in the head.
        frame = html.frame(head, msgspec.json.encode(head), extras)
        return frame.around(parts, blocks), notes


def make_edit_postings(id: str, found: ItemSet, repaired: RepairedRun, stored: Stored) -> None:
    """For each class of edits the rows that have one."""
    rows: dict[str, set[int]] = {}
    for row, edits in repaired.edits.items():
        for edit in edits:
            rows.setdefault(edit.name, set()).add(row)
    for i, each in enumerate(repaired.view.classes):
        if each.name in rows:
            having = np.array(sorted(rows[each.name]), np.int64)
            column = posting(f"{id}c{i}", each.name, having, stored)
            found.columns.append(column)
            each.column = column.id


def paths_of(run: Evaluation) -> list[str]:
    """How messages of a run may name its files, folders included."""
    files = run.inputs.files if run.inputs else ()
    found = [run.system, *(path for each in files for path in (each.path, each.name))]
    return [path for path in found if PurePath(path).name not in ("", path)]


def _set_name(items: Items) -> str:
    files = items.first.inputs.files if items.first.inputs else ()
    golds = [each.name.rpartition("/")[2] for each in files if each.role == "gold"]
    return ", ".join(golds) or counted(len(items), "item")


def _warnings(sets: Sequence[ItemSet], arrangement: Arrangement, cluster: str | None) -> list[str]:
    """What qualifies the figures, each once; with the system where it concerns one alone."""
    found: dict[str, list[str]] = {
        remark: [] for items in arrangement.sets for remark in items.first.cluster_remarks(cluster)
    }
    for each in sets:
        for table in each.scores:
            if table.untested:
                found.setdefault(f"systems are not compared: {table.untested}", [])
            for system, run in zip(arrangement.systems, table.runs, strict=True):
                if run is None:
                    continue
                said = list(run.warnings)
                if run.skipped:
                    said.append(f"{counted(run.skipped, 'item')} could not be read")
                if run.inexact:
                    said.append(f"{counted(run.inexact, 'score')} not proven optimal")
                for text in said:
                    names = found.setdefault(text, [])
                    if system.name not in names:
                        names.append(system.name)
    return [f"{', '.join(names)}: {text}" if names else text for text, names in found.items()]


def write(stream: IO[bytes], runs: Sequence[Evaluation], **options: Any) -> list[str]:
    """Writes the page of runs; the result is what a user should know of it.

    Options are those of `PageMaker`: `statistics`, `by`, `page_size`, `judgements`, `title`,
    `full_paths`, `repairs`, `audit` and `trace`.
    """
    page, notes = PageMaker(runs, **options).page()
    stream.write(page)
    return notes


def write_file(
    path: str, runs: Iterable[tuple[str, Evaluation]], option: str, **options: Any
) -> list[str]:
    """The same to a file, unless it would replace one that a run was made from.

    Runs come with what messages call them, `option` is what they call the file.
    """
    named = list(runs)
    for name, run in named:
        files = run.inputs.files if run.inputs else ()
        refuse_replacing(path, option, {file.path: f"{name} has as {file.role}" for file in files})
    # The page is made first: nothing is opened for what turns out not to be a run.
    page, notes = PageMaker([run for _, run in named], **options).page()
    with whole_file(path) as stream:
        stream.write(page)
    return notes
