"""Collections of documents with summaries: Multi-News, WCEP, the New York Times."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import PurePosixPath
from typing import Any
from xml.etree.ElementTree import Element

from karat.core.files.notations import UnreadableXml, parse_xml
from karat.core.files.opener import Source, plain_name
from karat.errors import OptionError, Place, counted
from karat.meta.datasets.archives import tar_members
from karat.meta.datasets.reading import bad, json_lines
from karat.meta.datasets.writing import Outcome

_SPLITS = {"val": "valid", "dev": "valid", "valid": "valid", "train": "train", "test": "test"}


def split_of(path: str) -> str:
    """The part of a data set that a file is, from its name."""
    words = plain_name(path).lower().replace("-", ".").replace("_", ".").split(".")
    for word in words:
        if word in _SPLITS:
            return _SPLITS[word]
    raise OptionError(
        f"{path!r} does not say whether it is train, val or test", code="K368",
        advice="rename the file, such as train.src",
    )  # fmt: skip


def multi_news(paths: Sequence[str]) -> Outcome:
    """Clusters of articles from ``SPLIT.src`` and ``SPLIT.tgt``.

    Articles are divided by ``|||||``, paragraphs by ``NEWLINE_CHAR``; a summary
    loses its leading dash. Clusters without an article are left out; those with
    several are written once more, by themselves.
    """
    outcome = Outcome()
    sides: dict[str, dict[str, str]] = {}
    for path in paths:
        side = next((s for s in ("src", "tgt", "id") if f".{s}" in plain_name(path).lower()), None)
        if side is None:
            raise OptionError(f"{path!r} is not one of .src, .tgt and .id", code="K368")
        if side in sides.setdefault(split_of(path), {}):
            raise OptionError(f"two files are the {side} of {split_of(path)}", code="K368")
        sides[split_of(path)][side] = path
    for split, files in sides.items():
        if not {"src", "tgt"} <= files.keys():
            raise OptionError(f"{split} lacks its .src or its .tgt file", code="K368")
        records, empty = [], 0
        names = None
        if "id" in files:
            names = [line.strip() for _, line in Source(files["id"]).lines()]
        for number, source, target in _in_step(files["src"], files["tgt"]):
            if names is not None and number > len(names):
                raise bad(f"more clusters than ids ({len(names)})", Place(files["id"]), "K165")
            documents = [_paragraphs(part) for part in source.split("|||||")]
            documents = [document for document in documents if document]
            if not documents:
                empty += 1
                continue
            records.append(
                {
                    "instance_id": names[number - 1] if names else f"{split}-{number}",
                    "documents": [{"text": document} for document in documents],
                    "summary": {
                        "text": _paragraphs(target.strip().removeprefix("–").removeprefix("-"))
                    },
                }
            )
        outcome.files[f"{split}.jsonl.gz"] = records
        outcome.files[f"{split}.multi.jsonl.gz"] = [r for r in records if len(r["documents"]) > 1]
        outcome.warn_if(empty, f"{split}: {counted(empty, 'cluster')} without an article left out")
    return outcome


def _paragraphs(text: str) -> list[str]:
    return [part.strip() for part in text.split("NEWLINE_CHAR") if part.strip()]


def _in_step(source: str, target: str) -> Iterator[tuple[int, str, str]]:
    both = zip_longest(Source(source).lines(), Source(target).lines())
    for number, (one, other) in enumerate(both, 1):
        if one is None or other is None:
            short, long = (source, target) if one is None else (target, source)
            raise bad(f"{counted(number - 1, 'line')} here, more in {long}", Place(short), "K165")
        yield number, one[1], other[1]


def wcep(paths: Sequence[str]) -> Outcome:
    """Events with their articles, from JSON lines.

    Articles without text are left out; of several with one address, one from
    WCEP itself is kept before others.
    """
    outcome = Outcome()
    for path in paths:
        split = split_of(path)
        records, dropped = [], 0
        for event, place in json_lines(path):
            articles = event.get("articles")
            if not isinstance(articles, list) or not isinstance(event.get("summary"), str):
                raise bad("an event needs articles and a summary", place)
            kept = _once(articles, place)
            dropped += len(articles) - len(kept)
            record = {"instance_id": str(event.get("id", place.line))}
            if event.get("date") is not None:
                record["date"] = event["date"]
            records.append({**record, "documents": kept, "summary": {"text": event["summary"]}})
        outcome.files[f"{split}.jsonl.gz"] = records
        outcome.warn_if(
            dropped, f"{split}: {counted(dropped, 'empty or repeated article')} left out"
        )
    return outcome


_FIELDS = {
    "id": "document_id", "text": "text", "title": "title", "url": "url", "origin": "origin",
    "time": "time",
}  # fmt: skip


def _once(articles: Sequence[Any], place: Place) -> list[dict[str, Any]]:
    by_address: dict[str, Mapping[str, Any]] = {}
    for i, article in enumerate(articles):
        if not isinstance(article, dict) or not isinstance(article.get("text"), str):
            raise bad(f"$.articles[{i}] must have a text", place)
        if not article["text"].strip():
            continue
        address = str(article.get("url") or f"article {i}")
        if address not in by_address or (
            article.get("origin") == "WCEP" and by_address[address].get("origin") != "WCEP"
        ):
            by_address[address] = article
    return [
        {as_: article[name] for name, as_ in _FIELDS.items() if article.get(name) is not None}
        for article in by_address.values()
    ]


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
                number = int(stem) if re.fullmatch(r"[0-9]{1,18}", stem) else -1
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
                f"{split} has {counted(len(records), 'article')}, the published one {_SIZES[split]}"
            )
    outcome.warn_if(
        unusable,
        f"{counted(unusable, 'article')} without headline, text or abstract of one paragraph",
    )
    if len(seen) < len(split_by_id):
        outcome.warnings.append(f"{counted(len(split_by_id) - len(seen), 'id')} without an article")
    return outcome


def _take_ids(path: str, split_by_id: dict[int, str]) -> None:
    split = split_of(path)
    source = Source(path)
    for number, line in source.lines():
        word = line.strip()
        if not word:
            continue
        place = Place(source.name, number)
        if not re.fullmatch(r"[0-9]{1,18}", word):
            raise bad(f"an id is a number, found {word[:40]!r}", place)
        if split_by_id.setdefault(int(word), split) != split:
            raise bad(f"the article {word} is in {split_by_id[int(word)]} as well", place)


def _article(data: bytes, stem: str, place: Place) -> dict[str, Any] | None:
    blank = _DOCTYPE.sub(lambda found: re.sub(rb"[^\n]", b" ", found[0]), data, count=1)
    try:
        root = parse_xml(blank)
    except UnreadableXml as error:
        raise bad(str(error), Place(place.file, error.line, error.column), "K147") from None
    headline = _element_texts(root, "body/body.head/hedline/hl1") or _element_texts(
        root, "body/body.head/hedline/hl2"
    )
    abstract = _element_texts(root, "body/body.head/abstract/p")
    text = _element_texts(root, "body/body.content/block[@class='full_text']/p")
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


def _element_texts(root: Element, path: str) -> list[str]:
    """The texts of elements, also of those within them, without blank ones."""
    texts = ("".join(element.itertext()).strip() for element in root.iterfind(path))
    return [text for text in texts if text]


def _meta(root: Element, name: str) -> str:
    found = root.find(f"head/meta[@name='{name}']")
    value = "" if found is None else found.get("content", "")
    return value.zfill(2)[:4] if value.isdigit() else ""
