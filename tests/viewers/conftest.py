"""Node and Chromium, where they are installed."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from karat.report.viewers import page

Engine = Callable[[list[dict[str, Any]]], list[Any]]


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """Answers jobs by the scripts of the pages, run by Node; see driver.js."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    driver = Path(__file__).with_name("driver.js").read_text()
    script = tmp_path_factory.mktemp("engine") / "engine.js"
    script.write_text(f'"use strict";\n{page.engine()}{driver}', encoding="utf-8")

    def run(jobs: list[dict[str, Any]]) -> list[Any]:
        given = json.dumps({"packed": page.packed_lists(), "jobs": jobs})
        done = subprocess.run(
            [node, str(script)], input=given, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
        results: list[Any] = json.loads(done.stdout)
        return results

    return run
