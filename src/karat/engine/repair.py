"""Repairing what a system gave: which classes of its errors cost how much, and files without them.

Edits change rows by known amounts: the score without a class of them is that of the changed rows,
without measuring again.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import IO, Any, Literal, TypeAlias, get_args

import msgspec
import numpy as np

from karat.arguments import checks_arguments
from karat.core.capabilities import (
    DetectsNull,
    FillsGaps,
    KeepsComments,
    Repairs,
    WritesRepaired,
    has,
)
from karat.core.files.opener import Source
from karat.core.files.writing import whole_output
from karat.core.metric import Metric
from karat.core.repairs import Claim, Drawn, Edit, Target
from karat.core.runs.evaluation import Evaluation
from karat.core.runs.notebook import Tabular
from karat.core.runs.store import Inputs
from karat.core.scores import leaves
from karat.engine.look import refuse_commands
from karat.engine.repair_edits import Kept, RunEdits
from karat.engine.repair_effects import Average, Effects, Figures, Score, gains_of_edits
from karat.errors import OptionError, check_choice, counted, did_you_mean
from karat.stats.resampling import bootstrap_sums
from karat.version import VERSION

Rank: TypeAlias = Literal["gain", "gain-per-edit", "plan"]
KIND = "kind"
_FEW = 2
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

    def to_dict(self) -> dict[str, Any]:
        """The class as JSON-ready values."""
        return {
            "class": self.name,
            "edits": self.edits,
            "items": self.items,
            "delta": self.delta.to_dict(),
            "interval": None if self.interval is None else list(self.interval),
            "per_edit": self.per_edit,
            "running": self.running,
            "remeasured": self.remeasured,
            "running_remeasured": self.running_remeasured,
        }


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


@checks_arguments
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
        known = (KIND, *self.metric.partitions)
        if classes not in known:
            raise _unknown(
                "errors cannot be divided by", classes, known, "K378", "``classes``",
                "; ``by`` takes a field of the items",
            )  # fmt: skip
        if by is not None and by not in evaluation.groups:
            raise _unknown("the items have no field", by, evaluation.groups, "K315", "fields")
        check_choice("a rank", rank, get_args(Rank))
        check_choice("an average", average, get_args(Average))
        self.partition = classes
        self.by = by
        self.rank: Rank = rank
        self.top = top
        self.level = confidence
        self.resamples = resamples
        self.seed = seed
        self.split_half = split_half
        self._score = Score(evaluation.metric, *_target(evaluation, self.metric, score), average)
        measures = check or self.claim == "estimate"
        field = None if by is None else evaluation.groups[by]
        keep: Kept = "all" if check else "unsure" if measures else "nothing"
        self._edits = RunEdits(evaluation, classes, field, self.needing, keep=keep)
        self.effects = Effects.of(
            self._score, evaluation.counts, self._edits.of, self._edits.classes
        )
        self._chosen_on = self.measured_on = self.effects
        self._measured_items = np.arange(len(evaluation))
        if split_half:
            size = len(evaluation)
            if size < 2 * _FEW:
                raise OptionError(
                    f"{counted(size, 'item is', 'items are')} too few to be split in half",
                    code="K302",
                )
            order = np.random.default_rng(seed).permutation(size)
            self._chosen_on = self.effects.taken(np.sort(order[: size // 2]))
            self._measured_items = np.sort(order[size // 2 :])
            self.measured_on = self.effects.taken(self._measured_items)
        if measures:
            self._check(check)
            self._edits.forget()

    measured_on: Effects
    """The classes on all items, or with `split_half` on the half that is measured."""

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
        return [edit for position in self._edits.of for edit in self._of_item(position)]

    def _of_item(self, position: int) -> list[ItemEdit]:
        found = zip(self._edits.classes(position), self._edits.of[position], strict=True)
        return [ItemEdit(position, number, *both) for number, both in enumerate(found)]

    def edits_with_gains(self) -> Iterator[tuple[int, list[tuple[ItemEdit, float]]]]:
        """The edits of each item that has some, with what each alone changes in the score."""
        for i, gains in gains_of_edits(self._score, self.evaluation.counts, self._edits.of):
            yield i, list(zip(self._of_item(i), gains, strict=True))

    def drawn(self) -> dict[int, Sequence[Sequence[Drawn]]]:
        """By position, the parts of the item's drawing that each of its edits changes."""
        return self._edits.drawn()

    # -- figures ---------------------------------------------------------------------------------

    @cached_property
    def _order(self) -> list[int]:
        """All classes, the first ones first; equal ones by more edits, then by name."""
        chosen_on = self._chosen_on
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
        return self._chosen_on.best(self.top or len(self.effects.classes))

    @cached_property
    def before(self) -> Figures:
        """The score as it is; with `split_half`, on the items that classes are measured on."""
        return self.measured_on.before

    @cached_property
    def repaired(self) -> Figures:
        """The score without any error."""
        effects = self.measured_on
        return effects.figures(range(len(effects.classes)))

    @cached_property
    def classes(self) -> list[EditClass]:
        """The classes that are listed, the first ones first."""
        effects = self.measured_on
        listed = self._order[: self.top or None]
        intervals: list[tuple[float, float] | None] = [None] * len(listed)
        if len(effects.counts) >= _FEW:
            units = partial(bootstrap_sums, resamples=self.resamples, seed=self.seed)
            intervals = effects.intervals(listed, units, self.level)
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
                    alone.less(self.before),
                    interval,
                    running,
                )
            )
        return result

    @checks_arguments
    def plan(self, most: int | None = None) -> list[PlanStep]:
        """For one class, two, up to so many: those to repair first, and the score then.

        The best sets, exactly (`plan_is_exact`), or found step by step.
        """
        found = self._best if most is None else self._chosen_on.best(most)
        effects = self.measured_on
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
                f"{counted(self.evaluation.inexact, 'item has', 'items have')} no proven "
                "correspondence: there may be fewer edits than these"
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
        found = iter(self._scores([*running, *planned, *alone], everything))
        for each in listed:
            each.running_remeasured = next(found)
        self._remeasured_plan = [next(found) for _ in planned]
        for each, value in zip(listed, found, strict=False):
            each.remeasured = value

    _remeasured_plan: Sequence[float] = ()

    @checks_arguments
    def remeasured(self, sets: Sequence[Collection[str]]) -> list[float]:
        """The score after repairing each of some sets of classes, measured again."""
        return self._scores([set(each) for each in sets], everything=True)

    def _scores(self, sets: Sequence[set[str]], everything: bool) -> list[float]:
        """The same; without `everything`, items whose edits add up are not measured again."""
        place = self.effects.place
        predicted = (self.effects.after([place[name] for name in each]) for each in sets)
        counts = self._edits.measured(sets, None if everything else predicted)
        return [self._score.figures(each[self._measured_items]).f for each in counts]

    # -- repaired items ----------------------------------------------------------------------------

    @checks_arguments
    def apply(self, classes: Collection[str] | None = None) -> list[Any]:
        """The system's items in gold order without the errors of some classes, or of all."""
        return [value for _, _, value in self._applied(classes)]

    def _applied(self, classes: Collection[str] | None) -> Iterator[tuple[str, bool, Any]]:
        known = self.effects.place
        for name in classes or ():
            if name not in known:
                raise _unknown("there is no class of errors", name, known, "K378", "classes")
        return self._edits.applied(known if classes is None else set(classes))

    @checks_arguments
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
        writer = self._edits.maker.system.format
        if has(writer, KeepsComments):
            inputs = run.inputs or Inputs(())
            texts, golds = (
                (Source(each.path).text() for each in side if each.format == writer.name)
                for side in (inputs.systems, inputs.golds)
            )
            writer.write(writer.with_comments(kept, texts, golds), stream)
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
            f"{counted(len(self._edits), 'edit')}, {self.score} {self.before.f:.4f}; "
            f"first {first or 'nothing'}>"
        )

    def to_columns(self) -> dict[str, Sequence[Any]]:
        """A row for each class that is listed."""
        rows = [each.to_dict() for each in self.classes]
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
            "before": self.before.to_dict(),
            "repaired": self.repaired.to_dict(),
            "edits": len(self._edits),
            **self._split_document(),
            "classes": [each.to_dict() for each in self.classes],
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
        measured = len(self._measured_items)
        chosen = len(self.evaluation) - measured
        edits = sum(each.edits for each in self.measured_on.classes)
        return {"split_half": {"chosen_on": chosen, "measured_on": measured, "edits": edits}}

    def _item_documents(self) -> Iterator[dict[str, Any]]:
        for i, found in self.edits_with_gains():
            yield {
                "id": self.evaluation.ids[i],
                "edits": [
                    {
                        "kind": each.edit.kind,
                        "class": each.group,
                        "system": each.edit.system,
                        "gold": each.edit.gold,
                        "gain": gain,
                    }
                    for each, gain in found
                ],
            }


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


def _target(run: Evaluation, metric: Repairs, name: str | None) -> tuple[str, Target]:
    targets = metric.repair_targets
    if name is None:
        scores = dict(leaves(run.scores()))
        defined = (each for each in targets if _is_number(scores.get(tuple(each.split(".")))))
        name = next(defined, next(iter(targets)))
    elif name not in targets:
        raise _unknown("repairs cannot be judged by the score", name, targets, "K306", "scores")
    return name, targets[name]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not np.isnan(value)


def _unknown(
    message: str, name: str, known: Iterable[str], code: str, what: str, more: str = ""
) -> OptionError:
    """The error that there is no such name, and which there are."""
    return OptionError(
        f"{message} {name!r}{did_you_mean(name, known)}",
        code=code,
        advice=f"{what}: {', '.join(known) or 'none'}{more}",
    )
