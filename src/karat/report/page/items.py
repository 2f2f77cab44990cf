"""The items of a page: contents, marks and errors of all runs, from one look at each."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from karat.core.capabilities import Explains, Marks, Shows, has
from karat.core.metric import Explanation, Metric
from karat.core.repairs import BETWEEN
from karat.core.runs.evaluation import Evaluation
from karat.core.shown import Arcs, Content, Fault, Form, Kind, Overlay, Raw, Shown, Text, as_text
from karat.engine.look import Seen, look
from karat.engine.verifying import check_files
from karat.errors import KaratError, LimitExceeded, OptionError
from karat.report.contract import Confusion, Edit, ErrorRow, View
from karat.report.explanation import outline
from karat.report.page.arrangement import Items
from karat.report.page.words import LAYER, Words, word_marks

MOST_ERRORS = 300
"""So many errors of each metric are listed, the most frequent ones."""
MOST_LABELS = 30
"""So many labels has a table of confusions."""
_LONGEST_ERROR = 120
_ARROW = 1
"""What the parts of an edit call an arrow."""
_NULL = b"null"
_encode = msgspec.json.encode


class Collector:
    """Takes the items of all runs of a set, and keeps them as JSON."""

    def __init__(self, items: Items) -> None:
        self.items = items
        n, systems = len(items), len(items.runs[0])
        self.golds: list[bytes] = [b"null,[]"] * n
        """Source and gold contents of each item."""
        self.contents: list[list[bytes]] = [[b""] * n for _ in range(systems)]
        """The content of each output; empty: it was not seen."""
        self.views: list[list[list[bytes]]] = [
            [[_NULL] * n for _ in range(systems)] for _ in items.runs
        ]
        self.layers: list[dict[str, None]] = [{} for _ in items.runs]
        self.faults: list[dict[Fault, list[array[int]]]] = [{} for _ in items.runs]
        """For each metric and error the rows that have it, for each system, as often as they do."""
        self.source_label = ""
        self.not_shown: dict[str, list[str]] = {}
        """Why items of some systems are not shown."""
        self.has_drawings = False
        self.edits: dict[tuple[int, int], Mapping[int, Sequence[Edit]]] = {}
        """By metric and system, the edits of each row, where a run was repaired."""

    def sink(self, run: Evaluation) -> Sink:
        """What takes the items of one run."""
        return Sink(self, run, *self.place_of(run))

    def holds(self, run: Evaluation) -> bool:
        """Whether a run is one of this set."""
        return any(run is each for row in self.items.runs for each in row)

    def place_of(self, run: Evaluation) -> tuple[int, int]:
        """The metric and the system of a run."""
        for m, row in enumerate(self.items.runs):
            for s, each in enumerate(row):
                if each is run:
                    return m, s
        raise ValueError("the run is not one of this page")

    def look(self, run: Evaluation) -> None:
        """Looks through a run by itself; where that cannot be, the page says why."""
        sink = self.sink(run)
        if not sink.adds:
            return
        try:
            if run.is_loaded and run.inputs is not None:
                check_files(run.inputs.files)
            try:
                for seen in look(run, explained=sink.explains):
                    sink.take(seen)
            except (LimitExceeded, OptionError):
                # Without explanations, where the metric gives none or an item is too large for it.
                for seen in look(run):
                    sink.take(seen, explained=False)
        except KaratError as error:
            self.not_shown.setdefault(error.headline, []).append(run.system)

    def item(self, row: int) -> bytes:
        """An item as JSON."""
        outputs = []
        for s, contents in enumerate(self.contents):
            content = contents[row]
            if not content:
                outputs.append(_NULL)
                continue
            views = b",".join(of_metric[s][row] for of_metric in self.views)
            outputs.append(b"[" + content + b",[" + views + b"]]")
        return b"[" + self.golds[row] + b",[" + b",".join(outputs) + b"]]"

    def has_items(self) -> bool:
        return any(content for contents in self.contents for content in contents)

    # -- errors ---------------------------------------------------------------

    def errors(self) -> tuple[list[ErrorRow], list[tuple[int, Fault]], int]:
        """The most frequent errors, what they are by metric, and how many are left out."""
        rows: list[ErrorRow] = []
        keys: list[tuple[int, Fault]] = []
        left_out = 0
        for m, faults in enumerate(self.faults):
            ordered = sorted(faults.items(), key=lambda each: (-sum(map(len, each[1])), each[0]))
            left_out += max(0, len(ordered) - MOST_ERRORS)
            for fault, postings in ordered[:MOST_ERRORS]:
                rows.append(
                    ErrorRow(
                        part=fault.part,
                        kind=int(fault.kind),
                        gold=_short(fault.gold),
                        system=_short(fault.system),
                        metric=m,
                        times=[len(each) for each in postings],
                        items=[len(set(each)) for each in postings],
                        columns=["" for _ in postings],
                    )
                )
                keys.append((m, fault))
        return rows, keys, left_out

    def rows_with(self, metric: int, fault: Fault, system: int) -> list[int]:
        """The rows that have an error, in order."""
        return sorted(set(self.faults[metric][fault][system]))

    def confusions(self) -> list[Confusion]:
        """For each part that has labels, which a system takes for which others."""
        found = []
        for m, faults in enumerate(self.faults):
            parts = dict.fromkeys(fault.part for fault in faults)
            for part in parts:
                found += list(self._confusions_of(m, part))
        return found

    def _confusions_of(self, m: int, part: str) -> Iterator[Confusion]:
        for s in range(len(self.contents)):
            counts: Counter[tuple[str, str]] = Counter()
            for fault, postings in self.faults[m].items():
                if fault.part == part and fault.kind == Kind.CHANGED and postings[s]:
                    counts[fault.gold, fault.system] += len(postings[s])
            involved: Counter[str] = Counter()
            for (gold, system), times in counts.items():
                involved[gold] += times
                involved[system] += times
            labels = sorted(label for label, _ in involved.most_common(MOST_LABELS))
            if len(labels) < 3 or max(map(len, labels)) > 24:
                continue
            table = [[counts[gold, system] for system in labels] for gold in labels]
            if any(map(any, table)):
                yield Confusion(part, m, s, labels, table)


class Sink:
    """Takes the items of one run, in gold order."""

    def __init__(self, collector: Collector, run: Evaluation, metric: int, system: int) -> None:
        self.collector = collector
        self.run = run
        self.place = metric, system
        self.positions: Collection[int] = range(len(run))
        self.parts = _counted_parts(run)
        earlier = (row[system] for row in collector.items.runs[:metric])
        self.first = all(each is None for each in earlier)
        """Whether it is the first run that shows what the system gave."""
        self.adds = bool(
            self.first or self.parts or self.place in collector.edits
            or has(run.metric, Shows) or has(run.metric, Marks)
        )  # fmt: skip
        """Whether it has anything to show that earlier runs did not."""
        marks = has(run.metric, Shows) or has(run.metric, Marks)
        self.explains = marks and has(run.metric, Explains)
        """Whether what it shows is made of explanations."""

    def take(self, seen: Seen, explained: bool = True) -> None:
        collector, (m, s), row = self.collector, self.place, seen.position
        metric = self.run.metric
        told: Explanation = {}
        if explained and self.explains:
            with suppress(OptionError):  # not every metric has something to add to the two sides
                told = seen.explanation
        system, gold = seen.pair.system, seen.pair.gold
        shown = shown_pair(metric, system, gold, told, words=self.first)
        if collector.golds[row] == b"null,[]":
            collector.golds[row] = _encode(shown.source) + b"," + _encode(shown.golds)
            if not collector.source_label:
                label = "source" if shown.source else "gold" if shown.golds else ""
                collector.source_label = label
        if not collector.contents[s][row] or self.first:
            collector.contents[s][row] = _encode(shown.system)
        if not collector.has_drawings:
            contents = [*shown.golds, shown.system]
            drawn = any(isinstance(each, (Arcs, Form)) for each in contents)
            collector.has_drawings = drawn or shown.overlay is not None or bool(shown.units)
        for name in shown.layers:
            collector.layers[m].setdefault(name)
        for fault in shown.faults:
            rows = collector.faults[m].get(fault)
            if rows is None:
                rows = [array("I") for _ in collector.contents]
                collector.faults[m][fault] = rows
            rows[s].append(row)
        own = self.run.counts[row]
        counts = [(name, int(own[g]), int(own[s_]), int(own[c])) for name, (g, s_, c) in self.parts]
        found = collector.edits.get(self.place, {}).get(row, ())
        edits = [_placed(each, shown.overlay) for each in found]
        view = View(shown.layers, shown.overlay, shown.notes, counts, shown.units, edits)
        collector.views[m][s][row] = _encode(view)


def _placed(edit: Edit, overlay: Overlay | None) -> Edit:
    """An edit with the arrows that are meant by the nodes at their ends."""
    arrows = overlay.arrows if overlay is not None else []
    parts: dict[tuple[int, int, int], None] = {}
    for where, place, line in edit.parts:
        if where != BETWEEN:
            parts[where, place, line] = None
            continue
        for number, arrow in enumerate(arrows):
            if arrow.kind and (arrow.source, arrow.target) == (place, line):
                parts[_ARROW, number, -1] = None
    return msgspec.structs.replace(edit, parts=list(parts))


def _counted_parts(run: Evaluation) -> list[tuple[str, list[int]]]:
    """The parts whose counts a metric keeps for gold, the system and both."""
    place = {name: i for i, name in enumerate(run.metric.columns)}
    names = [name[:-2] for name in place if name.endswith(".g")]
    return [
        (name, [place[f"{name}.{side}"] for side in "gsc"])
        for name in names
        if f"{name}.s" in place and f"{name}.c" in place
    ][:12]


def shown_pair(
    metric: Metric[Any, Any], system: Any, gold: Any, told: Explanation, *, words: bool = True
) -> Shown:
    """A pair as its metric shows it; texts with their words compared, all else as it is written."""
    if has(metric, Shows) and (told or not has(metric, Explains)):
        return metric.shown(system, gold, told)
    golds = [gold] if isinstance(gold, str) else gold
    texts = [as_text(each) for each in golds] if isinstance(golds, (list, tuple)) else [None]
    own = as_text(system)
    if own is None or not texts or any(text is None for text in texts):
        return Shown([Raw(_written(gold))], Raw(_written(system)))
    content: type[Text | Raw] = Text if metric.kind == "text" else Raw
    references: list[Content] = [content(text) for text in texts if text is not None]
    result = Shown(references, content(own))
    if words:
        marks, faults = word_marks(Words(own), [Words(text) for text in texts if text is not None])
        result.layers = {LAYER: marks}
        result.faults = faults
    if told and has(metric, Marks):
        result.layers |= metric.layers(system, golds, told)
    return result


def _written(value: Any) -> str:
    """Any value as JSON for people, or as Python writes it."""
    if isinstance(value, str):
        return value
    if isinstance(text := getattr(value, "text", None), bytes):  # a document, kept as its bytes
        return text.decode("utf-8", "replace")
    try:
        return outline(value)
    except TypeError:
        return repr(value)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_ERROR else text[: _LONGEST_ERROR - 1] + "…"
