"""Scores of single outputs, jackknifed so that humans and systems can be compared.

A human's text is scored against the other references, a system's against all of
them: the system has one reference more. Systems are therefore also scored
against every set of references that lacks one; the mean of these scores, and
the only score of a human, have names that end in ``_jk``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from karat.core.capabilities import Jackknifes, has
from karat.core.files.opener import plain_name
from karat.core.files.shards import one_or_many, source_of
from karat.core.metric import Metric
from karat.core.options import Mode, OnError
from karat.core.pairing.pairs import Report
from karat.core.pairing.sides import Sides
from karat.core.reading.items import Pair, place_of
from karat.core.reading.streams import FilePairs
from karat.core.scores import MetricsDict, leaves
from karat.core.scoring import plain
from karat.engine.jobs import Jobs, Log, Progress, tell_pairing, tell_reading
from karat.engine.run import measure_pairs
from karat.errors import FormatError, OptionError, PairingError, Place, about, counted, quote_some
from karat.meta.records import Record, SummarizerType, summarizer_type

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from karat.engine.resume import Folder, Parts

_NO_FIELDS: Mapping[str, str] = {}


class ScoredItem(msgspec.Struct, frozen=True):
    """One output, its author, and the gold that it is scored against."""

    instance_id: str
    summarizer_id: str
    summarizer_type: SummarizerType
    system: Any
    gold: Any


@dataclass(frozen=True, slots=True)
class _Place:
    """The rows that belong to one output: the first is against the whole gold."""

    item: ScoredItem
    first: int
    jackknifed: int
    human: bool
    """Whether it is one of the references, held against the others."""


def score(
    metric: Metric[Any, Any],
    items: Iterable[ScoredItem],
    *,
    jackknife_peers: bool = True,
    label: str = "",
    jobs: Jobs = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
    kept: Parts | None = None,
) -> list[Record]:
    """A record for each item, in the order given.

    With a `label`, all scores are put under that name. Chunks that are `kept` of an earlier run
    of the same items are not measured again.
    """
    places: list[_Place] = []
    evaluation = measure_pairs(
        metric,
        _contexts(metric, items, jackknife_peers, places),
        jobs=jobs,
        executor=executor,
        progress=progress,
        kept=kept,
    )
    table = [
        (path, np.asarray(values, float))
        for path, values in leaves(metric.summarize(evaluation.counts))
    ]
    records = []
    for place in places:
        metrics = MetricsDict()
        _put(metric, metrics, table, place.first, 1, label, "_jk" if place.human else "")
        if place.jackknifed:
            _put(metric, metrics, table, place.first + 1, place.jackknifed, label, "_jk")
        item = place.item
        records.append(Record(item.instance_id, item.summarizer_id, item.summarizer_type, metrics))
    return records


def _contexts(
    metric: Metric[Any, Any],
    items: Iterable[ScoredItem],
    jackknife_peers: bool,
    places: list[_Place],
) -> Iterator[Pair]:
    """Every item with every gold it is scored against; equal golds are one object."""
    shared: dict[Any, Any] = {}
    index = 0
    for item in items:
        others = metric.jackknife(item.gold) if has(metric, Jackknifes) else None
        golds = [item.gold]
        if others and jackknife_peers and item.summarizer_type == "peer":
            golds += others
        human = others is not None and item.summarizer_type == "reference"
        bare = msgspec.structs.replace(item, system=None, gold=None)
        places.append(_Place(bare, index, len(golds) - 1, human))
        for gold in golds:
            yield Pair(
                index,
                item.instance_id,
                _NO_FIELDS,
                item.system,
                shared.setdefault(_key(gold), gold),
            )
            index += 1


def _key(gold: Any) -> Any:
    """A key that is equal for equal golds."""
    if isinstance(gold, (list, tuple)):
        return tuple(map(_key, gold))
    try:
        hash(gold)
    except TypeError:
        try:
            return msgspec.msgpack.encode(gold)
        except (TypeError, msgspec.EncodeError):
            return id(gold)
    return gold


def _put(
    metric: Metric[Any, Any],
    metrics: MetricsDict,
    table: Sequence[tuple[tuple[str, ...], Any]],
    first: int,
    count: int,
    label: str,
    suffix: str,
) -> None:
    """The means of some rows' scores, under names whose top ends in the suffix."""
    for (top, *inner), values in table:
        rows = values[first : first + count]
        rows = rows[~np.isnan(rows)]
        value = float(rows.mean()) if len(rows) else float("nan")
        path = (f"{label}{suffix}", top, *inner) if label else (f"{top}{suffix}", *inner)
        metrics.put(path, plain(metric.about, (top, *inner), value))


@dataclass(frozen=True, slots=True)
class Files:
    """Outputs of systems and what they are held against.

    Without gold files, records hold both sides and say who made them. With gold
    files, each system file is one system that has the file's name, unless its records name
    several.
    """

    system: Sequence[str]
    gold: Sequence[str] = ()
    format: str | None = None
    gold_format: str | None = None
    format_options: Mapping[str, Any] = field(default_factory=dict)
    pair: Mode = "auto"
    on_error: OnError = "auto"
    log: Log | None = None
    """Called with lines on what is read, in which format, and how it is paired."""

    def items(
        self, metric: Metric[Any, Any], warnings: list[str], signatures: list[str]
    ) -> Iterator[ScoredItem]:
        """The outputs of all files, as the metric takes them."""
        for path, name in zip(self.system, _names(self.system), strict=True):
            report = Report(self.on_error)
            pairs = FilePairs(
                metric,
                path,
                self.gold,
                format=self.format,
                gold_format=self.gold_format,
                format_options=self.format_options,
                mode=self.pair,
                report=report,
            )
            signatures.append(f"{metric.signature()}|{pairs.reading()}")
            if self.log is not None:
                tell_reading(self.log, pairs)
            if self.gold:
                plan = pairs.plan(metric.chunk_size)
                if self.log is not None:
                    tell_pairing(self.log, pairs, plan)
                for pair in pairs.pairs(plan):
                    made_by = pairs.systems[place_of(pair)] if pairs.systems else name
                    yield ScoredItem(pair.id, made_by, "peer", pair.system, pair.gold)
            else:
                yield from _self_contained(metric, pairs, name, report)
            warnings += [about(path, warning) for warning in report.warnings]

    def kept(self, metric: Metric[Any, Any], folder: Folder, *, jackknife: bool) -> Parts:
        """The finished chunks of an earlier run of the same files by the same metric."""
        from karat.engine.resume import description

        sources = [one_or_many(source_of(path)) for path in (*self.system, *self.gold)]
        made_of = description(
            metric,
            sources,
            ", ".join(source.name for source in sources[: len(self.system)]),
            {
                "the formats": f"{self.format}, {self.gold_format}",
                "the way of reading": repr(sorted(self.format_options.items())),
                "pairing": self.pair,
                "the treatment of errors": self.on_error,
                "the number of gold files": str(len(self.gold)),
                "jackknifing": str(jackknife),
            },
        )
        return folder.run(made_of, metric.chunk_size, sources)


def _self_contained(
    metric: Metric[Any, Any], pairs: FilePairs, name: str, report: Report
) -> Iterator[ScoredItem]:
    sides = Sides(metric)
    for number, item in enumerate(pairs.selection.choose(pairs.items_with_gold()), 1):
        if item.error:
            report.broken(item.error)
            continue
        key = item.key or (str(number),)
        instance = key[0] if key[0] is not None else str(number)
        systems = pairs.system.format.systems_in or "summarizer_id"
        made_by = item.fields.get(systems) or (key[1] if len(key) > 1 else None) or name
        place = Place(pairs.system.source.name, item.line, item=instance)
        kind = summarizer_type(item.fields.get("summarizer_type", "peer"), place)
        yield ScoredItem(
            instance,
            made_by,
            kind,
            sides.system(item.value),
            sides.gold([item.value]),
        )


def _names(paths: Sequence[str]) -> list[str]:
    """Names of systems: file names without endings, or paths if these are not unique."""
    short = []
    for path in paths:
        name = plain_name(path)
        short.append(name.rpartition(".")[0] or name)
    return short if len(set(short)) == len(short) else [str(path) for path in paths]


@dataclass(frozen=True, slots=True)
class Scores:
    """The records of all metrics, sorted by input and system."""

    records: list[Record]
    signatures: tuple[str, ...]
    warnings: tuple[str, ...]


Naming = Literal["auto", "nested", "plain"]


def labels(metrics: Sequence[Metric[Any, Any]], naming: Naming) -> list[str]:
    """The names that the metrics' scores are put under; an empty one keeps them as they are.

    Names of text metrics say which metric they are of, those of other families
    do not: ``auto`` puts the latter under the metric's name.
    """
    result = []
    names = [metric.name for metric in metrics]
    for metric in metrics:
        nested = naming == "nested" or (naming == "auto" and metric.kind != "text")
        unique = names.count(metric.name) == 1
        result.append("" if not nested else metric.name if unique else repr(metric))
    return result


def score_files(
    metrics: Sequence[Metric[Any, Any]],
    files: Files,
    *,
    jackknife_peers: bool = True,
    naming: Naming = "auto",
    names: Sequence[str] | None = None,
    allow_duplicates: bool = False,
    jobs: Jobs = 1,
    progress: Progress | None = None,
    executor: Executor | None = None,
    resume: Folder | None = None,
) -> Scores:
    """All outputs in the files by all metrics; finished chunks are kept in `resume`."""
    merged: dict[tuple[str, str], Record] = {}
    owner: dict[str, str] = {}
    signatures: list[str] = []
    of_reading: list[str] = []
    of_scores: list[str] = []
    for metric, label in zip(metrics, names or labels(metrics, naming), strict=True):
        found = score(
            metric,
            files.items(metric, of_reading, signatures),
            jackknife_peers=jackknife_peers,
            label=label,
            jobs=jobs,
            progress=progress,
            executor=executor,
            kept=None if resume is None else files.kept(metric, resume, jackknife=jackknife_peers),
        )
        of_scores += _check_tops(metric, found, owner)
        for record in _once(found, allow_duplicates, of_scores).values():
            key = record.instance_id, record.summarizer_id
            merged[key] = merged[key].merge(record) if key in merged else record
    if not merged:
        raise PairingError(
            "there are no outputs to score: the files are empty, or nothing in them is chosen",
            code="K203",
        )
    return Scores(
        [merged[key] for key in sorted(merged)],
        tuple(dict.fromkeys(signatures)),
        tuple(dict.fromkeys([*of_reading, *of_scores])),
    )


def _once(
    records: list[Record], allowed: bool, warnings: list[str]
) -> dict[tuple[str, str], Record]:
    result: dict[tuple[str, str], Record] = {}
    twice = []
    for record in records:
        key = record.instance_id, record.summarizer_id
        if key in result:
            twice.append("/".join(key))
        result[key] = record
    if twice and not allowed:
        raise FormatError(
            f"{counted(len(twice), 'repeated output')}: {quote_some(twice)}",
            code="K155",
            advice="an output is an input and a system; "
            "``allow_duplicates=True`` takes the last of each, with a warning",
        )
    if twice:
        warnings.append(
            f"{counted(len(twice), 'repeated output')}, the last counts: {quote_some(twice)}"
        )
    return result


def _check_tops(
    metric: Metric[Any, Any], records: list[Record], owner: dict[str, str]
) -> list[str]:
    """Two metrics must not give one name; undefined scores are counted."""
    tops = dict.fromkeys(top for record in records for top in record.metrics)
    for top in tops:
        if top in owner:
            raise OptionError(
                f"{owner[top]} and {metric!r} both have a score {top!r}",
                code="K348",
                advice="``names='nested'`` puts the scores of each metric under its name",
            )
        owner[top] = repr(metric)
    undefined = sum(value is None for record in records for _, value in leaves(record.metrics))
    return [f"{counted(undefined, 'undefined score')} (null) of {metric!r}"] if undefined else []
