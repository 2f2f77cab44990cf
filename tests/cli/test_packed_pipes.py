"""Packed data through a pipe is read as the file would be, or its format has to be named."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}


def karat(*args: str, cwd: Path, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    code = "from karat.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *args], capture_output=True, cwd=cwd, input=stdin, timeout=300
    )


def lines(field: str, count: int = 3, **more: str) -> bytes:
    draw = random.Random(field)
    words = [f"w{i}" for i in range(5000)]
    return "".join(
        json.dumps({**more, "id": str(i), field: [" ".join(draw.choices(words, k=9))]}) + "\n"
        for i in range(count)
    ).encode()


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize(("metric", "field"), [("bleu", "text"), ("json", "output")])
def test_the_same_as_from_a_file(packer: str, metric: str, field: str, tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_bytes(lines("gold"))
    (tmp_path / "system.jsonl").write_bytes(lines(field))
    command = ("evaluate", metric, "-g", "gold.jsonl", "--json", "-", "-s")
    expected = karat(*command, "system.jsonl", cwd=tmp_path, stdin=b"")
    done = karat(*command, "-", cwd=tmp_path, stdin=PACKERS[packer](lines(field)))
    assert done.returncode == expected.returncode == 0
    assert json.loads(done.stdout)["scores"] == json.loads(expected.stdout)["scores"]
    assert json.loads(done.stdout)["signature"] == json.loads(expected.stdout)["signature"]


def test_what_cannot_be_seen_is_not_guessed(tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_bytes(lines("gold", 5000))
    (tmp_path / "few.jsonl").write_bytes(lines("gold"))
    for stdin, gold, metric in (
        (bz2.compress(lines("text", 5000)), "gold.jsonl", "bleu"),
        (lines("output", prompt="x " * 9000), "few.jsonl", "json"),
    ):
        command = ("evaluate", metric, "-g", gold, "-s", "-")
        done = karat(*command, cwd=tmp_path, stdin=stdin)
        assert done.returncode == 2
        assert b"K314: <stdin>: the format cannot be guessed" in done.stderr
        name = "jsonl" if metric == "bleu" else "json-records"
        named = karat(*command, "--format", name, "--quiet", cwd=tmp_path, stdin=stdin)
        assert named.returncode == 0, named.stderr
