"""Metrics that another program computes, against a small program that runs."""

from __future__ import annotations

import json
import pickle
import shlex
import sqlite3
import subprocess
import sys
import threading
import time
from base64 import b64encode
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

import karat
from karat.core.capabilities import would_run
from karat.core.plugins import METRICS, rows
from karat.core.registry import metric_class
from karat.core.runs.evaluation import Evaluation
from karat.errors import FormatError, KaratError, MissingExtra, OptionError
from karat.text.external.carriers import Process, process
from karat.text.external.programs import reachable_by, remember_program
from karat.text.external.protocol import ExternalError
from karat.text.metrics.external import External
from karat.text.metrics.presets import Bleurt, SumQe
from karat.text.resources import install

PROGRAM = str(Path(__file__).parents[3] / "servers" / "overlap.py")
COMMAND = shlex.join([sys.executable, PROGRAM])
PRESETS = [
    name
    for name, row in rows(METRICS).items()
    if row.target.startswith("karat.text.metrics.presets:")
]
SCORES = ("length", "overlap.best")


@contextmanager
def serving(*options: str) -> Iterator[str]:
    """The address of a server that runs for the length of a block."""
    with subprocess.Popen(
        [sys.executable, PROGRAM, "--port", "0", *options], stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        try:
            yield f"http://127.0.0.1:{running.stdout.readline().strip()}/score"
        finally:
            running.kill()


@pytest.fixture
def server() -> Iterator[str]:
    with serving() as url:
        yield url


def check(metric: External) -> None:
    scores = metric.score_all(["a b", ["c d", "e"]], [["a c", "a b c"], ["x"]])
    assert scores[0] == {"length": 2.0, "overlap": {"best": pytest.approx(2 / 3)}}
    assert scores[1] == {"length": 3.0, "overlap": {"best": 0.0}}


def test_a_program() -> None:
    check(External(command=COMMAND, scores=SCORES))


def test_a_server(server: str) -> None:
    check(External(url=server, scores=SCORES))


def test_more_items_than_a_batch_and_the_same_ones_twice() -> None:
    metric = External(command=COMMAND, scores=("length",))
    texts = ["w " * (i % 50) for i in range(200)]
    scores = metric.score_all(texts, [["x"]] * len(texts))
    assert [score["length"] for score in scores] == [i % 50 for i in range(200)]


def test_documents_and_nothing() -> None:
    documents = External(command=COMMAND, scores=("s",), held_against="documents")
    assert documents.score("a b", ["a b"])["s"] == 1.0
    assert documents.jackknife(["a", "b"]) is None
    alone = External(command=COMMAND, scores=("s",), held_against="nothing")
    assert alone.of_gold(["whatever"]) == []
    assert alone.score("a b", [])["s"] == 1.0


def test_answers_are_kept_in_a_file(server: str, tmp_path: Path) -> None:
    cache = str(tmp_path / "folder" / "answers.db")
    first = External(url=server, scores=("s",), cache=cache).score("a", ["a b"])
    crashing = f"{COMMAND} --fail crash"
    again = External(command=crashing, scores=("s",), cache=cache).score("a", ["a b"])
    assert again == first == {"s": 0.5}
    (tmp_path / "text").write_text("this is no database" * 100)
    with pytest.raises(FormatError, match="cannot be used to keep answers"):
        External(url=server, scores=("s",), cache=str(tmp_path / "text")).score("a", ["b"])


@pytest.mark.parametrize("change", ["update answers set scores = 'x'", "drop table answers"])
def test_a_file_of_answers_that_cannot_be_used(tmp_path: Path, change: str) -> None:
    cache = str(tmp_path / "answers.db")
    metric = External(command=COMMAND, scores=("s",), cache=cache)
    metric.score("a", ["a b"])
    with closing(sqlite3.connect(cache, isolation_level=None)) as other:
        other.execute(change)
        with pytest.raises(FormatError, match="K116: this cannot be used to keep answers"):
            metric.score("a", ["a b"])


@pytest.mark.parametrize(
    ("fail", "message"),
    [
        ("sick", "reports a problem"),
        ("refuse", "could not score an item: too long"),
        ("no-number", "no number for 'length': 'high'"),
        ("nan", "did not answer with a JSON object"),
        ("huge", "a number for 'length' that is too large"),
        ("wrong-id", "an id that was not asked: "),
        ("no-json", "did not answer with a JSON object: 'hello"),
        ("crash", "ended before it answered: out of memory"),
        ("silent", "did not answer within 2 seconds"),
    ],
)
def test_programs_that_misbehave(fail: str, message: str) -> None:
    wait = 2.0 if fail == "silent" else 60.0
    metric = External(command=f"{COMMAND} --fail {fail}", scores=("length",), timeout=wait)
    with pytest.raises(ExternalError, match=message):
        metric.score(f"a text for {fail}", ["b"])


def test_servers_that_are_not_there() -> None:
    with pytest.raises(ExternalError, match="cannot be reached"):
        External(url="http://127.0.0.1:9/", scores=("s",), timeout=5).score("a", ["b"])
    for url in ("ftp://host/", "nonsense", "http://host:port/"):
        with pytest.raises(OptionError, match="address"):
            External(url=url, scores=("s",)).score("a", ["b"])


def test_a_server_that_fails() -> None:
    with serving("--fail", "status") as url, pytest.raises(ExternalError, match="the status 500"):
        External(url=url, scores=("s",)).score("a", ["b"])


@pytest.mark.parametrize(
    ("fail", "message"),
    [
        ("sick", "reports a problem"),
        ("no-json", "did not answer with a JSON object: 'hello"),
        ("wrong-id", "an id that was not asked: "),
    ],
)
def test_servers_that_misbehave(fail: str, message: str) -> None:
    with serving("--fail", fail) as url, pytest.raises(ExternalError, match=message):
        External(url=url, scores=("s",), timeout=30).score("a", ["b"])


def test_nobody_is_waited_for_longer_than_asked() -> None:
    """The program and the server would be silent for a minute."""

    def waited(metric: External) -> float:
        began = time.monotonic()
        with pytest.raises(ExternalError, match=f"within {metric.timeout} seconds"):
            metric.score("a", ["b"])
        return time.monotonic() - began

    command = f"{COMMAND} --fail silent --log time"
    with serving("--fail", "silent") as url:
        server = External(url=url, scores=("s",), timeout=1)
        assert 1 <= waited(server) < 30
    program = External(command=command, scores=("s",), timeout=3)
    assert 3 <= waited(program) < 30


def test_items_are_asked_in_batches_of_32_and_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    texts = ["w " * (i % 70) for i in range(140)]
    with serving("--log", str(log)) as url:
        metric = External(url=url, scores=("length",), cache=str(tmp_path / "answers.db"))
        for _ in range(2):  # the second time, all answers are known
            scores = metric.score_all(texts, [["x"]] * len(texts))
            assert [score["length"] for score in scores] == [i % 70 for i in range(140)]
        assert log.read_text().split() == ["32", "32", "6"]
        # Another score, another reference or another text is another question.
        External(url=url, scores=("s",), cache=metric.cache).score("w", ["x"])
        metric.score("w", ["y"])
        metric.score("v", ["x"])
        metric.score("w", ["x", "x"])
    assert log.read_text().split()[3:] == ["1"] * 4


def test_answers_of_another_version_are_not_kept_ones(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    cache = str(tmp_path / "answers.db")
    found = []
    for version in (1, 1, 2):
        program.write_text(
            "import json, sys\n"
            "for line in sys.stdin:\n"
            "    asked = json.loads(line)\n"
            f"    answer = {{'ok': True, 'name': 'p', 'version': '{version}'}}\n"
            "    if 'id' in asked:\n"
            f"        answer = {{'id': asked['id'], 'scores': {{'s': {version + len(found)}}}}}\n"
            "    print(json.dumps(answer), flush=True)\n"
        )
        command = shlex.join([sys.executable, str(program), str(len(found))])
        found.append(External(command=command, scores=("s",), cache=cache).score("a", ["b"])["s"])
    assert found == [1, 1, 4]


def test_all_threads_share_one_program() -> None:
    command = f"{COMMAND} --log threads"
    with ThreadPoolExecutor(8) as pool:
        programs = set(pool.map(lambda _: process(command, 60.0), range(8)))
        metric = External(command=command, scores=("length",))
        scores = list(pool.map(lambda n: metric.score("w " * n, ["x"])["length"], range(40)))
    assert len(programs) == 1
    assert scores == list(range(40))


def test_a_program_that_ended_is_started_again() -> None:
    command = f"{COMMAND} --log again"
    first = process(command, 60.0)
    assert process(command, 60.0) is first
    first.stop()
    assert External(command=command, scores=("length",), timeout=60.0).score("a b", ["c"]) == {
        "length": 2
    }
    assert process(command, 60.0) is not first


def test_answers_that_nobody_waited_for_go_to_no_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """After an interrupt the program is not asked again: its next line answers an old question."""
    metric = External(command=f"{COMMAND} --log interrupted", scores=("length",))
    assert metric.score("a", ["x"]) == {"length": 1}

    def interrupted(self: Process) -> bytes:
        raise KeyboardInterrupt

    # The health check has been answered when the user interrupts.
    monkeypatch.setattr(Process, "health", lambda self: b'{"ok": true}')
    with monkeypatch.context() as patch:
        patch.setattr(Process, "_answer", interrupted)
        with pytest.raises(KeyboardInterrupt):
            metric.score("a b c d e", ["x"])
    assert metric.score("a b", ["x"]) == {"length": 2}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scores": ("s",)}, "give a command or a url"),
        ({"scores": ("s",), "command": "x", "url": "y"}, "give a command or a url"),
        ({"scores": (), "command": "x"}, "different names"),
        ({"scores": ("s", "s"), "command": "x"}, "different names"),
        ({"command": "x"}, "needs the option 'scores'"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        External(**options)  # type: ignore[arg-type]


def test_commands_that_cannot_run() -> None:
    with pytest.raises(MissingExtra, match=r"'no-such-program' cannot be started"):
        External(command="no-such-program", scores=("s",)).score("a", ["b"])
    for command in ("'unclosed", " "):
        with pytest.raises(OptionError, match=r"is broken|is empty"):
            External(command=command, scores=("s",)).score("a", ["b"])


@pytest.mark.parametrize("name", PRESETS)
def test_metrics_that_need_a_program_say_so_and_run_with_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KARAT_HOME", str(tmp_path))
    cls = metric_class(name)
    assert f"karat setup metric {name}" in cls.missing()
    assert "\n" not in cls.missing()
    with pytest.raises(MissingExtra, match=f"{name} is computed by a program"):
        cls().score("a", ["b"])
    remember_program(name, COMMAND, None)
    assert cls.missing() == ""
    metric = cls()
    scores = metric.score("a b", ["a b"])
    assert list(scores) == list(dict.fromkeys(path.split(".")[0] for path in metric.wanted))  # type: ignore[attr-defined]


def test_a_preset_can_be_told_by_options() -> None:
    assert Bleurt(command=COMMAND).score("a", ["a", "b"]) == {"bleurt": {"mean": 1.0, "max": 1.0}}
    assert len(SumQe(command=COMMAND).score("a", [])["SumQE"]) == 5
    with pytest.raises(OptionError, match="a command or a url"):
        Bleurt(command="a", url="b")


def test_what_setup_keeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_HOME", str(tmp_path / "home"))
    assert reachable_by("bleurt") == (None, None)
    remember_program("bleurt", None, "http://localhost:1/")
    assert reachable_by("bleurt") == (None, "http://localhost:1/")
    with pytest.raises(KaratError, match="``command`` or ``url``"):
        remember_program("bleurt", None, None)
    remember_program("bleurt", "x", None).write_text("[]")
    with pytest.raises(FormatError, match="does not say how to reach"):
        reachable_by("bleurt")


def test_files_are_checked_before_they_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KARAT_HOME", str(tmp_path / "home"))
    with pytest.raises(FormatError, match=r"there is no file meteor-1\.5\.jar"):
        install("meteor", str(tmp_path))
    (tmp_path / "meteor-1.5.jar").write_bytes(b"not the jar")
    with pytest.raises(FormatError, match="the checksum is"):
        install("meteor", str(tmp_path))
    assert not (tmp_path / "home").exists()
    for part in ("noun", "verb", "adj", "adv"):
        (tmp_path / f"index.{part}").write_text("")
        (tmp_path / f"{part}.exc").write_text("")
    for _ in range(2):
        installed = install("wordnet", str(tmp_path / "index.noun"))
        assert len(installed) == 8
        assert all(path.is_file() for path in installed)


SCRIPT = """
import json, os, sys
seen = 0
for line in sys.stdin:
    request = json.loads(line)
    if request.get("health"):
        print(json.dumps({"ok": True, "name": "counts", "version": "2.1"}), flush=True)
        continue
    seen += 1
    answer = json.dumps({"id": request["id"], "scores": {"words": len(request["summary"].split())}})
    print(answer)
    if seen == EXTRA:
        print(answer)
    if seen == END:
        sys.stdout.flush()
        os.close(1)
        sys.stderr.write("a line\\n" * 20_000 + "the model is not there\\n")
        sys.exit(1)
    sys.stdout.flush()
"""


def scripted(folder: Path, extra: int = 0, end: int = 0) -> External:
    """A program that answers one item twice, or ends after one."""
    path = folder / "program.py"
    path.write_text(SCRIPT.replace("EXTRA", str(extra)).replace("END", str(end)))
    return External(command=shlex.join([sys.executable, str(path)]), scores=("words",))


@pytest.mark.parametrize(
    ("extra", "items", "message"),
    [
        # The answer that comes again would be taken for the first one of the next batch.
        (32, 70, "that was not asked"),
        (5, 10, "answered an id twice"),
        # Nobody asks again after the last one.
        (10, 10, "answered more than it was asked"),
    ],
)
def test_an_answer_that_comes_twice_is_an_error(
    tmp_path: Path, extra: int, items: int, message: str
) -> None:
    # Answers to what was asked before are kept.
    texts = [f"{extra} " * i for i in range(1, items + 1)]
    with pytest.raises(ExternalError, match=message):
        scripted(tmp_path, extra).score_all(texts, [["x"]] * items)


def test_ids_are_used_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    plain = Process.exchange

    def noted(self: Process, requests: Sequence[bytes]) -> list[bytes]:
        records = [json.loads(request) for request in requests]
        asked.extend(record["id"] for record in records if "id" in record)
        return plain(self, requests)

    metric = scripted(tmp_path)
    texts = ["w " * i for i in range(70)]
    monkeypatch.setattr(Process, "exchange", noted)
    assert [each["words"] for each in metric.score_all(texts, [["x"]] * 70)] == [*range(70)]
    metric.score("other words", ["x"])
    assert len(set(asked)) == len(asked) == 71


def test_the_last_line_of_a_program_that_ends_is_told(tmp_path: Path) -> None:
    with pytest.raises(ExternalError, match="ended before it answered: the model is not there"):
        scripted(tmp_path, end=1).score_all(["a", "b b"], [["x"]] * 2)


def test_the_run_names_the_version_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("a b\n")
    path = str(tmp_path / "s.txt")
    run = karat.evaluate(scripted(tmp_path), system=path, gold=path)
    assert "|program:counts 2.1" in run.signature()
    assert run.summary()["signature"] == run.signature()
    run.save(str(tmp_path / "a.run"))
    loaded = Evaluation.load(str(tmp_path / "a.run"))
    assert loaded.signature() == run.signature()
    loaded.program = "counts 3"
    with pytest.raises(OptionError, match=r"scores by counts 2.1 with scores by counts 3"):
        run.compare(loaded)


class Noting(BaseHTTPRequestHandler):
    seen: ClassVar[list[tuple[str, str | None]]] = []

    def do_POST(self) -> None:
        lines = self.rfile.read(int(self.headers["Content-Length"])).splitlines()
        self.seen.append((self.path, self.headers["Authorization"]))
        requests = [json.loads(line) for line in lines]
        answers = [
            {"ok": True} if each.get("health") else {"id": each["id"], "scores": {"s": 1}}
            for each in requests
        ]
        self.send_response(200)
        self.end_headers()
        self.wfile.write("\n".join(map(json.dumps, answers)).encode())

    def log_message(self, *_: Any) -> None:
        pass


def test_an_address_keeps_its_query_and_its_credentials() -> None:
    server = HTTPServer(("127.0.0.1", 0), Noting)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        where = f"127.0.0.1:{server.server_port}/score?model=large&x=1"
        metric = External(url=f"http://me:s%40cret@{where}", scores=("s",))
        assert metric.score("a", ["b"]) == {"s": 1}
        assert pickle.loads(pickle.dumps(metric)).score("c", ["b"]) == {"s": 1}
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    told = b64encode(b"me:s@cret").decode()
    assert set(Noting.seen) == {("/score?model=large&x=1", f"Basic {told}")}
    assert metric.url == f"http://me@{where}"
    for shown in (repr(metric), metric.signature(), would_run(metric)):
        assert "cret" not in shown


@pytest.mark.parametrize("url", ["http://me:secret@127.0.0.1:9/", "ftp://me:secret@host/"])
def test_no_message_shows_a_password(url: str) -> None:
    with pytest.raises(KaratError) as caught:
        External(url=url, scores=("s",), timeout=5).score("a", ["b"])
    assert "secret" not in str(caught.value)
    assert "me@" in str(caught.value)
