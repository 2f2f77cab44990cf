"""``karat convert``: from one format to another."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

from karat.cli.common.file_command import verb_command
from karat.cli.common.outputs import OutputOption
from karat.core.commands import Conversion, Job
from karat.core.files.writing import whole_file
from karat.core.format import Format
from karat.core.pairing import Report
from karat.errors import FormatError


def _run(action: Conversion, job: Job, *, output: str) -> None:
    assert job.writer is not None
    values: Iterable[Any] = action.convert(job)
    if job.report.on_error == "skip":
        values = _holdable(values, job.writer, job.report)
    with whole_file(output) as stream:
        job.writer.write(values, stream)
    action.finish(job)


def _holdable(values: Iterable[Any], writer: Format, report: Report) -> Iterator[Any]:
    """Those values that the format can hold; each is written to nowhere first to see."""
    for value in values:
        try:
            writer.write([value], io.BytesIO())
        except FormatError as error:
            report.broken(error)
        else:
            yield value


convert = verb_command(
    "convert",
    "Write files in another format, changed on the way as asked.\n\n"
    "Formats are told from names and content; --from and --to name them. "
    "karat list formats shows them all.",
    _run,
    options=[
        OutputOption(["-o", "--output"], default="-", metavar="FILE", help="where to write (- is standard output)", show_default=True),
    ],
    writes=True,
)  # fmt: skip
