"""karat audit: findings, the list for annotators, verdicts, the page, wrong use; planted errors."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest

import karat as package
from commands import Karat
from karat.core.capabilities import ABSTAINS, Audits, has
from karat.core.reading.doors import native_pairs
from karat.core.shown import Arcs, Kind
from karat.report.audits import tables, view_of
from karat.trees.model import Tree
from metric_examples import EXAMPLES

ROOT = Path(__file__).resolve().parents[2]
FILES = [f"{ROOT}/examples/audit/{name}.conllu" for name in ("gold", "a", "b", "c")]
FOUND = [("s17", "head", "happy(5)", "doctor(6)"), ("s5", "label", "doctor(6)", "obj")]
"""The two errors in this gold, and what is right."""


@pytest.mark.parametrize("metric", ["attachment", "ud"])
def test_planted_errors_are_found(karat: Karat, metric: str, tmp_path: Path) -> None:
    done = karat("audit", metric, "-g", FILES[0], "-s", *FILES[1:], "--json", "-", "-q")
    document = json.loads(done.stdout)
    found = [
        (each["id"], each["part"]["kind"], each["part"]["where"], each["suggestion"])
        for each in document["findings"]
    ]
    assert found == FOUND
    assert [each["id"] for each in document["items"]] == ["s17", "s5"]
    assert document["parts"] > 200
    assert [each["name"] for each in document["systems"]] == FILES[1:]
    assert document["shared_errors"][0][0] == 1.0


def test_the_prior_moves_all_evidence_alike_and_top_cuts_the_list() -> None:
    gold, *systems = FILES
    usual = package.audit("attachment", systems, gold)
    doubtful = package.audit("attachment", systems, gold, prior=0.1)
    # From odds of 1 to 99 to odds of 1 to 9.
    evidence = {(each.id, each.where): each.evidence for each in doubtful.suspects}
    for each in usual.findings:
        assert evidence[each.id, each.where] - each.evidence == pytest.approx(math.log10(11))
    assert len(doubtful.findings) >= len(usual.findings) == 2
    assert [each["id"] for each in usual.to_dict(top=1)["findings"]] == ["s17"]
    assert usual.to_dict(top=1)["flagged"] == 2


def test_items_are_ranked_by_their_strongest_finding_then_by_the_sum() -> None:
    labels = ["a", "root", "b", "c", "d"]

    def tree(*others: int) -> Tree:
        found = ["a" if i in others else label for i, label in enumerate(labels)]
        return Tree.of([2, 0, 2, 2, 2], deprels=found, forms=list("vwxyz"))

    # Each system errs once alone. All say that gold is wrong in the last four items: in those of
    # b and c as they do elsewhere, which is less of a surprise than the one of d.
    own = [[tree(1) if s == i else tree() for i in range(3)] for s in range(3)]
    agreed = [tree(2), tree(2, 3), tree(3), tree(4)]
    right = [tree()] * 400
    systems = [[*alone, *right, *agreed] for alone in own]
    found = package.audit("attachment(keep_punct=True)", systems, [tree()] * 407)
    assert [(each[0] - 403, each[3]) for each in found.items] == [(3, 1), (1, 2), (0, 1), (2, 1)]
    usual, rare = (3 * math.log10(199 / q) - math.log10(99 / q) for q in (4 / 8, 1 / 5))
    assert [each[2] for each in found.items] == pytest.approx([rare, usual, usual, usual])


def test_tables_call_systems_by_their_files(karat: Karat) -> None:
    done = karat("audit", "attachment", "-g", FILES[0], "-s", *FILES[1:], "-q")
    assert f"{ROOT}" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_table_says_who_agrees_and_what_is_not_shown(karat: Karat) -> None:
    files = ("-g", FILES[0], "-s", *FILES[1:], "-q")
    done = karat("audit", "attachment", *files, "--prior", "0.3")
    lines = [line.split() for line in done.stdout.splitlines()]
    rows = [line for line in lines if line[:2] in (["1", "s17"], ["3", "s8"])]
    assert [row[:4] for row in rows] == [
        ["1", "s17", "head", "happy(5)"],
        ["3", "s8", "label", "farmer(2)"],
    ]
    assert [row[6:-1] for row in rows] == [["all"], ["b.conllu,", "c.conllu"]]
    found = package.audit("attachment", FILES[1:], FILES[0])
    assert "1 weaker finding is not on this page" in view_of(found, 1).warnings
    assert not view_of(found).warnings


@pytest.mark.parametrize("metric", ["attachment(keep_punct=True)", "ud"])
def test_agreement_on_a_head_says_less_in_a_short_sentence(metric: str) -> None:
    """Where a word has one other possible head, systems that err there have to agree."""

    def tree(words: int, head: int) -> Tree:
        heads = [2, 0, *[2] * (words - 2)]
        forms = [f"w{i}" for i in range(words)]
        return Tree.of([head, *heads[1:]], forms=forms, deprels=["x"] * words)

    lengths = [3, 9, *[6] * 30]
    gold = [tree(words, 2) for words in lengths]
    same = [tree(words, 3 if words != 6 else 2) for words in lengths]
    # Errors of their own, so that no two systems are copies of each other.
    systems = {str(n): [*same[: 2 + n], tree(6, 4), *same[3 + n :]] for n in range(3)}
    found = package.audit(metric, systems, gold)
    short, long = (next(e for e in found.suspects if e.position == i) for i in (0, 1))
    assert (len(short.systems), len(long.systems)) == (3, 3)
    # Of three votes and of the prior: q is 1 in place of 1/5.
    evidence = found.evidence
    wanted = (sum(evidence.weights) - 1) * math.log10(5)
    for s in range(3):  # accuracies are those on the other items, which are not the same
        right = [evidence.accuracy(s, "head", item) for item in (1, 0)]
        odds = [math.log10(each / (1 - each)) for each in right]
        wanted += evidence.weights[s] * (odds[0] - odds[1])
    assert long.evidence - short.evidence == pytest.approx(wanted)


def test_the_list_comes_back_with_verdicts(karat: Karat, tmp_path: Path) -> None:
    files = ("-g", FILES[0], "-s", *FILES[1:])
    path = tmp_path / "suggestions.tsv"
    assert karat("audit", "attachment", *files, "--write-suggestions", str(path)).returncode == 0
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[1] + "yes", lines[2] + "no"]) + "\n")
    done = karat("audit", "attachment", *files, "--verdicts", str(path), "--json", "-", "-q")
    document = json.loads(done.stdout)
    assert document["judged"] == 2
    # Wilson's interval of 1 in 2, by its formula: 0.5 ± 1.96 / 2.9207 * sqrt(1/8 + 3.8415/16).
    assert document["precision"] == pytest.approx(
        {"value": 0.5, "low": 0.0945, "high": 0.9055}, abs=5e-5
    )
    # One head of gold is another now: each system, which has it, gains one word of 144.
    assert document["corrected"]["applied"] == 1
    for each in document["corrected"]["systems"]:
        assert each["after"] - each["before"] == pytest.approx(1 / 144)
    # What no edit of gold makes is told.
    found = package.audit("attachment", FILES[1:], FILES[0], verdicts=path)
    document = found.to_dict()
    for applied in (1, 0):
        document["corrected"]["applied"] = applied
        text = "\n".join(line for each in tables(found, document) for line in each.lines())
        told = "0 of 1 accepted finding could be put into gold" in text
        assert told == (applied == 0)
    path.write_text("\n".join([lines[0], lines[1] + "perhaps"]) + "\n")
    done = karat("audit", "attachment", *files, "--verdicts", str(path))
    assert (done.returncode, "K111" in done.stderr) == (1, True)


def test_the_page_holds_the_findings(karat: Karat, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = karat("audit", "attachment", "-g", FILES[0], "-s", *FILES[1:], "--report", str(page))
    assert done.returncode == 0, done.stderr
    assert page.stat().st_size > 50_000


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["attachment", "-g", FILES[0], "-s", FILES[1]], "K322"),
        (["bleu", "-g", FILES[0], "-s", *FILES[1:]], "K399"),
        (["ud,attachment", "-g", FILES[0], "-s", *FILES[1:]], "K322"),
        (["ud", "-g", FILES[0], "-s", *FILES[1:], "--verdicts", "none.tsv"], "K101"),
    ],
)
def test_wrong_use(karat: Karat, arguments: list[str], code: str) -> None:
    done = karat("audit", *arguments)
    assert done.returncode in (1, 2)
    assert code in done.stderr
    assert "Traceback" not in done.stderr


def test_systems_are_several() -> None:
    for wrong in (FILES[1], Path(FILES[1]), 5, None):
        with pytest.raises(package.OptionError, match="``systems`` must be a list or a mapping"):
            package.audit("attachment", wrong, FILES[0])  # type: ignore[arg-type]
    with pytest.raises(package.OptionError, match="K322: an audit needs at least two systems"):
        package.audit("attachment", FILES[1:2], FILES[0])


def test_two_systems_are_warned_of_and_other_items_refused() -> None:
    gold, *systems = FILES
    both = package.audit("attachment", systems[:2], gold)
    assert [each for each in both.notes() if each.startswith("two systems tell little")]
    assert len(package.audit("attachment", systems, gold).notes()) == 1
    fewer = package.evaluate("attachment", systems[1], gold, format_options={"n": 20})
    with pytest.raises(package.PairingError, match=r"K209.* not measured on the same items"):
        package.audit("attachment", [package.evaluate("attachment", systems[0], gold), fewer], gold)


def test_most_suspects_in_a_damaged_gold_are_planted() -> None:
    draw = random.Random(3)
    labels = ["nsubj", "obj", "obl", "det", "amod", "advmod"]
    clean = []
    for _ in range(120):
        size = draw.randint(5, 12)
        heads = [0, *(draw.randint(1, i) for i in range(1, size))]
        clean.append((heads, [draw.choice(labels) for _ in heads]))

    def damaged(rate: float) -> tuple[list[Tree], set[tuple[int, int]]]:
        trees, changed = [], set()
        for number, (heads, relations) in enumerate(clean):
            made = list(relations)
            for i in range(len(made)):
                if draw.random() < rate:
                    made[i] = draw.choice([each for each in labels if each != made[i]])
                    changed.add((number, i + 1))
            trees.append(Tree.of(heads, forms=["w"] * len(heads), deprels=made))
        return trees, changed

    systems = [damaged(rate)[0] for rate in (0.12, 0.14, 0.16)]
    gold, planted = damaged(0.03)
    found = package.audit("attachment(keep_punct=True)", systems, gold)
    places = [(each.position, int(each.where[2:-1])) for each in found.suspects]
    size = len(planted)
    assert sum(each in planted for each in places[:size]) >= 0.85 * size
    flagged = [(each.position, int(each.where[2:-1])) for each in found.findings]
    assert sum(each in planted for each in flagged) >= 0.75 * len(flagged)
    assert len(flagged) <= 2 * size


AUDITED = [(name, row) for name, row in EXAMPLES.items() if has(package.parse(row[0][0]), Audits)]


@pytest.mark.parametrize(("name", "row"), AUDITED, ids=[name for name, _ in AUDITED])
def test_an_item_agrees_with_itself(name: str, row: object) -> None:
    """For every metric that audits: gold read against itself has the same value at every slot."""
    (text, *_), examples = row[0], row[1]  # type: ignore[index]
    metric = package.parse(text)
    if getattr(metric, "unrepairable", ""):
        pytest.skip(metric.unrepairable)
    for _, gold in examples:
        (reading,) = metric.readings(native_pairs(metric, [gold], [gold]))
        for values in reading.values():
            assert values.gold == values.system or values.system == ABSTAINS
            assert values.gold is not None


def test_lists_with_any_characters_are_read_again(tmp_path: Path) -> None:
    from karat.engine.audit import _COLUMNS, _line, read_verdicts

    cells = ["a\rb", 'q"x\ty', "line\nend", "", "\u2028"]
    rows = [[cell, "kind", "where", "gold", cell, "s", "1.00", "yes"] for cell in cells]
    path = tmp_path / "list.tsv"
    path.write_bytes("".join(map(_line, [_COLUMNS, *rows])).encode())
    assert read_verdicts(path) == {(cell, "kind", "where", cell): True for cell in cells}


def test_the_part_in_question_is_marked_in_both_drawings() -> None:
    first = view_of(package.audit("attachment", FILES[1:], FILES[0])).items[0]
    marked = [
        [(arc.source, arc.target, arc.label, arc.kind) for arc in picture.content.arcs if arc.kind]
        for picture in (first.gold, first.consensus)
        if picture is not None and isinstance(picture.content, Arcs)
    ]
    ignored = (2, 6, "punct", Kind.IGNORED)
    # "happy" depends on "follows" in gold, on "doctor" for the systems.
    assert marked == [
        [(2, 4, "amod", Kind.MISSING), ignored],
        [(5, 4, "amod", Kind.SURPLUS), ignored],
    ]


def test_a_copy_of_a_system_is_told_and_is_no_third_one() -> None:
    gold, a, b, c = FILES
    two = "two systems tell little"
    copied = package.audit("attachment", {"a": a, "b": b, "c": a}, gold).notes()
    assert "c says the same as a" in copied
    assert any(note.startswith(two) for note in copied)
    three = package.audit("attachment", {"a": a, "b": b, "c": c}, gold).notes()
    assert not any(note.startswith(two) or "says the same" in note for note in three)


def test_a_system_given_twice_moves_no_finding() -> None:
    gold, *systems = FILES
    once = package.audit("attachment", systems, gold)
    evidence = {(each.id, each.where, each.suggestion): each.evidence for each in once.suspects}
    for again in systems:
        twice = package.audit("attachment", [*systems, again], gold)
        assert [each.where for each in twice.findings] == [each.where for each in once.findings]
        assert evidence == pytest.approx(
            {(each.id, each.where, each.suggestion): each.evidence for each in twice.suspects}
        )
        assert sum(each["weight"] for each in twice.systems) == pytest.approx(
            sum(each["weight"] for each in once.systems)
        )


def test_a_list_that_is_written_again_keeps_its_verdicts(tmp_path: Path) -> None:
    gold, *systems = FILES
    path = tmp_path / "list.tsv"
    package.audit("attachment", systems, gold).write(path)
    head, first, second = path.read_text().splitlines()
    path.write_text(f"{head}\n{first}accepted\n{second}n\n")
    again = package.audit("attachment", systems, gold, verdicts=path)
    again.write(tmp_path / "again.tsv")
    assert (tmp_path / "again.tsv").read_text() == f"{head}\n{first}yes\n{second}no\n"
