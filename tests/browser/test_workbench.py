"""The page in a real browser: what people do with it, and figures that are those of the JSON.

All flows are done by one script in one browser (flows.mjs); each test looks at what it found.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil, floor
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode

import msgspec
import numpy as np
import pytest

import karat
from karat import evaluate
from karat.core.runs.evaluation import Evaluation
from karat.engine.audit import read_verdicts
from karat.engine.look import look
from karat.engine.repair import repair
from karat.report.contract import (
    AuditItem,
    AuditPart,
    AuditSystem,
    AuditView,
    Edit,
    Finding,
    Picture,
    RepairClass,
    RepairStep,
    RepairView,
    TraceTable,
    TraceView,
)
from karat.report.numbers import shown, shown_p
from karat.report.page import RepairedRun, write
from karat.report.page.html import EXTRAS
from karat.report.page.serving import server
from karat.report.repairs import repaired_run
from karat.report.traces import write_page
from pages import WrittenPage

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
MODULES = ROOT / "web" / "node_modules"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
STATISTICS = {"level": 0.95, "resamples": 200, "seed": 0, "method": "auto"}
HOSTILE = [
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", "a\0b\x07",
    "left \u202egnirts\u202c right", "{{7*7}} ${7*7}", "javascript:alert(3)",
]  # fmt: skip
GROUPS = ("news", "chat", "legal")
WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "house",
    "boat",
    "sees",
    "finds",
    "old",
    "new",
    "quick",
    "red",
    "and",
    "on",
    "under",
    "with",
]


def _records(path: Path, rows: list[dict[str, str]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def _texts(folder: Path) -> list[Evaluation]:
    """Two systems of translations in three domains, by two metrics."""
    draw = random.Random(1)
    gold = [
        {
            "id": f"s{i}",
            "domain": GROUPS[i % 3],
            "source": f"Satz {i} im Original",
            "text": " ".join(draw.choices(WORDS, k=9)) + ".",
        }
        for i in range(150)
    ]
    files = [_records(folder / "gold.jsonl", gold)]
    for name, often in (("atlas", 0.08), ("birch", 0.25)):
        rows = []
        for row in gold:
            words = [
                "zeppelin" if draw.random() < often / 9 and name == "birch" else
                draw.choice(WORDS) if draw.random() < often else word
                for word in row["text"].split()
            ]  # fmt: skip
            rows.append({**row, "text": " ".join(words)})
        files.append(_records(folder / f"{name}.jsonl", rows))
    return [
        evaluate(metric, system=path, gold=files[0])
        for metric in ("chrf", "edit-distance")
        for path in files[1:]
    ]


def _long_names(folder: Path) -> list[Evaluation]:
    """Systems, groups and ids with names that do not fit on a phone, by a metric of 0 and 1 too."""
    gold = [{"id": f"newstest-2026-document-{i}", "subdomain-of-text": f"conversation {i % 3}",
             "text": f"a cat sees {i} dogs"} for i in range(40)]  # fmt: skip
    files = [_records(folder / "long.gold.jsonl", gold)]
    for name, step in (("multilingual-distilled-translator-600M-v2.1-final", 3),
                       ("another-translator-with-a-name-as-long-as-this", 5)):  # fmt: skip
        rows = [row if i % step else {**row, "text": "no dog"} for i, row in enumerate(gold)]
        files.append(_records(folder / f"{name}.jsonl", rows))
    return [
        evaluate(metric, system=path, gold=files[0])
        for metric in ("exact", "chrf") for path in files[1:]
    ]  # fmt: skip


def _hostile(folder: Path) -> list[Evaluation]:
    gold = [{"id": f"{text}{i}", "kind": text, "text": f"{text} one two"}
            for i, text in enumerate(HOSTILE * 2)]  # fmt: skip
    system = [{**row, "text": f"{row['text']} three".replace("two", row["kind"])} for row in gold]
    paths = [
        _records(folder / "gold.jsonl", gold), _records(folder / "<b onclick='x'>.jsonl", system)
    ]  # fmt: skip
    return [evaluate("chrf", system=paths[1], gold=paths[0])]


def _limited(folder: Path) -> Evaluation:
    """More items than a small page has room for; all but every fifth are right."""
    draw = random.Random(2)
    texts = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=60)) for _ in range(3000)]
    system = [text if i % 5 else text[::-1] for i, text in enumerate(texts)]
    for name, lines in (("texts.txt", texts), ("reversed.txt", system)):
        (folder / name).write_text("\n".join(lines) + "\n")
    return evaluate("exact", system=str(folder / "reversed.txt"), gold=str(folder / "texts.txt"))


MARKED = {
    "lacking": ("a very old cat sees a dog", "a cat sees a dog"),
    "moved": ("on monday we all met here", "we all met here on monday"),
    "nothing": ("a cat", ""),
    "long": (" ".join(f"word{i}" for i in range(61)), "word0"),
}
"""Gold and a system's output, by id."""


def _marked(folder: Path) -> list[Evaluation]:
    """Texts whose marks are known, of two systems; the first has gold's."""
    sides = {"gold": 0, "same": 0, "other": 1}
    files = {
        name: _records(
            folder / f"marked-{name}.jsonl",
            [
                {"id": id, "source": f"the source of {id}", "text": texts[side]}
                for id, texts in MARKED.items()
            ],
        )
        for name, side in sides.items()
    }
    return [evaluate("chrf", system=files[name], gold=files["gold"]) for name in ("same", "other")]


def _odd() -> dict[str, list[Evaluation]]:
    """Runs of nothing, of one item, and of ids that come twice, one with an undefined score."""
    metric = karat.parse("wer")
    columns = list(metric.columns)
    nothing = np.zeros((0, len(columns)))
    rows = np.asarray(metric.measure_many([("a b", "a c"), ("", ""), ("x", "x")]))
    return {
        "nothing": [Evaluation(metric, [], nothing, system="none")],
        "one": [Evaluation(metric, ["x" * 300], rows[:1], system="one")],
        "twice": [Evaluation(metric, ["x", "x", "y"], rows, system="twice")],
        "apart": [Evaluation(metric, [name], rows[:1], system=name) for name in ("first", "second")]
        + [Evaluation(metric, ["second", "third"], rows[:2], system="both")],
    }


@contextmanager
def _serving(runs: list[Evaluation]) -> Iterator[str]:
    serving, address = server(runs, statistics=STATISTICS)
    thread = Thread(target=serving.serve_forever, daemon=True)
    thread.start()
    try:
        yield address
    finally:
        serving.shutdown()
        serving.server_close()
        thread.join()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Evaluation]:
    return _texts(tmp_path_factory.mktemp("texts"))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, runs: list[Evaluation]) -> dict[str, Any]:
    """What the browser saw."""
    if shutil.which("node") is None or CHROMIUM is None:
        pytest.skip("node or chromium is not there")
    if not MODULES.is_dir():
        pytest.skip("web/node_modules is not there: scripts/web brings it")
    folder = tmp_path_factory.mktemp("pages")
    example = {
        "amr": ["smatch", "graphs/gold.amr", ["graphs/system.amr"]],
        "ud": ["ud", "dependencies/small.gold.conllu", ["dependencies/small.test.conllu"]],
        "cogs": ["cogs", "forms/gold.tsv", ["forms/seed1.tsv", "forms/seed2.tsv"]],
        "drg": ["mrp", "graphs/drg.gold.mrp", ["graphs/drg.system.mrp"]],
        "json": ["json", "records/gold.jsonl", ["records/a.jsonl", "records/b.jsonl"]],
        "spans": ["spans", "records/gold.iob", ["records/system.iob"]],
    }
    made: dict[str, list[Evaluation]] = {
        name: [evaluate(metric, system=str(EXAMPLES / s), gold=str(EXAMPLES / gold)) for s in files]
        for name, (metric, gold, files) in example.items()
    }
    summaries = str(EXAMPLES / "judged" / "summaries.jsonl")
    made |= {
        "texts": runs,
        "hostile": _hostile(folder),
        "long": _long_names(folder),
        "rouge": [
            evaluate(metric, system=summaries) for metric in ("rouge(compute_rouge_l=True)", "gleu")
        ],
    }
    made["beyond"] = made["clean"] = made["amr"]
    made["large"] = [_large(folder)]
    made["marked"] = _marked(folder)
    made["confused"] = _confused(folder)
    made["roles"] = [_roles(folder)]
    made["pyramid"] = [_pyramid(folder)]
    made["trees"] = [
        evaluate("attachment", system=str(EXAMPLES / "audit" / f"{name}.conllu"),
                 gold=str(EXAMPLES / "audit" / "gold.conllu")) for name in "ab"
    ]  # fmt: skip
    repairs = {
        f"repaired {metric}": repair(
            evaluate(metric, system=str(EXAMPLES / s), gold=str(EXAMPLES / g))
        )
        for metric, s, g in (
            ("wer", "records/heard.txt", "records/gold.txt"),
            ("json", "records/a.jsonl", "records/gold.jsonl"),
            ("cogs", "forms/seed2.tsv", "forms/gold.tsv"),
        )
    }
    both = [repairs["repaired json"], repair(made["json"][1])]
    made |= {name: [each.evaluation] for name, each in repairs.items()}
    made["repaired both"] = [each.evaluation for each in both]
    made["limited"] = [_limited(folder)]
    made["fewer-layers"] = made["rouge"]
    odd = _odd()
    made |= odd
    judged = [str(EXAMPLES / "judged" / "human.jsonl")]
    address = {}
    for name, some in made.items():
        path = folder / f"{name}.html"
        with path.open("wb") as stream:
            judgements = judged if name in ("rouge", "fewer-layers") else []
            more: dict[str, Any] = beyond(some[0]) if name == "beyond" else {}
            if name == "limited":
                more = {"page_size": 300_000}
            if name == "fewer-layers":
                more = {"page_size": (folder / "rouge.html").stat().st_size * 9 // 10}
            if name == "clean":
                more = {"audit": AuditView(0, [], [], [], [], 31, ["two systems are not many"])}
            if name in repairs:
                more = {"repairs": [repaired_run(repairs[name])]}
            if name == "repaired both":
                more = {"repairs": list(map(repaired_run, both))}
            write(stream, some, statistics=STATISTICS, by=(), judgements=judgements, **more)
        address[name] = path.as_uri()
    address["traced"] = _traced(runs[0], folder / "traced.html")
    views = ["Overview", "Breakdowns", "Items", "Errors"]
    with _serving(runs) as served:
        flows: dict[str, tuple[str, dict[str, Any]]] = {
            "dom": ("dom", {"source": str(ROOT / "web" / "src" / "dom.ts"), "seed": 20261117}),
            "figures": ("figures", {"address": address["texts"]}),
            "wander": ("wander", {"address": address["texts"], "group": "chat"}),
            "seek": (
                "seek", {"address": address["texts"], "word": "zeppelin", "error": "zeppelin"}
            ),
            "people": ("people", {"address": address["rouge"]}),
            "wishes": ("wishes", {"address": address["texts"], "item": "s1"}),
            "hostile": ("hostile", {"address": address["hostile"]}),
            "served": ("served", {"address": served}),
            "old": ("old", {"address": address["texts"]}),
            "strip": ("strip", {"address": address["texts"], "tab": address["traced"]}),
            "region": ("region", {"address": address["texts"], "group": "chat"}),
            "keyboard": ("keyboard", {"address": address["texts"], "word": "zeppelin"}),
            "limited": ("limited", {
                "address": address["limited"], "absent": limited_to(folder),
                "layered": address["fewer-layers"],
            }),
            "odd": ("odd", {"addresses": {name: address[name] for name in odd}}),
            "columns": ("columns", {"address": address["texts"]}),
            "repair": (
                "repair", {"address": address["beyond"], "name": "add node", "item": "ferry.3"}
            ),
            "duels": ("duels", {"addresses": [address["texts"], address["long"]]}),
            "repairs": ("repairs", {"address": address["repaired both"]}),
            "audit": ("audit", {"address": address["beyond"], "clean": address["clean"]}),
            "inside": (
                "inside", {"address": address["texts"], "word": "zeppelin",
                           "long": address["rouge"], "far": "because", "graph": address["amr"],
                           "item": "ferry.3", "large": address["large"]}
            ),
            "marked": ("marked", {"address": address["marked"], "items": list(MARKED),
                                  "spans": address["spans"]}),
            "kinds": ("kinds", {"address": address["roles"], "words": address["texts"]}),
            "tables": ("tables", {"address": address["confused"]}),
            "trace": ("trace", {"address": address["beyond"]}),
            "copied": ("copied", {"address": address["texts"]}),
            "switches": (
                "switches", {"texts": address["texts"], "binary": address["cogs"],
                             "references": address["rouge"], "pyramid": address["pyramid"]}
            ),
            "confusions": ("confusions", {"address": address["roles"], "item": "g5"}),
            "scores": ("scores", {"address": address["ud"]}),
            "confused": ("confused", {"address": address["roles"]}),
            "beaten": ("beaten", {"address": address["texts"], "name": "birch"}),
            **{
                f"places {name}": (
                    "places", {"address": address[name], "errors": errors_of(folder, name)}
                )
                for name in ("texts", "amr", "trees", "cogs", "json", "spans")
            },
            **{
                f"switching {name}": (
                    "switching", {"address": address[f"repaired {name}"], "item": item,
                                  "selector": selector}
                )
                for name, item, selector in (
                    ("wer", "2", ".text"), ("json", "inv-01", ".text"),
                    ("cogs", "5", ".terms tbody td"),
                )
            },
            "traced": ("trace", {"address": address["traced"]}),
            "axe traced": ("axe", {"address": address["traced"], "views": ["Trace"], "item": "s1"}),
            "axe beyond": (
                "axe", {"address": address["beyond"], "views": ["Repair", "Audit", "Items"],
                        "item": "ferry.3"}
            ),
            "axe texts": (
                "axe", {"address": address["texts"], "views": views,
                        "item": errors_of(folder, "texts")[0][0]}
            ),
            "axe rouge": (
                "axe", {"address": address["rouge"], "item": "D01", "views": [*views, "Agreement"]}
            ),
            "axe long": (
                "axe", {"address": address["long"], "views": views,
                        "item": "newstest-2026-document-3"}
            ),
            "axe ud": ("axe", {"address": address["ud"], "views": views[2:], "item": "1"}),
            "axe cogs": ("axe", {"address": address["cogs"], "views": ["Items"], "item": "3"}),
            "axe amr": ("axe", {"address": address["amr"], "views": ["Items"], "item": "ferry.3"}),
        }  # fmt: skip
        shows = {
            "amr": ("ferry.3", [".drawing text"]),
            "drg": ("p00-d0001", [".drawing text"]),
            "ud": ("1", [".drawing text"]),
            "cogs": ("3", [".terms tbody tr", ".notes li"]),
            "rouge": ("D01", [".layers .chip", ".gold-text h3"]),
        }
        for name, (item, selectors) in shows.items():
            page = WrittenIds(Path(address[name].removeprefix("file://")))
            flows[f"show {name}"] = ("show", {
                "address": address[name], "item": item if item in page.ids else page.ids[0],
                "selectors": selectors, "pdf": name == "amr",
            })  # fmt: skip
        plan = folder / "plan.json"
        plan.write_text(json.dumps({"modules": str(MODULES), "chromium": CHROMIUM, "flows": flows}))
        done = subprocess.run(
            ["node", str(Path(__file__).with_name("flows.mjs")), str(plan)],
            capture_output=True, text=True, timeout=1200,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def beyond(run: Evaluation) -> dict[str, Any]:
    """Hand-made repairs and suspects of the third item, whose overlay is known."""
    row = run.ids.index("ferry.3")
    (seen,) = look(run, [row], explained=True)
    overlay = run.metric.shown(seen.pair.system, seen.pair.gold, seen.explanation).overlay  # type: ignore[attr-defined]
    node = next(i for i, each in enumerate(overlay.nodes) if each.kind == 1)
    lost = [i for i, each in enumerate(overlay.arrows) if each.kind == 1]
    new = next(i for i, each in enumerate(overlay.arrows) if each.kind == 2)
    parts = [(0, node, -1), *((1, i, -1) for i in lost)]
    edits = {
        row: [
            Edit("add node", "add node", "", "date-entity", 0.04, parts),
            Edit("delete edge", "delete edge", "time", "", 0.02, [(1, new, -1)]),
        ]
    }
    view = RepairView(
        metric=0, system=0, partition="kind", rank="gain", before=0.81, after=1.0,
        scores={"f": 0.81}, repaired={"f": 1.0},
        classes=[
            RepairClass("add node", 1, 1, {"p": 0.03, "r": 0.05, "f": 0.04}, (0.01, 0.07), 0.04,
                        0.85),
            RepairClass("delete edge", 2, 1, {"p": 0.01, "r": 0.0, "f": 0.02}, (0.0, 0.03), 0.02),
        ],
        plan=[RepairStep(["add node"], 0.85), RepairStep(["add node", "delete edge"], 0.87)],
        exact=True, warnings=["the first class's interval overlaps the third's"],
    )  # fmt: skip
    plain = msgspec.structs.replace(overlay, arrows=[a for a in overlay.arrows if a.kind != 2])
    findings = [
        Finding(0, "ferry.1", AuditPart("label", "node 0"), "see-01", "watch-01", ["system", "b"],
                3.2, "yes"),
        Finding(row, "ferry.3", AuditPart("edge", "repair-01 → friday"), "", "time", ["system"],
                1.5),
    ]  # fmt: skip
    audit = AuditView(
        metric=0,
        systems=[AuditSystem("system", {"label": 0.9, "edge": 0.8}, 1.0),
                 AuditSystem("b", {"label": 0.7, "edge": None}, 0.8)],
        shared_errors=[[None, 0.25], [0.25, None]],
        findings=findings,
        items=[AuditItem(row, "ferry.3", 1.5, [1], Picture(None, plain), Picture(None, overlay))],
        parts=31,
        warnings=[],
        precision=(0.5, 0.125, 0.875),
        judged=2,
    )  # fmt: skip
    trace = TraceView(
        ["Smatch 0.871"], "one setting gives it",
        [TraceTable("", ["setting", "value", "slip"], [0], [["smatch()", "0.87097", ""]]),
         TraceTable("nearest", ["setting", "value", "slip"], [0], [["<b>", "0.9", "swapped"]])],
        ["2 settings were tried"],
    )  # fmt: skip
    return {"repairs": [RepairedRun(run, view, edits)], "audit": audit, "trace": trace}


def _roles(folder: Path) -> Evaluation:
    """Graphs of which a parser confuses roles: ARG0 and ARG2 six times, others less often."""
    gold = "# ::id g{i}\n# ::snt He sees {i} .\n(s / see-01 :{a} (h / he) :{b} (t / thing))\n"
    confused = {3: ("ARG3", "ARG1"), 7: ("ARG0", "time"), 9: ("ARG0", "time")}
    lines: dict[str, list[str]] = {"gold": [], "parsed": []}
    for i in range(30):
        roles = ("ARG2", "ARG1") if i % 5 == 0 else confused.get(i, ("ARG0", "ARG1"))
        lines["gold"].append(gold.format(i=i, a="ARG0", b="ARG1"))
        parsed = gold.format(i=i, a=roles[0], b=roles[1])
        lines["parsed"].append(parsed.replace("thing", "object") if i == 11 else parsed)
    for name, found in lines.items():
        (folder / f"{name}.amr").write_text("\n".join(found))
    return evaluate("smatch", system=str(folder / "parsed.amr"), gold=str(folder / "gold.amr"))


def _large(folder: Path) -> Evaluation:
    """A graph of 170 nodes, one of which has another name."""
    gold = "".join(f"(x{i} / n{i} :ARG1 " for i in range(170)) + '"end"' + ")" * 170
    for name, text in (("many.gold", gold), ("many", gold.replace(" / n100 ", " / other "))):
        (folder / f"{name}.amr").write_text(f"# ::id many\n{text}\n")
    return evaluate("smatch", system=str(folder / "many.amr"), gold=str(folder / "many.gold.amr"))


def _confused(folder: Path) -> list[Evaluation]:
    """Graphs of fifteen concepts that two parsers take for others: the first twice for one."""
    graphs = {"right": "b", "first": "c", "second": "d"}
    for name, letter in graphs.items():
        items = [f"# ::id {i}\n(x / {letter}{i % 15})\n" for i in range(16)]
        (folder / f"{name}.amr").write_text("\n".join(items))
    second = folder / "second.amr"
    second.write_text(second.read_text().replace("# ::id 15\n(x / d0)", "# ::id 15\n(x / b0)"))
    return [evaluate("smatch", system=str(folder / f"{name}.amr"), gold=str(folder / "right.amr"))
            for name in ("first", "second")]  # fmt: skip


def _pyramid(folder: Path) -> Evaluation:
    """A summary that has the first of two content units."""

    def unit(number: int, label: str, *parts: tuple[str, str, int]) -> dict[str, Any]:
        found = []
        for text, part, place in parts:
            start = text.index(part)
            spans = [{"text": part, "start": start, "end": start + len(part)}]
            index = {} if place < 0 else {"summary_index": place}
            found.append({**index, "label": part, "parts": spans})
        return {"scu_id": number, "label": label, "contributors": found}

    texts = ["The ferry sank. Nobody was hurt.", "A ferry sank at night."]
    own = "At night a ferry sank."
    sunk = [(texts[0], "The ferry sank", 0), (texts[1], "A ferry sank", 1)]
    pyramid = {
        "instance_id": "d", "summaries": texts, "summarizer_ids": ["A", "B"],
        "scus": [unit(1, "a ferry sank", *sunk),
                 unit(2, "nobody was hurt", (texts[0], "Nobody was hurt", 0))],
    }  # fmt: skip
    annotation = {
        "instance_id": "d", "summarizer_id": "S", "summarizer_type": "peer", "summary": own,
        "scus": [unit(1, "a ferry sank", (own, "a ferry sank", -1))],
    }  # fmt: skip
    golds, systems = folder / "pyramids.jsonl", folder / "annotations.jsonl"
    golds.write_text(json.dumps(pyramid) + "\n")
    systems.write_text(json.dumps(annotation) + "\n")
    return evaluate(
        "pyramid-score", system=str(systems), format="pyramid-based",
        format_options={"pyramids": str(golds)},
    )  # fmt: skip


def errors_of(folder: Path, name: str) -> list[tuple[str, str]]:
    """For each error the address of the first item that has it, and its key."""
    page = WrittenPage((folder / f"{name}.html").read_bytes())
    systems = [each["name"] for each in page.head["systems"]]
    found = []
    for error in page.set()["errors"][:12]:
        for system, times in enumerate(error["times"]):
            if times:
                names = [error["part"], error["kind"], error["gold"], error["system"]]
                told = json.dumps([*names, systems[system]], ensure_ascii=False).replace(", ", ",")
                key = page.ids()[page.rows_with(error, system)[0]]
                found.append((f"#items?{urlencode({'error': told, 'item': key})}", key))
    return found


def _traced(run: Evaluation, path: Path) -> str:
    """The page of a figure that the run gives, and that is then looked for."""
    assert run.inputs is not None
    paths = {each.role: each.path for each in run.inputs.files}
    files: dict[str, Any] = {"system": paths["system"], "gold": [paths["gold"]]}
    with path.open("wb") as stream:
        write_page(karat.trace(_figure(run), **files), stream, **files)
    return path.as_uri()


def _figure(run: Evaluation) -> str:
    return f"chrF {run.scores()['chrf']:.2f}"


def limited_to(folder: Path) -> str:
    """An item whose contents the small page leaves out."""
    page = WrittenPage((folder / "limited.html").read_bytes())
    return next(id for id, item in zip(page.ids(), page.items(), strict=True) if item is None)


class WrittenIds:
    """The ids of the items of a page."""

    def __init__(self, path: Path) -> None:
        self.ids = WrittenPage(path.read_bytes()).ids()


def _of(found: dict[str, Any], name: str) -> dict[str, Any]:
    seen: dict[str, Any] = found[name]
    assert "failed" not in seen, seen["failed"]
    assert seen.get("wrong", []) == []
    return seen


def _signed(text: str) -> str:
    return text.replace("-", "\u2212")


def test_what_is_drawn_again_is_what_would_be_drawn_anew(found: dict[str, Any]) -> None:
    seen = _of(found, "dom")
    assert seen["same"] == [True, True, True, "dbxa"]
    assert seen["left"] == 1
    assert seen["effects"]["done"] == seen["effects"]["undone"] > 500


def test_figures_are_those_of_the_run(found: dict[str, Any], runs: list[Evaluation]) -> None:
    seen = _of(found, "figures")
    by_name = {"atlas": (runs[0], runs[2]), "birch": (runs[1], runs[3])}
    assert [row["name"] for row in seen["systems"]] == ["atlas", "birch"]
    for row in seen["systems"]:
        for run, (value, between) in zip(by_name[row["name"]], row["cells"], strict=True):
            path = tuple(run.metric.about.headline.split("."))
            scale = run.metric.about.scale_of(path)
            interval = run.confidence(**STATISTICS)[path]
            assert interval is not None
            score: Any = run.scores()
            for name in path:
                score = score[name]
            assert value == shown(score, scale)
            assert between == f"{shown(interval.low, scale)} – {shown(interval.high, scale)}"
    assert seen["ranks"] == ["1", "2"]
    assert seen["chosen"] == [cells[1][0] for cells in (row["cells"] for row in seen["systems"])]
    said = seen["said"]
    assert "95 % interval" in said["lead"][0]
    assert said["about"][0].startswith("chrF, 150 items, with 95 % intervals. A new rank begins")
    assert said["about"][1].startswith("Row minus column in chrF; paired randomization test")
    assert said["footer"] == [
        f"karat {karat.__version__} · 95 % intervals (auto, 200 resamples) · "
        "tests with 10,000 trials · seed 0"
    ]
    intervals = [run.confidence(**STATISTICS)["chrf",] for run in runs[:2]]
    _check_details(seen, runs[:2])
    # Points and ends of intervals lie on one axis, in the proportions of the figures.
    drawn = [at for each in seen["plots"] for at in each]
    figures = [
        number for run, each in zip(runs, intervals, strict=False) if each is not None
        for number in (run.scores()["chrf"], each.low, each.high)
    ]  # fmt: skip
    assert np.corrcoef(drawn, figures)[0, 1] > 0.999999
    test = runs[0].compare(runs[1])["chrf"]
    assert seen["duels"][0].startswith(f"+{test.difference:.2f}")
    assert shown_p(test.p_value).strip("<")[:5] in seen["duels"][0] + " 0.0001"
    for group, items, one, two, gap in seen["groups"]:
        scores = [run.by("domain")[group]["chrf"] for run in runs[:2]]
        assert items == "50"
        assert re.fullmatch(re.escape(shown(scores[0], 100)) + r"\d+\.\d\d – \d+\.\d\d", one)
        assert re.fullmatch(re.escape(shown(scores[1], 100)) + r"\d+\.\d\d – \d+\.\d\d", two)
        assert gap == _signed(f"{scores[0] - scores[1]:+.2f}")
    per_item = [run.per_item() for run in runs[:2]]
    assert len(seen["rows"]) == len(runs[0])
    for key, one, two, gap in seen["rows"]:
        row = runs[0].ids.index(key)
        values = [items[row]["chrf"] for items in per_item]
        assert [one, two] == [shown(value, 100) for value in values]
        difference = f"{values[0] - values[1]:+.2f}" if values[0] != values[1] else "0.00"
        assert gap.strip() == _signed(difference)


def test_a_difference_that_may_be_chance_looks_so(found: dict[str, Any]) -> None:
    """One page has a difference of p below 0.001, the other one of p = 0.21."""
    sure, unsure = _of(found, "duels")["found"]
    assert sure == ["duel ahead", "duel behind"]
    assert unsure == ["duel unsure", "duel unsure"]


def _check_details(seen: dict[str, Any], runs: list[Evaluation]) -> None:
    """All scores of two runs of one metric, their signatures, and their files with checksums."""
    first, mean = seen["scores"][0], seen["scores"][-1]
    for run, cell, of_items in zip(runs, first[1:], mean[1:], strict=True):
        interval = run.confidence(**STATISTICS)["chrf",]
        assert interval is not None
        assert cell == f"{run.scores()['chrf']:.2f}{interval.low:.2f} – {interval.high:.2f}"
        assert of_items == f"{np.mean([each['chrf'] for each in run.per_item()]):.2f}"
    assert seen["signatures"] == [run.signature() for run in runs]
    for run in runs:
        assert run.inputs is not None
        for file in run.inputs.files:
            digest = hashlib.sha256(Path(file.path).read_bytes()).hexdigest()
            assert any(Path(file.path).name in line and digest[:16] in line
                       for line in seen["files"])  # fmt: skip


def test_agreement_with_people_has_its_figures(found: dict[str, Any]) -> None:
    seen = _of(found, "people")
    assert any("holds the outputs of 12 systems" in line for line in seen["warnings"])
    names = [row[0] for row in seen["correlations"]]
    assert set(names) == {"ROUGE-2 F1", "GLEU"}
    name, level, *coefficients = seen["correlations"][names.index("GLEU") - 1]
    assert (name, level) == ("ROUGE-2 F1", "all outputs (32)")
    # At each level the difference of the metrics' coefficients, which are shown rounded.
    kendall = {(row[0], row[1].split(" (")[0]): float(row[-1][:5]) for row in seen["correlations"]}
    assert len(seen["tests"]) == 2
    for pair, at, gap, p in seen["tests"]:
        assert pair == "ROUGE-2 F1 − GLEU"
        expected = kendall["ROUGE-2 F1", at] - kendall["GLEU", at]
        assert float(gap.replace("−", "-")) == pytest.approx(expected, abs=0.0011)
        assert 0 <= float(p) <= 1
    assert seen["choices"] == [
        ["responsiveness", "manual_fluency"],
        ["ROUGE-2 F1", "GLEU"],
        ["outputs", "systems"],
    ]
    assert seen["points"] == [32, 8]
    _, _, id = seen["point"].partition(" · ")
    assert seen["opened"].partition("~")[0] == id.partition(":")[0]
    lines = (EXAMPLES / "judged" / "human.jsonl").read_text().splitlines()
    judged = [json.loads(line) for line in lines]
    people = {
        (each["summarizer_id"], each["instance_id"]): np.mean(each["metrics"]["responsiveness"])
        for each in judged if each["summarizer_type"] == "peer"
    }  # fmt: skip
    run = evaluate("rouge", system=str(EXAMPLES / "judged" / "summaries.jsonl"))
    systems = run.groups["summarizer_id"]
    points = [
        (item["rouge-2"]["f1"], people[system, id])
        for id, system, item in zip(run.ids, systems, run.per_item(), strict=True)
        if (system, id) in people
    ]
    ours, theirs = np.array(points, float).T
    assert len(points) == 32
    assert coefficients[0].startswith(f"{np.corrcoef(ours, theirs)[0, 1]:.3f}")
    for cell in coefficients:
        value, low, high = map(float, [cell[:5], *cell[5:].split(" – ")])
        assert -1 <= low < value < high <= 1
    first = seen["disagreements"][0]
    gaps = _ranks(ours) - _ranks(theirs)
    assert float(first[3].replace("+", "")) == max(gaps, key=abs)


def _ranks(values: Any) -> Any:
    """The rank of each value from 1, that of equal ones their mean."""
    return np.array([(values < v).sum() + ((values == v).sum() + 1) / 2 for v in values])


def test_what_people_and_machines_ask_for_is_respected(found: dict[str, Any]) -> None:
    seen = _of(found, "wishes")
    assert seen["live"] == ["status", "polite"]
    assert seen["printed"] == [True, False, False]
    assert seen["shades"][0] != seen["shades"][1]
    assert seen["badge"] == ["solid", "none"]
    assert seen["sheet"] == [0, 0, 390, 700]
    still = seen["moving"][1].split()
    assert seen["moving"][0].startswith("0.15s")
    assert still == ["0s", "none"]
    assert seen["policy"].startswith("default-src 'none'; script-src 'sha256-")


def test_from_the_headline_to_an_item_and_its_address(
    found: dict[str, Any], runs: list[Evaluation]
) -> None:
    seen = _of(found, "wander")
    assert seen["inGroup"] == 50
    gaps = {
        name: one["chrf"] - two["chrf"]
        for name, domain, one, two in zip(
            runs[0].ids, runs[0].groups["domain"], runs[0].per_item(), runs[1].per_item(),
            strict=True,
        )
        if domain == "chat"
    }  # fmt: skip
    expected = sorted(gaps, key=lambda name: -gaps[name])
    assert seen["ids"] == expected
    assert seen["order"][:10] == expected[:10]
    assert seen["item"] == expected[3]
    assert seen["before"] == expected[2]
    same = seen["same"]
    assert (same["item"], same["count"]) == (expected[3], 50)
    assert [chip.partition(" ×")[0] for chip in same["chips"]] == ["domain: chat"]
    assert sum(seen["parts"]) == 50
    assert [row[0] for row in seen["table"]] == ["id", *expected]
    assert float(seen["table"][1][2]) == runs[0].per_item()[runs[0].ids.index(expected[0])]["chrf"]
    assert [record["id"] for record in seen["records"]] == expected
    gap = float(seen["table"][1][-1])
    assert gap == pytest.approx(gaps[expected[0]], abs=1e-9)
    files = [
        {each["id"]: each for each in map(json.loads, Path(file.path).read_text().splitlines())}
        for run in runs[:2]
        for file in run.inputs.files  # type: ignore[union-attr]
    ]
    by_name = {Path(file.path).stem: rows for rows, file in zip(
        files, (file for run in runs[:2] for file in run.inputs.files), strict=True)}  # type: ignore[union-attr]  # fmt: skip
    for record in seen["records"][:5]:
        id = record["id"]
        assert record["outputs"] == {name: by_name[name][id]["text"] for name in ("atlas", "birch")}
        assert record["references"] == [by_name["gold"][id]["text"]]
        assert record["source"] == by_name["gold"][id]["source"]


def test_search_and_errors_lead_to_items(found: dict[str, Any], runs: list[Evaluation]) -> None:
    seen = _of(found, "seek")
    with_word = [
        json.loads(line)["id"]
        for line in Path(runs[1].inputs.files[0].path).read_text().splitlines()  # type: ignore[union-attr]
        if "zeppelin" in line
    ]
    assert 0 < len(with_word) < 40
    assert seen["hits"][:10] == with_word[:10]
    assert int(seen["times"].split()[0]) >= seen["listed"] > 0
    assert all("zeppelin" in marks for marks in seen["marked"])


def test_what_stands_over_the_table_is_drawn_like_it(found: dict[str, Any]) -> None:
    seen = _of(found, "strip")
    assert seen["closed"] == 100
    assert 50 < seen["open"] < 70
    names = [each["text"].split(" ", 1)[1] for each in seen["wins"]]
    assert names == ["birch better", "equal", "atlas better"]
    assert not any(each["cut"] for each in seen["wins"])
    low, middle, high = seen["axis"]
    assert (middle, low) == ("0", _signed(f"-{high}"))
    # What favours a system lies on the same side, in its colour.
    assert seen["bars"] == [seen["wins"][0]["colour"], seen["wins"][2]["colour"]]
    assert seen["points"] >= 2
    assert seen["ends"][0] == pytest.approx(seen["ends"][1], abs=3)
    assert re.match(r"Δ -?\d+(\.\d{1,2})? to -?\d+(\.\d{1,2})? ", seen["picked"])
    assert seen["order"] == ["Δ↓"]


def test_filters_combine_and_the_file_has_their_rows(
    found: dict[str, Any], runs: list[Evaluation]
) -> None:
    seen = _of(found, "region")
    assert sum(seen["parts"]) == seen["inRegion"]
    address = parse_qs(seen["address2"].partition("?")[2])
    ranges = [tuple(map(float, address[name][0].split(".."))) for name in ("s1", "s2")]
    scores = [[each["chrf"] for each in run.per_item()] for run in runs[:2]]
    # The first system is drawn from left to right, the second from below, between the twentieths
    # of the scale that hold all scores.
    low, high = (5 * end(end_of(map(end_of, scores)) / 5)
                 for end, end_of in ((floor, min), (ceil, max)))  # fmt: skip
    assert 0 < low < high <= 100
    for found_range, ends in zip(ranges, ((0.3, 0.97), (0.1, 0.85)), strict=True):
        expected = tuple(low + end * (high - low) for end in ends)
        assert found_range == pytest.approx(expected, abs=2)
    inside = [
        i
        for i, pair in enumerate(zip(*scores, strict=True))
        if all(low <= value <= high for value, (low, high) in zip(pair, ranges, strict=True))
    ]
    assert 0 < len(inside) < len(runs[0])
    assert seen["inRegion"] == len(inside)
    domains = runs[0].groups["domain"]
    kept = [i for i in inside if domains[i] == "chat" and scores[0][i] > scores[1][i]]
    assert 0 < len(kept) == seen["listed"]
    assert [row[0] for row in seen["table"][1:]] == [runs[0].ids[i] for i in kept]


def test_a_page_without_all_contents_says_so(found: dict[str, Any]) -> None:
    seen = _of(found, "limited")
    assert any("of 3,000 items are in this page; karat view shows all" in each
               for each in seen["notice"])  # fmt: skip
    assert "of 3,000 items searched" in seen["found"]
    assert "not in this page" in seen["item"]
    assert seen["snippet"] == "not in this page"
    assert seen["score"] in ("0.0000", "1.0000")
    assert "of 3000 items are in this page" in seen["record"]["note"]
    (layers,) = (each for each in seen["layers"] if each.startswith("Left out: further layers"))
    assert layers.endswith("; karat view shows all.")


def test_all_can_be_done_from_the_keyboard(found: dict[str, Any], runs: list[Evaluation]) -> None:
    seen = _of(found, "keyboard")
    assert seen["first"] == "skip"
    assert seen["item"] in runs[0].ids
    assert seen["stops"] == [["3"], ["3"]]  # of the rows of the table, the open one alone
    assert seen["before"] == ["atlas", "birch"]
    assert seen["after"] == ["birch", "atlas"]
    assert seen["file"] == "items.tsv"


def test_odd_runs_open(found: dict[str, Any]) -> None:
    seen = _of(found, "odd")["found"]
    assert seen["nothing"]["count"] == 0
    assert seen["one"]["keys"] == ["x" * 300]
    assert seen["twice"]["keys"] == ["x", "x~2", "y"]
    assert [len(each["sets"]) for each in seen.values()] == [0, 0, 0, 3]
    assert seen["apart"]["keys"] + seen["apart"]["others"] == ["first", "second"]
    assert seen["twice"]["scores"] == ["0.5000", "–", "0.0000"]
    said = "Item counts, not a score. The score of 1 item is undefined."
    assert seen["twice"]["said"][0].startswith(said)


def test_edits_are_switched_in_the_drawing(found: dict[str, Any]) -> None:
    seen = _of(found, "repair")
    assert seen["classes"] == [
        ["add node", "1", "1", "+0.0300", "+0.0500", "+0.04000.0100 – 0.0700",
         "+0.040000", "0.8500"],
        ["delete edge", "2", "1", "+0.0100", "0.0000", "+0.02000.0000 – 0.0300", "+0.020000", "–"],
    ]  # fmt: skip
    leads, warned = seen["said"]
    assert leads == ["system: Smatch F 0.8100; with everything repaired 1.0000."]
    assert warned == ["the first class's interval overlaps the third's"]
    # Gains, ends of intervals and zero lie on one axis.
    figures = [0.04, 0.01, 0.07, 0.0, 0.02, 0.0, 0.03, 0.0]
    assert np.corrcoef([at for each in seen["plots"] for at in each], figures)[0, 1] > 0.999999
    names = ["add node", "delete edge"]
    assert seen["orders"] == [names[::-1], names, names]
    assert seen["edits"] == ["add node date-entity+0.040000", "delete edge time+0.020000"]
    assert [line[0] for line in seen["plan"]] == ["0", "1", "2"]
    assert "0.8700" in seen["plan"][2]
    assert seen["rows"] == ["ferry.3"]
    before, added, both = map(set, seen["drawings"])
    assert {"− date-entity", "+ time"} <= before
    assert {"date-entity", "+ time"} <= added
    assert "− date-entity" not in added
    assert "+ time" not in both


def test_each_of_two_systems_has_its_repairs(found: dict[str, Any]) -> None:
    seen = _of(found, "repairs")
    assert seen["choices"] == ["a: JSON F", "b: JSON F"]
    files = [str(EXAMPLES / "records" / f"{name}.jsonl") for name in ("gold", "a", "b")]
    for name, file, lead in zip("ab", files[1:], seen["leads"], strict=True):
        score = evaluate("json", system=file, gold=files[0]).scores()["f"]
        assert lead.startswith(f"{name}: JSON F {score:.4f}; with everything repaired ")


@pytest.mark.parametrize("name", ["texts", "amr", "trees", "cogs", "json", "spans"])
def test_an_error_that_was_chosen_stands_out_in_its_items(found: dict[str, Any], name: str) -> None:
    seen = _of(found, f"places {name}")["found"]
    # A form that cannot be read has no terms to point at.
    assert seen.count(0) <= (name == "cogs")
    # Of trees, gold's arc and the system's.
    assert name != "trees" or min(seen) > 1
    assert len(seen) > 2


@pytest.mark.parametrize("name", ["wer", "json"])
def test_edits_are_switched_in_texts(found: dict[str, Any], name: str) -> None:
    seen = _of(found, f"switching {name}")
    assert seen["before"] != seen["gold"]
    assert sorted(seen["after"][0]) == sorted(seen["gold"][0])


def test_edits_are_switched_in_logical_forms(found: dict[str, Any]) -> None:
    seen = _of(found, "switching cogs")
    assert seen["before"] != seen["after"]
    assert seen["after"][1::3] == seen["after"][2::3]


def test_what_leaves_the_page_and_what_an_address_may_not_say(
    found: dict[str, Any], runs: list[Evaluation]
) -> None:
    seen = _of(found, "copied")
    tsv, markdown, latex, matrix, figure = seen["copied"]
    score = f"{runs[0].scores()['chrf']:.2f}"
    assert figure.startswith(f"atlas: chrF {score} [")
    assert figure.endswith(f"], 150 items, {runs[0].signature()}")
    rows = [line.split("\t") for line in tsv.splitlines()]
    assert rows[0][:3] == ["Rank", "System", "chrF"]
    assert rows[1][:2] == ["1", "atlas"]
    low_and_high = runs[0].confidence(**STATISTICS)["chrf",]
    assert low_and_high is not None
    assert rows[1][2] == f"{score} [{low_and_high.low:.2f} – {low_and_high.high:.2f}]"
    assert [len(row) for row in rows] == [4, 4, 4]
    assert " p " in matrix.splitlines()[1]
    assert markdown.splitlines()[1].startswith("| --- | ---: |")
    assert "\\toprule" in latex
    light, dark, paper = seen["shades"]
    assert light != dark
    assert paper == "rgb(255, 255, 255)"
    assert seen["printed"] == ["h1", "systems"]
    assert seen["heads"] == ["birch", "atlas"]
    assert seen["csv"][0].startswith("id,domain,chrf:atlas,chrf:birch,")
    assert len(seen["csv"]) == len(runs[0]) + 1
    assert all(name in seen["stale"] for name in ("item nobody", "is=nonsense"))


def test_everything_that_can_be_switched_switches(
    found: dict[str, Any], runs: list[Evaluation]
) -> None:
    seen = _of(found, "switches")
    high = [item["chrf"] for item in runs[0].per_item() if item["chrf"] >= 80]
    assert seen["range"][0] == len(high)
    assert seen["range"][1][0].startswith("atlas 80 to …")
    said, listed = seen["bar"]
    assert said.endswith(f": {listed}")
    cells, count, scores = seen["square"]
    assert count == int(cells[2])
    assert set(zip(scores[::3], scores[1::3], strict=True)) == {("0.0000", "1.0000")}
    assert seen["layers"] == ["what differs", "ROUGE-1"]
    # Without a reference, what counts by it alone is no longer marked in the output, either.
    (references, marks), (fewer_references, other_marks) = seen["references"]
    assert fewer_references == references - 1
    assert 0 < other_marks != marks
    assert seen["points"] == 32
    assert seen["disagrees"].partition("~")[0] in seen["disagreement"]
    assert seen["against"] == ["marks against atlas", "marks against birch"]
    assert seen["units"] == ["2 ✓ a ferry sank A B", "1 − nobody was hurt A"]
    assert seen["inSummary"] == "1 of 2 in the summary"
    assert seen["contributors"] == ["The ferry sank", "A ferry sank"]
    assert seen["found"] == ["a ferry sank"]


def test_confusions_lead_to_items_and_drawings_are_saved(found: dict[str, Any]) -> None:
    seen = _of(found, "confusions")
    assert ["ARG0 → ARG2", "6"] in seen["cells"]
    # Labels of gold that are confused, and those that stand in for them: the most frequent first.
    assert seen["heads"] == [["ARG0", "ARG1"], ["ARG2", "time", "ARG3"]]
    # There is one system: nothing to swap, and no other to mark gold against.
    assert "j k ↓ ↑" in seen["keys"]
    assert not {"x", "1 – 9"} & set(seen["keys"])
    assert "swap" not in seen["hint"]
    title, times = seen["cells"][-1]
    assert seen["listed"][0] == int(times)
    assert title in seen["listed"][1][0]
    assert "ARG0 → ARG2" in seen["svg"]
    assert re.match(r'<svg[^>]*><rect width="[\d.]+" height="[\d.]+" fill="#FFFFFF"/>', seen["svg"])


def test_scores_of_one_system_are_a_table_of_their_parts(found: dict[str, Any]) -> None:
    seen = _of(found, "scores")
    files = [str(EXAMPLES / "dependencies" / f"small.{side}.conllu") for side in ("test", "gold")]
    run = evaluate("ud", system=files[0], gold=files[1])
    scores: Any = run.scores()
    assert seen["heads"] == ["score", *scores["LAS"]]
    assert [row[0] for row in seen["rows"]] == list(scores)
    for name, *cells in seen["rows"]:
        wanted = [scores[name].get(head) for head in seen["heads"][1:]]
        assert cells == ["–" if value is None or np.isnan(value) else
                         str(value) if isinstance(value, int) else f"{value:.4f}"
                         for value in wanted]  # fmt: skip
    assert [text[:6] for text in seen["bold"]] == [f"{scores['LAS']['f1']:.4f}"]
    mean = np.mean([item["LAS"]["f1"] for item in run.per_item()])
    assert seen["mean"].endswith(f": {mean:.4f}")


def test_what_stands_around_and_in_an_item(found: dict[str, Any], runs: list[Evaluation]) -> None:
    seen = _of(found, "inside")
    assert set(seen["marked"]) == {"zeppelin"}
    assert {"changed"} <= set(seen["legend"]) <= {"missing", "surplus", "changed", "moved"}
    domain, place = seen["place"][0]
    assert domain in GROUPS
    total = place.split(" / ")[1]
    assert [each[1] for each in seen["place"]] == [f"1 / {total}", f"2 / {total}"]
    assert seen["lacking"][0] <= seen["lacking"][1]
    gold, system = seen["partners"]
    assert len(gold) == len(system) == 1
    assert gold != system
    assert seen["copied"][0] == seen["copied"][1]
    assert seen["all"] == len(runs[0])
    # The words stand far behind the beginning of some of the texts.
    assert any(text.startswith("…") for text in seen["begins"])
    assert all("because" in text.lower() for text in seen["begins"])
    assert seen["cut"] == 0
    assert ["instances", "5", "4", "4"] in seen["counts"]
    assert [text.count("(") > 2 and "repair-01" in text for text in seen["written"]] == [True] * 2
    assert len(seen["lines"]) == 170
    assert seen["changed"] == ["~ n100 → other"]


def test_words_are_marked_where_they_stand(found: dict[str, Any]) -> None:
    """Marks as brackets, a caret where words lack; gold is marked for the worse system."""
    seen = _of(found, "marked")
    assert seen["texts"]["lacking"] == [
        "a [missing very] [missing old] cat sees a dog",
        "a very old cat sees a dog",
        "a ‸cat sees a dog",
    ]
    assert seen["texts"]["moved"] == [
        "[moved on] [moved monday] we all met here",
        "on monday we all met here",
        "we all met here [moved on] [moved monday]",
    ]
    assert seen["titles"]["moved"] == ["moved: stands at another place in the other text"]
    assert seen["texts"]["nothing"] == ["[missing a] [missing cat]", "a cat", "(empty)"]
    # Long texts stand beside each other, others below.
    assert seen["beside"] == {"lacking": 0, "moved": 0, "nothing": 0, "long": 1}
    assert seen["sources"] == ["source"]
    assert seen["rows"] == str(len(MARKED) + 1)
    assert seen["labels"] == ["PER"] * 3


def test_errors_of_a_kind_and_of_a_part(found: dict[str, Any]) -> None:
    seen = _of(found, "kinds")
    first, everything = seen["at"]
    assert first == 60 < everything
    assert {kind: names for kind, (names, _) in seen["kinds"].items()} == {
        kind: [kind] for kind in ("changed", "missing", "surplus")
    }
    assert sum(rows for _, rows in seen["kinds"].values()) == everything
    assert set(seen["before"]) == {"edges", "labels"}
    assert seen["part"] == [["thing", "object"], ["Errors in labels"]]


def test_every_part_and_system_has_its_table_of_confusions(found: dict[str, Any]) -> None:
    seen = _of(found, "tables")
    assert seen["choices"] == ["labels: first", "labels: second"]
    assert seen["before"][0].split() == ["b0", "→", "c0", "2"]
    assert seen["after"][0].split() == ["b0", "→", "d0", "1"]
    assert seen["sizes"] == [[12, 12], [15, 15]]


def test_where_a_figure_comes_from_is_told(found: dict[str, Any]) -> None:
    seen = _of(found, "trace")
    assert seen["lead"] == "Smatch 0.871: one setting gives it"
    assert seen["titles"] == ["Settings that give it", "Nearest"]
    # Without the column that is empty; words stand at the left, settings as they are typed.
    assert seen["heads"] == [
        [["setting", "code"], ["value", "number"]],
        [["setting", "code"], ["value", "number"], ["slip", ""]],
    ]
    assert seen["rows"] == ["smatch()0.87097", "<b>0.9swapped"]
    assert seen["said"] == ["2 settings were tried"]
    assert seen["commands"] == []


def test_a_figure_leads_to_its_setting(found: dict[str, Any], runs: list[Evaluation]) -> None:
    """The page of a real trace, whose first setting is that of the run."""
    seen = _of(found, "traced")
    assert seen["lead"] == f"{_figure(runs[0])}: identified: chrf :: chrf"
    assert [name for name, _ in seen["heads"][0]][:3] == ["rank", "setting", "value"]
    value = f"{runs[0].scores()['chrf']:.4f}"
    assert seen["rows"][0].startswith("1chrf :: chrf")
    assert value in seen["rows"][0]
    assert [each.split(" -g ")[0] for each in seen["commands"]] == ["karat evaluate chrf"]


def test_the_role_that_is_confused_most_is_two_clicks_away_or_one(found: dict[str, Any]) -> None:
    seen = _of(found, "confused")
    assert seen["clicks"] == 2
    assert seen["said"].startswith("Most often in edges: ARG0 → ARG2, 6 times.")
    assert seen["worst"].split() == ["ARG0", "→", "ARG2", "6"]
    assert seen["named"][0] == seen["worst"]
    assert seen["same"]
    assert seen["listed"] == 6
    assert len({key for key, _ in seen["seen"]}) == 5
    assert all("~ ARG0 → ARG2" in drawn for _, drawn in seen["seen"])


def test_where_the_second_system_is_ahead_by_most_is_two_clicks_away_or_one(
    found: dict[str, Any], runs: list[Evaluation]
) -> None:
    seen = _of(found, "beaten")
    one, two = ([item["chrf"] for item in run.per_item()] for run in runs[:2])
    gaps = [a - b for a, b in zip(one, two, strict=True)]
    best = sorted(range(len(gaps)), key=lambda i: gaps[i])
    assert seen["order"][:5] == [runs[0].ids[i] for i in best[:5]]
    assert seen["fromOverview"][:5] == seen["order"][:5]
    assert seen["item"]["key"] == runs[0].ids[best[0]]
    assert seen["item"]["sides"][0] == "source"
    assert seen["item"]["input"] == f"Satz {best[0]} im Original"


def test_findings_in_gold_are_drawn_and_exported(found: dict[str, Any], tmp_path: Path) -> None:
    seen = _of(found, "audit")
    # Who agrees is a badge, and words for those who do not see it.
    assert [row[1:] for row in seen["findings"]] == [
        ["ferry.1", "label node 0", "see-01", "watch-01", "Ab system, b", "3.20", "yes"],
        ["ferry.3", "edge repair-01 → friday", "–", "time", "Asystem", "1.50", ""],
    ]
    lead, precision = seen["said"]
    assert lead.startswith("2 findings in 1 item, among 31 parts of gold. They are hints")
    assert precision == "2 findings are judged; 0.500 of them are right (0.125 – 0.875)."
    assert seen["voters"] == [["A system", "0.900", "0.800", "1.00"], ["b", "0.700", "–", "0.80"]]
    assert seen["ofKind"] == ["ferry.1"]
    leads, warned = seen["empty"]
    assert leads[-1] == "The systems agree against no part of gold."
    assert warned == ["two systems are not many"]
    gold, consensus = seen["drawings"]
    assert "friday" in gold
    assert "+ time" in consensus
    # The list is the one that karat audit --verdicts reads.
    assert seen["review"][2][:5] == ["ferry.3", "edge", "repair-01 → friday", "(nothing)", "time"]
    path = tmp_path / "review.tsv"
    full = (row + [""] * (8 - len(row)) for row in seen["review"])  # the flow trims the text
    path.write_text("".join("\t".join(row) + "\n" for row in full))
    assert read_verdicts(path) == {("ferry.1", "label", "node 0", "watch-01"): True}
    assert seen["shared"] == ["", "0.25", "0.25", ""]
    assert "finding=1" in seen["address2"]
    assert seen["item"] == "ferry.3"


def test_old_browsers_get_the_headline(found: dict[str, Any]) -> None:
    seen = _of(found, "old")
    for text in (seen["old"], *seen["without"]):
        assert "atlas is better than birch by" in text
        assert "Safari 17.5" in text
    assert "cannot unpack" in seen["old"]


def test_columns_are_chosen(found: dict[str, Any], runs: list[Evaluation]) -> None:
    seen = _of(found, "columns")
    assert seen["before"] == ["item", "domain", "source", "Aatlas", "Bbirch", "Δ A−B"]
    assert seen["after"] == seen["again"]
    assert seen["after"] == [
        "item", "source", "Aatlas", "Bbirch", "Δ A−B", "Aatlas edit-distance normalized"
    ]  # fmt: skip


def test_hostile_texts_stay_texts(found: dict[str, Any]) -> None:
    seen = _of(found, "hostile")
    assert seen["elements"] == 0
    assert seen["refused"]
    shown_texts = [text for item in seen["shown"] for text in item]
    for text in ("</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", "a␀b␇"):
        assert any(text in each for each in shown_texts), text
    assert not any("\u202e" in each for each in shown_texts)


def test_the_score_of_a_selection_is_that_of_its_items(
    found: dict[str, Any], runs: list[Evaluation]
) -> None:
    seen = _of(found, "served")
    better = [
        i
        for i, (one, two) in enumerate(zip(runs[0].per_item(), runs[1].per_item(), strict=True))
        if one["chrf"] > two["chrf"]
    ]
    gaps = {id: two["chrf"] - one["chrf"]
            for id, one, two in zip(runs[0].ids, runs[0].per_item(), runs[1].per_item(),
                                    strict=True)}  # fmt: skip
    ahead = sorted((runs[0].ids[i] for i in better), key=lambda id: gaps[id])
    assert seen["rows"][:5] == ahead[:5]
    with_word = [
        json.loads(line)["id"]
        for line in Path(runs[1].inputs.files[0].path).read_text().splitlines()  # type: ignore[union-attr]
        if "zeppelin" in line
    ]
    assert seen["hits"][:10] == sorted(with_word, key=lambda id: gaps[id])[:10]
    assert seen["signature"].startswith("bleu(lowercase=True)")
    assert "BLEU" in seen["rescored"][0]
    assert "no-such-metric" in seen["refused"]
    part = Evaluation(runs[0].metric, [runs[0].ids[i] for i in better], runs[0].counts[better])
    interval = part.confidence(**STATISTICS)["chrf",]
    assert interval is not None
    shown_interval = f"({interval.low:.2f} – {interval.high:.2f})"
    assert (
        f"{len(better)} items: atlas {part.scores()['chrf']:.2f} {shown_interval}" in seen["said"]
    )
    other = Evaluation(runs[1].metric, part.ids, runs[1].counts[better])
    assert f"difference {part.compare(other)['chrf'].difference:+.2f}, p " in seen["said"]


@pytest.mark.parametrize(
    "name", ["texts", "long", "rouge", "ud", "cogs", "amr", "beyond", "traced"]
)
def test_axe_finds_nothing(found: dict[str, Any], name: str) -> None:
    seen = _of(found, f"axe {name}")
    assert seen["found"] == []
    assert seen["wide"] <= 320


def test_every_family_is_drawn(found: dict[str, Any]) -> None:
    amr = _of(found, "show amr")
    assert {"− date-entity", "+ time"} <= set(amr[".drawing text"])
    assert amr["pdf"] > 5000
    assert len(_of(found, "show drg")[".drawing text"]) > 5
    ud = _of(found, "show ud")
    assert {"They", "do", "n't", "− aux", "+ aux"} <= set(ud[".drawing text"])
    assert len(_of(found, "show cogs")[".terms tbody tr"]) > 2
    rouge = _of(found, "show rouge")
    measures = ["ROUGE-1", "ROUGE-2", "ROUGE-3", "ROUGE-4", "ROUGE-L"]
    assert rouge[".layers .chip"] == ["what differs", *measures]
    assert len(rouge[".gold-text h3"]) > 1


def test_the_shipped_bundle_is_what_the_source_builds(tmp_path: Path) -> None:
    """Both the bundle and the types that are made from the contract."""
    if shutil.which("node") is None or not MODULES.is_dir():
        pytest.skip("node or web/node_modules is not there: scripts/web brings it")
    subprocess.run(["node", str(ROOT / "web" / "build.mjs"), str(tmp_path)], check=True)
    page = ROOT / "src" / "karat" / "report" / "page"
    for name in ("app.css", "app.js", *(f"{each}.js" for each in EXTRAS)):
        same = (tmp_path / name).read_bytes() == (page / name).read_bytes()
        assert same, f"{name} is not what web/ builds: run scripts/web"
    made = subprocess.run(
        ["node", "--test", "test/"], cwd=ROOT / "web", capture_output=True, text=True
    )
    assert made.returncode == 0, made.stdout


def test_scripts_stay_within_their_budget() -> None:
    """70 kB for all views of texts, 110 kB with drawings, repairs, judgements and the server."""
    page = ROOT / "src" / "karat" / "report" / "page"
    size = {name: (page / f"{name}.js").stat().st_size for name in ("app", *EXTRAS)}
    assert sum(size[name] for name in ("app", "groups", "errors", "pairs")) <= 70_000
    assert sum(size.values()) <= 110_000


def test_the_types_of_the_page_are_those_of_the_contract(tmp_path: Path) -> None:
    import runpy

    text = runpy.run_path(str(ROOT / "web" / "contract.py"))["text"]()
    assert text == (ROOT / "web" / "src" / "contract.ts").read_text()
