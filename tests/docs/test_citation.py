"""The citation names the version that there is, and the project's address."""

from __future__ import annotations

from pathlib import Path

import yaml

import karat

ROOT = Path(__file__).resolve().parents[2]


def test_the_citation_is_current() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["cff-version"] == "1.2.0"
    assert str(cited["version"]) == karat.__version__
    assert cited["license"] == "MIT"
    assert cited["authors"]
    home = f'Homepage = "{cited["repository-code"]}"'
    assert home in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert {"message", "title", "abstract", "date-released"} <= set(cited)
