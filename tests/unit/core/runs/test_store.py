"""Saved runs: kept, loaded, verified, and found out when altered."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from karat.core.registry import parse
from karat.core.runs import store
from karat.core.runs.evaluation import Evaluation
from karat.engine import evaluate, verify
from karat.errors import VerificationError


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A saved run of a small pair of files, in the present folder."""
    monkeypatch.chdir(tmp_path)
    Path("gold.jsonl").write_text(
        '{"id": "1", "text": "a b", "genre": "x"}\n{"id": "2", "text": "c", "genre": "y"}\n'
    )
    Path("system.jsonl").write_text('{"id": "2", "text": "c"}\n{"id": "1", "text": "a"}\n')
    evaluate("exact(ignore_case=True)", system="system.jsonl", gold="gold.jsonl").save("a.run")
    return Path("a.run")


def test_a_run_is_verified(run: Path) -> None:
    checked = verify(str(run))
    assert (checked.items, checked.files) == (2, 2)
    assert checked.signature.startswith("exact(ignore_case=True)|karat:")


def test_saving_and_loading(run: Path) -> None:
    loaded = Evaluation.load(str(run))
    fresh = evaluate("exact(ignore_case=True)", system="system.jsonl", gold="gold.jsonl")
    assert loaded.to_json() == fresh.to_json()
    assert loaded.ids == ["1", "2"]
    assert loaded.groups == {"genre": ["x", "y"]}
    assert np.array_equal(loaded.counts, fresh.counts)
    loaded.save("again.run")
    assert Path("again.run").read_bytes() == run.read_bytes()


@pytest.mark.parametrize("place", [0, 5, 12, 30, 44, 60, -1])
def test_any_changed_byte_is_found(place: int, run: Path) -> None:
    data = bytearray(run.read_bytes())
    data[place] ^= 1
    run.write_bytes(data)
    with pytest.raises(VerificationError, match="K601"):
        Evaluation.load(str(run))


@pytest.mark.parametrize("size", [0, 1, 11, 12, 20, 44, 50, -1])
def test_a_run_that_is_cut_short(size: int, run: Path) -> None:
    run.write_bytes(run.read_bytes()[:size])
    with pytest.raises(VerificationError, match="K601"):
        Evaluation.load(str(run))


@pytest.mark.parametrize("data", [b"", b"hello", b"\x00" * 100, b"karat run 1\n", b"\xff" * 1000])
def test_another_file_is_no_run(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)
    with pytest.raises(
        VerificationError, match=r"this is not a saved run|this saved run is damaged"
    ):
        Evaluation.load(str(path))


def forge(path: Path, **changes: Any) -> None:
    """Changes the content and makes the checksum fit, as someone would who means it."""
    body = path.read_bytes()[len(store.MAGIC) + 32 :]
    content = msgspec.msgpack.decode(body) | changes
    body = msgspec.msgpack.encode(content)
    path.write_bytes(store.MAGIC + hashlib.sha256(body).digest() + body)


def inputs(**changes: Any) -> dict[str, Any]:
    files = [
        {
            "role": role,
            "path": f"{role}.jsonl",
            "format": "jsonl",
            "options": {},
            "sha256": hashlib.sha256(Path(f"{role}.jsonl").read_bytes()).hexdigest(),
        }
        for role in ("system", "gold")
    ]
    return {"files": files, "pair": "auto", "on_error": "fail", **changes}


def with_file(number: int, **changes: Any) -> Callable[[], dict[str, Any]]:
    def make() -> dict[str, Any]:
        result = inputs()
        result["files"][number] |= changes
        return {"inputs": result}

    return make


def counts(*values: float) -> bytes:
    return np.array(values, "<f8").tobytes()


FORGED_AND_UNREADABLE: list[dict[str, Any]] = [
    {"metric": "no-such-metric()"},
    {"metric": "exact("},
    {"metric": "exact(no_such_option=1)"},
    {"metric": "exact(ignore_case=__import__('os'))"},
    {"metric": "edit-distance()"},
    {"metric": 7},
    {"ids": ["1"]},
    {"ids": ["1", 2]},
    {"ids": None},
    {"counts": b""},
    {"counts": counts(1, 1, 1)},
    {"counts": "text"},
    {"columns": ["items", "wrong"]},
    {"columns": ["items"]},
    {"groups": {"genre": ["x"]}},
    {"skipped": "many"},
    {"inputs": {"files": [], "pair": "magic", "on_error": "fail"}},
    {"parts": {"pos": {"items": [0], "values": [], "counts": b""}}},
    {"parts": {"pos": {"items": [], "values": [], "counts": b""}}},
    {"parts": {"pos": {"items": [2], "values": ["x"], "counts": counts(1, 1)}}},
    {"counts": counts(1, 1, 1, float("nan"))},
    {"counts": counts(1, 1, 1, float("inf"))},
    {"certificates": {-1: b""}},
    {"places": [0, -1]},
    {"places": [0, 1 << 63]},
    {"skipped": -1},
]


@pytest.mark.parametrize("changes", FORGED_AND_UNREADABLE, ids=repr)
def test_a_forged_run_that_does_not_load(changes: dict[str, Any], run: Path) -> None:
    forge(run, **changes)
    with pytest.raises(VerificationError, match="K601"):
        Evaluation.load(str(run))


def test_a_forged_run_whose_text_is_not_utf8(run: Path) -> None:
    body = run.read_bytes()[len(store.MAGIC) + 32 :].replace(b"genre", b"gen\xffe")
    run.write_bytes(store.MAGIC + hashlib.sha256(body).digest() + body)
    with pytest.raises(VerificationError, match="K601"):
        Evaluation.load(str(run))


FORGED: list[tuple[str, Callable[[], dict[str, Any]]]] = [
    ("K602", lambda: {"inputs": None}),
    ("K602", lambda: {"inputs": inputs(files=[])}),
    ("K602", lambda: {"inputs": inputs(files=inputs()["files"][1:])}),
    ("K602", lambda: {"inputs": inputs(files=[inputs()["files"][0]] * 2)}),
    ("K602", with_file(0, path="-")),
    ("K602", with_file(0, path="/dev/null")),
    ("K602", with_file(0, sha256="")),
    ("K603", with_file(0, sha256="0" * 64)),
    ("K603", with_file(0, path="none.jsonl")),
    ("K603", with_file(0, path=".")),
    ("K603", with_file(1, path="system.jsonl")),
    ("K604", lambda: {"ids": ["1", "3"]}),
    ("K604", lambda: {"ids": ["2", "1"]}),
    ("K604", lambda: {"groups": {"genre": ["x", "x"]}}),
    ("K604", lambda: {"groups": {}}),
    ("K604", lambda: {"skipped": 1}),
    ("K605", lambda: {"counts": counts(1, 1, 1, 1)}),
    ("K601", lambda: {"counts": counts(1, float("nan"), 1, 1)}),
    ("K605", lambda: {"metric": "exact()", "counts": counts(1, 0, 1, 0)}),
    ("K606", with_file(0, format="no-such-format")),
    ("K606", with_file(0, options={"no_such_option": 1})),
    ("K606", with_file(1, format="mrp")),
]


@pytest.mark.parametrize(("code", "make"), FORGED, ids=range(len(FORGED)))
def test_a_forged_run_is_found_out(
    code: str, make: Callable[[], dict[str, Any]], run: Path
) -> None:
    forge(run, **make())
    with pytest.raises(VerificationError) as caught:
        verify(str(run))
    assert caught.value.code == code


def test_a_forged_pairing_is_found_out(run: Path) -> None:
    forge(run, inputs=inputs(pair="position"))
    with pytest.raises(VerificationError, match="K605: 1 of 2 rows does not follow"):
        verify(str(run))


def test_a_changed_input_is_named(run: Path) -> None:
    with Path("gold.jsonl").open("a") as stream:
        stream.write("\n")
    with pytest.raises(VerificationError) as caught:
        verify(str(run))
    assert caught.value.headline == (
        "VerificationError K603: gold.jsonl is not the file the run was made from"
    )


def test_a_run_made_in_memory_cannot_be_verified(tmp_path: Path) -> None:
    path = str(tmp_path / "a.run")
    Evaluation(parse("exact"), ["a"], np.ones((1, 2))).save(path)
    with pytest.raises(VerificationError, match="K602: the run does not say what files"):
        verify(path)
