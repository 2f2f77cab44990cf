"""Many files give what one file gives, however the items are spread over them."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.engine import look, verify
from karat.errors import FormatError, KaratError

EXAMPLES = Path(__file__).parents[2] / "examples"
RUNS = [
    ("rouge", "translation/gold.txt", "translation/hasty.txt"),
    ("bleu", "translation/gold.txt", "translation/hasty.txt"),
    ("cogs", "forms/gold.tsv", "forms/seed1.tsv"),
    ("ud", "dependencies/small.gold.conllu", "dependencies/small.test.conllu"),
    ("attachment", "dependencies/dot.gold.f2", "dependencies/dot.test.f2"),
    ("mrp", "graphs/normalize.gold.mrp", "graphs/normalize.system.mrp"),
    ("smatch", "graphs/gold.amr", "graphs/system.amr"),
    ("rouge", "", "judged/summaries.jsonl"),
]


def spread(file: Path, folder: Path, chance: random.Random, packs: bool | None = None) -> str:
    """Writes the items of a file to several, some of them compressed, some empty."""
    folder.mkdir()
    text = file.read_text(encoding="utf-8")
    blocks = file.suffix in (".amr", ".conllu", ".f2")
    items = text.rstrip("\n").split("\n\n") if blocks else text.splitlines()
    cuts = sorted(chance.randrange(len(items) + 1) for _ in range(chance.randrange(1, 12)))
    end = "\n\n" if blocks else "\n"
    packs = chance.random() < 0.5 if packs is None else packs
    for number, (begin, stop) in enumerate(zip([0, *cuts], [*cuts, len(items)], strict=True)):
        part = "".join(each + end for each in items[begin:stop]).encode()
        path = folder / f"part-{number}{file.suffix}"
        if packs and chance.random() < 0.5:
            Path(f"{path}.gz").write_bytes(gzip.compress(part))
        else:
            path.write_bytes(part)
    return str(folder / "part-*")


def outcome(run: karat.Evaluation) -> object:
    run.system = ""
    explained = run.metric.name != "bleu"
    seen = [(e.pair.id, e.explanation) for e in look.look(run, explained=True)] if explained else []
    rest = run.ids, run.keys, run.places, run.groups, repr(seen)
    return run.to_json(), run.counts.tobytes(), *rest


NAMELESS = {
    "amr": ["(b / bark-01 :ARG0 (d / dog))", "(s / sleep-01)", "(r / run-02 :ARG1 (c / cat))"],
    "eds": [
        "{e2: e2:_bark_v_1<0:4>[ARG1 x3] x3:_dog_n_1<5:8>[]}", "{e2: e2:_sleep_v_1<0:5>[]}",
        "{e2: e2:_run_v_1<0:3>[ARG1 x5] x5:_cat_n_1<4:7>[]}",
    ],
    "ud": [
        f"1\t{a}\t{a}\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\t{b}\t{b}\tVERB\t_\t_\t0\troot\t_\t_"
        for a, b in (("dogs", "bark"), ("cats", "sleep"), ("mice", "run"))
    ],
    "pmb": [
        f"b1 REF x1\nb1 {word} \"n.01\" x1\nb1 REF e1\nb1 {verb} \"v.01\" e1\nb1 Agent e1 x1"
        for word, verb in (("dog", "bark"), ("cat", "sleep"), ("mouse", "run"))
    ],
}  # fmt: skip
"""Items without ids, of the formats that number such."""


@pytest.mark.parametrize("format", NAMELESS)
def test_items_without_ids_are_numbered_through_all_files(format: str, tmp_path: Path) -> None:
    items = NAMELESS[format]
    whole = tmp_path / f"whole.{format}"
    whole.write_text("\n\n".join(items) + "\n")
    parts = [tmp_path / f"part-{i}.{format}" for i in range(2)]
    parts[0].write_text("\n\n".join(items[:2]) + "\n")
    parts[1].write_text(items[2] + "\n")
    one = karat.evaluate("mrp", system=whole, gold=whole, format=format)
    spread_run = karat.evaluate("mrp", system=parts, gold=whole, format=format)
    both = karat.evaluate("mrp", system=parts, gold=f"{tmp_path}/part-*", format=format)
    assert len(one) == 3
    for run in (spread_run, both):
        assert run.ids == one.ids == ["0", "1", "2"]
        assert run.counts.tolist() == one.counts.tolist()
        assert run.scores()["all"]["f"] == 1.0


@pytest.mark.parametrize(("metric", "gold", "system"), RUNS)
def test_the_layout_does_not_matter(metric: str, gold: str, system: str, tmp_path: Path) -> None:
    golds: list[Any] = [EXAMPLES / gold] if gold else []
    expected = outcome(karat.evaluate(metric, system=EXAMPLES / system, gold=golds))
    for seed in range(4):
        chance = random.Random(seed)
        ours = spread(EXAMPLES / system, tmp_path / f"system {seed}", chance)
        theirs = [spread(path, tmp_path / f"gold {seed}", chance) for path in golds]
        run = karat.evaluate(metric, system=ours, gold=theirs, jobs=1 + seed % 2)
        run.save(tmp_path / "a.run")
        assert verify(tmp_path / "a.run").items == len(run)
        assert outcome(run) == expected
        several = karat.evaluate(metric, system=str(tmp_path / f"system {seed}"), gold=theirs)
        assert outcome(several) == expected, "a folder is the files in it"


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Records in a random order of ids, in the files system.jsonl and gold.jsonl."""
    monkeypatch.chdir(tmp_path)
    chance = random.Random(1)
    found = [
        {"id": f"i{i}", "hypothesis": f"a b {i}", "references": [f"a c {i}", f"b {i}"], "type": "x"}
        for i in range(300)
    ]
    write("gold.jsonl", [{"id": r["id"], "references": r["references"]} for r in found])
    chance.shuffle(found)
    write("system.jsonl", [{"id": r["id"], "hypothesis": r["hypothesis"]} for r in found])
    return found


def write(path: str, items: list[dict[str, Any]]) -> None:
    Path(path).write_text("".join(json.dumps(each) + "\n" for each in items), encoding="utf-8")


def measured(system: Any, gold: Any = "gold.jsonl", **options: Any) -> tuple[bytes, list[str]]:
    run = karat.evaluate("rouge", system=system, gold=gold, **options)
    return run.counts.tobytes(), run.ids


def lines_to(folder: str, size: int) -> None:
    Path(folder).mkdir()
    lines = Path("system.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    for number, first in enumerate(range(0, len(lines), size)):
        Path(folder, f"{number}.jsonl").write_text("".join(lines[first : first + size]))


@pytest.mark.usefixtures("records")
def test_lists_patterns_folders_and_workers() -> None:
    expected = measured("system.jsonl")
    lines_to("out", 29)
    names = [f"out/{number}.jsonl" for number in range(11)]
    Path("list.txt").write_text("\n".join(names), encoding="utf-8")
    Path("out/_SUCCESS").write_bytes(b"")
    for system in ([Path(name) for name in names], "@list.txt", "out/*.jsonl", "out"):
        assert measured(system) == expected
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert measured("out/*.jsonl", executor=pool) == expected
    assert measured("out", resume="parts") == measured("out", resume="parts") == expected


def test_parquet(records: list[dict[str, Any]]) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    expected = measured("system.jsonl")
    table = arrow.Table.from_pylist(records)
    parquet.write_table(table, "system.parquet", row_group_size=17)
    parquet.write_table(table.slice(0, 100), "s-1.parquet", row_group_size=17)
    parquet.write_table(table.slice(100), "s-2.parquet")
    gold = arrow.Table.from_pylist(sorted(records, key=lambda each: int(each["id"][1:])))
    parquet.write_table(gold, "gold.parquet", row_group_size=50)
    assert measured("system.parquet", "gold.parquet") == expected
    assert measured("s-*.parquet", "gold.parquet") == expected
    content = Path("s-2.parquet").read_bytes()
    Path("s-2.parquet").write_bytes(content[: len(content) // 2])
    with pytest.raises(FormatError, match=r"^s-2\.parquet: FormatError K104: the Parquet file is"):
        measured("s-*.parquet")


class Watched(ProcessPoolExecutor):
    """Another process, and whether the bytes of items were sent to it."""

    sent: set[bool]

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        chunk = args[2][0]
        self.sent.update(refs.data is not None for refs in (chunk.system, *chunk.golds))
        return super().submit(fn, *args, **kwargs)


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Watched]:
    with Watched(1, get_context("spawn")) as pool:
        yield pool


def test_workers_unpack_for_themselves(records: list[dict[str, Any]], elsewhere: Watched) -> None:
    """Compressed shards and row groups are read where they are measured, in any order."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    elsewhere.sent = set()
    expected = measured("system.jsonl")
    lines_to("out", 29)
    for number in range(0, 11, 2):
        path = Path(f"out/{number}.jsonl")
        Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    parquet.write_table(arrow.Table.from_pylist(records), "system.parquet", row_group_size=17)
    ordered = sorted(records, key=lambda each: int(each["id"][1:]))
    Path("tables").mkdir()
    for first in (0, 90):
        part = arrow.Table.from_pylist(ordered[first : first + (90 if not first else 999)])
        parquet.write_table(part, f"tables/{first}.parquet", row_group_size=40)
    with arrow.OSFile("gold.arrow", "wb") as file:
        table = arrow.Table.from_pylist(ordered)
        with arrow.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=70)
    for system in ("out", "system.parquet"):
        for gold in ("gold.jsonl", "tables", "gold.arrow"):
            assert measured(system, gold, executor=elsewhere) == expected
    assert elsewhere.sent == {False}, "nothing was sent that can be read there"


@pytest.mark.parametrize(("metric", "gold", "system"), RUNS)
def test_packed_shards_elsewhere(
    metric: str, gold: str, system: str, tmp_path: Path, elsewhere: Watched
) -> None:
    elsewhere.sent = set()
    golds: list[Any] = [EXAMPLES / gold] if gold else []
    expected = karat.evaluate(metric, system=EXAMPLES / system, gold=golds)
    chance = random.Random(7)
    ours = spread(EXAMPLES / system, tmp_path / "system", chance, packs=True)
    theirs = [spread(path, tmp_path / "gold", chance, packs=True) for path in golds]
    run = karat.evaluate(metric, system=ours, gold=theirs, executor=elsewhere)
    assert run.counts.tobytes() == expected.counts.tobytes()
    assert (run.ids, run.keys, run.groups) == (expected.ids, expected.keys, expected.groups)
    assert elsewhere.sent == {False}


@pytest.mark.usefixtures("records")
def test_files_elsewhere() -> None:
    fsspec = pytest.importorskip("fsspec")
    expected = measured("system.jsonl")
    lines_to("out", 70)
    memory = fsspec.filesystem("memory")
    for path in (*Path("out").iterdir(), Path("gold.jsonl"), Path("system.jsonl")):
        memory.pipe(f"/data/{path.name}", path.read_bytes())
    memory.pipe("/data/packed/0.jsonl.gz", gzip.compress(Path("system.jsonl").read_bytes()))
    gold = "memory://data/gold.jsonl"
    for system in ("system.jsonl", "[0-9].jsonl", "packed/*.gz"):
        assert measured(f"memory://data/{system}", gold) == expected
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:  # which has another memory
        for system in ("system.jsonl", "packed/*.gz"):
            assert measured(f"memory://data/{system}", gold, executor=pool) == expected
    assert karat.Source("https://me:secret@host/a.txt?key=secret").name == "https://host/a.txt"
    with pytest.raises(FormatError, match=r"^memory://data/none: FormatError K101: there is no su"):
        measured("memory://data/none")
    with pytest.raises(KaratError, match=r"K101|K401"):
        measured("nonsense://data/none")


@pytest.mark.usefixtures("records")
def test_what_is_wrong_is_named() -> None:
    lines_to("out", 70)
    shard = Path("out/2.jsonl")
    content = shard.read_bytes()
    shard.write_bytes(content[:-9])
    with pytest.raises(FormatError, match=r"^out/2\.jsonl:70: FormatError K1"):
        measured("out")
    shard.unlink()
    Path("out/2.jsonl.gz").write_bytes(gzip.compress(content)[:-20])
    with pytest.raises(FormatError, match=r"^out/2\.jsonl\.gz: FormatError K104: the comp"):
        measured("out/*")
    with pytest.raises(FormatError, match="K101: no file fits this pattern"):
        measured("out/*.txt")
    Path("empty").mkdir()
    with pytest.raises(FormatError, match="K101: there is no file in this folder"):
        measured("empty")
    Path("out/2.jsonl.gz").unlink()
    with pytest.raises(KaratError, match="K201: 70 of 300 gold ids have no system item"):
        measured("out")


@pytest.mark.usefixtures("records")
def test_inputs_are_not_overwritten() -> None:
    from karat.cli import _run

    lines_to("out", 70)
    before = Path("out/2.jsonl").read_bytes()
    words = ["evaluate", "rouge", "-g", "gold.jsonl", "-s", "out/*", "--json", "out/2.jsonl"]
    assert _run(words) == 2
    assert Path("out/2.jsonl").read_bytes() == before
