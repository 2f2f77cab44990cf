"""Is there a result at all? Zeros because nothing could be read, or match, are an error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from karat.core.evaluation import Evaluation
from karat.core.items import Pair
from karat.core.metric import Metric
from karat.core.pairing import WRONG_FORMAT, Report
from karat.core.reading import FilePairs
from karat.errors import PairingError, Place


class Given:
    """Watches the pairs of a run until there is one in which the system gave something."""

    def __init__(self, metric: Metric[Any, Any]) -> None:
        self.metric = metric
        self.anything = False
        self.wanted = False
        """Whether there was anything to give."""
        self.first: Pair | None = None

    def watched(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        for pair in pairs:
            self.first = self.first or pair
            self.anything = self.anything or not self.metric.is_null(pair.system)
            self.wanted = self.wanted or not self.metric.is_null(pair.gold)
            yield pair


def check_result(evaluation: Evaluation, pairs: FilePairs, given: Given) -> None:
    """Raises where the figures say nothing about the system: nothing was read, or counted."""
    metric, report = evaluation.metric, pairs.report
    if (unread := report.none_readable()) is not None:
        raise unread
    if given.first is None:
        if metric.allows_empty:
            return
        raise PairingError(
            f"no item is left to measure: {report.skipped} could not be read", code="K203"
        )
    if (objection := metric.objection(evaluation.totals)) is not None:
        raise objection
    if given.wanted and not given.anything:
        why, advice = metric.why_null(given.first.system)
        count = len(evaluation)
        raise PairingError(
            (f"all {count} system items are" if count > 1 else "the only system item is")
            + (f" unreadable: {why}" if why else " empty"),
            code="K241",
            place=Place(pairs.system.source.name),
            advice=advice or WRONG_FORMAT,
        )


def many_unreadable(report: Report) -> list[str]:
    """How many items could not be read, where that is more than one."""
    count, all_items = report.unreadable, report.unreadable + report.readable
    return [f"{count} of {all_items} system items could not be read"] if count > 1 else []
