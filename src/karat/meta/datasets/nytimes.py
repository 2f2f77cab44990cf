"""The New York Times Annotated Corpus (LDC2008T19) as a data set of summaries."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any
from xml.etree.ElementTree import Element

from karat.core.files.opener import Source
from karat.core.files.xml import UnreadableXml, parse_xml
from karat.errors import FormatError, OptionError, Place
from karat.meta.datasets.archives import tar_members
from karat.meta.datasets.documents import split_of
from karat.meta.datasets.writing import Outcome

_SIZES = {"train": 137_778, "valid": 17_222, "test": 17_223}
# Articles name the document type of NITF; one with declarations of its own is refused.
_DOCTYPE = re.compile(rb"<!DOCTYPE[^<>\[\]]*>")


def nytimes(paths: Sequence[str]) -> Outcome:
    """Articles with their abstracts, in the splits that lists of ids give.

    An article needs a headline (``hl1``, else ``hl2``), a text, and an abstract of
    exactly one paragraph; others are left out and counted.
    """
    outcome = Outcome()
    split_by_id: dict[int, str] = {}
    archives = []
    for path in paths:
        if PurePosixPath(path).suffix in (".tgz", ".gz", ".tar"):
            archives.append(path)
        else:
            _take_ids(path, split_by_id)
    if not archives or not split_by_id:
        raise OptionError(
            "the corpus nyt_corpus_LDC2008T19.tgz and lists of ids are needed",
            code="K364",
            advice="the lists are called such as mapping_train.txt, one id in each line",
        )
    files: dict[str, list[Mapping[str, Any]]] = {
        split: [] for split in _SIZES if split in split_by_id.values()
    }
    unusable, seen = 0, set()
    for path in archives:
        for name, month in tar_members(path, ".tgz"):
            for inner, data in tar_members(f"{path}:{name}", ".xml", month):
                stem = PurePosixPath(inner).stem
                number = int(stem) if stem.isascii() and stem.isdigit() else -1
                if number not in split_by_id or number in seen:
                    continue
                seen.add(number)
                record = _article(data, stem, Place(f"{path}:{name}:{inner}"))
                if record is None:
                    unusable += 1
                else:
                    files[split_by_id[number]].append(record)
    for split, records in files.items():
        outcome.files[f"{split}.jsonl.gz"] = records
        if len(records) != _SIZES[split]:
            outcome.warnings.append(
                f"{split} has {len(records)} articles, the published one {_SIZES[split]}"
            )
    if unusable:
        outcome.warnings.append(
            f"{unusable} articles lack a headline, a text or an abstract of one paragraph"
        )
    if len(seen) < len(split_by_id):
        outcome.warnings.append(f"{len(split_by_id) - len(seen)} ids have no article")
    return outcome


def _take_ids(path: str, split_by_id: dict[int, str]) -> None:
    split = split_of(path)
    source = Source(path)
    for number, line in source.lines():
        word = line.strip()
        if not word:
            continue
        place = Place(source.name, number)
        if not (word.isascii() and word.isdigit() and len(word) < 19):
            raise FormatError(f"an id is a number, found {word[:40]!r}", code="K163", place=place)
        if split_by_id.setdefault(int(word), split) != split:
            raise FormatError(
                f"the article {word} is in {split_by_id[int(word)]} as well",
                code="K163",
                place=place,
            )


def _article(data: bytes, stem: str, place: Place) -> dict[str, Any] | None:
    blank = _DOCTYPE.sub(lambda found: re.sub(rb"[^\n]", b" ", found[0]), data, count=1)
    try:
        root = parse_xml(blank)
    except UnreadableXml as error:
        raise FormatError(
            str(error), code="K147", place=Place(place.file, error.line, error.column)
        ) from None
    headline = _paragraphs(root, "body/body.head/hedline/hl1") or _paragraphs(
        root, "body/body.head/hedline/hl2"
    )
    abstract = _paragraphs(root, "body/body.head/abstract/p")
    text = _paragraphs(root, "body/body.content/block[@class='full_text']/p")
    if not headline or len(abstract) != 1 or not text:
        return None
    identity = root.find("head/docdata/doc-id")
    date = [
        _meta(root, name)
        for name in ("publication_year", "publication_month", "publication_day_of_month")
    ]
    return {
        "instance_id": stem if identity is None else identity.get("id-string", stem),
        "document": {
            **({"date": "-".join(date)} if all(date) else {}),
            "headline": headline[0],
            "text": text,
        },
        "summary": {"text": abstract[0]},
    }


def _paragraphs(root: Element, path: str) -> list[str]:
    """The texts of elements, also of those within them, without blank ones."""
    texts = ("".join(element.itertext()).strip() for element in root.iterfind(path))
    return [text for text in texts if text]


def _meta(root: Element, name: str) -> str:
    found = root.find(f"head/meta[@name='{name}']")
    value = "" if found is None else found.get("content", "")
    return value.zfill(2)[:4] if value.isdigit() else ""
