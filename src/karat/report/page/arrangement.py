"""Runs as the page has them: sets on the same items, each a table of systems and metrics."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import takewhile
from pathlib import PurePath
from typing import Any

import numpy as np

from karat.core.metric import Metric
from karat.core.reading.fields import INPUTS
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import Array, leaves
from karat.report.contract import Leaf, MetricInfo, System
from karat.report.numbers import score_name
from karat.stats.resampling import in_blocks

TITLES = {
    "bleu": "BLEU", "chrf": "chrF", "ter": "TER", "meteor": "METEOR", "smatch": "Smatch",
    "mrp": "MRP", "edm": "EDM", "sdp": "SDP", "ucca": "UCCA", "cogs": "COGS", "ud": "UD",
    "rouge": "ROUGE", "wer": "WER", "json": "JSON", "ucca-mrp": "UCCA", "gleu": "GLEU",
    "pyramid-score": "pyramid score", "squad": "SQuAD", "ned": "NED", "sembleu": "SemBLEU",
    "smatchpp": "Smatch++", "s2match": "S2match", "chrf++": "chrF++", "bertscore": "BERTScore",
    "sbn": "SBN", "sema": "SEMA", "elas": "ELAS", "scores": "",
}  # fmt: skip
"""How well-known metrics are spelt where people read them."""
_WORDS = {"f": "F", "f1": "F1", "em": "EM", "all": "", "rate": ""}
"""How parts of a score's name are read; what goes without saying is left out."""
_ENDING = re.compile(r"(?<=.)\.[A-Za-z][A-Za-z0-9]{0,7}$")
_ENDINGS = re.compile(rf"({_ENDING.pattern[:-1]})+$")
"""Of a file name: what begins with a digit or has other signs is part of a version."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Items:
    """Runs on the same items: ``runs[metric][system]``, with None for what was not measured."""

    def __init__(self, first: Evaluation) -> None:
        self.first = first
        self.members = [first]
        self.runs: list[list[Evaluation | None]] = []
        self._scores: dict[int, Array] = {}

    def __len__(self) -> int:
        return len(self.first)

    def has(self, run: Evaluation) -> bool:
        """Whether a run is on these items."""
        first = self.first
        if run.ids != first.ids or run.keys != first.keys:
            return False
        files = _digests(run)
        if files and any(
            run.metric != other.metric and files == _digests(other) for other in self.members
        ):
            return True  # the same files by another metric, which may have read gold otherwise
        if run.gold_marks != first.gold_marks:
            return False
        if run.inputs is None or first.inputs is None:
            return run.inputs is first.inputs
        return run.inputs.gold_digests() == first.inputs.gold_digests()

    @cached_property
    def input_field(self) -> str:
        """The field of the records that says what outputs were made from; empty: none does.

        Its values are texts, and hardly one is that of many items: else it makes groups.
        """
        for name in INPUTS:
            values = self.first.groups.get(name, ())
            if 2 * len(set(values)) > len(values) and any(" " in value for value in values):
                return name
        return ""

    def measured(self, metric: int) -> list[tuple[int, Evaluation]]:
        """The systems that have a run by this metric, with it."""
        return [(s, run) for s, run in enumerate(self.runs[metric]) if run is not None]

    def scores(self, run: Evaluation) -> Array:
        """The headline score of each item by one of the runs; it is made once."""
        if id(run) not in self._scores:
            self._scores[id(run)] = headline_values(run)
        return self._scores[id(run)]

    @property
    def systems(self) -> list[int]:
        """The systems that have any run."""
        count = len(self.runs[0]) if self.runs else 0
        return [s for s in range(count) if any(row[s] is not None for row in self.runs)]


def _digests(run: Evaluation) -> list[tuple[str, str]]:
    """What files a run was made from; none where that is not known of all."""
    files = run.inputs.files if run.inputs else ()
    return [(each.role, each.sha256) for each in files] if all(f.sha256 for f in files) else []


class Arrangement:
    """All runs of a page."""

    def __init__(self, runs: Sequence[Evaluation]) -> None:
        self.runs = list(runs)
        self.metrics: list[Metric[Any, Any]] = list(dict.fromkeys(run.metric for run in runs))
        paths: list[str] = []
        self.sets: list[Items] = []
        taken: set[tuple[int, int, int]] = set()
        placed: list[tuple[int, int, int, Evaluation]] = []
        for run in runs:
            number = next((i for i, each in enumerate(self.sets) if each.has(run)), None)
            if number is None:
                number = len(self.sets)
                self.sets.append(Items(run))
            else:
                self.sets[number].members.append(run)
            metric = self.metrics.index(run.metric)
            # Two runs of one name by one metric on the same items are two systems.
            system = next(
                (
                    i
                    for i, path in enumerate(paths)
                    if path == run.system and (number, metric, i) not in taken
                ),
                len(paths),
            )
            if system == len(paths):
                paths.append(run.system)
            taken.add((number, metric, system))
            placed.append((number, metric, system, run))
        for each in self.sets:
            each.runs = [[None] * len(paths) for _ in self.metrics]
        for number, metric, system, run in placed:
            self.sets[number].runs[metric][system] = run
        names = short_names(paths)
        self.systems = [
            System(name, letter_of(i), PurePath(path).name or name, brief)
            for i, (name, path, brief) in enumerate(
                zip(names, paths, without_shared(names), strict=True)
            )
        ]

    def about_metrics(self) -> list[MetricInfo]:
        """What the page has to know of each metric, except its layers."""
        names = [metric.name for metric in self.metrics]
        result = []
        for i, metric in enumerate(self.metrics):
            again = names[:i].count(metric.name)
            key = f"{metric.name}-{again + 1}" if again else metric.name
            result.append(_about(metric, key, names.count(metric.name) > 1))
        return result


def letter_of(number: int) -> str:
    """A, B, …, Z, A2, …"""
    again, place = divmod(number, len(LETTERS))
    return LETTERS[place] + (str(again + 1) if again else "")


def short_names(paths: Sequence[str]) -> list[str]:
    """File names without endings, with as many folders as it takes to tell them apart.

    >>> short_names(["a/dev.txt", "b/dev.txt", "c/test-0.5.jsonl.gz"])
    ['a/dev', 'b/dev', 'test-0.5']
    >>> short_names(["dev.mixed.tsv", "dev.constants.tsv"])
    ['dev.mixed', 'dev.constants']
    """
    folders = [PurePath(path).parts[:-1] for path in paths]
    for ending in (_ENDINGS, _ENDING, None):  # as much as the others leave clear without
        stems = [PurePath(path).name for path in paths]
        if ending is not None:
            stems = [ending.sub("", stem) or stem for stem in stems]
        begin = {f"{stem}." for stem in stems}
        parts = [[*each, stem] for each, stem in zip(folders, stems, strict=True)]
        is_told = len(set(map(tuple, parts))) == len(set(paths))
        if is_told and not any(stem.startswith(tuple(begin)) for stem in stems):
            break
    names = [each[-1] for each in parts]
    size = 1
    while len(set(names)) < len(names) and size < max(map(len, parts)):
        size += 1
        names = [
            "/".join(each[-size:]) if names.count(name) > 1 else name
            for each, name in zip(parts, names, strict=True)
        ]
    seen: dict[str, int] = {}
    for i, name in enumerate(names):
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            names[i] = f"{name} ({seen[name]})"
    return [name or "system" for name in names]


def without_shared(names: Sequence[str], room: int = 18) -> list[str]:
    """Names without the words that all of them begin or end with, where one has no room.

    What is still too long is cut at its end, or in the middle, where that keeps names apart.

    >>> without_shared(["samples_reading_old", "samples_reading_new"])
    ['…old', '…new']
    """
    if len(names) < 2 or max(map(len, names)) <= room:
        return list(names)
    begin, end = _shared(names), _shared([name[::-1] for name in names])
    if min(map(len, names)) <= begin + end:  # one of them would have nothing left
        begin = end = 0
    found = [
        f"{'…' if begin else ''}{name[begin : len(name) - end]}{'…' if end else ''}"
        for name in names
    ]
    for head, tail in ((room - 1, 0), (room // 2, room // 2 - 1)):
        cut = [
            name if len(name) <= room else f"{name[:head]}…{name[len(name) - tail :]}"
            for name in found
        ]
        if len(set(cut)) == len(names):
            return cut
    return found


def _shared(names: Sequence[str]) -> int:
    """The length of the whole words that all begin with."""
    same = takewhile(lambda marks: len(set(marks)) == 1, zip(*names, strict=False))
    return len(re.sub(r"[^\W_]+\Z", "", "".join(marks[0] for marks in same)))


def about_metric(metric: Metric[Any, Any]) -> MetricInfo:
    """What the page has to know of a metric that stands alone."""
    return _about(metric, metric.name, False)


def _about(metric: Metric[Any, Any], key: str, several: bool) -> MetricInfo:
    about = metric.about
    found = []
    for path in about.marks:
        name = ".".join(path)
        count = name in about.totals
        digits = 0 if count else _digits(about.scale_of(path))
        shown = score_name(metric, path)
        found.append(Leaf(shown, digits, count, name in about.lower_is_better))
    headline = [".".join(path) for path in about.marks].index(about.headline)
    scale = about.scale_of(tuple(about.headline.split(".")))
    return MetricInfo(
        key=key,
        name=metric.name,
        label=_label(metric, several),
        digits=_digits(scale),
        scale=scale,
        perfect=about.perfect,
        lower_is_better=about.headline in about.lower_is_better,
        headline=headline,
        leaves=found,
        layers=[],
    )


def _digits(scale: float) -> int:
    return 2 if scale == 100 else 4


def _label(metric: Metric[Any, Any], several: bool) -> str:
    """How the headline is called: the bleu of bleu is BLEU, the all.f of mrp MRP F."""
    headline = metric.about.headline
    if several:
        return f"{metric!r} {headline}"
    title = TITLES.get(metric.name, metric.name)
    words = (_WORDS.get(each, each) for each in re.split(r"[._]", headline))
    said = " ".join(filter(None, words))
    at = said.casefold().find(title.casefold())
    if at >= 0:
        return said[:at] + title + said[at + len(title) :]
    return f"{title} {said}"


def headline_values(run: Evaluation) -> Array:
    """The headline score of each item, as the JSON of items has it."""
    path = run.metric.about.path_of()
    return in_blocks(
        lambda some: {path: np.asarray(dict(leaves(run.metric.summarize(some)))[path], float)},
        run.counts,
    )[path]
