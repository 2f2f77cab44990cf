"""The plug-ins of docs/writing-a-metric.md, installed with entry points, on the command line."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "writing-a-metric.md"
_CODE = re.compile(r"^```python\n((?!>>>).*?)^```$", re.MULTILINE | re.DOTALL)
_POINTS = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with the package that the page describes, as an installer leaves it behind."""
    text = PAGE.read_text(encoding="utf-8")
    code = [block for block in _CODE.findall(text) if "check_metric" not in block]
    (tmp_path / "my_package.py").write_text("\n".join(code))
    info = tmp_path / "my_package-2.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 2.1\n")
    (points,) = _POINTS.findall(text)
    points = re.sub(r'\[project\.entry-points\."(.*)"\]', r"[\1]", points).replace('"', "")
    (info / "entry_points.txt").write_text(points)
    return tmp_path


def run(program: str, site: Path, *args: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(site)}
    return subprocess.run(
        [program, *args], capture_output=True, text=True, env=env, cwd=site, timeout=300
    )


def evaluated(program: str, site: Path, *args: str) -> Any:
    done = run(program, site, "evaluate", *args, "--json", "-")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


RECORDS = [
    {"id": "q1", "text": "It is Paris", "references": ["Paris"], "place": "north"},
    {"id": "q2", "text": "Milan, I think", "references": ["Rome"], "place": "south"},
    {"id": "q3", "text": ["In Oslo.", "Yes."], "references": ["Oslo. Yes"], "place": "north"},
]


def write_lines(path: Path, records: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path.name


def test_a_metric_works_on_records_without_knowing_of_them(program: str, site: Path) -> None:
    whole = write_lines(site / "whole.jsonl", RECORDS)
    found = evaluated(program, site, "contains", "-s", whole)
    assert found["scores"] == {"accuracy": pytest.approx(2 / 3), "items": 3}
    assert "my-package:2.1" in found["signature"]


def test_a_metric_works_on_records_in_two_files(program: str, site: Path) -> None:
    gold = [{"id": each["id"], "references": each["references"]} for each in RECORDS]
    system = [{"id": each["id"], "text": each["text"]} for each in reversed(RECORDS)]
    files = ["-g", write_lines(site / "g.jsonl", gold), "-s", write_lines(site / "s.jsonl", system)]
    assert evaluated(program, site, "contains", *files)["scores"]["accuracy"] == 2 / 3
    folded = evaluated(program, site, "contains", "--fold", *files)
    assert folded["signature"].startswith("contains(fold=True)|karat:")


def test_several_references_for_a_metric_of_one_are_an_error(program: str, site: Path) -> None:
    two = write_lines(site / "two.jsonl", [{"id": "a", "text": "x", "references": ["x", "y"]}])
    done = run(program, site, "evaluate", "contains", "-s", two)
    assert done.returncode == 2
    assert "K309: item 'a': contains takes one gold text per item, got 2" in done.stderr


def test_all_that_others_have_comes_for_free(program: str, site: Path) -> None:
    whole = write_lines(site / "whole.jsonl", RECORDS)
    more = ["--by", "place", "--items", "items.jsonl", "--report", "page.html", "--save", "a.run"]
    found = evaluated(program, site, "contains", "-s", whole, *more)
    assert found["by"]["place"]["groups"]["north"]["accuracy"] == 1.0
    items = [json.loads(line) for line in (site / "items.jsonl").read_text().splitlines()]
    assert [item["scores"]["accuracy"] for item in items] == [1.0, 0.0, 1.0]
    assert "accuracy" in (site / "page.html").read_text()
    assert run(program, site, "verify", "a.run").returncode == 0
    done = run(program, site, "explain", "contains", "-s", whole)
    assert "K308: contains cannot explain its scores" in done.stderr


def test_a_format_of_texts_is_guessed(program: str, site: Path) -> None:
    (site / "gold").write_text("#answers\nq1: Paris\nq2: Rome\n")
    (site / "system").write_text("#answers\nq2: Rome\nq1: Lyon\n")
    found = evaluated(program, site, "exact", "-g", "gold", "-s", "system")
    assert found["scores"] == {"accuracy": 0.5}
    assert found["reading"]["system"]["format"] == "answers"
    (site / "plain").write_text("Paris\nRome\n")
    found = evaluated(program, site, "exact", "-g", "plain", "-s", "plain")
    assert found["reading"]["system"]["format"] == "lines"


def test_a_line_that_a_format_refuses_is_named(program: str, site: Path) -> None:
    (site / "gold").write_text("#answers\nq1: Paris\n")
    (site / "system").write_text("#answers\nParis\n")
    done = run(program, site, "evaluate", "exact", "-g", "gold", "-s", "system")
    assert done.returncode == 1
    assert done.stderr.startswith("system:2: FormatError")


def test_a_format_of_graphs_is_guessed(program: str, site: Path) -> None:
    (site / "gold").write_text("1: bark -ARG0-> dog; dog -mod-> big\n")
    (site / "system").write_text("1: bark -ARG0-> dog; dog -mod-> small\n")
    scores = evaluated(program, site, "mrp", "-g", "gold", "-s", "system")["scores"]
    # A top, three labels and two edges; one label differs.
    assert (scores["all"]["g"], scores["all"]["c"]) == (6, 5)
    assert (scores["labels"]["c"], scores["edges"]["c"]) == (2, 2)


def test_they_are_listed(program: str, site: Path) -> None:
    for what, names in (("metrics", {"contains"}), ("formats", {"answers", "arrows"})):
        rows = json.loads(run(program, site, "list", what, "--json").stdout)
        found = {row["name"] for row in rows if row["package"] == "my-package 2.1"}
        assert found == names
        told = {row["name"]: row["summary"] for row in rows}
        shown = run(program, site, "list", what).stdout
        assert all(told[name] in shown for name in names)
        if what == "metrics":
            assert told["contains"] == (
                "Share of items whose system output contains the gold. (from my-package 2.1)"
            )


def test_a_plug_in_that_does_not_load_is_listed_all_the_same(program: str, site: Path) -> None:
    (site / "my_package.py").write_text("import no_such_package\n")
    done = run(program, site, "list", "metrics")
    assert done.returncode == 0
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("  contains "))
    assert "K313" in line
    assert "no_such_package" in line


def test_a_command_reads_files_has_flags_and_says_whether_it_failed(
    program: str, site: Path
) -> None:
    (site / "texts.txt").write_text("a b c\na\na b c d\n")
    done = run(program, site, "lengths", "texts.txt")
    assert (done.returncode, done.stdout) == (0, "3 texts, 0 longer than 20 words\n")
    done = run(program, site, "lengths", "texts.txt", "--limit", "3", "--json")
    assert (done.returncode, json.loads(done.stdout)) == (1, {"texts": 3, "long": 1})
    # Records and the formats of other plug-ins are read too, by name or by what is in them.
    (site / "my.answers").write_text("#answers\nq1: Paris\nq2: the city of Rome\n")
    done = run(program, site, "lengths", "my.answers", "--limit", "1")
    assert (done.returncode, done.stdout) == (1, "2 texts, 1 longer than 1 words\n")


def test_a_command_is_helped_with_like_others(program: str, site: Path) -> None:
    assert "  lengths  from my-package 2.1\n" in run(program, site, "--help").stdout
    assert "how many words a text may have" in run(program, site, "lengths", "--help").stdout
    done = run(program, site, "lenghts", "texts.txt")
    assert (done.returncode, "did you mean 'lengths'?" in done.stderr) == (2, True)
    done = run(program, site, "lengths", "none.txt")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    done = run(program, site, "lengths", "none.txt", "--limit", "0")
    assert (done.returncode, "at least 1" in done.stderr) == (2, True), done.stderr
    assert "plug-in lengths of my-package 2.1: ok" in run(program, site, "doctor").stdout


def test_a_command_that_is_none_is_its_makers_mistake(program: str, site: Path) -> None:
    points = site / "my_package-2.1.dist-info" / "entry_points.txt"
    points.write_text(
        "[karat.commands]\nlengths = my_package:Contains\nanalyze = my_package:Lengths\n"
    )
    done = run(program, site, "lengths", "texts.txt")
    assert (done.returncode, "K313" in done.stderr) == (2, True), done.stderr
    # The names of karat's own commands are karat's.
    assert (
        "labels, and the shape of what they hold" in run(program, site, "analyze", "--help").stdout
    )


def test_a_command_of_two_packages_is_neither(program: str, site: Path) -> None:
    info = site / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[karat.commands]\nlengths = my_package:Lengths\n")
    done = run(program, site, "lengths", "texts.txt")
    assert (done.returncode, "K311" in done.stderr) == (2, True), done.stderr
