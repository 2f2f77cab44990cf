# ruff: noqa: E501 - tables of cases
"""Files of item scores: what is recognised, what is missing, and what is refused."""

from __future__ import annotations

import io
import json
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

import karat
from karat.core.runs.evaluation import Evaluation
from karat.core.shown import Raw, Text
from karat.engine.look import look
from karat.errors import KaratError
from karat.logs.metrics.scores import Scores
from karat.logs.model import ItemScores, as_prose

LM = {
    "doc_id": 0, "doc": {"q": "x" * 9000, "page": 3}, "filter": "none", "metrics": ["acc"],
    "doc_hash": "h", "acc": 1.0,
}  # fmt: skip
INSPECT: dict[str, Any] = {"version": 2, "status": "success", "eval": {"model": "m"}}
FOO = {"promptIdx": 0, "testIdx": 0, "provider": {"id": "a"}, "success": True, "score": 1}


def lines(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def inspect(*values: Any, **more: Any) -> str:
    samples = [
        {"id": i, "epoch": 1, "scores": {"s": {"value": value}}} for i, value in enumerate(values)
    ]
    return json.dumps({**INSPECT, "samples": samples, **more})


def foo(*results: dict[str, Any]) -> str:
    return json.dumps({"evalId": "e", "results": {"results": [{**FOO, **r} for r in results]}})


def read(tmp_path: Path, content: str | bytes, name: str = "file", **options: Any) -> Evaluation:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return karat.evaluate("scores", system=str(path), **options)


def archive(members: dict[str, Any], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as file:
        for name, content in members.items():
            file.writestr(name, json.dumps(content))
    return data.getvalue()


def parquet(columns: dict[str, list[Any]]) -> bytes:
    data = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), data)
    return data.getvalue()


SAMPLES = [
    {"id": "a", "epoch": 1, "scores": {"s": {"value": "C"}}},
    {"id": "b", "epoch": 1, "scores": {"s": {"value": "I"}}},
    {"id": "c", "epoch": 1, "scores": {"s": {"value": "C"}}},
]
OLD_EVAL = archive(
    {"header.json": INSPECT} | {f"samples/{each['id']}_epoch_1.json": each for each in SAMPLES}
)

READ: dict[str, tuple[str | bytes, str, dict[str, float]]] = {
    "long documents": (lines(LM, {**LM, "doc_id": 1, "acc": 0.0}), "lm-eval", {"acc": 0.5}),
    "older harness": (
        lines(*({"doc_id": i, "doc": {}, "filter": "f", "doc_hash": "h", "em": i % 2, "x": "y"}
                for i in range(2))), "lm-eval", {"em": 0.5},
    ),
    "NaN as Python writes it": (
        lines(LM, {**LM, "doc_id": 1, "acc": float("nan")}), "lm-eval", {"acc": 1.0},
    ),
    "a list is no score": (
        lines(*({**LM, "doc_id": i, "metrics": ["acc", "bleu"], "bleu": ["a", "b"]}
                for i in range(2))), "lm-eval", {"acc": 1.0},
    ),
    "grades": (inspect("C", "I", "P", "N", "yes", "no", True, "0.5"), "inspect", {"s": 0.5}),
    "an error is no zero": (
        json.dumps({**INSPECT, "samples": [
            {"id": 1, "scores": {"s": {"value": "C"}}},
            {"id": 2, "scores": {}, "error": {"message": "timeout"}},
            {"id": 3, "scores": {"s": {"value": "C"}}}]}), "inspect", {"s": 1.0},
    ),
    # One scorer of three failed; inspect_ai 0.3.285 counts what the others said, as it logs it.
    "an error in one scorer": (
        json.dumps({**INSPECT, "samples": [
            {"id": 1, "scores": {"s": {"value": "C"}, "t": {"value": 1}}},
            {"id": 2, "scores": {"s": {"value": "I"}}, "error": {"message": "no t"}},
            {"id": 3, "scores": {"s": {"value": "C"}, "t": {"value": 1}}}]}),
        "inspect", {"s": 2 / 3, "t": 1.0},
    ),
    "an older archive": (OLD_EVAL, "inspect", {"s": 2 / 3}),
    "a failed assertion is a zero, a failed call is missing": (
        foo({"testIdx": 0}, {"testIdx": 1, "success": False, "score": 0, "failureReason": 1,
                             "error": "expected x"},
            {"testIdx": 2, "success": False, "score": 0, "failureReason": 2, "error": "HTTP 500"}),
        "promptfoo", {"score": 0.5, "success": 0.5},
    ),
    "printed segments": (
        "a.txt\tSegment 0\tscore: 0.8123\na.txt\tSegment 1\tscore: 0.6123\na.txt\tscore: 0.7123\n",
        "comet", {"COMET": 0.7123},
    ),
    "dotted names": (
        lines(*({"id": i, "scores": {"acc": i % 2, "deep": {"x": 2.5}}, "text": "t"}
                for i in range(4))), "scores-jsonl", {"scores.acc": 0.5, "scores.deep.x": 2.5},
    ),
    "an array": (json.dumps([{"id": i, "acc": 1} for i in range(3)]), "scores-jsonl", {"acc": 1}),
    "a table with gaps": ("id,a,b,who\nx,1,,me\ny,,2,me\nz,0,4,me\n", "scores-csv", {"a": 0.5, "b": 3}),
    "truth values": ("id\tright\nx\tTrue\ny\tFalse\n", "scores-tsv", {"right": 0.5}),
    "one column": ("score\n1\n0\n", "scores-csv", {"score": 0.5}),
    "Parquet": (
        parquet({"id": ["a", "b"], "acc": [1, 0], "text": ["x", "y"], "tags": [["t"], []]}),
        "scores-parquet", {"acc": 0.5},
    ),
    "decimal numbers": (
        parquet({"id": ["a", "b"], "acc": [Decimal("0.25"), Decimal("0.75")]}), "scores-parquet", {"acc": 0.5},
    ),
    "structures": (parquet({"id": [1, 2], "m": [{"f": 0.5}, {"f": None}]}), "scores-parquet", {"m.f": 0.5}),
    "lighteval": (
        parquet({"doc": [{"id": "", "task_name": "t"}] * 2, "model_response": ["", ""],
                 "metric": [{"acc": 1.0, "all": [1]}, {"acc": 0.0, "all": [2]}]}),
        "lighteval", {"acc": 0.5},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", READ)
def test_what_is_read(case: str, tmp_path: Path) -> None:
    content, form, scores = READ[case]
    run = read(tmp_path, content)
    assert run.inputs is not None
    assert run.inputs.files[0].format == form
    found = {name: value for name, value in run.scores().items() if name != "items"}
    assert found == pytest.approx(scores)


REFUSED: dict[str, tuple[str | bytes, dict[str, Any], str]] = {
    "text": ("id,s\na,1\nb,1\nc,good\n", {}, "file:4: FormatError K196: 's' is 'good', expected a finite number"),
    "infinite": ("id,s\na,1\nb,inf\n", {}, "file:3: FormatError K196: 's' is 'inf', expected a finite number"),
    "no numbers": ("id,who\na,me\n", {}, "file:1: FormatError K198: no column holds numbers: id, who"),
    "a short row": ("id,s\na,1\nb\n", {}, "file:3: FormatError K198: the row has 1 cell, the header has 2"),
    "two columns of one name": ("s,s\n1,2\n", {}, "file:1: FormatError K198: two columns have one name: s, s"),
    "a dotted name twice": (lines({"id": 1, "a.b": 1}, {"id": 2, "a.b": 1, "a": {"b": 0}}), {}, "file:2: FormatError K198: two columns have one name: id, a.b, a.b"),
    "an id is missing": ("id,s\na,1\n,0\n", {}, "file:3: PairingError K206: the row has no 'id'"),
    "no such id column": ("id,s\na,1\n", {"format_options": {"id_field": "key"}}, "file:1: FormatError K198: there is no column 'key': id, s"),
    "mostly missing": ("id,s\na,1\nb,\nc,\n", {}, "file: FormatError K199: 2 of 3 items have no 's': more than half"),
    "a line twice": (lines(LM, LM), {}, "file:2: FormatError K197: doc_id 0 and filter 'none' occur twice, first in line 1: the harness appends to a file that is there already"),
    "no JSON": (lines(LM) + "{\n", {}, "file:2: FormatError K197: this is not JSON: Input data was truncated"),
    "metrics without names": (lines({**LM, "metrics": [["acc"]]}), {}, "file:1: FormatError K197: 'metrics' is not a list of names"),
    "no samples": (json.dumps(INSPECT), {}, "file: FormatError K197: the log holds no samples: it is a header, or the samples were not logged"),
    "a version to come": (inspect("C", version=3), {}, "file: FormatError K197: the log is of version 3; known are versions 1 to 2"),
    "an archive to come": (archive({"header.json": {**INSPECT, "version": "x"}, "summaries.json": SAMPLES}), {}, "file: FormatError K197: the log is of version 'x'; known are"),
    "results to come": (json.dumps({"evalId": "e", "results": {"version": 4, "results": [FOO]}}), {}, "file: FormatError K197: the log is of version 4; known are versions 1 to 3"),
    "a strange grade": (inspect("C", "good"), {}, "file: FormatError K196: item '1 (sample 2)': 's' is 'good', expected a finite number"),
    "several systems": (foo({}, {"provider": {"id": "b"}}), {}, "OptionError K326: FILE holds the scores of 2 systems: a, b"),
    "no such system": (foo({}), {"format_options": {"only_system": "z"}}, "OptionError K326: FILE has no system 'z': a"),
    "a wrong mean": ("a\tSegment 0\tscore: 0.8\na\tscore: 0.9\n", {}, "file:2: FormatError K197: the mean of the segments is 0.8000, the file says 0.9000"),
    "a lost segment": ("a\tSegment 0\tscore: 0.8\na\tSegment 2\tscore: 0.9\n", {}, "file:2: FormatError K197: segment 2 comes where segment 1 is expected"),
    "deep": ('[' * 100_000, {}, "file: FormatError K197"),
    "cut short": (OLD_EVAL[:300] , {"format": "inspect"}, "file: FormatError K104"),
    "damaged Parquet": (b"PAR1" + b"x" * 40, {}, "file: FormatError K104: this is not a Parquet file, or it is damaged"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str, tmp_path: Path) -> None:
    content, options, message = REFUSED[case]
    with pytest.raises(KaratError) as caught:
        read(tmp_path, content, **options)
    path = str(tmp_path / "file")
    found = caught.value.headline.replace(f"{path}:", "file:").replace(path, "FILE")
    assert found.startswith(message)


def test_one_of_several_systems(tmp_path: Path) -> None:
    content = foo({}, {"provider": {"id": "b"}, "score": 0, "success": False})
    run = read(tmp_path, content, format_options={"only_system": "b"})
    assert run.scores()["score"] == 0.0


def test_warnings(tmp_path: Path) -> None:
    run = read(tmp_path, "id,acc,same\na,1,5\nb,2,5\nc,,5\n", "x.csv")
    assert run.remarks == [
        "1 value lies outside the range of 'acc', 0:1",
        "all items have the same 'same': 5",
        "1 of 3 items has no score 'acc'",
    ]
    stopped = read(tmp_path, inspect("C", "I", status="cancelled"), "log.json")
    assert "its status is 'cancelled'" in stopped.warnings[0]
    printed = read(tmp_path, "a\tSegment 0\tscore: 0.8\na\tSegment 1\tscore: 0.7\n", "comet.txt")
    assert "four decimals" in printed.warnings[0]


def test_ranges_decide_about_intervals(tmp_path: Path) -> None:
    content = "id,x\n" + "".join(f"{i},{i / 10}\n" for i in range(11))
    free = read(tmp_path, content)
    assert free.confidence().methods == {("x",): "skew-t"}
    bounded = karat.evaluate("scores(range=('x=0:1',))", system=str(tmp_path / "file"))
    assert bounded.confidence().methods == {("x",): "anchored"}
    assert bounded.metric.about.range_of(("x",)) == (0.0, 1.0)


def test_texts_are_not_kept(tmp_path: Path) -> None:
    content = lines(*({"id": i, "acc": 1, "prompt": "p" * 500, "who": "me"} for i in range(3)))
    assert read(tmp_path, content).groups == {"who": ["me"] * 3}


def test_items_in_another_order_and_other_scores_are_compared(tmp_path: Path) -> None:
    one = read(tmp_path, "id,acc,f\na,1,0.5\nb,0,0.5\nc,1,1\n", "one.csv")
    two = read(tmp_path, "id,acc,g\nc,0,1\nb,0,2\na,1,3\n", "two.csv")
    found = one.compare(two)
    assert list(found.differences) == [("acc",)]
    assert found["acc"].difference == pytest.approx(1 / 3)
    ranked = karat.Ranking([one, two])
    assert ranked.score == "acc"
    with pytest.raises(KaratError, match="no score in common"):
        one.compare(read(tmp_path, "id,g\na,1\nb,1\nc,0\n", "three.csv"))
    with pytest.raises(KaratError, match="not measured on the same items"):
        one.compare(read(tmp_path, "id,acc\na,1\nb,1\nd,0\n", "four.csv"))


def test_a_saved_run_is_verified(tmp_path: Path) -> None:
    run = read(tmp_path, "id,acc,page\na,1,7\na,0,7\nb,1,8\n", pair="samples",
               format_options={"group_field": ("page",)})  # fmt: skip
    path = str(tmp_path / "x.run")
    run.save(path)
    assert karat.verify(path).items == 3
    loaded = Evaluation.load(path)
    assert loaded.keys == [("a", "1"), ("a", "2"), ("b", "1")]
    assert loaded.groups == {"page": ["7", "7", "8"]}
    assert loaded.confidence(cluster="id") == run.confidence(cluster="id")


def test_a_page_shows_scores_and_no_hashes() -> None:
    metric = Scores(names=("acc", "f1"))
    found = metric.shown(ItemScores({"acc": 1.0, "f1": None, "more": 0.5}, mark="94336be6"), "", {})
    assert found.system == Raw("acc 1\nf1 –")
    assert not found.golds


CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "What is 2 + 2?"}, {"type": "image"}]},
]
TEXTS = {
    "lm-eval": (
        lines({**LM, "arguments": {"gen_args_0": {"arg_0": "2 + 2 =", "arg_1": {}}}, "target": 4, "resps": [["5"]]}),
        ("2 + 2 =", "4", "5"),
    ),
    "lm-eval, choices": (
        lines({**LM, "arguments": {"gen_args_0": {"arg_0": "Q", "arg_1": " yes"}}, "resps": [[["-3.2", "False"]]]}),
        ("Q", "", ""),
    ),
    "inspect": (
        json.dumps({**INSPECT, "samples": [{"id": 1, "scores": {"s": {"value": "C"}}, "input": CHAT, "target": ["4", "four"], "output": {"completion": "4"}}]}),
        ("system: Be brief.\n\nuser: What is 2 + 2?", "4\n\nfour", "4"),
    ),
    "promptfoo": (foo({"prompt": {"raw": "2 + 2?"}, "response": {"output": "4"}}), ("2 + 2?", "", "4")),
    "comet": (json.dumps({"a": [{"src": "zwei", "mt": "two", "ref": "2", "COMET": 0.5}]}), ("zwei", "2", "two")),
}  # fmt: skip


@pytest.mark.parametrize(("content", "texts"), TEXTS.values(), ids=TEXTS)
def test_a_page_shows_prompts_answers_and_outputs(
    tmp_path: Path, content: str, texts: tuple[str, str, str]
) -> None:
    run = read(tmp_path, content)
    (seen,) = look(run)
    found = run.metric.shown(seen.pair.system, seen.pair.gold, {})  # type: ignore[attr-defined]
    prompt, expected, output = texts
    assert found.source == (prompt or None)
    assert found.golds == ([Text(expected)] if expected else [])
    assert found.system == Text(output) if output else isinstance(found.system, Raw)


def test_of_long_texts_a_page_has_the_end_of_the_prompt_and_the_beginning_of_the_output() -> None:
    assert as_prose("a" * 9000 + "?", last=True) == "… " + "a" * 3999 + "?"
    assert as_prose("!" + "a" * 9000) == "!" + "a" * 3999 + " …"
