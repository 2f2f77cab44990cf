"""Small files with very large content are refused before they fill memory or disk."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core.files.opener import Source
from karat.errors import LimitExceeded


def zstandard(data: bytes) -> bytes:
    packer = pytest.importorskip("zstandard").ZstdCompressor()
    packed: bytes = packer.compress(data)
    return packed


def zipped(data: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", data)
    return stream.getvalue()


@pytest.fixture
def small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Less to unpack than the usual limit."""
    monkeypatch.setenv("KARAT_MAX_FILE_BYTES", str(1 << 20))


@pytest.mark.usefixtures("small_limit")
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstandard, zipped])
def test_packed_lines(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "a.txt.packed"
    path.write_bytes(pack(b"a b c d e f\n" * 200_000))
    assert 100 * path.stat().st_size < 2_400_000
    with pytest.raises(LimitExceeded, match=r"K502: the content is larger than 1,048,576 bytes"):
        karat.evaluate("bleu", system=path, gold=path)


def test_small_content_and_the_usual_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"a\n" * 2_000_000))
    assert sum(1 for _ in Source(path).chunks()) > 1
    path.write_bytes(gzip.compress(b"a\n" * 500_000))
    monkeypatch.setenv("KARAT_MAX_FILE_BYTES", str(1 << 20))
    assert sum(1 for _ in Source(path).chunks()) > 1


@pytest.mark.usefixtures("small_limit")
@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_a_long_value_that_many_rows_share(tmp_path: Path, kind: str) -> None:
    """Its rows are made a few at a time, also where all of them would fill the memory."""
    pyarrow: Any = pytest.importorskip("pyarrow")
    from pyarrow import ipc, parquet

    count = 300_000
    numbers = pyarrow.array([0] * count, pyarrow.int32())
    shared = pyarrow.DictionaryArray.from_arrays(numbers, pyarrow.array(["x" * 1_000_000]))
    table = pyarrow.table({"hypothesis": shared, "reference": shared})
    path = tmp_path / f"a.{kind}"
    if kind == "parquet":
        parquet.write_table(table, path)
    else:
        with ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    before = pyarrow.total_allocated_bytes()
    with Source(path).open() as stream:
        assert stream.read(100).startswith(b'{"hypothesis":"xxx')
        assert pyarrow.total_allocated_bytes() - before < 300 << 20
    with pytest.raises(LimitExceeded, match="K502"):
        karat.evaluate("exact", system=path)


def test_rows_of_all_groups_are_read(tmp_path: Path) -> None:
    """With long values and short ones, in columns and in lists."""
    pyarrow: Any = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    texts = [f"text {number % 7} " * (300 if number % 7 == 0 else 1) for number in range(9000)]
    lists = [[text, "other"] for text in texts]
    table = pyarrow.table({"hypothesis": texts, "references": lists})
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=5000)
    run = karat.evaluate("bleu", system=tmp_path / "a.parquet", gold=tmp_path / "a.parquet")
    assert len(run) == 9000
    with Source(tmp_path / "a.parquet").open() as stream:
        records = [json.loads(line) for line in stream.read().splitlines()]
    assert [each["hypothesis"] for each in records] == texts
    assert [each["references"] for each in records] == lists
