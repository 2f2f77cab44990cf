"""``karat report`` and ``karat view``: pages of saved runs."""

from __future__ import annotations

import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

Karat = Callable[..., "subprocess.CompletedProcess[str]"]
GOLD = "# ::id a\n(w / want-01 :ARG0 (b / boy))\n\n# ::id b\n(d / dog)\n"
SYSTEM = "# ::id a\n(w / want-01 :ARG0 (g / girl))\n\n# ::id b\n(d / dog)\n"


class Tags(HTMLParser):
    """All tags and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def runs(karat: Karat, tmp_path: Path) -> Path:
    """Two saved runs of smatch, one of a system that gives the gold itself."""
    (tmp_path / "gold.amr").write_text(GOLD)
    (tmp_path / "one.amr").write_text(SYSTEM)
    (tmp_path / "two.amr").write_text(GOLD)
    for name in ("one", "two"):
        done = karat("evaluate", "smatch", "-g", "gold.amr", "-s", f"{name}.amr", "--save", name)
        assert done.returncode == 0, done.stderr
    return tmp_path


def test_a_page_of_two_runs(karat: Karat, runs: Path) -> None:
    done = karat("report", "one", "two", "-o", "page.html")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    page = Tags((runs / "page.html").read_text())
    assert "smatch: systems side by side" in page.text
    assert "The most frequent errors" in page.text
    assert "boy → girl" in page.text  # taken for another
    assert "- boy" in page.text  # in the picture
    assert "script" not in page.tags
    assert "link" not in page.tags
    # What evaluate writes at once is the same page.
    karat("evaluate", "smatch", "-g", "gold.amr", "-s", "one.amr", "-s", "two.amr", "--report", "p")
    assert (runs / "p").read_bytes() == (runs / "page.html").read_bytes()


def test_files_that_changed_or_are_gone(karat: Karat, runs: Path) -> None:
    (runs / "gold.amr").write_text(GOLD.replace("dog", "cat"))
    page = Tags(karat("report", "one", "-o", "-").stdout).text
    assert "No item is shown" in page
    assert "gold.amr is not the file the run was made from" in page
    (runs / "gold.amr").unlink()
    assert "there is no such file" in karat("report", "one", "-o", "-").stdout


def test_hostile_texts_stay_texts(karat: Karat, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("<b>a</b> & b\n</div><script>alert(1)</script>\n")
    (tmp_path / "<i>.txt").write_text("<u>c</u>\n'\"><img src=x>\n")
    done = karat("evaluate", "bleu", "-g", "gold.txt", "-s", "<i>.txt", "--report", "page.html")
    assert done.returncode == 0
    page = Tags((tmp_path / "page.html").read_text())
    assert not {"i", "u", "script", "img"} & set(page.tags)
    assert "<script>alert(1)</script>" in page.text


def test_bad_runs_leave_no_page(karat: Karat, runs: Path) -> None:
    done = karat("report", "gold.amr", "-o", "page.html")
    assert done.returncode == 1
    assert "K601" in done.stderr
    assert not (runs / "page.html").exists()
    assert "K315" in karat("report", "one", "--by", "genre", "-o", "page.html").stderr


def test_view_serves_this_machine_only(program: str, runs: Path) -> None:
    with subprocess.Popen(
        [program, "view", "one"],
        cwd=runs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as serving:
        try:
            assert serving.stdout is not None
            address = serving.stdout.readline().split()[0]
            assert address.startswith("http://127.0.0.1:")
            with urllib.request.urlopen(address) as answer:
                assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
                assert b"smatch: one.amr" in answer.read()
            for request in (
                urllib.request.Request(address, headers={"Host": "elsewhere.example:80"}),
                urllib.request.Request(f"{address}gold.amr"),
            ):
                with (
                    pytest.raises(urllib.error.HTTPError) as refused,
                    urllib.request.urlopen(request),
                ):
                    pass
                refused.value.close()
            taken = subprocess.run(
                [program, "view", "one", "--port", address.rstrip("/").rpartition(":")[2]],
                cwd=runs, capture_output=True, text=True, timeout=30,
            )  # fmt: skip
            assert taken.returncode == 2
            assert "K395" in taken.stderr
        finally:
            serving.send_signal(signal.SIGINT)
            try:
                status = serving.wait(20)
            finally:
                serving.kill()
        assert status == 130
