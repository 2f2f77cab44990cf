"""Which fields of records are scored, and against what: chosen once, or an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core.files.opener import Source
from karat.errors import FormatError, PairingError
from karat.text.formats.csv import Csv
from karat.text.formats.records import JsonLines
from karat.text.model import TextRecord
from karat.text.records.layout import MISSING, value_at


def lines(path: Path, *records: Any) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


def first(path: str, **options: str) -> Any:
    return next(JsonLines(**options).read(Source(path)))


def test_the_name_of_a_model_is_no_text(tmp_path: Path) -> None:
    record = {"prompt": "p", "response": "a dog", "references": ["a dog"], "system": "gpt-x"}
    path = lines(tmp_path / "a.jsonl", record)
    item = first(path)
    assert item.value == TextRecord("a dog", ("a dog",))
    assert item.fields == {"prompt": "p", "system": "gpt-x"}
    assert karat.evaluate("exact", system=path).scores()["accuracy"] == 1


def test_without_a_known_field_the_text_has_to_be_named(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", {"system": "gpt-x", "out": "a dog", "gold": "a dog"})
    with pytest.raises(FormatError) as caught:
        karat.evaluate("exact", system=path)
    assert str(caught.value) == (
        f"{path}:1: FormatError K111: there is no text: expected one of 'summary', "
        "'hypothesis', 'prediction' and 10 more, found 'system', 'out', 'gold'\n"
        "name the field with ``text_field``"
    )
    found = karat.evaluate("exact", system=path, format_options={"text_field": "out"})
    assert found.scores()["accuracy"] == 1


def test_two_fields_that_may_be_the_text(tmp_path: Path) -> None:
    record = {"text": "the source", "prediction": "a dog", "reference": "a dog"}
    path = lines(tmp_path / "a.jsonl", record)
    with pytest.raises(FormatError) as caught:
        karat.evaluate("exact", system=path)
    assert str(caught.value) == (
        f"{path}:1: FormatError K145: the text may be any of 'prediction', 'text'; "
        "fields: 'text', 'prediction', 'reference'\n"
        "say which one with ``text_field='NAME'`` (a path like choices.0.text is allowed)"
    )
    for name, accuracy in (("prediction", 1), ("text", 0)):
        run = karat.evaluate("exact", system=path, format_options={"text_field": name})
        assert run.scores()["accuracy"] == accuracy


def test_a_field_that_is_null_may_still_be_the_one(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", {"prediction": None, "text": "a", "reference": "a"})
    with pytest.raises(FormatError, match="K145"):
        karat.evaluate("exact", system=path)


def test_a_field_is_chosen_once_for_a_file(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "a.jsonl",
        {"prediction": "a", "reference": "a"},
        {"summary": "b", "reference": "b"},
    )
    with pytest.raises(FormatError, match="was in 'prediction' before, and is in 'summary' here"):
        karat.evaluate("exact", system=path)
    path = lines(tmp_path / "b.jsonl", {"text": "a", "gold": "a"}, {"text": "b", "target": "b"})
    with pytest.raises(FormatError, match="was in 'gold' before, and is in 'target' here"):
        karat.evaluate("exact", system=path)


def test_two_fields_that_may_be_the_reference(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", {"text": "a", "reference": "b", "target": "a"})
    with pytest.raises(FormatError, match="the reference may be any of 'reference', 'target'"):
        karat.evaluate("exact", system=path)
    run = karat.evaluate("exact", system=path, format_options={"gold_field": "target"})
    assert run.scores()["accuracy"] == 1


def test_paths_lead_into_objects_and_lists(tmp_path: Path) -> None:
    record = {
        "meta": {"uid": 7, "who": "m1"},
        "choices": [{"message": {"content": "a dog"}}],
        "expected": {"answers": ["a cat", "a dog"]},
    }
    options = {
        "text_field": "choices.0.message.content",
        "gold_field": "expected.answers",
        "id_field": "meta.uid",
        "system_field": "meta.who",
    }
    path = lines(tmp_path / "a.jsonl", record)
    item = first(path, **options)
    assert item.value == TextRecord("a dog", ("a cat", "a dog"))
    assert item.key == ("7", "m1")
    assert item.fields == {"meta.who": "m1"}
    wrong = first(path, **{**options, "id_field": "meta.name"})
    assert "there is no field 'meta.name'" in wrong.error.headline


@pytest.mark.parametrize(
    ("path", "value"),
    [("a.b", 1), ("a.c", MISSING), ("a.b.c", MISSING), ("l.1", 3), ("l.2", MISSING), ("x.y", 9)],
)
def test_value_at(path: str, value: Any) -> None:
    assert value_at({"a": {"b": 1}, "l": [2, 3], "x.y": 9}, path) is value


@pytest.mark.parametrize(
    "field",
    [
        "summarizer_id", "system_id", "system", "system_name", "model_id", "model", "model_name",
        "provider",
    ],
)  # fmt: skip
@pytest.mark.parametrize("ids", [True, False])
def test_several_systems_in_one_file_are_reported(tmp_path: Path, field: str, ids: bool) -> None:
    path = lines(
        tmp_path / "a.jsonl",
        *(
            {**({"id": i} if ids else {}), "response": text, "reference": "x", field: system}
            for system, text in (("A", "x"), ("B", "y"))
            for i in range(3)
        ),
    )
    run = karat.evaluate("exact", system=path)
    assert run.system_field == field
    assert run.warnings == [
        f"the file holds the outputs of 2 systems (field {field!r}), and these are the scores of "
        f"all together: ``by={field!r}`` shows each"
    ]
    assert [len(part) for part in run.split(field)] == [3, 3]
    assert [part.scores()["accuracy"] for part in run.split(field)] == [1, 0]


def test_gold_of_another_maker_is_paired_by_id(tmp_path: Path) -> None:
    """Who made the gold says nothing about the system."""
    gold = lines(tmp_path / "g.jsonl", {"id": 1, "reference": "x", "model": "people"})
    system = lines(tmp_path / "s.jsonl", {"id": 1, "text": "x", "model": "A"})
    assert karat.evaluate("exact", system=system, gold=gold).scores()["accuracy"] == 1


def test_ids_under_two_names(tmp_path: Path) -> None:
    record = {"instance_id": "d1", "id": 4, "text": "x", "reference": "x"}
    run = karat.evaluate("exact", system=lines(tmp_path / "a.jsonl", record))
    assert run.ids == ["d1"]
    assert run.warnings == [
        f"{tmp_path / 'a.jsonl'}: ids are those of 'instance_id', not of 'id': ``id_field``"
    ]


def test_comparison_of_files_with_different_gold(tmp_path: Path) -> None:
    records = [{"text": "a", "reference": "x"}, {"text": "b", "reference": "y"}]
    one = karat.evaluate("exact", system=lines(tmp_path / "a.jsonl", *records))
    same = karat.evaluate("exact", system=lines(tmp_path / "b.jsonl", *records))
    other = karat.evaluate("exact", system=lines(tmp_path / "c.jsonl", *records[::-1]))
    assert one.compare(same)["accuracy"].difference == 0
    with pytest.raises(PairingError) as caught:
        one.compare(other)
    assert caught.value.headline == (
        "PairingError K216: the files of the two systems hold different gold for 2 of 2 items: "
        "'1', '2'"
    )
    other.save(str(tmp_path / "c.run"))
    with pytest.raises(PairingError, match="K216"):
        one.compare(karat.Evaluation.load(str(tmp_path / "c.run")))


def test_gold_that_is_not_what_the_system_file_holds(tmp_path: Path) -> None:
    gold = lines(tmp_path / "g.jsonl", {"reference": "y"}, {"reference": "x"})
    records = [{"text": "x", "reference": "x"}, {"text": "y", "reference": "y"}]
    with pytest.raises(PairingError, match=r"s.jsonl: PairingError K216: item 1 holds references"):
        karat.evaluate("exact", system=lines(tmp_path / "s.jsonl", *records), gold=gold)
    gold = lines(tmp_path / "g.jsonl", {"id": 2, "reference": "y"}, {"id": 1, "reference": "z"})
    records = [{"id": i, **record} for i, record in enumerate(records, 1)]
    run = karat.evaluate("exact", system=lines(tmp_path / "s.jsonl", *records), gold=gold)
    assert run.warnings == [
        "1 of the system's items holds references of its own, none of which is in gold; "
        "gold counts: '1'"
    ]


@pytest.mark.parametrize("column", ["reference", "gold"])
def test_an_empty_cell_is_no_reference(tmp_path: Path, column: str) -> None:
    path = tmp_path / "g.csv"
    path.write_text(f"id,summary,{column}\n1,a dog,a dog\n2,b c,\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"g.csv:3: FormatError K111: item '2': there is no ref"):
        karat.evaluate("exact", system=str(path), gold=str(path))
    with pytest.raises(
        PairingError, match=r"g.csv:3: PairingError K211: item '2': there is no reference"
    ):
        karat.evaluate("exact", system=str(path))
    run = karat.evaluate("exact", system=str(path), gold=str(path), on_error="skip")
    assert (run.ids, run.skipped) == (["1"], 1)


def test_columns_that_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("key,who,out,reference_1,reference_2\n7,m,x,y,x\n", encoding="utf-8")
    options = {
        "text_field": "out", "gold_field": "reference_2", "id_field": "key", "system_field": "who",
    }  # fmt: skip
    (item,) = Csv(**options).read(Source(str(path)))
    assert item.value == TextRecord("x", ("x",))
    assert item.key == ("7", "m")
    with pytest.raises(FormatError, match="the header has no column 'wot': key, who"):
        list(Csv(text_field="wot").read(Source(str(path))))


def test_an_object_without_text_says_what_it_has_and_how_to_name_it(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text('{"id": "1", "gold": {"vendor": "a", "total": 3}, "text": "b"}\n')
    with pytest.raises(
        FormatError, match=r"\$\.gold has no 'text', found 'vendor', 'total'"
    ) as found:
        karat.evaluate("exact", system=str(path))
    assert "``gold_field``" in found.value.advice
