"""Node and Chromium, where they are installed."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
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


Probe = Callable[..., Any]
_FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--virtual-time-budget=30000", "--dump-dom",
]  # fmt: skip
_RUN = """
(async () => {{
  // The browser's clock runs ahead while nothing is to be done; unpacking and reading files
  // take real time, which some work in between lets pass.
  const until = async (condition) => {{
    for (let i = 0; i < 1000 && !condition(); i++) {{
      await new Promise((resume) => setTimeout(resume, 10));
      for (let k = 0; k < 3e6; k++) Math.sqrt(k);
    }}
    if (!condition()) throw new Error(`waited in vain: ${{condition}}`);
  }};
  const soon = () => new Promise((resume) => setTimeout(resume, 100));
  const $ = (wanted) => document.querySelector(wanted);
  const $$ = (wanted) => [...document.querySelectorAll(wanted)];
  const texts = (nodes) => [...nodes].map((node) => node.textContent);
  const figures = (rows) =>
    $$(rows).map((row) => [...row.querySelectorAll("data")].map((cell) => cell.value));
  const result = document.createElement("pre");
  result.id = "probe";
  try {{
    await until(() => document.getElementById("main").dataset.ready);
    result.textContent = JSON.stringify(await (async () => {{ {script} }})());
  }} catch (error) {{
    result.textContent = JSON.stringify({{ error: String(error) }});
  }}
  document.body.append(result);
}})();
"""


@pytest.fixture
def probe(tmp_path: Path) -> Probe:
    """Opens a page in a browser without window, and gives what a script finds there.

    The page's own policy lets only its own script run; that of the test is allowed besides.
    """
    names = ("chromium", "chromium-browser", "google-chrome")
    browser = next((found for found in map(shutil.which, names) if found), None)
    if browser is None:
        pytest.skip("chromium is not installed")

    def run(content: bytes, script: str, fragment: str = "") -> Any:
        whole = _RUN.format(script=script).replace("</script", r"<\/script")
        digest = base64.b64encode(hashlib.sha256(whole.encode()).digest()).decode()
        text = content.decode().replace("script-src ", f"script-src 'sha256-{digest}' ", 1)
        path = tmp_path / "probed.html"
        path.write_text(text.replace("</html>", f"<script>{whole}</script></html>"), "utf-8")
        done = subprocess.run(
            [
                browser,
                *_FLAGS,
                f"--user-data-dir={tmp_path / 'profile'}",
                f"{path.as_uri()}#{fragment}",
            ],
            capture_output=True,
            timeout=120,
        )
        found = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout.decode(), re.DOTALL)
        assert found, done.stderr.decode()[-2000:]
        result = json.loads(html.unescape(found[1]))
        assert not (isinstance(result, dict) and "error" in result), result
        return result

    return run
