"""Metrics that another program computes, against a small program that runs."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from karat.core.registry import METRICS, metric_class, rows
from karat.errors import FormatError, KaratError, MissingExtra, OptionError
from karat.text.external.protocol import ExternalError
from karat.text.metrics.external import External
from karat.text.metrics.presets import Bleurt, SumQe
from karat.text.resources import install, reachable_by, remember_program

PROGRAM = str(Path(__file__).parents[2] / "servers" / "overlap.py")
COMMAND = shlex.join([sys.executable, PROGRAM])
PRESETS = [
    name for name, row in rows(METRICS).items() if row.target.startswith("karat.text.metrics.pres")
]
SCORES = ("length", "overlap.best")


@pytest.fixture
def server() -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, PROGRAM, "--port", "0"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/score"
        process.kill()


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
    assert documents.jackknife(["a", "b"]) == []
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


@pytest.mark.parametrize(
    ("fail", "message"),
    [
        ("sick", "says that it is not well"),
        ("refuse", "could not score an item: too long"),
        ("no-number", "no number for 'length': 'high'"),
        ("nan", "did not answer with a JSON object|answered inf"),
        ("wrong-id", "an id that was not asked: 7"),
        ("no-json", "did not answer with a JSON object: 'hello"),
        ("crash", "ended before it answered: out of memory"),
        ("silent", "did not answer within 2 seconds"),
    ],
)
def test_programs_that_misbehave(fail: str, message: str) -> None:
    metric = External(command=f"{COMMAND} --fail {fail}", scores=("length",), timeout=2.0)
    with pytest.raises(ExternalError, match=message):
        metric.score(f"a text for {fail}", ["b"])


def test_servers_that_are_not_there() -> None:
    with pytest.raises(ExternalError, match="cannot be reached"):
        External(url="http://127.0.0.1:9/", scores=("s",), timeout=5).score("a", ["b"])
    for url in ("ftp://host/", "nonsense", "http://host:port/"):
        with pytest.raises(OptionError, match="address"):
            External(url=url, scores=("s",)).score("a", ["b"])


def test_a_server_that_fails() -> None:
    with subprocess.Popen(
        [sys.executable, PROGRAM, "--port", "0", "--fail", "status"],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        url = f"http://127.0.0.1:{process.stdout.readline().strip()}/"
        with pytest.raises(ExternalError, match="the status 500"):
            External(url=url, scores=("s",)).score("a", ["b"])
        process.kill()


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
    with pytest.raises(KaratError, match="--command or --url"):
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
