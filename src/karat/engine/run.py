"""Measures chunks of pairs, in order, with a bounded number in progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count, islice
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from karat import cores
from karat.arguments import checks_arguments
from karat.core.capabilities import (
    MeasuresBytes,
    can_certify,
    has,
)
from karat.core.metric import Metric
from karat.core.reading.doors import native_pairs
from karat.core.reading.items import Key, Pair, Refs, place_of
from karat.core.reading.plan import Parser, Plan, Span
from karat.core.reading.streams import FilePairs
from karat.core.runs.evaluation import Evaluation
from karat.engine.chunks import ChunkResult, Given, Task, nothing_to_do
from karat.engine.jobs import Jobs, Progress, checked, tell, workers
from karat.engine.results import Gathering
from karat.errors import KaratError, OptionError, RunError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from karat.engine.jobs import Log
    from karat.engine.resume import Folder
    from karat.engine.resume import Parts as KeptParts

_Parcel: TypeAlias = "tuple[Callable[..., ChunkResult | None], tuple[Any, ...]]"
_CHUNKS_PER_WORKER = 16
_FEWEST_PER_WORKER = 3
_LARGEST = 8192
_FIRST_PAIRS = 16


@checks_arguments
def measure_pairs(
    metric: Metric[Any, Any],
    pairs: Iterable[Pair | tuple[Any, Any]],
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
    """The evaluation of a stream of pairs (system, gold): rows are kept, items are not.

    The result is the same for any number of jobs and any executor, since rows
    are put back in gold order; ``auto`` is one job, since a stream does not tell its size.
    With `certify` the evaluation holds a certificate for each pair, where the metric has such;
    with `certificates`, by the places of items in the gold file, rows are checked by them
    rather than measured. Chunks that are `kept` of an earlier run of the same pairs are not
    measured again. Pairs `as_read` are such as readers give them, and not looked at again.
    """
    task = Task(metric, facets, certify and can_certify(metric))
    given = _whole(pairs)
    if not as_read:
        given = _native(metric, given)
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
        from karat.engine.jobs import tell_jobs, tell_pairing

        tell_pairing(log, files, plan)
        tell_jobs(log, files, asked, jobs, elsewhere=executor is not None)
    task = Task(metric, facets, certify and can_certify(metric), maker, not files.golds)
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
    task: Task,
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
) -> Iterator[ChunkResult]:
    """The results of all chunks; the error that is raised is the first one in gold order.

    A chunk is parsed before it is measured, so that which of its errors comes first depends on
    where it begins and ends. Pair by pair it does not.
    """
    found: Iterator[Any] = _results(work, jobs, executor)
    if work.kept is not None:
        from karat.engine.resume import with_kept

        found = with_kept(work.kept, found)
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


def _whole(pairs: Iterable[Pair | tuple[Any, Any]]) -> Iterator[Pair]:
    for number, each in enumerate(pairs):
        if isinstance(each, tuple) and len(each) == 2:
            each = Pair(number, str(number + 1), {}, *each)
        if not isinstance(each, Pair):
            raise OptionError(
                f"pair {number} must be a tuple (system, gold), got {type(each).__name__}",
                code="K393",
            )
        yield each


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


class _PairWork:
    """Pairs in memory, chunk by chunk."""

    def __init__(
        self,
        task: Task,
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

    def names(self, result: ChunkResult) -> Iterator[tuple[str, Key]]:
        """Results come in the order of the chunks."""
        for pair in self.under_way.pop(0):
            yield pair.id, (pair.id, *(pair.key or ())[1:])


class _FileWork(msgspec.Struct):
    """The chunks of files; workers that share memory with us find them by their numbers."""

    task: Task
    plan: Plan
    spans: list[Span]
    certificates: Mapping[int, bytes]
    kept: KeptParts | None = None
    """The chunks that are known from an earlier run: their results are None."""
    first: ChunkResult | None = None
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

    def do(self, number: int) -> ChunkResult | None:
        if self.kept is not None and number in self.kept:
            return None
        if number == 0 and self.first is not None:
            return self.first
        return self.task.parse(self.plan.chunk(self.spans[number]), self.certificates)

    def pair_by_pair(self, number: int) -> Iterator[ChunkResult]:
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
    work: _PairWork | _FileWork, jobs: int, executor: Executor | None
) -> Iterator[ChunkResult | None]:
    """The results of all chunks, in their order; None for what is kept of an earlier run."""
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

    yield from results(work, jobs, threads=work.metric.releases_gil)
