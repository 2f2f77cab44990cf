"""Ways to damage a file: its bytes, its words and lines, its JSON, its XML.

A mutation takes the file and a source of chance, and depends on nothing else, so
that a number is enough to make the same damage again.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

LONG_NUMBER = b"9" * 5000  # Python refuses to convert more than 4,300 digits
JUNK: tuple[bytes, ...] = (
    b"", b" ", b"\t", b"\n", b"\n\n", b"\r", b"\x00", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf",
    "\u2028".encode(), "\u0085".encode(), "é".encode(), "²".encode(), "٣".encode(), "😀".encode(),
    b"0", b"1", b"-1", b"00", b"1.5", b"1e999", b"NaN", b"99999999999999999999", LONG_NUMBER,
    b"-", b"_", b"*", b"?", b".", b",", b":", b";", b"/", b"~", b"#", b"%", b"%%%", b"|", b"=",
    b"(", b")", b"[", b"]", b"{", b"}", b"<", b">", b'"', b"'", b"\\", b"&", b"&amp;", b"&#0;",
    b"null", b"true", b"[]", b"{}", b'""', b'"\\ud800"', b"REF", b":ARG0", b":ARG0-of", b":wiki",
    b"Terminal", b"AND", b"LAMBDA", b"x _ 1", b"1-2", b"1.1", b"0.1", b"b1", b"e1", b"<1>", b"+1",
    b"(" * 300, b"[" * 300, b"{\"a\":" * 300, b"<a>" * 300,
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**31, 2**63, -(2**63), 10**30, 0.5, 1e308, "", "0", "a", "-1",
    "\ud800", "9" * 5000, "a\nb\tc", [], {}, [[]], [None], {"": None}, [1, "a", None], {"id": {}},
)  # fmt: skip
_TOKEN = re.compile(rb"\d+|\w+|\s|[^\w\s]")
_ATTRIBUTE = re.compile(rb'\s[\w:]+="[^"]*"')
_ENCODINGS = (b"utf-8", b"utf-16", b"big5", b"utf-7", b"no-such", b"shift_jis", b"latin-1", b"")

Mutation = Callable[[random.Random, bytes, bytes], bytes]


def mutated(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """One of the seeds, damaged in one to four ways."""
    data, other = rng.choice(seeds), rng.choice(seeds)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        data = rng.choice(_MUTATIONS)(rng, data, other)
    return data


def _bytes(rng: random.Random, data: bytes, _: bytes) -> bytes:
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


def _cut(rng: random.Random, data: bytes, _: bytes) -> bytes:
    begin = rng.randrange(len(data) + 1)
    end = begin + rng.choice((1, 2, 5, 20, 100, len(data)))
    return data[:begin] + data[end:]


def _insert(rng: random.Random, data: bytes, _: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(JUNK) + data[at:]


def _splice(rng: random.Random, data: bytes, other: bytes) -> bytes:
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


def _words(rng: random.Random, data: bytes, other: bytes) -> bytes:
    words = _TOKEN.findall(data)
    if not words:
        return data
    at = rng.randrange(len(words))
    how = rng.randrange(5)
    if how == 0:
        words[at] = rng.choice(JUNK)
    elif how == 1:
        words[at] = rng.choice(_TOKEN.findall(other) or [b""])
    elif how == 2:
        words.insert(at, words[at])
    elif how == 3:
        with_at = rng.randrange(len(words))
        words[at], words[with_at] = words[with_at], words[at]
    else:
        del words[at]
    return b"".join(words)


def _numbers(rng: random.Random, data: bytes, _: bytes) -> bytes:
    found = list(re.finditer(rb"\d+", data))
    if not found:
        return data
    match = rng.choice(found)
    new = rng.choice((b"0", b"1", b"-1", b"7", b"100", LONG_NUMBER, "²".encode(), b"", b"1.5"))
    return data[: match.start()] + new + data[match.end() :]


def _lines(rng: random.Random, data: bytes, other: bytes) -> bytes:
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    how = rng.randrange(5)
    if how == 0:
        del lines[at]
    elif how == 1:
        lines.insert(at, lines[at])
    elif how == 2:
        rng.shuffle(lines)
    elif how == 3:
        lines[at] = rng.choice(other.split(b"\n"))
    else:
        lines[at] = lines[at].replace(b" ", b"\t") if rng.random() < 0.5 else b""
    return b"\n".join(lines)


def _json(rng: random.Random, data: bytes, _: bytes) -> bytes:
    """A value somewhere inside is lost or becomes another; of JSON lines, in one line."""
    lines = [data] if rng.random() < 0.5 else data.split(b"\n")
    at = rng.randrange(len(lines))
    try:
        document = msgspec.json.decode(lines[at])
    except (ValueError, RecursionError):
        return _words(rng, data, b"")
    changed = json.dumps(damaged_value(rng, document)).encode("utf-8", "surrogatepass")
    return b"\n".join([*lines[:at], changed, *lines[at + 1 :]])


def damaged_value(rng: random.Random, value: Any) -> Any:
    """The same value with one part of it, at any depth, lost, doubled or replaced."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        name = rng.choice(sorted(value, key=repr))
        how = rng.random()
        if how < 0.15:
            return {key: each for key, each in value.items() if key != name}
        if how < 0.2:
            return {**value, rng.choice(("id", "", "x", "nodes")): rng.choice(VALUES)}
        return {**value, name: damaged_value(rng, value[name])}
    if isinstance(value, list) and value and rng.random() < 0.85:
        at = rng.randrange(len(value))
        if rng.random() < 0.15:
            return [*value[:at], *rng.choice(([], [value[at], value[at]])), *value[at + 1 :]]
        return [*value[:at], damaged_value(rng, value[at]), *value[at + 1 :]]
    if isinstance(value, int) and not isinstance(value, bool) and rng.random() < 0.5:
        return value + rng.choice((-1, 1, 5, 1000))
    return rng.choice(VALUES)


def _xml(rng: random.Random, data: bytes, _: bytes) -> bytes:
    """An attribute is lost, emptied, doubled or renamed; or another encoding is declared."""
    found = list(_ATTRIBUTE.finditer(data))
    how = rng.randrange(6)
    if how == 0:
        declared = b'<?xml version="1.0" encoding="' + rng.choice(_ENCODINGS) + b'"?>\n'
        return declared + re.sub(rb"<\?xml.*?\?>\s*", b"", data)
    if not found:
        return _words(rng, data, b"")
    match = rng.choice(found)
    name, _, value = match[0].partition(b"=")
    new = (
        b"",
        name + b'=""',
        name + b'="' + rng.choice(JUNK) + b'"',
        b' s=""',
        b" x=" + value,
    )[how - 1]
    return data[: match.start()] + new + data[match.end() :]


def _alike(rng: random.Random, data: bytes, _: bytes) -> bytes:
    """A number or a word becomes another one of the file, so that links go elsewhere."""
    words = re.findall(rng.choice((rb"\d+", rb"\w+")), data)
    if not words:
        return data
    old, new = rng.choice(words), rng.choice(words)
    places = [match.start() for match in re.finditer(re.escape(old), data)]
    for at in reversed(places if rng.random() < 0.2 else [rng.choice(places)]):
        data = data[:at] + new + data[at + len(old) :]
    return data


def _items(rng: random.Random, data: bytes, _: bytes) -> bytes:
    """An item, a block or a line, is lost, comes twice, or elsewhere."""
    joint = b"\n\n" if b"\n\n" in data else b"\n"
    items = data.split(joint)
    item = items.pop(rng.randrange(len(items)))
    for _again in range(rng.choice((0, 1, 1, 2))):
        items.insert(rng.randrange(len(items) + 1), item)
    return joint.join(items)


def _packed(rng: random.Random, data: bytes, _: bytes) -> bytes:
    packed = gzip.compress(data, 1, mtime=0)
    return packed if rng.random() < 0.5 else _bytes(rng, packed, b"")


def _recoded(rng: random.Random, data: bytes, _: bytes) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(rng.choice(("utf-16", "utf-16-le", "latin-1", "utf-8-sig")), "replace")


_MUTATIONS: tuple[Mutation, ...] = (
    *(_words, _words, _words, _words, _numbers, _numbers, _json, _json, _json, _xml, _xml),
    *(_alike, _alike, _alike, _items, _items),
    *(_lines, _lines, _bytes, _cut, _insert, _insert, _splice, _packed, _recoded),
)
