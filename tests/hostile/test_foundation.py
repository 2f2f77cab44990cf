"""Hostile input to the foundation: each ends quickly, with a KaratError."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import lzma
import os
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.files.notations import read_toml
from karat.core.files.opener import Source
from karat.core.registry import parse
from karat.core.runs import store
from karat.core.runs.evaluation import Evaluation
from karat.engine import evaluate
from karat.errors import (
    FormatError,
    KaratError,
    LimitExceeded,
    OptionError,
    PairingError,
    VerificationError,
)

QUICK = 20.0
"""Seconds of CPU: each takes far less than one."""


@pytest.fixture(autouse=True)
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    Path("gold.jsonl").write_text('{"id": "1", "text": "a"}\n')
    Path("gold.txt").write_text("a\n")
    begun = time.process_time()
    yield
    assert time.process_time() - begun < QUICK


DEPTH = 100_000
RECORDS: list[tuple[bytes, str]] = [
    (b"[" * DEPTH, "nested too deeply"),
    (b"[" * DEPTH + b"]" * DEPTH, "nested too deeply"),
    (b'{"a":' * DEPTH + b"1" + b"}" * DEPTH, "nested too deeply"),
    (b'{"id":"1","text":"a","x":' + b"[" * DEPTH + b"]" * DEPTH + b"}", "nested too deeply"),
    (b'{"id": "1", "text": "\\ud800"}', "this is not JSON"),
    (b'{"id": "1", "text": "\\udc00\\ud800"}', "this is not JSON"),
    (b'{"id": "1", "text": "a\x00b"}', "this is not JSON"),
    (b"\x00\x00\x00", "this is not JSON"),
    (b'{"id": "1", "text": NaN}', "this is not JSON"),
    (b'{"id": 1e999, "text": "a"}', "K111"),
    (b'{"id": "1", "text": {"text": {"text": "a"}}}', "must be a string"),
    (b'{"id": "1", "references": {"0": "a"}}', r"\$.references must be a list"),
    (b'"a string"', "expected a JSON object, found a string"),
    (b"null", "expected a JSON object, found null"),
    (b"{}", "there is no text"),
]


@pytest.mark.parametrize(("data", "message"), RECORDS, ids=range(len(RECORDS)))
def test_hostile_json(data: bytes, message: str) -> None:
    Path("system.jsonl").write_bytes(data + b"\n")
    with pytest.raises(FormatError, match=message) as caught:
        evaluate("exact", system="system.jsonl", gold="gold.jsonl")
    assert len(caught.value.headline) < 1000
    assert caught.value.place is not None
    assert caught.value.place.line == 1


def test_a_number_with_very_many_digits() -> None:
    Path("system.jsonl").write_bytes(b'{"id": ' + b"9" * 100_000 + b', "text": "a"}\n')
    with pytest.raises(KaratError):
        evaluate("exact", system="system.jsonl", gold="gold.jsonl")


@settings(max_examples=200)
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    Path("system.jsonl").write_bytes(data)
    with suppress(KaratError):
        evaluate("exact", system="system.jsonl", gold="gold.jsonl")


def _zip(block: bytes, count: int) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("bomb.txt", block * count)
    return packed.getvalue()


ZEROS = bytes(1 << 20)
BOMBS: dict[str, Callable[[], bytes]] = {
    "zip": lambda: _zip(ZEROS, 80),
    "gz": lambda: gzip.compress(ZEROS * 80, 1),
    "xz": lambda: lzma.compress(ZEROS * 80, preset=0),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs(name: str) -> None:
    data = BOMBS[name]()
    assert len(data) < 2 << 20
    Path("bomb.txt").write_bytes(data)
    with pytest.raises(LimitExceeded, match="K502: the content is larger than 67,108,864 bytes"):
        evaluate("exact", system="bomb.txt", gold="gold.txt")


def test_a_zstandard_bomb() -> None:
    zstandard = pytest.importorskip("zstandard")
    Path("bomb.txt").write_bytes(zstandard.compress(ZEROS * 80))
    with pytest.raises(LimitExceeded, match="K502"):
        evaluate("exact", system="bomb.txt", gold="gold.txt")


def test_a_bomb_in_place_of_a_saved_run() -> None:
    Path("bomb.run").write_bytes(_zip(ZEROS, 80))
    with pytest.raises(VerificationError, match="K601"):
        Evaluation.load("bomb.run")
    (Path("bomb.run")).write_bytes(gzip.compress(store.MAGIC + ZEROS * 15))
    with pytest.raises(VerificationError, match="K601"):
        Evaluation.load("bomb.run")


def test_a_bomb_of_empty_lines() -> None:
    Path("bomb.txt").write_bytes(gzip.compress(b"\n" * (4 << 20)))
    with pytest.raises(PairingError, match="K202: gold has 1 item, the system has 4194304"):
        evaluate("exact", system="bomb.txt", gold="gold.txt")


def test_null_bytes_are_text_like_any_other() -> None:
    Path("system.txt").write_bytes(b"a\x00\n")
    assert evaluate("exact", system="system.txt", gold="gold.txt").scores() == {"accuracy": 0.0}


GARBAGE = [
    b"",
    b"\xc1",
    b"\x93" * 50_000,
    b"\xdf\xff\xff\xff\xff",
    b"\xc6\xff\xff\xff\xff",
    os.urandom(500),
]


@pytest.mark.parametrize("body", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_with_a_good_checksum(body: bytes) -> None:
    Path("a.run").write_bytes(store.MAGIC + hashlib.sha256(body).digest() + body)
    with pytest.raises(VerificationError, match="K601"):
        Evaluation.load("a.run")


@settings(max_examples=100)
@given(st.binary(max_size=200))
def test_any_bytes_are_no_saved_run(data: bytes) -> None:
    Path("a.run").write_bytes(store.MAGIC + data)
    with pytest.raises(VerificationError):
        Evaluation.load("a.run")


@settings(max_examples=200)
@given(st.text(max_size=40))
def test_any_text_is_a_metric_or_refused(text: str) -> None:
    with suppress(OptionError):
        parse(text)


def test_a_device_without_end() -> None:
    if not Path("/dev/zero").exists():
        pytest.skip("needs a device")
    with pytest.raises(LimitExceeded, match="K501"):
        list(Source("/dev/zero").lines())


def test_very_many_unknown_ids_are_counted_not_listed() -> None:
    with Path("system.jsonl").open("w") as stream:
        for i in range(20_000):
            stream.write(json.dumps({"id": f"x{i}", "text": "a"}) + "\n")
    with pytest.raises(PairingError) as caught:
        evaluate("exact", system="system.jsonl", gold="gold.jsonl")
    assert len(str(caught.value)) < 500


def test_keys_of_very_many_parts() -> None:
    """Python's reader of TOML takes a gigabyte and more for a file of 40 KB."""
    assert read_toml(b"a" + b".a" * 99 + b" = 1")
    assert read_toml(b'a = "' + b"." * 1000 + b'"')
    for part in (b".a", b'."a b"', b" . 'a'"):
        for key in (b"a%s = 1", b"[a%s]", b"x = {a%s = 1}"):
            with pytest.raises(ValueError, match="a key has more than 100 parts"):
                read_toml(key % (part * 20_000))
