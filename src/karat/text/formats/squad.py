"""Files of SQuAD: questions with their accepted answers, and the answers of a system."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from karat.core.files.notations import NOT_JSON
from karat.core.files.opener import PLAIN_LIMIT, Source
from karat.core.format import Format
from karat.core.reading.fields import IDS, REFERENCES, TEXTS
from karat.core.reading.items import Item
from karat.errors import FormatError, Place
from karat.text.model import TextRecord
from karat.text.questions import normalized
from karat.text.records.layout import DOCUMENTS

_STRING = r'"((?:[^"\\]|\\.)*)"'
_MEMBER = re.compile(rf"\s*{_STRING}\s*:\s*{_STRING}\s*([,}}])")
_OF_RECORDS = {*IDS, *TEXTS, *REFERENCES, *DOCUMENTS}


class SquadJson(Format):
    """What the official script reads: the data set, and predictions.

    The data set holds articles (`data`), these `paragraphs`, and these questions (`qas`) with an
    `id` and `answers`. A question without answers (version 2.0) has an empty one. Predictions
    are one object, the answer of a system under the id of its question. Questions can be broken
    down by `answerable` (HasAns, NoAns) and by the `title` of their article.
    """

    name = "squad-json"
    kind = "text"
    json_keys = "all"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        head = head.lstrip()
        if not head.startswith("{"):
            return False
        if re.search(r'"data"\s*:\s*\[\s*\{', head) and '"paragraphs"' in head:
            return True
        return _are_predictions(head)

    def read(self, source: Source) -> Iterator[Item]:
        place = Place(source.name)
        try:
            content = msgspec.json.decode(source.content(PLAIN_LIMIT).removeprefix(b"\xef\xbb\xbf"))
        except NOT_JSON as error:
            raise _unfit(f"this is not JSON: {error}", place) from None
        if not isinstance(content, dict):
            raise _unfit(
                "expected an object: a data set, or answers by the ids of their questions", place
            )
        if isinstance(content.get("data"), list):
            yield from _questions(content, source.name)
            return
        for name, answer in content.items():
            if isinstance(answer, str):
                yield Item(TextRecord(answer), (name, None), 1)
            else:
                problem = _unfit("an answer must be a string", Place(source.name, item=name))
                yield Item(None, (name, None), 1, error=problem)


def _are_predictions(head: str) -> bool:
    """Whether it begins with strings under names that records do not have, and is one object."""
    at, found = 1, 0
    while member := _MEMBER.match(head, at):
        if member[1] in _OF_RECORDS:
            return False
        at, found = member.end(), found + 1
        if member[3] == "}":
            return not head[at:].strip()
    rest = head[at:].lstrip()
    return bool(found) and len(head) >= 1024 and rest[:1] in ('"', "")


def _questions(content: dict[str, Any], file: str) -> Iterator[Item]:
    is_first = str(content.get("version", "")).startswith("1")
    for i, article in enumerate(content["data"]):
        for j, paragraph in enumerate(_listed(article, "paragraphs", f"data.{i}", file)):
            where = f"data.{i}.paragraphs.{j}"
            for k, question in enumerate(_listed(paragraph, "qas", where, file)):
                yield _question(question, article, f"{where}.qas.{k}", file, is_first)


def _question(
    question: Any, article: dict[str, Any], where: str, file: str, is_first: bool
) -> Item:
    answers = [
        each.get("text") if isinstance(each, dict) else None
        for each in _listed(question, "answers", where, file)
    ]
    name = question.get("id")
    if not isinstance(name, (str, int)) or isinstance(name, bool):
        raise _unfit(f"$.{where}: the question has no id", Place(file))
    if not all(isinstance(each, str) for each in answers):
        raise _unfit(f"$.{where}: each answer must have a text", Place(file))
    texts = [str(each) for each in answers]
    if not is_first:  # as the script of version 2.0: answers of nothing but articles do not count
        texts = [each for each in texts if normalized(each)] or [""]
    fields = {"answerable": "HasAns" if answers else "NoAns"}
    if isinstance(article.get("title"), str):
        fields["title"] = article["title"]
    return Item(TextRecord(references=tuple(texts) or ("",)), (str(name), None), 1, fields)


def _listed(record: Any, field: str, where: str, file: str) -> list[Any]:
    found = record.get(field) if isinstance(record, dict) else None
    if not isinstance(found, list):
        raise _unfit(f"$.{where}: expected an object with a list of {field}", Place(file))
    return found


def _unfit(message: str, place: Place) -> FormatError:
    return FormatError(message, code="K111", place=place)
