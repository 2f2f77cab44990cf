"""Several systems in one file are scored as if each had a file of its own."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import karat
from karat.cli import cli
from karat.errors import PairingError

GOLD = ["the dog barks", "a cat sleeps now", "birds sing in the tree", "fish swim deep down"]
OUTPUTS = {
    "A": ["the dog barks", "cat sleeps now", "birds sing in a tree", "fish swim down"],
    "B": ["a dog barks", "a cat sleeps", "birds sang", "fish swim deep down"],
    "C": ["dogs", "a cat sleeps now", "birds sing in the tree", "fishes"],
}
ROWS = [
    {"id": f"s{number}", "model": name, "output": text}
    for name, texts in OUTPUTS.items()
    for number, text in enumerate(texts)
]
# As they may come: system after system, item after item, and mixed.
ORDERS = (ROWS, sorted(ROWS, key=lambda row: row["id"]), ROWS[7:] + ROWS[:7])
GOLDS = [{"id": f"s{i}", "reference": text} for i, text in enumerate(GOLD)]
FILES = ("jsonl", "json", "csv", "tsv")


def written(rows: Sequence[dict[str, str]], path: Path) -> Path:
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows))
    else:
        with path.open("w", newline="") as stream:
            writer = csv.DictWriter(
                stream, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ","
            )
            writer.writeheader()
            writer.writerows(rows)
    return path


def scores(run: Any) -> Any:
    return run.ids, run.counts.tolist()


@pytest.mark.parametrize("metric", ["exact", "chrf", "rouge"])
@pytest.mark.parametrize("suffix", FILES)
@pytest.mark.parametrize("order", range(3))
def test_by_id(metric: str, suffix: str, order: int, tmp_path: Path) -> None:
    golds = written(GOLDS, tmp_path / f"gold.{suffix}")
    together = written(ORDERS[order], tmp_path / f"all.{suffix}")
    found = karat.evaluate(metric, together, golds)
    assert found.system_field == "model"
    apart = {run.system: scores(run) for run in found.by_system()}
    assert apart.keys() == OUTPUTS.keys()
    for name in OUTPUTS:
        only = [row for row in ORDERS[order] if row["model"] == name]
        own = written(only, tmp_path / f"{name}.{suffix}")
        assert scores(karat.evaluate(metric, own, golds)) == apart[name]
    ranking = karat.compare(metric, together, golds)
    runs = [tmp_path / f"{row['system']}.{suffix}" for row in ranking.summary()["systems"]]
    wanted = karat.compare(metric, runs, golds).summary()["comparisons"]
    found_pairs = ranking.summary()["comparisons"]
    assert [each["differences"] for each in found_pairs] == [each["differences"] for each in wanted]


def test_by_position(tmp_path: Path) -> None:
    rows = [{"model": row["model"], "output": row["output"]} for row in ORDERS[1]]
    together = written(rows, tmp_path / "all.jsonl")
    gold = tmp_path / "gold.txt"
    gold.write_text("\n".join(GOLD) + "\n")
    runs = karat.evaluate("chrf", together, gold).by_system()
    found = {run.system: run.counts.tolist() for run in runs}
    for name, texts in OUTPUTS.items():
        assert karat.evaluate("chrf", texts, GOLD).counts.tolist() == found[name]
    written(rows[:-1], together)
    with pytest.raises(PairingError, match="the system 'C' has 3"):
        karat.evaluate("chrf", together, gold)


def test_frames_and_selection(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    frame, golds = polars.DataFrame(ROWS), polars.DataFrame(
        {"id": [f"s{i}" for i in range(4)], "gold": GOLD}
    )  # fmt: skip
    ranking = karat.compare("chrf", frame, golds, system_field="model")
    apart = {row["system"]: row["score"] for row in ranking.summary()["systems"]}
    together = written(ROWS, tmp_path / "all.jsonl")
    gold = written(GOLDS, tmp_path / "gold.jsonl")
    runs = karat.evaluate("chrf", together, gold).by_system()
    assert apart == {run.system: run.scores()["chrf"] for run in runs}
    few = karat.evaluate("chrf", together, gold, format_options={"n": 2}).by_system()
    assert [run.ids for run in few] == [["s0", "s1"]] * 3
    assert [run.counts.tolist() for run in few] == [run.counts[:2].tolist() for run in runs]


def test_what_a_system_lacks_is_named(tmp_path: Path) -> None:
    gold = written(GOLDS, tmp_path / "gold.jsonl")
    with pytest.raises(PairingError, match="no item of the system 'C': 's3'"):
        karat.evaluate("chrf", written(ROWS[:-1], tmp_path / "lacks.jsonl"), gold)
    nameless = [*ROWS[:-1], {"id": "s3", "output": "fish"}]
    with pytest.raises(PairingError, match="does not say which system"):
        karat.evaluate("chrf", written(nameless, tmp_path / "nameless.jsonl"), gold)


def test_every_command_tells_the_systems_apart(tmp_path: Path) -> None:
    files = [
        "-s", str(written(ROWS, tmp_path / "all.jsonl")),
        "-g", str(written(GOLDS, tmp_path / "gold.jsonl")),
    ]  # fmt: skip

    def told(*words: str) -> str:
        run = CliRunner().invoke(cli, [*words, *files])
        assert run.exit_code == 0, run.output
        return run.stdout

    scored = [json.loads(line) for line in told("score", "chrf", "-q").splitlines()]
    assert {(row["instance_id"], row["summarizer_id"]) for row in scored} == {
        (row["id"], row["model"]) for row in ROWS
    }
    explained = json.loads(told("explain", "chrf", "--item", "s1", "--json", "-"))
    assert [row["model"] for row in explained] == ["A", "B", "C"]
    lines = told("evaluate", "chrf", "--items", "-", "-q").splitlines()
    assert [json.loads(line)["model"] for line in lines] == [row["model"] for row in ROWS]
    shown = told("evaluate", "chrf", "--by-system", "-q")
    assert all(f"\n {name} " in shown for name in OUTPUTS)
    alone = written(ROWS[:8], tmp_path / "all.jsonl")
    gate = CliRunner().invoke(cli, ["gate", "chrf", "-s", str(alone), *files[2:]])
    assert "CANNOT TELL  4 items" in gate.stdout
    written(ROWS, alone)
    samples = told("compare", "chrf", "--cluster", "id", "-q", "--json", "-")
    assert len(json.loads(samples)["systems"]) == 3


def test_documents_of_several_systems(tmp_path: Path) -> None:
    """Fields may lie within others; with gold beside each output, or in a file of its own."""
    rows = [
        {"meta": {"n": row["id"], "by": row["model"]}, "raw": {"json": {"text": row["output"]}}}
        for row in ROWS
    ]
    fields = {
        "id_field": "meta.n", "system_field": "meta.by", "text_field": "raw.json",
        "group_field": ("meta.by",),
    }  # fmt: skip
    golds = [{"meta": {"n": f"s{i}"}, "gold": {"text": text}} for i, text in enumerate(GOLD)]
    gold = written(golds, tmp_path / "gold.jsonl")
    options: dict[str, Any] = {"format": "json-records", "gold_format": "json-records"}
    apart = karat.evaluate(
        "json", written(rows, tmp_path / "all.jsonl"), gold, format_options=fields, **options
    )
    own = [{**row, "gold": golds[i % 4]["gold"]} for i, row in enumerate(rows)]
    beside = karat.evaluate(
        "json",
        written(own, tmp_path / "own.jsonl"),
        format="json-records",
        format_options={**fields, "gold_field": "gold"},
    )
    for found in (apart, beside):
        assert found.groups["meta.by"] == [row["model"] for row in ROWS]
        for run in found.by_system():
            texts = [{"text": text} for text in OUTPUTS[run.system]]
            wanted = karat.evaluate("json", texts, [row["gold"] for row in golds])
            assert run.counts.tolist() == wanted.counts.tolist()
            assert run.ids == ["s0", "s1", "s2", "s3"]
    fields["id_field"] = "meta.m"
    with pytest.raises(karat.KaratError, match=r"no field 'meta\.m'"):
        karat.evaluate("json", tmp_path / "all.jsonl", gold, format_options=fields, **options)


def test_frames_are_paired_with_files_by_id(tmp_path: Path) -> None:
    """Keys of a frame have fewer parts than those of a file; what they lack is left open."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([row for row in ROWS if row["model"] == "A"][::-1])
    gold = written(GOLDS, tmp_path / "gold.jsonl")
    wanted = karat.evaluate("chrf", OUTPUTS["A"], GOLD).counts.tolist()
    assert karat.evaluate("chrf", frame, gold, system="output").counts.tolist() == wanted
    ours = written(ROWS[:4], tmp_path / "ours.jsonl")
    assert karat.evaluate("chrf", ours, pandas.DataFrame(GOLDS)).counts.tolist() == wanted
    (tmp_path / "gold.amr").write_text("# ::id s1\n(w / want-01)\n")
    for metric in ("smatch", "mrp"):
        assert len(karat.evaluate(metric, {"s1": "(w / want-01)"}, tmp_path / "gold.amr")) == 1
