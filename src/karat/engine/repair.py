"""Repairing what a system gave: which classes of its errors cost how much, and files without them.

Edits come from the correspondence that each row was counted under, and change rows by known
amounts: the score without a class of them is that of the changed rows, without measuring again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import IO, Any, Literal, TypeAlias, get_args

import msgspec
import numpy as np

from karat.core.capabilities import (
    DetectsNull,
    FillsGaps,
    KeepsComments,
    MeasuresRepaired,
    Repairs,
    RepairsMapped,
    WritesRepaired,
    has,
)
from karat.core.files.opener import Source
from karat.core.files.writing import whole_output
from karat.core.metric import Metric
from karat.core.reading.items import Pair, place_of
from karat.core.reading.plan import Chunk, Maker, Plan, Span
from karat.core.repairs import Changes, Claim, Edit, ItemRepair, Target
from karat.core.runs.evaluation import Evaluation
from karat.core.runs.frames import Tabular
from karat.core.scores import Array, leaves
from karat.engine.look import Again, pairs_at, refuse_commands, reopened
from karat.engine.repair_effects import Average, Effects, Figures, Ints, Score
from karat.errors import OptionError, did_you_mean
from karat.stats.resampling import bootstrap_sums
from karat.version import VERSION

Rank: TypeAlias = Literal["gain", "gain-per-edit", "plan"]
KIND = "kind"
_CHUNK = 64
_FEW = 2
_MOST_KEPT = 4096
Mappings: TypeAlias = Mapping[int, bytes]
"""By place in gold, what measuring kept."""
Kept: TypeAlias = dict[int, tuple[Pair, ItemRepair]]
"""By position, pairs and what repairs them."""


class EditClass(msgspec.Struct):
    """A class of edits: what the score would be without these errors alone."""

    name: str
    edits: int
    items: int
    delta: Figures
    interval: tuple[float, float] | None
    """Of the change of the score; None where there are too few items, or nobody asked."""
    running: float
    """The score without this class and all that come before it."""
    remeasured: float | None = None
    """The score without this class alone, measured again."""
    running_remeasured: float | None = None

    @property
    def per_edit(self) -> float:
        return self.delta.f / self.edits if self.edits else 0.0


class PlanStep(msgspec.Struct):
    """The classes to repair first, if it may be so many, and the score then."""

    classes: list[str]
    f: float
    remeasured: float | None = None


class ItemEdit(msgspec.Struct):
    """An edit of an item, and its class."""

    position: int
    """Of the item, in the run."""
    number: int
    """Of the edit, among those of its item."""
    group: str
    edit: Edit


def repair(
    evaluation: Evaluation,
    classes: str = KIND,
    *,
    by: str | None = None,
    score: str | None = None,
    average: Average = "micro",
    rank: Rank = "gain",
    top: int = 20,
    split_half: bool = False,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    check: bool = False,
) -> Repair:
    """Which errors of a system, repaired, gain how much.

    Edits are divided into `classes`: by their kinds, or by what the metric offers (edge labels,
    parts of speech, paths, ...); with `by`, by a field of their items. The score is the headline,
    or another that edits change in a known way; `average` takes the mean of items in its place.
    `top` classes are listed (0: all), by their gain alone, their gain per edit, or in the order of
    the best plan. With `split_half` they are chosen on one half of the items and measured on the
    other. `check` also repairs and measures again.
    """
    return Repair(
        evaluation, classes, by=by, score=score, average=average, rank=rank, top=top,
        split_half=split_half, confidence=confidence, resamples=resamples, seed=seed, check=check,
    )  # fmt: skip


class Repair(Tabular):
    """The edits of a run, in classes."""

    def __init__(
        self, evaluation: Evaluation, classes: str = KIND, *, by: str | None = None,
        score: str | None = None, average: Average = "micro", rank: Rank = "gain", top: int = 20,
        split_half: bool = False, confidence: float = 0.95, resamples: int = 1000, seed: int = 0,
        check: bool = False,
    ) -> None:  # fmt: skip
        refuse_commands(evaluation)
        self.evaluation = evaluation
        self.metric = repairable(evaluation.metric)
        self.partition = _partition(self.metric, classes)
        self.by = by
        self.items_of = None if by is None else _field(evaluation, by)
        if rank not in get_args(Rank):
            raise OptionError(f"a rank is one of {', '.join(get_args(Rank))}", code="K302")
        if average not in get_args(Average):
            raise OptionError(f"an average is one of {', '.join(get_args(Average))}", code="K302")
        self.rank: Rank = rank
        self.top = top
        self.level = confidence
        self.resamples = resamples
        self.seed = seed
        self.split_half = split_half
        name, target = _target(evaluation, self.metric, score)
        self._score = Score(evaluation.metric, name, target, average)
        self._again = reopened(evaluation)
        same = self._again is evaluation.again  # else the files may have changed
        self._mappings = evaluation.mappings if same else {}
        measures = check or self.claim == "estimate"
        self._kept: Kept = {}
        self._edits = dict(
            _collected(
                evaluation,
                self._again,
                self._mappings,
                self.partition,
                self.needing,
                self._kept if measures else None,
            )
        )
        self.effects = Effects.of(
            self._score,
            evaluation.counts,
            self._edits,
            self._class,
        )
        if measures:
            self._check(check)
            self._kept = {}

    # -- what there is ---------------------------------------------------------------------------

    @property
    def score(self) -> str:
        """The dotted name of the score that is judged by."""
        return self._score.name

    @property
    def average(self) -> Average:
        return self._score.average

    @property
    def claim(self) -> Claim:
        """How the score measured again relates to the predicted one."""
        return self.metric.repair_claim

    @property
    def exact(self) -> bool:
        """Whether every correspondence is proven; else there may be fewer edits."""
        return not self.evaluation.inexact

    @cached_property
    def needing(self) -> list[int]:
        """The positions of items in which something is wrong."""
        counts, metric = self.evaluation.counts, self.evaluation.metric
        wrong = np.zeros(len(counts), bool)
        for name, target in self.metric.repair_targets.items():
            score = Score(metric, name, target)
            top, bottom = score.quotients(counts).T
            wrong |= np.abs(top if score.sign < 0 else top - bottom) > 1e-9
        return [int(i) for i in np.flatnonzero(wrong)]

    @property
    def edits(self) -> list[ItemEdit]:
        """All edits, in gold order."""
        return [
            ItemEdit(i, number, self._class(i, edit), edit)
            for i, found in self._edits.items()
            for number, edit in enumerate(found)
        ]

    def _class(self, position: int, edit: Edit) -> str:
        return edit.group if self.items_of is None else self.items_of[position]

    # -- figures ---------------------------------------------------------------------------------

    @cached_property
    def _items(self) -> tuple[Ints, Ints]:
        """The items that classes are chosen on, and those that they are measured on."""
        size = len(self.evaluation)
        if not self.split_half:
            return np.arange(size), np.arange(size)
        if size < 2 * _FEW:
            raise OptionError(f"{size} items are too few to be split in half", code="K302")
        order = np.random.default_rng(self.seed).permutation(size)
        return np.sort(order[: size // 2]), np.sort(order[size // 2 :])

    @cached_property
    def _halves(self) -> tuple[Effects, Effects]:
        if not self.split_half:
            return self.effects, self.effects
        return self.effects.taken(self._items[0]), self.effects.taken(self._items[1])

    @property
    def measured_on(self) -> Effects:
        """The classes on all items, or with `split_half` on the half that is measured."""
        return self._halves[1]

    @cached_property
    def _order(self) -> list[int]:
        """All classes, the first ones first; equal ones by more edits, then by name."""
        chosen_on = self._halves[0]
        every = list(range(len(chosen_on.classes)))

        def key(number: int) -> tuple[float, int, str]:
            each = chosen_on.classes[number]
            gain = chosen_on.gain(number)
            if self.rank == "gain-per-edit":
                gain = gain / each.edits if each.edits else 0.0
            return -gain, -each.edits, each.name

        ranked = sorted(every, key=key)
        if self.rank != "plan":
            return ranked
        listed: list[int] = []
        for chosen, _ in self._best:
            listed += [number for number in ranked if number in chosen and number not in listed]
        return [*listed, *(number for number in ranked if number not in listed)]

    @cached_property
    def _best(self) -> list[tuple[list[int], float]]:
        return self._halves[0].best(self.top or len(self.effects.classes))

    @cached_property
    def before(self) -> Figures:
        """The score as it is; with `split_half`, on the items that classes are measured on."""
        return self._halves[1].before

    @cached_property
    def repaired(self) -> Figures:
        """The score without any error."""
        effects = self._halves[1]
        return effects.figures(range(len(effects.classes)))

    @cached_property
    def classes(self) -> list[EditClass]:
        """The classes that are listed, the first ones first."""
        effects = self._halves[1]
        listed = self._order[: self.top or None]
        intervals: list[tuple[float, float] | None] = [None] * len(listed)
        if len(effects.counts) >= _FEW:
            units = partial(bootstrap_sums, resamples=self.resamples, seed=self.seed)
            intervals = list(effects.intervals(listed, units, self.level))
        result = []
        for place, (number, interval) in enumerate(zip(listed, intervals, strict=True)):
            each, alone = effects.classes[number], effects.figures([number])
            running = effects.figures(listed[: place + 1]).f
            if self.rank == "plan" and place < len(self._best):
                running = effects.figures(self._best[place][0]).f
            result.append(
                EditClass(
                    each.name,
                    each.edits,
                    len(each.items),
                    _difference(alone, self.before),
                    interval,
                    running,
                )
            )
        return result

    def plan(self, most: int | None = None) -> list[PlanStep]:
        """For one class, two, up to so many: those to repair first, and the score then.

        The best sets, exactly (`plan_is_exact`), or found step by step.
        """
        found = self._best if most is None else self._halves[0].best(most)
        effects = self._halves[1]
        return [
            PlanStep(
                sorted(effects.classes[number].name for number in chosen),
                effects.figures(chosen).f,
            )
            for chosen, _ in found
        ]

    @property
    def plan_is_exact(self) -> bool:
        """Whether no other set of as many classes gains more."""
        return self._score.exact_plan

    def notes(self) -> list[str]:
        """What to know of the figures."""
        found = []
        listed = self.classes
        if len(listed) >= 3 and not self.split_half:
            first, third = listed[0].interval, listed[2].interval
            if first and third and first[0] <= third[1] and third[0] <= first[1]:
                found.append(
                    "the intervals of the first and the third class overlap: their order may be "
                    "chance, and the first looks better than it is (``split_half``)"
                )
        if not self.plan_is_exact:
            found.append("the plan is found step by step; another may gain more")
        if self.claim == "estimate":
            found.append(
                "gains are estimates: what a repair changes depends on other repairs; `again` is "
                "measured"
            )
        if self.evaluation.inexact:
            found.append(
                f"{self.evaluation.inexact} items have no proven correspondence: their edits may "
                "be more than are needed"
            )
        return found

    # -- measuring again ---------------------------------------------------------------------------

    def _check(self, everything: bool) -> None:
        """Measures the running scores, and with `everything` each class alone and the plan."""
        listed, steps = self.classes, self.plan()
        is_plan = self.rank == "plan"
        planned = [set(step.classes) for step in steps] if everything or is_plan else []
        alone = [{each.name} for each in listed] if everything else []
        running = [{each.name for each in listed[: i + 1]} for i in range(len(listed))]
        if is_plan:
            running[: len(planned)] = planned
        found = iter(self.remeasured([*running, *planned, *alone]))
        for each in listed:
            each.running_remeasured = next(found)
        self._remeasured_plan = [next(found) for _ in planned]
        for each, value in zip(listed, found, strict=False):
            each.remeasured = value

    _remeasured_plan: Sequence[float] = ()

    def remeasured(self, sets: Sequence[Collection[str]]) -> list[float]:
        """The score after repairing each of some sets of classes, measured again."""
        metric = self.evaluation.metric
        lenient = metric.for_repaired() if has(metric, MeasuresRepaired) else metric
        wanted = [set(each) for each in sets]
        changed: list[list[tuple[list[int], Array]]] = [[] for _ in sets]
        for positions, pairs, items in self._looked_at():
            made: dict[tuple[int, tuple[int, ...]], int] = {}  # most sets change few items anew
            repaired: list[tuple[Any, Any]] = []
            places: list[tuple[list[int], list[int]]] = [([], []) for _ in sets]
            for i, pair, item in zip(positions, pairs, items, strict=True):
                if getattr(item, "adds_up", False):
                    continue
                groups = [self._class(i, edit) for edit in self._edits[i]]
                for chosen, (own, rows_of) in zip(wanted, places, strict=True):
                    numbers = tuple(n for n, group in enumerate(groups) if group in chosen)
                    if not numbers:
                        continue
                    if (i, numbers) not in made:
                        made[i, numbers] = len(repaired)
                        repaired.append((item.apply(numbers), pair.gold))
                    own.append(i)
                    rows_of.append(made[i, numbers])
            if repaired:
                rows = np.asarray(lenient.measure_many(repaired))
                for found, (own, rows_of) in zip(changed, places, strict=True):
                    found.append((own, rows[rows_of]))
        result = []
        for chosen, found in zip(wanted, changed, strict=True):
            counts = self.effects.after([self.effects.place[name] for name in chosen])
            for own, rows in found:
                counts[own] = rows
            result.append(self._score.figures(counts[self._items[1]]).f)
        return result

    def _looked_at(self) -> Iterator[tuple[list[int], list[Pair], Sequence[ItemRepair]]]:
        """Chunks of the pairs that have edits, and what repairs them."""
        run = self.evaluation
        wanted = [i for i, found in self._edits.items() if found]
        known = [i for i in wanted if i in self._kept]
        for first in range(0, len(known), _CHUNK):
            some = known[first : first + _CHUNK]
            yield some, [self._kept[i][0] for i in some], [self._kept[i][1] for i in some]
        position = {run.places[i]: i for i in wanted if i not in self._kept}
        if not position:
            return
        again = self._again
        plan = again.plan.only(position)
        for span in plan.spans(_CHUNK):
            pairs = again.maker.make(plan.chunk(span)).pairs
            places = [position[place_of(pair)] for pair in pairs]
            yield places, pairs, _repairs(run.metric, pairs, self._mappings)

    # -- repaired items ----------------------------------------------------------------------------

    def apply(self, classes: Collection[str] | None = None) -> list[Any]:
        """The system's items in gold order without the errors of some classes, or of all."""
        return [value for _, _, value in self._applied(classes)]

    def _applied(self, classes: Collection[str] | None) -> Iterator[tuple[str, bool, Any]]:
        """The id of each item, whether it was changed, and its value."""
        chosen = None if classes is None else self._known(classes)
        run = self.evaluation
        position = {place: i for i, place in enumerate(run.places)}
        again = self._again
        for pair in pairs_at(again.plan, again.maker, position):
            i = position[place_of(pair)]
            found = self._edits.get(i, [])
            numbers = [
                number
                for number, edit in enumerate(found)
                if chosen is None or self._class(i, edit) in chosen
            ]
            value = pair.system
            if numbers:
                (item,) = _repairs(run.metric, [pair], self._mappings)
                value = item.apply(numbers)
            yield run.ids[i], bool(numbers), value

    def _known(self, classes: Collection[str]) -> set[str]:
        for name in classes:
            if name not in self.effects.place:
                known = list(self.effects.place)
                raise OptionError(
                    f"there is no class {name!r} of errors{did_you_mean(name, known)}",
                    code="K378",
                    advice=f"classes: {', '.join(known[:12])}" if known else "nothing is wrong",
                )
        return set(classes)

    def write(
        self, path: str | os.PathLike[str] | IO[bytes], classes: Collection[str] | None = None
    ) -> None:
        """Writes the repaired items to a file, in the format that the system's had."""
        with whole_output(path) as stream:
            self._write(stream, classes)

    def _write(self, stream: IO[bytes], classes: Collection[str] | None) -> None:
        run, metric = self.evaluation, self.evaluation.metric
        if run.inputs is not None and any(
            each.role == "system" and not each.path for each in run.inputs.files
        ):
            raise OptionError(
                "the system's items come from memory: there is no format to write",
                code="K310",
                advice="apply() gives them, karat.write() writes them",
            )
        found = self._applied(classes)
        kept = ((name, value) for name, changed, value in found if changed or self._is_there(value))
        writer = self._again.maker.system.format
        if has(writer, KeepsComments):
            files = run.inputs.files if run.inputs is not None else ()
            texts = (Source(each.path).text() for each in files if each.role == "system")
            writer.write(writer.with_comments(kept, texts), stream)
        elif has(metric, WritesRepaired):
            writer.write(metric.to_write(kept), stream)
        else:
            writer.write((value for _, value in kept), stream)

    def _is_there(self, value: Any) -> bool:
        """Whether the system gave an item, as far as one can tell."""
        metric = self.evaluation.metric
        return not (has(metric, FillsGaps) and has(metric, DetectsNull) and metric.is_null(value))

    # -- the way out -------------------------------------------------------------------------------

    def __repr__(self) -> str:
        first = ", ".join(each.name for each in self.classes[:3])
        return (
            f"<Repair of {self.evaluation.system or 'a system'} by {self.evaluation.metric!r}: "
            f"{sum(map(len, self._edits.values()))} edits, {self.score} {self.before.f:.4f}; "
            f"first {first or 'nothing'}>"
        )

    def to_columns(self) -> dict[str, Sequence[Any]]:
        """A row for each class that is listed."""
        rows = [_class_document(each) for each in self.classes]
        flat = [
            {
                **{name: row[name] for name in ("class", "edits", "items")},
                **{f"delta_{name}": value for name, value in row["delta"].items()},
                "low": row["interval"][0] if row["interval"] else None,
                "high": row["interval"][1] if row["interval"] else None,
                **{name: row[name] for name in ("per_edit", "running", "remeasured")},
            }
            for row in rows
        ]
        return {name: [row[name] for row in flat] for name in (flat[0] if flat else ())}

    def to_dict(self) -> dict[str, Any]:
        """The repair as JSON-ready values."""
        run = self.evaluation
        steps = self.plan()
        for step, value in zip(steps, self._remeasured_plan, strict=False):
            step.remeasured = value
        return {
            "karat": VERSION,
            "metric": run.metric.name,
            "signature": run.signature(),
            "system": run.system,
            "n": len(run),
            "score": self.score,
            "average": self._score.average,
            "partition": self.by if self.by is not None else self.partition,
            "scores": run.scores(),
            "before": _figures(self.before),
            "repaired": _figures(self.repaired),
            "edits": sum(map(len, self._edits.values())),
            **self._split_document(),
            "classes": [_class_document(each) for each in self.classes],
            "plan": [
                {"classes": step.classes, "f": step.f, "remeasured": step.remeasured}
                for step in steps
            ],
            "plan_is_exact": self.plan_is_exact,
            "items": list(self._item_documents()),
            "exact": self.exact,
            "claim": self.claim,
            "warnings": [*run.remarks, *self.notes()],
        }

    def _split_document(self) -> dict[str, Any]:
        """Of which items the figures are, where classes were chosen on others."""
        if not self.split_half:
            return {}
        chosen, measured = map(len, self._items)
        edits = sum(each.edits for each in self.measured_on.classes)
        return {"split_half": {"chosen_on": chosen, "measured_on": measured, "edits": edits}}

    def _item_documents(self) -> Iterator[dict[str, Any]]:
        ids = self.evaluation.ids
        for i, found, gains in self._gains():
            yield {
                "id": ids[i],
                "edits": [
                    {
                        "kind": edit.kind,
                        "class": self._class(i, edit),
                        "system": edit.system,
                        "gold": edit.gold,
                        "gain": gain,
                    }
                    for edit, gain in zip(found, gains, strict=True)
                ],
            }

    def edits_with_gains(self) -> Iterator[tuple[int, list[tuple[ItemEdit, float]]]]:
        """The edits of each item that has some, with what each alone changes in the score."""
        for i, found, gains in self._gains():
            edits = [
                ItemEdit(i, number, self._class(i, edit), edit) for number, edit in enumerate(found)
            ]
            yield i, list(zip(edits, gains, strict=True))

    def _gains(self) -> Iterator[tuple[int, list[Edit], list[float]]]:
        run, score = self.evaluation, self._score
        base = score.quotients(run.counts)
        sums = base.sum(axis=0)
        columns = {name: i for i, name in enumerate(run.metric.columns)}
        known: dict[Changes, float] = {}  # there are many edits, and few ways to change rows
        for i, found in self._edits.items():
            if not found:
                continue
            if score.exact_plan:
                for edit in found:
                    if edit.changes not in known:
                        known[edit.changes] = self._gain_anywhere(edit, *sums.tolist())
                yield i, found, [known[edit.changes] for edit in found]
                continue
            alone = len(found) == 1
            yield i, found, [self._gain(i, edit, base[i], sums, columns, alone) for edit in found]

    def _gain_anywhere(self, edit: Edit, top: float, bottom: float) -> float:
        """What one edit changes in the score, in whatever item it is."""
        target = self._score.target
        more = sum(target.top.get(name, 0) * change for name, change in edit.changes)
        below = sum(target.bottom.get(name, 0) * change for name, change in edit.changes)
        defined = bottom and bottom + below
        return (top + more) / (bottom + below) - top / bottom if defined else 0.0

    def _gain(
        self, i: int, edit: Edit, base: Array, sums: Array, columns: dict[str, int], alone: bool
    ) -> float:
        """What one edit changes in the score of its item, and so in the mean of items."""
        row = self.evaluation.counts[i].copy()
        for name, change in edit.changes:
            row[columns[name]] += change
        if self._score.target.whole:
            (column,) = self._score.target.top
            row[columns[column]] = max(row[columns[column]], float(alone))
        after = sums - base + self._score.quotients(row[None])[0]
        return float(after[0] / after[1] - sums[0] / sums[1]) if sums[1] and after[1] else 0.0


def _difference(after: Figures, before: Figures) -> Figures:
    p, r = (
        None if a is None or b is None else a - b
        for a, b in ((after.p, before.p), (after.r, before.r))
    )
    return Figures(p, r, after.f - before.f)


def _figures(figures: Figures) -> dict[str, float | None]:
    return {
        name: None if value is None or np.isnan(value) else value
        for name, value in figures._asdict().items()
    }


def _class_document(each: EditClass) -> dict[str, Any]:
    return {
        "class": each.name,
        "edits": each.edits,
        "items": each.items,
        "delta": _figures(each.delta),
        "interval": None if each.interval is None else list(each.interval),
        "per_edit": each.per_edit,
        "running": each.running,
        "remeasured": each.remeasured,
        "running_remeasured": each.running_remeasured,
    }


# -- what is asked for -----------------------------------------------------------------------------


_REASONS = {
    "text": "n-gram credit and the like belong to no single edit, and the only text known to be "
    "right is the reference itself",
    "scores": "its scores were made elsewhere, and tell nothing of errors",
}


REPAIRABLE = (
    "mrp", "smatch", "sdp", "edm", "ucca-mrp", "ud", "attachment", "cogs", "json", "tool-calls",
    "edit-distance", "wer", "ter",
)  # fmt: skip
"""The metrics of karat that can be repaired; plug-ins may, too."""


def repairable(metric: Metric[Any, Any]) -> Repairs:
    """The metric, if it says which edits repair what; else an error with the reason."""
    if not has(metric, Repairs):
        why = _REASONS.get(metric.kind, "it does not say which edits repair what it counts")
        raise OptionError(
            f"{metric.name} cannot be repaired: {why}",
            code="K377",
            advice="these can: " + ", ".join(REPAIRABLE),
        )
    if metric.unrepairable:
        raise OptionError(f"{metric!r} cannot be repaired: {metric.unrepairable}", code="K377")
    return metric


def _partition(metric: Repairs, name: str) -> str:
    known = (KIND, *metric.partitions)
    if name not in known:
        raise OptionError(
            f"errors cannot be divided by {name!r}{did_you_mean(name, known)}",
            code="K378",
            advice="``classes``: " + ", ".join(known) + "; ``by`` takes a field of the items",
        )
    return name


def _field(run: Evaluation, name: str) -> Sequence[str]:
    if name not in run.groups:
        raise OptionError(
            f"the items have no field {name!r}{did_you_mean(name, run.groups)}",
            code="K315",
            advice="fields: " + (", ".join(run.groups) or "none"),
        )
    return run.groups[name]


def _target(run: Evaluation, metric: Repairs, name: str | None) -> tuple[str, Target]:
    targets = metric.repair_targets
    if name is not None:
        if name not in targets:
            raise OptionError(
                f"repairs cannot be judged by the score {name!r}{did_you_mean(name, targets)}",
                code="K306",
                advice="scores: " + ", ".join(targets),
            )
        return name, targets[name]
    scores = dict(leaves(run.scores()))
    defined = [each for each in targets if _is_number(scores.get(tuple(each.split("."))))]
    chosen = defined[0] if defined else next(iter(targets))
    return chosen, targets[chosen]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not np.isnan(value)


# -- collecting edits ------------------------------------------------------------------------------


def _collected(
    run: Evaluation,
    again: Again,
    mappings: Mappings,
    partition: str,
    positions: Sequence[int],
    kept: Kept | None,
) -> Iterator[tuple[int, list[Edit]]]:
    """The edits of items at some positions, in gold order, found by as many workers as the run.

    What is needed once more goes to `kept`, unless workers found it, or it is much.
    """
    position = {run.places[i]: i for i in positions}
    plan = again.plan.only(position)
    spans = plan.spans(_CHUNK)
    work = _Finding(run.metric, again.maker, plan, spans, mappings, partition)
    if again.jobs > 1 and len(spans) > 1:
        from karat.engine.pools import results

        found = results(work, again.jobs, None, threads=run.metric.releases_gil)
    else:
        found = map(work.do, range(len(spans)))
        if kept is not None:
            found = _kept_on_the_way(work, position, kept)
    for chunk in found:
        for place, edits in chunk:
            yield position[place], edits


def _kept_on_the_way(
    work: _Finding, position: Mapping[int, int], kept: Kept
) -> Iterator[list[tuple[int, list[Edit]]]]:
    for span in work.spans:
        pairs = work.maker.make(work.plan.chunk(span)).pairs
        found = _repairs(work.metric, pairs, work.mappings)
        for pair, item in zip(pairs, found, strict=True):
            if len(kept) < _MOST_KEPT:
                kept[position[place_of(pair)]] = pair, item
        yield _told(pairs, found, work.partition)


class _Finding(msgspec.Struct):
    """The edits of chunks of pairs."""

    metric: Metric[Any, Any]
    maker: Maker
    plan: Plan
    spans: list[Span]
    mappings: Mappings
    partition: str

    def __len__(self) -> int:
        return len(self.spans)

    def do(self, number: int) -> list[tuple[int, list[Edit]]]:
        chunk = self.plan.chunk(self.spans[number])
        return _edits_of(self.metric, self.maker, chunk, self.mappings, self.partition)

    def parcels(self) -> Iterator[tuple[Callable[..., Any], tuple[Any, ...]]]:
        known = self.mappings
        for span in self.spans:
            chunk = self.plan.chunk(span)
            places = chunk.golds[0].number.tolist()
            mappings = {place: known[place] for place in places if place in known}
            yield _edits_of, (self.metric, self.maker, chunk, mappings, self.partition)


def _edits_of(
    metric: Metric[Any, Any], maker: Maker, chunk: Chunk, mappings: Mappings, partition: str
) -> list[tuple[int, list[Edit]]]:
    pairs = maker.make(chunk).pairs
    return _told(pairs, _repairs(metric, pairs, mappings), partition)


def _repairs(
    metric: Metric[Any, Any], pairs: Sequence[Pair], mappings: Mappings
) -> Sequence[ItemRepair]:
    values = [(pair.system, pair.gold) for pair in pairs]
    if has(metric, RepairsMapped):
        return metric.repairs_mapped(values, [mappings.get(place_of(each), b"") for each in pairs])
    assert has(metric, Repairs)
    return metric.repairs(values)


def _told(
    pairs: Sequence[Pair], found: Sequence[ItemRepair], partition: str
) -> list[tuple[int, list[Edit]]]:
    return [
        (place_of(pair), item.edits(partition)) for pair, item in zip(pairs, found, strict=True)
    ]
