"""Looking at the items of a run: all outputs about items are made from here.

So they have the same items, in the same order, with the same scores: those that were measured.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, zip_longest
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from karat.core.capabilities import (
    CountsErrors,
    Explains,
    ExplainsMany,
    ExplainsMeasured,
    LazyPairs,
    LooksAtMany,
    LooksAtTexts,
    Opaque,
    PairOutputs,
    WantedOutputs,
    encoded_explanation,
    has,
    would_run,
)
from karat.core.files.opener import Source
from karat.core.files.shards import source_of
from karat.core.format import Format
from karat.core.metric import Explanation, Metric
from karat.core.pairing.pairs import Report
from karat.core.reading.items import Pair, place_of
from karat.core.reading.plan import Chunk, Maker, Plan, Span
from karat.core.reading.streams import FilePairs, only_once
from karat.core.reading.strings import Referenced, decoded_json
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import Array, find_leaf, leaves
from karat.errors import OptionError, VerificationError, did_you_mean

_CHUNK = 128
_EXPLANATIONS_ALONE = WantedOutputs()


def why_not(metric: object) -> str:
    """Why a metric does not explain, as the end of a sentence."""
    return f": {metric.why_opaque}" if has(metric, Opaque) else ""


def explain(metric: Metric[Any, Any], system: Any, gold: Any) -> Explanation:
    """What a metric says of a pair; an error if it does not explain its scores."""
    return decoded_json(_encoded(metric, system, gold))


def _encoded(metric: Metric[Any, Any], system: Any, gold: Any) -> bytes:
    """The same as JSON."""
    if not has(metric, Explains):
        raise OptionError(f"{metric.name} cannot explain its scores{why_not(metric)}", code="K308")
    return encoded_explanation(metric, metric.explain(system, gold))


_T = TypeVar("_T")


class RunItem:
    """A pair of a run, its position there, and the explanation of its scores."""

    def __init__(self, batch: Batch, number: int, position: int) -> None:
        self._batch = batch
        self._number = number
        self.position = position

    @property
    def metric(self) -> Metric[Any, Any]:
        return self._batch.metric

    @property
    def pair(self) -> Pair:
        return self._batch.pairs[self._number]

    @cached_property
    def encoded(self) -> bytes:
        """The explanation as JSON, so that it is the same wherever it was made."""
        made = self._batch.made_together[self._number] if self._batch.explained else b""
        return made or _encoded(self.metric, self.pair.system, self.pair.gold)

    @cached_property
    def explanation(self) -> Explanation:
        """Decoded once for all outputs."""
        return decoded_json(self.encoded)


class Batch:
    """Consecutive pairs of a run. Values, texts and explanations are made when first used."""

    def __init__(
        self,
        metric: Metric[Any, Any],
        maker: Maker,
        chunk: Chunk,
        position: Mapping[int, int],
        counts: Array,
        *,
        explained: bool = False,
        jobs: int = 1,
        mappings: Mapping[int, bytes] | None = None,
        outputs: WantedOutputs = _EXPLANATIONS_ALONE,
    ) -> None:
        self.metric = metric
        self._outputs = outputs
        self._jobs = jobs
        self._mappings = mappings or {}
        self._places = wanted_places(chunk)
        self.positions = [position[place] for place in self._places]
        """Where the pairs stand in the run."""
        self.explained = explained
        """Whether all explanations will be asked for, and are made by one call."""
        self.made: list[bytes] | None = None
        """The explanations that a worker made, as JSON."""
        self.is_counted = False
        """Whether the errors of explanations were counted when these were made."""
        self._counts = counts
        self._maker = maker
        self._chunk = chunk

    def __len__(self) -> int:
        return len(self.positions)

    def __iter__(self) -> Iterator[RunItem]:
        return iter(self.items)

    @cached_property
    def items(self) -> list[RunItem]:
        return [RunItem(self, i, position) for i, position in enumerate(self.positions)]

    @cached_property
    def pairs(self) -> list[Pair]:
        found = self._maker.make(self._chunk).pairs
        if [place_of(pair) for pair in found] != self._places:
            raise VerificationError(
                "items that were measured cannot be read from the files any more", code="K603"
            )
        return found

    @cached_property
    def encoded(self) -> list[bytes]:
        """The explanations as JSON."""
        if self.explained and all(self.made_together):
            return self.made_together
        return [item.encoded for item in self]

    @cached_property
    def made_together(self) -> list[bytes]:
        """The explanations that one call makes; those left to `explain` are empty."""
        if self.made is not None:
            return self.made
        if self.looked is not None:
            return self.only_wanted(self.looked.explanations())
        if not has(self.metric, LooksAtTexts):
            return _explanations(self.metric, self.pairs, self._counts[self.positions])
        texts = self.texts
        if texts is None:
            pairs = [(pair.system, pair.gold) for pair in self.pairs]
            texts = self.metric.texts_of_pairs(pairs)
        rows = self._counts[self.positions]
        if self._outputs.errors is not None and has(self.metric, CountsErrors):
            self.is_counted = True
            return self.metric.explain_and_count(texts, rows, self._outputs.errors)
        return self.metric.explain_texts(texts, rows)

    @cached_property
    def looked(self) -> PairOutputs | None:
        """The pairs compared by one call; None where the metric cannot, or few are explained."""
        if not self.explained or self.made is not None or not has(self.metric, LooksAtMany):
            return None
        known = [self._mappings[place] for place in self._places if place in self._mappings]
        chunk = LazyPairs(
            lambda: self._maker.raw(self._chunk),
            lambda: [(pair.system, pair.gold) for pair in self.pairs],
            known if len(known) == len(self) else (),
            self._jobs,
            self._outputs,
        )
        return self.metric.look_at(chunk)

    def only_wanted(self, found: Sequence[_T]) -> list[_T]:
        """The values for pairs of the batch, from values for all pairs of its chunk."""
        wanted = self._chunk.wanted
        if wanted is None or len(self) == len(found):
            return list(found)
        places = self._chunk.golds[0].number.tolist()
        return [each for each, place in zip(found, places, strict=True) if place in wanted]

    def positions_in_chunk(self) -> npt.NDArray[np.int64]:
        """Where the pairs of the chunk stand in the run; -1 for those that are not wanted."""
        wanted = self._chunk.wanted
        places = self._chunk.golds[0].number.tolist()
        found = iter(self.positions)
        return np.array([next(found) if not wanted or at in wanted else -1 for at in places])

    def sentences(self) -> list[str]:
        """What items of gold were made from, where comments of their file say it; else none."""
        golds = self._maker.golds
        if len(golds) != 1 or type(golds[0].format).sentence is Format.sentence:
            return []
        raw = golds[0].raw(self._chunk.golds[0])
        if raw is None:
            return []
        ends = zip(raw.begin.tolist(), raw.end.tolist(), strict=True)
        return self.only_wanted([raw.format.sentence(raw.data[i:j]) for i, j in ends])

    @cached_property
    def texts(self) -> Referenced | None:
        """The texts of both sides as they are in the files; None where they have to be parsed."""
        if not has(self.metric, LooksAtTexts):
            return None
        raw = self._maker.raw(self._chunk)
        return None if raw is None else self.metric.texts_of(raw)


def wanted_places(chunk: Chunk) -> list[int]:
    """The numbers of the gold items of a chunk that are wanted."""
    places = chunk.golds[0].number.tolist()
    return [place for place in places if chunk.wanted is None or place in chunk.wanted]


class ReopenedRun(NamedTuple):
    """The files of a run, paired, to look at their items once more."""

    plan: Plan
    maker: Maker
    stamps: list[tuple[int, int]]
    """What tells whether the files have changed."""
    jobs: int = 1

    @classmethod
    def of(cls, files: FilePairs, plan: Plan, jobs: int) -> ReopenedRun | None:
        """None where the bytes of items are held, not where they are.

        Values in memory are the user's, and can be asked for again.
        """
        held = (refs.data is not None or isinstance(refs.items, list) for refs in plan.files())
        if any(held):
            return None
        return cls(plan, files.maker(), files.stamps(), jobs)

    def is_current(self) -> bool:
        parsers = (self.maker.system, *self.maker.golds)
        return self.stamps == [source_of(parser.path).stamp() for parser in parsers]


def look(
    run: Evaluation, chosen: Collection[int] | None = None, *, explained: bool = False
) -> Iterator[RunItem]:
    """The pairs of a run at the chosen positions, or all, in gold order.

    They are parsed once more, and paired as they were for measuring. With `explained`, all
    explanations will be asked for, and are made by as many workers as the run was.
    """
    for batch in look_in_batches(run, chosen, explained=explained):
        yield from batch


def look_in_batches(
    run: Evaluation,
    chosen: Collection[int] | None = None,
    *,
    explained: bool = False,
    outputs: WantedOutputs = _EXPLANATIONS_ALONE,
) -> Iterator[Batch]:
    """The same in batches; `outputs` says which outputs of explained pairs are needed."""
    refuse_commands(run)
    wanted = sorted(range(len(run)) if chosen is None else set(chosen))
    position = {run.places[i]: i for i in wanted}
    again = reopened(run)
    missing = iter(wanted)
    for batch in _batches(run, again, position, explained and has(run.metric, Explains), outputs):
        due = list(islice(missing, len(batch)))
        if due != batch.positions:
            lost = next(i for i, found in zip_longest(due, batch.positions) if i != found)
            raise _lost(run.ids[lost])
        yield batch
    if (left := next(missing, None)) is not None:
        raise _lost(run.ids[left])


def _lost(id: str) -> VerificationError:
    return VerificationError(
        f"item {id!r} is not in the files any more that the run was made from", code="K603"
    )


def reopened(run: Evaluation) -> ReopenedRun:
    """The files of a run, paired as they were for measuring."""
    again: ReopenedRun | None = run.again
    if again is not None and again.is_current():
        return again
    files = _files_again(run)
    return ReopenedRun(files.plan(_CHUNK), files.maker(), [], again.jobs if again else 1)


def pairs_at(plan: Plan, maker: Maker, places: Collection[int]) -> Iterator[Pair]:
    """The pairs of gold items with these numbers, in gold order, parsed when they are due."""
    chosen = plan.only(places)
    for span in chosen.spans(_CHUNK):
        yield from maker.make(chosen.chunk(span)).pairs


def _batches(
    run: Evaluation,
    again: ReopenedRun,
    position: Mapping[int, int],
    explained: bool,
    outputs: WantedOutputs,
) -> Iterator[Batch]:
    metric, jobs = run.metric, again.jobs
    plan = again.plan.only(position)
    native = has(metric, LooksAtTexts) or has(metric, LooksAtMany)
    spans = plan.spans(min(metric.chunk_size, 1024) if native or not explained else _CHUNK)

    known = run.mappings if again is run.again else {}  # else the files may have changed

    def batch_of(span: Span) -> Batch:
        return Batch(
            metric, again.maker, plan.chunk(span), position, run.counts,
            explained=explained, jobs=jobs, mappings=known, outputs=outputs,
        )  # fmt: skip

    first: list[Batch] = []
    if explained and jobs > 1 and len(spans) > 1 and not has(metric, LooksAtTexts):
        # Where a kernel compares all pairs of a chunk, no workers are needed.
        first = [batch_of(spans[0])]
        if first[0].looked is None:
            from karat.engine.pools import results

            work = _Explaining(metric, again.maker, plan, spans, position, run.counts)
            made = results(work, jobs, threads=metric.releases_gil)
            for span, explanations_made in zip(spans, made, strict=False):
                batch = batch_of(span)
                batch.made = explanations_made
                yield batch
            return
    yield from first
    for span in spans[len(first) :]:
        yield batch_of(span)


class _Explaining(msgspec.Struct):
    """Explanations of chunks of pairs."""

    metric: Metric[Any, Any]
    maker: Maker
    plan: Plan
    spans: list[Span]
    position: Mapping[int, int]
    counts: Array

    def __len__(self) -> int:
        return len(self.spans)

    def do(self, number: int) -> list[bytes]:
        return _explain_chunk(*self._parts(self.spans[number]))

    def parcels(self) -> Iterator[tuple[Callable[..., Any], tuple[Any, ...]]]:
        for span in self.spans:
            yield _explain_chunk, self._parts(span)

    def _parts(self, span: Span) -> tuple[Metric[Any, Any], Maker, Chunk, Array]:
        chunk = self.plan.chunk(span)
        rows = self.counts[[self.position[place] for place in wanted_places(chunk)]]
        return self.metric, self.maker, chunk, rows


def _explain_chunk(
    metric: Metric[Any, Any], maker: Maker, chunk: Chunk, rows: Array
) -> list[bytes]:
    return _explanations(metric, maker.make(chunk).pairs, rows)


def _explanations(metric: Metric[Any, Any], pairs: Sequence[Pair], rows: Array) -> list[bytes]:
    """The explanations of pairs as JSON, by one call where the metric can do that.

    `rows` are the measured rows of the pairs.
    """
    values = [(pair.system, pair.gold) for pair in pairs]
    if has(metric, ExplainsMeasured):
        return metric.explain_measured(values, rows)
    if has(metric, ExplainsMany):
        return [encoded_explanation(metric, each) for each in metric.explain_many(values)]
    return [_encoded(metric, system, gold) for system, gold in values]


def refuse_commands(run: Evaluation) -> None:
    """A file of a run that came from elsewhere does not decide what is run here."""
    if run.is_loaded and (what := would_run(run.metric)):
        raise commands_refused(what)


def commands_refused(what: str) -> VerificationError:
    """The error that a saved run would run or contact something."""
    return VerificationError(
        f"the run's metric would use {what}, which a saved run does not decide",
        code="K608",
        advice="if you trust it, verify it with ``allow_commands=True``",
    )


def in_memory() -> VerificationError:
    return VerificationError(
        "the run was made from data in memory, which a saved run does not hold",
        code="K602",
        advice="look at its items before the run is saved, or measure files",
    )


def pair_for(run: Evaluation, metric: Metric[Any, Any], position: int) -> Pair:
    """The pair at a position of a run, read for another metric."""
    if what := would_run(metric):
        raise commands_refused(what)
    files = _files_again(run, metric)
    assert run.inputs is not None
    for now, then in zip(files.inputs().files, run.inputs.files, strict=True):
        if now.sha256 != then.sha256:
            raise VerificationError(
                f"{now.name} is not the file the run was made from any more", code="K603"
            )
    found = next(pairs_at(files.plan(_CHUNK), files.maker(), [run.places[position]]), None)
    if found is None:  # what another metric cannot read may be left out
        raise _lost(run.ids[position])
    return found


def _files_again(run: Evaluation, metric: Metric[Any, Any] | None = None) -> FilePairs:
    """The files of a run, to be read and paired as they were, or so for another metric."""
    if run.inputs is None or not run.inputs.systems:
        raise VerificationError("the run does not say what files it was made from", code="K602")
    for each in run.inputs.files:
        if not each.path:
            raise in_memory()
        if not each.sha256:
            raise only_once(Source(each.path).name)
    return FilePairs(
        metric or run.metric,
        run.inputs.systems[0].path,
        [each.path for each in run.inputs.golds],
        **run.inputs.formats(),
        mode=run.inputs.pair,
        report=Report(run.inputs.on_error),
    )


class Choice(msgspec.Struct, frozen=True):
    """Which items to look at: all, or those of a type, or that are not perfect, or a sample."""

    type: str | None = None
    only_errors: bool = False
    sample: int = 0
    seed: int = 0

    def positions(self, run: Evaluation) -> list[int]:
        """The positions of the chosen items in the run, in gold order."""
        chosen = list(range(len(run)))
        if self.type is not None:
            chosen = self._of_type(run)
        if self.only_errors:
            path = find_leaf(run.scores(), run.metric.about.headline)
            found = dict(leaves(run.metric.summarize(run.counts)))[path]
            wrong = np.asarray(found) != run.metric.about.perfect
            chosen = [i for i in chosen if wrong[i]]
        if self.sample and self.sample < len(chosen):
            import random  # takes its time to load

            chosen = random.Random(self.seed).sample(chosen, self.sample)  # noqa: S311 - no secret
        return sorted(chosen)

    def _of_type(self, run: Evaluation) -> list[int]:
        types = run.groups.get("type", ())
        chosen = [i for i, each in enumerate(types) if each == self.type]
        if not chosen:
            known = list(dict.fromkeys(types))
            raise OptionError(
                f"no item is of the type {self.type!r}{did_you_mean(str(self.type), known)}",
                code="K325",
                advice=f"there are: {', '.join(known[:12])}" if known else "the items have no type",
            )
        return chosen
