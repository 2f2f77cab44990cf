"""JSON of other people's files: whatever a decoder raises, it ends with a message."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import karat
from karat.core.files.shards import tables_in
from karat.errors import FormatError
from karat.graphs.pictures.marked import Records
from karat.text.embedding import LanguageModel

DEEP = "[" * 50_000 + "]" * 50_000
DECODERS = ("json.decode(", "json.loads(", "_decode(", "Decoder(")
OWN = ("certificates.py", "serving.py", "resume.py", "batch.py")
"""Modules whose other decoding is of what karat itself wrote, or of numbers."""
FORMS = ("NOT_JSON", "RecursionError", "Exception", "KaratError")


def unprepared(path: Path) -> list[str]:
    """Where JSON is decoded under a `try` that too deep a nesting passes through."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = []
    outer: list[ast.Try] = [node for node in ast.walk(tree) if isinstance(node, ast.Try)]
    for node in outer:
        decodes = any(each in ast.unparse(ast.Module(node.body, [])) for each in DECODERS)
        handled = " ".join(ast.unparse(each.type) for each in node.handlers if each.type)
        if decodes and "DecodeError" in handled and not any(each in handled for each in FORMS):
            found.append(f"{path.name}:{node.lineno}: except {handled}")
    return found


def test_who_expects_bad_json_expects_deep_json() -> None:
    root = Path(karat.__file__).parent
    passed_on = {"documents.py", "records.py"}  # strings alone; caught by who calls
    found = [
        each
        for path in sorted(root.rglob("*.py"))
        if path.name not in (*OWN, *passed_on)
        for each in unprepared(path)
    ]
    assert found == []


def test_it_notices_one_who_does_not(tmp_path: Path) -> None:
    path = tmp_path / "careless.py"
    path.write_text("try:\n    json.decode(x)\nexcept msgspec.DecodeError:\n    pass\n")
    assert unprepared(path) == ["careless.py:1: except msgspec.DecodeError"]


@pytest.mark.parametrize("content", [f'{{"more": {DEEP}}}'.encode(), b'{"\xff": 1}', b"{"])
def test_settings_beside_data(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "state.json").write_bytes(content)
    (tmp_path / "data-0.arrow").write_bytes(b"")
    with pytest.raises(FormatError, match="does not describe a data set"):
        tables_in(str(tmp_path), [path.name for path in tmp_path.iterdir()])


def test_errors_to_be_shown(tmp_path: Path) -> None:
    path = tmp_path / "errors.jsonl"
    path.write_text(f'{{"id": "1", "amr": {DEEP}}}\n')
    with pytest.raises(FormatError, match="expected what ``errors`` writes"):
        Records(str(path))


def test_settings_of_a_model(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    (tmp_path / "model.onnx").write_bytes(b"")
    (tmp_path / "config.json").write_text(f'{{"more": {DEEP}}}')
    with pytest.raises(FormatError, match="this does not describe a model"):
        LanguageModel(tmp_path)
