"""``karat draw`` for graphs: which gold graph each is drawn with."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.core.commands import Job
from karat.core.reading.streams import Stream
from karat.graphs.draw import DrawGraphs


def stream(path: Path, *ids: str) -> Stream:
    lines = (f'{{"id":"{id}","framework":"eds","tops":[0],"nodes":[{{"id":0}}]}}\n' for id in ids)
    path.write_text("".join(lines))
    return Stream(path, ("graph",), "input")


@pytest.mark.parametrize(
    ("gold", "warnings"),
    [
        ("ab", []),
        ("bc", ["1 graph has no gold, drawn alone: 'a'"]),
        ("cd", ["2 graphs have no gold, drawn alone: 'a', 'b'"]),
    ],
)
@pytest.mark.parametrize("way", ["draw", "dot"])
def test_graphs_without_gold_are_named(
    tmp_path: Path, way: str, gold: str, warnings: list[str]
) -> None:
    golds = [stream(tmp_path / "gold.mrp", *gold)]
    job = Job([stream(tmp_path / "system.mrp", *"ab")], golds=golds)
    assert len(list(getattr(DrawGraphs(), way)(job))) == 2
    assert job.warnings() == warnings
    alone = Job([stream(tmp_path / "system.mrp", *"ab")])
    assert len(list(getattr(DrawGraphs(), way)(alone))) == 2
    assert alone.warnings() == []
