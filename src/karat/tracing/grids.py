"""Which metrics have settings, and which of them figures may mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from karat.core.capabilities import Traces, has
from karat.core.files.opener import plain_name
from karat.core.metric import Metric
from karat.core.pairing.sides import readable_kinds
from karat.core.plugins import FORMATS, METRICS, own_rows, rows
from karat.core.registry import metric_class
from karat.core.tracing import Grid
from karat.errors import OptionError, did_you_mean
from karat.tracing.figures import Figure, is_part

_GRAPHS = frozenset(("graph", "amr", "triples", "passage", "drs", "sbn"))
"""Kinds that files of graphs may be read as."""


class Traced(NamedTuple):
    """A metric with its grid."""

    name: str
    metric: type[Metric[Any, Any]]
    grid: Grid

    def meant(self, figure: Figure) -> Mapping[str, int] | None:
        """The names of settings that a figure may mean; None where it is not of this metric.

        Of texts, answers alone have an F that goes by no other name.
        """
        if is_part(figure.plain) and figure.plain not in self.grid.names:
            return None if self.metric.kind == "text" else self.grid.names.get("")
        return self.grid.names.get(figure.plain)


@cache
def traced(kinds: frozenset[str] = frozenset()) -> tuple[Traced, ...]:
    """All metrics that have settings; a plug-in that does not load is left out.

    With `kinds`, only those whose row has one of them: the others are not loaded.
    """
    return tuple(_traced(kinds))


def _traced(kinds: frozenset[str]) -> Iterator[Traced]:
    for row in own_rows(METRICS) if kinds else rows(METRICS).values():
        if not row.traces and row.package == "karat":
            continue
        if kinds and row.kind not in kinds:
            continue
        try:
            cls = metric_class(row.name)
        except OptionError:
            continue
        grid = grid_of(cls)
        if grid is not None:
            yield Traced(row.name, cls, grid)


def grid_of(metric: type[Metric[Any, Any]]) -> Grid | None:
    """The settings of a metric, if it has any."""
    capable: type = metric
    return capable.tracing() if has(capable, Traces) else None


def kinds_by_name(path: str) -> frozenset[str]:
    """The kinds of items that a file may hold by its name; empty where it does not tell."""
    base = plain_name(path).lower()
    kinds = {
        row.kind
        for row in own_rows(FORMATS)
        if row.reads and row.suffixes and base.endswith(row.suffixes)
    }
    return frozenset(kinds | _GRAPHS if kinds & _GRAPHS else kinds)


def meant_by(figures: Sequence[Figure], kinds: frozenset[str] = frozenset()) -> list[Traced]:
    """The metrics that all of the figures may be of, of these kinds if there are any."""
    # Files of trees can be read as graphs, but figures of both are called differently.
    first = kinds & {"tree"}
    for wanted in dict.fromkeys((first or kinds, kinds, frozenset[str]())):
        found = [each for each in traced(wanted) if all(each.meant(figure) for figure in figures)]
        if found:
            return found
    known = {name for each in traced() for name in each.grid.names if name}
    for figure in figures:
        if figure.plain and figure.plain not in known:
            raise OptionError(
                f"no metric has a figure {figure.name!r}{did_you_mean(figure.plain, known)}",
                code="K329",
                advice="``list_settings=True`` shows the names that there are",
            )
    raise OptionError(
        "the figures are of different metrics, and one setting has to explain all of them",
        code="K329",
        advice="trace the figures of each metric by themselves",
    )


def kinds_of(found: Sequence[Traced]) -> list[str]:
    """The kinds of items that some metrics read, those that any text may be last."""
    kinds = dict.fromkeys(kind for each in found for kind in readable_kinds(each.metric))
    return sorted(kinds, key=lambda kind: (kind == "text", kind == "logic"))


def of_kind(found: Sequence[Traced], kind: str) -> list[Traced]:
    """Those of some metrics that read items of a kind."""
    return [each for each in found if kind in readable_kinds(each.metric)]
