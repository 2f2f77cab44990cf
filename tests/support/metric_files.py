"""Small files of every kind of item, and the metrics that are measured on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from karat.core.pairing.sides import readable_kinds
from karat.core.plugins import METRICS, rows
from karat.core.registry import metric_class

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

# Files are scanned, selected, paired and handed out before a metric sees anything, so those that
# need a program or a model are told apart by nothing that matters here.
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


def files_of(metric: str) -> Files:
    """Those that a metric is measured on."""
    return SPECIAL.get(metric) or KINDS[readable_kinds(metric_class(metric))[0]]


def write_passages(folder: Path) -> None:
    """The files that lists of passages name."""
    text = (EXAMPLES / "graphs" / "mini.xml").read_text(encoding="utf-8")
    for i in range(4):
        (folder / f"{i}.xml").write_text(text.replace('passageID="p.1"', f'passageID="p.{i}"'))
