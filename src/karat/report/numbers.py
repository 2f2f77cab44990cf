"""How numbers and names are shown to people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any, NamedTuple

from karat.core.capabilities import Searches, has
from karat.core.runs.notebook import NOTHING as NOTHING
from karat.core.runs.notebook import shown as shown
from karat.core.runs.notebook import shown_p as shown_p
from karat.core.runs.notebook import signed as signed
from karat.core.scores import leaves, undefined_is_nan
from karat.errors import counted

if TYPE_CHECKING:
    from karat.core.metric import Metric
    from karat.core.runs.comparison import Ranking
    from karat.core.runs.evaluation import Evaluation
    from karat.stats import Interval

_MOST_NAMES = 4


class Bold(str):
    """A text that a terminal shows in bold."""

    __slots__ = ()


def letters_for(names: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Letters that stand for long names, and the lines of a legend.

    >>> letters_for(["model-7b", "model-70b"])
    ({'model-7b': 'A', 'model-70b': 'B'}, ['A  model-7b', 'B  model-70b'])
    """
    signs = (*ascii_uppercase, *(a + b for a in ascii_uppercase for b in ascii_uppercase))
    found = dict(zip(dict.fromkeys(names), signs, strict=False))
    return found, [f"{sign}  {name}" for name, sign in found.items()]


def score_name(metric: Metric[Any, Any], path: tuple[str, ...]) -> str:
    """The name under which a score is shown.

    `exact` counts the pairs whose score is proven, and would read as exact match.
    """
    name = ".".join(path)
    if name == "exact" and has(metric, Searches) and metric.inexact_column is not None:
        return "proven"
    return name


def metric_titles(runs: Iterable[Evaluation]) -> dict[Metric[Any, Any], str]:
    """What each metric is called: its name, with its options where another has the name, too."""
    metrics = list(dict.fromkeys(run.metric for run in runs))
    names = Counter(metric.name for metric in metrics)
    return {each: each.name if names[each.name] == 1 else repr(each) for each in metrics}


def values_to_show(run: Evaluation) -> dict[tuple[str, ...], Any]:
    """The scores by their paths; None where nothing could be counted."""
    with undefined_is_nan():
        return dict(leaves(run.scores()))


def bare(run: Evaluation) -> str:
    """The headline alone; a dash where it is undefined."""
    about = run.metric.about
    path = about.path_of()
    return shown(values_to_show(run)[path], about.scale_of(path)).replace(",", "")


def sample_size(run: Evaluation, cluster: str | None) -> str:
    """The number of items, and of their clusters where there are such."""
    if not cluster:
        return counted(len(run), "item")
    clusters = counted(run.cluster_count(cluster), "cluster")
    return f"{counted(len(run), 'item')} in {clusters} ({cluster})"


def interval_title(level: float) -> str:
    """The header of a column of intervals.

    >>> interval_title(0.95)
    '95 % interval'
    """
    return f"{100 * level:g} % interval"


def bounds(interval: Interval | None) -> tuple[float | None, float | None]:
    """Both ends of an interval, as numbers."""
    return (None, None) if interval is None else (interval.low, interval.high)


def ends(interval: Interval | None, scale: float = 1.0) -> str:
    """Both ends of an interval, or a dash."""
    if interval is None:
        return NOTHING
    return f"[{shown(interval.low, scale)}, {shown(interval.high, scale)}]"


def side_by_side(
    runs: Sequence[Evaluation], statistics: Mapping[str, Any]
) -> dict[tuple[str, ...], list[str]]:
    """For each score with intervals, the cells of all systems by one metric: value, interval."""
    columns = [(values_to_show(run), run.confidence(**statistics)) for run in runs]
    paths = dict.fromkeys(path for _, found in columns for path in found)
    scale_of = runs[0].metric.about.scale_of
    return {
        path: [
            cell
            for values, found in columns
            for cell in (
                shown(values.get(path), scale_of(path)),
                ends(found.get(path), scale_of(path)),
            )
        ]
        for path in paths
    }


def ranked_systems(ranked: Ranking) -> list[tuple[str, str, str]]:
    """The systems of a ranking with their scores and ranks, best first."""
    scale = ranked.evaluations[0].metric.about.scale_of(ranked.path)
    return [
        (
            ranked.evaluations[i].system,
            shown(values_to_show(ranked.evaluations[i])[ranked.path], scale),
            str(ranked.clusters[i]),
        )
        for i in ranked.order
    ]


class RankedPair(NamedTuple):
    """Two systems of a ranking: the first minus the second."""

    name: str
    difference: str
    interval: str
    p: str
    adjusted: str
    is_significant: bool


def ranked_pairs(ranked: Ranking) -> list[RankedPair]:
    """All pairs of systems of a ranking, with their tests."""
    scale = ranked.evaluations[0].metric.about.scale_of(ranked.path)
    result = []
    for comparison, adjusted in zip(ranked.comparisons, ranked.adjusted, strict=True):
        found = comparison.differences[ranked.path]
        result.append(
            RankedPair(
                f"{comparison.first.system} - {comparison.second.system}",
                signed(found.difference, scale),
                ends(found.interval, scale),
                shown_p(found.p_value),
                shown_p(adjusted),
                adjusted is not None and adjusted <= ranked.alpha,
            )
        )
    return result


def reasons_note(reasons: Iterable[tuple[str, str]]) -> str:
    """A note why intervals are missing, from (name of the score, reason).

    Names are told where there are several reasons.

    >>> reasons_note([("p", "one item"), ("r", "one item")])
    'no interval: one item'
    >>> reasons_note([("p", "one item has the score"), ("r", "the score is undefined")])
    'no interval: one item has the score (p); the score is undefined (r)'
    """
    names: dict[str, list[str]] = {}
    for name, reason in dict.fromkeys(reasons):
        names.setdefault(reason, []).append(name)
    if not names:
        return ""
    if len(names) == 1:
        return f"no interval: {next(iter(names))}"
    return "no interval: " + "; ".join(
        f"{reason} ({_some(these)})" for reason, these in names.items()
    )


def _some(names: list[str]) -> str:
    more = len(names) - _MOST_NAMES
    listed = ", ".join(names[:_MOST_NAMES])
    return f"{listed} and {more:,} more" if more > 0 else listed
