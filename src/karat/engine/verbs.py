"""The verbs of the command line as calls: compare, read, write, load, verify, metrics."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from karat.arguments import checks_arguments, shown
from karat.core.capabilities import can_certify
from karat.core.files.shards import one_or_many, source_of
from karat.core.files.writing import whole_file
from karat.core.metric import Metric
from karat.core.options import OnError
from karat.core.pairing.pairs import Report
from karat.core.plugins import METRICS, rows
from karat.core.reading.streams import PathLike, Stream
from karat.core.reading.tables import table_of
from karat.core.registry import format_class, format_named_by, parse, writer_class
from karat.core.runs import store
from karat.core.runs.comparison import Ranking
from karat.core.runs.evaluation import Evaluation
from karat.engine.files import evaluate
from karat.engine.inputs import MISSING, is_path
from karat.engine.jobs import Jobs
from karat.engine.look import in_memory, refuse_commands
from karat.errors import (
    FormatError,
    KaratError,
    MissingExtra,
    OptionError,
    VerificationError,
    counted,
    part_of,
    quote_some,
)
from karat.version import VERSION

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
        found = []
        for name, system in systems.items():
            own = {} if is_path(system) else {"name": str(name)}
            found.append(evaluate(metric, system, golds, **own, **options))
            found[-1].system = str(name)
        return found
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


# -- saved runs, checked --------------------------------------------------------------------------


class Verification(msgspec.Struct, frozen=True):
    """The result of a verification."""

    signature: str
    items: int
    files: int
    skipped: int = 0
    """The number of items that were left out."""
    warnings: tuple[str, ...] = ()


@checks_arguments
def verify(path: PathLike, *, jobs: Jobs = 1, allow_commands: bool = False) -> Verification:
    """Raises a VerificationError unless the run follows from the input files.

    What the run's metric would run or contact is used only with `allow_commands`.
    """
    saved = Evaluation.load(path)
    if not allow_commands:
        refuse_commands(saved)
    if saved.inputs is None:
        raise VerificationError("the run does not say what files it was made from", code="K602")
    files = saved.inputs.files
    check_files(files)
    systems = saved.inputs.systems
    if len(systems) != 1:
        raise VerificationError(f"the run names {len(systems)} system files", code="K602")
    try:
        again = evaluate(
            saved.metric,
            system=systems[0].path,
            gold=[each.path for each in saved.inputs.golds],
            **saved.inputs.formats(),
            jobs=jobs,
            pair=saved.inputs.pair,
            on_error=saved.inputs.on_error,
            facets=list(saved.parts),
            certificates=saved.certificates if can_certify(saved.metric) else None,
        )
    except (MissingExtra, VerificationError):
        raise
    except KaratError as error:
        raise VerificationError(
            f"the run cannot be measured again: {error.headline}", code="K606"
        ) from None
    _check_items(saved, again)
    for name, parts in saved.parts.items():
        found = again.parts[name]
        if (found.items, found.values) != (parts.items, parts.values) or not np.array_equal(
            found.counts, parts.counts
        ):
            raise VerificationError(
                f"the rows split by {name} do not follow from the input files", code="K605"
            )
    wrong = np.flatnonzero(np.any(again.counts != saved.counts, axis=1))
    if len(wrong):
        names = quote_some([saved.ids[i] for i in wrong])
        raise VerificationError(
            part_of(len(wrong), len(saved), "row", "does", "do")
            + f" not follow from the input files: {names}",
            code="K605",
        )
    return Verification(
        saved.signature(), len(saved), len(files), saved.skipped, tuple(again.warnings)
    )


def _check_items(saved: Evaluation, again: Evaluation) -> None:
    """Raises unless the run is about the items of its files, and says what was left out."""
    if again.system != saved.system:
        raise VerificationError(
            f"the run is of {again.system!r}, but calls its system {saved.system!r}", code="K604"
        )
    if again.skipped != saved.skipped:
        raise VerificationError(
            counted(again.skipped, "item of the input files is", "items of the input files are")
            + f" left out, the run says {saved.skipped:,}",
            code="K604",
        )
    for what, theirs, ours in (
        ("items", again.ids, saved.ids),
        ("keys", again.keys, saved.keys),
        ("places", again.places, saved.places),
        ("groups", again.groups, saved.groups),
    ):
        if what in ("keys", "places") and not saved.has_places:
            continue  # runs of earlier versions do not tell
        if theirs != ours:
            raise VerificationError(f"the input files have other {what} than the run", code="K604")
    # Other versions may put the same warnings in other words.
    reworded = saved.version != VERSION and len(again.warnings) == len(saved.warnings)
    if again.warnings != saved.warnings and not reworded:
        differing = [each for each in again.warnings if each not in saved.warnings]
        differing += [each for each in saved.warnings if each not in again.warnings]
        raise VerificationError(
            f"the run has other warnings than reading the input files gives: "
            f"{quote_some(differing or ['their order'])}",
            code="K604",
        )


def check_files(files: Iterable[store.Input]) -> None:
    """Raises a VerificationError unless these are the files that a run was made from."""
    for each in files:
        _check_file(each)


def _check_file(each: store.Input) -> None:
    if not each.path:
        raise in_memory()
    source = one_or_many(source_of(each.path))
    if source.is_pipe or not each.sha256:
        raise VerificationError(f"{source.name} cannot be read again", code="K602")
    try:
        digest = source.digest()
    except FormatError as error:
        raise VerificationError(f"{source.name}: {error.message}", code="K603") from None
    if digest != each.sha256:
        raise VerificationError(f"{source.name} is not the file the run was made from", code="K603")
