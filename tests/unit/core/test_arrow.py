"""Arrow tables through metrics, by the engines that move them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from metric_examples import EXAMPLES
from metric_files import TESTED, files_of

arrow = pytest.importorskip("pyarrow")
TEXTS = {
    text: examples
    for texts, examples, *_ in EXAMPLES.values()
    for text in texts
    if karat.parse(text).kind in ("text", "amr")
    and all(
        isinstance(value, str)
        or (isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value))
        for pair in examples
        for value in pair
    )
    and all(isinstance(system, str) for system, _ in examples)
}


def test_enough_metrics_take_texts() -> None:
    assert {"bleu", "chrf", "exact", "amr-fine"} <= {text.partition("(")[0] for text in TEXTS}


@pytest.mark.parametrize("text", TEXTS)
def test_rows_are_those_of_the_metric(text: str) -> None:
    metric, pairs = karat.parse(text), TEXTS[text]
    golds = [list(gold) if isinstance(gold, tuple) else gold for _, gold in pairs]
    lists = any(isinstance(gold, list) for gold in golds)
    table = arrow.table(
        {
            "id": [f"i{i}" for i in range(len(pairs))],
            "system": [system for system, _ in pairs],
            "gold": [gold if isinstance(gold, list) or not lists else [gold] for gold in golds],
            "half": [i % 2 for i in range(len(pairs))],
        }
    )
    counts = metric.measure_arrow(table)
    assert counts.column_names == ["id", "half", *metric.columns]
    found = np.array([counts.column(name).to_numpy() for name in metric.columns]).T
    expected = np.asarray(metric.measure_many(list(pairs)), np.float64)
    assert found.tobytes() == expected.tobytes()
    assert (
        karat.summarize(counts, metric) == metric.evaluate(*map(list, zip(*pairs, strict=True)))[0]
    )


@pytest.mark.parametrize("name", [name for name in TESTED if files_of(name).gold])
def test_items_of_all_kinds_are_read_as_frames_are(name: str, tmp_path: Path) -> None:
    """Graphs, logical forms, records, spans: a row of a table is an item of a file."""
    metric, files = karat.parse(name), files_of(name)
    items: dict[str, list[Any]] = {"system": files.system, "gold": files.gold}
    if metric.kind in ("tree", "passage"):
        with pytest.raises(KaratError, match="K319"):
            metric.measure_arrow(arrow.table(items))
        return
    if metric.kind == "logic":
        items = {side: [row.split("\t")[1] for row in rows] for side, rows in items.items()}
    if metric.kind in ("record", "span"):
        known = {"record": ("output", "gold"), "span": ("spans", "spans")}[metric.kind]
        for (side, rows), field in zip(items.items(), known, strict=True):
            values = [json.loads(row)[field] for row in rows]
            items[side] = [json.dumps(each) for each in values] if field != "spans" else values
    rows = karat.evaluate(
        metric,
        system=files.write(tmp_path, "system", files.system),
        gold=files.write(tmp_path, "gold", files.gold),
    )
    if metric.kind == "span":  # Arrow has no columns of mixed lists
        items = {
            side: [
                [{"label": label, "start": begin, "end": end} for label, begin, end in row]
                for row in values
            ]
            for side, values in items.items()
        }
    counts = metric.measure_arrow(arrow.table(items))
    found = np.array([counts.column(each).to_numpy() for each in metric.columns]).T
    assert found.tobytes() == rows.counts.tobytes()
    assert karat.summarize(counts, metric) == rows.scores()
    if hasattr(metric, "absent"):
        items["system"] = [None, *items["system"][1:]]
        assert len(metric.measure_arrow(arrow.table(items))) == len(files.gold)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> karat.Evaluation:
    monkeypatch.chdir(tmp_path)
    words = ["a", "b", "c", "d", "e", "f", "g"]
    lines = [" ".join(words[(i * k) % 7] for k in range(1 + i % 9)) for i in range(500)]
    Path("gold.txt").write_text("\n".join(lines), encoding="utf-8")
    Path("system.txt").write_text("\n".join(f"{each} x" for each in lines), encoding="utf-8")
    return karat.evaluate("bleu", system="system.txt", gold="gold.txt")


def table() -> Any:
    sides = {
        name: Path(f"{name}.txt").read_text(encoding="utf-8").splitlines()
        for name in ("system", "gold")
    }
    return arrow.table({"id": [f"{i + 1}" for i in range(500)], **sides})


def test_polars(run: karat.Evaluation) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.from_arrow(table()).lazy()
    metric = run.metric
    schema = {"id": polars.String, **dict.fromkeys(metric.columns, polars.Float64)}
    counts = frame.map_batches(
        lambda batch: polars.from_arrow(metric.measure_arrow(batch)), schema=schema
    ).collect()
    assert np.array_equal(counts.select(metric.columns).to_numpy(), run.counts)
    assert karat.summarize(counts, metric) == run.scores()
    summed = counts.select(metric.columns).sum()
    assert karat.summarize(summed, "bleu")["bleu"] == pytest.approx(run.scores()["bleu"], rel=1e-12)


def test_duckdb(run: karat.Evaluation) -> None:
    duckdb = pytest.importorskip("duckdb")
    pairs = table()
    database = duckdb.connect()
    database.register("pairs", pairs)
    reader = database.sql("select * from pairs order by id::int").to_arrow_table()
    counts = run.metric.measure_arrow(reader)
    database.register("counts", counts)
    sums = ", ".join(f'sum("{name}") as "{name}"' for name in run.metric.columns)
    total = database.sql(f"select {sums} from counts").to_arrow_table()
    scores = karat.summarize(total, run.metric)
    assert scores["bleu"] == pytest.approx(run.scores()["bleu"], rel=1e-12)
    assert scores["sys_len"] == run.scores()["sys_len"]


def test_saved_counts_can_be_summed_anywhere(run: karat.Evaluation) -> None:
    duckdb = pytest.importorskip("duckdb")
    parquet = pytest.importorskip("pyarrow.parquet")
    run.save("counts.parquet")
    saved = parquet.read_table("counts.parquet")
    assert saved.column("id").to_pylist() == run.ids
    assert saved.schema.metadata[b"karat.signature"].decode() == run.signature()
    assert karat.summarize(saved, "bleu") == run.scores()
    ((total,),) = duckdb.sql("select sum(sys_len) from 'counts.parquet'").fetchall()
    assert total == run.scores()["sys_len"]
    from karat.cli import _run

    words = ["evaluate", "bleu", "-g", "gold.txt", "-s", "system.txt", "-q", "--json", "a.json"]
    assert _run([*words, "--save", "again.parquet"]) == 0
    assert parquet.read_table("again.parquet").equals(saved, check_metadata=True)


@pytest.mark.parametrize(
    ("metric", "columns", "message"),
    [
        ("bleu", {"system": ["a"], "golds": ["a"]}, "K315: the table has no column 'gold'; did"),
        ("bleu", {"system": ["a"], "gold": ["a"], "sys_len": [1]}, "K348: the column 'sys_len'"),
        ("ud", {"system": ["a"], "gold": ["a"]}, "K319: ud compares items of the kind tree"),
        ("bleu", {"id": ["x"], "system": ["a"], "gold": [None]}, "item 'x': there is no ref"),
        ("exact", {"id": ["x"], "system": [None], "gold": ["a"]}, "item 'x': there is no text"),
    ],
)
def test_what_is_wrong_is_named(metric: str, columns: Any, message: str) -> None:
    with pytest.raises(KaratError, match=message):
        karat.parse(metric).measure_arrow(arrow.table(columns))


def test_sums_of_other_metrics_are_refused() -> None:
    with pytest.raises(KaratError, match="K315: the table has no column"):
        karat.summarize(arrow.table({"id": ["a"]}), "bleu")
    texts = {name: ["a"] for name in karat.parse("exact").columns}
    with pytest.raises(KaratError, match="K315: the column 'items' does not hold counts"):
        karat.summarize(arrow.table(texts), "exact")
    infinite = {name: [float("inf")] for name in karat.parse("exact").columns}
    with pytest.raises(KaratError, match="K203: a count of the table is missing, or infinite"):
        karat.summarize(arrow.table(infinite), "exact")
    with pytest.raises(KaratError, match="K393: int 5 cannot be converted to an Arrow table"):
        karat.summarize(5, "exact")
    with pytest.raises(KaratError, match="K203: the table has no rows"):
        karat.summarize(arrow.table({name: [] for name in karat.parse("bleu").columns}), "bleu")
