"""What is said where nothing could be read, or nothing could match."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karat.engine import evaluate
from karat.errors import FormatError, KaratError, OptionError, PairingError

AMR = "# ::id 1\n(b / bark-01 :ARG0 (d / dog))\n\n# ::id 2\n(c / cat)\n"
HEADER = "#SDP 2015\n"
DM = """#1
1\tdogs\tdog\tNNS\t-\t-\t_\tARG1
2\tbark\tbark\tVBP\t+\t+\tv:e-i\t_
"""
COGS = "A dog ran\tdog ( x _ 1 ) AND run . agent ( x _ 2 , x _ 1 )\tx\n"
VARFREE = "A dog ran\trun ( agent = dog )\tx\n"


@pytest.fixture
def files(tmp_path: Path) -> Any:
    def write(**texts: str) -> dict[str, Any]:
        for name, text in texts.items():
            (tmp_path / name.replace("_", ".")).write_text(text, encoding="utf-8")
        return {name.partition("_")[0]: tmp_path / name.replace("_", ".") for name in texts}

    return write


def _graph(name: str, framework: str, nodes: int = 1) -> str:
    content = [{"id": i, "label": "x"} for i in range(nodes)]
    return json.dumps({"id": name, "framework": framework, "nodes": content}) + "\n"


def _error(metric: str, paths: dict[str, Any], **options: Any) -> KaratError:
    with pytest.raises(KaratError) as caught:
        evaluate(metric, **paths, **options)
    return caught.value


# -- labels -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "found"),
    [
        ("sdp(labels=('ARG1',))", 1),
        ("sdp(labels=('arg1',))", 1),
        ("sdp(labels=('ARG1',), normalize=())", 1),
    ],
)
def test_labels_are_compared_as_those_of_edges_are(metric: str, found: int, files: Any) -> None:
    run = evaluate(metric, **files(gold_sdp=HEADER + DM, system_sdp=HEADER + DM))
    (label,) = run.scores()["by_label"].values()
    assert [label[name] for name in "gsc"] == [found] * 3


def test_unknown_labels(files: Any) -> None:
    paths = files(gold_sdp=HEADER + DM, system_sdp=HEADER + DM)
    error = _error("sdp(labels=('ARG9', 'loc'))", paths)
    assert isinstance(error, OptionError)
    assert str(error) == (
        "OptionError K392: no dependency of gold or system has the label 'ARG9', 'loc'\n"
        "``by='label'`` shows the labels that there are"
    )
    some = evaluate("sdp(labels=('ARG9', 'ARG1'))", **paths)
    assert some.remarks == ["no dependency has the label 'ARG9'"]
    # Without case folding, case counts.
    assert _error("sdp(labels=('arg1',), normalize=())", paths).code == "K392"


# -- frameworks and formats ---------------------------------------------------


@pytest.mark.parametrize("metric", ["mrp", "smatch", "edm", "sdp"])
def test_another_framework(metric: str, files: Any) -> None:
    paths = files(gold_mrp=_graph("1", "dm"), system_mrp=_graph("1", "psd"))
    error = _error(metric, paths)
    assert error.headline == (
        f"{paths['system']}: PairingError K240: the ids are those of gold, but no item is of the "
        "same kind: gold has 'dm', the system has 'psd'"
    )


def test_some_of_another_framework(files: Any) -> None:
    paths = files(
        gold_mrp=_graph("1", "dm") + _graph("2", "dm"),
        system_mrp=_graph("1", "dm") + _graph("2", "psd"),
    )
    run = evaluate("mrp", **paths)
    assert run.warnings[0] == "1 system item has no gold item of their kind ('psd'): '2' (ignored)"


def test_another_format(files: Any) -> None:
    paths = files(gold_amr=AMR, system_amr=AMR)
    error = _error("smatch", paths, format="mrp")
    assert error.headline == (
        f"{paths['system']}:1: FormatError K120: none of the 4 system items can be read: "
        "this is not JSON: JSON is malformed: invalid character (byte 0)"
    )
    assert error.advice == "if the file has another format, name it with ``format``"


def test_a_broken_file_shows_its_parse_error(files: Any) -> None:
    paths = files(gold_mrp=_graph("1", "dm"), system_mrp='{"id": "1", "nodes": [')
    error = _error("mrp", paths)
    assert error.headline == (
        f"{paths['system']}:1: FormatError K120: the only system item cannot be read: "
        "this is not JSON: Input data was truncated"
    )


def test_an_empty_file(files: Any) -> None:
    error = _error("mrp", files(gold_mrp=_graph("1", "dm"), system_mrp=""))
    assert error.code == "K203"
    assert error.message.startswith("there are no system items")


# -- nothing in it ------------------------------------------------------------


def test_forms_of_another_notation(files: Any) -> None:
    paths = files(gold_tsv=COGS * 2, system_tsv=VARFREE * 2)
    for metric in ("cogs", "lf-exact", "lf-bleu", "lf-edit-distance", "lf-well-formed"):
        error = _error(metric, paths)
        assert error.headline.startswith(
            f"{paths['system']}: PairingError K241: all 2 system items are unreadable: cogs forms "
            "are expected, and the first is ill-formed at offset"
        ), metric
        assert error.advice == "this is a form of varfree: karat convert makes one of the other"
    assert _error("cogs(dialect='varfree')", files(gold_tsv=VARFREE, system_tsv=COGS)).advice == (
        "this is a form of cogs and slog: karat convert makes one of the other"
    )
    # One that can be read is a result.
    mixed = evaluate("cogs", **files(gold_tsv=COGS * 2, system_tsv=VARFREE + COGS))
    assert mixed.scores()["exact_match"]["rate"] == 0.5


@pytest.mark.parametrize("metric", ["bleu", "js", "ter", "edit-distance", "rouge", "exact"])
def test_empty_texts(metric: str, files: Any) -> None:
    error = _error(metric, files(gold_txt="a\nb\n", system_txt="\n \n"))
    assert (error.code, error.message) == ("K241", "all 2 system items are empty")
    assert evaluate(metric, **files(gold_txt="a\nb\n", system_txt="\nb\n")).scores()


@pytest.mark.parametrize("metric", ["bleu", "js", "ter", "edit-distance", "rouge", "exact"])
def test_empty_gold_is_no_silent_zero(metric: str, files: Any) -> None:
    run = evaluate(metric, **files(gold_txt="\n \n", system_txt="a\nb\n"))
    assert "all items of gold are empty, and those of the system are not" in run.remarks
    half = evaluate(metric, **files(gold_txt="\nb\n", system_txt="a\nb\n"))
    assert not any("empty" in each for each in half.remarks)


def test_where_nothing_is_wanted_nothing_is_right(files: Any) -> None:
    assert evaluate("exact", **files(gold_txt="\n\n", system_txt="\n\n")).scores() == {
        "accuracy": 1.0
    }


def test_ids_in_another_case_are_named_where_items_may_be_missing(files: Any) -> None:
    one, other = "# ::id a1\n(c / cat)\n\n", "# ::id b2\n(d / dog)\n"
    run = evaluate(
        "smatch", **files(gold_amr=one + other, system_amr=one + other.replace("b2", "B2"))
    )
    assert any("the system has 'B2': ids are case-sensitive" in each for each in run.remarks)
    run = evaluate("smatch", **files(gold_amr=one + other, system_amr=one))
    assert not any("case-sensitive" in each for each in run.remarks)


def test_options_that_choose_nothing(files: Any) -> None:
    alone = "# ::id 1\n(c / cat)\n"
    error = _error("smatch(only='relations')", files(gold_amr=alone, system_amr=alone))
    assert isinstance(error, PairingError)
    assert error.headline == (
        "PairingError K242: smatch(only='relations') finds nothing to count, neither in gold nor "
        "in what the system gave"
    )


def test_how_many_could_not_be_read(files: Any) -> None:
    broken = AMR + "\n# ::id 3\n(((\n\n# ::id 4\n(((\n"
    gold = AMR + "\n# ::id 3\n(a / ant)\n\n# ::id 4\n(a / ape)\n"
    run = evaluate("smatch", **files(gold_amr=gold, system_amr=broken))
    assert [warning.partition(":")[0] for warning in run.warnings] == [
        "counted as nothing", "counted as nothing", "2 of 4 system items could not be read",
    ]  # fmt: skip


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_unreadable_item_is_named_before_a_gap_that_it_may_explain(
    jobs: int, tmp_path: Path
) -> None:
    gold, system = tmp_path / "gold.tsv", tmp_path / "system.tsv"
    gold.write_text("a cat\tcat ( x _ 1 )\tprimitive\n")
    system.write_text("a cat\tcat ( x _ 1 )\n" * 3)
    with pytest.raises(FormatError, match="K172: the line has 2 tab-separated columns"):
        evaluate("lf-exact", system=system, gold=gold, jobs=jobs)
