"""Items that are scanned first and parsed later are those that reading gives.

For every format that recognises an example, and every way in which the same lines can be
written. And a run gives the same bytes for any size of chunks, any number of workers.
"""

from __future__ import annotations

import gzip
import json
import pickle
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from karat.core.files import opener
from karat.core.files.opener import Source
from karat.core.format import Format
from karat.core.reading.items import Item
from karat.core.reading.plan import Parser
from karat.core.registry import FORMATS, format_class, own_rows
from karat.engine import evaluate, look, run
from karat.errors import KaratError

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = sorted(path for path in EXAMPLES.rglob("*") if path.is_file() and path.suffix != ".md")
BROKEN: dict[str, bytes] = {
    "broken.jsonl": b'{"id": "1", "text": "a"}\n{"id": 2\n[]\n{"id": true, "text": "b"}\n\n'
    b'{"text": "c"}\n',
    "broken.mrp": b'{"id": "1", "nodes": [{"id": 0}], "tops": [7]}\n{"id": 2, "nodes": 3}\nx\n',
    "broken.conllu": b"# sent_id = a\n1\ta\t_\n\n \n\n# only\n\n1\tb"
    + b"\t_" * 4
    + b"\t0\t_\t_\t_\n",
    "broken.tsv": b"a\tb\tc\n\na\tb\n\n\n",
    "spaces.txt": "é\u2028x\n\u00a0\n".encode() * 3,
}
WAYS: dict[str, Callable[[bytes], bytes]] = {
    "as it is": lambda data: data,
    "CR LF": lambda data: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
    "no last line end": lambda data: data.rstrip(b"\n"),
    "byte-order mark": lambda data: b"\xef\xbb\xbf" + data,
    "gzip": gzip.compress,
    "blank lines with blanks": lambda data: data.replace(b"\n\n", b"\n \n"),
    "blank lines around": lambda data: b"\n\n" + data + b"\n\n\n",
}


def examples() -> Iterator[Any]:
    for name, data in [(path.name, path.read_bytes()) for path in FILES] + list(BROKEN.items()):
        head = data[:4096].decode(errors="replace")
        for row in own_rows(FORMATS):
            if row.reads and format_class(row.name).recognizes(head):
                yield pytest.param(row.name, name, data, id=f"{row.name} {name}")


def told(items: list[Item]) -> list[tuple[Any, ...]]:
    return [
        (
            re.sub("0x[0-9a-f]+", "", repr(item.value)),
            item.key,
            item.line,
            dict(item.fields),
            item.error and (item.error.headline, item.error.advice),
            item.notices,
        )
        for item in items
    ]


def outcome(make: Callable[[], list[Item]]) -> Any:
    """The items, or the error that ends the reading."""
    try:
        return told(make())
    except KaratError as error:
        return error.headline


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "file", "data"), list(examples()))
def test_scan_and_parse_is_read(
    name: str, file: str, data: bytes, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / file
    path.write_bytes(WAYS[way](data))
    for role in ("system", "gold"):
        _check_scanned(name, path, role, monkeypatch)


def _check_scanned(name: str, path: Path, role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def made() -> Format:
        result = format_class(name)()
        result.role = role
        return result

    expected = outcome(lambda: list(made().read(Source(path))))

    def scanned() -> list[Item]:
        reader = made()
        refs = reader.scan(Source(path))
        parser = Parser(reader, str(path), Source(path).name)
        found = []
        for first in range(0, len(refs), 3):  # as another process would get it
            found += pickle.loads(pickle.dumps(parser)).parsed(
                pickle.loads(pickle.dumps(refs.take(slice(first, first + 3))))
            )
        for row, item in enumerate(found):
            if item.error is None:
                assert refs.key(row) == item.key
            assert refs.number[row] == row
        return found

    assert outcome(scanned) == expected
    for size in (5, 64):
        with monkeypatch.context() as patched:
            patched.setattr(opener, "BLOCK", size)
            assert outcome(scanned) == expected


RUNS = [
    ("rouge", "translation/gold.txt", "translation/hasty.txt"),
    ("bleu", "translation/gold.txt", "translation/hasty.txt"),
    ("cogs", "forms/gold.tsv", "forms/seed1.tsv"),
    ("ud", "dependencies/small.gold.conllu", "dependencies/small.test.conllu"),
    ("attachment", "dependencies/dot.gold.f2", "dependencies/dot.test.f2"),
    ("mrp", "graphs/normalize.gold.mrp", "graphs/normalize.system.mrp"),
    ("smatch", "graphs/gold.amr", "graphs/system.amr"),
    ("rouge", "", "judged/summaries.jsonl"),
]


@pytest.mark.parametrize(("metric", "gold", "system"), RUNS)
def test_chunks_and_workers_change_nothing(
    metric: str, gold: str, system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repeated = [tmp_path / "gold", tmp_path / "system"]
    for path, name in zip(repeated, (gold, system), strict=True):
        if name:
            path = path.with_suffix(Path(name).suffix)
            path.write_bytes((EXAMPLES / name).read_bytes())
    golds = [(tmp_path / "gold").with_suffix(Path(gold).suffix)] if gold else []
    ours = (tmp_path / "system").with_suffix(Path(system).suffix)

    def result(name: str, **options: Any) -> bytes:
        done = evaluate(metric, system=ours, gold=golds, **options)
        with (tmp_path / name).open("wb") as stream:
            done.write_run(stream)
        seen = [
            (each.position, each.pair.id, json.dumps(each.explanation, default=str))
            for each in look.look(done, explained=True)
            if metric not in ("bleu",)
        ]
        return (tmp_path / name).read_bytes() + repr(seen).encode()

    expected = result("one")
    for size in (1, 2, 7):
        monkeypatch.setattr(run, "_LARGEST", size)
        monkeypatch.setattr(look, "_CHUNK", size)
        assert result(f"two {size}", jobs=2) == expected
    with ProcessPoolExecutor(1) as pool:  # gets spans, and shares no memory that matters
        assert result("pool", executor=pool) == expected
        # What one kept, the other goes on with, whatever its number of workers.
        assert result("kept", executor=pool, resume=tmp_path / "parts") == expected
    assert result("again", resume=tmp_path / "parts") == expected
