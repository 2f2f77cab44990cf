"""Records of texts in every container, several systems and samples, and null texts."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.errors import FormatError, KaratError, PairingError

ROWS = [
    {"id": "a", "prediction": "one dog", "reference": "one dog", "topic": "x"},
    {"id": "b", "prediction": 'a "cat"', "reference": "the cat", "topic": "y"},
    {"id": "c", "prediction": "no, cow", "reference": "no, cow", "topic": "x"},
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def lines(name: str, rows: Sequence[dict[str, Any]]) -> str:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return name


def columns(name: str, delimiter: str) -> str:
    with Path(name).open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(ROWS[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(ROWS)
    return name


def arrow(name: str) -> str:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_pylist(ROWS)
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow.parquet").write_table(table, name)
        return name
    opened = pyarrow.ipc.new_file if name.endswith(".feather") else pyarrow.ipc.new_stream
    with opened(name, table.schema) as writer:
        writer.write_table(table)
    return name


def data_set(name: str, *splits: str) -> str:
    """What `save_to_disk` of the package datasets writes."""
    for split in splits or ("",):
        inside = Path(name) / split
        inside.mkdir(parents=True)
        arrow(str(inside / "data-00000-of-00001.arrow"))
        (inside / "dataset_info.json").write_text("{}")
        state = {"_data_files": [{"filename": "data-00000-of-00001.arrow"}], "_split": None}
        (inside / "state.json").write_text(json.dumps(state))
    if splits:
        (Path(name) / "dataset_dict.json").write_text(json.dumps({"splits": splits}))
    return name


def array(name: str, indent: int | None) -> str:
    Path(name).write_text(json.dumps(ROWS, indent=indent), encoding="utf-8")
    return name


CONTAINERS = {
    "jsonl": lambda: lines("a.jsonl", ROWS),
    "array": lambda: array("a.json", None),
    "indented": lambda: array("a.json", 2),
    "csv": lambda: columns("a.csv", ","),
    "tsv": lambda: columns("a.tsv", "\t"),
    "parquet": lambda: arrow("a.parquet"),
    "stream": lambda: arrow("a.arrow"),
    "file": lambda: arrow("a.feather"),
    "data set": lambda: data_set("saved"),
    "one split": lambda: data_set("saved", "test"),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_containers_hold_the_same_records(container: str) -> None:
    found = karat.evaluate("exact", CONTAINERS[container]())
    assert found.ids == ["a", "b", "c"]
    assert found.counts[:, 1].tolist() == [1, 0, 1]
    assert found.groups["topic"] == ["x", "y", "x"]


@pytest.mark.parametrize("separator", [",", "\t"])
def test_cells_may_be_as_long_as_documents(separator: str) -> None:
    text = "a word " * 50_000
    Path("a.csv").write_text(separator.join(["id", "text", "reference\n1", text, text]) + "\n")
    found = karat.evaluate("exact", "a.csv", format="csv", format_options={"delimiter": separator})
    assert found.counts.tolist() == [[1, 1]]


def test_several_splits_have_to_be_chosen_from() -> None:
    with pytest.raises(FormatError, match="K103: the folder holds several splits"):
        karat.evaluate("exact", data_set("saved", "test", "train"))
    Path("hub").mkdir()
    for split in ("test", "train"):
        arrow(f"hub/{split}-00000-of-00001.parquet")
    with pytest.raises(FormatError, match="K103"):
        karat.evaluate("exact", "hub")
    assert len(karat.evaluate("exact", "hub/test-*.parquet")) == 3


def test_a_broken_record_of_an_array_is_named_by_its_line() -> None:
    Path("a.json").write_text('[\n{"id": "a", "text": "x", "gold": "x"},\n{"id": "b", "gold": 1}]')
    with pytest.raises(FormatError, match=r"a\.json:3: FormatError K111: item 'b'"):
        karat.evaluate("exact", "a.json")
    Path("a.json").write_text('[{"id": "a"}')
    with pytest.raises(FormatError, match="K111: this is not an array"):
        karat.evaluate("exact", "a.json")


def test_tables_without_a_header_keep_their_first_line() -> None:
    Path("gold.tsv").write_text("text\tone\na b\tc d\n")
    Path("system.txt").write_text("text\nc d\n")
    assert len(karat.evaluate("bleu", "system.txt", "gold.tsv")) == 2


def test_groups_within_other_fields() -> None:
    rows = [{**row, "meta": {"topic": row["topic"]}} for row in ROWS]
    options = {"group_field": ("meta.topic",)}
    found = karat.evaluate("exact", lines("a.jsonl", rows), format_options=options)
    assert found.groups["meta.topic"] == ["x", "y", "x"]


def both() -> list[dict[str, Any]]:
    """Two systems, the second in another order, and right where the first is wrong."""
    second = [{**row, "prediction": "the cat", "model": "B"} for row in reversed(ROWS)]
    return [*({**row, "model": "A"} for row in ROWS), *second]


def test_systems_of_one_file_are_compared() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(both())
    for found in (
        karat.compare("exact", lines("m.jsonl", both())),
        karat.compare("exact", frame, system_field="model"),
    ):
        assert [run.system for run in found.evaluations] == ["A", "B"]
        assert [run.ids for run in found.evaluations] == [["a", "b", "c"]] * 2
        assert [run.counts[:, 1].tolist() for run in found.evaluations] == [[1, 0, 1], [0, 1, 0]]
    with pytest.raises(KaratError, match="K322"):
        karat.compare("exact", lines("a.jsonl", ROWS))


def test_samples_share_the_gold_of_their_input() -> None:
    gold = lines("gold.jsonl", [{"id": r["id"], "reference": r["reference"]} for r in ROWS])
    texts = {"c": ["no, cow", "x"], "a": ["x", "one dog", "y"], "b": ["x"]}
    rows = [{"id": name, "text": text} for name, some in texts.items() for text in some]
    system = lines("s.jsonl", rows)
    with pytest.raises(PairingError, match="K204"):
        karat.evaluate("exact", system, gold)
    found = karat.evaluate("exact", system, gold, pair="samples")
    assert found.ids == ["a", "a", "a", "b", "c", "c"]
    assert found.counts[:, 1].tolist() == [0, 1, 0, 0, 1, 0]
    beside = [
        {**row, "reference": r["reference"]} for row in rows for r in ROWS if r["id"] == row["id"]
    ]
    own = karat.evaluate("exact", lines("own.jsonl", beside), pair="samples")
    assert sorted(zip(own.ids, own.counts[:, 1], strict=True)) == sorted(
        zip(found.ids, found.counts[:, 1], strict=True)
    )
    with pytest.raises(PairingError, match="K201"):
        karat.evaluate("exact", lines("less.jsonl", rows[:-1]), gold, pair="samples")
    with pytest.raises(PairingError, match="K205"):
        karat.evaluate("exact", system, lines("gold.jsonl", ROWS[:2]), pair="samples")


@pytest.mark.parametrize("missing", [{"prediction": None}, {}])
def test_null_texts_are_reported(missing: dict[str, Any]) -> None:
    null = {"id": "b", "reference": "", **missing}
    path = lines("a.jsonl", [ROWS[0], null, ROWS[2]])
    with pytest.raises(FormatError, match="K111"):
        karat.evaluate("exact", path)
    assert karat.evaluate("exact", path, on_error="skip").skipped == 1
    found = karat.evaluate("exact", path, format_options={"null_text": "empty"})
    assert found.counts[:, 1].tolist() == [1, 1, 1]
    assert found.warnings == ["a.jsonl: 1 record has no text (taken as empty): 'b'"]


def test_a_page_is_made_as_on_the_command_line() -> None:
    rows = [{**row, "id": f"{row['id']}{i}"} for row in ROWS for i in range(4)]
    run = karat.evaluate("exact", lines("a.jsonl", rows))
    karat.report(run, "page.html", cluster="topic", resampling="poisson", page_size=None)
    assert "topic" in Path("page.html").read_text(encoding="utf-8")
    with pytest.raises(KaratError, match="page_size"):
        karat.report(run, "other.html", page_size=0)
    with pytest.raises(KaratError, match="nothing"):
        karat.report(run, "other.html", cluster="nothing")
    assert not Path("other.html").exists()


def test_a_system_of_several_columns_is_asked_which_one() -> None:
    Path("s.tsv").write_text("a\tb\nc\td\n")
    Path("g.txt").write_text("b\nd\n")
    with pytest.raises(FormatError, match=r"s\.tsv:1: FormatError K110: the line has 2 columns"):
        karat.evaluate("exact", "s.tsv", "g.txt")
    found = karat.evaluate("exact", "s.tsv", "g.txt", format="tsv", format_options={"column": 2})
    assert found.counts[:, 1].tolist() == [1, 1]
