"""Logical forms as a user meets them on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import Karat

GOLD = """\
A cat ran .\tcat ( x _ 1 ) AND run . agent ( x _ 2 , x _ 1 )\tcp_recursion
Emma ran .\trun . agent ( x _ 1 , Emma )\tactive_to_passive
Layla\tLayla\tprimitive
"""
SYSTEM = GOLD.replace("x _ 1 )", "x _ 7 )").replace("Emma )", "Emma")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "gold.tsv").write_text(GOLD)
    (tmp_path / "system.tsv").write_text(SYSTEM)
    return tmp_path


def test_evaluate(karat: Karat, folder: Path) -> None:
    args = ("evaluate", "cogs", "-g", "gold.tsv", "-s", "system.tsv", "--json", "-")
    done = karat(*args, "--by", "structure")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert document["scores"]["semantic_match"] == {"count": 2, "rate": pytest.approx(2 / 3)}
    assert document["inexact"] == 0
    assert list(document["by"]["structure"]["groups"]) == ["structural", "lexical", "other"]


def test_standard_input(karat: Karat, folder: Path) -> None:
    args = (
        "evaluate",
        "lf-exact",
        "-g",
        "gold.tsv",
        "-s",
        "-",
        "--format",
        "lf-tsv",
        "--json",
        "-",
    )
    done = karat(*args, "--json", "-", stdin=SYSTEM)
    assert json.loads(done.stdout)["scores"]["exact_match"]["count"] == 1


def test_several_runs_are_averaged(karat: Karat, folder: Path) -> None:
    args = ("evaluate", "lf-exact", "-g", "gold.tsv", "-s", "system.tsv", "-s", "gold.tsv")
    done = karat(*args, "--average", "--by", "type")
    assert done.returncode == 0
    assert "2 runs  3 items" in done.stdout
    assert "0.5000 ± 0.7071" in done.stdout
    document = json.loads(karat(*args, "--average", "--json", "-").stdout)
    assert document["systems"] == ["system.tsv", "gold.tsv"]
    assert document["scores"]["exact_match"]["rate"]["max"] == 1


def test_each_error_is_diagnosed(karat: Karat, folder: Path) -> None:
    args = ("evaluate", "cogs", "-g", "gold.tsv", "-s", "system.tsv")
    lines = karat(*args, "--errors", "-").stdout.splitlines()
    assert [json.loads(line)["diagnosis"] for line in lines] == [
        ["constants are renamed consistently: 1->7"],
        ['ill-formed at offset 26: expected ")", found the end'],
        [],
    ]
    profile = json.loads(karat(*args, "--error-profile", "-").stdout)
    assert profile["wrong"] == 2
    assert profile["ill_formed"]["expected"] == {'")"': 1}


def test_a_metric_without_profile_says_so(karat: Karat, folder: Path) -> None:
    (folder / "a.txt").write_text("a\n")
    done = karat("evaluate", "js", "-g", "a.txt", "-s", "a.txt", "--error-profile", "p.json")
    assert done.returncode == 2
    assert done.stderr.startswith("OptionError K308: js has no profile of its errors")
    assert not (folder / "p.json").exists()


def test_compare(karat: Karat, folder: Path) -> None:
    args = ("compare", "lf-semantic", "-g", "gold.tsv", "-s", "gold.tsv", "-s", "system.tsv")
    document = json.loads(karat(*args, "--json", "-").stdout)
    assert document["score"] == "semantic_match.rate"
    assert [each["score"] for each in document["systems"]] == [1.0, pytest.approx(2 / 3)]


def test_compare_shows_scores_on_their_own_scale(karat: Karat, folder: Path) -> None:
    """BLEU is a percentage, the other scores are shares."""
    args = ("compare", "cogs", "-g", "gold.tsv", "-s", "gold.tsv", "-s", "system.tsv", "-q")
    shown = karat(*args, "--score", "bleu").stdout
    assert "gold.tsv     100.00" in shown
    shown = karat(*args, "--score", "exact_match.rate").stdout
    assert "system.tsv             0.3333" in shown


def test_ill_formed_gold_prints_no_score(karat: Karat, folder: Path) -> None:
    done = karat("evaluate", "cogs", "-g", "system.tsv", "-s", "gold.tsv")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[0] == (
        "system.tsv:2: IllFormedError K170: the gold form is ill-formed at offset 26: "
        'expected ")", found the end'
    )


def test_validate(karat: Karat, folder: Path) -> None:
    assert karat("validate", "gold.tsv").stdout == "3 forms, 0 problems\n"
    done = karat("validate", "system.tsv")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        'system.tsv:2: ill-formed at offset 26: expected ")", found the end',
        "3 forms, 1 problem",
    ]
    (folder / "bad.tsv").write_text("one\ttwo\n")
    document = json.loads(karat("validate", "--from", "lf-tsv", "bad.tsv", "--json").stdout)
    assert document["problems"][0]["line"] == 1


def test_convert(karat: Karat, folder: Path) -> None:
    done = karat("convert", "gold.tsv", "--into", "recogs", "--to", "lf-lines")
    assert done.stdout.splitlines() == [
        "cat ( 1 ) ; run ( 2 ) AND agent ( 2 , 1 )",
        "Emma ( 0 ) ; run ( 1 ) AND agent ( 1 , 0 )",
        "Layla",
    ]
    done = karat("convert", "gold.tsv", "--into", "varfree", "-o", "v.tsv")
    assert done.returncode == 0
    assert (folder / "v.tsv").read_text().splitlines()[0] == (
        "A cat ran .\trun ( agent = cat )\tcp_recursion"
    )
    done = karat("convert", "system.tsv", "--into", "varfree", "--to", "lf-lines")
    assert done.returncode == 1
    assert done.stderr.startswith("system.tsv:2: IllFormedError K170: ill-formed at offset 26")


def test_analyze(karat: Karat, folder: Path) -> None:
    document = json.loads(karat("analyze", "gold.tsv", "--json").stdout)
    assert document["forms"] == 3
    assert document["types"] == {"iota": 2, "name": 1}
    assert document["roles"] == {"agent": 2}


def test_draw(karat: Karat, folder: Path) -> None:
    done = karat("draw", "gold.tsv", "--line", "2", "-o", "a.svg")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Emma ran ." in (folder / "a.svg").read_text()
    args = ("draw", "system.tsv", "-g", "gold.tsv", "--only-errors", "-o", "a.html")
    assert karat(*args).returncode == 0
    page = (folder / "a.html").read_text()
    assert page.count("<svg") == 2
    assert "constants are renamed consistently: 1-&gt;7" in page
    done = karat("draw", "system.tsv", "--line", "2")
    assert done.returncode == 1
    assert done.stderr.startswith("system.tsv:2: IllFormedError K170")
    (folder / "short.tsv").write_text(GOLD.splitlines()[0] + "\n")
    done = karat("draw", "gold.tsv", "-g", "short.tsv", "-o", "b.html")
    assert done.stderr.startswith("PairingError K202")


def test_rows_for_programs_and_for_papers(karat: Karat, folder: Path) -> None:
    args = ("evaluate", "lf-exact", "-g", "gold.tsv", "-s", "system.tsv", "--by", "type")
    rows = [line.split("\t") for line in karat(*args, "--tsv", "-").stdout.splitlines()]
    assert rows[0] == [
        "metric",
        "system",
        "field",
        "group",
        "items",
        "score",
        "value",
        "low",
        "high",
    ]
    assert rows[1] == ["lf-exact", "system.tsv", "", "", "3", "exact_match.count", "1", "", ""]
    groups = {(row[3], row[5]): row[6] for row in rows if row[2] == "type"}
    assert groups["primitive", "exact_match.rate"] == "1.0"
    assert float(groups["mean of groups", "exact_match.rate"]) == pytest.approx(1 / 3)
    lines = karat(*args, "--markdown", "-").stdout.splitlines()
    assert lines[:3] == [
        "| lf-exact | system.tsv |",
        "| --- | ---: |",
        "| exact_match.count | 1 |",
    ]
    assert "| primitive | 1 | 1.0000 | 1.0000 |" in lines


def test_only_errors_and_samples(karat: Karat, folder: Path) -> None:
    args = ("evaluate", "lf-exact", "-g", "gold.tsv", "-s", "system.tsv", "--errors", "-")

    def ids(*more: str) -> list[str]:
        lines = karat(*args, *more).stdout.splitlines()
        return [json.loads(line)["id"] for line in lines]

    assert ids() == ["1", "2", "3"]
    assert ids("--only-errors") == ["1", "2"]
    one = ids("--only-errors", "--sample", "1", "--seed", "4")
    assert len(one) == 1
    assert one == ids("--only-errors", "--sample", "1", "--seed", "4")
    assert set(one) <= {"1", "2"}
    assert ids("--sample", "9") == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("limit", "status", "message"),
    [
        ("exact_match.rate=0.3", 0, ""),
        ("exact_match.rate=0.34", 1, "system.tsv: exact_match.rate is 0.3333333333333333, under"),
        ("exact_match=0.3", 0, ""),
        ("exact_match=0.34", 1, "system.tsv: exact_match is 0.3333333333333333, under"),
        ("edit_distance=3", 2, "OptionError K"),
        ("edit_distance.total=3", 0, ""),
        ("edit_distance.total=2", 1, "system.tsv: edit_distance.total is 3, above 2"),
        ("exact_match.rat=1", 2, "OptionError K"),
        ("exact_match.rate", 2, "OptionError K373: --fail-under takes SCORE=VALUE"),
        ("exact_match.rate=nan", 2, "OptionError K373: --fail-under takes SCORE=VALUE"),
    ],
)
def test_scores_that_must_be_reached(
    karat: Karat, folder: Path, limit: str, status: int, message: str
) -> None:
    args = ("evaluate", "cogs", "-g", "gold.tsv", "-s", "system.tsv", "--fail-under", limit)
    done = karat(*args, "--resamples", "2")
    assert done.returncode == status
    assert done.stderr.startswith(message)
    assert bool(done.stderr) == bool(message)


@pytest.mark.parametrize(
    ("limit", "status", "message"),
    [
        ("exact_match.rate=0.34", 1, "system.tsv: exact_match.rate is 0.3333333333333333, under"),
        ("semantic_match.rate=0.9", 1, "system.tsv: semantic_match.rate is"),
        ("exact_match_tokens.rate=0.1", 0, ""),
        ("chrf=1", 2, "OptionError K"),
    ],
)
def test_a_limit_concerns_the_metrics_that_have_the_score(
    karat: Karat, folder: Path, limit: str, status: int, message: str
) -> None:
    files = ("-g", "gold.tsv", "-s", "system.tsv")
    args = ("evaluate", "cogs,lf-exact", *files, "--fail-under", limit)
    done = karat(*args, "--resamples", "2")
    assert (done.returncode, done.stderr[: len(message)]) == (status, message)


def rows_of(path: Path) -> list[dict[str, str]]:
    header, *lines = [line.split("\t") for line in path.read_text().splitlines()]
    return [dict(zip(header, line, strict=True)) for line in lines]


def test_sentences_are_rows_with_scores_forms_and_a_diagnosis(karat: Karat, folder: Path) -> None:
    args = ("evaluate", "cogs", "-g", "gold.tsv", "-s", "system.tsv", "--sentences", "rows.tsv")
    assert karat(*args).returncode == 0
    rows = rows_of(folder / "rows.tsv")
    assert [(row["id"], row["type"], row["exact_match.count"]) for row in rows] == [
        ("1", "cp_recursion", "0"),
        ("2", "active_to_passive", "0"),
        ("3", "primitive", "1"),
    ]
    first, second, third = rows
    # A unary and a binary term, both with another constant.
    assert [first[f"terms.all.{part}"] for part in ("tp", "system", "gold")] == ["0", "2", "2"]
    assert first["system"] == "cat ( x _ 7 ) AND run . agent ( x _ 2 , x _ 7 )"
    assert first["gold"] == "cat ( x _ 1 ) AND run . agent ( x _ 2 , x _ 1 )"
    assert first["diagnosis"] == "constants are renamed consistently: 1->7"
    assert second["diagnosis"].startswith("ill-formed at offset")
    assert third["diagnosis"] == ""


@pytest.mark.parametrize(
    ("choice", "ids"),
    [
        (("--type", "cp_recursion"), ["1"]),
        (("--only-errors",), ["1", "2"]),
        (("--only-errors", "--type", "active_to_passive"), ["2"]),
    ],
)
def test_rows_may_be_of_one_type(
    karat: Karat, folder: Path, choice: tuple[str, ...], ids: list[str]
) -> None:
    files = ("-g", "gold.tsv", "-s", "system.tsv", "--sentences", "rows.tsv", "--errors", "e.jsonl")
    assert karat("evaluate", "cogs", *files, *choice).returncode == 0
    assert [row["id"] for row in rows_of(folder / "rows.tsv")] == ids
    errors = (folder / "e.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in errors] == ids


def test_rows_of_several_runs_name_them(karat: Karat, folder: Path) -> None:
    args = ("-g", "gold.tsv", "-s", "system.tsv", "-s", "gold.tsv", "--sentences", "rows.tsv")
    assert karat("evaluate", "lf-exact", *args).returncode == 0
    rows = rows_of(folder / "rows.tsv")
    assert [row["run"] for row in rows] == ["system.tsv"] * 3 + ["gold.tsv"] * 3


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (
            ("--type", "cp_recursio", "--errors", "e"),
            "K325: no item is of the type 'cp_recursio'; did you mean 'cp_recursion'?",
        ),
        (("--type", "x"), "K303: --type needs --errors or --sentences"),
        (
            ("--skip-bad-gold", "--on-error", "fail"),
            "K301: --skip-bad-gold and --on-error fail contradict each other",
        ),
    ],
)
def test_choices_that_make_no_sense(
    karat: Karat, folder: Path, choice: tuple[str, ...], message: str
) -> None:
    done = karat("evaluate", "cogs", "-g", "gold.tsv", "-s", "system.tsv", *choice)
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == f"OptionError {message}"
    assert not (folder / "e").exists()


def test_bad_gold_may_be_left_out(karat: Karat, folder: Path) -> None:
    bad = GOLD.replace("Layla\tLayla", "Layla\tLayla (")
    (folder / "bad.tsv").write_text(bad)
    args = ("evaluate", "cogs", "-g", "bad.tsv", "-s", "system.tsv", "--json", "-")
    assert karat(*args).returncode == 1
    done = karat(*args, "--skip-bad-gold")
    assert done.returncode == 0
    assert "left out: bad.tsv:3: IllFormedError" in done.stderr
    document = json.loads(done.stdout)
    assert (document["n"], document["skipped"]) == (2, 1)
    # What is wrong with the system's file stays an error.
    (folder / "short.tsv").write_text(SYSTEM.replace("\tprimitive", ""))
    short = ("evaluate", "cogs", "-g", "gold.tsv", "-s", "short.tsv", "--skip-bad-gold")
    assert karat(*short).returncode == 1


def test_formats_may_be_named_without_their_family(karat: Karat, folder: Path) -> None:
    lines = "".join(line.split("\t")[1] + "\n" for line in SYSTEM.splitlines())
    (folder / "forms").write_text(lines)
    args = ("evaluate", "lf-exact", "-g", "gold.tsv", "-s", "forms", "--json", "-")
    done = karat(*args, "--system-format", "lines")
    assert json.loads(done.stdout)["scores"]["exact_match"]["count"] == 1


def test_tables_may_go_to_a_file(karat: Karat, folder: Path) -> None:
    args = ("evaluate", "lf-exact", "-g", "gold.tsv", "-s", "system.tsv")
    shown = karat(*args).stdout
    done = karat(*args, "--output", "table.txt")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (folder / "table.txt").read_text() == shown


def test_several_systems_after_one_option(karat: Karat, folder: Path) -> None:
    (folder / "other.tsv").write_text(GOLD)
    args = ("evaluate", "lf-exact", "--system", "system.tsv", "gold.tsv", "other.tsv")
    done = karat(*args, "--gold", "gold.tsv", "--json", "-")
    counts = [each["scores"]["exact_match"]["count"] for each in json.loads(done.stdout)]
    assert counts == [1, 3, 3]
    short = ("-s", "system.tsv", "gold.tsv", "-g", "gold.tsv", "--json", "-")
    done = karat("evaluate", "lf-exact", *short)
    counts = [each["scores"]["exact_match"]["count"] for each in json.loads(done.stdout)]
    assert counts == [1, 3]
    # Gold has one file for each option: another word after it is a mistake.
    alone = karat("evaluate", "lf-exact", "-g", "system.tsv", "gold.tsv")
    assert (alone.returncode, alone.stderr.splitlines()[0]) == (
        2,
        "OptionError K300: 'gold.tsv' does not belong to an option",
    )
