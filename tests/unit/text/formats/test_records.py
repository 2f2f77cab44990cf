"""The formats of texts that hold more than a text: readers, CSV, pyramids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core.files.opener import Source
from karat.core.format import Format
from karat.core.reading.items import Item
from karat.errors import FormatError, OptionError
from karat.text.formats.csv import Csv
from karat.text.formats.lines import Lines, Tsv
from karat.text.formats.records import (
    DocumentBased,
    JsonLines,
    PyramidBased,
    ReferenceBased,
    SplitDocumentBased,
    SummaryOnly,
)
from karat.text.model import TextRecord

SUMMARY = {"instance_id": "d1", "summarizer_id": "7", "summarizer_type": "peer"}
PYRAMID = {
    "instance_id": "d1",
    "summaries": ["one. two.", "two. three.", "two."],
    "summarizer_ids": ["A", "B", "C"],
    "scus": [
        {"scu_id": 1, "label": "first", "contributors": [{"summary_index": 0, "label": "one"}]},
        {
            "scu_id": 2,
            "label": "second",
            "contributors": [
                {"summary_index": 0, "parts": [{"text": "two", "start": 5, "end": 8}]},
                {"summary_index": 1},
                {"summary_index": 2},
            ],
        },
        {"scu_id": 3, "contributors": [{"summary_index": 1}]},
    ],
}
ANNOTATION = {**SUMMARY, "summary": "two!", "scus": [{"scu_id": 2, "label": "second"}]}


def write(path: Path, *records: Any) -> str:
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def read(format: Format, path: str) -> list[Item]:
    return list(format.read(Source(path)))


def test_reference_based(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl",
        {**SUMMARY, "summary": {"text": ["a", "b"]}, "references": [{"text": "x"}, "y"]},
        "",
        {**SUMMARY, "summary": "a", "reference": {"text": ["x", "y"]}},
        {**SUMMARY, "summary": "a"},
    )
    first, second, third = read(ReferenceBased(), path)
    assert first.value == TextRecord(("a", "b"), ("x", "y"))
    assert first.key == ("d1", "7")
    assert first.fields == {"summarizer_id": "7", "summarizer_type": "peer"}
    assert second.value.references == (("x", "y"),)
    assert third.error is not None
    assert third.error.headline == (
        f"{path}:4: FormatError K111: item 'd1': the record has no references"
    )


def test_documents_are_flattened(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl",
        {**SUMMARY, "summary": "s", "documents": [{"text": [["a", ["b"]], "c"]}, "d"]},
        {**SUMMARY, "summary": "s", "document": {"text": "d"}},
        {**SUMMARY, "summary": "s", "documents": [{"text": ["a", 3]}]},
        {**SUMMARY, "summary": "s"},
    )
    first, second, third, fourth = read(DocumentBased(), path)
    assert first.value.documents == (("a", "b", "c"), "d")
    assert second.value.documents == ("d",)
    assert "$.documents[0].text must be a string or a list" in third.error.headline
    assert "the record has no documents" in fourth.error.headline


def test_summaries_and_references_are_flattened(tmp_path: Path) -> None:
    """As SacreROUGE has the English articles of MultiLing 2017: sentences in paragraphs."""
    text = [["One.", "Two."], ["Three."]]
    path = write(
        tmp_path / "a.jsonl",
        {**SUMMARY, "summary": {"text": text}, "references": [{"text": text}, "y"]},
        {"instance_id": "d2", "summary": {"text": [["a", 3]]}, "references": ["y"]},
    )
    first, second = read(ReferenceBased(), path)
    flat = ("One.", "Two.", "Three.")
    assert first.value == TextRecord(flat, (flat, "y"))
    assert "$.summary.text must be a string or a list of strings" in second.error.headline
    scores = karat.evaluate("rouge", system=path, on_error="skip").scores()
    assert scores["rouge-1"]["recall"] == 75.0  # three of the four words of both references


def test_summary_only(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {**SUMMARY, "summary": "s", "references": ["x"]})
    assert read(SummaryOnly(), path)[0].value == TextRecord("s")


def test_split_documents_meet_by_instance(tmp_path: Path) -> None:
    documents = write(tmp_path / "d.jsonl", {"instance_id": "d1", "documents": [{"text": "x"}]})
    path = write(
        tmp_path / "a.jsonl", {**SUMMARY, "summary": "s"}, {"instance_id": "D1", "summary": "t"}
    )
    first, second = read(SplitDocumentBased(documents=documents), path)
    assert first.value == TextRecord("s", documents=("x",))
    assert second.error is not None
    assert second.error.code == "K112"
    assert f"{documents} has no documents for instance 'D1'" in second.error.headline


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([{"instance_id": "d1", "summary": "x"}], "the record has no documents"),
        ([{"documents": ["x"]}], "the record has no instance_id"),
        ([{"instance_id": "d1", "documents": ["x"]}] * 2, "the instance_id occurs twice"),
        (["{"], "this is not JSON"),
        (["[" * 100_000], "this is not JSON|nested too deeply"),
        (["[]"], "expected a JSON object, found a list"),
    ],
)
def test_a_broken_second_file_is_an_error(tmp_path: Path, records: list[Any], message: str) -> None:
    documents = write(tmp_path / "d.jsonl", *records)
    path = write(tmp_path / "a.jsonl", {**SUMMARY, "summary": "s"})
    with pytest.raises(FormatError, match=message):
        read(SplitDocumentBased(documents=documents), path)


def test_pyramids_bring_their_own_summaries(tmp_path: Path) -> None:
    pyramids = write(tmp_path / "p.jsonl", PYRAMID)
    path = write(tmp_path / "a.jsonl", ANNOTATION)
    peer, *humans = read(PyramidBased(pyramids=pyramids), path)
    assert peer.value.text == "two!"
    assert len(peer.value.pyramid.summaries) == 3
    assert [human.key for human in humans] == [("d1", "A"), ("d1", "B"), ("d1", "C")]
    assert humans[0].fields["summarizer_type"] == "reference"
    assert humans[0].value.pyramid == peer.value.pyramid.remove_summary(0)
    assert [scu.scu_id for scu in humans[0].value.annotation.scus] == [1, 2]
    assert humans[0].value.annotation.scus[1].contributors[0].parts[0].text == "two"
    alone = PyramidBased(pyramids=pyramids, include_reference_annotations=False)
    assert len(read(alone, path)) == 1


def test_removing_a_summary(tmp_path: Path) -> None:
    (item,) = read(JsonLines(), write(tmp_path / "p.jsonl", PYRAMID))
    pyramid = item.value.pyramid
    assert {scu.scu_id: scu.weight for scu in pyramid.scus} == {1: 1, 2: 3, 3: 1}
    rest = pyramid.remove_summary(0)
    assert rest.summarizer_ids == ("B", "C")
    assert {scu.scu_id: scu.weight for scu in rest.scus} == {2: 2, 3: 1}
    of_first = [any(each.summary_index == 0 for each in scu.contributors) for scu in rest.scus]
    assert of_first == [True, True]
    assert rest != pyramid.remove_summary(1)
    assert hash(rest) == hash(pyramid.remove_summary(0))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"summarizer_ids": ["A"]}, "3 summaries have 1 summarizer_ids"),
        ({"scus": [{"scu_id": 1, "contributors": [{"summary_index": 3}]}]}, "summary_index 3"),
        ({"scus": [{"label": "x"}]}, "`scu_id`"),
        ({"scus": 3}, "Expected `array`"),
    ],
)
def test_broken_pyramids(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    (item,) = read(JsonLines(), write(tmp_path / "p.jsonl", {**PYRAMID, **change}))
    assert item.error is not None
    assert "this is not a valid pyramid" in item.error.headline
    assert message in item.error.headline


def test_csv(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.csv",
        "id,summary,reference,reference_2,genre",
        '1,"one, ""two""\nthree",x,,news',
        "",
        "2,b,x,y,blog",
        "3,c",
    )
    first, second, third = read(Csv(), path)
    assert first.value == TextRecord('one, "two"\nthree', ("x",))
    assert (first.key, first.line, first.fields) == (("1", None), 2, {"genre": "news"})
    assert second.value.references == ("x", "y")
    assert second.line == 5
    assert "the row has 2 cells, the header has 5" in third.error.headline


def test_csv_with_other_names(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id;output", "1;hello")
    with pytest.raises(FormatError, match="no column of texts"):
        read(Csv(), path)
    (item,) = read(Csv(text_column="output", delimiter=";"), path)
    assert item.value == TextRecord("hello")
    with pytest.raises(OptionError, match="must be one character"):
        Csv(delimiter="::")


def test_csv_that_is_cut_short(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,summary", '1,"never closed')
    with pytest.raises(FormatError, match="this is not CSV"):
        read(Csv(), path)


def test_lines_pair_by_place_and_further_files_are_further_references(tmp_path: Path) -> None:
    system = write(tmp_path / "s.txt", "a dog barks", "", "yes")
    first = write(tmp_path / "1.txt", "a dog barks", "a cat", "no")
    second = write(tmp_path / "2.txt", "x", "a cat", "yes")
    assert [item.value for item in read(Lines(), system)] == ["a dog barks", "", "yes"]
    run = karat.evaluate("squad", system=system, gold=[first, second])
    assert [item["em"] for item in run.per_item()] == [1.0, 0.0, 1.0]
    alone = karat.evaluate("squad", system=system, gold=second)
    assert [item["em"] for item in alone.per_item()] == [0.0, 0.0, 1.0]


def test_columns_of_a_gold_file_are_references(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", "one\ttwo\tthree", "four\t\tfive", "\t\t", "six")
    first, second, third, fourth = read(Tsv(), path)
    assert first.value == TextRecord(None, ("one", "two", "three"))
    assert second.value.references == ("four", "five")
    assert third.value.references == ("",)
    assert fourth.value == "six"


def test_blank_lines_at_the_end_of_columns_are_no_items(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("a\tb\n\nc\td\n\n\n")
    assert [item.line for item in Tsv().read(Source(path))] == [1, 2, 3]
    path.write_text("one\n\n\n")  # outputs of a system, the last two empty
    assert [item.value for item in Tsv().read(Source(path))] == ["one", "", ""]


def test_one_column_of_many(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", "one\ttwo", "three")
    first, second = read(Tsv(column=2), path)
    assert first.value == "two"
    assert second.error is not None
    assert second.error.headline == (
        f"{path}:2: FormatError K110: the line has 1 column, expected at least 2"
    )
