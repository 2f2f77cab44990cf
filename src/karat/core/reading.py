"""From files to pairs: open, guess the format, read both sides, let them meet."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from karat.core.format import Format
from karat.core.items import Item, Pair
from karat.core.metric import Metric
from karat.core.opener import Source
from karat.core.options import declared
from karat.core.pairing import Mode, Report, pair
from karat.core.registry import format_class, guess_format
from karat.core.store import Input, Inputs
from karat.errors import OptionError, did_you_mean

PathLike: TypeAlias = str | os.PathLike[str]


class Stream:
    """The items of one file; reading begins anew with each iteration."""

    def __init__(
        self,
        path: PathLike,
        kind: str,
        role: str,
        format_name: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.source = Source(path)
        self.role = role
        cls = format_class(format_name) if format_name else guess_format(kind, self.source)
        if cls.kind != kind:
            raise OptionError(
                f"the format {cls.name!r} holds items of the kind {cls.kind}, expected {kind}",
                code="K319",
            )
        self.options = {k: v for k, v in (options or {}).items() if k in declared(cls)}
        self.format: Format = cls(**self.options)
        self._begun = False

    def __iter__(self) -> Iterator[Item]:
        if self.source.is_stdin and self._begun:
            raise OptionError("standard input can be read only once", code="K320")
        self._begun = True
        return self.format.read(self.source)

    def input(self) -> Input:
        """The record of this file in a saved run."""
        return Input(
            self.role, self.source.path, self.format.name, self.options, self.source.digest()
        )


class FilePairs:
    """The pairs of a system file and its gold files.

    Without gold files the system file must hold its own gold.
    """

    def __init__(
        self,
        metric: Metric[Any, Any],
        system: PathLike,
        gold: Sequence[PathLike] = (),
        *,
        format: str | None = None,
        gold_format: str | None = None,
        format_options: Mapping[str, Any] | None = None,
        mode: Mode = "auto",
        report: Report | None = None,
    ) -> None:
        self.metric = metric
        self.mode: Mode = mode
        self.report = report or Report()
        self.system = Stream(system, metric.kind, "system", format, format_options)
        self.golds = [
            Stream(path, metric.kind, "gold", gold_format, format_options) for path in gold
        ]
        used = {name for stream in (self.system, *self.golds) for name in stream.options}
        for name in format_options or {}:
            if name not in used:
                formats = sorted({stream.format.name for stream in (self.system, *self.golds)})
                raise OptionError(
                    f"the format {' and '.join(formats)} has no option {name!r}"
                    + did_you_mean(name, declared(type(self.system.format))),
                    code="K301",
                )

    def __iter__(self) -> Iterator[Pair]:
        golds = self.golds or [self.system]
        return pair(self.metric, self.system, golds, self.report, self.mode)

    def reader_warnings(self) -> list[str]:
        """What the readers of the files noticed, each file named."""
        return [
            f"{stream.source.name}: {warning}"
            for stream in (self.system, *self.golds)
            for warning in stream.format.warnings
        ]

    def inputs(self) -> Inputs:
        """What a saved run keeps of its files."""
        files = tuple(stream.input() for stream in (self.system, *self.golds))
        return Inputs(files, self.mode, self.report.on_error)
