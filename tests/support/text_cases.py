"""The recorded figures of the text tools, and the corpus they were made on."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

SHARED = Path(__file__).resolve().parents[3] / "shared"


@cache
def cases() -> dict[str, dict[str, Any]]:
    """All cases by id."""
    with (SHARED / "golden" / "text.json").open(encoding="utf-8") as stream:
        return {case["id"]: case for case in json.load(stream)["cases"]}


@cache
def records(name: str) -> list[dict[str, Any]]:
    """The records of a file of the corpus."""
    with (SHARED / "data" / "summ" / name).open(encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


@cache
def summaries() -> dict[str, dict[str, Any]]:
    """All summaries by instance/summarizer."""
    return {f"{r['instance_id']}/{r['summarizer_id']}": r for r in records("summaries.jsonl")}


def text(name: str) -> Any:
    """The text of a summary."""
    return summaries()[name]["summary"]["text"]


def references(name: str) -> list[Any]:
    """The references of a summary."""
    return [reference["text"] for reference in summaries()[name]["references"]]


def of_system(system: str) -> list[str]:
    """The names of a system's summaries."""
    return [name for name in summaries() if name.endswith("/" + system)]
