"""Tables of runs, comparisons and gates, for a terminal or as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from karat.core import signature
from karat.core.metric import Metric
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import leaves, undefined_is_nan
from karat.errors import counted
from karat.report.layout import Group, Note, Shown, Table, broken
from karat.report.numbers import (
    NOTHING,
    Bold,
    ends,
    interval_title,
    letters_for,
    ranked_pairs,
    ranked_systems,
    reasons_note,
    sample_size,
    score_name,
    shown,
    shown_p,
    side_by_side,
    signed,
    values_to_show,
)
from karat.stats.intervals import Intervals

if TYPE_CHECKING:
    from karat.core.runs.comparison import Ranking, Replicates
    from karat.core.runs.gate import Gate, GatedScore
    from karat.engine.consensus import Consensus


_MOST_COLUMNS = 16
_SPREAD = ("mean", "sd", "min", "max")


def scores(runs: Sequence[Evaluation], statistics: Mapping[str, Any]) -> Shown:
    """The scores of one metric: of one system in full, of several side by side."""
    body = _one(runs[0], statistics) if len(runs) == 1 else _several(runs, statistics)
    first = runs[0]
    notes = [sample_size(first, statistics.get("cluster")), signature.of_runs(runs)]
    if any(run.inexact for run in runs):
        notes.insert(1, f"{', '.join(str(run.inexact) for run in runs)} not proven optimal")
    if any(run.skipped for run in runs):
        notes.insert(1, f"left out: {', '.join(str(run.skipped) for run in runs)}")
    if any(run.confidence(**statistics).resampling == "poisson" for run in runs):
        notes.insert(1, "Poisson bootstrap")
    return Group(*body, Note("  ".join(notes)))


def _one(run: Evaluation, statistics: Mapping[str, Any]) -> list[Shown]:
    """Scores that come in the same kinds (p, r, f of edges, of labels …) share a table."""
    metric, found = run.metric, run.confidence(**statistics)
    values = values_to_show(run)
    shown_paths = []
    families: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {}
    for path in values:
        families.setdefault(path[:-1], {})[path[-1]] = path
    kinds: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for parent, members in families.items():
        kinds.setdefault(tuple(members) if parent else (), []).append(parent)
    level = interval_title(statistics["level"])
    plain = Table("", metric.name, "score", level)
    tables: list[Shown] = []
    for names, parents in kinds.items():
        if len(parents) > 1 and len(names) > 1:
            main = "f" if "f" in names else names[-1]
            # Plain sums have no interval.
            sure = any((*parent, main) in found for parent in parents)
            table = Table("", metric.name, *names, *([f"{level} of {main}"] * sure))
            table.beside = (names.index(main) + 1, len(names) + 1) if sure else None
            table.counts = [
                k
                for k, name in enumerate(names, 1)
                if all(".".join((*parent, name)) in metric.about.totals for parent in parents)
            ]
            for parent in parents:
                paths = list(families[parent].values())
                cells = [shown(values[path], metric.about.scale_of(path)) for path in paths]
                path = (*parent, main)
                shown_paths.append(path)
                spread = ends(found[path], metric.about.scale_of(path)) if path in found else ""
                is_main = any(".".join(path) == metric.about.headline for path in paths)
                title = Bold(".".join(parent)) if is_main else ".".join(parent)
                table.add_row(title, *cells, *([spread] * sure))
            tables.append(table)
            continue
        for path in (path for parent in parents for path in families[parent].values()):
            scale = metric.about.scale_of(path)
            shown_paths.append(path)
            spread = ends(found[path], scale) if path in found else ""
            plain.add_row(_title(metric, path), shown(values[path], scale), spread)
    return [*([plain] if plain.rows else []), *tables, *_reasons([found], shown_paths)]


def _reasons(columns: Sequence[Intervals], paths: Sequence[tuple[str, ...]]) -> list[Shown]:
    """A line that says why there is no interval where there is none."""
    note = reasons_note(
        (".".join(path), found.reasons[path])
        for path in paths
        for found in columns
        if path in found.reasons
    )
    return [Note(note)] if note else []


def _several(runs: Sequence[Evaluation], statistics: Mapping[str, Any]) -> list[Shown]:
    """A column for each system; plain sums are left to the JSON."""
    metric = runs[0].metric
    level = interval_title(statistics["level"])
    table = Table(
        "", metric.name, *(header for run in runs for header in (run.system, level)), together=2
    )
    table.letters, table.legend = letters_for([run.system for run in runs])
    found = side_by_side(runs, statistics)
    for path, cells in found.items():
        table.add_row(_title(metric, path), *cells)
    return [table, *_reasons([run.confidence(**statistics) for run in runs], list(found))]


def _title(metric: Metric[Any, Any], path: tuple[str, ...]) -> str:
    name = score_name(metric, path)
    return Bold(name) if ".".join(path) == metric.about.headline else name


def groups(run: Evaluation, field: str, statistics: Mapping[str, Any] | None = None) -> Shown:
    """The scores of each group, a row for each; systems with the interval of the main one.

    Plain sums are left to the JSON, and so is all but the main figure of each
    score where there are many.
    """
    metric = run.metric
    with undefined_is_nan():
        found = run.by(field)
    paths = [path for path, _ in leaves(run.scores()) if ".".join(path) not in metric.about.totals]
    flats = [dict(leaves(values)) for values in found.values()]
    paths = [path for path in paths if not _is_idle(path, flats)]
    if len(paths) > _MOST_COLUMNS:
        kind = metric.about.headline.rpartition(".")[2]
        paths = [path for path in paths if path[-1] == kind]
    sizes = run.group_sizes(field)
    spreads: dict[str, str] = {}
    titles = [".".join(path) for path in paths]
    if statistics is not None and field == run.system_field:
        main = metric.about.path_of()
        spreads = {
            part.system: ends(part.confidence(**statistics).get(main), metric.about.scale_of(main))
            for part in run.split(field)
        }
        titles.append(f"{interval_title(statistics['level'])} of {metric.about.headline}")
    table = Table(f"{run.system} by {field}", field, "items", *titles)
    for name, flat in zip(found, flats, strict=True):
        cells = [shown(flat[path], metric.about.scale_of(path)) for path in paths]
        cells += [spreads[name]] if spreads else []
        table.add_row(name or "(none)", f"{sizes[name]:,}", *cells)
    macro = dict(leaves(run.macro(field)))
    cells = [shown(macro.get(path), metric.about.scale_of(path)) for path in paths]
    table.add_section()
    table.add_row("mean of groups", f"{len(run):,}", *cells)
    return table


def _is_idle(path: tuple[str, ...], groups: Sequence[Mapping[tuple[str, ...], Any]]) -> bool:
    """Whether a score stands on counts that no group has anything in."""
    counts = [(*path[:-1], name) for name in ("g", "s")]
    return all(count in group and not group[count] for group in groups for count in counts)


def ranking(ranked: Ranking) -> Shown:
    """Systems with their clusters, then every pair with its test."""
    systems = Table("", "system", ranked.score, "rank")
    systems.letters, systems.legend = letters_for([run.system for run in ranked.evaluations])
    for row in ranked_systems(ranked):
        systems.add_row(*row)
    many = len(ranked.pairs) > 1
    level = interval_title(ranked.comparisons[0].level)
    headers = ["difference", level, "p", *(["p (Holm)"] if many else []), ""]
    pairs = Table("", "pair", *headers)
    pairs.narrow, pairs.legend = _narrow_pairs(ranked), systems.legend
    letter = systems.letters
    pairs.letters = {f"{a} - {b}": f"{letter[a]} - {letter[b]}" for a in letter for b in letter}
    pairs.beside = (len(headers) - 1, len(headers))
    for *cells, adjusted, is_significant in ranked_pairs(ranked):
        verdict = "significant" if is_significant else "not significant"
        pairs.add_row(*map(str, cells), *([str(adjusted)] if many else []), verdict)
    from karat.stats.paired_tests import EXACT_TESTS  # tables of scores do without

    one = ranked.comparisons[0]
    exact = one.test in EXACT_TESTS
    how = f"paired {one.test} test" + (
        "" if exact else f", {counted(one.trials, 'trial')}, seed {one.seed}"
    )
    items = sample_size(ranked.evaluations[0], ranked.cluster)
    note = f"{items}  {how}, level {ranked.alpha:g}  {signature.of_runs(ranked.evaluations)}"
    why = reasons_note(
        (f"{each.first.system} - {each.second.system}", reason)
        for each in ranked.comparisons
        if (reason := each.differences[ranked.path].interval_reason)
    )
    return Group(systems, pairs, *([Note(why)] if why else []), Note(note))


def _narrow_pairs(ranked: Ranking) -> list[str]:
    """The systems of each pair below each other, without the folder that all are in."""
    folders = [run.system.split("/")[:-1] for run in ranked.evaluations]
    shared = takewhile(lambda level: len(set(level)) == 1, zip(*folders, strict=False))
    cut = sum(len(level[0]) + 1 for level in shared)
    return [
        f"{each.first.system[cut:]}\n- {each.second.system[cut:]}" for each in ranked.comparisons
    ]


def _spreads(scores: Mapping[str, Any]) -> dict[tuple[str, ...], dict[str, Any]]:
    """Mean, deviation, least and greatest of each score, by its name."""
    result: dict[tuple[str, ...], dict[str, Any]] = {}
    for path, value in leaves(scores):
        result.setdefault(path[:-1], {})[path[-1]] = value
    return result


def averages(averaged: Replicates) -> Shown:
    """How each score varies over the runs of one system."""
    metric = averaged.metric
    result = Table("", metric.name, *_SPREAD)
    with undefined_is_nan():
        found = averaged.scores()
    for path, spread in _spreads(found).items():
        name = ".".join(path)
        cells = [shown(spread[each], metric.about.scale_of(path)) for each in _SPREAD]
        result.add_row(Bold(name) if name == metric.about.headline else name, *cells)
    notes = [
        counted(len(averaged.runs), "run"),
        counted(len(averaged.runs[0]), "item"),
        signature.of_runs(averaged.runs),
    ]
    return Group(result, Note("  ".join(notes)))


def averages_by(averaged: Replicates, field: str) -> Shown:
    """Mean and deviation in each group, a row for each; the rest is in the JSON."""
    metric = averaged.metric
    paths = [
        path for path in _spreads(averaged.scores()) if ".".join(path) not in metric.about.totals
    ]
    result = Table(f"by {field}, mean ± sd", field, *(".".join(path) for path in paths))
    with undefined_is_nan():
        by_group = averaged.by(field)
    rows = {**by_group, "mean of groups": averaged.macro(field)}
    for name, found in rows.items():
        spreads = _spreads(found)
        cells = [
            " ± ".join(
                shown(spreads[path][each], metric.about.scale_of(path)) for each in ("mean", "sd")
            )
            for path in paths
        ]
        result.add_row(name or "(none)", *cells)
    return result


def consensus(found: Consensus, document: Mapping[str, Any]) -> Iterator[Shown]:
    """What was chosen of each system; with gold, for each metric the gain and the oracle."""
    table = Table("", "system", "chosen", "share", together=2)
    for name, count in document["chosen"].items():
        table.add_row(name, f"{count:,}", f"{100 * count / len(found.ids):.1f} %")
    yield table
    for n, each in enumerate(document["measured"]):
        metric, score = found.measured[n].metric, each["score"]
        scale = metric.about.scale_of(tuple(score.split(".")))
        named = score if score == metric.name else f"{metric.name} {score}"
        title = named + (" (used to choose)" if each["biased"] else "")
        lower = score in metric.about.lower_is_better
        gains = "consensus adds (less is better)" if lower else "consensus gains"
        table = Table("", title, "score", gains, interval_title(0.95), "p")
        for run, comparison in zip(found.measured[n].runs, found.comparisons(n), strict=True):
            difference = comparison[score]
            table.add_row(
                run.system,
                shown(each["systems"][run.system], scale),
                shown(difference.difference, scale),
                ends(difference.interval, scale) if difference.interval else "",
                shown_p(difference.p_value),
            )
        table.add_row("consensus", shown(each["consensus"], scale), "", "", "")
        yield table
        if "curve" in each:
            ways = [name for name in each["curve"][0] if name != "candidates"]
            table = Table("", "candidates", *ways)
            for row in each["curve"]:
                cells = (shown(row[name], scale) for name in ways)
                table.add_row(str(row["candidates"]), *cells)
            yield table
            yield Note(
                "oracle and worst are exact for the score of all items together"
                if each["method"] == "exact"
                else "oracle and worst are found greedily: changing one choice improves neither"
            )
    yield Note(f"{counted(len(found.ids), 'item')}  {document['signature']}")


# -- gates ----------------------------------------------------------------------------------------


def gate_lines(gate: Gate, width: int | None = None) -> list[str]:
    """A line for each score under a header, and the verdict; verdicts of scores are put on
    lines of their own where they do not fit."""
    header = _gate_header(gate, gate.base.metric.name)
    rows = [_gate_cells(score) for score in gate.scores]
    sizes = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]

    def line(cells: list[str]) -> str:
        parts = [cells[0].ljust(sizes[0])]
        parts += [cell.rjust(size) for cell, size in zip(cells[1:], sizes[1:], strict=True)]
        return "  ".join(parts)

    result = [line(header)]
    for row, score in zip(rows, gate.scores, strict=True):
        whole = f"{line(row)}  {_verdict_words(score, gate)}"
        if width is not None and len(whole) > width:
            result += [line(row), f"  {_verdict_words(score, gate)}"]
        else:
            result.append(whole)
    return [*result, *broken(f"{gate.verdict.upper()}  {_gate_note(gate)}", width)]


def _gate_header(gate: Gate, first: str) -> list[str]:
    return [first, "base", "new", "change", interval_title(1 - 2 * gate.alpha), "margin"]


def _gate_note(gate: Gate, quote: str = "") -> str:
    made_by = signature.of_runs([gate.base, gate.new])
    items = sample_size(gate.base, gate.cluster)
    return f"{items}; alpha {gate.alpha:g}; {quote}{made_by}{quote}"


def _gate_cells(score: GatedScore) -> list[str]:
    ends = score.ends
    interval = "[{}, {}]".format(*(shown(end, score.scale) for end in ends)) if ends else NOTHING
    return [
        score.name,
        shown(score.base, score.scale),
        shown(score.new, score.scale),
        signed(score.new - score.base, score.scale),
        interval if score.found.differing else NOTHING,
        shown(score.margin, score.scale),
    ]


def _verdict_words(score: GatedScore, gate: Gate) -> str:
    """The verdict on a score in words."""
    if score.found.is_identical:
        return f"identical on all {len(gate.base):,} items"
    if score.verdict != "cannot tell":
        return score.reason or score.verdict
    few = f"{score.reason}; " if score.reason.startswith("fewer") else ""
    if score.needed_items is None:
        return f"cannot tell: {few}nothing tells how many items are needed"
    needed = f"{_about(score.needed_items):,}"
    return f"cannot tell: {few}about {needed} items needed, has {len(gate.base):,}"


def _about(number: int) -> int:
    """Three digits of a number, rounded up.

    >>> _about(18_761), _about(99)
    (18800, 99)
    """
    unit = int("1" + "0" * max(0, len(str(number)) - 3))
    return -(-number // unit) * unit


def gate_markdown(gate: Gate) -> str:
    """A section for a pull request; items by their ids alone, since texts may be private."""
    from karat.report.exports import markdown_table  # which tables for a terminal do without

    rows = [[*_gate_cells(score), _verdict_words(score, gate)] for score in gate.scores]
    body = markdown_table([*_gate_header(gate, "score"), "verdict"], rows, words=1)
    lost = gate.lost_most()
    named = ", ".join(f"`{_quoted(name)}`" for name in lost)
    most = f"\nLost most ({gate.scores[0].name}): {named}\n" if lost else ""
    return f"## karat gate: {gate.verdict}\n\n{body}\n{_gate_note(gate, '`')}\n{most}"


def _quoted(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("`", "'")
