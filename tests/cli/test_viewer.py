"""``karat viewer``: what the command reads, writes and refuses."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Karat = Callable[..., "subprocess.CompletedProcess[str]"]
SUMMARY = {
    "instance_id": "d1",
    "summarizer_id": "S",
    "summary": {"text": "</script>a b"},
    "references": [{"summarizer_id": "A", "text": "a c"}, "a d"],
}
PYRAMID = {"instance_id": "d1", "summaries": ["a"], "summarizer_ids": ["A"], "scus": []}
ANNOTATION = {"instance_id": "d1", "summarizer_id": "S", "summary": "a", "scus": []}


def content(page: str) -> Any:
    """What is embedded in a page."""
    found = re.search(r"<script type='application/json' id=content>(.*)</script>", page)
    assert found
    return json.loads(found[1])


def test_summaries_and_scores(karat: Karat, tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(json.dumps(SUMMARY) + "\n\n" + json.dumps(SUMMARY))
    record = {"instance_id": "d1", "summarizer_id": "S", "metrics": {"a": {"b": [1, 2]}}}
    other = {**record, "metrics": {"a": {"b": 7}}}
    (tmp_path / "m.jsonl").write_text(json.dumps(record))
    (tmp_path / "n.jsonl").write_text(json.dumps(other))
    done = karat(
        "viewer", "rouge", "s.jsonl", "--scores", "m.jsonl", "--scores", "n.jsonl", "-o", "p"
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "warning: n.jsonl:1: 'a_b' of 'S' on 'd1' replaces a different value\n"
    found = content((tmp_path / "p").read_text())
    assert found["texts"] == ["a c", "a d", "</script>a b"]  # each text once
    assert found["summaries"][0] == found["summaries"][1]
    assert found["summaries"][0]["references"] == [["A", 0], ["2", 1]]
    assert [each["scores"] for each in found["scores"]] == [
        {"a": {"a_b": 1.5}},
        {"a": {"a_b": 7.0}},
    ]


def test_pyramids_and_annotations(karat: Karat, tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text(json.dumps(PYRAMID))
    (tmp_path / "a.jsonl").write_text(json.dumps(ANNOTATION))
    done = karat("viewer", "pyramid", "p.jsonl", "--annotations", "a.jsonl", "-o", "-")
    assert (done.returncode, done.stderr) == (0, "")
    found = content(done.stdout)
    assert (found["pyramids"], found["annotations"][0]["summary"]) == ([PYRAMID], "a")


@pytest.mark.parametrize("name", ["rouge", "pyramid"])
def test_an_empty_page(karat: Karat, tmp_path: Path, name: str) -> None:
    done = karat("viewer", name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert content((tmp_path / f"{name}.html").read_text()) == {"scores": []}


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("rouge", "{", "this is not JSON"),
        ("rouge", '{"id": "x", "gold": "a"}', "item 'x': the record has no text"),
        ("pyramid", json.dumps(ANNOTATION), "item 'd1': this is no pyramid"),
        (
            "pyramid",
            json.dumps({**PYRAMID, "summaries": []}),
            "item 'd1': this is no pyramid: 0 summaries",
        ),
    ],
)
def test_files_that_do_not_fit(
    karat: Karat, tmp_path: Path, name: str, line: str, message: str
) -> None:
    (tmp_path / "f.jsonl").write_text(line)
    done = karat("viewer", name, "f.jsonl")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"f.jsonl:1: FormatError K111: {message}")
    assert not (tmp_path / f"{name}.html").exists()
