"""Chunks of pairs through a metric, in order, with a bounded number under way."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import numpy as np

from karat.core.evaluation import Evaluation, Parts
from karat.core.items import Key, Pair
from karat.core.metric import Metric, Split
from karat.core.scores import Array
from karat.errors import FormatError, OptionError, Place

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Progress = Callable[[int], None]
"""Called with the number of pairs measured since the last call."""


def measure_pairs(
    metric: Metric[Any, Any],
    pairs: Iterable[Pair],
    *,
    jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
    facets: Sequence[str] = (),
    certify: bool = False,
    certificates: Mapping[int, bytes] | None = None,
) -> Evaluation:
    """The evaluation of a stream of pairs: rows are kept, items are not.

    The result is the same for any number of jobs and any executor, since rows
    are put back in gold order. With `certify` the evaluation holds a certificate for
    each pair, where the metric has such; with `certificates`, by the places of items in
    the gold file, rows are checked by them rather than measured.
    """
    if jobs < 1:
        raise OptionError(f"the number of jobs must be at least 1, got {jobs}", code="K302")
    ids: list[str] = []
    keys: list[Key] = []
    places = array("q")
    fields: list[Any] = []
    order = array("q")
    rows: list[Array] = []
    splits: list[list[Split]] = []
    proofs: dict[int, bytes] = {}
    task = _Task(metric, facets, certify and metric.certifies, certificates or {})
    with _pool(metric, jobs, executor) as pool:
        chunks = _chunks(pairs, metric.chunk_size)
        for chunk, (counts, split, found) in _measured(task, chunks, pool, jobs):
            proofs |= zip(map(_place, chunk), found, strict=False)
            for pair in chunk:
                ids.append(pair.id)
                keys.append((pair.id, *(pair.key or ())[1:]))
                places.append(_place(pair))
                fields.append(pair.fields)
                order.append(pair.index)
            rows.append(counts)
            splits.append(split)
            if progress:
                progress(len(chunk))
    table = np.concatenate(rows) if rows else np.empty((0, len(metric.columns)))
    keep: Sequence[int] = range(len(order))
    if any(later <= earlier for earlier, later in pairwise(order)):
        # Back into gold order; a place that comes twice holds what came last.
        last = {index: position for position, index in enumerate(order)}
        keep = [last[index] for index in sorted(last)]
        ids, fields, table = [ids[i] for i in keep], [fields[i] for i in keep], table[keep]
        keys, places = [keys[i] for i in keep], array("q", (places[i] for i in keep))
        proofs = {place: proofs[place] for place in places if place in proofs}
    names = dict.fromkeys(name for one in fields for name in one)
    return Evaluation(
        metric,
        ids,
        table,
        groups={name: [one.get(name, "") for one in fields] for name in names},
        parts={
            facet: _parts(
                [split[i] for split in splits], list(map(len, rows)), keep, len(metric.columns)
            )
            for i, facet in enumerate(facets)
        },
        certificates=proofs,
        keys=keys,
        places=places,
    )


def _place(pair: Pair) -> int:
    """Which item of the gold file a pair is about."""
    return pair.index if pair.place < 0 else pair.place


def _parts(
    splits: Sequence[Split], sizes: Sequence[int], keep: Sequence[int], columns: int
) -> Parts:
    """The rows of all chunks, with the places of their items in the end."""
    place = {position: i for i, position in enumerate(keep)}
    before = 0
    found: list[tuple[int, str, Array]] = []
    for split, size in zip(splits, sizes, strict=True):
        for pair, value, row in zip(split.pairs, split.values, split.rows, strict=True):
            if before + pair in place:
                found.append((place[before + pair], value, row))
        before += size
    found.sort(key=lambda each: each[0])
    counts = np.array([row for _, _, row in found]).reshape(len(found), columns)
    return Parts([item for item, _, _ in found], [value for _, value, _ in found], counts)


def _chunks(pairs: Iterable[Pair], size: int) -> Iterator[list[Pair]]:
    iterator = iter(pairs)
    while chunk := list(islice(iterator, size)):
        yield chunk


_Rows: TypeAlias = tuple[Array, list[Split], list[bytes]]


class _Task(msgspec.Struct, frozen=True):
    """What is done with each chunk."""

    metric: Metric[Any, Any]
    facets: Sequence[str]
    certify: bool
    certificates: Mapping[int, bytes]

    def of(self, chunk: Sequence[Pair]) -> tuple[list[tuple[Any, Any]], list[bytes] | None]:
        """The pairs of a chunk, and their certificates where all have one."""
        found = [self.certificates.get(_place(pair)) for pair in chunk]
        known = [each for each in found if each is not None]
        pairs = [(pair.system, pair.gold) for pair in chunk]
        return pairs, known if len(known) == len(chunk) else None


def _measure(
    metric: Metric[Any, Any],
    facets: Sequence[str],
    certify: bool,
    pairs: list[tuple[Any, Any]],
    certificates: list[bytes] | None,
) -> _Rows:
    proofs: list[bytes] = []
    if certificates is not None:
        rows = metric.check_certified(pairs, certificates)
    elif certify:
        rows, proofs = metric.measure_certified(pairs)
    else:
        rows = metric.measure_many(pairs)
    return rows, [metric.split(facet, pairs) for facet in facets], proofs


def _measured(
    task: _Task, chunks: Iterator[list[Pair]], pool: Executor | None, jobs: int
) -> Iterator[tuple[list[Pair], _Rows]]:
    fixed = task.metric, task.facets, task.certify
    if pool is None:
        for chunk in chunks:
            with _naming(task.metric, chunk):
                rows = _measure(*fixed, *task.of(chunk))
            yield chunk, rows
        return
    waiting: deque[tuple[list[Pair], Future[_Rows]]] = deque()
    for chunk in chunks:
        waiting.append((chunk, pool.submit(_measure, *fixed, *task.of(chunk))))
        if len(waiting) > 2 * jobs:
            done, future = waiting.popleft()
            with _naming(task.metric, done):
                rows = future.result()
            yield done, rows
    for done, future in waiting:
        with _naming(task.metric, done):
            rows = future.result()
        yield done, rows


@contextmanager
def _naming(metric: Metric[Any, Any], chunk: Sequence[Pair]) -> Iterator[None]:
    """Says of an error which pair of the chunk it is about, where it does not say so itself."""
    try:
        yield
    except FormatError as error:
        if error.place is None:
            for pair in chunk:
                try:
                    metric.measure_many([(pair.system, pair.gold)])
                except FormatError as own:
                    own.place = own.place or Place(item=pair.id)
                    raise own from None
        raise


def _pool(
    metric: Metric[Any, Any], jobs: int, executor: Executor | None
) -> AbstractContextManager[Executor | None]:
    if executor is not None or jobs == 1:
        return nullcontext(executor)
    from karat.engine.pools import workers  # loads what most runs do without

    return workers(jobs, threads=metric.releases_gil)
