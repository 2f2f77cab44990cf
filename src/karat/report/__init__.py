"""Results for people and programs. Nothing here computes a score.

The package itself can be called: ``karat.report([run, ...], "page.html")`` writes a page.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from karat.arguments import checks_arguments, shown
from karat.errors import OptionError

if TYPE_CHECKING:
    from karat.core.runs.evaluation import Evaluation
    from karat.stats.intervals import Method
    from karat.stats.resampling import Resampling


@checks_arguments
def report(
    runs: Evaluation | str | os.PathLike[str] | Sequence[Evaluation | str | os.PathLike[str]],
    path: str | os.PathLike[str] = "report.html",
    *,
    by: str | Sequence[str] = (),
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    method: Method = "auto",
    resampling: Resampling = "auto",
    cluster: str | None = None,
    judgements: str | Sequence[str] = (),
    page_size: float | None = 20,
    full_paths: bool = False,
) -> None:
    """Writes a page that shows runs, or saved runs: scores, intervals, what went wrong.

    Several runs by one metric on the same items are compared. ``-`` is standard output.
    `resampling` and `cluster` are those of `Evaluation.confidence`, `judgements` are paths of files
    with what people say of the outputs, and `page_size` is how many megabytes the page may have
    (None: any number); beyond it, contents of some items are left out, which it says. Files are
    named without their folders unless `full_paths`.
    """
    from karat.core.runs.evaluation import Evaluation
    from karat.report.page import write_file

    given: list[Any] = list(runs) if isinstance(runs, (list, tuple)) else [runs]
    for each in given:
        if not isinstance(each, (Evaluation, str, os.PathLike)):
            raise OptionError(
                f"expected an evaluation or the path of a saved run, got {shown(each)}", code="K302"
            )
    found = [
        each if isinstance(each, Evaluation) else Evaluation.load(os.fspath(each)) for each in given
    ]
    if not found:
        raise OptionError("there is no run to show", code="K322")
    statistics: dict[str, Any] = {"level": level, "resamples": resamples, "seed": seed}
    statistics |= {"method": method, "resampling": resampling}
    if cluster:
        statistics["cluster"] = cluster
    notes = write_file(
        os.fspath(path),
        ((each.system, each) for each in found),
        "the page",
        statistics=statistics,
        by=[by] if isinstance(by, str) else list(by),
        page_size=None if page_size is None else _bytes(page_size),
        judgements=[judgements] if isinstance(judgements, str) else list(judgements),
        full_paths=full_paths,
    )
    for note in notes:
        warnings.warn(note, stacklevel=3)


def _bytes(megabytes: float) -> int:
    if not 0 < megabytes < float("inf"):
        raise OptionError(f"``page_size`` must be more than 0, got {megabytes}", code="K302")
    return int(megabytes * 1e6)


class _Callable(ModuleType):
    """Makes this package callable."""

    __call__ = staticmethod(report)


sys.modules[__name__].__class__ = _Callable
