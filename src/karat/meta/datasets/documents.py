"""Collections of documents with summaries: Multi-News and WCEP, as they are published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from karat.core.files.opener import Source, plain_name
from karat.errors import FormatError, OptionError, Place
from karat.meta.datasets.json_reading import json_lines
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
            raise OptionError(f"{path!r} is none of .src, .tgt and .id", code="K368")
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
                raise FormatError(
                    f"there are {len(names)} ids, more clusters",
                    code="K165",
                    place=Place(files["id"]),
                )
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
        if empty:
            outcome.warnings.append(f"{split}: {empty} clusters have no article and are left out")
    return outcome


def _paragraphs(text: str) -> list[str]:
    return [part.strip() for part in text.split("NEWLINE_CHAR") if part.strip()]


def _in_step(source: str, target: str) -> Iterator[tuple[int, str, str]]:
    one, other = Source(source).lines(), Source(target).lines()
    number = 0
    while True:
        a, b = next(one, None), next(other, None)
        if a is None and b is None:
            return
        number += 1
        if a is None or b is None:
            raise FormatError(
                f"there are {number - 1} lines here, more in {target if a is None else source}",
                code="K165",
                place=Place(source if a is None else target),
            )
        yield number, a[1], b[1]


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
                raise FormatError("an event needs articles and a summary", code="K163", place=place)
            kept = _once(articles, place)
            dropped += len(articles) - len(kept)
            record = {"instance_id": str(event.get("id", place.line))}
            if event.get("date") is not None:
                record["date"] = event["date"]
            records.append({**record, "documents": kept, "summary": {"text": event["summary"]}})
        outcome.files[f"{split}.jsonl.gz"] = records
        if dropped:
            outcome.warnings.append(f"{split}: {dropped} articles are empty or occur again")
    return outcome


_FIELDS = {
    "id": "document_id", "text": "text", "title": "title", "url": "url", "origin": "origin",
    "time": "time",
}  # fmt: skip


def _once(articles: Sequence[Any], place: Place) -> list[dict[str, Any]]:
    by_address: dict[str, Mapping[str, Any]] = {}
    for i, article in enumerate(articles):
        if not isinstance(article, dict) or not isinstance(article.get("text"), str):
            raise FormatError(f"$.articles[{i}] must have a text", code="K163", place=place)
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
