"""One page in Firefox, where it is installed: the other engine shows what Chromium shows."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from karat import evaluate
from karat.report.page import write

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
LOOK = """
const [done] = arguments;
const all = (selector) => [...document.querySelectorAll(selector)];
const texts = (selector) => all(selector).map((each) => each.textContent);
const look = () => {
  if (!document.querySelector(".item .drawing text")) return setTimeout(look, 50);
  done({
    policy: document.querySelector("meta[http-equiv]").content,
    keys: texts(".rows .row .key"),
    item: texts(".item h2 .key")[0],
    drawn: texts(".item .drawing text"),
    tall: document.querySelector(".item .drawing svg").getBoundingClientRect().height,
  });
};
look();
"""


class Marionette:
    """Firefox's own remote control: messages in JSON, each after its length."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self.stream = self.socket.makefile("rb")
        self._read()
        self.number = 0

    def _read(self) -> Any:
        length = b""
        while (byte := self.stream.read(1)) != b":":
            assert byte, "Firefox has closed the connection"
            length += byte
        return json.loads(self.stream.read(int(length)))

    def __call__(self, command: str, **parameters: Any) -> Any:
        self.number += 1
        message = json.dumps([0, self.number, f"WebDriver:{command}", parameters]).encode()
        self.socket.sendall(b"%d:%b" % (len(message), message))
        _, _, error, value = self._read()
        assert error is None, error
        return value


@pytest.fixture
def firefox(tmp_path: Path) -> Iterator[Marionette]:
    if FIREFOX is None:
        pytest.skip("Firefox is not installed")
    profile = tmp_path / "profile"
    profile.mkdir()
    (profile / "user.js").write_text('user_pref("marionette.port", 0);\n')
    browser = subprocess.Popen(
        [FIREFOX, "--headless", "--marionette", "--no-remote", "--profile", str(profile)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
    )  # fmt: skip
    try:
        active = profile / "MarionetteActivePort"
        latest = time.monotonic() + 300
        while not (active.exists() and active.read_text().strip()):
            if browser.poll() is not None:
                pytest.skip("Firefox does not start here")
            assert time.monotonic() < latest, "Firefox does not say where it listens"
            time.sleep(0.1)
        client = Marionette(int(active.read_text()))
        client("NewSession")
        client("SetTimeouts", script=120_000, pageLoad=120_000)
        yield client
        client.socket.close()
    finally:
        browser.terminate()
        browser.wait(60)


def test_a_page_of_graphs_opens_in_firefox(firefox: Marionette, tmp_path: Path) -> None:
    files = [str(EXAMPLES / "graphs" / name) for name in ("system.amr", "gold.amr")]
    run = evaluate("smatch", system=files[0], gold=files[1])
    path = tmp_path / "page.html"
    with path.open("wb") as stream:
        write(stream, [run])
    firefox("Navigate", url=f"{path.as_uri()}#items?item=ferry.3")
    found = firefox("ExecuteAsyncScript", script=LOOK, args=[], newSandbox=True)["value"]
    assert "default-src 'none'" in found["policy"]
    assert found["keys"] == run.ids
    assert found["item"] == "ferry.3"
    assert {"− date-entity", "+ time"} <= set(found["drawn"])
    assert found["tall"] > 100
