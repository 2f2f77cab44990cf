"""The verbs of the command line as calls: compare, read, write, load, metrics."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from karat.arguments import checks_arguments, shown
from karat.core.files.writing import whole_file
from karat.core.metric import Metric
from karat.core.options import OnError
from karat.core.pairing.pairs import Report
from karat.core.plugins import METRICS, rows
from karat.core.reading.streams import PathLike, Stream
from karat.core.reading.tables import table_of
from karat.core.registry import format_class, format_named_by, parse, writer_class
from karat.core.runs.comparison import Ranking
from karat.core.runs.evaluation import Evaluation
from karat.engine.files import evaluate
from karat.engine.inputs import MISSING, is_path
from karat.errors import OptionError

if TYPE_CHECKING:
    from karat.stats.paired_tests import Test

_KINDS = ("tree", "graph", "triples", "passage", "drs", "sbn", "text", "logic", "alignment")


@checks_arguments
def compare(
    metric: Metric[Any, Any] | str | Evaluation | Sequence[Evaluation | PathLike],
    systems: object = None,
    gold: object = None,
    /,
    *runs: Evaluation,
    score: str | None = None,
    test: Test = "auto",
    trials: int = 10_000,
    alpha: float = 0.05,
    level: float = 0.95,
    seed: int = 0,
    cluster: str | None = None,
    **options: Any,
) -> Ranking:
    """Is one system really better than another? Every pair is tested, on the same items.

    ``compare(run_a, run_b)`` takes evaluations, ``compare([a, b])`` evaluations or paths of saved
    runs. ``compare(metric, systems, gold)`` measures first: `systems` is a list of paths, or a
    mapping of names to what `evaluate` takes; or a frame, and ``system=[...]`` names its columns,
    or ``system_field`` the column that says whose output a row is. One path is that of a file
    whose records name their systems.
    With `cluster`, whole clusters of items are exchanged or drawn; ``cluster="id"`` allows several
    samples of one input. Further options are those of `evaluate`.
    """
    if isinstance(metric, (str, Metric)):
        if cluster and "id" in cluster.split("+"):
            options.setdefault("pair", "samples")
        found = _measured(metric, systems, gold, options)
    else:
        found = _given(metric, systems, gold, *runs)
        if options:
            raise OptionError(
                f"``{next(iter(options))}`` is an option of measuring, and these are runs",
                code="K301",
            )
    if len(found) < 2:
        raise OptionError("a comparison needs at least two systems", code="K322")
    ranking = Ranking(
        found, score, alpha=alpha, test=test, trials=trials, level=level, seed=seed, cluster=cluster
    )
    for remark in ranking.remarks:
        warnings.warn(remark, stacklevel=3)
    return ranking


def _given(*given: Any) -> list[Evaluation]:
    found: list[Evaluation] = []
    for each in given:
        if isinstance(each, Evaluation):
            found.append(each)
        elif isinstance(each, (list, tuple)):
            found += _given(*each)
        elif is_path(each):
            found.append(load(each))
        elif each is not None:
            raise OptionError(
                f"expected an evaluation or the path of a saved run, got {type(each).__name__}",
                code="K302",
            )
    return found


def _measured(
    metric: Metric[Any, Any] | str, systems: object, gold: object, options: dict[str, Any]
) -> list[Evaluation]:
    metric = parse(metric)
    golds = MISSING if gold is None else gold
    if systems is not None and table_of(systems) is not None:
        columns = options.pop("system", ())
        if field := options.pop("system_field", ""):
            settings = {**(options.pop("format_options", None) or {}), "system_field": field}
            own = {**options, "system": columns or None, "format_options": settings}
            return evaluate(metric, systems, golds, **own).by_system()
        if isinstance(columns, str) or not columns:
            raise OptionError(
                "a comparison within a frame needs the columns of its systems",
                code="K322",
                advice="name them with ``system=['a', 'b']``, or the column that holds the names "
                "of systems with ``system_field='model'``",
            )
        return [evaluate(metric, systems, golds, system=each, **options) for each in columns]
    if isinstance(systems, Mapping):
        return [
            evaluate(metric, system, golds, name=None if is_path(system) else str(name), **options)
            for name, system in systems.items()
        ]
    if isinstance(systems, (list, tuple)) and systems and all(map(is_path, systems)):
        return [evaluate(metric, system, golds, **options) for system in systems]
    if is_path(systems):
        return evaluate(metric, systems, golds, **options).by_system()
    raise OptionError(
        "the systems to compare are a list of paths, one path of a file that holds several, a "
        "mapping of names to systems, or a frame",
        code="K322",
    )


@checks_arguments
def read(
    path: PathLike, format: str | None = None, *, on_error: OnError = "fail", **options: Any
) -> list[Any]:
    """The items of a file: texts, graphs, trees, forms.

    The format is told from name and content unless it is named; options are those of the format
    and of the selection of items (`n`, `id`, ...).
    """
    kinds: Sequence[str] = _KINDS
    if format is not None:
        kinds = (format_class(format).kind,)
    stream = Stream(path, kinds, "", format, options)
    unknown = options.keys() - stream.options.keys() - stream.selection.options.keys()
    if unknown:
        raise OptionError(
            f"the format {stream.format.name} has no option {sorted(unknown)[0]!r}", code="K301"
        )
    report = Report(on_error)
    found = []
    for item in stream:
        if item.error is not None:
            report.broken(item.error)
        else:
            keyed = item.key is not None and hasattr(item.value, "with_key")
            found.append(item.value.with_key(item.key) if keyed else item.value)
    return found


@checks_arguments
def write(values: Iterable[Any], path: PathLike, format: str | None = None, **options: Any) -> None:
    """Writes items to a file, whose format its name tells unless it is named.

    The file appears when all is written; ``-`` is standard output.
    """
    name = format or format_named_by(os.fspath(path), "format")
    writer = writer_class(name)(**options)
    last: list[Any] = []

    def told() -> Iterator[Any]:
        for value in values:
            last[:] = [value]
            yield value

    with whole_file(path) as stream:
        try:
            writer.write(told(), stream)
        except (AttributeError, TypeError) as problem:
            raise OptionError(
                f"the format {name} cannot hold {shown(last[0])}" if last else str(problem),
                code="K317",
                advice=f"it holds items of the kind {writer.kind}",
            ) from problem


@checks_arguments
def load(path: PathLike) -> Evaluation:
    """A saved run."""
    return Evaluation.load(os.fspath(path))


def metrics() -> list[dict[str, str | None]]:
    """All metrics, plug-ins included: name, kind, a sentence, the package, what it needs."""
    return [
        {
            "name": row.name,
            "kind": row.kind,
            "summary": row.summary,
            "package": row.package,
            "extra": row.extra or None,
        }
        for row in rows(METRICS).values()
    ]
