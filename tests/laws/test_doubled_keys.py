"""A key that stands twice in one object of JSON is never silent, in any format and setting.

In records the last one counts, as for every decoder, and a warning says so. In settings and in
records of scores it is an error. Documents that are compared have a rule of their own: in gold it
is an error, in outputs it is counted (tests/twins/test_json_records.py).
"""

from __future__ import annotations

import json
import random
import zipfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import karat
from karat._native import doubled_keys
from karat.core.plugins import FORMATS, own_rows
from karat.core.reading.streams import Stream
from karat.core.registry import format_class, metric_class
from karat.errors import KaratError

NODE = '{"id":0,"label":"bark","label":"dog","anchors":[{"from":0,"to":3}]}'
SAMPLE = (
    '{"id":"q0","epoch":1,"epoch":1,"input":"","target":"","scores":{"s":{"value":9,"value":1}}}'
)
EVAL = '"version":2,"status":"success","eval":{"task":"t","model":"m"}'
SCUS = '"summary":"a dog","scus":[]'

FILES: dict[str, str] = {
    "jsonl": '{"id":"1","text":"wrong","text":"a dog"}\n{"id":"2","text":"cat"}\n',
    "json-texts": '[{"id":"1","text":"wrong","text":"a dog"},\n{"id":"2","text":"cat"}]\n',
    "squad-json": '{"q1":"wrong","q1":"Paris"}\n',
    "reference-based": '{"instance_id":"1","summary":"x","summary":"a","references":["b"]}\n',
    "document-based": '{"instance_id":"1","summary":"x","summary":"a","documents":["b"]}\n',
    "summary-only": '{"instance_id":"1","summary":"x","summary":"a"}\n',
    "split-document-based": '{"instance_id":"1","summary":"x","summary":"a"}\n',
    "pyramid-based": f'{{"instance_id":"1","summarizer_id":"x","summarizer_id":"a",{SCUS}}}\n',
    "mrp": f'{{"id":"1","flavor":0,"framework":"dm","input":"dog","tops":[0],"nodes":[{NODE}]}}\n',
    "norec": '[{"sent_id":"x","sent_id":"1","text":"a dog","opinions":[]}]\n',
    "json-records": '{"id":"1","output":{"a":1},"output":{"a":2}}\n',
    "span-lines": '{"id":"1","spans":[],"spans":[["PER",0,1]]}\n',
    "lf-jsonl": '{"id":"1","lf":"x","lf":"dog ( x _ 1 )"}\n',
    "lm-eval": '{"doc_id":0,"doc":{},"filter":"none","metrics":["acc"],"acc":0.0,"acc":1.0,'
    '"doc_hash":"h","target":""}\n',
    "inspect": f'{{{EVAL},"samples":[{SAMPLE}]}}\n',
    "promptfoo": '{"evalId":"e","results":{"version":3,"results":[{"promptIdx":0,"testIdx":0,'
    '"provider":{"id":"a"},"success":true,"score":0,"score":1,"namedScores":{},"vars":{}}]}}\n',
    "comet": '{"a.txt":[{"src":"a","mt":"b","ref":"c","COMET":0.1,"COMET":0.8}]}\n',
    "scores-jsonl": '{"id":"1","f":0.0,"f":1.0}\n',
}
SECOND = {
    "split-document-based": ("documents", '{"instance_id":"1","documents":["b"]}\n'),
    "pyramid-based": (
        "pyramids",
        '{"instance_id":"1","summaries":["a dog"],"summarizer_ids":["s"],"scus":[]}\n',
    ),
}
DOCUMENTS = {"json-array", "json-documents"}
"""Formats of documents that are compared."""


def _items(path: Path, name: str, options: dict[str, Any]) -> tuple[list[Any], list[str]]:
    stream = Stream(path, [format_class(name).kind], "system", name, options)
    found = []
    for item in stream:
        assert item.error is None, item.error
        found.append((item.key, item.value, item.fields))
    return found, stream.warnings()


def _without_doubles(text: str) -> str:
    """The same records, of each key the last."""
    if text.startswith("{") and text.count("\n") > 1:
        return "".join(_compact(line) + "\n" for line in text.splitlines())
    return _compact(text) + "\n"


def _compact(text: str) -> str:
    return json.dumps(json.loads(text), separators=(",", ":"))


def test_all_formats_of_json_are_here() -> None:
    rows = {row.name for row in own_rows(FORMATS) if row.reads and "JSON" in row.summary}
    watched = {row.name for row in own_rows(FORMATS) if row.reads and _watches(row.name)}
    assert rows | watched | {"mrp"} == FILES.keys() | DOCUMENTS
    assert watched == FILES.keys() - {"mrp"}  # which is looked at where a graph is parsed


def _watches(name: str) -> bool:
    return bool(format_class(name).json_keys)


@pytest.mark.parametrize("name", FILES)
def test_the_last_counts_and_a_warning_says_so(name: str, tmp_path: Path) -> None:
    options = {}
    if name in SECOND:
        option, text = SECOND[name]
        (tmp_path / "second.jsonl").write_text(text)
        options = {option: str(tmp_path / "second.jsonl")}
    doubled, plain = tmp_path / "samples_doubled.json", tmp_path / "samples_plain.json"
    doubled.write_text(FILES[name])
    plain.write_text(_without_doubles(FILES[name]))
    items, warnings = _items(doubled, name, options)
    expected, quiet = _items(plain, name, options)
    assert not [each for each in quiet if "twice" in each]
    assert len([each for each in warnings if "a key twice" in each]) == 1
    shown = json.dumps(items, default=repr).replace(str(doubled), str(plain))
    assert shown == json.dumps(expected, default=repr)


@pytest.mark.parametrize("jobs", [1, 2])
def test_native_readers_say_so(jobs: int, tmp_path: Path) -> None:
    for name, metric, suffix in (("jsonl", "bleu", "jsonl"), ("mrp", "mrp", "mrp")):
        gold, system = tmp_path / f"gold.{suffix}", tmp_path / f"system.{suffix}"
        system.write_text(FILES[name])
        gold.write_text(_without_doubles(FILES[name]))
        run = karat.evaluate(metric, system=str(system), gold=str(gold), jobs=jobs)
        assert [each for each in run.warnings if "a key twice" in each and "system" in each]
        assert not [each for each in run.warnings if "gold" in each]
        same = karat.evaluate(metric, system=str(gold), gold=str(gold))
        assert run.scores() == same.scores()


def test_members_of_archives(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", f"{{{EVAL}}}")
        archive.writestr("summaries.json", f"[{SAMPLE}]")
    _, warnings = _items(path, "inspect", {})
    assert [each for each in warnings if "2 objects have a key twice" in each]


def test_settings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(KaratError, match="'a' twice"):
        metric_class("json")(paths='{"a": {"weight": 1}, "a": {"weight": 2}}')
    schema = tmp_path / "schema.json"
    schema.write_text('{"type": "object", "type": "array"}')
    pytest.importorskip("jsonschema")
    with pytest.raises(KaratError, match="'type' twice"):
        metric_class("json")(schema=str(schema)).score("{}", "{}")


def _twin(text: str) -> int:
    """How many objects have a key twice, by the decoder of Python."""
    found = 0

    def members(pairs: list[tuple[str, Any]]) -> Any:
        nonlocal found
        found += len({key for key, _ in pairs}) < len(pairs)
        return object()

    json.loads(text, object_pairs_hook=members)
    return found


def test_keys_are_found_as_python_finds_them() -> None:
    draw = random.Random(5)
    names = ["a", "b", "key", "\\u0061", 'q\\"', "é", "\\u00e9", "long name of a key", "x" * 8, ""]
    seen: dict[bool, int] = defaultdict(int)

    def value(depth: int) -> str:
        kind = draw.randrange(6 if depth < 4 else 3)
        if kind == 0:
            return draw.choice(["1", "-2.5e3", "null", "true"])
        if kind in (1, 2):
            return draw.choice(['"{"', '"\\\\"', '"\\", \\"a\\": 1"', '"[,]"', '""'])
        if kind == 3:
            return "[" + ", ".join(value(depth + 1) for _ in range(draw.randrange(4))) + "]"
        count = draw.choice([0, 1, 2, 3, 4, 40 if depth < 2 else 2])
        many = [f"k{draw.randrange(3000)}" for _ in range(count)]
        keys = draw.choices(names, k=count) if count < 9 else many
        gap = draw.choice(["", " ", "\n"])
        return "{" + ("," + gap).join(f'"{key}"{gap}:{value(depth + 1)}' for key in keys) + "}"

    for _ in range(2000):
        text = value(0)
        count, _, name = doubled_keys(text.encode(), False, True)
        assert count == _twin(text), text
        assert bool(name) <= bool(count)
        seen[bool(count)] += 1
    assert min(seen.values()) > 100
