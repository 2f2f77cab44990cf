"""What `verify` checks beside the rows, and what it never does."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from karat.core.capabilities import would_run
from karat.core.options import declared
from karat.core.plugins import METRICS, rows
from karat.core.registry import metric_class, parse
from karat.core.runs import store
from karat.core.runs.evaluation import Evaluation
from karat.core.runs.store import Input, Inputs
from karat.engine import evaluate, verify
from karat.engine.look import look
from karat.errors import OptionError, VerificationError
from karat.report.page import PageMaker
from karat.version import VERSION

GRAPH = '{"id": "%s", "framework": "eds", "nodes": [{"id": 0, "label": "%s"}], "tops": [0]}\n'


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run whose gold repeats an id, and has an item that cannot be read."""
    gold, system = tmp_path / "gold.mrp", tmp_path / "system.mrp"
    broken = GRAPH.replace('"tops": [0]', '"tops": [9]') % ("3", "c")
    gold.write_text(GRAPH % ("1", "x") + GRAPH % ("2", "b") + GRAPH % ("1", "a") + broken)
    system.write_text("".join(GRAPH % each for each in (("1", "a"), ("2", "y"), ("3", "c"))))
    found = evaluate("mrp", system=system, gold=gold, on_error="skip", certify=True)
    assert found.scores()["labels"]["c"] == 1
    found.save(str(tmp_path / "a.run"))
    return tmp_path / "a.run"


def test_a_run_whose_gold_repeats_an_id_is_verified(run: Path) -> None:
    checked = verify(str(run))
    assert (checked.items, checked.skipped) == (2, 1)
    assert any("repeats an id" in warning for warning in checked.warnings)


def changed(run: Path, **fields: Any) -> None:
    record = msgspec.structs.replace(store.load(str(run)), **fields)
    run.write_bytes(store.encode(record))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"warnings": []}, "other warnings"),
        ({"warnings": ["all is well"]}, "other warnings"),
        ({"system": "a better one"}, "calls its system 'a better one'"),
        ({"skipped": 0}, "1 item of the input files is left out, the run says 0"),
        ({"places": [1, 2]}, "other places"),
        ({"keys": [("dm", None), ("eds", None)]}, "other keys"),
    ],
)
def test_what_a_run_says_of_its_items_is_checked(
    run: Path, fields: dict[str, Any], message: str
) -> None:
    changed(run, **fields)
    with pytest.raises(VerificationError, match=f"K604: .*{message}"):
        verify(str(run))


def test_another_version_may_put_warnings_in_other_words(run: Path) -> None:
    saved = store.load(str(run))
    changed(run, version="0.0.9", warnings=["in other words"] * len(saved.warnings))
    assert list(verify(str(run)).warnings) == saved.warnings
    changed(run, version="0.0.9", warnings=[])
    with pytest.raises(VerificationError, match="K604"):
        verify(str(run))


def test_a_run_of_an_earlier_version_loads(run: Path) -> None:
    changed(run, keys=[], places=[])
    loaded = Evaluation.load(str(run))
    assert loaded.keys == [("1",), ("2",)]
    assert not loaded.has_places


# -- commands -------------------------------------------------------------------


@pytest.fixture
def touching(tmp_path: Path) -> Callable[[str], tuple[str, Path]]:
    """Saves a run whose metric runs a command that leaves a file behind."""

    def make(text: str) -> tuple[str, Path]:
        trace = tmp_path / "trace"
        command = shlex.join([sys.executable, "-c", f"open({str(trace)!r}, 'w')"])
        metric = parse(text.replace("COMMAND", json.dumps(command)))
        data = tmp_path / "data.jsonl"
        data.write_text('{"id": "1", "summary": "a", "references": ["a"]}\n')
        digest = store.Source(data).digest()
        inputs = Inputs((Input("system", str(data), "jsonl", {}, digest),))
        evaluation = Evaluation(
            metric, ["1"], np.zeros((1, len(metric.columns))), system=str(data), inputs=inputs
        )
        evaluation.save(str(tmp_path / "a.run"))
        return str(tmp_path / "a.run"), trace

    return make


COMMANDS = ['external(scores=("x",), command=COMMAND)', "bleurt(command=COMMAND)"]


@pytest.mark.parametrize("text", COMMANDS)
def test_a_saved_run_runs_nothing(text: str, touching: Callable[[str], tuple[str, Path]]) -> None:
    path, trace = touching(text)
    with pytest.raises(VerificationError, match=r"K608: .*would use the command '.*trace"):
        verify(path)
    loaded = Evaluation.load(path)
    _, notes = PageMaker([loaded]).page()
    assert "would use the command" in notes[0]
    some = loaded.taken([0])  # which is as little trusted as the whole
    assert (some.version, some.system, some.system_field) == (VERSION, loaded.system, "")
    for each in (loaded, some):
        with pytest.raises(VerificationError, match="K608"):
            list(look(each))
    assert not trace.exists()


@pytest.mark.parametrize("text", COMMANDS)
def test_the_user_may_allow_it(text: str, touching: Callable[[str], tuple[str, Path]]) -> None:
    path, trace = touching(text)
    with pytest.raises(VerificationError, match="K606"):  # the program answers nothing
        verify(path, allow_commands=True)
    assert trace.exists()


@pytest.mark.parametrize(
    "text",
    [
        'external(scores=("x",), url="http://localhost:1/")',
        'bleurt(url="http://localhost:1/")',
        'qa(url="http://localhost:1/")',
        'qa(command="true")',
        'qa(function="os:getcwd")',
        'meteor(engine="java")',
        'meteor(engine="java", jar="x.jar")',
    ],
)
def test_metrics_say_what_they_run(text: str) -> None:
    assert would_run(parse(text))


def test_every_metric_that_can_run_something_says_so() -> None:
    found = 0
    for name, row in rows(METRICS).items():
        options = set(declared(metric_class(name))) if row.package == "karat" else set()
        for option in options & {"command", "url", "function"}:
            further = {"scores": ("x",)} if "scores" in options else {}
            assert "'x'" in would_run(metric_class(name)(**{option: "x"}, **further)), name
            found += 1
    assert found > 10


@pytest.mark.parametrize("order", [1, -1])
def test_gold_files_in_several_formats_are_read_again_as_they_were(
    order: int, tmp_path: Path
) -> None:
    """Each in its own: JSON lines taken for plain ones would be references, too."""
    (tmp_path / "a.txt").write_text("the dog\na cat\n")
    (tmp_path / "b.jsonl").write_text('{"reference": "a dog"}\n{"reference": "the cat"}\n')
    (tmp_path / "s.txt").write_text("the dog\nthe cat\n")
    golds = [tmp_path / "a.txt", tmp_path / "b.jsonl"][::order]
    expected = [["the dog", "a dog"][::order], ["a cat", "the cat"][::order]]
    found = evaluate("rouge", system=tmp_path / "s.txt", gold=golds)
    found.save(str(tmp_path / "a.run"))
    assert verify(str(tmp_path / "a.run")).items == 2
    assert [seen.pair.gold for seen in look(found)] == expected
    assert [seen.pair.gold for seen in look(Evaluation.load(str(tmp_path / "a.run")))] == expected


def test_each_gold_file_may_have_its_format(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("the dog\n")
    (tmp_path / "b").write_text('{"reference": "a dog"}\n')
    golds, system = [tmp_path / "a", tmp_path / "b"], tmp_path / "a"
    found = evaluate("exact", system=system, gold=golds[:1], gold_format=["lines"])
    assert found.scores() == {"accuracy": 1.0}
    found = evaluate("rouge", system=system, gold=golds, gold_format=["lines", "jsonl"])
    assert [seen.pair.gold for seen in look(found)] == [["the dog", "a dog"]]
    with pytest.raises(OptionError, match="K302: there are 2 gold files, and 1 formats"):
        evaluate("rouge", system=system, gold=golds, gold_format=["lines"])
