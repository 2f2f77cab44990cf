"""Chunks of pairs through a metric, in order, with a bounded number under way."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from karat.core.capabilities import Certifies, Splits, can_certify, has
from karat.core.items import Key, Match, Pair, place_of
from karat.core.metric import Metric, Split
from karat.core.reading import FilePairs, Made, Maker, chunked
from karat.core.runs.evaluation import Evaluation, Parts
from karat.core.scores import Array
from karat.engine.results import Given, gold_mark
from karat.errors import FormatError, OptionError, PairingError, Place

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
    task = _Task(metric, facets, certify and can_certify(metric))
    return _measured(task, pairs, certificates or {}, jobs, executor, progress)[0]


def measure_files(
    files: FilePairs,
    *,
    jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
    facets: Sequence[str] = (),
    certify: bool = False,
    certificates: Mapping[int, bytes] | None = None,
) -> tuple[Evaluation, Given]:
    """The same for the pairs of files: items are parsed where their chunk is measured.

    Also whether the system gave anything at all.
    """
    metric = files.metric
    own = files.own_pairs()
    maker = None if own is not None else files.maker()
    task = _Task(metric, facets, certify and can_certify(metric), maker, not files.golds)
    work: Iterable[Pair] | Iterable[Match] = files.matches() if own is None else own
    result = _measured(task, work, certificates or {}, jobs, executor, progress, files)
    files.finish()
    return result


def _measured(
    task: _Task,
    work: Iterable[Pair] | Iterable[Match],
    certificates: Mapping[int, bytes],
    jobs: int,
    executor: Executor | None,
    progress: Progress | None,
    files: FilePairs | None = None,
) -> tuple[Evaluation, Given]:
    if jobs < 1:
        raise OptionError(f"the number of jobs must be at least 1, got {jobs}", code="K302")
    metric, facets = task.metric, task.facets
    ids: list[str] = []
    keys: list[Key] = []
    places = array("q")
    fields: list[Any] = []
    order = array("q")
    rows: list[Array] = []
    splits: list[list[Split]] = []
    proofs: dict[int, bytes] = {}
    marks: list[bytes] = []
    given = Given()
    with _pool(metric, jobs, executor) as pool:
        chunks = _chunks(work, metric.chunk_size, certificates)
        for result in _results(task, chunks, pool, jobs):
            if files is not None and result.made is not None:
                files.take(result.made)
            proofs |= zip(map(place_of, result.pairs), result.proofs, strict=False)
            for pair in result.pairs:
                ids.append(pair.id)
                keys.append((pair.id, *(pair.key or ())[1:]))
                places.append(place_of(pair))
                fields.append(pair.fields)
                order.append(pair.index)
            given.add(result.given)
            marks += result.marks
            rows.append(result.rows)
            splits.append(result.splits)
            if progress:
                progress(len(result.pairs))
    table = np.concatenate(rows) if rows else np.empty((0, len(metric.columns)))
    keep: Sequence[int] = range(len(order))
    if any(later <= earlier for earlier, later in pairwise(order)):
        # Back into gold order; a place that comes twice holds what came last.
        last = {index: position for position, index in enumerate(order)}
        keep = [last[index] for index in sorted(last)]
        ids, fields, table = [ids[i] for i in keep], [fields[i] for i in keep], table[keep]
        keys, places = [keys[i] for i in keep], array("q", (places[i] for i in keep))
        proofs = {place: proofs[place] for place in places if place in proofs}
        marks = [marks[i] for i in keep] if marks else marks
    names = dict.fromkeys(name for one in fields for name in one)
    evaluation = Evaluation(
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
    evaluation.gold_marks = marks
    return evaluation, given


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


class _Chunk(msgspec.Struct, frozen=True):
    """Some pairs, or matches that become pairs, and the certificates of their places."""

    work: list[Any]
    certificates: dict[int, bytes]


def _chunks(
    work: Iterable[Any], size: int, certificates: Mapping[int, bytes]
) -> Iterator[_Chunk | PairingError]:
    for chunk in chunked(work, size):
        if isinstance(chunk, PairingError):
            yield chunk
            return
        places = [place_of(each) for each in chunk] if certificates else []
        known = {place: certificates[place] for place in places if place in certificates}
        yield _Chunk(chunk, known)


class _Result(msgspec.Struct):
    """What comes back of a chunk: pairs without their values, and their rows."""

    pairs: list[Pair]
    rows: Array
    splits: list[Split]
    proofs: list[bytes]
    given: Given
    marks: list[bytes]
    made: Made | None = None


class _Task(msgspec.Struct, frozen=True):
    """What is done with each chunk, here or in another process."""

    metric: Metric[Any, Any]
    facets: Sequence[str]
    certify: bool
    maker: Maker | None = None
    marks_gold: bool = False
    """Whether a mark of each pair's gold is wanted, since no gold file tells what it is."""

    def do(self, chunk: _Chunk) -> _Result:
        made = None
        pairs: list[Pair] = chunk.work
        if self.maker is not None:
            made = self.maker.make(chunk.work)
            pairs, made.pairs = made.pairs, []
        with _naming(self.metric, pairs):
            rows, splits, proofs = self._measured(pairs, chunk.certificates)
        bare = [
            Pair(pair.index, pair.id, pair.fields, None, None, pair.key, pair.place)
            for pair in pairs
        ]
        marks = [gold_mark(pair.gold) for pair in pairs] if self.marks_gold else []
        return _Result(bare, rows, splits, proofs, Given.of(self.metric, pairs), marks, made)

    def _measured(
        self, pairs: Sequence[Pair], certificates: Mapping[int, bytes]
    ) -> tuple[Array, list[Split], list[bytes]]:
        metric = self.metric
        values = [(pair.system, pair.gold) for pair in pairs]
        known = [certificates.get(place_of(pair)) for pair in pairs]
        proofs: list[bytes] = []
        if certificates and None not in known and has(metric, Certifies):
            rows = metric.check_certified(values, [each for each in known if each is not None])
        elif self.certify and has(metric, Certifies):
            rows, proofs = metric.measure_certified(values)
        else:
            rows = metric.measure_many(values)
        if not self.facets:
            return rows, [], proofs
        if not has(metric, Splits):
            raise TypeError(f"{metric.name} has no facets to split by")
        return rows, [metric.split(facet, values) for facet in self.facets], proofs


def _results(
    task: _Task, chunks: Iterator[_Chunk | PairingError], pool: Executor | None, jobs: int
) -> Iterator[_Result]:
    """The results of all chunks, in their order, with a bounded number under way."""
    waiting: deque[Future[_Result]] = deque()
    for chunk in chunks:
        if isinstance(chunk, PairingError):
            for future in waiting:
                yield future.result()
            raise chunk
        if pool is None:
            yield task.do(chunk)
            continue
        waiting.append(pool.submit(_do, task, chunk))
        if len(waiting) > 2 * jobs:
            yield waiting.popleft().result()
    for future in waiting:
        yield future.result()


def _do(task: _Task, chunk: _Chunk) -> _Result:
    return task.do(chunk)


@contextmanager
def _naming(metric: Metric[Any, Any], pairs: Sequence[Pair]) -> Iterator[None]:
    """Says of an error which pair of the chunk it is about, where it does not say so itself."""
    try:
        yield
    except FormatError as error:
        if error.place is None:
            for pair in pairs:
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
