"""Documents, spans and texts that mean no good: the right figure or one clear error, quickly."""

from __future__ import annotations

import json
import random
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core.files.opener import Source
from karat.engine import evaluate
from karat.errors import KaratError, LimitExceeded
from karat.records.formats.documents import JsonArray
from karat.records.metrics.json import Json
from karat.records.metrics.spans import Spans
from karat.records.metrics.tool_calls import ToolCalls
from karat.text.metrics.wer import Wer

MANY = 100_000
DOCUMENTS: dict[str, str | bytes] = {
    "deep lists": "[" * MANY + "]" * MANY,
    "deep objects": '{"a":' * MANY + "1" + "}" * MANY,
    "open brackets": "[" * 500_000,
    "open brackets, no JSON": "[" * MANY + "x",
    "open lists": "[1," * MANY,
    "open lists, no JSON": '{"a":[' * MANY + "x",
    "brackets in a string": '["' + "[1," * MANY + '" x]',
    "bad lists": "[1 " * MANY,
    "byte order marks": b"\xef\xbb\xbf" * MANY,
    "NaN": '{"a":NaN}',
    "Infinity": "[-Infinity]",
    "zero bytes": "\0" * 10,
    "nothing": "",
    "no UTF-8": b'{"a":"\xff"}',
    "overlong UTF-8": b'{"\xc0\x80":"a"}',
    "half a surrogate": b'{"a":"\xed\xa0"}',
}
"""What is no JSON."""
VALUES: dict[str, str] = {
    "depth 1,000": "[" * 1000 + "1" + "]" * 1000,
    "objects in lists": '[{"a":' * 499 + "1" + "}]" * 499,
    "a key of 1 MB": json.dumps({"k" * 1_000_000: 1}),
    "digits": '{"a":' + "7" * MANY + "}",
    "exponent": '{"a":1e' + "9" * 30 + "}",
    "lone surrogate": '{"a":"\\ud800"}',
    "lone surrogate as key": '{"\\udc00":1}',
    "many leaves": json.dumps(list(range(1_000_000))),
    "many keys": json.dumps({str(i): i for i in range(20_000)}),
}
METRICS = [
    Json(),
    Json(extract="first"),
    Json(extract="last", strings="fuzzy", abs="0.1", rel="0.1"),
    Json(paths={"/a": {"weight": 2}, "/*/*": {"compare": "text"}}),
    Json(compat="anls"),
    ToolCalls(),
]


@pytest.fixture(autouse=True)
def _quickly() -> Iterator[None]:
    start = time.process_time()
    yield
    assert time.process_time() - start < 10


def _counts(metric: Any, system: Any, gold: Any) -> dict[str, float]:
    return dict(zip(metric.columns, metric.measure(system, gold), strict=True))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_is_no_json(name: str) -> None:
    for metric in METRICS:
        row = _counts(metric, DOCUMENTS[name], '[{"name":"f","arguments":{"a":1}}]')
        assert row.get("matched", row.get("anls")) == 0
        assert not row.get("parsed")
        with pytest.raises(KaratError) as caught:
            metric.measure("1", DOCUMENTS[name])
        assert caught.value.code == "K175"
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize("name", VALUES)
def test_extreme_values_equal_themselves(name: str) -> None:
    text = VALUES[name]
    metrics = METRICS if len(text) < 5_000_000 else METRICS[:1]
    for metric in metrics:
        if name == "many leaves" and (metric.compat == "anls" or metric.lists == "ordered"):
            continue  # which have their own test
        if metric.name == "tool-calls" and len(text) > 3_000_000:
            continue
        row = _counts(metric, text, text)
        assert row.get("exact", row.get("anls")) == 1


def test_numbers_of_any_size_differ_in_their_last_digit() -> None:
    digits = "7" * MANY
    assert _counts(Json(), digits + "1", digits + "2")["exact"] == 0
    assert _counts(Json(), digits + "0", digits + "e1")["exact"] == 1
    nines = "9" * 30
    assert _counts(Json(), f"10e{nines}", f"1e1{'0' * 30}")["exact"] == 1
    assert _counts(Json(abs="5", rel="0.5"), f"1e{nines}", "1")["exact"] == 0


@pytest.mark.parametrize("metric", [Json(), ToolCalls()])
def test_doubled_keys(metric: Any) -> None:
    doubled = '[{"name":"f","arguments":{"\\u00e9":1,"e\\u0301":2}}]'
    gold = '[{"name":"f","arguments":{"\\u00e9":2}}]'
    row = _counts(metric, doubled, gold)
    assert (row["duplicates"], row["exact"]) == (1, 1)
    with pytest.raises(KaratError, match="a key twice"):
        metric.measure(gold, doubled)
    if metric.name == "tool-calls":
        text = '[{"name":"f","arguments":"{\\"a\\":1,\\"a\\":2}"}]'
        assert _counts(metric, text, gold)["duplicates"] == 1


def test_calls_as_deep_as_documents() -> None:
    inner = "[" * 600 + "1" + "]" * 600
    call = '{"name":"f","arguments":{"a":' + inner + "}}"
    gold, system = f"[{call}]", f'{{"tool_calls":[{{"function":{call}}}]}}'
    assert _counts(ToolCalls(), system, gold)["exact"] == 1


@pytest.mark.parametrize("lists", ["set", "ordered"])
def test_long_lists_name_the_option(lists: Any) -> None:
    text = json.dumps([{"a": i} for i in range(5001)])
    metric = Json(lists=lists)
    with pytest.raises(LimitExceeded, match="max_list"):
        metric.measure(text, text)
    with pytest.raises(LimitExceeded, match="max_list"):
        metric.explain(text, text)
    assert _counts(Json(lists="index"), text, text)["exact"] == 1
    small = json.dumps([{"a": i} for i in range(300)])
    assert _counts(metric, small, small)["records_equal"] == 300


def test_many_paths_in_depth() -> None:
    value = "1"
    for level in range(200):
        value = "{" + "".join(f'"{level}.{i}":1,' for i in range(100)) + f'"x":{value}}}'
    for metric in (Json(), Json(paths={"/x/x": {"weight": 2}})):
        assert _counts(metric, value, value)["exact"] == 1


def test_files_with_bad_bytes(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.jsonl", tmp_path / "system.jsonl"
    gold.write_text('{"id":"1","gold":{"a":1}}\n')
    system.write_bytes(b'{"id":"1","output":{"a":"\xff"}}\n')
    with pytest.raises(KaratError) as caught:
        evaluate("json", gold=gold, system=system)
    assert caught.value.code.startswith("K")
    system.write_text(f'{{"id":"1","output":{DOCUMENTS["deep lists"]}}}\n')
    with pytest.raises(KaratError, match="cannot be read: this JSON is nested too deeply"):
        evaluate("json", gold=gold, system=system)


# -- settings and schemas ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    ["[" * MANY, "[]", '{"a":{}}', '{"/a":1}', '{"/a":{"weight":1e999}}', '{"/a":{"weight":-1}}',
     '{"/a":{"abs":"NaN"}}', '{"/a":{"key":{}}}', '{"/a":{"compare":"eval"}}', '{"/a":{"x":1}}',
     '{"/a":{"weight":%s}}' % ("9" * 5000), "\0"],
)  # fmt: skip
def test_bad_settings(tmp_path: Path, content: str) -> None:
    path = tmp_path / "paths.json"
    path.write_text(content)
    with pytest.raises(KaratError) as caught:
        Json(paths=str(path))
    assert caught.value.code == "K375"


def _schema(tmp_path: Path, content: Any) -> Json:
    path = tmp_path / "schema.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return Json(schema=str(path))


def test_schemas_fetch_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jsonschema")

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a schema made a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    for reference in ("http://127.0.0.1:9/x.json", "file:///etc/hostname", "other.json"):
        metric = _schema(tmp_path, {"$ref": reference})
        with pytest.raises(KaratError, match="nothing is fetched") as caught:
            metric.measure("{}", '{"a":1}')
        assert caught.value.code == "K376"


def test_schemas_that_grow(tmp_path: Path) -> None:
    pytest.importorskip("jsonschema")
    tree = {
        "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}, "v": {"x-karat": {"abs": 1}}}
    }
    row = _counts(_schema(tmp_path, tree), '{"left":{"v":2}}', '{"left":{"v":1}}')
    assert (row["exact"], row["valid"]) == (1, 1)
    laughs: dict[str, Any] = {"$ref": "#/$defs/0", "$defs": {}, "x-karat": {"weight": 2}}
    for i in range(40):
        below = {"$ref": f"#/$defs/{i + 1}"}
        laughs["$defs"][str(i)] = {"properties": {"a": below, "b": below}}
    with pytest.raises(KaratError, match="10,000 places"):
        _schema(tmp_path, laughs)
    for content in ("[" * MANY, '{"type":"x"}', "{", '{"x-karat":{"nothing":1}}'):
        with pytest.raises(KaratError):
            _schema(tmp_path, content)


def test_schemas_take_numbers_of_any_length(tmp_path: Path) -> None:
    pytest.importorskip("jsonschema")
    metric = _schema(tmp_path, {"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 5}]})
    assert _counts(metric, "7" * MANY, "1")["valid"] == 1
    assert _counts(metric, "-" + "7" * MANY, "1")["valid"] == 0


# -- spans and words ---------------------------------------------------------------------------


def test_spans_without_bounds() -> None:
    metric = Spans()
    many = [["A", i, i + 1] for i in range(MANY)]
    assert metric.score(many, many)["f"] == 1
    with pytest.raises(LimitExceeded, match="overlap each other"):
        metric.measure([["A", 0, i + 1] for i in range(6000)], [["A", 0, 9]])
    for bad in ([["A", 0, 1 << 70]], [["A", -1, 2]], [["A", 2, 2]], [["A", 0.5, 2]], [[1, 0, 2]],
                 [["A", True, 2]], [[]], ["B-A", 1], {"a": 1}):  # fmt: skip
        with pytest.raises(KaratError):
            metric.measure(bad, [["A", 0, 1]])
    label = "\ud800" + "x" * 1_000_000
    assert metric.score([[label, 0, 1]], [[label, 0, 1]])["f"] == 1


@pytest.mark.parametrize(
    "content",
    [b"\xff\tB-A\n", b"token\n\n", b"a B-A\nb\n", b"[" * MANY, b'[["A",0,1e400]]\n',
     b'{"id":1}\n', b'["\\ud800",0,1]\n', b"a\tX-A\n"],
)  # fmt: skip
def test_bad_files_of_spans(tmp_path: Path, content: bytes) -> None:
    gold, system = tmp_path / "gold.txt", tmp_path / "system.txt"
    gold.write_text("a\tB-A\n")
    system.write_bytes(content)
    with pytest.raises(KaratError) as caught:
        evaluate("spans", gold=gold, system=system)
    assert caught.value.code.startswith("K")


def test_words_without_bounds() -> None:
    metric = Wer()
    long = "a " * 1_000_000
    assert metric.score(long, long)["wer"] == 0
    assert metric.score("", long)["wer"] == 1
    with pytest.raises(LimitExceeded, match="too long"):
        metric.score("a b " * 300_000, "c a " * 300_000)
    assert metric.score("x" * 1_000_000, "y")["wer"] == 1
    assert metric.score("\ud800 a", "\ud800 b")["wer"] == 0.5


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_long_array_is_read_in_one_pass(tmp_path: Path, end: str) -> None:
    """Also its lines are counted once: for each element from the beginning takes minutes."""
    file = tmp_path / "long.json"
    file.write_text(f"[{end}" + f",{end}".join(["7"] * 300_000) + f"{end}]\n")
    items = list(JsonArray().read(Source(file)))
    assert [item.value.text for item in items] == [b"7"] * 300_000
    assert [item.line for item in items] == [
        1 + i * bool(end) for i in range(bool(end), 300_000 + bool(end))
    ]


def test_elements_of_an_array_have_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "some.json"
    file.write_text('[1, {"a":\n2}, 3,\n\n1]\n')
    assert [item.line for item in JsonArray().read(Source(file))] == [1, 1, 2, 4]


def test_many_tags_of_calls_that_are_not_closed() -> None:
    scores = ToolCalls().score('{"name": "f"} ' + "<tool_call>" * 100_000, [{"name": "f"}])
    assert scores["calls"]["f"] == 1.0


def test_spans_with_as_many_labels() -> None:
    spans = [[f"L{i}", i, i + 1] for i in range(30_000)]
    split = Spans().split("type", [(spans, spans)])
    assert len(split.values) == 30_000


@pytest.mark.parametrize("tokens", ["5", '"ab"', '["a"]', '["a", "b", "c"]', '{"a": 1, "b": 2}'])
def test_tokens_that_are_not_those_of_the_tags(tmp_path: Path, tokens: str) -> None:
    path = tmp_path / "spans.jsonl"
    path.write_text(f'{{"labels": ["O", "B-A"], "tokens": {tokens}}}\n')
    with pytest.raises(KaratError, match=r"spans\.jsonl:1: .*a list of 2 tokens"):
        evaluate("spans", gold=path, system=path)


def test_spans_that_nearly_all_overlap_each_other() -> None:
    dice = random.Random(3)
    gold, system = (
        [[dice.choice("AB"), begin, begin + 900] for begin in dice.choices(range(1000), k=4000)]
        for _ in range(2)
    )
    with pytest.raises(LimitExceeded, match="too many to be paired"):
        Spans().score(system, gold)


def test_a_long_cell_beside_scores(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("id,score,text\n1,1," + "x" * 200_000 + "\n2,0,y\n")
    assert evaluate("scores", system=path).scores()["score"] == 0.5


def test_scores_under_ever_new_names(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text("".join(f'{{"id": {i}, "score": 1, "c{i}": 1}}\n' for i in range(20_000)))
    with pytest.raises(KaratError, match=r"scores\.jsonl:\d+: .*K198: this is no table"):
        evaluate("scores", system=path)


def test_strings_that_take_too_long_to_be_compared() -> None:
    """Each with each other: what that takes is known beforehand."""
    fuzzy = karat.parse("json(strings='fuzzy')")
    start = time.process_time()
    with pytest.raises(LimitExceeded, match=r"K505.*steps"):
        fuzzy.score({"a": "x" * 900_000}, {"a": "y" * 900_000})
    assert time.process_time() - start < 5
    longest = ["ab" * 10_000]
    assert fuzzy.score(longest, ["ba" * 10_000])["f"] == pytest.approx(1 - 2 / 20_000)
