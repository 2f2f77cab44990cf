"""The errors of a run: the most frequent ones, and the worst items with differences marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from karat.core.capabilities import Draws, has
from karat.core.items import Pair
from karat.core.metric import Explanation
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import Array, find_leaf, leaves
from karat.engine.look import Seen
from karat.engine.verifying import check_files
from karat.errors import KaratError, OptionError
from karat.report.explanation import outline
from karat.report.item_files import has_profile, look_through
from karat.report.marks import is_about_tokens, marked_texts, word_difference
from karat.report.numbers import shown
from karat.report.page.parts import escaped, table, words

WORST = 20
_ROWS = 12


class Worst:
    """The worst items of a run, each as a part of the page once it was seen."""

    def __init__(self, run: Evaluation) -> None:
        values = headline_values(run)
        perfect = run.metric.about.perfect
        order = [i for i in _worst_first(run, values) if not np.isnan(values[i])]
        self.run = run
        self.values = values
        self.positions = [i for i in order if values[i] != perfect][:WORST]
        self.shown: dict[int, str] = {}

    def take(self, seen: Seen) -> None:
        self.shown[seen.position] = _item(self.run, seen)

    def html(self, profile: Explanation) -> str:
        """The most frequent errors, and the items from the worst on."""
        if not self.positions and len(self.values):
            perfect = shown(self.run.metric.about.perfect, _scale(self.run))
            return f"<p>No item is worse than {perfect}.</p>"
        names, scale = self.run.names(), _scale(self.run)
        blocks = "".join(
            f"<details><summary>{escaped(' '.join(names[i].values()))}: "
            f"{shown(float(self.values[i]), scale)}</summary>{self.shown.get(i, '')}</details>"
            for i in self.positions
        )
        number = len(self.positions)
        title = "The worst item" if number == 1 else f"The {number} worst items"
        finer = self.run.metric.about.ranked_by
        ranked = f"<p class=dim>Items of the same score stand by {finer}.</p>" if finer else ""
        return f"{_profile(profile)}<h3>{title}</h3>{ranked}{blocks}"


def headline_values(run: Evaluation) -> Array:
    """The headline score of each item."""
    path = find_leaf(run.scores(), run.metric.about.headline)
    return np.asarray(dict(leaves(run.metric.summarize(run.counts)))[path], float)


def items(run: Evaluation) -> str:
    """The files of the run are read once more; where that cannot be, the page says so."""
    worst = Worst(run)
    if not worst.positions and len(run):
        return worst.html({})
    if run.inputs is None:
        return ""
    try:
        check_files(run.inputs.files)
        profile = look_through(run, [worst], profile=has_profile(run.metric))
    except KaratError as error:
        return f"<p class=dim>No item is shown: {escaped(error.headline)}</p>"
    return worst.html(profile)


def _worst_first(run: Evaluation, values: Array) -> list[int]:
    """The places of items by their scores, and by the finer score that the metric may name."""
    metric = run.metric
    keys = [-values if metric.about.headline in metric.about.lower_is_better else values]
    if metric.about.ranked_by:
        scores = metric.summarize(run.counts)
        finer = np.asarray(dict(leaves(scores))[find_leaf(scores, metric.about.ranked_by)])
        keys.append(-finer if metric.about.ranked_by in metric.about.lower_is_better else finer)
    found: list[int] = np.lexsort(keys[::-1]).tolist()
    return found


def _scale(run: Evaluation) -> float:
    return run.metric.about.scale_of(find_leaf(run.scores(), run.metric.about.headline))


def _profile(profile: Explanation) -> str:
    """The most frequent errors, where the metric knows them."""
    tables = "".join(_counts(title, rows) for title, rows in _tables(profile, ()))
    return f"<h3>The most frequent errors</h3><div class=beside>{tables}</div>" if tables else ""


def _tables(part: Any, path: tuple[str, ...]) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """The lists of counted things in a profile, each with its title."""
    if isinstance(part, Mapping):
        counts = [(name, value) for name, value in part.items() if isinstance(value, int)]
        if counts and path:
            yield " ".join(path), counts
        for name, value in part.items():
            yield from _tables(value, (*path, name.replace("_", " ")))
    elif isinstance(part, list) and part:
        yield " ".join(path), [(_named(row), row["count"]) for row in part]


def _named(row: Mapping[str, Any]) -> str:
    return " → ".join(str(value) for name, value in row.items() if name != "count")


def _counts(title: str, rows: list[tuple[str, int]]) -> str:
    rows = sorted(rows, key=lambda row: -row[1])
    cells = [[escaped(name), f"{count:,}"] for name, count in rows[:_ROWS]]
    return table([escaped(title), "times"], cells)


def _item(run: Evaluation, seen: Seen) -> str:
    """One pair: as a picture or with its words marked, and what the metric says of it."""
    explanation: Explanation = {}
    with suppress(OptionError):  # not every metric has something to add to the two sides
        explanation = seen.explanation
    pair = seen.pair
    parts = [_picture(run, pair, explanation) or _marked(explanation, pair) or _sides(pair)]
    if explanation:
        parts.append(
            f"<details><summary>all that {escaped(run.metric.name)} says</summary>"
            f"<pre>{escaped(outline(explanation))}</pre></details>"
        )
    return "".join(parts)


def _picture(run: Evaluation, pair: Pair, explanation: Explanation) -> str:
    try:
        metric = run.metric
        svg = metric.picture(pair.system, pair.gold, explanation) if has(metric, Draws) else ""
    except KaratError:  # too large to be drawn, for instance
        return ""
    return f"<div class=picture>{svg}</div>" if svg else ""


def _marked(explanation: Explanation, pair: Pair) -> str:
    if is_about_tokens(explanation):
        return "".join(words(text) for both in marked_texts(explanation) for text in both)
    golds = [pair.gold] if isinstance(pair.gold, str) else pair.gold
    if not isinstance(golds, (list, tuple)) or not golds:
        return ""
    system, references = _text(pair.system), [_text(gold) for gold in golds]
    known = [text for text in references if text is not None]
    if system is None or len(known) < len(references):
        return ""
    found = word_difference(system, known)
    return "".join(words(text) for text in found) if found else ""


def _text(value: Any) -> str | None:
    """A text, or a list of sentences; None for what is neither."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value):
        return "\n".join(value)
    return None


def _sides(pair: Pair) -> str:
    sides = [("gold", pair.gold), ("system", pair.system)]
    return "".join(
        f"<p class=dim>{title}</p><pre>{escaped(_text(side) or side)}</pre>"
        for title, side in sides
    )
