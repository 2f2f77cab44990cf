"""Readers of logical forms, and what happens to pairs that do not fit."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from karat.core.files.opener import Source
from karat.core.registry import format_class
from karat.engine import evaluate
from karat.errors import FormatError, KaratError, OptionError, PairingError
from karat.logic.model import Entry

GOLD = [
    ("A cat ran .", "cat ( x _ 1 ) AND run . agent ( x _ 2 , x _ 1 )", "cp_recursion"),
    ("Emma ran .", "run . agent ( x _ 1 , Emma )", "active_to_passive"),
    ("Layla", "Layla", "primitive"),
]


def write(path: Path, rows: list[tuple[str, ...]], end: str = "\n") -> Path:
    path.write_bytes(end.join("\t".join(row) for row in rows).encode())
    return path


def read(name: str, path: Path, **options: Any) -> list[Entry]:
    return [item.value for item in format_class(name)(**options).read(Source(path))]


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write(tmp_path / "gold.tsv", GOLD)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_columns(tmp_path: Path, end: str) -> None:
    path = write(tmp_path / "a.tsv", [('He said "no" .', "Layla", "x"), ("b", "", "")], end)
    items = list(format_class("lf-tsv")().read(Source(path)))
    assert [item.value.sentence for item in items] == ['He said "no" .', "b"]
    assert [item.value.form for item in items] == ["Layla", ""]
    assert [item.line for item in items] == [1, 2]
    assert items[0].fields == {"type": "x", "structure": "other"}


def test_groups(gold: Path) -> None:
    run = evaluate("cogs", system=gold, gold=gold)
    assert list(run.by("type")) == ["cp_recursion", "active_to_passive", "primitive"]
    assert list(run.by("structure")) == ["structural", "lexical", "other"]


def test_predictions_are_told_from_types(tmp_path: Path) -> None:
    form = "run . agent ( x _ 1 , Emma )"
    rows = [("a", form, ""), ("Layla", "Layla", "layla"), ("b", form, form)]
    run = evaluate("lf-exact", system=write(tmp_path / "output.tsv", rows))
    assert run.scores()["exact_match"]["count"] == 1
    typed = write(tmp_path / "gold.tsv", [(a, b, "x") for a, b, _ in rows])
    assert evaluate("lf-exact", system=typed, gold=typed).groups["type"] == ["x"] * 3


def test_all_cogs_types_have_a_structure(shared: Path) -> None:
    path = shared / "data" / "logical-forms" / "gen-sample.tsv"
    run = evaluate("lf-exact", system=path, gold=path)
    by_type = dict(zip(run.groups["type"], run.groups["structure"], strict=True))
    assert len(by_type) == 21
    assert sorted(by_type.values()) == ["lexical"] * 18 + ["structural"] * 3


def test_compressed_and_restored(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv.gz"
    path.write_bytes(gzip.compress(b"s\tcat 1 AND run . agent 2 1\tt\n"))
    (entry,) = read("lf-tsv", path, restore=True)
    assert entry.form == "cat ( x _ 1 ) AND run . agent ( x _ 2 , x _ 1 )"


def test_opennmt_holds_its_own_gold(tmp_path: Path) -> None:
    rows = [(s, form, form if i else "cat ( x _ 1 )") for i, (s, form, _) in enumerate(GOLD)]
    path = write(tmp_path / "out.tsv", rows)
    run = evaluate("cogs", system=path, format="opennmt")
    assert run.scores()["exact_match"]["count"] == 2
    assert run.groups["type"] == ["", "", ""]


def test_opennmt_is_told_from_columns(tmp_path: Path, gold: Path) -> None:
    path = write(tmp_path / "out.tsv", [(s, form, form) for s, form, _ in GOLD])
    assert evaluate("cogs", system=path).scores()["exact_match"]["rate"] == 1
    assert evaluate("cogs", system=gold, gold=gold).scores()["exact_match"]["rate"] == 1


def test_parallel_files(tmp_path: Path) -> None:
    write(tmp_path / "gen_source.txt", [(s,) for s, _, _ in GOLD])
    target = write(tmp_path / "gen_target.txt", [(form,) for _, form, _ in GOLD])
    system = write(tmp_path / "pred.txt", [(form,) for _, form, _ in GOLD])
    assert [e.sentence for e in read("opennmt-parallel", target)] == [s for s, _, _ in GOLD]
    run = evaluate("cogs", system=system, gold=target, gold_format="opennmt-parallel")
    assert run.scores()["exact_match"]["rate"] == 1
    with pytest.raises(OptionError, match="no file of sentences"):
        read("opennmt-parallel", system)
    short = write(tmp_path / "short.txt", [("one",)])
    with pytest.raises(FormatError, match="goes on at line 2"):
        read("opennmt-parallel", target, source=str(short))


def test_lines(tmp_path: Path, gold: Path) -> None:
    path = tmp_path / "system.txt"
    path.write_text(GOLD[0][1] + "\n\nLayla\n")
    run = evaluate("cogs", system=path, gold=gold)
    assert run.scores()["exact_match"]["count"] == 2
    assert run.scores()["well_formed"]["count"] == 2


def test_json_lines(tmp_path: Path, gold: Path) -> None:
    records = [{"id": i, "pred": form, "text": s} for i, (s, form, _) in enumerate(GOLD)]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records))
    options = {"form_field": "pred", "sentence_field": "text"}
    run = evaluate("cogs", system=path, gold=gold, format_options=options)
    assert run.scores()["exact_match"]["rate"] == 1
    both = tmp_path / "b.jsonl"
    both.write_text('{"id": "x", "lf": "Emma", "gold": "Layla", "type": "t"}\n')
    run = evaluate("cogs", system=both)
    assert run.ids == ["x"]
    assert run.scores()["exact_match"]["count"] == 0


BAD_JSON = [
    ("{", "this is not JSON"),
    ("[1]", "expected a JSON object"),
    ('{"lf": 3}', r"\$.lf must be a string"),
    ('{"sentence": "a"}', "there is no form"),
    ('{"lf": "Emma", "id": true}', r"\$.id must be"),
    ("[" * 100_000, "not JSON|nested too deeply"),
]


@pytest.mark.parametrize(("line", "message"), BAD_JSON)
def test_bad_json(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(line)
    with pytest.raises(FormatError, match=message) as caught:
        evaluate("cogs", system=path, gold=path)
    assert caught.value.place is not None
    assert caught.value.place.line == 1


def test_a_file_without_system_forms(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"gold": "Emma"}')
    with pytest.raises(PairingError, match="has no form of the system"):
        evaluate("cogs", system=path, gold=path)


# -- what does not fit -------------------------------------------------------------


def fails(error: type[KaratError], first_line: str, **files: Any) -> None:
    with pytest.raises(error) as caught:
        evaluate("cogs", **files)
    assert caught.value.headline.endswith(first_line)


def test_unequal_counts(tmp_path: Path, gold: Path) -> None:
    short = write(tmp_path / "s.tsv", GOLD[:2])
    message = "gold has 3 items, the system has 2: they are paired by position"
    fails(PairingError, message, system=short, gold=gold)
    fails(PairingError, "gold has 2 items, the system has 3: they are paired by position",
          system=gold, gold=short)  # fmt: skip


def test_different_sentences(tmp_path: Path, gold: Path) -> None:
    other = write(tmp_path / "s.tsv", [GOLD[0], ("Liam ran .", *GOLD[1][1:]), GOLD[2]])
    message = (
        "s.tsv:2: PairingError K231: the sentences differ: the system has 'Liam ran .', "
        "the gold at line 2 has 'Emma ran .'"
    )
    fails(PairingError, message, system=other, gold=gold)
    run = evaluate("cogs", system=other, gold=gold, format_options={"ignore_sentences": True})
    assert run.scores()["exact_match"]["rate"] == 1


def test_wrong_number_of_columns(tmp_path: Path, gold: Path) -> None:
    wrong = write(tmp_path / "s.tsv", [GOLD[0], ("only", "two"), GOLD[2]])
    message = (
        "s.tsv:2: FormatError K172: the line has 2 tab-separated columns, expected 3: "
        "sentence, logical form, type"
    )
    fails(FormatError, message, system=wrong, gold=gold)


def test_ill_formed_gold_is_an_error(tmp_path: Path, gold: Path) -> None:
    broken = write(tmp_path / "g.tsv", [GOLD[0], (GOLD[1][0], "run . agent ( x", "t"), GOLD[2]])
    with pytest.raises(FormatError) as caught:
        evaluate("cogs", system=gold, gold=broken)
    assert caught.value.headline.endswith(
        'g.tsv:2: IllFormedError K170: the gold form is ill-formed at offset 15: expected "_", '
        "found the end"
    )
    run = evaluate("cogs", system=gold, gold=broken, on_error="skip")
    assert (len(run), run.skipped) == (2, 1)
    assert run.ids == ["1", "3"]
    assert "left out" in run.warnings[0]


def test_strict_grammar_judges_the_gold_too(tmp_path: Path) -> None:
    path = write(tmp_path / "g.tsv", [("s", "cat ( x _ 1 , x _ 2 )", "t")])
    assert evaluate("cogs", system=path, gold=path).scores()["well_formed"]["rate"] == 1
    with pytest.raises(FormatError, match="expected 1 argument of 'cat', found 2"):
        evaluate("cogs(grammar='strict')", system=path, gold=path)


def test_ill_formed_output_is_counted(tmp_path: Path, gold: Path) -> None:
    forms = ["( ( (", "", "Layla"]
    rows = [(s, form, t) for (s, _, t), form in zip(GOLD, forms, strict=True)]
    scores = evaluate("cogs", system=write(tmp_path / "s.tsv", rows), gold=gold).scores()
    assert scores["well_formed"] == {"count": 1, "rate": 1 / 3}
    assert scores["terms"]["all"]["system"] == 1
    assert scores["terms"]["all"]["gold"] == 4


def test_memory_is_bounded(tmp_path: Path) -> None:
    """Forms are let go once they are counted: only rows stay."""
    import tracemalloc

    path = tmp_path / "big.tsv"
    with path.open("w") as stream:
        for i in range(6000):
            noun = "".join(chr(97 + i // 26**k % 26) for k in range(6))
            terms = " AND ".join(f"{noun} ( x _ {j} )" for j in range(40))
            stream.write(f"s\t{terms}\tt\n")
    tracemalloc.start()
    evaluate("lf-order-invariant", system=path, gold=path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60 << 20


@pytest.mark.parametrize("name", ["lf-tsv", "opennmt"])
def test_blank_lines_at_the_end_are_no_items(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("A cat ran .\tLayla\tLayla\n\r\n\n")
    assert [item.error for item in format_class(name)().read(Source(path))] == [None]
    path.write_text("A cat ran .\tLayla\tLayla\n\nA cat ran .\tLayla\tLayla\n")
    errors = [item.error for item in format_class(name)().read(Source(path))]
    assert [error.code if error else "" for error in errors] == ["", "K172", ""]


def test_a_sentence_that_a_table_cannot_hold(tmp_path: Path) -> None:
    entry = Entry("Layla", sentence="two\tcolumns", file="a.jsonl", line=3)
    with pytest.raises(FormatError, match=r"a.jsonl:3: .* a tab or a line end") as caught:
        format_class("lf-tsv")().write([entry], io.BytesIO())
    assert caught.value.code == "K171"
