"""The output of converters, and writing it."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeAlias

import msgspec

from karat.core.files.writing import whole_file
from karat.errors import FormatError, OptionError, counted
from karat.meta.records import finite

Records: TypeAlias = Sequence[Mapping[str, Any]]


class _Files(dict[str, Records]):
    """The output files; one that two inputs would make is not the last of them."""

    def __setitem__(self, name: str, records: Records) -> None:
        if name in self:
            raise OptionError(
                f"two of the files given make {name!r}",
                code="K368",
                advice="convert them one by one, each into a folder of its own",
            )
        super().__setitem__(name, records)


@dataclass(slots=True)
class Outcome:
    """The records of each output file, by its name, and warnings."""

    files: _Files = field(default_factory=_Files)
    warnings: list[str] = field(default_factory=list)

    def warn_if(self, found: object, warning: str) -> None:
        """Adds a warning if the first argument is true."""
        if found:
            self.warnings.append(warning)

    def warn_of_undefined(self) -> None:
        """Adds a warning if there are scores that are no finite numbers, which JSON cannot hold."""
        records = {id(each): each for some in self.files.values() for each in some}
        count = sum(finite(each["metrics"])[1] for each in records.values() if "metrics" in each)
        self.warn_if(count, f"{counted(count, 'undefined score')} (null)")


def metrics_record(
    instance: str, summarizer: str, metrics: Mapping[str, Any], kind: str = "peer"
) -> dict[str, Any]:
    """One line of a metrics file."""
    return {**_named(instance, summarizer, kind), "metrics": dict(metrics)}


def _named(instance: str, summarizer: str, kind: str) -> dict[str, Any]:
    return {"instance_id": instance, "summarizer_id": summarizer, "summarizer_type": kind}


def summary_record(
    instance: str, summarizer: str, text: Any, references: Iterable[Any], kind: str = "peer"
) -> dict[str, Any]:
    """One line of a summaries file; summary and references are texts, or objects with a text."""
    summary, *others = (
        each if isinstance(each, dict) else {"text": each} for each in (text, *references)
    )
    return {**_named(instance, summarizer, kind), "summary": summary, "references": others}


def labelled(summarizer: str, text: Any, kind: str = "reference") -> dict[str, Any]:
    """A text, and who wrote it."""
    return {"summarizer_id": summarizer, "summarizer_type": kind, "text": text}


def complete(
    groups: Mapping[str, Mapping[str, object]], name: str, outcome: Outcome
) -> frozenset[str]:
    """Which groups of files can be made of what was given; the others are in the warnings.

    Parts of a data set are open and others are not: with the open ones alone, their files
    are made. Where no group is whole, it is an error.
    """
    lacking = {
        group: [part for part, value in parts.items() if not value]
        for group, parts in groups.items()
    }
    if all(lacking.values()):
        demand({part: value for parts in groups.values() for part, value in parts.items()}, name)
    outcome.warnings.extend(
        f"{group} are not written: {'; '.join(missing)} not given"
        for group, missing in lacking.items()
        if missing
    )
    return frozenset(group for group, missing in lacking.items() if not missing)


def demand(found: Mapping[str, object], name: str) -> None:
    """Refuses a data set of which a part is missing; parts are told as users know them."""
    missing = [part for part, value in found.items() if not value]
    if missing:
        nothing = len(missing) == len(found) > 1
        raise OptionError(
            f"nothing of {name} is in the files given"
            if nothing
            else f"files of {name} are missing: {'; '.join(missing)}",
            code="K364",
            advice=f"give all the archives that karat list datasets names for {name}",
        )


@contextmanager
def _packed(path: Path) -> Iterator[IO[bytes]]:
    """A file that is compressed if its name says so; the same records give the same bytes."""
    with whole_file(path) as stream:
        if path.suffix != ".gz":
            yield stream
            return
        with gzip.GzipFile("", "wb", fileobj=stream, mtime=0) as packed:
            yield packed  # type: ignore[misc]


ABOUT = "dataset.json"


def write(outcome: Outcome, folder: str, signature: str = "") -> dict[str, int]:
    """Writes all files into the folder; gives the number of records of each.

    With a signature there is one more file, that says what the others were made by.
    """
    if not any(outcome.files.values()):
        raise FormatError("nothing of this data set is in the files", code="K163")
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"cannot make {folder!r}: {error.strerror}", code="K305") from None
    for name, records in outcome.files.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        with _packed(target / name) as stream:
            for record in records:
                stream.write(msgspec.json.encode(record) + b"\n")
    counts = {name: len(records) for name, records in outcome.files.items()}
    if signature:
        about = {"signature": signature, "records": counts, "warnings": outcome.warnings}
        with whole_file(target / ABOUT) as stream:
            stream.write(msgspec.json.format(msgspec.json.encode(about)) + b"\n")
    return counts
