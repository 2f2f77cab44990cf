"""DUC 2001: summaries of documents (task 1) and of sets of them (task 2), by people only."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from karat.errors import Place
from karat.meta.datasets.archives import every_file
from karat.meta.datasets.duc_news import Documents, Written, newswire, path_of, wrote
from karat.meta.datasets.nist import demand
from karat.meta.datasets.sgml import elements, paragraphs
from karat.meta.datasets.writing import Outcome

_LENGTHS = ("50", "100", "200", "400")
_PARTS = {"training": "train", "test": "test"}
_CLUSTER = re.compile(r"(d\d+)[a-z]", re.IGNORECASE)
_PERSON = re.compile(r"(d\d+)[a-z]([a-z])", re.IGNORECASE)
_BODY = ("leadpara", "lp", "text")
# Names of documents that are wrong in the published summaries.
_MISNAMED = {
    "AP870611-0085": "WSJ870611-0085",
    "AP890325-0143": "AP830325-0143",
    "APP890515-0232": "AP890515-0232",
    "FB153-57782": "FBIS3-57782",
    "FBIS3-41815": "FBIS-41815",
    "FBIS4-35908": "FBIS-45908",
    "FBIS4-45908": "FBIS-45908",
    "FT931-100514": "FT931-10514",
    "LA081489-0225": "LA081489-0025",
    "SJMN91-0605144": "SJMN91-06015144",
    "SMN91-06154062": "SJMN91-06154062",
    "WSJ891125-0090": "AP891125-0090",
}


@dataclass(slots=True)
class _Part:
    documents: Documents = field(default_factory=Documents)
    single: Written = field(default_factory=dict)
    multi: dict[str, Written] = field(default_factory=lambda: defaultdict(dict))


def duc2001(paths: Sequence[str]) -> Outcome:
    """DUC 2001; nothing was scored, so there are documents and summaries only."""
    outcome = Outcome()
    found = {part: _Part() for part in _PARTS.values()}
    for path in paths:
        for name, data in every_file(path):
            file = path_of(path, name)
            part = next((_PARTS[folder] for folder in file.parts if folder in _PARTS), None)
            if part is not None:
                _take(found[part], file, data, Place(f"{path}:{name}"))
    demand(
        {
            f"{what} ({part})": value
            for part, one in found.items()
            for what, value in (
                ("documents", one.documents.texts),
                ("summaries of documents (perdocs)", one.single),
                *((f"summaries of {n} words", one.multi.get(n)) for n in _LENGTHS),
            )
        },
        "duc2001",
    )
    for part, one in found.items():
        outcome.files[f"task1.{part}.jsonl"] = one.documents.singles(one.single)
        for length in _LENGTHS:
            outcome.files[f"task2.{part}.{length}.jsonl"] = one.documents.clusters(
                one.multi[length]
            )
        unknown = sorted(one.single.keys() - one.documents.texts.keys())
        bare = sorted(one.documents.texts.keys() - one.single.keys())
        for names, what in (
            (unknown, "summaries are of documents that are not there"),
            (bare, "documents have no summary"),
        ):
            if names:
                shown = ", ".join(names[:5])
                outcome.warnings.append(f"task1.{part}: {len(names)} {what}: {shown}")
    return outcome


def _take(part: _Part, file: PurePosixPath, data: bytes, place: Place) -> None:
    name, folder = file.name, file.parent.name
    if person := _PERSON.fullmatch(folder):
        topic, annotator = person[1].lower(), person[2].upper()
        content = data.decode("utf-8", "replace")
        if name == "perdocs":
            for summary in elements(content, "sum"):
                document = "".join(summary.attributes.get("docref", "").split())
                document = _MISNAMED.get(document, document)
                wrote(part.single, document, annotator, paragraphs(summary.inner))
        elif name in _LENGTHS:
            for summary in elements(content, "sum"):
                wrote(part.multi[name], topic, annotator, paragraphs(summary.inner))
    elif "docs" in file.parts and not name.endswith("~"):
        chosen = _CLUSTER.fullmatch(folder) or _CLUSTER.fullmatch(file.parent.parent.name)
        if chosen:
            part.documents.add(chosen[1], name, newswire(name, data, _BODY, place))
