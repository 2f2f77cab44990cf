"""``karat repair`` as it is called."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import karat as package

GOLD = """\
# sent_id = 1
1\tWe\twe\tPRON\t_\t_\t2\tnsubj\t_\t_
2\teat\teat\tVERB\t_\t_\t0\troot\t_\t_
3\tfish\tfish\tNOUN\t_\t_\t2\tobj\t_\t_

# sent_id = 2
1\tDogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_
2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_

"""
BARK = "\t_\t_\n2\tbark"
SYSTEM = GOLD.replace("2\tobj", "1\tobl").replace(f"nsubj{BARK}", f"obj{BARK}")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "gold.conllu").write_text(GOLD)
    (tmp_path / "system.conllu").write_text(SYSTEM)
    return tmp_path


ARGS = ("-g", "gold.conllu", "-s", "system.conllu")


def test_a_table_that_80_columns_hold(files: Path, karat: Any) -> None:
    done = karat("repair", "ud", *ARGS, "--check")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "ud LAS.f1 0.6000, 1.0000 without 2 edits in 2 items of 2"
    assert lines[2].split() == [
        "class", "edits", "items", "ΔP", "ΔR", "ΔF", "95", "%", "sum", "again",
    ]  # fmt: skip
    assert [line.split()[0] for line in lines[3:5]] == ["both", "label"]
    assert lines[4].split()[-2:] == ["1.0000", "1.0000"]
    assert max(map(len, lines)) <= 80


def test_the_document_and_the_written_file(files: Path, karat: Any) -> None:
    done = karat(
        "repair", "ud", *ARGS, "--classes", "edge-label", "--rank", "plan", "--json", "r.json",
        "-o", "repaired.conllu", "--class", "obj→nsubj", "--check",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    document = json.loads((files / "r.json").read_text())
    assert {
        "karat", "metric", "signature", "scores", "repaired", "classes", "plan", "items", "exact",
        "warnings",
    } <= document.keys()  # fmt: skip
    assert document["repaired"] == {"p": 1.0, "r": 1.0, "f": 1.0}
    first = document["classes"][0]
    assert (first["class"], first["edits"], first["items"]) == ("obj→nsubj", 1, 1)
    assert first["delta"]["f"] == pytest.approx(0.2)
    assert first["remeasured"] == pytest.approx(0.8)
    assert [step["f"] for step in document["plan"]] == pytest.approx([0.8, 1.0])
    assert document["items"][0]["edits"][0]["gain"] == pytest.approx(0.2)
    repaired = SYSTEM.replace(f"obj{BARK}", f"nsubj{BARK}")
    assert (files / "repaired.conllu").read_text() == repaired


def test_wrong_use_ends_with_2(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from karat.cli import _run  # as the command does, without a process for each

    monkeypatch.chdir(files)
    (files / "a.txt").write_text("a b\n")
    (files / "b.txt").write_text("a c\n")
    refused = {
        ("bleu", "-g", "a.txt", "-s", "b.txt"): "K377",
        ("ud", *ARGS, "--classes", "edgelabel"): "K378",
        ("ud", *ARGS, "-o", "x.conllu", "--class", "nothing"): "K378",
        ("ud", *ARGS, "--write", "gold.conllu"): "K305",
    }
    for args, code in refused.items():
        assert (_run(["repair", *args]), code in capsys.readouterr().err) == (2, True), args
    assert not (files / "x.conllu").exists()


def test_a_flag_of_the_command_is_no_option_of_the_metric(files: Path, karat: Any) -> None:
    """Smatch has an option that is called top as well."""
    (files / "gold.amr").write_text("(d / dog :mod (b / big))\n")
    (files / "system.amr").write_text("(d / dog :mod (b / bad))\n")
    args = ("repair", "smatch", "-g", "gold.amr", "-s", "system.amr", "--top", "1")
    done = karat(*args, "-o", "repaired.amr", "--budget", "1000")
    assert done.returncode == 0, done.stderr
    assert "smatch(budget=1000)" in done.stdout
    assert "b / big" in (files / "repaired.amr").read_text()


def test_lines_of_text_and_a_page(files: Path, karat: Any) -> None:
    (files / "gold.txt").write_text("the cat sat\nfine\n")
    (files / "system.txt").write_text("a cat sat down\nfine\n")
    done = karat(
        "repair", "edit-distance", "-g", "gold.txt", "-s", "system.txt", "-o", "repaired.txt",
        "--report", "page.html",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (files / "repaired.txt").read_text() == "the cat sat\nfine\n"
    assert "<html" in (files / "page.html").read_text()


def test_the_same_by_python(files: Path) -> None:
    run = package.evaluate(
        "attachment", system=str(files / "system.conllu"), gold=str(files / "gold.conllu")
    )
    repair = package.repair(run, "pos")
    assert [(each.name, each.edits) for each in repair.classes] == [("NOUN", 2)]
    assert [step.f for step in repair.plan(1)] == [1.0]
    assert [tree.heads for tree in repair.apply()] == [(2, 0, 2), (2, 0)]
    assert repair.apply([])[0].heads == (2, 0, 1)
    by_length = package.repair(run, by="length", rank="gain-per-edit")
    assert {each.name for each in by_length.classes} == {"2", "3"}
    halves = package.repair(run, split_half=False, average="macro")
    assert not halves.plan_is_exact
    assert halves.before.f == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert halves.plan()[-1].f == 1
    assert len(repair.to_columns()["class"]) == 1
    for wrong, code in (({"score": "UEM"}, "K306"), ({"by": "genre"}, "K315")):
        with pytest.raises(package.KaratError) as refused:
            package.repair(run, **wrong)  # type: ignore[arg-type]
        assert refused.value.code == code


def test_halves_are_measured_on_items_that_chose_nothing() -> None:
    """Classes that gain by chance on one half gain nothing on the other."""
    gold = ["a b c d"] * 40
    system = [f"a b c {'x' if i % 2 else 'd'}" for i in range(40)]
    run = package.evaluate("edit-distance", system=system, gold=gold)
    repair = package.repair(run, "word", split_half=True, seed=3)
    (found,) = repair.classes
    assert found.edits < 20
    assert found.delta.f == pytest.approx(-found.edits / (4 * 20))
    # Where every item errs in a way of its own, what looks best on one half is worth nothing.
    run = package.evaluate("edit-distance", system=[f"a b c x{i}" for i in range(40)], gold=gold)
    repair = package.repair(run, "word", split_half=True, seed=3, top=20)
    assert [(each.edits, each.delta.f) for each in repair.classes] == [(0, 0.0)] * 20


def test_ranks_and_notes() -> None:
    """Three leaves that are missing gain more than one that is wrong, but less for each edit."""
    gold = [{"a": 1, "b": 2, "c": 3}] * 8
    system = [{"a": 9, "b": 2, "c": 3}, *[{"a": 1, "c": 3}] * 3, *gold[4:]]
    run = package.evaluate("json", system=system, gold=gold)
    ranked = {
        rank: [each.name for each in package.repair(run, rank=rank).classes]
        for rank in ("gain", "gain-per-edit")
    }
    assert ranked == {"gain": ["missing", "changed"], "gain-per-edit": ["changed", "missing"]}
    words = ["a b c d"] * 10
    wrong = ["x b c d", "a x c d", "a b x d", *words[3:]]
    run = package.evaluate("edit-distance", system=wrong, gold=words)
    assert any("``split_half``" in each for each in package.repair(run, "word").notes())
    assert package.repair(run, "word", split_half=True).notes() == []
    sure = package.evaluate("edit-distance", system=["a b c x"] * 10, gold=words)
    assert package.repair(sure, "word").notes() == []


@pytest.mark.parametrize("metric", ["ter", "wer"])
def test_estimates_are_measured_without_being_asked(metric: str) -> None:
    texts = {"system": ["b c a d e", "a x c"], "gold": ["a b c d", "a b c"]}
    repair = package.repair(package.evaluate(metric, **texts))
    measured = [each.running_remeasured for each in repair.classes]
    assert len(measured) > 1
    if metric == "wer":  # predictions are exact
        assert measured == [None] * len(measured)
        return
    sets = [[each.name for each in repair.classes[: i + 1]] for i in range(len(measured))]
    assert measured == repair.remeasured(sets)
    assert measured[-1] == 0
    assert all(each.remeasured is None for each in repair.classes)


def test_edits_that_change_no_count_by_themselves() -> None:
    gold = ["boy ( x _ 1 ) AND girl ( x _ 2 )", "boy ( x _ 1 )"]
    run = package.evaluate("cogs", system=["girl ( x _ 2 ) AND boy ( x _ 1 )", gold[1]], gold=gold)
    repair = package.repair(run, check=True)
    (found,) = repair.classes
    assert (found.name, found.delta.f, found.remeasured) == ("order", 0.5, 1.0)
    assert repair.apply()[0] == gold[0]


def test_a_class_is_chosen_for_the_file_that_is_written(files: Path, karat: Any) -> None:
    done = karat("repair", "ud", *ARGS, "--class", "label")
    assert done.returncode == 2
    assert "K303" in done.stderr


def test_a_written_file_that_is_no_tree_is_told(files: Path, karat: Any) -> None:
    """The head of the first word alone is fixed, so both words have each other as head."""
    row = "1\ta\ta\tX\t_\t_\t{}\tdet\t_\t_\n2\tb\tb\tX\t_\t_\t{}\t_\t_\n\n"
    (files / "gold.conllu").write_text(row.format(2, "0\troot"))
    (files / "system.conllu").write_text(row.format(0, "1\tobj"))
    done = karat("repair", "ud", *ARGS, "-o", "some.conllu", "--class", "head")
    assert done.returncode == 0
    assert "warning: the written file cannot be measured: some.conllu:1: " in done.stderr
    assert "is in a cycle" in done.stderr
    done = karat("repair", "ud", *ARGS, "-o", "all.conllu")
    assert (done.returncode, done.stderr) == (0, "")


def test_each_of_several_systems_is_named(files: Path, karat: Any) -> None:
    (files / "right.conllu").write_text(GOLD)
    done = karat("repair", "ud", *ARGS, "right.conllu")
    assert done.returncode == 0, done.stderr
    named = [line for line in done.stdout.splitlines() if line.endswith(".conllu:")]
    assert named == ["system.conllu:", "right.conllu:"]
    assert not any(
        line.endswith(".conllu:") for line in karat("repair", "ud", *ARGS).stdout.split("\n")
    )
