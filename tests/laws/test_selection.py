"""A selection takes the same items of both sides, for every metric, as if the others were not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from karat.core.plugins import METRICS, rows
from karat.core.registry import metric_class
from karat.core.sides import readable_kinds
from karat.engine import evaluate, verify
from karat.errors import PairingError

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

# Selection is done before a metric sees anything, so those that need a program or a model
# are told apart by nothing that matters here.
NEEDS_MORE = {
    "external", "bleurt", "bartscore", "blanc", "qa-eval", "sumqe", "lite3pyramid", "apes",
    "pyreval", "bewte", "bertscore", "moverscore", "supert", "rouge-we", "qa",
    "basic-elements", "pyramid-score",
    "scores",  # has no gold
}  # fmt: skip


class Files(NamedTuple):
    """The items of two files, in order, and how they are written."""

    gold: list[str]
    system: list[str]
    suffix: str
    joint: str = "\n"
    has_ids: bool = True

    def write(self, folder: Path, name: str, items: list[str]) -> Path:
        path = folder / f"{name}.{self.suffix}"
        path.write_text("".join(item + self.joint for item in items), encoding="utf-8")
        return path


def amr(*concepts: str) -> list[str]:
    return [
        f"# ::id {i}\n(b / bark-01 :ARG0 (d / {concept}) :polarity -)"
        for i, concept in enumerate(concepts)
    ]


def graph(framework: str, *labels: str) -> list[str]:
    return [
        json.dumps(
            {
                "id": str(i),
                "framework": framework,
                "flavor": 0 if framework == "dm" else 1,
                "input": "so it is",
                "tops": [0],
                "nodes": [
                    {"id": 0, "label": label, "anchors": [{"from": 0, "to": 2}]},
                    {"id": 1, "label": "it", "anchors": [{"from": 3, "to": 5}]},
                ],
                "edges": [{"source": 0, "target": 1, "label": "ARG1"}],
            }
        )
        for i, label in enumerate(labels)
    ]


def conllu(*labels: str) -> list[str]:
    return [
        f"# sent_id = {i}\n1\tIt\tit\tPRON\tPRP\t_\t2\t{label}\t2:{label}\t_\n"
        "2\tis\tbe\tVERB\tVBZ\t_\t0\troot\t0:root\t_"
        for i, label in enumerate(labels)
    ]


def texts(*summaries: str) -> list[str]:
    return [
        json.dumps(
            {
                "id": str(i),
                "summary": summary,
                "references": ["the dog barks at a cat"],
                "documents": ["the dog barks at a cat and the cat runs away"],
            }
        )
        for i, summary in enumerate(summaries)
    ]


def clauses(*nouns: str) -> list[str]:
    return [f'b1 REF x1\nb1 {noun} "n.01" x1' for noun in nouns]


def forms(*agents: str) -> list[str]:
    return [f"Someone slept .\tsleep . agent ( x _ 1 , {agent} )\tin" for agent in agents]


A, B = ("dog", "cat", "cow", "pig"), ("dog", "dog", "cow", "cat")
SBN = (
    [f"{noun}.n.01\nbark.v.01 Agent -1" for noun in A],
    [f"{noun}.n.01\nbark.v.01 Agent -1" for noun in B],
)
KINDS = {
    "text": Files([], texts("the dog", "a dog barks", "no", "a cat"), "jsonl"),
    "amr": Files(amr(*A), amr(*B), "amr", "\n\n"),
    "graph": Files(graph("eds", *A), graph("eds", *B), "mrp"),
    "tree": Files(
        conllu("nsubj", "obj", "x", "y"), conllu("nsubj", "nsubj", "y", "y"), "conllu", "\n\n"
    ),
    "drs": Files(clauses(*A), clauses(*B), "clf", "\n\n", has_ids=False),
    "sbn": Files(*SBN, "sbn", "\n\n", has_ids=False),
    "logic": Files(forms("Ann", "Bo", "Cy", "Di"), forms("Ann", "Ann", "Cy", "Cy"), "tsv",
                   has_ids=False),
    "record": Files(
        [f'{{"id": "{i}", "gold": {{"a": {i}, "name": "f"}}}}' for i in range(1, 5)],
        [f'{{"id": "{i}", "output": {{"a": {i % 3}, "name": "f"}}}}' for i in range(1, 5)],
        "jsonl",
    ),
    "span": Files(
        [f'{{"id": "{i}", "spans": [["A", 0, {i}]]}}' for i in range(1, 5)],
        [f'{{"id": "{i}", "spans": [["A", 0, {1 + i % 3}]]}}' for i in range(1, 5)],
        "jsonl",
    ),
    "passage": Files([f"{i}.xml" for i in range(4)], [f"{i}.xml" for i in range(4)], "list"),
}  # fmt: skip
SPECIAL = {
    "sdp": Files(graph("dm", *A), graph("dm", *B), "mrp"),
    "ucca-mrp": Files(graph("ucca", *A), graph("ucca", *B), "mrp"),
}
TESTED = [
    name for name, row in rows(METRICS).items() if row.package == "karat" and name not in NEEDS_MORE
]


@pytest.fixture(params=TESTED)
def metric(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def files(metric: str) -> Files:
    return SPECIAL.get(metric) or KINDS[readable_kinds(metric_class(metric))[0]]


Measure = Callable[..., list[tuple[str, list[float]]]]


@pytest.fixture
def measure(metric: str, files: Files, tmp_path: Path) -> Measure:
    for i in range(4):
        text = (EXAMPLES / "graphs" / "mini.xml").read_text(encoding="utf-8")
        (tmp_path / f"{i}.xml").write_text(text.replace('passageID="p.1"', f'passageID="p.{i}"'))

    def measured(
        gold: list[str], system: list[str], **options: object
    ) -> list[tuple[str, list[float]]]:
        paths = [files.write(tmp_path, "gold", gold)] if files.gold else []
        system_path = files.write(tmp_path, "system", system)
        found = evaluate(metric, system=system_path, gold=paths, format_options=options)
        assert not [each for each in found.warnings if "item" in each]
        found.save(str(tmp_path / "a.run"))
        verify(str(tmp_path / "a.run"))
        return list(zip(found.ids, found.counts.tolist(), strict=True))

    return measured


def test_the_first_ones_are_those_of_files_cut_short(files: Files, measure: Measure) -> None:
    cut = measure(files.gold[:2], files.system[:2])
    assert len(cut) == 2
    assert measure(files.gold, files.system, n=2) == cut


def test_one_item_by_its_place(files: Files, measure: Measure) -> None:
    whole = measure(files.gold, files.system)
    assert measure(files.gold, files.system, i=2) == whole[2:3]
    assert measure(files.gold, files.system, i=0) == whole[:1]


def test_items_by_their_ids(files: Files, measure: Measure) -> None:
    whole = measure(files.gold, files.system)
    wanted = (whole[1][0], whole[3][0])
    if files.has_ids:
        assert measure(files.gold, files.system, id=wanted) == [whole[1], whole[3]]
    else:
        with pytest.raises(PairingError, match=r"K203: .*none of its 4 items is chosen"):
            measure(files.gold, files.system, id=("1",))


def test_the_order_of_the_system_does_not_matter(
    metric: str, files: Files, measure: Measure
) -> None:
    """Gold says which items are the first ones."""
    if not files.has_ids or files.suffix in ("conllu", "list") or not files.gold:
        return
    whole = measure(files.gold, files.system)
    assert measure(files.gold, files.system[::-1], n=2) == whole[:2]
    assert measure(files.gold, files.system[::-1], i=3) == whole[3:]


def test_files_of_two_formats(tmp_path: Path) -> None:
    """Where one side is read as graphs, both are."""
    amrs = KINDS["amr"]
    gold, system = (
        amrs.write(tmp_path, name, items)
        for name, items in (("gold", amrs.gold), ("system", amrs.system))
    )
    plain = evaluate("smatch", system=system, gold=gold, format_options={"n": 2})
    other = evaluate("smatch", system=system, gold=gold, format="amr", format_options={"n": 2})
    assert len(other) == 2
    assert other.scores()["instances"] == plain.scores()["instances"]


def test_the_signature_names_the_selection(tmp_path: Path) -> None:
    texts_of = KINDS["text"]
    path = texts_of.write(tmp_path, "system", texts_of.system)
    plain, chosen = (
        evaluate("rouge", system=path, format_options=options).signature()
        for options in ({}, {"n": 2})
    )
    assert chosen == plain.replace("jsonl", "jsonl(n=2)")
