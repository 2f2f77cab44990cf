"""Tables of traces: hits, ranges, what is near, and the settings that are tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import IO, Any

from karat.errors import counted
from karat.report import contract
from karat.report.layout import Note, Shown, Table
from karat.tracing.figures import Figure
from karat.tracing.matching import TOGETHER
from karat.tracing.result import Hit, Trace, Value

_MOST = 12


def trace_table(trace: Trace) -> Iterator[Shown]:
    """The verdict, then what speaks for it."""
    yield Note(trace.conclusion())
    believable = [hit for hit in trace.hits if hit.chance <= 0.5]
    listed = (believable or trace.hits)[:_MOST]
    if listed:
        title = "" if believable else "no better than chance"
        table = Table(
            title, "", "setting", "value", "departures", "slip", "chance", "like", "command"
        )
        table.left |= {1, 4, 6, 7}
        table.below = (1, 7)
        for rank, hit in enumerate(listed, 1):
            table.add_row(
                str(rank), _named(hit), _shown(hit.value, trace.figures, hit.unit),
                str(hit.departures), hit.slip or "", f"{hit.chance:.2g}",
                hit.preset, hit.command or "",
            )  # fmt: skip
        yield table
        if listed[0].run is not None:
            yield Note(f"to see it again, as {_joined(listed[0].score)}: {listed[0].run}")
        others = len(trace.hits) - len(listed)
        if others:
            yield Note(f"and {others:,} more that chance would give as well")
    if trace.ranges:
        table = Table("random settings", "", "setting", "low", "high", "seeds", "that give it")
        table.left.add(1)
        table.below = (1,)
        alike: dict[tuple[str, ...], list[str]] = {}
        for each in trace.ranges:
            cells = (
                _shown(each.low, trace.figures), _shown(each.high, trace.figures),
                str(each.seeds or ""), str(each.seeds_equal) if each.seeds else "",
            )  # fmt: skip
            alike.setdefault(cells, []).append(f"{each.setting} :: {_joined(each.score)}")
        for rank, (key, same) in enumerate(list(alike.items())[:_MOST], 1):
            more = f" + {len(same) - 1} more" if same[1:] else ""
            table.add_row(str(rank), same[0] + more, *key)
        yield table
    if not trace.hits and not trace.ranges:
        table = Table("nearest", "", "setting", "value", "digits off", "slip", "reachable by")
        table.left |= {1, 4, 5}
        table.below = (1,)
        for rank, near in enumerate(trace.nearest, 1):
            table.add_row(
                str(rank), f"{near.setting} :: {_joined(near.score)}",
                _shown(near.value, trace.figures), f"{near.distance:.1f}", near.slip or "",
                ", ".join(near.reachable),
            )  # fmt: skip
        yield table
    slips = f", and {trace.slips:,} values with slips" if trace.slips else ""
    yield Note(
        f"{counted(trace.settings, 'setting')} in {counted(trace.classes, 'class', 'classes')} "
        f"from {counted(trace.passes, 'pass', 'passes')} over {counted(trace.items, 'item')}"
        f"{slips}; {trace.chance:.2g} accidental hits to expect among all"
    )


def view_of(trace: Trace) -> contract.TraceView:
    """The trace as the page shows it."""
    shown = list(trace_table(trace))
    return contract.TraceView(
        figures=[each.text for each in trace.figures],
        conclusion=trace.conclusion(),
        tables=[
            contract.TraceTable(
                each.title,
                [name or "rank" for name in each.columns],  # which is read aloud
                sorted(each.left),
                [list(row.cells) for row in each.rows],
            )
            for each in shown
            if isinstance(each, Table)
        ],
        notes=[each.text for each in shown[1:] if isinstance(each, Note)],
    )


def write_page(trace: Trace, stream: IO[bytes], **files: Any) -> list[str]:
    """Writes the page of what the first setting, or the nearest one, gives, with the trace.

    `files` are those of `evaluate`, with their options.
    """
    from karat.engine.files import evaluate
    from karat.report.page.making import write

    first = (trace.hits or trace.ranges or trace.nearest)[0]
    reading = first.reading if isinstance(first, Hit) else {}
    files["format_options"] = {**files.get("format_options", {}), **reading}
    view = view_of(trace)
    for path in map(str, (files["system"], *(files["gold"] or ()))):
        # Whole paths may tell who made the page.
        view.notes = [note.replace(path, PurePath(path).name) for note in view.notes]
    return write(stream, [evaluate(first.setting.split(TOGETHER)[0], **files)], trace=view)


def _named(hit: Hit) -> str:
    more = f" + {len(hit.same)} more" if hit.same else ""
    cut = {"truncate": " (cut off)", "twice": " (rounded twice)"}.get(hit.rounding, "")
    return f"{hit.setting} :: {_joined(hit.score)}{cut}{more}"


def _joined(score: str | Sequence[str]) -> str:
    return score if isinstance(score, str) else ", ".join(score)


def _shown(value: Value, figures: Sequence[Figure], unit: str = "") -> str:
    """A value with two digits more than the figure has, in its unit."""
    values = value if isinstance(value, list) else [value]
    return ", ".join(
        f"{100 * each:.{figure.digits + 2}f}"
        if unit == "percent" or (not unit and figure.windows[0].percent)
        else f"{each:.{figure.digits + 2}f}"
        for each, figure in zip(values, figures, strict=True)
    )


def settings_table(settings: Sequence[Mapping[str, Any]]) -> Iterator[Shown]:
    """The settings that are tried."""
    table = Table("", "setting", "score", "aggregation", "figure", "departures")
    for each in settings:
        table.add_row(
            each["setting"], each["score"], each["aggregation"], each["figure"],
            str(each["departures"]),
        )  # fmt: skip
    yield table
    yield Note(counted(len(settings), "setting"))
