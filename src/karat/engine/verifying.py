"""Is a saved run what it claims to be? Checked against its input files.

Rows with certificates are checked by them, without searching; others are measured again.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np

from karat.arguments import checks_arguments
from karat.core.capabilities import can_certify
from karat.core.files.shards import one_or_many, source_of
from karat.core.reading.streams import PathLike
from karat.core.runs import store
from karat.core.runs.evaluation import Evaluation
from karat.engine.files import evaluate
from karat.engine.jobs import Jobs
from karat.engine.look import in_memory, refuse_commands
from karat.errors import (
    FormatError,
    KaratError,
    MissingExtra,
    VerificationError,
    counted,
    part_of,
    quote_some,
)
from karat.version import VERSION


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
