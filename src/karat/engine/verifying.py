"""Is a saved run what it claims to be? Checked against its input files.

Rows with certificates are checked by them, without searching; others are measured again.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np

from karat.core import store
from karat.core.evaluation import Evaluation
from karat.core.opener import Source
from karat.engine.files import evaluate
from karat.errors import FormatError, KaratError, MissingExtra, VerificationError, quote_some


class Verification(msgspec.Struct, frozen=True):
    """What was checked."""

    signature: str
    items: int
    files: int


def verify(path: str, *, jobs: int = 1) -> Verification:
    """Raises a VerificationError unless every row follows from the input files."""
    saved = Evaluation.load(path)
    if saved.inputs is None:
        raise VerificationError("the run does not say what files it was made from", code="K602")
    files = saved.inputs.files
    check_files(files)
    systems = [each for each in files if each.role == "system"]
    golds = [each for each in files if each.role == "gold"]
    if len(systems) != 1:
        raise VerificationError(f"the run names {len(systems)} system files", code="K602")
    try:
        again = evaluate(
            saved.metric,
            system=systems[0].path,
            gold=[each.path for each in golds],
            format=systems[0].format,
            gold_format=golds[0].format if golds else None,
            format_options=saved.inputs.format_options(),
            jobs=jobs,
            pair=saved.inputs.pair,
            on_error=saved.inputs.on_error,
            facets=list(saved.parts),
            certificates=saved.certificates if saved.metric.certifies else None,
        )
    except (MissingExtra, VerificationError):
        raise
    except KaratError as error:
        raise VerificationError(
            f"the run cannot be measured again: {error.headline}", code="K606"
        ) from None
    if again.skipped != saved.skipped:
        raise VerificationError(
            f"{again.skipped} items of the input files are left out, the run says {saved.skipped}",
            code="K604",
        )
    if again.ids != saved.ids:
        raise VerificationError("the input files have other items than the run", code="K604")
    if again.groups != saved.groups:
        raise VerificationError("the input files have other groups than the run", code="K604")
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
            f"{len(wrong)} of {len(saved)} rows do not follow from the input files: {names}",
            code="K605",
        )
    return Verification(saved.signature(), len(saved), len(files))


def check_files(files: Iterable[store.Input]) -> None:
    """Raises a VerificationError unless these are the files that a run was made from."""
    for each in files:
        _check_file(each)


def _check_file(each: store.Input) -> None:
    source = Source(each.path)
    if source.is_pipe or not each.sha256:
        raise VerificationError(f"{source.name} cannot be read again", code="K602")
    try:
        digest = source.digest()
    except FormatError as error:
        raise VerificationError(f"{source.name}: {error.message}", code="K603") from None
    if digest != each.sha256:
        raise VerificationError(f"{source.name} is not the file the run was made from", code="K603")
