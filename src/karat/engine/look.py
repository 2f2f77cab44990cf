"""Looking at the items of a run: all outputs about items are made from here.

So they have the same items, in the same order, with the same scores: those that were measured.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import msgspec
import numpy as np

from karat.core.files.opener import Source
from karat.core.items import Match, Pair, place_of
from karat.core.metric import Explanation, Metric
from karat.core.pairing import Report
from karat.core.reading import FilePairs, only_once
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import find_leaf, leaves
from karat.errors import OptionError, VerificationError, did_you_mean

_CHUNK = 64


class Seen:
    """A pair of a run, its position there, and what the metric says of it."""

    def __init__(self, metric: Metric[Any, Any], position: int, pair: Pair) -> None:
        self.metric = metric
        self.position = position
        self.pair = pair

    @cached_property
    def explanation(self) -> Explanation:
        """Made once, however many outputs ask for it."""
        return self.metric.explain(self.pair.system, self.pair.gold)

    @cached_property
    def encoded(self) -> bytes:
        """The explanation as JSON."""
        return msgspec.json.encode(self.explanation)


def look(run: Evaluation, chosen: Collection[int] | None = None) -> Iterator[Seen]:
    """The pairs of a run at the chosen positions, or all, in gold order.

    The files are read again, and paired as they were for measuring; a gold item that
    another one replaced is left out, as it was there.
    """
    refuse_commands(run)
    wanted = sorted(range(len(run)) if chosen is None else set(chosen))
    position = {run.places[i]: i for i in wanted}
    files = _files_again(run)
    ordered = _in_order(work_of(files), position, wanted)
    missing = iter(wanted)
    while chunk := list(islice(ordered, _CHUNK)):
        for pair in made_of(files, chunk):
            i = position[place_of(pair)]
            if i != next(missing):
                break
            yield Seen(run.metric, i, pair)
    lost = next(missing, None)
    if lost is not None:
        raise VerificationError(
            f"item {run.ids[lost]!r} is not in the files any more that the run was made from",
            code="K603",
        )


def work_of(files: FilePairs) -> Iterator[Pair | Match]:
    """Pairs of a metric that pairs by itself, else what they are made from."""
    own = files.own_pairs()
    return files.matches() if own is None else own


def made_of(files: FilePairs, work: Sequence[Pair | Match]) -> Iterator[Pair]:
    """The pairs of some work, in its order."""
    matches = [each for each in work if isinstance(each, Match)]
    if not matches:
        return (each for each in work if isinstance(each, Pair))
    return iter(files.maker().make(matches).pairs)


def _in_order(
    work: Iterator[Pair | Match], position: Mapping[int, int], wanted: Sequence[int]
) -> Iterator[Pair | Match]:
    """What is wanted, in its order; no more is read than that takes."""
    waiting: dict[int, Pair | Match] = {}
    following = iter(wanted)
    due = next(following, None)
    while due is not None:
        each = next(work, None)
        if each is None:
            return
        i = position.get(place_of(each))
        if i is not None:
            waiting[i] = each
        while due is not None and due in waiting:
            yield waiting.pop(due)
            due = next(following, None)


def refuse_commands(run: Evaluation) -> None:
    """A file of a run that came from elsewhere does not decide what is run here."""
    if run.is_loaded and (what := run.metric.runs()):
        raise commands_refused(what)


def commands_refused(what: str) -> VerificationError:
    """The error that a saved run would run or contact something."""
    return VerificationError(
        f"the run's metric would use {what}, which a saved run does not decide",
        code="K608",
        advice="if you trust it, verify it with ``allow_commands=True``",
    )


def _files_again(run: Evaluation) -> FilePairs:
    """The files of a run, to be read and paired as they were."""
    if run.inputs is None:
        raise VerificationError("the run does not say what files it was made from", code="K602")
    for each in run.inputs.files:
        if not each.sha256:
            raise only_once(Source(each.path).name)
    system = next(each for each in run.inputs.files if each.role == "system")
    golds = [each for each in run.inputs.files if each.role == "gold"]
    return FilePairs(
        run.metric,
        system.path,
        [each.path for each in golds],
        format=system.format,
        gold_format=golds[0].format if golds else None,
        format_options=run.inputs.format_options(),
        mode=run.inputs.pair,
        report=Report(run.inputs.on_error),
    )


def settled(files: FilePairs) -> list[Pair | Match]:
    """All that can be looked at in files that were not measured, in gold order.

    What a later gold item replaces is left out, as it is in measuring.
    """
    last = {each.index: each for each in work_of(files)}
    return [last[index] for index in sorted(last)]


@dataclass(frozen=True, slots=True)
class Choice:
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
            path = find_leaf(run.scores(), run.metric.headline)
            found = dict(leaves(run.metric.summarize(run.counts)))[path]
            wrong = np.asarray(found) != run.metric.perfect
            chosen = [i for i in chosen if wrong[i]]
        if self.sample and self.sample < len(chosen):
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
