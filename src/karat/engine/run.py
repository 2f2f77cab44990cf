"""Measures chunks of pairs, in order, with a bounded number in progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import compress, count, islice
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import numpy as np

from karat import cores
from karat.core.capabilities import (
    Certifies,
    MeasuresBytes,
    MeasuresMapped,
    Splits,
    can_certify,
    has,
)
from karat.core.format import Notices
from karat.core.metric import Metric, Split
from karat.core.pairing.pairs import Report
from karat.core.reading.doors import native_pairs
from karat.core.reading.items import Key, LazyItems, Pair, Refs, columns_of_fields, place_of
from karat.core.reading.plan import Chunk, Made, Maker, Parser, Plan, Span
from karat.core.reading.streams import FilePairs
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import Array
from karat.engine.jobs import Jobs, Progress, checked, tell, workers
from karat.engine.results import ChunkResult as _Result
from karat.engine.results import Gathering, Given, gold_marks, joined, nothing_to_do
from karat.errors import FormatError, KaratError, Place, RunError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from karat.engine.account import Log
    from karat.engine.resume import Folder
    from karat.engine.resume import Parts as KeptParts

_Parcel: TypeAlias = "tuple[Callable[..., _Result | None], tuple[Any, ...]]"
_CHUNKS_PER_WORKER = 16
_FEWEST_PER_WORKER = 3
_LARGEST = 8192
_FIRST_PAIRS = 16
_MOST_MAPPINGS = 100_000
"""More would take too much memory for what looking at items may never need."""


def measure_pairs(
    metric: Metric[Any, Any],
    pairs: Iterable[Pair],
    *,
    jobs: Jobs = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
    facets: Sequence[str] = (),
    certify: bool = False,
    certificates: Mapping[int, bytes] | None = None,
    kept: KeptParts | None = None,
    as_read: bool = False,
) -> Evaluation:
    """The evaluation of a stream of pairs: rows are kept, items are not.

    The result is the same for any number of jobs and any executor, since rows
    are put back in gold order; ``auto`` is one job, since a stream does not tell its size.
    With `certify` the evaluation holds a certificate for each pair, where the metric has such;
    with `certificates`, by the places of items in the gold file, rows are checked by them
    rather than measured. Chunks that are `kept` of an earlier run of the same pairs are not
    measured again. Pairs `as_read` are such as readers give them, and not looked at again.
    """
    task = _Task(metric, facets, certify and can_certify(metric))
    given = iter(pairs) if as_read else _native(metric, pairs)
    work = _PairWork(task, given, certificates or {}, kept)
    jobs = 1 if jobs == "auto" else checked(jobs)
    return _measured(task, work, jobs, executor, progress)[0]


def measure_files(
    files: FilePairs,
    *,
    jobs: Jobs = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
    facets: Sequence[str] = (),
    certify: bool = False,
    certificates: Mapping[int, bytes] | None = None,
    resume: Folder | None = None,
    log: Log | None = None,
) -> tuple[Evaluation, Given, Plan]:
    """The same for the pairs of files: items are parsed where their chunk is measured.

    Also whether the system gave anything at all, and what was paired. In `resume` finished
    chunks are kept.
    """
    about = None
    if resume is not None:
        from karat.engine.resume import described

        about = described(files, facets, certify=certify)
    if executor is not None:
        files.unpack_elsewhere()
    stamps = files.stamps()
    threads = 1 if jobs == 1 else cores.usable()
    plan = files.plan(files.metric.chunk_size, threads, digests=True)
    metric = files.metric  # which the plan may have completed
    asked = jobs
    if executor is None:
        jobs, maker = workers(jobs, files, plan), files.maker()
    else:
        from karat.engine.executors import workers_of

        jobs = workers_of(executor, 1 if jobs == "auto" else checked(jobs))
        maker = files.maker().absolute()
    if log is not None:
        from karat.engine.account import tell_jobs, tell_pairing

        tell_pairing(log, files, plan)
        tell_jobs(log, files, asked, jobs, elsewhere=executor is not None)
    task = _Task(metric, facets, certify and can_certify(metric), maker, not files.golds)
    size, kept = _chunk_size(plan, metric, jobs, executor), None
    if resume is not None and about is not None:
        kept = resume.run(about, size, files.sources())
        size = kept.chunk
    work = _FileWork(task, plan, plan.spans(size), certificates or {}, kept)
    tell(progress, plan.size(), jobs, len(work))
    try:
        evaluation, given = _measured(
            task, work, jobs, executor, progress, files, plan.gold, plan.size()
        )
    except Exception:  # which may come of bytes that are no items any more
        files.check_unchanged(stamps)
        raise
    files.finish(plan)
    files.check_unchanged(stamps)
    return evaluation, given, plan


def _chunk_size(plan: Plan, metric: Metric[Any, Any], jobs: int, executor: Executor | None) -> int:
    """Large enough that handing out chunks costs nothing, small enough to share them evenly."""
    share = max(1, min(_LARGEST, len(plan.gold) // (jobs * _CHUNKS_PER_WORKER)))
    if executor is not None:
        return max(metric.chunk_size, share)
    if jobs == 1:
        return metric.chunk_size
    if has(metric, MeasuresBytes):  # kernels that look up words gain by larger chunks
        share = max(share, min(metric.chunk_size, len(plan.gold) // (jobs * _FEWEST_PER_WORKER)))
    return share


def _measured(
    task: _Task,
    work: _PairWork | _FileWork,
    jobs: int,
    executor: Executor | None,
    progress: Progress | None,
    files: FilePairs | None = None,
    gold: Refs | None = None,
    size: int = 0,
) -> tuple[Evaluation, Given]:
    gathered = Gathering(task.metric, task.facets, 0 if gold is None else size)
    given = Given()
    for result in _in_gold_order(work, jobs, executor, files):
        if files is not None and result.made is not None:
            files.take(result.made)
        gathered.add(result, work.names(result) if isinstance(work, _PairWork) else ())
        given.add(result.given)
        if progress:
            progress(len(result.rows))
    evaluation = gathered.evaluation(gold)
    evaluation.mappings = gathered.mappings
    return evaluation, given


def _in_gold_order(
    work: _PairWork | _FileWork, jobs: int, executor: Executor | None, files: FilePairs | None
) -> Iterator[_Result]:
    """The results of all chunks; the error that is raised is the first one in gold order.

    A chunk is parsed before it is measured, so that which of its errors comes first depends on
    where it begins and ends. Pair by pair it does not.
    """
    found = _results(work, jobs, executor, threads=work.task.metric.releases_gil)
    number = 0
    while True:
        try:
            result = next(found)
        except StopIteration:
            return
        except RunError:  # which is not about the pairs
            raise
        except KaratError:
            if files is not None and isinstance(work, _FileWork):
                for single in work.pair_by_pair(number):
                    assert single.made is not None
                    files.take(single.made)
            raise
        yield result
        number += 1


def _native(metric: Metric[Any, Any], pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Pairs with sides as the metric takes them, whatever form their items have."""
    following = iter(pairs)
    while batch := list(islice(following, metric.chunk_size)):
        sides = native_pairs(metric, [p.system for p in batch], [p.gold for p in batch])
        for pair, (system, gold) in zip(batch, sides, strict=True):
            if system is pair.system and gold is pair.gold:
                yield pair
            else:
                yield msgspec.structs.replace(pair, system=system, gold=gold)


class _Task(msgspec.Struct, frozen=True):
    """The task of each chunk, in this or another process."""

    metric: Metric[Any, Any]
    facets: Sequence[str]
    certify: bool
    maker: Maker | None = None
    marks_gold: bool = False
    """Whether a mark of each pair's gold is wanted, since no gold file tells what it is."""

    def parse(self, chunk: Chunk, certificates: Mapping[int, bytes]) -> _Result:
        """The result of items that are not parsed yet."""
        counted = self.count(chunk, certificates)
        return self._make(chunk, certificates) if counted is None else counted

    def count(self, chunk: Chunk, certificates: Mapping[int, bytes]) -> _Result | None:
        """The result where kernels take the bytes of items; else None."""
        if self.facets or self.certify or certificates:
            return None
        return self._count(chunk) if chunk.present is None else self._count_some(chunk)

    def _make(self, chunk: Chunk, certificates: Mapping[int, bytes]) -> _Result:
        assert self.maker is not None
        made = self.maker.make(chunk)
        pairs, made.pairs = made.pairs, []
        result = self.do(pairs, certificates)
        result.made = made
        return result

    def _count_some(self, chunk: Chunk) -> _Result | None:
        """The result where only gold items without a system item are parsed."""
        there, missing = chunk.parts()
        if not len(there.system):
            return None
        counted = self._count(there)
        return None if counted is None else joined(counted, self._make(missing, {}))

    def _count(self, chunk: Chunk) -> _Result | None:
        """The result of items that are not parsed at all, where the metric can do that."""
        maker, metric = self.maker, self.metric
        assert maker is not None
        if not has(metric, MeasuresBytes):
            return None
        raw = maker.raw(chunk) if maker.golds else maker.raw_records(chunk)
        measured = None if raw is None else metric.measure_bytes(raw)
        if measured is None:
            return None
        rows, fields, anything, wanted, golds, found = measured
        place = chunk.golds[0].number
        index = place if chunk.index is None else chunk.index
        if chunk.wanted is not None:
            kept = np.isin(place, list(chunk.wanted))
            rows, place, index = rows[kept], place[kept], index[kept]
            fields = {
                name: list(compress(values, kept.tolist())) for name, values in fields.items()
            }
        gold = chunk.golds[0].items
        if isinstance(gold, LazyItems):
            fields = {**gold.columns(), **fields}
        made = Made([], Report(maker.on_error), [Notices() for _ in range(1 + len(chunk.golds))])
        if not maker.own_pairs:
            made.report.readable = len(rows)
        given = Given(len(rows), anything, wanted)
        first = max(0, _MOST_MAPPINGS - chunk.first)
        mappings = dict(zip(place[:first].tolist(), found[:first], strict=True)) if found else {}
        marks = gold_marks(golds) if self.marks_gold else []
        return _Result(
            index, place, dict(fields), rows, [], [], given, marks, made, mappings
        )  # fmt: skip

    def do(self, pairs: Sequence[Pair], certificates: Mapping[int, bytes]) -> _Result:
        size = self.metric.chunk_size
        rows: list[Array] = []
        splits: list[list[Split]] = []
        proofs: list[bytes] = []
        mappings: dict[int, bytes] = {}
        for first in range(0, len(pairs), size):
            batch = pairs[first : first + size]
            with _naming(self.metric, batch):
                found = self._measured(batch, certificates)
            rows.append(found[0])
            splits.append([_moved(split, first) for split in found[1]])
            proofs += found[2]
            for pair, mapping in zip(batch, found[3], strict=False):
                if place_of(pair) < _MOST_MAPPINGS:
                    mappings[place_of(pair)] = mapping
        return _Result(
            np.array([pair.index for pair in pairs], np.int64),
            np.array([place_of(pair) for pair in pairs], np.int64),
            columns_of_fields([pair.fields for pair in pairs]),
            np.concatenate(rows) if rows else np.empty((0, len(self.metric.columns))),
            [_joined([part[i] for part in splits]) for i in range(len(self.facets))],
            proofs,
            Given.of(self.metric, pairs),
            gold_marks(pair.gold for pair in pairs) if self.marks_gold else [],
            mappings=mappings,
        )

    def _measured(
        self, pairs: Sequence[Pair], certificates: Mapping[int, bytes]
    ) -> tuple[Array, list[Split], list[bytes], Sequence[bytes]]:
        metric = self.metric
        values = [(pair.system, pair.gold) for pair in pairs]
        known = [certificates.get(place_of(pair)) for pair in pairs] if certificates else [None]
        proofs: list[bytes] = []
        mappings: Sequence[bytes] = ()
        if None not in known and has(metric, Certifies):
            rows = metric.check_certified(values, [each for each in known if each is not None])
        elif self.certify and has(metric, Certifies):
            rows, proofs = metric.measure_certified(values)
        elif has(metric, MeasuresMapped):
            rows, mappings = metric.measure_mapped(values)
        else:
            rows = metric.measure_many(values)
        if not self.facets:
            return rows, [], proofs, mappings
        if not has(metric, Splits):
            raise TypeError(f"{metric.name} has no facets to split by")
        return rows, [metric.split(facet, values) for facet in self.facets], proofs, mappings


def _moved(split: Split, first: int) -> Split:
    # Values of plug-ins may be numbers.
    return Split([first + pair for pair in split.pairs], list(map(str, split.values)), split.rows)


def _joined(splits: Sequence[Split]) -> Split:
    if len(splits) == 1:
        return splits[0]
    return Split(
        [pair for split in splits for pair in split.pairs],
        [value for split in splits for value in split.values],
        np.array([row for split in splits for row in split.rows]),
    )


class _PairWork:
    """Pairs in memory, chunk by chunk."""

    def __init__(
        self,
        task: _Task,
        pairs: Iterator[Pair],
        certificates: Mapping[int, bytes],
        kept: KeptParts | None = None,
    ) -> None:
        self.task, self.pairs, self.certificates, self.kept = task, pairs, certificates, kept
        self.under_way: list[Sequence[Pair]] = []

    def parcels(self) -> Iterator[_Parcel]:
        size = self.task.metric.chunk_size
        for number in count():
            if not (chunk := list(islice(self.pairs, size))):
                return
            self.under_way.append(
                [Pair(p.index, p.id, p.fields, None, None, p.key, p.place) for p in chunk]
            )
            if self.kept is not None and number in self.kept:
                yield nothing_to_do, ()
                continue
            known = _only(self.certificates, map(place_of, chunk))
            yield self.task.do, (chunk, known)

    @property
    def metric(self) -> Metric[Any, Any]:
        return self.task.metric

    def files(self, arguments: tuple[Any, ...]) -> list[str]:
        """None: the items are in memory."""
        return []

    def shipped(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        return arguments

    def describe(self, number: int) -> str:
        first = number * self.task.metric.chunk_size
        return f"chunk {number + 1} (from pair {first + 1} on)"

    def names(self, result: _Result) -> Iterator[tuple[str, Key]]:
        """Results come in the order of the chunks."""
        for pair in self.under_way.pop(0):
            yield pair.id, (pair.id, *(pair.key or ())[1:])


class _FileWork(msgspec.Struct):
    """The chunks of files; workers that share memory with us find them by their numbers."""

    task: _Task
    plan: Plan
    spans: list[Span]
    certificates: Mapping[int, bytes]
    kept: KeptParts | None = None
    """The chunks that are known from an earlier run: their results are None."""
    first: _Result | None = None
    """The result of the first chunk, if it is known."""

    def __len__(self) -> int:
        return len(self.spans)

    def takes_bytes(self) -> bool:
        """Whether kernels do all the work, as far as the first pairs tell."""
        if not self.spans or not has(self.task.metric, MeasuresBytes):
            return False
        whole = self.plan.matches is None
        span = self.spans[0] if whole else Span(0, slice(0, _FIRST_PAIRS))
        try:
            found = self.task.count(self.plan.chunk(span), self.certificates)
        except KaratError:  # which comes again, in its turn
            return False
        self.first = found if whole else None
        return found is not None

    @property
    def metric(self) -> Metric[Any, Any]:
        return self.task.metric

    def files(self, arguments: tuple[Any, ...]) -> list[str]:
        """The files that the items of a chunk are read from."""
        chunk = arguments[0]
        system, *golds = self._parsers()
        found = system.paths(chunk.system)
        for parser, refs in zip(golds, chunk.golds, strict=False):
            found += parser.paths(refs)
        return found

    def _parsers(self) -> list[Parser]:
        assert self.task.maker is not None
        return [self.task.maker.system, *self.task.maker.golds]

    def shipped(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The same with the bytes of the items."""
        chunk, known = arguments
        system, *golds = self._parsers()
        filled = msgspec.structs.replace(
            chunk,
            system=_with_bytes(system, chunk.system),
            golds=[
                _with_bytes(parser, refs)
                for parser, refs in zip(golds or [system], chunk.golds, strict=True)
            ],
        )
        return filled, known

    def describe(self, number: int) -> str:
        span = self.spans[number]
        return f"chunk {number + 1} of {len(self.spans)} (from gold item {span.first + 1} on)"

    def do(self, number: int) -> _Result | None:
        if self.kept is not None and number in self.kept:
            return None
        if number == 0 and self.first is not None:
            return self.first
        return self.task.parse(self.plan.chunk(self.spans[number]), self.certificates)

    def pair_by_pair(self, number: int) -> Iterator[_Result]:
        """The pairs of a chunk as chunks of their own.

        A metric that pairs by itself is given the same chunks by any number of workers.
        """
        rows = self.spans[number].gold
        if self.plan.matches is None or not isinstance(rows, slice):
            return
        for row in range(*rows.indices(len(self.plan.matches.gold))):
            span = Span(row, slice(row, row + 1))
            yield self.task.parse(self.plan.chunk(span), self.certificates)

    def parcels(self) -> Iterator[_Parcel]:
        for number, span in enumerate(self.spans):
            if self.kept is not None and number in self.kept:
                yield nothing_to_do, ()
                continue
            chunk = self.plan.chunk(span)
            known = _only(self.certificates, chunk.golds[0].number.tolist())
            yield self.task.parse, (chunk, known)


def _with_bytes(parser: Parser, refs: Refs) -> Refs:
    if refs.items is not None or refs.data is not None:
        return refs
    return msgspec.structs.replace(refs, data=parser.data(refs))


def _only(certificates: Mapping[int, bytes], places: Iterable[int]) -> dict[int, bytes]:
    if not certificates:
        return {}
    return {place: certificates[place] for place in places if place in certificates}


def _results(
    work: _PairWork | _FileWork, jobs: int, executor: Executor | None, *, threads: bool
) -> Iterator[_Result]:
    """The results of all chunks, in their order."""
    found = _found(work, jobs, executor, threads)
    if work.kept is None:
        return found  # type: ignore[return-value]  # only what is kept is not measured
    from karat.engine.resume import with_kept

    return with_kept(work.kept, found)


def _found(
    work: _PairWork | _FileWork, jobs: int, executor: Executor | None, threads: bool
) -> Iterator[_Result | None]:
    """The same, with None for what is kept of an earlier run."""
    if executor is None and jobs == 1:
        for function, arguments in work.parcels():
            yield function(*arguments)
        return
    if executor is not None:
        from karat.engine.executors import results_on

        keep = None if work.kept is None else work.kept.put
        yield from results_on(executor, work, jobs, keep)
        return
    if isinstance(work, _FileWork) and work.takes_bytes():
        yield from cores.in_order(work.do, len(work), jobs)
        return
    from karat.engine.pools import results  # loads what most runs do without

    yield from results(work, jobs, threads=threads)


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
