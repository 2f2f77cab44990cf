"""``karat setup metric`` and what ``karat doctor`` says of metrics."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from karat.cli.doctor import doctor
from karat.cli.setup import setup
from karat.errors import OptionError


@pytest.fixture(autouse=True)
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KARAT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def run(*words: str) -> str:
    result = CliRunner().invoke(setup, ["metric", *words], standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.output


def test_without_a_name_it_shows_what_can_be_set_up() -> None:
    shown = run()
    assert "meteor: karat setup metric meteor --from FOLDER" in shown
    assert "bleurt: install google-research/bleurt" in shown


def test_a_program_is_kept(empty_home: Path) -> None:
    assert run("bleurt", "--command", "python x.py").strip() == str(
        empty_home / "metrics" / "bleurt" / "program.json"
    )
    assert "bleurt: ready" in run()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["meteor"], "is set up from files"),
        (["meteor", "--url", "http://x"], "is set up from files"),
        (["bleurt"], "give --command or --url"),
        (["bleurt", "--from", "x"], "is a program"),
        (["rouge"], "the metric 'rouge' needs no setup"),
        (["metor"], "there is no metric 'metor'; did you mean 'meteor'"),
        (["bleurtt"], "did you mean 'bleurt'"),
    ],
)
def test_wrong_use(words: list[str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        run(*words)


def test_the_doctor_knows_every_metric() -> None:
    result = CliRunner().invoke(doctor, ["--json"], standalone_mode=False)
    metrics = {m["name"]: m["missing"] for m in json.loads(result.output)["metrics"]}
    assert metrics["rouge"] == ""
    assert "karat setup metric bleurt" in metrics["bleurt"]
    shown = CliRunner().invoke(doctor, [], standalone_mode=False).output
    assert "metric bleurt: install" in shown
