"""Every output about items has the same items, in the same order, with the same scores."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from karat.cli.evaluate import evaluate
from karat.cli.explain import explain
from karat.core.runs.evaluation import Evaluation
from karat.engine.look import look
from pages import WrittenPage


def graph(name: str, framework: str, labels: str, **more: Any) -> dict[str, Any]:
    nodes = [{"id": i, "label": label} for i, label in enumerate(labels)]
    return {"id": name, "framework": framework, "nodes": nodes, "tops": [0], **more}


class Case(NamedTuple):
    """Two files, how they are measured, and what the items are called, in gold order."""

    metric: str
    gold: list[Any]
    system: list[Any]
    options: list[str]
    names: list[dict[str, str]]
    f: list[float]


def summary(name: str, system: str, text: str) -> dict[str, Any]:
    return {
        "instance_id": name,
        "summarizer_id": system,
        "summary": text,
        "references": ["the dog barks"],
    }


CASES = {
    "several systems": Case(
        "rouge",
        [],
        [
            summary("1", "A", "the dog barks"),
            summary("1", "B", "no"),
            summary("2", "A", "a cat"),
            summary("2", "B", "the dog barks"),
        ],
        [],
        [{"id": name, "summarizer_id": system} for name in "12" for system in "AB"],
        [100, 0, 0, 100],
    ),
    "several frameworks": Case(
        "mrp",
        [graph("1", "amr", "ab"), graph("1", "eds", "ab"), graph("2", "eds", "c")],
        [graph("2", "eds", "c"), graph("1", "eds", "ab"), graph("1", "amr", "xy")],
        [],
        [
            {"id": "1", "framework": "amr"},
            {"id": "1", "framework": "eds"},
            {"id": "2", "framework": "eds"},
        ],
        [1 / 3, 1, 1],
    ),
    "superseded gold, and items without a system item": Case(
        "mrp",
        [
            graph("1", "eds", "xy"),
            graph("2", "eds", "a"),
            graph("3", "eds", "b"),
            graph("1", "eds", "ab"),
        ],
        [graph("3", "eds", "x"), graph("1", "eds", "ab")],
        [],
        [{"id": "1"}, {"id": "2"}, {"id": "3"}],
        [1, 0, 0.5],
    ),
    "skipped items": Case(
        "mrp",
        [graph("1", "eds", "a"), graph("2", "eds", "b", tops=[7]), graph("3", "eds", "c")],
        [graph("3", "eds", "x"), graph("2", "eds", "b"), graph("1", "eds", "a")],
        ["--on-error", "skip"],
        [{"id": "1"}, {"id": "3"}],
        [1, 0.5],
    ),
    "the same id twice, paired by position": Case(
        "mrp",
        [graph("1", "eds", "a"), graph("1", "eds", "b")],
        [graph("1", "eds", "a"), graph("1", "eds", "x")],
        ["--pair", "position"],
        [{"id": "1", "item": "1"}, {"id": "1", "item": "2"}],
        [1, 0.5],
    ),
}
HEADLINE = {"rouge": "rouge-1.f1", "mrp": "all.f"}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.fixture
def files(case: Case, tmp_path: Path) -> list[str]:
    words = []
    for flag, name, records in (("-g", "gold", case.gold), ("-s", "system", case.system)):
        if records:
            path = tmp_path / f"{name}.{'mrp' if case.metric == 'mrp' else 'jsonl'}"
            path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
            words += [flag, str(path)]
    return [*words, *case.options, "-q"]


Run = Callable[..., str]


@pytest.fixture
def run(case: Case, files: list[str], tmp_path: Path) -> Run:
    def run(output: str, *further: str) -> str:
        words = [case.metric, *files, output, str(tmp_path / "out"), *further]
        result = CliRunner().invoke(evaluate, words, standalone_mode=False)
        if result.exception:
            raise result.exception
        return (tmp_path / "out").read_text(encoding="utf-8", errors="replace")

    return run


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def headline(case: Case, scores: Any) -> float:
    for name in HEADLINE[case.metric].split("."):
        scores = scores[name]
    return float(scores)


def named(case: Case, record: dict[str, Any]) -> dict[str, str]:
    """What a record calls its item, of what tells the items of the case apart."""
    return {name: record[name] for name in case.names[0]}


def test_items(case: Case, run: Run) -> None:
    found = lines(run("--items"))
    assert [record["id"] for record in found] == [name["id"] for name in case.names]
    assert [headline(case, record["scores"]) for record in found] == pytest.approx(case.f)


def test_sentences(case: Case, run: Run) -> None:
    items = lines(run("--items"))
    rows = list(csv.DictReader(io.StringIO(run("--sentences")), delimiter="\t", quoting=3))
    assert [row["id"] for row in rows] == [record["id"] for record in items]
    for row, record in zip(rows, items, strict=True):
        assert float(row[HEADLINE[case.metric]]) == headline(case, record["scores"])
        fields = record.keys() - {"id", "scores"}
        assert {name: row[name] for name in fields} == {name: record[name] for name in fields}


def is_perfect(explanation: dict[str, Any]) -> bool:
    """What an explanation says by itself, in the words of either metric."""
    if "references" in explanation:
        measure = explanation["references"][0]["measures"]["rouge-1"]
        return bool(measure["hits"] == measure["gold"] == measure["system"])
    return not any(
        explanation[kind].get(side) for kind in ("labels", "tops") if kind in explanation
        for side in ("missing", "surplus")
    )  # fmt: skip


def test_errors(case: Case, run: Run) -> None:
    found = lines(run("--errors"))
    assert [named(case, record) for record in found] == case.names
    assert [is_perfect(record) for record in found] == [f in (1, 100) for f in case.f]


@pytest.mark.parametrize("output", ["--errors", "--sentences"])
def test_only_errors_and_samples(case: Case, run: Run, output: str) -> None:
    def chosen(*options: str) -> list[str]:
        text = run(output, *options)
        return text.splitlines()[output == "--sentences" :]

    all_of_them = chosen()
    assert len(all_of_them) == len(case.names)
    wrong = [line for line, f in zip(all_of_them, case.f, strict=True) if f not in (1, 100)]
    assert chosen("--only-errors") == wrong
    (one,) = chosen("--sample", "1", "--seed", "3")
    assert one in all_of_them


@pytest.mark.parametrize("case", [each for each in CASES.values() if each.metric == "mrp"])
def test_error_profile(case: Case, run: Run) -> None:
    explained = lines(run("--errors"))
    missing = sum(len(record.get("labels", {}).get("missing", ())) for record in explained)
    profile = json.loads(run("--error-profile"))
    assert sum(each["count"] for each in profile["missing"]["labels"]) == missing


def test_report(case: Case, run: Run) -> None:
    page = WrittenPage(run("--report").encode())
    assert [key.partition("~")[0] for key in page.ids()] == [name["id"] for name in case.names]
    assert len(set(page.ids())) == len(case.names)
    assert page.scores() == pytest.approx(case.f)
    assert len(page.items()) == len(case.names)
    assert None not in page.items()


def without_matches(value: Any) -> Any:
    """An explanation without n-grams that match, which files about many items do not list."""
    if isinstance(value, list):
        return [without_matches(each) for each in value]
    if not isinstance(value, dict):
        return value
    left_out = ("matched", "clipped") if "surplus" in value else ()
    return {name: without_matches(part) for name, part in value.items() if name not in left_out}


def test_explain(case: Case, files: list[str], run: Run) -> None:
    words = [case.metric, *(word for word in files if word != "-q"), "--first", "99", "--json", "-"]
    result = CliRunner().invoke(explain, words, standalone_mode=False)
    if result.exception:
        raise result.exception
    documents = json.loads(result.stdout)
    assert [document["id"] for document in documents] == [name["id"] for name in case.names]
    for document, record in zip(documents, lines(run("--errors")), strict=True):
        assert without_matches(document["explanation"]).items() <= without_matches(record).items()


def test_an_id_that_several_items_have_shows_all_of_them(case: Case, files: list[str]) -> None:
    name = case.names[0]["id"]
    words = [case.metric, *(word for word in files if word != "-q"), "--item", name, "--json", "-"]
    result = CliRunner().invoke(explain, words, standalone_mode=False)
    number = sum(each["id"] == name for each in case.names)
    documents = json.loads(result.stdout)
    assert len(documents) == number
    assert (f"{number} items have the id {name!r}" in result.stderr) == (number > 1)
    assert len({json.dumps(named(case, each)) for each in documents}) == number


def test_a_saved_run_shows_the_same(case: Case, run: Run, tmp_path: Path) -> None:
    run("--save")
    saved = Evaluation.load(str(tmp_path / "out"))
    seen = list(look(saved))
    assert [each.position for each in seen] == list(range(len(case.names)))
    assert [each.pair.id for each in seen] == [name["id"] for name in case.names]
    rows = [saved.metric.measure(each.pair.system, each.pair.gold) for each in seen]
    assert rows == saved.counts.tolist()
    (last,) = look(saved, [len(seen) - 1])
    assert last.pair == seen[-1].pair


def test_all_outputs_of_one_run(case: Case, files: list[str], run: Run, tmp_path: Path) -> None:
    """Together they are made in one pass, and say what each says alone."""
    names = ["--items", "--errors", "--sentences", "--report"]
    names += ["--error-profile"] if case.metric == "mrp" else []
    alone = {name: run(name) for name in names}
    paths = {name: tmp_path / name.strip("-") for name in names}
    words = [word for name in names for word in (name, str(paths[name]))]
    result = CliRunner().invoke(evaluate, [case.metric, *files, *words], standalone_mode=False)
    assert result.exception is None
    assert {name: path.read_text(encoding="utf-8") for name, path in paths.items()} == alone
