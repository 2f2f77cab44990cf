"""``karat convert`` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import Karat

AMR = """\
# ::id one
# ::snt The dog barks.
(b / bark-01 :ARG0 (d / dog))

# ::id two
(x / broken :ARG0 )

# ::id three
(s / sleep-01)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.amr").write_text(AMR)
    return tmp_path


def test_formats_are_told_from_names(karat: Karat, folder: Path) -> None:
    done = karat("convert", "a.amr", "-o", "a.mrp", "--on-error", "skip")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("warning: left out: a.amr:6:13: FormatError K124: item 'two'")
    graphs = [json.loads(line) for line in (folder / "a.mrp").read_text().splitlines()]
    assert [graph["id"] for graph in graphs] == ["one", "three"]
    assert graphs[0]["edges"] == [{"id": 0, "source": 0, "target": 1, "label": "ARG0"}]


def test_a_broken_graph_ends_it_and_leaves_no_file(karat: Karat, folder: Path) -> None:
    done = karat("convert", "a.amr", "-o", "a.mrp")
    assert done.returncode == 1
    assert done.stderr.splitlines()[:3] == [
        "a.amr:6:13: FormatError K124: item 'two': the role :ARG0 has no value",
        "    6 | (x / broken :ARG0 )",
        "      |             ^",
    ]
    assert not (folder / "a.mrp").exists()


def test_through_pipes_and_back(karat: Karat, folder: Path) -> None:
    one = karat("convert", "a.amr", "--to", "mrp", "--id", "one")
    back = karat("convert", "-", "--from", "mrp", "--to", "amr", stdin=one.stdout)
    assert back.stdout.splitlines() == [
        "# ::id one",
        "# ::snt The dog barks.",
        "(b / bark-01",
        "      :ARG0 (d / dog))",
        "",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "mrp", "--year", "2014"], "K301: --year does not apply here: the format amr has"),
        (["--to", "mpr"], "K312: there is no format 'mpr'"),
        ([], "K343: the output is standard output, and no name tells its format"),
        (["--to", "mrp", "--inject", "{1}"], "K340: what to inject is not JSON"),
        (["--to", "mrp", "--inject", '{"id": 1}'], "K340: 'id' must be"),
        (["--to", "mrp", "--overlay", "x"], "K341: --alignment and --overlay go together"),
        (["--to", "tsv"], "K310: karat cannot write the format tsv"),
    ],
)
def test_wrong_use(karat: Karat, folder: Path, arguments: list[str], message: str) -> None:
    done = karat("convert", "a.amr", *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_fields_that_cannot_be_injected_are_named(karat: Karat, folder: Path) -> None:
    inject = '{"ids": 1, "source": "news"}'
    args = ("convert", "a.amr", "--to", "source", "--id", "one", "--inject", inject)
    done = karat(*args)
    assert done.returncode == 0
    assert "'ids' cannot be injected and is ignored; did you mean 'id'?" in done.stderr
    assert done.stdout == "one\tnews\n"


def test_changes_on_the_way(karat: Karat, folder: Path) -> None:
    done = karat(
        "convert", "a.amr", "--to", "mrp", "--id", "one", "--source", "news",
        "--targets", "amr,eds",
        "--inject", '{"language": "eng", "time": "2020-01-01"}', "--normalize", "case",
    )  # fmt: skip
    graph = json.loads(done.stdout)
    assert (graph["source"], graph["targets"]) == ("news", ["amr", "eds"])
    assert (graph["language"], graph["time"]) == ("eng", "2020-01-01")
    assert graph["edges"][0]["label"] == "arg0"


def test_graphs_that_a_format_cannot_hold(karat: Karat, folder: Path) -> None:
    (folder / "a.mrp").write_text(
        '{"id":"whole","tops":[0],"nodes":[{"id":0,"label":"x"}]}\n'
        '{"id":"parts","tops":[0],"nodes":[{"id":0,"label":"x"},{"id":1,"label":"y"}]}\n'
    )
    done = karat("convert", "a.mrp", "--to", "amr", "-o", "b.amr")
    assert done.returncode == 1
    message = (
        "FormatError K126: item 'parts': this graph cannot be written as amr: "
        "the graph falls into 2 parts"
    )
    assert done.stderr.splitlines()[0] == message
    assert not (folder / "b.amr").exists()
    done = karat("convert", "a.mrp", "--to", "amr", "--on-error", "skip")
    assert done.stdout.splitlines() == ["# ::id whole", "(x / x)", ""]
    assert done.stderr == f"warning: left out: {message}\n"


def test_compat_is_told_to_readers_too(karat: Karat, tmp_path: Path) -> None:
    (tmp_path / "a.amr").write_text('# ::id 1\n(a / b :op1 "X" :Op1 "Y" :consist-of (c / d))\n')
    for options, values, normal in (
        ((), ["X", "Y"], None),
        (("--compat", "mtool"), ["y"], "consist"),
    ):
        done = karat("convert", "a.amr", "--to", "mrp", *options)
        record = json.loads(done.stdout)
        assert record["nodes"][0]["values"] == values
        assert record["edges"][0].get("normal") == normal
    row = "\t_\t_\t_\t_\t{}\t_\t_\t_\n"
    rows = "1-2\tab" + row.format("_") + "1\ta" + row.format(2) + "2\tb" + row.format(0)
    (tmp_path / "u.conllu").write_text(rows + "\n")
    analyze = ("analyze", "u.conllu", "--from", "ud", "--json")
    for options, nodes in (((), 2), (("--compat", "mtool"), 3)):
        (found,) = json.loads(karat(*analyze, *options).stdout)
        assert found["statistics"]["nodes"] == nodes
