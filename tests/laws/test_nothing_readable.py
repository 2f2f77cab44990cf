"""Zeros are never silent: wrong format, wrong framework, nothing readable end with an error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from karat.core.pairing.sides import readable_kinds
from karat.core.plugins import METRICS, own_rows
from karat.core.registry import metric_class
from karat.engine import evaluate
from karat.errors import KaratError

VECTORS = str(Path(__file__).parents[1] / "support" / "vectors.txt")


def _graph(name: str, framework: str, label: str | None = "bark") -> str:
    nodes = [{"id": 0, "label": label, "anchors": [{"from": 0, "to": 3}]},
             {"id": 1, "label": "dog", "anchors": [{"from": 4, "to": 7}]}]  # fmt: skip
    graph = {"id": name, "flavor": 0, "framework": framework, "input": "The dog", "tops": [0]}
    filled = {"nodes": nodes, "edges": [{"source": 0, "target": 1, "label": "ARG1"}]}
    return json.dumps(graph | filled if label else graph | {"tops": []}) + "\n"


def _mrp(framework: str, label: str | None = "bark") -> str:
    return _graph("1", framework, label) + _graph("2", framework, label)


AMR = "# ::id 1\n(b / bark-01 :ARG0 (d / dog))\n\n# ::id 2\n(c / cat :mod (b / big))\n"
CLAUSES = 'b1 REF x1\nb1 dog "n.01" x1\n\nb1 REF x1\nb1 cat "n.01" x1\n'
SBN = "dog.n.01\n\ncat.n.01\n"
TREE = "1\ta\t_\tNOUN\tNN\t_\t0\troot\t0:root\t_\n2\tb\t_\tNOUN\tNN\t_\t1\tdep\t1:dep\t_\n\n"
PASSAGE = (Path(__file__).parents[2] / "examples" / "graphs" / "mini.xml").read_text("utf-8")
FORMS = "A dog ran\tdog ( x _ 1 ) AND run . agent ( x _ 2 , x _ 1 )\tx\n" * 2
VARFREE = "A dog ran\trun ( agent = dog )\tx\n" * 2

# For each kind of items: the suffix and text of gold, and what a system may give in its place,
# under a suffix of its own where the format is guessed by it.
KINDS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "text": (".txt", "the dog\na big cat\n", {
        "empty": "\n\n", "blank": " \n\t \n", "no UTF-8": b"\xff\xff\n\xff\n",
        "wrong format": (".jsonl", "the dog\na big cat\n"), "nothing": "",
        "no text": (".jsonl", '{"id": "1"}\n{"id": "2"}\n'),
    }),
    "graph": (".mrp", _mrp("dm"), {
        "no nodes": _mrp("dm", None), "other framework": _mrp("psd"), "broken": "{\n{\n",
        "broken with ids": '{"id": "1", "tops": [7]}\n{"id": "2", "tops": [7]}\n',
        "wrong format": AMR, "other files": _graph("8", "dm") + _graph("9", "dm"),
        "another notation": (".amr", AMR), "nothing": "",
    }),
    "amr": (".amr", AMR, {
        "broken": "# ::id 1\n(((\n\n# ::id 2\n(((\n", "without ids": "(((\n\n(((\n", "nothing": "",
        "no graphs": "# ::id 1\n\n# ::id 2\n", "wrong format": _mrp("amr"),
        "other files": AMR.replace("::id ", "::id 9"), "a tree": TREE,
    }),
    "passage": (".xml", PASSAGE, {
        "broken": "<a><b>", "no passage": "<a/>", "nothing": "", "wrong format": AMR,
        "other files": PASSAGE.replace('passageID="', 'passageID="9'),
    }),
    "drs": (".clf", CLAUSES, {
        "broken": "b1 REF\n\nb1 REF\n", "nothing": "", "wrong format": AMR,
    }),
    "sbn": (".sbn", SBN, {"broken": "dog\n\ncat\n", "nothing": "", "wrong format": CLAUSES}),
    "tree": (".conllu", TREE * 2, {
        "broken": "1\ta\n\n1\ta\n\n", "nothing": "", "wrong format": AMR,
        "heads that are no words": TREE.replace("\t0\t", "\t7\t") * 2,
    }),
    "logic": (".tsv", FORMS, {
        "ill-formed": FORMS.replace("dog (", "dog (("), "empty": "A dog ran\t\tx\n" * 2,
        "other notation": VARFREE, "nothing": "", "wrong format": AMR,
        "prose": "A dog ran\tthe dog ran away\tx\n" * 2,
    }),
}  # fmt: skip

GOLD = {"basic-elements": "bark|dog|subj\ncat|big|mod\n"}
OPTIONS = {"rouge-we": f"rouge-we(vectors={VECTORS!r})"}
# Other programs, models and data beside texts: these read files as their neighbours do.
LEFT_OUT = {
    "pyramid-score", "qa", "bertscore", "moverscore", "supert", "external", "bleurt", "bartscore",
    "blanc", "qa-eval", "sumqe", "lite3pyramid", "apes", "pyreval", "bewte",
}  # fmt: skip


def _cases() -> Iterator[Any]:
    for row in own_rows(METRICS):
        if row.name not in LEFT_OUT:
            for kind in readable_kinds(metric_class(row.name)):
                for case in KINDS[kind][2] if kind in KINDS else ():
                    yield pytest.param(row.name, kind, case, id=f"{row.name}-{kind}-{case}")


@pytest.mark.parametrize(("name", "kind", "case"), list(_cases()))
def test_no_silent_zeros(name: str, kind: str, case: str, tmp_path: Path) -> None:
    suffix, gold, systems = KINDS[kind]
    gold = GOLD.get(name, gold)
    system, ending = systems[case], suffix
    if isinstance(system, tuple):
        ending, system = system
    (tmp_path / f"gold{suffix}").write_text(gold, encoding="utf-8")
    data = system if isinstance(system, bytes) else system.encode()
    (tmp_path / f"system{ending}").write_bytes(data)
    files = {"gold": tmp_path / f"gold{suffix}", "system": tmp_path / f"system{ending}"}
    metric = OPTIONS.get(name, name)
    assert evaluate(metric, gold=files["gold"], system=files["gold"]).scores()
    with pytest.raises(KaratError) as caught:
        evaluate(metric, **files)
    error = caught.value
    assert error.exit_code in (1, 2)
    assert error.code != "K000"
    if case.startswith(("broken", "wrong format", "no passage")):
        # The cause is told, not what follows from it.
        assert error.code not in ("K201", "K202", "K205"), str(error)
    if case == "other framework":
        assert (error.code, "'dm'" in error.message, "'psd'" in error.message) == (
            "K240", True, True,
        )  # fmt: skip
