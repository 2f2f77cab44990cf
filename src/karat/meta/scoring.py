"""Scores of single outputs, jackknifed so that humans and systems can be compared.

A human's text is scored against the other references, a system's against all of
them: the system has one reference more. Systems are therefore also scored
against every set of references that lacks one; the mean of these scores, and
the only score of a human, have names that end in ``_jk``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from karat.core.capabilities import Jackknifes, has
from karat.core.metric import Metric
from karat.core.reading.items import Pair
from karat.core.scores import MetricsDict, leaves
from karat.core.scoring import plain
from karat.engine.jobs import Jobs, Progress
from karat.engine.run import measure_pairs
from karat.errors import FormatError, OptionError, quote_some
from karat.meta.records import Record, SummarizerType

if TYPE_CHECKING:
    from karat.engine.resume import Parts

_NO_FIELDS: Mapping[str, str] = {}


class ScoredItem(msgspec.Struct, frozen=True):
    """One output, who made it, and what it is held against."""

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


def jackknifes(metric: Metric[Any, Any]) -> bool:
    """Whether the metric knows how to leave out a part of its gold."""
    return has(metric, Jackknifes)


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
    both = jackknifes(metric)
    records = []
    for place in places:
        metrics = MetricsDict()
        human = both and place.item.summarizer_type == "reference"
        _put(metric, metrics, table, place.first, 1, label, "_jk" if human else "")
        if place.jackknifed:
            _put(metric, metrics, table, place.first + 1, place.jackknifed, label, "_jk")
        records.append(
            Record(
                place.item.instance_id,
                place.item.summarizer_id,
                place.item.summarizer_type,
                metrics,
            )
        )
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
        golds = [item.gold]
        if jackknife_peers and item.summarizer_type == "peer" and has(metric, Jackknifes):
            golds += metric.jackknife(item.gold)
        places.append(_Place(_without_values(item), index, len(golds) - 1))
        for gold in golds:
            yield Pair(
                index,
                item.instance_id,
                _NO_FIELDS,
                item.system,
                shared.setdefault(_key(gold), gold),
            )
            index += 1


def _without_values(item: ScoredItem) -> ScoredItem:
    return msgspec.structs.replace(item, system=None, gold=None)


def _key(gold: Any) -> Any:
    """What tells one gold from another."""
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


def score_all(
    metrics: Sequence[Metric[Any, Any]],
    items_of: Callable[[Metric[Any, Any]], Iterable[ScoredItem]],
    *,
    jackknife_peers: bool = True,
    naming: Naming = "auto",
    names: Sequence[str] | None = None,
    allow_duplicates: bool = False,
    jobs: Jobs = 1,
    progress: Progress | None = None,
    executor: Executor | None = None,
    kept_of: Callable[[Metric[Any, Any]], Parts | None] = lambda _: None,
) -> Scores:
    """All items by all metrics. `items_of` gives the items as a metric takes them, `kept_of` the
    chunks of an earlier run.
    """
    merged: dict[tuple[str, str], Record] = {}
    owner: dict[str, str] = {}
    warnings: list[str] = []
    for metric, label in zip(metrics, names or labels(metrics, naming), strict=True):
        found = score(
            metric,
            items_of(metric),
            jackknife_peers=jackknife_peers,
            label=label,
            jobs=jobs,
            progress=progress,
            executor=executor,
            kept=kept_of(metric),
        )
        warnings += _check_tops(metric, found, owner)
        for record in _once(found, allow_duplicates, warnings).values():
            key = record.instance_id, record.summarizer_id
            merged[key] = merged[key].merge(record) if key in merged else record
    return Scores(
        [merged[key] for key in sorted(merged)],
        tuple(metric.signature() for metric in metrics),
        tuple(dict.fromkeys(warnings)),
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
            f"{len(twice)} outputs occur more than once: {quote_some(twice)}",
            code="K155",
            advice="an output is an input and a system; "
            "``allow_duplicates=True`` takes the last of each, with a warning",
        )
    if twice:
        warnings.append(f"{len(twice)} outputs occur again, the last counts: {quote_some(twice)}")
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
    return [f"{undefined} scores of {metric!r} are undefined (null)"] if undefined else []
