"""Results for people and programs. Nothing here computes a score.

The package itself can be called: ``karat.report([run, ...], "page.html")`` writes a page.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from karat.core.runs.evaluation import Evaluation
    from karat.stats.intervals import Method


def report(
    runs: Evaluation | str | os.PathLike[str] | Sequence[Evaluation | str | os.PathLike[str]],
    path: str | os.PathLike[str] = "report.html",
    *,
    by: str | Sequence[str] = (),
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    method: Method = "auto",
) -> None:
    """Writes a page that shows runs, or saved runs: scores, intervals, what went wrong.

    Several runs by one metric on the same items are compared. ``-`` is standard output.
    """
    from karat.core.files.writing import refuse_replacing, whole_file
    from karat.core.runs.evaluation import Evaluation
    from karat.report.page import PageMaker

    given = runs if isinstance(runs, (list, tuple)) else [runs]
    found = [
        each if isinstance(each, Evaluation) else Evaluation.load(os.fspath(each))  # type: ignore[arg-type]
        for each in given
    ]
    names = [by] if isinstance(by, str) else list(by)
    for each in found:
        for name in names:
            each.by(name)
        files = each.inputs.files if each.inputs else ()
        inputs = {file.path: f"{each.system} has as {file.role}" for file in files if file.path}
        refuse_replacing(os.fspath(path), "the page", inputs)
    statistics = {"level": level, "resamples": resamples, "seed": seed, "method": method}
    page, notes = PageMaker(found, statistics=statistics, by=names).page()
    for note in notes:
        warnings.warn(note, stacklevel=2)
    with whole_file(path) as stream:
        stream.write(page)


class _Callable(ModuleType):
    """This package, which is also a verb."""

    __call__ = staticmethod(report)


sys.modules[__name__].__class__ = _Callable
