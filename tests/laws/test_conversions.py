"""What ``karat convert`` writes, ``karat validate`` accepts: for every pair of formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from karat.core.commands import Job, kinds_of, verb_class
from karat.core.files.opener import Source
from karat.core.pairing.pairs import Report
from karat.core.plugins import FORMATS, own_rows
from karat.core.reading.streams import Stream
from karat.core.registry import format_class, guess_kind
from karat.errors import FormatError

EXAMPLES = Path(__file__).parents[2] / "examples"
GRAPHS = {
    "mrp": "graphs/*.mrp",
    "amr": "graphs/*.amr",
    "camr": "graphs/*.camr",
    "eds": "graphs/*.eds",
    "ucca": "graphs/*.xml",
    "ud": "graphs/*.conllu",
    "eud": "graphs/*.conllu",
    "pmb": "graphs/*.pmb",
    "treex": "graphs/*.treex",
    "norec": "graphs/*.norec.json",
    "dm": "graphs/mini.dm.sdp",
}
INVALID = ("validate.mrp", "normalize.gold.mrp", "normalize.system.mrp", "pairing.gold.mrp")
"""Examples that are not valid to begin with."""
TREES = {"conllu": "dependencies/*.conllu", "ned": "dependencies/*.f*"}
FORMS = {"lf-tsv": "forms/gold.tsv"}


def findings(kind: str, name: str, path: Path) -> list[Any]:
    """The errors that validation, as strict as can be, finds in a file."""
    strict = {} if kind == "graph" else {"strict": True}
    verb = verb_class("validate", kind)(**strict)
    document = verb.answer(Job([Stream(path, [kind], "input", name)])).document
    found = document["findings"] if kind == "graph" else document["problems"]
    return [each for each in found if getattr(each, "level", "error") == "error"]


def converted(kind: str, name: str, source: Path, target: str, folder: Path) -> Path | None:
    """The file that ``karat convert --on-error skip`` writes; None where it has nothing in it."""
    writer = format_class(target)()
    job = Job([Stream(source, [kind], "input", name)], writer=writer, report=Report("skip"))
    output = folder / f"output.{target}"
    kept = []
    for value in verb_class("convert", kind)().convert(job):
        try:
            with output.open("wb") as stream:
                format_class(target)().write([value], stream)
        except FormatError:
            continue
        kept.append(value)
    with output.open("wb") as stream:
        writer.write(kept, stream)
    return output if kept else None


def _cases() -> list[Any]:
    cases = []
    for kind, sources in (("graph", GRAPHS), ("tree", TREES), ("logic", FORMS)):
        targets = [r.name for r in own_rows(FORMATS) if r.kind == kind and r.reads and r.writes]
        for name, pattern in sources.items():
            paths = [each for each in sorted(EXAMPLES.glob(pattern)) if each.name not in INVALID]
            assert paths
            cases += [
                pytest.param(kind, name, path, target, id=f"{path.name}:{name}-{target}")
                for path in paths
                for target in targets
            ]
    return cases


@pytest.mark.parametrize(("kind", "name", "source", "target"), _cases())
def test_what_is_converted_is_valid(
    kind: str, name: str, source: Path, target: str, tmp_path: Path
) -> None:
    output = converted(kind, name, source, target, tmp_path)
    if output is None:
        return
    # A sentence that the source does not have cannot be written.
    graphs = kind == "graph" and format_class(name)().read(Source(source))
    without_text = {item.value.id for item in graphs or () if not item.value.input}
    wrong = [
        finding
        for finding in findings(kind, target, output)
        if kind != "graph" or finding.check != "input" or finding.graph not in without_text
    ]
    assert wrong == []


@pytest.mark.parametrize("kind", kinds_of("validate"))
def test_a_file_with_nothing_in_it_is_not_valid(kind: str, tmp_path: Path) -> None:
    names = {"graph": "mrp", "tree": "conllu", "logic": "lf-tsv", "record": "json-records"}
    path = tmp_path / "nothing"
    path.touch()
    verb = verb_class("validate", kind)()
    answer = verb.answer(Job([Stream(path, [kind], "input", names[kind])]))
    assert answer.failed
    assert f"{path}: " in answer.text
    assert "there are no" in answer.text


@pytest.mark.parametrize("name", ["a.conllu", "a.f2", "a.f1", "a.conll"])
def test_trees_are_known_to_validate_and_analyze(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    ten = "1\tI\ti\t_\t_\t_\t2\tnsubj\t_\t_\n2\tr\tr\t_\t_\t_\t0\troot\t_\t_\n"
    texts = {"a.f1": "2\n0\n", "a.f2": "I\tPRP\t2\nrun\tVBP\t0\n"}
    path.write_text(texts.get(name, ten))
    assert guess_kind(["tree", "graph", "logic"], Source(path)).kind == "tree"


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("lf-jsonl", '{"id":"1","lf":"cat ( x _ 1 )","gold":"dog ( x _ 1 )","type":""}\n'),
        ("tag-columns", "a\tB-X\tB-Y\nb\tI-X\tO\n\n"),
        ("json-records", '{"id":"1","output":{"a":1},"gold":{"a":2}}\n'),
        ("json-records", '{"id":"1","output":[1.50],"references":[{"a":2},"no"]}\n'),
    ],
)
def test_gold_beside_the_output_is_kept(format: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "given"
    path.write_text(text)
    output = converted(format_class(format).kind, format, path, format, tmp_path)
    assert output is not None
    assert output.read_text() == text
