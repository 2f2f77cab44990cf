"""The installed command on good input: what it prints, writes, keeps and compares."""

from __future__ import annotations

import gzip
import json
import os
import platform
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib import metadata
from pathlib import Path

import pytest

from commands import Karat
from karat.meta import read_records
from karat.report.page.html import EXTRAS, asset
from karat.version import VERSION
from pages import WrittenPage

GOLD = [
    {"id": "1", "text": "the dog barks", "genre": "news"},
    {"id": "2", "text": "a cat sleeps", "genre": "web"},
    {"id": "3", "text": "it rains", "genre": "news"},
]
GOOD = ["the dog barks", "a cat sleeps", "it pours"]
POOR = ["the cow", "a cat", "no"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    def lines(name: str, texts: list[str]) -> None:
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")

    lines("gold.txt", [str(record["text"]) for record in GOLD])
    lines("gold.jsonl", [json.dumps(record) for record in GOLD])
    lines("good.txt", GOOD)
    lines("poor.txt", POOR)
    good = [json.dumps({"id": str(i), "text": text}) for i, text in enumerate(GOOD, 1)]
    lines("good.jsonl", good[::-1])


def table(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def test_a_table_for_people(karat: Karat) -> None:
    done = karat("evaluate", "exact", "-g", "gold.txt", "-s", "good.txt")
    lines = table(done.stdout)
    assert lines[0].split() == ["exact", "score", "95", "%", "interval"]
    assert lines[2].startswith("accuracy   0.6667   [")
    assert lines[-1].startswith("3 items  exact()|karat:")
    assert done.stderr == ""


def test_the_json_of_a_run(karat: Karat) -> None:
    done = karat("evaluate", "exact", "-g", "gold.txt", "-s", "good.txt", "--json", "-")
    document = json.loads(done.stdout)
    kinds = {
        "karat": str, "metric": str, "signature": str, "reading": dict, "system": str,
        "n": int, "scores": dict,
        "inexact": type(None), "skipped": int, "warnings": list, "macro": dict, "confidence": dict,
    }  # fmt: skip
    assert {name: type(value) for name, value in document.items()} == kinds
    assert document["scores"] == {"accuracy": 2 / 3}
    assert document["system"] == "good.txt"
    assert document["confidence"]["level"] == 0.95
    interval = document["confidence"]["intervals"]["accuracy"]
    assert 0 <= interval["low"] <= 2 / 3 <= interval["high"] <= 1


def test_several_systems_and_metrics_are_a_list(karat: Karat, tmp_path: Path) -> None:
    done = karat(
        "evaluate", "exact,edit-distance(characters=True)", "-g", "gold.txt",
        "-s", "good.txt", "-s", "poor.txt", "--json", "out.json",
    )  # fmt: skip
    documents = json.loads((tmp_path / "out.json").read_text())
    assert [(each["metric"], each["system"]) for each in documents] == [
        ("exact", "good.txt"),
        ("exact", "poor.txt"),
        ("edit-distance", "good.txt"),
        ("edit-distance", "poor.txt"),
    ]
    assert documents[2]["signature"].startswith("edit-distance(characters=True)|")
    header = table(done.stdout)[0]
    assert "good.txt" in header
    assert "poor.txt" in header


ORDERS = [
    "evaluate exact --ignore-case -g gold.txt -s good.txt",
    "evaluate -g gold.txt -s good.txt exact --ignore-case",
    "evaluate -g gold.txt --ignore-case -s good.txt exact",
    "evaluate exact(ignore_case=True) -g gold.txt -s good.txt",
    "evaluate -q -g gold.txt -s good.txt --seed 0 exact(ignore_case=True)",
]


@pytest.mark.parametrize("command", ORDERS)
def test_options_may_come_first(command: str, karat: Karat) -> None:
    document = json.loads(karat(*command.split(), "--json", "-").stdout)
    assert document["signature"].startswith("exact(ignore_case=True)|")


def test_a_file_with_the_name_of_a_metric(karat: Karat, tmp_path: Path) -> None:
    (tmp_path / "bleu").write_bytes((tmp_path / "good.txt").read_bytes())
    done = karat("evaluate", "-g", "gold.txt", "-s", "bleu", "exact", "--json", "-")
    document = json.loads(done.stdout)
    assert (document["metric"], document["system"]) == ("exact", "bleu")


def test_items(karat: Karat) -> None:
    done = karat("evaluate", "exact", "-g", "gold.jsonl", "-s", "good.jsonl", "--items", "-")
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"id": "1", "genre": "news", "scores": {"accuracy": 1.0}},
        {"id": "2", "genre": "web", "scores": {"accuracy": 1.0}},
        {"id": "3", "genre": "news", "scores": {"accuracy": 0.0}},
    ]


def test_errors(karat: Karat) -> None:
    done = karat("evaluate", "edit-distance", "-g", "gold.txt", "-s", "good.txt", "--errors", "-")
    last = json.loads(done.stdout.splitlines()[2])
    assert last == {
        "id": "3",
        "distance": 1,
        "edits": [{"edit": "replace", "gold": ["rains"], "system": ["pours"], "position": 1}],
    }


def test_groups(karat: Karat) -> None:
    command = ["evaluate", "exact", "-g", "gold.jsonl", "-s", "good.jsonl", "--by", "genre"]
    document = json.loads(karat(*command, "--json", "-").stdout)
    assert document["by"]["genre"]["groups"] == {
        "news": {"accuracy": 0.5},
        "web": {"accuracy": 1.0},
    }
    assert document["by"]["genre"]["macro"] == {"accuracy": 0.75}
    lines = table(karat(*command).stdout)
    assert any(re.match(r"news\s+2\s+0\.5000", line) for line in lines)
    assert any(re.match(r"mean of groups\s+3\s+0\.7500", line) for line in lines)


def test_several_systems_in_one_file(karat: Karat, tmp_path: Path) -> None:
    records = [
        {"instance_id": "1", "summarizer_id": who, "summary": text, "reference": "a cat"}
        for who, text in (("A", "a cat"), ("B", "a dog"))
    ]
    (tmp_path / "both.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    done = karat("evaluate", "exact", "-s", "both.jsonl")
    assert "outputs of 2 systems" in done.stderr
    done = karat("evaluate", "exact", "-s", "both.jsonl", "--by-system", "--json", "-")
    assert done.stderr == ""
    groups = json.loads(done.stdout)["by"]["summarizer_id"]["groups"]
    assert {name: scores["accuracy"] for name, scores in groups.items()} == {"A": 1.0, "B": 0.0}


def test_numbers_and_truth_values_are_groups(karat: Karat, tmp_path: Path) -> None:
    records = [
        {"id": "1", "text": "a", "reference": "a", "length": 3, "easy": True, "weight": 0.5},
        {"id": "2", "text": "b", "reference": "a", "length": 12, "easy": False, "weight": 0.5},
    ]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    args = ("--by", "length", "--by", "easy", "--by", "weight", "--json", "-")
    by = json.loads(karat("evaluate", "exact", "-s", "r.jsonl", *args).stdout)["by"]
    assert {field: list(found["groups"]) for field, found in by.items()} == {
        "length": ["3", "12"],
        "easy": ["true", "false"],
        "weight": ["0.5"],
    }
    assert by["weight"]["groups"]["0.5"]["accuracy"] == 0.5


def test_names_are_never_markup(karat: Karat, tmp_path: Path) -> None:
    record = json.dumps({"id": "1", "text": "a", "[/red]": "[bold]x :smile:"})
    (tmp_path / "[red]a[bold].jsonl").write_text(record + "\n")
    done = karat(
        "evaluate",
        "exact",
        "-g",
        "[red]a[bold].jsonl",
        "-s",
        "[red]a[bold].jsonl",
        "--by",
        "[/red]",
    )
    assert done.returncode == 0, done.stderr
    assert "[bold]x :smile:" in done.stdout
    assert "[red]a[bold].jsonl by [/red]" in done.stdout


def test_standard_input_and_output(karat: Karat) -> None:
    done = karat(
        "evaluate", "exact", "-g", "gold.txt", "-s", "-", "--json", "-", stdin="\n".join(GOOD)
    )
    document = json.loads(done.stdout)
    assert document["scores"] == {"accuracy": 2 / 3}
    assert document["system"] == "<stdin>"


def test_compressed_standard_input(karat: Karat) -> None:
    packed = gzip.compress("\n".join(GOOD).encode())
    done = karat("evaluate", "exact", "-g", "gold.txt", "-s", "-", "--json", "-", stdin=packed)
    assert json.loads(done.stdout)["scores"] == {"accuracy": 2 / 3}


def test_the_format_of_standard_input_is_guessed(karat: Karat, tmp_path: Path) -> None:
    text = (tmp_path / "good.jsonl").read_text()
    done = karat("evaluate", "exact", "-g", "gold.jsonl", "-s", "-", "--json", "-", stdin=text)
    assert json.loads(done.stdout)["scores"] == {"accuracy": 2 / 3}


def test_standard_input_with_its_own_gold(karat: Karat) -> None:
    lines = [
        json.dumps({"id": str(i), "text": text, "references": [gold["text"]]})
        for i, (text, gold) in enumerate(zip(GOOD, GOLD, strict=True))
    ]
    done = karat("evaluate", "exact", "-s", "-", "--json", "-", stdin="\n".join(lines))
    assert json.loads(done.stdout)["scores"] == {"accuracy": 2 / 3}


def test_a_command_in_place_of_a_file(program: str, tmp_path: Path) -> None:
    """What a shell makes of ``<(…)`` can be read only once."""
    script = f"'{program}' evaluate exact -g <(cat gold.jsonl) -s <(cat good.jsonl) --json -"
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.stderr == ""
    assert json.loads(done.stdout)["scores"] == {"accuracy": 2 / 3}


def test_skipping_is_counted_and_told(karat: Karat, tmp_path: Path) -> None:
    with (tmp_path / "bad.jsonl").open("w") as stream:
        stream.write('{"id": "3", "text": "it rains"}\n{"id": \n{"id": "1", "text": 7}\n')
    done = karat(
        "evaluate", "exact", "-g", "gold.jsonl", "-s", "bad.jsonl", "--on-error", "skip",
        "--json", "out.json",
    )  # fmt: skip
    document = json.loads((tmp_path / "out.json").read_text())
    assert document["n"] == 1
    assert document["skipped"] == 2
    assert document["scores"] == {"accuracy": 1.0}
    assert "warning: bad.jsonl: 2 items were left out" in done.stderr
    quiet = karat(
        "evaluate", "exact", "-g", "gold.jsonl", "-s", "bad.jsonl", "--on-error", "skip", "-q"
    )
    assert quiet.stderr == ""


def test_saving_verifying_comparing(karat: Karat, tmp_path: Path) -> None:
    for name in ("good", "poor"):
        karat("evaluate", "exact", "-g", "gold.txt", "-s", f"{name}.txt", "--save", f"{name}.run")
    done = karat("verify", "good.run", "poor.run")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0].startswith("good.run: verified: 3 items, 2 files, exact()|")
    compared = karat("compare", "good.run", "poor.run", "--json", "-")
    direct = karat(
        "compare", "exact", "-g", "gold.txt", "-s", "good.txt", "-s", "poor.txt", "--json", "-"
    )
    assert compared.stdout == direct.stdout
    (tmp_path / "good.txt").write_text("changed\n")
    done = karat("verify", "good.run")
    assert done.returncode == 1
    assert done.stderr == (
        "VerificationError K603: good.txt is not the file the run was made from\n"
    )


def test_a_comparison(karat: Karat) -> None:
    command = ["compare", "exact", "-g", "gold.txt", "-s", "good.txt", "-s", "poor.txt"]
    document = json.loads(karat(*command, "--json", "-").stdout)
    assert list(document) == [
        "karat", "metric", "signature", "n", "score", "alpha", "systems", "comparisons",
    ]  # fmt: skip
    assert [each["score"] for each in document["systems"]] == [2 / 3, 0.0]
    found = document["comparisons"][0]
    assert found["test"] == "permutation"
    assert found["differences"]["accuracy"]["p_value"] == 0.5
    lines = table(karat(*command).stdout)
    assert any(re.match(r"good\.txt - poor\.txt\s+\+0\.6667", line) for line in lines), lines
    assert any("not significant" in line for line in lines)


def test_the_same_bytes_with_any_number_of_jobs(karat: Karat, tmp_path: Path) -> None:
    for name in ("gold.txt", "good.txt"):
        text = (tmp_path / name).read_text()
        (tmp_path / name).write_text(text * 200)
    outputs = [
        karat("evaluate", "bleu,edit-distance", "-g", "gold.txt", "-s", "good.txt", "-j", jobs,
              "--json", "-").stdout
        for jobs in ("1", "4")
    ]  # fmt: skip
    assert outputs[0]
    assert outputs[0] == outputs[1]


# -- the page -----------------------------------------------------------------


class Page(HTMLParser):
    """Collects text, and checks that elements are closed in order."""

    VOID = frozenset({"meta", "br", "hr", "img", "link", "input", "line", "rect"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs), attrs
        if tag not in self.VOID or tag == "rect":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open[-1] in ("p", "li", "td", "th", "tr") and self.open[-1] != tag:
            self.open.pop()  # the ends of these may be left out
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_is_well_formed_and_escapes_everything(karat: Karat, tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>\"'&"
    records = [
        {"id": f"{evil}{i}", "text": f"{evil} b c", "kind": f"{evil}{i % 2}"} for i in range(4)
    ]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    for record in records:
        record["text"] = f"{evil} x"
    name = "<b>'&\".jsonl"
    (tmp_path / name).write_text("".join(json.dumps(r) + "\n" for r in records))
    done = karat(
        "evaluate", "edit-distance", "-g", "gold.jsonl", "-s", name, "--by", "kind",
        "--report", "page.html",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    page = Page()
    page.feed((tmp_path / "page.html").read_text(encoding="utf-8"))
    page.close()
    assert page.open in ([], ["html"])
    assert not {"b", "img", "link", "iframe"} & set(page.tags)
    written = WrittenPage((tmp_path / "page.html").read_bytes())
    assert evil not in written.text
    scripts = written.text.count("<script")
    own = written.text.count("<script>") - written.text.count("<script>alert")
    assert scripts == written.text.count("</script>") == len(written.parts) + own
    assert own == sum(asset(f"{name}.js") in written.text for name in (*EXTRAS, "app"))
    assert written.ids()[0] == f"{evil}0"
    assert written.head["systems"][0]["path"] == name


# -- starting -----------------------------------------------------------------

HEAVY = ("numpy", "scipy", "pandas", "polars", "sacrebleu", "pyarrow", "rich")
FAMILIES = ("karat.text", "karat.graphs", "karat.trees", "karat.logic", "karat.meta")


@pytest.mark.parametrize("command", ["--help", "--version", "list metrics", "list formats"])
def test_starting_imports_nothing_heavy(command: str) -> None:
    code = (
        "import sys, atexit\n"
        "atexit.register(lambda: print('\\n'.join(sys.modules), file=sys.stderr))\n"
        "from karat.cli import main\n"
        f"main({command.split()!r})\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0
    modules = set(done.stderr.split())
    assert "click" in modules
    found = [name for name in modules if name.split(".")[0] in HEAVY or name.startswith(FAMILIES)]
    assert found == []


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "karat", "--version"], capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, "")
    first, *facts = done.stdout.splitlines()
    assert first == f"karat, version {VERSION}"
    # What a report of a fault should tell.
    assert [fact.partition(": ")[0] for fact in facts] == [
        "native core", "python", "platform", "packages",
    ]  # fmt: skip
    assert "nanobind " in facts[0]
    assert platform.python_version() in facts[1]
    assert f"numpy {metadata.version('numpy')}" in facts[3]


def test_help_for_a_newcomer(karat: Karat) -> None:
    done = karat("--help")
    assert "Judge what language systems produce" in done.stdout
    for name in ("evaluate", "compare", "list", "verify", "doctor"):
        assert re.search(rf"^  {name}\s+\S", done.stdout, re.MULTILINE)
    done = karat("evaluate", "bleu", "--help")
    for flag in ("--smooth-method", "--lowercase / --no-lowercase", "-g, --gold", "--json"):
        assert flag in done.stdout
    done = karat("evaluate", "--help")
    assert "share of items equal to the gold" in done.stdout


@pytest.mark.parametrize("group", ["setup", "new", "viewer", "power"])
def test_lists_of_commands_are_not_cut(karat: Karat, group: str) -> None:
    assert "..." not in karat(group, "--help").stdout.partition("Commands:")[2]


def _complete(program: str, words: str, place: int) -> list[str]:
    env = {
        **os.environ, "_KARAT_COMPLETE": "bash_complete", "COMP_WORDS": words,
        "COMP_CWORD": str(place),
    }  # fmt: skip
    done = subprocess.run([program], env=env, capture_output=True, text=True, timeout=300)
    assert done.stderr == ""
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_shell_completion(program: str) -> None:
    assert {"evaluate", "compare", "list", "verify", "doctor"} <= set(
        _complete(program, "karat ", 1)
    )
    assert _complete(program, "karat evalu", 1) == ["evaluate"]
    assert {"exact", "bleu", "ter"} <= set(_complete(program, "karat evaluate ", 2))
    assert _complete(program, "karat evaluate chr", 2) == ["chrf", "chrf++"]
    assert "--smooth-method" in _complete(program, "karat evaluate bleu --smooth", 3)
    assert _complete(program, "karat list met", 2) == ["metrics"]
    assert _complete(program, "karat repair e", 2) == ["edit-distance", "edm"], "not exact"
    assert _complete(program, "karat audit s", 2) == ["smatch", "sdp"], "not sembleu"


def test_lists(karat: Karat) -> None:
    lines = karat("list", "metrics").stdout.splitlines()
    assert "text:" in lines
    assert any(re.fullmatch(r"  bleu +BLEU, equal to sacreBLEU", one) for one in lines)
    assert any(re.match(r"  bertscore .* \(needs karat\[embedding\]\)", one) for one in lines)
    formats = json.loads(karat("list", "formats", "--json").stdout)
    assert {"name", "kind", "summary", "package", "reads", "writes", "suffixes"} == set(formats[0])


def test_doctor(karat: Karat) -> None:
    document = json.loads(karat("doctor", "--json").stdout)
    assert document["native"] == "ok"
    assert {each["extra"] for each in document["extras"]} >= {"text", "zstd", "parquet"}


def test_clusters_are_the_units_of_every_command(karat: Karat, tmp_path: Path) -> None:
    for name in ("good", "poor"):
        records = [
            {"id": f"{i}{j}", "text": text, "references": [gold["text"]], "doc": f"d{i}"}
            for i in range(12)
            for j, (text, gold) in enumerate(
                zip(GOOD if name == "good" or i < 6 else POOR, GOLD, strict=True)
            )
        ]
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (tmp_path / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    both = "-s", "good.jsonl", "poor.jsonl"
    done = karat("evaluate", "exact", *both, "--cluster", "doc")
    assert "36 items in 12 clusters (doc)  exact()" in done.stdout
    done = karat("compare", "exact", *both, "--cluster", "doc", "--json", "-")
    document = json.loads(done.stdout)
    assert (document["n"], document["cluster"], document["clusters"]) == (36, "doc", 12)
    # Six of twelve clusters differ: all 2^6 exchanges, of which two are as far apart.
    assert document["comparisons"][0]["test"] == "permutation"
    assert document["comparisons"][0]["differences"]["accuracy"]["p_value"] == 2 / 64
    for name in ("good", "poor"):
        karat("evaluate", "exact", "-s", f"{name}.jsonl", "--save", f"{name}.run")
    runs = "good.run", "poor.run"
    done = karat("power", "systems", *runs, "--cluster", "doc", "--runs", "20", "--json", "-")
    document = json.loads(done.stdout)
    assert (document["what"], document["pilot_clusters"]) == ("clusters", 12)
    karat("report", *runs, "--cluster", "doc", "-o", "page.html")
    assert "36 items in 12 clusters (doc)" in (tmp_path / "page.html").read_text(encoding="utf-8")
    done = karat("compare", *runs, "--cluster", "doc", "--test", "mcnemar")
    assert (done.returncode, done.stderr.partition(",")[0]) == (
        2, "OptionError K302: the test 'mcnemar' is for independent items",
    )  # fmt: skip


def test_a_bare_number_and_items_in_parquet(karat: Karat, tmp_path: Path) -> None:
    done = karat("evaluate", "exact", "-g", "gold.txt", "-s", "good.txt", "poor.txt", "-b")
    assert done.stdout == "0.6667\n0.0000\n"
    import pyarrow.parquet

    files = "-g", "gold.jsonl", "-s", "good.jsonl"
    karat("evaluate", "exact", *files, "--items", "items.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "items.parquet")
    assert table.column("id").to_pylist() == ["1", "2", "3"]
    assert table.column("accuracy").to_pylist() == [1.0, 1.0, 0.0]
    both = "-g", "gold.txt", "-s", "good.txt", "poor.txt"
    done = karat("evaluate", "exact", *both, "--items", "x.parquet")
    assert (done.returncode, "--items FILE.parquet holds one run" in done.stderr) == (2, True)


def test_an_item_without_a_name_is_explained_by_its_number(karat: Karat, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("a b\nc d\ne f\n", encoding="utf-8")
    (tmp_path / "system.txt").write_text("a b\nc x\ne f\n", encoding="utf-8")
    words = ("explain", "rouge", "-g", "gold.txt", "-s", "system.txt", "--json", "-", "--item")
    found = json.loads(karat(*words, "2").stdout)
    assert [each["id"] for each in found] == ["2"]
    for wrong in ("0", "4", "02", "²"):
        done = karat(*words, wrong)
        assert done.returncode == 2
        assert "K391: there is no item" in done.stderr


def test_an_output_may_be_called_like_a_field(karat: Karat, tmp_path: Path) -> None:
    """The name of a field is no input, whether there is a file of this name or not."""
    (tmp_path / "texts.jsonl").write_text(
        '{"id": "1", "text": "a", "reference": "a", "type": "x"}\n'
    )
    for _ in range(2):
        done = karat("evaluate", "exact", "-s", "texts.jsonl", "--by", "type", "--json", "type")
        assert done.returncode == 0, done.stderr
    done = karat("evaluate", "exact", "-s", "texts.jsonl", "--json", "texts.jsonl")
    assert "K305" in done.stderr


def test_items_of_several_runs_say_whose_they_are(karat: Karat, tmp_path: Path) -> None:
    """Also to what holds metrics against judgements; of one run, they say nothing of that."""
    for name in ("gold", "a", "b"):
        (tmp_path / f"{name}.txt").write_text(f"x y\n{name}\n")
    karat("evaluate", "exact", "-g", "gold.txt", "-s", "a.txt", "--items", "items.jsonl")
    first = (tmp_path / "items.jsonl").read_text().splitlines()
    assert first[0] == '{"id":"1","scores":{"accuracy":1.0}}'
    metrics = "exact,exact(ignore_case=True)"
    outputs = ("--items", "items.jsonl", "--errors", "errors.jsonl", "--sentences", "rows.tsv")
    assert karat("evaluate", metrics, "-g", "gold.txt", "-s", "a.txt", "b.txt", *outputs).stdout
    whose = {(f"{s}.txt", m) for s in "ab" for m in ("exact()", "exact(ignore_case=True)")}
    for name in ("items.jsonl", "errors.jsonl"):
        lines = map(json.loads, (tmp_path / name).read_text().splitlines())
        assert {(line["system"], line["metric"]) for line in lines} == whose
    header, *rows = (line.split("\t") for line in (tmp_path / "rows.tsv").read_text().splitlines())
    assert header[:3] == ["run", "metric", "id"]
    assert {tuple(row[:2]) for row in rows} == whose
    records = [record for record, _ in read_records(str(tmp_path / "items.jsonl"))]
    found = {(record.instance_id, record.summarizer_id) for record in records}
    assert found == {(i, f"{s}.txt") for i in "12" for s in "ab"}


def test_what_tells_runs_apart_hides_no_field(karat: Karat, tmp_path: Path) -> None:
    rows = [
        {"id": str(i), "system": s, "text": "a", "reference": "a"} for i in (1, 2) for s in "AB"
    ]
    (tmp_path / "all.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    outputs = ("--items", "items.jsonl", "--errors", "errors.jsonl", "--sentences", "rows.tsv")
    done = karat("evaluate", "exact,bleu", "-s", "all.jsonl", *outputs)
    assert done.returncode == 0, done.stderr
    whose = {(s, "all.jsonl", m) for s in "AB" for m in ("exact", "bleu")}
    for name in ("items.jsonl", "errors.jsonl"):
        lines = map(json.loads, (tmp_path / name).read_text().splitlines())
        assert {(o["system"], o["system (run)"], o["metric"]) for o in lines} == whose
    table = [line.split("\t") for line in (tmp_path / "rows.tsv").read_text().splitlines()]
    assert {row[0] for row in table} == {"run", "all.jsonl"}
    assert "system" in table[0]
