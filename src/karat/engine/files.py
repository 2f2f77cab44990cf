"""`evaluate`: measures files or data in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from karat.arguments import checks_arguments, shown
from karat.core.capabilities import NamesProgram, has
from karat.core.metric import Metric
from karat.core.options import Mode, OnError
from karat.core.pairing.pairs import Report
from karat.core.reading.streams import FilePairs, PathLike
from karat.core.registry import parse
from karat.core.runs.evaluation import Evaluation
from karat.engine.inputs import MISSING, is_path, sides
from karat.engine.jobs import Jobs, Log, Progress, workers
from karat.engine.look import ReopenedRun
from karat.engine.results import check_result, many_unreadable
from karat.engine.run import measure_files
from karat.errors import OptionError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from karat.engine.resume import Folder


@checks_arguments
def evaluate(
    metric: Metric[Any, Any] | str,
    data: object = MISSING,
    golds: object = MISSING,
    *,
    system: object = None,
    gold: object = None,
    id: str | int | Sequence[object] | None = None,
    by: str | int | Sequence[str | int] | Mapping[str, Sequence[object]] = (),
    name: str | None = None,
    format: str | None = None,
    gold_format: str | Sequence[str] | None = None,
    format_options: Mapping[str, Any] | None = None,
    pair: Mode = "auto",
    on_error: OnError = "auto",
    jobs: Jobs = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
    facets: Sequence[str] = (),
    certify: bool = False,
    certificates: Mapping[int, bytes] | None = None,
    resume: PathLike | Folder | None = None,
    log: Log | None = None,
) -> Evaluation:
    """Measures what a system produced against gold: ``evaluate(metric, system, gold)``.

    `metric` is a metric or what `parse` understands. Both sides are paths of files, lists of
    items, mappings of ids to items, or columns; `gold` may be several files of references, or
    none where the system's records hold their own gold. Or the data are a frame (pandas, Polars,
    Arrow, a Hugging Face data set): then `system`, `gold`, `id` and `by` name its columns, with
    dots for what lies within one. For lists, `id` is a list of ids and `by` a mapping of names
    to lists; `name` is what the system is called.

    `format` and `gold_format` name the format of files, or the notation of strings; several gold
    files may have one each. `facets` are properties of the items' parts that `by` can then group
    by. `certify` keeps what `verify` needs to check each row without searching, where the metric
    has such; `certificates` are those of an earlier run, by which rows are checked. `jobs` is a
    number of workers, or ``"auto"``, which lets the size of the files decide.

    What cannot be read ends the run (``on_error="fail"``), or its pair is left out and
    counted (``skip``, or ``skip-gold`` where only gold may be at fault). By default (``auto``)
    it ends the run, except where a system's graph cannot be read: that counts as an empty one,
    with a warning.

    `resume` is a folder in which finished chunks are kept, so that the same call goes on where an
    earlier one was ended, however that came about; the result is the same. `log` is called with
    lines that say what is read, how it is paired, and by how many workers it is measured.
    """
    metric = parse(metric)
    facets = list(facets)
    if not isinstance(by, (str, int, Mapping)):
        by = list(by)
    options = dict(format_options or {})
    system_field = ""
    if data is not MISSING and not is_path(data):
        system_field = str(options.pop("system_field", ""))
    ours, theirs = sides(
        data, golds, system=system, gold=gold, id=id, by=by, name=name, system_field=system_field,
        kind=metric.kind,
    )  # fmt: skip
    if resume is not None and not all(map(is_path, (ours, *theirs))):
        raise OptionError("``resume`` is for files, and the data are in memory", code="K393")
    pairs = FilePairs(
        metric,
        ours,
        theirs,
        format=format,
        gold_format=gold_format,
        format_options=options,
        mode=pair,
        report=Report(on_error),
    )
    if log is not None:
        from karat.engine.jobs import tell_reading

        tell_reading(log, pairs)
    with _opened(resume) as folder:
        evaluation, given, plan = measure_files(
            pairs,
            jobs=jobs,
            executor=executor,
            progress=progress,
            facets=facets,
            certify=certify,
            certificates=certificates,
            resume=folder,
            log=log,
        )
    check_result(evaluation, pairs, given)
    evaluation.again = ReopenedRun.of(pairs, plan, workers(jobs, pairs, plan))
    evaluation.system = pairs.system.source.name
    evaluation.by_position = pairs.report.by_position and not theirs
    evaluation.inputs = pairs.inputs()
    metric = evaluation.metric
    evaluation.program = metric.program() if len(evaluation) and has(metric, NamesProgram) else ""
    # Groups are made of the fields of gold, which does not know of several systems.
    evaluation.system_field = (pairs.golds or [pairs.system])[0].format.systems_in
    if pairs.systems:
        evaluation.system_field = pairs.system.format.systems_in
        named = [pairs.systems[place] for place in evaluation.places]
        evaluation.groups[evaluation.system_field] = named
    evaluation.skipped = pairs.report.skipped
    evaluation.warnings = [
        *pairs.report.warnings,
        *many_unreadable(pairs.report),
        *pairs.reader_warnings(),
        *pooled(evaluation),
    ]
    return evaluation


@contextmanager
def _opened(resume: PathLike | Folder | None) -> Iterator[Folder | None]:
    """A folder that is named is used for one call, another as long as its owner likes."""
    if not isinstance(resume, (str, os.PathLike)):
        if resume is not None and not hasattr(resume, "run"):
            raise OptionError(f"``resume`` must be a path, got {shown(resume)}", code="K302")
        yield resume
        return
    from karat.engine.resume import Folder

    with Folder(resume) as folder:
        yield folder


def pooled(evaluation: Evaluation) -> list[str]:
    """A warning if a file holds the outputs of several systems."""
    systems = {name for name in evaluation.groups.get(evaluation.system_field, ()) if name}
    if len(systems) < 2:
        return []
    return [
        f"the file holds the outputs of {len(systems)} systems (field "
        f"{evaluation.system_field!r}), and these are the scores of all together: "
        f"``by={evaluation.system_field!r}`` shows each"
    ]
