"""The page of metrics that programs compute says what they give and take, and how to get them."""

from __future__ import annotations

import re
from pathlib import Path

from karat.core.plugins import METRICS, rows
from karat.core.registry import metric_class
from karat.text.metrics.presets import _Preset

PAGE = Path(__file__).resolve().parents[2] / "docs" / "metrics" / "external.md"


def test_the_table_of_known_metrics() -> None:
    told = {}
    for line in PAGE.read_text(encoding="utf-8").partition("## Known metrics")[2].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[0].startswith("`"):
            told[cells[0].strip("`")] = (re.findall(r"`([^`]+)`", cells[1]), *cells[2:])
    found = {}
    for name, row in rows(METRICS).items():
        if ".presets:" in row.target:
            cls = metric_class(name)
            assert issubclass(cls, _Preset)
            preset = cls()
            found[name] = (list(preset.wanted), preset.held_against, preset.recipe)
    assert told == found
