"""The items of a page: contents, marks and errors of all runs, from one look at each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, repeat
from typing import Any

import msgspec
import numpy as np

from karat import _native
from karat.core.capabilities import Explains, LooksAtTexts, Marks, Shows, WantedOutputs, has
from karat.core.metric import Explanation, Metric
from karat.core.reading.strings import Referenced, as_text
from karat.core.repairs import GOLD_PART, SYSTEM_PART, Drawn
from karat.core.runs.evaluation import Evaluation
from karat.core.shown import Arcs, Content, Form, Overlay, Raw, Shown, ShownPairs, Text
from karat.engine.look import Batch, RunItem, look_in_batches
from karat.errors import KaratError, LimitExceeded, OptionError
from karat.report.contract import Confusion, Edit, ErrorRow, View
from karat.report.page.arrangement import Items
from karat.report.page.faults import LAYER, Faults, word_marks
from karat.report.page.places import places

_NULL = b"null"
_NO_GOLD = b"null,[]"
_WRITTEN = b',[["raw",'
"""What comes before the first gold, where that is shown as it is written."""
_ARCS = b'["arcs",'
_encoder = msgspec.json.Encoder()
_encode = _encoder.encode
_decode_gold = msgspec.json.Decoder(tuple[str | None, list[msgspec.Raw]]).decode


class Collector:
    """Takes the items of all runs of a set, and keeps them as JSON."""

    def __init__(self, items: Items) -> None:
        self.items = items
        n, systems = len(items), len(items.runs[0])
        self.golds: list[bytes] = [_NO_GOLD] * n
        """Source and gold contents of each item."""
        self.contents: list[list[bytes]] = [[b""] * n for _ in range(systems)]
        """The content of each output; empty: no run has shown it."""
        self.views: list[list[list[bytes]]] = [
            [[_NULL] * n for _ in range(systems)] for _ in items.runs
        ]
        self.layers: list[dict[str, None]] = [{} for _ in items.runs]
        self.faults = [Faults(systems) for _ in items.runs]
        """The errors of all systems by each metric."""
        self.source_label = items.input_field
        """What stands in the table for an item."""
        self.inputs = items.first.groups.get(items.input_field)
        """What each item was made from, where the records say it and the metric does not."""
        self.sentences: dict[int, str] = {}
        """The same of rows where comments say it."""
        self.not_shown: dict[str, list[str]] = {}
        """Why items of some systems are not shown."""
        self.has_drawings = False
        self.edits: dict[tuple[int, int], Mapping[int, Sequence[Edit]]] = {}
        """By metric and system, the edits of each row, where a run was repaired."""
        self.drawn: dict[tuple[int, int], Mapping[int, Sequence[Sequence[Drawn]]]] = {}
        """What of a drawing they are about."""

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
                from karat.engine.verbs import check_files

                check_files(run.inputs.files)
            try:
                for batch in look_in_batches(
                    run,
                    explained=sink.explains,
                    outputs=WantedOutputs(explanations=False, shown=True),
                ):
                    sink.take(batch)
            except (LimitExceeded, OptionError):
                # Without explanations, where the metric gives none or an item is too large for it.
                sink.forget()
                for batch in look_in_batches(run):
                    sink.take(batch, explained=False)
        except KaratError as error:
            self.not_shown.setdefault(error.headline, []).append(run.system)

    def joined(self, rows: range, kept: Sequence[bool] | None = None) -> bytes:
        """Items as JSON, with commas between; null for those that are not kept."""
        part = slice(rows.start, rows.stop)
        columns: list[Iterable[bytes]] = [
            chain([b""], repeat(b",")), repeat(b"["), self._golds_and_sources(rows), repeat(b",["),
        ]  # fmt: skip
        for s, of_system in enumerate(self.contents):
            contents = of_system[part]
            views = [of_metric[s][part] for of_metric in self.views]
            comma = b"," if s else b""
            if all(contents):
                columns += (repeat(comma + b"["), contents, repeat(b",["), views[0])
                for others in views[1:]:
                    columns += (repeat(b","), others)
                columns.append(repeat(b"]]"))
            else:
                columns += (
                    repeat(comma),
                    [
                        b"[%b,[%b]]" % (content, b",".join(own)) if content else _NULL
                        for content, *own in zip(contents, *views, strict=True)
                    ],
                )
        items: Iterable[tuple[bytes, ...]] = zip(*columns, repeat(b"]]"), strict=False)
        if kept is not None:
            items = (
                item if is_kept else (item[0], _NULL)
                for item, is_kept in zip(items, kept, strict=True)
            )
        return b"".join(chain.from_iterable(items))

    def _golds_and_sources(self, rows: range) -> list[bytes]:
        golds = self.golds[rows.start : rows.stop]
        if self.inputs is None and not self.sentences:
            return golds
        sources = (
            map(self.sentences.get, rows) if self.inputs is None else self.inputs[rows.start :]
        )
        return [
            _encode(source) + gold.removeprefix(_NULL)
            if source and gold.startswith(b"null,")
            else gold
            for gold, source in zip(golds, sources, strict=False)
        ]

    def take_sentences(self, batch: Batch) -> None:
        """Takes what items were made from, where a comment of the gold file says it."""
        if self.inputs is None and not self.sentences.keys() & batch.positions:
            found = zip(batch.positions, batch.sentences(), strict=False)
            self.sentences |= {row: text for row, text in found if text}
            if self.sentences and not self.source_label:
                self.source_label = "source"

    def without_further_layers(self) -> bool:
        """Keeps the first layer of marks of each output alone; whether there were others."""
        found = False
        for of_system in chain.from_iterable(self.views):
            for row, view in enumerate(of_system):
                first = view.find(b"]") + 1  # layers are lists of numbers, and come first
                if view.startswith(b'[{"') and view[first : first + 1] == b",":
                    of_system[row] = view[:first] + view[view.index(b"}", first) :]
                    found = True
        return found

    def without_written(self) -> bool:
        """Drops how graphs are written where they are drawn; whether there were any."""
        rows = {
            row
            for of_system in self.views[0]
            for row, view in enumerate(of_system)
            if view.startswith(b"[{},[[") and self.golds[row].find(_WRITTEN) >= 0
        }
        for row in rows:
            gold = self.golds[row]
            self.golds[row] = gold[: gold.index(_WRITTEN)] + b",[]"
            for of_system in self.contents:
                if of_system[row].startswith(b'["raw",'):
                    of_system[row] = _NULL
        return bool(rows)

    def has_items(self) -> bool:
        return any(content for contents in self.contents for content in contents)

    # -- errors ---------------------------------------------------------------

    def errors(self) -> tuple[list[ErrorRow], list[tuple[int, int]], int]:
        """The most frequent errors, metric and number of each, and how many are left out."""
        keys = [
            (m, number) for m, each in enumerate(self.faults) for number in each.most_frequent()
        ]
        rows = [self.faults[m].error_row(m, number) for m, number in keys]
        return rows, keys, sum(map(len, self.faults)) - len(keys)

    def confusions(self) -> list[Confusion]:
        """For each part that has labels, which a system takes for which others."""
        return [each for m, faults in enumerate(self.faults) for each in faults.confusions(m)]


class Sink:
    """Takes the items of one run, in gold order."""

    shows = True

    def __init__(self, collector: Collector, run: Evaluation, metric: int, system: int) -> None:
        self.collector = collector
        self.run = run
        self.place = metric, system
        self.positions: Collection[int] = range(len(run))
        self.parts = _counted_parts(run)
        earlier = (row[system] for row in collector.items.runs[:metric])
        self.first = all(each is None for each in earlier)
        """Whether it is the first run that shows what the system gave."""
        self.is_only = len(collector.items.members) == 1
        """Whether no other run shows the same items."""
        self.adds = bool(
            self.first or self.parts or self.place in collector.edits
            or has(run.metric, Shows) or has(run.metric, Marks)
        )  # fmt: skip
        """Whether it has anything to show that earlier runs did not."""
        marks = has(run.metric, Shows) or has(run.metric, Marks)
        self.explains = marks and has(run.metric, Explains)
        """Whether what it shows is made of explanations."""

    def forget(self) -> None:
        """Drops the errors that were counted, before the same items are taken once more."""
        metric, system = self.place
        self.collector.faults[metric].forget(system)

    def take(self, batch: Batch, explained: bool = True) -> None:
        """Takes some items."""
        if not self.adds:
            return
        self.collector.take_sentences(batch)
        explained = explained and self.explains
        if has(self.run.metric, Shows):
            if explained and batch.looked is not None:
                self._take_looked(batch, ShownPairs(*batch.looked.shown()))
                return
            for item in batch:
                self._take_shown(item, self._shown(item, explained))
            return
        texts = batch.texts
        if texts is None:
            pairs = [_as_texts(item.pair.system, item.pair.gold) for item in batch]
            if None in pairs:
                for item in batch:
                    self._take_shown(item, self._shown(item, explained))
                return
            texts = Referenced.of([pair for pair in pairs if pair is not None])
        self._take_texts(batch, texts, explained)

    def _shown(self, item: RunItem, explained: bool) -> Shown:
        told = self._explanation(item) if explained else {}
        pair = item.pair
        return shown_pair(self.run.metric, pair.system, pair.gold, told, words=self.first)

    def _explanation(self, item: RunItem) -> Explanation:
        with suppress(OptionError):  # not every metric has something to add to the two sides
            return item.explanation
        return {}

    def _take_shown(self, item: RunItem, shown: Shown) -> None:
        collector, (m, s), row = self.collector, self.place, item.position
        golds, system = _encode(shown.source) + b"," + _encode(shown.golds), _encode(shown.system)
        self._keep([row], [golds], [system])
        marked: list[Content] = []
        if isinstance(shown.system, Arcs) and self._was_shown_otherwise(row, golds, system):
            marked = [*shown.golds, shown.system]
        if not collector.has_drawings:
            contents = [*shown.golds, shown.system]
            drawn = any(isinstance(each, (Arcs, Form)) for each in contents)
            collector.has_drawings = drawn or shown.overlay is not None or bool(shown.units)
        for name in shown.layers:
            collector.layers[m].setdefault(name)
        collector.faults[m].add(s, row, shown.faults)
        view = View(
            shown.layers,
            shown.overlay,
            shown.notes,
            self._counts([row])[0] if self.parts else [],
            shown.units,
            self._edits(row, shown.overlay),
            shown.labels,
            marked,
        )
        collector.views[m][s][row] = _encode(view)

    def _take_looked(self, batch: Batch, shown: ShownPairs) -> None:
        """Items that were made as JSON, many at once."""
        collector, (m, s) = self.collector, self.place
        edited = self.place in collector.edits
        rows = batch.positions
        columns = (shown.golds, shown.systems, shown.views, shown.units, shown.labels)
        golds, systems, views, units, labels = (
            batch.only_wanted(column) if column else [] for column in columns
        )
        rows_of_chunk = batch.positions_in_chunk()
        alone = [  # to be shown by themselves
            i
            for i, (row, view) in enumerate(zip(rows, views, strict=True))
            if not view or (edited and self._edits_overlay(row))
        ]
        if alone:
            rows_of_chunk[np.isin(rows_of_chunk, [rows[i] for i in alone])] = -1
            others = sorted(set(range(len(batch))).difference(alone))
            rows = [rows[i] for i in others]
            golds, systems, views, units, labels = (
                [column[i] for i in others] if column else []
                for column in (golds, systems, views, units, labels)
            )
        rows_of_faults = rows_of_chunk[shown.fault_rows]
        some = rows_of_faults >= 0
        numbers = shown.fault_numbers[some]
        collector.faults[m].add_many(s, rows_of_faults[some], shown.faults, numbers)
        self._keep(rows, golds, systems)
        ends = self._view_ends(rows, units)
        if labels:
            ends = [b"%b,%b" % each for each in zip(ends, labels, strict=True)]
        if not self.is_only and systems and systems[0].startswith(_ARCS):  # without labels
            for i, (row, gold, system) in enumerate(zip(rows, golds, systems, strict=True)):
                if self._was_shown_otherwise(row, gold, system):
                    _, golds_of_pair = _decode_gold(b"[" + gold + b"]")
                    ends[i] += b",[],[%b]" % b",".join([*map(bytes, golds_of_pair), system])
        own = collector.views[m][s]
        for row, view, end in zip(rows, views, ends, strict=True):
            own[row] = b"[%b,%b]" % (view, end)
        collector.has_drawings = collector.has_drawings or (shown.drawn and bool(rows))
        for name in shown.layers:
            collector.layers[m].setdefault(name)
        for i in alone:
            item = batch.items[i]
            self._take_shown(item, self._shown(item, explained=True))

    def _keep(self, rows: Sequence[int], golds: Sequence[bytes], systems: Sequence[bytes]) -> None:
        """Keeps gold and outputs that no run before has shown."""
        collector, contents = self.collector, self.collector.contents[self.place[1]]
        for row, gold, system in zip(rows, golds, systems, strict=True):
            if collector.golds[row] == _NO_GOLD:
                collector.golds[row] = gold
                if not collector.source_label:
                    has_source = not gold.startswith((b"null,", b'"",'))
                    label = "source" if has_source else "" if gold.endswith(b",[]") else "gold"
                    collector.source_label = label
            if self.first or not contents[row]:
                contents[row] = system

    def _was_shown_otherwise(self, row: int, golds: bytes, system: bytes) -> bool:
        """Whether the item has gold or the output with other marks than these."""
        collector = self.collector
        return (collector.golds[row], collector.contents[self.place[1]][row]) != (golds, system)

    def _view_ends(self, rows: Sequence[int], units: Iterable[bytes] = ()) -> list[bytes]:
        """Counts, units and edits of items, as the last members of their views."""
        edits: Iterable[bytes] = repeat(b"[]")
        if self.place in self.collector.edits:
            edits = map(_encode, map(self._edits, rows))
        columns = self._encoded_counts(rows), units or repeat(b"[]"), edits
        return [b"%b,%b,%b" % each for each in zip(*columns, strict=False)]

    def _edits_overlay(self, row: int) -> bool:
        """Whether edits of an item are parts of its overlay, where they have to be found."""
        drawn = self.collector.drawn.get(self.place, {}).get(row, ())
        return any(each.where in (GOLD_PART, SYSTEM_PART) for parts in drawn for each in parts)

    def _edits(self, row: int, overlay: Overlay | None = None) -> list[Edit]:
        found = self.collector.edits.get(self.place, {}).get(row, ())
        drawn = self.collector.drawn.get(self.place, {}).get(row)
        if drawn is None:
            return list(found)
        return [
            msgspec.structs.replace(edit, parts=places(parts, overlay))
            for edit, parts in zip(found, drawn, strict=True)
        ]

    def _counts(self, rows: Sequence[int]) -> list[list[tuple[str, int, int, int]]]:
        """The counts of parts of items."""
        columns = [column for _, columns in self.parts for column in columns]
        counts = self.run.counts[np.ix_(rows, columns)].astype(np.int64).tolist()
        names = [name for name, _ in self.parts]
        return [list(zip(names, own[::3], own[1::3], own[2::3], strict=True)) for own in counts]

    def _encoded_counts(self, rows: Sequence[int]) -> list[bytes]:
        if not self.parts:
            return [b"[]"] * len(rows)
        return _encoder.encode_lines(self._counts(rows)).splitlines()

    def _take_texts(self, batch: Batch, texts: Referenced, explained: bool) -> None:
        """Texts of a batch, with their words compared and the layers that the metric adds."""
        collector, (m, s), metric = self.collector, self.place, self.run.metric
        rows = batch.positions
        begin, end = ('["text",', ',""]') if metric.kind == "text" else ('["raw",', "]")
        golds = [collector.golds[row] for row in rows]
        if _NO_GOLD in golds:
            golds = _native.json_texts(
                *texts.references.columns, texts.bounds,
                f"null,[{begin}", f"{end},{begin}", f"{end}]",
            )  # fmt: skip
        single = np.arange(len(rows) + 1)
        self._keep(rows, golds, _native.json_texts(*texts.systems.columns, single, begin, "", end))
        layers = [b""] * len(rows)
        if self.first:
            marks, places, numbers = collector.faults[m].words.marks(texts)
            collector.faults[m].add_words(s, np.array(rows, np.int64)[places], numbers)
            collector.layers[m].setdefault(LAYER)
            before = _encode(LAYER) + b":"
            layers = [before + each for each in marks]
        more: Sequence[bytes] | None = None
        if explained and has(metric, LooksAtTexts):
            more = metric.layers_of_texts(texts)
            # All that have any have the same ones.
            for members in filter(None, more or ()):
                for name in msgspec.json.decode(b"{" + members + b"}"):
                    collector.layers[m].setdefault(name)
                break
        if more is None and explained and has(metric, Marks):
            found = [
                _layers(metric, item.pair.system, item.pair.gold, self._explanation(item))
                for item in batch
            ]
            for each in found:
                for name in each:
                    collector.layers[m].setdefault(name)
            more = [_encode(each)[1:-1] for each in found]
        if more is not None:
            both = zip(layers, more, strict=True)
            layers = [
                b",".join((own, members)) if own and members else own or members
                for own, members in both
            ]
        views = collector.views[m][s]
        for row, layer, last in zip(rows, layers, self._view_ends(rows), strict=True):
            views[row] = b"[{%b},null,[],%b]" % (layer, last)


def _as_texts(system: Any, gold: Any) -> tuple[str, list[str]] | None:
    """A text and its references; None for what is neither."""
    golds = [gold] if isinstance(gold, str) else gold
    texts = [as_text(each) for each in golds] if isinstance(golds, (list, tuple)) else [None]
    own = as_text(system)
    if own is None or not texts or None in texts:
        return None
    return own, [text for text in texts if text is not None]


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
    texts = _as_texts(system, gold)
    if texts is None:
        return Shown([Raw(_written(gold))], Raw(_written(system)))
    content: type[Text | Raw] = Text if metric.kind == "text" else Raw
    own, golds = texts
    result = Shown([content(text) for text in golds], content(own))
    if words:
        marks, faults = word_marks(own, golds)
        result.layers = {LAYER: marks}
        result.faults = faults
    result.layers |= _layers(metric, system, gold, told)
    return result


def _layers(
    metric: Metric[Any, Any], system: Any, gold: Any, told: Explanation
) -> dict[str, list[int]]:
    """What a metric adds to texts, from its explanation."""
    if not told or not has(metric, Marks):
        return {}
    return metric.layers(system, [gold] if isinstance(gold, str) else gold, told)


def _written(value: Any) -> str:
    """Any value as JSON for people, or as Python writes it."""
    if isinstance(value, str):
        return value
    if isinstance(text := getattr(value, "text", None), bytes):  # a document, kept as its bytes
        return text.decode("utf-8", "replace")
    from karat.report.explanation import outline  # few pages need it

    try:
        return outline(value)
    except TypeError:
        return repr(value)
