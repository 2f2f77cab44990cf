"""``karat report`` and ``karat view``: pages of saved runs."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from commands import Karat
from karat import evaluate
from pages import WrittenPage

GOLD = "# ::id a\n(w / want-01 :ARG0 (b / boy))\n\n# ::id b\n(d / dog)\n"
SYSTEM = "# ::id a\n(w / want-01 :ARG0 (g / girl))\n\n# ::id b\n(d / dog)\n"


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
    page = WrittenPage((runs / "page.html").read_bytes())
    assert [each["name"] for each in page.head["systems"]] == ["one", "two"]
    assert page.scores(system=1) == [1.0, 1.0]
    (error,) = [each for each in page.set()["errors"] if each["gold"] == "boy"]
    assert (error["system"], error["times"], error["items"]) == ("girl", [1, 0], [1, 0])
    assert page.rows_with(error, 0) == [0]
    # What evaluate writes at once is the same page.
    karat("evaluate", "smatch", "-g", "gold.amr", "-s", "one.amr", "-s", "two.amr", "--report", "p")
    assert (runs / "p").read_bytes() == (runs / "page.html").read_bytes()


def test_the_page_of_data_in_memory_can_be_written_again(karat: Karat, tmp_path: Path) -> None:
    evaluate("exact", ["a"], ["a"]).save(str(tmp_path / "run.karat"))
    for _ in range(2):
        assert karat("report", "run.karat", "-o", "page.html").returncode == 0


def test_files_that_changed_or_are_gone(karat: Karat, runs: Path) -> None:
    (runs / "gold.amr").write_text(GOLD.replace("dog", "cat"))
    done = karat("report", "one", "-o", "-")
    page = WrittenPage(done.stdout.encode())
    why = "gold.amr is not the file the run was made from"
    assert why in page.head["left_out"][0]["why"]
    assert why in done.stderr
    assert page.items() == [None, None]
    assert page.scores() == pytest.approx([6 / 7, 1.0], abs=0.2)
    (runs / "gold.amr").unlink()
    assert "there is no such file" in karat("report", "one", "-o", "-").stderr


def test_bad_runs_leave_no_page(karat: Karat, runs: Path) -> None:
    done = karat("report", "gold.amr", "-o", "page.html")
    assert done.returncode == 1
    assert "K601" in done.stderr
    assert not (runs / "page.html").exists()
    assert "K315" in karat("report", "one", "--by", "genre", "-o", "page.html").stderr


def _asked(address: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
    request = urllib.request.Request(address, body, headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_view_serves_this_machine_only(program: str, karat: Karat, runs: Path) -> None:
    with subprocess.Popen(
        [program, "view", "one", "two"],
        cwd=runs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as serving:
        try:
            assert serving.stdout is not None
            address = serving.stdout.readline().split()[0]
            assert address.startswith("http://127.0.0.1:")
            origin, _, rest = address.partition("/k/")
            with urllib.request.urlopen(address) as answer:
                assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
                assert WrittenPage(answer.read()).head["served"]
            items = json.loads(gzip.decompress(_asked(f"{address}b/0/0")[1]))["items"]
            assert len(items) == 2
            refused = [
                _asked(address, Host="elsewhere.example:80"),
                _asked(address, Origin="http://elsewhere.example"),
                _asked(f"{origin}/"),
                _asked(f"{origin}/k/{'A' * len(rest.strip('/'))}/"),
                _asked(f"{address}score", b"{}"),  # without the page's origin
            ]
            assert {status for status, _ in refused} == {403}
            assert _asked(f"{address}gold.amr")[0] == 404
            assert _asked(f"{address}b/0/7")[0] == 404
            # The score of a selection is that of the items alone.
            question = {"set": 0, "metric": 0, "systems": [0, 1], "rows": [0]}
            status, body = _asked(f"{address}score", json.dumps(question).encode(), Origin=origin)
            files = ["-g", "gold.amr", "-s", "one.amr", "--id", "a"]
            alone = karat("evaluate", "smatch", *files, "--json", "-")
            assert status == 200
            found = json.loads(body)
            assert found["n"] == 1
            assert found["figures"][0][0] == json.loads(alone.stdout)["scores"]["f"]
            port = origin.rpartition(":")[2]
            taken = subprocess.run(
                [program, "view", "one", "--port", port],
                cwd=runs, capture_output=True, text=True, timeout=300,
            )  # fmt: skip
            assert taken.returncode == 2
            assert "K395" in taken.stderr
        finally:
            serving.send_signal(signal.SIGINT)
            try:
                status = serving.wait(300)
            finally:
                serving.kill()
        assert status == 130


@pytest.mark.parametrize("kind", ["pyramid", "rouge"])
def test_viewer_writes_the_page(karat: Karat, tmp_path: Path, kind: str) -> None:
    if kind == "rouge":
        record = {"instance_id": "d", "summarizer_id": "1", "summarizer_type": "peer",
                  "summary": "a dog barks", "references": ["the dog barks"]}  # fmt: skip
        (tmp_path / "in.jsonl").write_text(json.dumps(record) + "\n")
        done = karat("viewer", "rouge", "in.jsonl", "-o", "page.html")
    else:
        part = {"text": "dog", "start": 2, "end": 5}
        pyramid = {"instance_id": "d", "summaries": ["a dog barks", "one dog"],
                   "summarizer_ids": ["A", "B"], "scus": [
                       {"scu_id": 1, "label": "dog", "contributors": [
                           {"summary_index": 0, "label": "dog", "parts": [part]}]}]}  # fmt: skip
        found = {"scu_id": 1, "contributors": [{"label": "", "parts": [part]}]}
        annotation = {"instance_id": "d", "summarizer_id": "1", "summary": "a dog", "scus": [found]}
        (tmp_path / "p.jsonl").write_text(json.dumps(pyramid) + "\n")
        (tmp_path / "a.jsonl").write_text(json.dumps(annotation) + "\n")
        done = karat("viewer", "pyramid", "p.jsonl", "--annotations", "a.jsonl", "-o", "page.html")
    assert done.returncode == 0, done.stderr
    items = WrittenPage((tmp_path / "page.html").read_bytes()).items()
    _, golds, ((content, views),) = next(each for each in items if each[2][0][0][1] != "one dog")
    if kind == "rouge":
        assert content[1] == "a dog barks"
        # Both words of the bigram "dog barks" count, on both sides.
        assert views[0][0]["ROUGE-2"] == [0, 0, 4, 13, -1, -1, 0, 0, -1, -1, 2, 11]
    else:
        assert [gold[1] for gold in golds] == ["a dog barks", "one dog"]
        assert views[0][4] == [["dog", 1, True, [0, 2, 5, -1, 2, 5]]]
