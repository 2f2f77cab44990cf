"""Finds suspect parts of gold: those where several systems agree with each other against it."""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import msgspec

from karat.arguments import checks_arguments
from karat.core.capabilities import (
    ABSTAINS,
    Audits,
    Reading,
    Repairs,
    Slot,
    Values,
    WritesRepaired,
    has,
)
from karat.core.files.opener import Source
from karat.core.files.writing import whole_output
from karat.core.metric import Metric
from karat.core.options import Mode, OnError
from karat.core.reading.doors import native_pairs
from karat.core.reading.fields import csv_module
from karat.core.reading.items import Pair
from karat.core.reading.streams import PathLike
from karat.core.registry import parse
from karat.core.runs.evaluation import Evaluation
from karat.core.runs.notebook import Tabular
from karat.core.scores import leaves
from karat.engine.candidates import check_same_items, runs_of
from karat.engine.jobs import Jobs
from karat.engine.look import look, look_in_batches
from karat.errors import FormatError, KaratError, OptionError, Place, check_between, counted
from karat.stats.evidence import Evidence, Suspect, Vote
from karat.stats.interval_methods import wilson
from karat.version import VERSION

AUDITABLE = ("mrp", "smatch", "edm", "ucca-mrp", "sdp", "attachment", "ud", "cogs")
"""The metrics of karat that can be audited; plug-ins may offer it, too."""
_NOTHING = "(nothing)"
_COLUMNS = ("id", "part", "where", "gold", "suggestion", "systems", "evidence", "verdict")
_YES = frozenset(("yes", "y", "1", "true", "accept", "accepted", "gold wrong", "wrong"))
_NO = frozenset(("no", "n", "0", "false", "reject", "rejected", "gold right", "right"))


class Finding(msgspec.Struct, frozen=True):
    """A part of a gold item that systems agree against."""

    position: int
    """The position of the item in the runs."""
    id: str
    kind: str
    where: str
    gold: str | None
    suggestion: str | None
    systems: list[str]
    """The names of those that agree."""
    evidence: float
    """Log odds, to the base 10, that the suggestion is right and gold is not."""
    accepted: bool | None = None
    """The verdict of an annotator, if there is one."""


@checks_arguments
def audit(
    metric: Metric[Any, Any] | str,
    systems: Sequence[Any] | Mapping[str, Any],
    gold: object,
    *,
    prior: float = 0.01,
    verdicts: PathLike | None = None,
    format: str | None = None,
    gold_format: str | None = None,
    format_options: Mapping[str, Any] | None = None,
    pair: Mode = "auto",
    on_error: OnError = "auto",
    jobs: Jobs = 1,
) -> Audit:
    """Where gold may be wrong: parts on which systems agree with each other, not with gold.

    `systems` are paths, a mapping of names to such, or evaluations on the same items. `prior` is
    the share of parts that is taken to be wrong before looking. `verdicts` is a list of findings,
    as `Audit.write` writes it, in which annotators have filled in the last column.
    """
    metric = auditable(parse(metric))
    named = systems.items() if isinstance(systems, Mapping) else [("", each) for each in systems]
    reading = {
        "format": format, "gold_format": gold_format, "format_options": format_options,
        "pair": pair, "on_error": on_error, "jobs": jobs,
    }  # fmt: skip
    return Audit(runs_of(metric, named, gold, reading), prior=prior, verdicts=verdicts)


def auditable(metric: Metric[Any, Any]) -> Metric[Any, Any]:
    """The metric, if it can be audited; else an error."""
    if has(metric, Audits):
        return metric
    raise OptionError(
        f"{metric.name} has no parts of items that systems could agree on",
        code="K399",
        advice=f"metrics that have: {', '.join(AUDITABLE)}",
    )


class Audit(Tabular):
    """Parts of gold that systems agree against, with the evidence."""

    @checks_arguments
    def __init__(
        self,
        runs: Sequence[Evaluation],
        *,
        prior: float = 0.01,
        verdicts: PathLike | None = None,
    ) -> None:
        if len(runs) < 2:
            raise OptionError("an audit needs at least two systems", code="K322")
        check_between("``prior``", prior)
        check_same_items(runs)
        self.runs = list(runs)
        self.metric = auditable(runs[0].metric)
        self.names = _told_apart([run.system for run in runs])
        self.prior = prior
        self._parts, votes = self._read()
        self.evidence = Evidence(votes, len(runs), prior)
        self._verdicts = None if verdicts is None else read_verdicts(verdicts)

    def _read(self) -> tuple[list[tuple[int, Slot]], list[Vote]]:
        """All parts of gold, in order, and the value of each system there."""
        readings: list[dict[int, Reading]] = [dict(_readings(run)) for run in self.runs]
        parts: list[tuple[int, Slot]] = []
        votes: list[Vote] = []
        for position in range(len(self.runs[0])):
            own = [each.get(position) for each in readings]
            slots: dict[Slot, None] = {}
            for reading in own:
                slots.update(dict.fromkeys(reading or ()))
            for slot in slots:
                gold: str | None = None
                others = 0
                values: list[str | None] = []
                says: list[bool] = []
                for reading in own:
                    found = Values(None, None) if reading is None else reading.get(slot)
                    found = found or Values(None, None)  # neither gold nor this system has it
                    gold = found.gold if found.gold is not None else gold
                    others = max(others, found.others)
                    values.append(found.system)
                    says.append(reading is not None and found.system != ABSTAINS)
                parts.append((position, slot))
                votes.append(Vote(position, slot.kind, gold, tuple(values), tuple(says), others))
        return parts, votes

    @property
    def parts(self) -> int:
        """The number of parts that were compared."""
        return len(self._parts)

    @cached_property
    def suspects(self) -> list[Finding]:
        """For every part that a system has otherwise, the best other value, the strongest evidence
        first; `findings` are those with enough evidence."""
        return [self._finding(each) for each in self.evidence.suspects()]

    @cached_property
    def findings(self) -> list[Finding]:
        """The parts with more evidence against gold than for it, from more than one system."""
        return [self._finding(each) for each in self.evidence.flagged()]

    def _finding(self, suspect: Suspect) -> Finding:
        position, slot = self._parts[suspect.part]
        vote = self.evidence.votes[suspect.part]
        name = self.runs[0].ids[position]
        verdict = None
        if self._verdicts is not None:
            verdict = self._verdicts.get((name, slot.kind, slot.where, _said(suspect.value)))
        return Finding(
            position, name, slot.kind, slot.where, vote.gold, suspect.value,
            [self.names[s] for s in suspect.systems], suspect.evidence, verdict,
        )  # fmt: skip

    @cached_property
    def items(self) -> list[tuple[int, str, float, int]]:
        """The items with findings: position, id, largest evidence, number of findings.

        Those with the strongest finding come first, then those with more evidence in all, then
        those whose finding is listed first.
        """
        own: dict[int, list[Finding]] = defaultdict(list)
        for each in self.findings:
            own[each.position].append(each)
        ranked = sorted(own, key=lambda i: (-own[i][0].evidence, -sum(e.evidence for e in own[i])))
        return [(i, self.runs[0].ids[i], own[i][0].evidence, len(own[i])) for i in ranked]

    @property
    def kinds(self) -> list[str]:
        """The kinds of parts, in the order of gold."""
        return list(dict.fromkeys(vote.kind for vote in self.evidence.votes))

    @checks_arguments
    def accuracies(self, system: int) -> dict[str, float]:
        """The accuracy of a system, by kind of part."""
        return {kind: self.evidence.accuracy(system, kind) for kind in self.kinds}

    @property
    def systems(self) -> list[dict[str, Any]]:
        """The name of each system, its accuracies, and as how many independent ones it counts."""
        return [
            {"name": name, "accuracy": self.accuracies(s), "weight": float(weight)}
            for s, (name, weight) in enumerate(zip(self.names, self.evidence.weights, strict=True))
        ]

    def notes(self) -> list[str]:
        """Notes on how to read the findings."""
        found = ["findings are hints: systems that learnt from one corpus share its errors, too"]
        if len(self.evidence.firsts) < 3:
            found.append(
                "two systems tell little: errors that both make look like errors of gold; a third "
                "tells them apart"
            )
        copies = [
            f"{self.names[s]} says the same as {self.names[first]}"
            for s, first in enumerate(self.evidence.groups)
            if s != first
        ]
        return found + copies

    # -- what annotators say -----------------------------------------------------------------------

    @checks_arguments
    def write(self, path: PathLike | IO[bytes]) -> None:
        """A list of the findings for annotators: tab-separated, with an empty last column."""
        lines = [_line(_COLUMNS)]
        for each in self.findings:
            verdict = {None: "", True: "yes", False: "no"}[each.accepted]
            lines.append(_line(
                [each.id, each.kind, each.where, _said(each.gold), _said(each.suggestion),
                 ", ".join(each.systems), f"{each.evidence:.2f}", verdict]
            ))  # fmt: skip
        with whole_output(path) as out:
            out.write("".join(lines).encode())

    @cached_property
    def judged(self) -> list[Finding]:
        """The findings with a verdict of an annotator."""
        return [each for each in self.findings if each.accepted is not None]

    @checks_arguments
    def precision(self, level: float = 0.95) -> tuple[float, float, float] | None:
        """The share of the judged findings that were accepted, and its interval."""
        if not self.judged:
            return None
        right = sum(bool(each.accepted) for each in self.judged)
        return (right / len(self.judged), *wilson(right, len(self.judged), level))

    def corrected(self) -> tuple[list[Evaluation], int]:
        """The runs against gold with the accepted findings in it, and how many could be put there.

        Gold is changed as ``karat repair`` changes a system's output: by an edit towards that of a
        system which has the value. Nothing is written.
        """
        wanted: dict[int, list[Finding]] = defaultdict(list)
        for each in self.judged:
            if each.accepted:
                wanted[each.position].append(each)
        pairs = self.pairs(wanted)
        runs = [run.taken(range(len(run))) for run in self.runs]
        made = 0
        for position, findings in wanted.items():
            gold, count = self.suggested([own[position] for own in pairs], findings)
            made += count
            for run, own in zip(runs, pairs, strict=True):
                both = native_pairs(self.metric, [own[position].system], [gold])
                run.counts[position] = self.metric.measure_many(both)[0]
        return runs, made

    @checks_arguments
    def pairs(self, positions: Collection[int]) -> list[dict[int, Pair]]:
        """The pairs of some items, by their positions, for each system."""
        return [{seen.position: seen.pair for seen in look(run, positions)} for run in self.runs]

    def suggested(self, pairs: Sequence[Pair], findings: Sequence[Finding]) -> tuple[Any, int]:
        """A gold item with the suggested values, and how many of them could be applied."""
        gold, made = pairs[0].gold, 0
        for each in findings:
            voters = [pairs[self.names.index(name)].system for name in each.systems]
            changed = _with_value(self.metric, gold, voters, each)
            if changed is not None:
                gold, made = changed, made + 1
        return gold, made

    # -- outputs -----------------------------------------------------------------------------------

    def to_columns(self) -> dict[str, Sequence[Any]]:
        """A row for each finding."""
        names = ("id", "kind", "where", "gold", "suggestion", "systems", "evidence")
        found = {name: [getattr(each, name) for each in self.findings] for name in names}
        found["systems"] = list(map(", ".join, found["systems"]))
        return {"part" if name == "kind" else name: column for name, column in found.items()}

    @checks_arguments
    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """The audit as JSON-ready values, with the first `top` findings."""
        found = self.precision()
        return {
            "karat": VERSION,
            "metric": repr(self.metric),
            "signature": self.runs[0].signature(),
            "systems": self.systems,
            "shared_errors": self.evidence.shared.tolist(),
            "findings": [
                {
                    "id": each.id,
                    "part": {"kind": each.kind, "where": each.where},
                    "gold": each.gold,
                    "suggestion": each.suggestion,
                    "systems": each.systems,
                    "evidence": each.evidence,
                    **({} if each.accepted is None else {"accepted": each.accepted}),
                }
                for each in self.findings[:top]
            ],
            "items": [
                {"id": name, "evidence": evidence, "findings": count}
                for _, name, evidence, count in self.items
            ],
            "parts": self.parts,
            "flagged": len(self.findings),
            **(
                {}
                if found is None
                else {
                    "judged": len(self.judged),
                    "precision": {"value": found[0], "low": found[1], "high": found[2]},
                    "corrected": self._changes(),
                }
            ),
            "warnings": self.notes(),
        }

    def _changes(self) -> dict[str, Any]:
        """The headline of each system before and after the accepted findings."""
        runs, applied = self.corrected()
        path = self.metric.about.path_of()
        return {
            "applied": applied,
            "score": ".".join(path),
            "systems": [
                {
                    "name": name,
                    "before": dict(leaves(before.scores()))[path],
                    "after": dict(leaves(after.scores()))[path],
                }
                for name, before, after in zip(self.names, self.runs, runs, strict=True)
            ],
        }

    def __repr__(self) -> str:
        return (
            f"<Audit of {len(self.runs[0])} items by {counted(len(self.runs), 'system')} and "
            f"{self.metric!r}: {counted(len(self.findings), 'finding')} in {self.parts} parts>"
        )


def _readings(run: Evaluation) -> Iterable[tuple[int, Reading]]:
    metric = run.metric
    assert has(metric, Audits)
    for batch in look_in_batches(run):
        pairs = [(pair.system, pair.gold) for pair in batch.pairs]
        yield from zip(batch.positions, metric.readings(pairs), strict=True)


def _with_value(
    metric: Metric[Any, Any], gold: Any, voters: Sequence[Any], finding: Finding
) -> Any | None:
    """A gold item with the suggested value; None if no single edit gives it."""
    assert has(metric, Audits)
    if not has(metric, Repairs):
        return None
    slot = Slot(finding.kind, finding.where)
    for voter in voters:
        try:
            (repair,) = metric.repairs(native_pairs(metric, [gold], [_like(metric, gold, voter)]))
            for number in range(len(repair.edits("kind"))):
                changed = _like(metric, gold, repair.apply([number]))
                (reading,) = metric.readings(native_pairs(metric, [changed], [gold]))
                if reading.get(slot, Values(None, None)).system == finding.suggestion:
                    return changed
        except (KaratError, AttributeError, TypeError):  # an output that is no possible gold
            continue
    return None


def _like(metric: Metric[Any, Any], gold: Any, value: Any) -> Any:
    """What a system has of a gold item as such an item: a sentence for the words of one."""
    if isinstance(value, type(gold)) or not has(metric, WritesRepaired):
        return value
    whole = list(metric.to_write([("", value)]))
    return whole[0] if len(whole) == 1 else value


def _told_apart(names: Sequence[str]) -> list[str]:
    """Unique names, with numbers where several are equal."""
    counts = Counter(names)
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(f"{name} ({seen[name]})" if counts[name] > 1 else name)
    return found


def _line(cells: Sequence[str]) -> str:
    """A line of a list; cells with line ends of any kind are quoted."""
    stream = io.StringIO()
    csv.writer(stream, dialect="excel-tab", lineterminator="\r\n").writerow(cells)
    return stream.getvalue().removesuffix("\r\n") + "\n"


def _said(value: str | None) -> str:
    return _NOTHING if value is None else value


def read_verdicts(path: PathLike) -> dict[tuple[str, str, str, str], bool]:
    """The verdicts in the last column of a list of findings; empty ones are left out."""
    source = Source(Path(path))

    def unfit(message: str, line: int) -> FormatError:
        return FormatError(message, code="K111", place=Place(source.name, line))

    reader = csv_module().reader(io.StringIO(source.text(), newline=""), delimiter="\t")
    try:
        lines = [(reader.line_num, row) for row in reader]
    except csv_module().Error as problem:
        raise unfit(f"this is not a tab-separated list: {problem}", reader.line_num) from None
    if not lines or tuple(lines[0][1]) != _COLUMNS:
        names = ", ".join(_COLUMNS)
        raise unfit(f"this is not a list of findings: expected the columns {names}", 1)
    found = {}
    for number, row in lines[1:]:
        if len(row) != len(_COLUMNS):
            raise unfit(
                f"the line has {counted(len(row), 'column')}, expected {len(_COLUMNS)}", number
            )
        verdict = row[-1].strip().lower()
        if verdict and verdict not in _YES | _NO:
            raise unfit(f"the verdict is {row[-1]!r}, expected yes, no or nothing", number)
        if verdict:
            found[row[0], row[1], row[2], row[4]] = verdict in _YES
    return found
