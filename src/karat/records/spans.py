"""Labelled spans of one item, and the tags of tokens that mean such."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np

from karat._native import tag_spans
from karat.core.reading.doors import shown
from karat.core.reading.items import Ints, Key
from karat.errors import FormatError, OptionError

Scheme: TypeAlias = Literal["lenient", "IOB1", "IOB2", "IOBES", "BILOU"]
SCHEMES: tuple[Scheme, ...] = ("lenient", "IOB1", "IOB2", "IOBES", "BILOU")
End: TypeAlias = Literal["exclusive", "inclusive"]


_PLAIN = [str, int, int]
"""What a span nearly always consists of."""
_FAR = 1 << 61


class Span(NamedTuple):
    """A label, where it begins, and where it ends; the end is not part of it."""

    label: str
    begin: int
    end: int


class Tagged(msgspec.Struct, frozen=True):
    """A sentence with a tag for each token; the tokens may be unknown."""

    tags: tuple[str, ...]
    tokens: tuple[str, ...] = ()
    gold: tuple[str, ...] | None = None
    """The tags of gold, where they stand beside those of the system."""
    key: Key | None = None
    """What it is paired by, where it was read by itself."""

    def with_key(self, key: Key) -> Tagged:
        """The same sentence, paired by a key."""
        return msgspec.structs.replace(self, key=key)

    def system_value(self) -> Tagged:
        return self

    def gold_values(self) -> list[Tagged]:
        return [self if self.gold is None else Tagged(self.gold, self.tokens)]

    def holds_gold(self) -> bool:
        return self.gold is not None

    def has_other_gold(self, golds: Sequence[Any]) -> bool:
        return False


class SpanList(list[Any]):
    """The spans of a record, with the text whose characters they count, if it is known."""

    def __init__(self, spans: Sequence[Any], text: str = "", key: Key | None = None) -> None:
        super().__init__(spans)
        self.text = text
        self.key = key

    def with_key(self, key: Key) -> SpanList:
        """The same spans, paired by a key."""
        return SpanList(self, self.text, key)

    def __reduce__(self) -> Any:
        return SpanList, (list(self), self.text, self.key)


class Words(NamedTuple):
    """What spans count: the tokens of a sentence, or the characters of a text."""

    units: Sequence[str] = ()
    separator: str = " "

    def text(self, begin: int, end: int) -> str:
        """What a span covers."""
        return self.separator.join(self.units[begin:end])


class SpanTable(NamedTuple):
    """The spans of several items: label, begin and end, and where those of each item end."""

    spans: Ints
    ends: Ints


class Labels(dict[str, int]):
    """Numbers for labels."""

    def __missing__(self, label: str) -> int:
        self[label] = number = len(self)
        return number


def tabulated(items: Sequence[Any], labels: Labels, scheme: Scheme, end: End) -> SpanTable:
    """The spans of items, each a sentence of tags or a list of spans."""
    tagged = [tags_of(item) for item in items]
    if all(tags is not None for tags in tagged):
        return _from_tags([tags or () for tags in tagged], labels, scheme)
    rows: list[tuple[int, int, int]] = []
    ends = [0]
    for item, tags in zip(items, tagged, strict=True):
        if tags is not None:
            part = _from_tags([tags], labels, scheme)
            rows += map(tuple, part.spans.tolist())
        else:
            rows += ((labels[span.label], span.begin, span.end) for span in spans_of(item, end))
        ends.append(len(rows))
    return SpanTable(np.array(rows, np.int64).reshape(-1, 3), np.array(ends, np.int64))


def tags_of(item: Any) -> Sequence[str] | None:
    """The tags of a sentence; None where the item is a list of spans."""
    if isinstance(item, Tagged):
        return item.tags
    if isinstance(item, (list, tuple)) and item and all(isinstance(each, str) for each in item):
        return item
    return None


def _from_tags(sentences: Sequence[Sequence[str]], labels: Labels, scheme: Scheme) -> SpanTable:
    data = ["\n".join(tags).encode("utf-8", "surrogatepass") for tags in sentences]
    offsets = np.cumsum([0, *map(len, data)], dtype=np.int64)
    spans, ends, names, (sentence, position) = tag_spans(
        b"".join(data), offsets, SCHEMES.index(scheme)
    )
    if sentence >= 0:
        raise unknown_tag(sentences[sentence][position], position, scheme)
    numbers = np.array([labels[name.decode("utf-8", "surrogatepass")] for name in names], np.int64)
    if len(spans):
        spans[:, 0] = numbers[spans[:, 0]]
    return SpanTable(spans, ends)


def unknown_tag(tag: str, position: int, scheme: Scheme) -> FormatError:
    """The error that a tag has a prefix which its scheme does not."""
    advice = ""
    if tag[:1] in ("U", "L") and scheme != "BILOU":
        advice = "U and L are prefixes of BILOU: ``tags='BILOU'``"
    return FormatError(
        f"token {position + 1} has the tag {tag!r}, whose prefix {scheme} does not have",
        code="K177",
        advice=advice,
    )


def spans_of(item: Any, end: End) -> list[Span]:
    """The spans of a list: ``[label, begin, end]`` or objects with these."""
    if not isinstance(item, (list, tuple)):
        raise OptionError(
            f"the spans of an item must be a list, got {type(item).__name__}",
            code="K317",
            advice="give tags of tokens, or [label, begin, end] for each span",
        )
    return [_span(each, end) for each in item]


def _span(value: Any, end: End) -> Span:
    if type(value) is list and list(map(type, value)) == _PLAIN and 0 <= value[1] < value[2] < _FAR:
        return Span(value[0], value[1], value[2] + (end == "inclusive"))
    if isinstance(value, dict):
        label = next(
            (value[name] for name in ("label", "type", "entity", "tag") if name in value), "_"
        )
        value = (label, value.get("start", value.get("begin")), value.get("end"))
    if not (
        isinstance(value, (list, tuple))
        and len(value) == 3
        and isinstance(value[0], str)
        and all(isinstance(each, int) and not isinstance(each, bool) for each in value[1:])
    ):
        raise FormatError(
            f"expected a span as [label, begin, end], got {shown(value)}", code="K177"
        )
    label, begin, last = value
    span = Span(label, begin, last + (end == "inclusive"))
    if span.begin < 0 or span.begin >= span.end or span.end >= 1 << 62:
        raise FormatError(
            f"the span {list(value)} ends before it begins: ends are {end}",
            code="K177",
            advice="say with ``end`` whether ends are part of their spans",
        )
    return span
