"""``karat trace`` on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pages import WrittenPage

if TYPE_CHECKING:
    from commands import Karat

GOLD = "The dog barks at night .\nA cat sleeps on the mat today .\nBirds sing in the morning .\n"
SYSTEM = "the dog barks by night .\nA cat slept on the mat today .\nBirds sing in the evening .\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "gold.txt").write_text(GOLD, encoding="utf-8")
    (tmp_path / "system.txt").write_text(SYSTEM, encoding="utf-8")
    return ["-g", "gold.txt", "-s", "system.txt"]


def test_json_and_expectations(karat: Karat, files: list[str]) -> None:
    printed = karat("evaluate", "bleu", *files, "--json", "-")
    figure = f"BLEU {json.loads(printed.stdout)['scores']['bleu']:.4f}"
    done = karat("trace", figure, *files, "--json", "-", "--expect", "identified")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert list(document)[:6] == ["karat", "figures", "verdict", "hits", "ranges", "nearest"]
    assert document["verdict"] == "identified"
    (described,) = document["figures"]
    assert (described["name"], described["digits"], described["unit"]) == ("BLEU", 4, "percent")
    hit = document["hits"][0]
    again = karat("evaluate", hit["setting"], *files, "--json", "-")
    value = json.loads(again.stdout)["scores"][hit["score"]]
    assert value / 100 == pytest.approx(hit["value"], abs=1e-9)
    failed = karat("trace", "BLEU 12.3456", *files, "--no-slips", "--expect", "likely")
    assert failed.returncode == 1
    assert failed.stderr.splitlines()[-1] == "expected likely, found unidentified"


def test_wrong_use(karat: Karat, files: list[str]) -> None:
    unknown = karat("trace", "BLEAU 40", *files)
    assert unknown.returncode == 2
    assert "K329" in unknown.stderr
    assert "did you mean 'bleu'" in unknown.stderr
    mixed = karat("trace", "BLEU 40.1", "ROUGE-1 50.2", *files)
    assert (mixed.returncode, "K329" in mixed.stderr) == (2, True)
    assert karat("trace", "BLEU", *files).returncode == 2
    assert karat("trace", *files).returncode == 2
    assert karat("trace", "BLEU 40", "-g", "gold.txt").returncode == 2
    assert karat("trace", "BLEU 40", "-g", "gold.txt", "-s", "nowhere.txt").returncode == 1


def test_settings_are_listed(karat: Karat) -> None:
    done = karat("trace", "--list-settings", "chrF", "--json", "-")
    settings = json.loads(done.stdout)["settings"]
    assert {each["metric"] for each in settings} == {"chrf"}
    assert {"setting": "chrf", "score": "chrf", "departures": 0}.items() <= settings[0].items()


def test_figures_of_other_files_than_texts(karat: Karat) -> None:
    """A common name on logical forms, and a number alone on records."""
    examples = Path(__file__).resolve().parents[2] / "examples"
    for figure, files, setting in (
        ("exact 0.4286", ("forms/gold.tsv", "forms/seed1.tsv"), "cogs"),
        ("0.8791", ("records/gold.jsonl", "records/a.jsonl"), "json"),
    ):
        gold, system = (str(examples / name) for name in files)
        done = karat("trace", figure, "-g", gold, "-s", system, "--json", "-")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["hits"][0]["setting"] == setting


def test_the_page_has_the_verdict(karat: Karat, files: list[str], tmp_path: Path) -> None:
    figure = karat("evaluate", "bleu", *files, "--bare").stdout.strip()
    done = karat("trace", f"BLEU {figure}", *files, "--report", "page.html")
    assert done.returncode == 0, done.stderr
    found = WrittenPage((tmp_path / "page.html").read_bytes()).head["sets"][0]["trace"]
    assert found["figures"] == [f"BLEU {figure}"]
    assert found["conclusion"] in done.stdout
    assert found["tables"][0]["columns"][:3] == ["rank", "setting", "value"]
    assert any("karat evaluate bleu -g gold.txt -s system.txt" in each for each in found["notes"])


PLAIN = """
import json, sys
for module in ("regex", "snowballstemmer"):
    sys.modules[module] = None
import karat
texts = {side: open(f"{side}.txt").read().splitlines() for side in ("system", "gold")}
found = []
for name, metric, score in json.load(sys.stdin):
    value = karat.evaluate(metric, **texts).scores()
    for part in score.split("."):
        value = value[part]
    trace = karat.trace(f"{name} {value:.4f}", **texts, slips=False)
    first = trace.hits[0]
    same = [first.setting, *(each.partition(" ::")[0] for each in first.same)]
    found.append([karat.parse(metric) in map(karat.parse, same), trace.warnings])
print(json.dumps(found))
"""


def test_a_package_that_is_not_there_costs_only_settings_that_need_it(
    files: list[str], tmp_path: Path
) -> None:
    """A plain installation has neither regex nor a stemmer."""
    cases = [
        ("BLEU", "bleu(tokenize='none')", "bleu"),
        ("ROUGE-2", "rouge(profile='rouge')", "rouge-2.f1"),
    ]
    done = subprocess.run(
        [sys.executable, "-c", PLAIN],
        input=json.dumps(cases), capture_output=True, text=True, cwd=tmp_path, check=True,
    )  # fmt: skip
    for (hits, warnings), extra in zip(json.loads(done.stdout), ("text", "stemming"), strict=True):
        assert hits
        assert [each for each in warnings if f"karat[{extra}]" in each]


@pytest.mark.parametrize(
    ("figure", "verdict", "expected"),
    [
        ("BLEU 50.49", "identified", {"identified": 0, "likely": 0, "any": 0}),
        ("BLEU 50", "unidentified", {"identified": 1, "likely": 1, "any": 1}),
        ("BLEU 50.13", "likely", {"identified": 1, "likely": 0, "any": 0}),
        ("BLEU 50.5", "ambiguous", {"identified": 1, "likely": 1, "any": 0}),
    ],
)
def test_what_is_expected(
    karat: Karat, figure: str, verdict: str, expected: dict[str, int]
) -> None:
    """The figures of the documentation, on the files of the examples."""
    examples = Path(__file__).resolve().parents[2] / "examples" / "translation"
    files = ["-g", str(examples / "gold.txt"), "-s", str(examples / "hasty.txt"), "--json", "-"]
    for level, code in expected.items():
        done = karat("trace", figure, *files, "--expect", level)
        assert json.loads(done.stdout)["verdict"] == verdict
        assert done.returncode == code
        said = f"expected {level}, found {verdict}"
        assert (said in done.stderr.splitlines()) == (code == 1)


def test_slips_can_be_left_out(karat: Karat, files: list[str]) -> None:
    for flags, few in (([], False), (["--no-slips"], True)):
        done = karat("trace", "BLEU 12.34", *files, *flags, "--json", "-")
        assert (json.loads(done.stdout)["slips"] == 0) == few
    deep = karat("trace", "BLEU 12.34", *files, "--deep", "--json", "-")
    usual = karat("trace", "BLEU 12.34", *files, "--json", "-")
    assert json.loads(deep.stdout)["slips"] > json.loads(usual.stdout)["slips"]
