"""The documentation site: it builds without a warning, and works in a browser, from disk."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import defaultdict
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = ROOT / "web" / "node_modules"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
EARLIER = "0.0"
LOOKED_AT = ["index", "start", "metrics/bleu", "formats/README", "statistics", "errors"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the version that was built."""
    if find_spec("zensical") is None:
        pytest.skip("the group docs is not installed; it needs Python 3.11")
    folder = tmp_path_factory.mktemp("documentation")
    earlier = folder / "site" / EARLIER
    earlier.mkdir(parents=True)
    (earlier / "index.html").write_text("<title>earlier</title>", encoding="utf-8")
    done = subprocess.run(
        [
            sys.executable, str(ROOT / "website" / "build.py"),
            "--site", str(folder / "site"), "--work", str(folder / "work"),
        ],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return Path(done.stdout.strip()).parent


class _Page(HTMLParser):
    """The links, images and anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.targets.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def test_every_link_leads_somewhere(site: Path) -> None:
    pages = {path: _Page(path) for path in site.rglob("*.html")}
    broken = defaultdict(set)
    checked = 0
    for path, page in pages.items():
        if path.name == "404.html":  # written for a server
            continue
        for target in page.targets:
            address, anchor = urldefrag(target)
            if address.startswith(("http:", "https:", "mailto:", "data:")):
                continue
            checked += 1
            found = (path.parent / unquote(address)).resolve() if address else path
            there = pages[found].anchors if found in pages else {unquote(anchor)}
            if not found.exists() or (anchor and unquote(anchor) not in there):
                broken[path.name].add(target)
    assert not broken
    assert checked > 5000


def test_versions_know_each_other(site: Path) -> None:
    listed = json.loads((site.parent / "versions.json").read_text(encoding="utf-8"))
    assert listed == [site.name, EARLIER]
    assert f"url={site.name}/index.html" in (site.parent / "index.html").read_text(encoding="utf-8")


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "unpkg.com" not in text, path
        assert "fonts.googleapis" not in text, path


def test_in_a_browser(site: Path, tmp_path: Path) -> None:
    if shutil.which("node") is None or CHROMIUM is None:
        pytest.skip("node or chromium is not there")
    if not MODULES.is_dir():
        pytest.skip("web/node_modules is not there: scripts/web brings it")
    pages = sorted(path for path in site.rglob("*.html") if path.name != "404.html")
    looked_at = [site / f"{name.replace('README', 'index')}.html" for name in LOOKED_AT]
    plan = {
        "modules": str(MODULES),
        "chromium": CHROMIUM,
        "home": (site / "index.html").as_uri(),
        "pages": [path.as_uri() for path in pages],
        "looked_at": [path.as_uri() for path in looked_at],
        "word": "jackknife",
        "title": "Confidence intervals",
        "earlier": EARLIER,
    }
    (tmp_path / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    done = subprocess.run(
        ["node", str(Path(__file__).with_name("walk.mjs")), str(tmp_path / "plan.json")],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert "\n".join(seen["wrong"] + seen["violations"]) == ""
    assert "statistics.html" in seen["found"]["address"], seen["found"]
    assert seen["version"] == site.name
    assert seen["switched"] == (site.parent / EARLIER / "index.html").as_uri()
