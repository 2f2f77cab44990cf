"""Repairs of real files: everything repaired is perfect, valid and still in the system's format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

import karat
from karat.core.scores import leaves

FIRST = {"n": 20}
CASES: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    **{
        f"mrp of {name}": (
            "mrp", f"graphs/sample/{name}/wsj.mrp", f"graphs/perturbed/{name}.wsj.mrp", FIRST
        )
        for name in ("amr", "dm", "psd", "eds", "ucca")
    },
    "amr": ("mrp", "graphs/sample/amr/wsj.amr", "graphs/perturbed/wsj.perturbed.amr", FIRST),
    "penman": ("smatch", "graphs/sample/amr/wsj.amr", "graphs/perturbed/wsj.perturbed.amr", FIRST),
    "dm": ("sdp", "graphs/sample/dm/wsj.sdp", "graphs/perturbed/dm.wsj.sdp", FIRST),
    "psd": ("mrp", "graphs/sample/psd/wsj.sdp", "graphs/perturbed/psd.wsj.sdp", FIRST),
    "eds": ("edm", "graphs/score/eds/wsj.pet.eds", "graphs/perturbed/wsj.pet.eds", FIRST),
    "ucca": (
        "ucca-mrp", "graphs/sample/ucca/xml/files.txt", "graphs/perturbed/ucca-xml/files.txt", {}
    ),
    "edm of eds": ("edm", "graphs/sample/eds/wsj.mrp", "graphs/perturbed/eds.wsj.mrp", FIRST),
    "ptg": ("mrp", "graphs/handmade/ptg.gold.mrp", "graphs/handmade/ptg.system.mrp", {}),
    **{
        name: ("ud", f"dependencies/{name}.gold.conllu", f"dependencies/{name}.test.conllu", {})
        for name in ("ud-random", "ud-small")
    },
    "other words": (
        "mrp", "dependencies/ud-small.gold.conllu", "dependencies/ud-small.test.conllu", {}
    ),
    "other texts": (
        "mrp", "dependencies/figure51.ref.conllu", "dependencies/figure51.hyp.conllu", {}
    ),
    "order of nodes": (
        "smatch", "graphs/score/lpps.mrp", "graphs/perturbed/dm.lpps.mrp", {"framework": ("dm",)}
    ),
    "lf-tsv": (
        "cogs", "logical-forms/gen-sample.tsv", "logical-forms/gen-sample.mixed.tsv", {}
    ),
}  # fmt: skip


def headline(run: karat.Evaluation) -> float:
    found = dict(leaves(run.scores()))[tuple(run.metric.about.headline.split("."))]
    assert isinstance(found, (int, float))
    return found


@pytest.mark.parametrize("name", CASES)
def test_everything_repaired_is_perfect_and_valid(
    name: str, shared: Path, tmp_path: Path, validated: Any
) -> None:
    metric, gold, system, options = CASES[name]
    paths = {side: str(shared / "data" / path) for side, path in (("gold", gold), ("s", system))}
    run = karat.evaluate(metric, system=paths["s"], gold=paths["gold"], format_options=options)
    repair = karat.repair(run, top=2, check=True)
    for each in repair.classes:
        assert each.remeasured is not None
        if repair.claim == "equal":
            assert each.remeasured == pytest.approx(repair.before.f + each.delta.f, abs=1e-12)
        elif repair.claim == "at least":
            assert each.remeasured >= repair.before.f + each.delta.f - 1e-12
    written = str(tmp_path / "repaired")
    repair.write(written)
    assert run.inputs is not None
    format = next(each.format for each in run.inputs.files if each.role == "system")
    again = karat.evaluate(
        metric, system=written, gold=paths["gold"], format=format, format_options=options
    )
    assert (headline(again), len(again)) == (1, len(run))
    assert validated(written, format) == 0


@pytest.fixture
def validated(karat: Any) -> Any:
    """The status of ``karat validate``."""

    def status(path: str, format: str) -> int:
        # Texts in PENMAN notation are read as graphs there.
        done = karat("validate", "--from", "amr" if format == "penman" else format, path)
        return int(done.returncode)

    return status


def test_figures_of_the_specification(shared: Path) -> None:
    """DM: node labels, then edge labels and missing edges; predicted and measured again."""
    data = shared / "data" / "graphs"
    run = karat.evaluate(
        "mrp",
        system=str(data / "perturbed/dm.wsj.sdp"),
        gold=str(data / "sample/dm/wsj.sdp"),
    )
    repair = karat.repair(run)
    for chosen in (["label relabel"], ["edge relabel", "edge add"]):
        numbers = [repair.effects.place[name] for name in chosen]
        predicted = repair.effects.figures(numbers).f
        (measured,) = repair.remeasured([chosen])
        assert measured == pytest.approx(predicted, abs=1e-12)
        assert predicted > repair.before.f


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("mini.camr", "camr"),
        ("mini.conllu", "ud"),
        ("mini.conllu", "eud"),
        ("mini.treex", "treex"),
    ],
)
def test_formats_without_a_system_of_their_own(
    name: str, format: str, shared: Path, tmp_path: Path
) -> None:
    """An edge of each graph, or where rules forbid that a node, has another label."""
    gold = str(shared / "data" / "graphs" / "handmade" / name)
    damaged = []
    for graph in karat.read(gold, format=format):
        part = "edges" if format in ("ud", "eud") else "nodes"
        first, *rest = getattr(graph, part)
        changed = msgspec.structs.replace(first, label=f"{first.label}x")
        damaged.append(msgspec.structs.replace(graph, **{part: (changed, *rest)}))
    system, repaired = (str(tmp_path / each) for each in ("system", "repaired"))
    karat.write(damaged, system, format)
    run = karat.evaluate("mrp", system=system, gold=gold, format=format, gold_format=format)
    assert headline(run) < 1
    karat.repair(run).write(repaired)
    again = karat.evaluate("mrp", system=repaired, gold=gold, format=format, gold_format=format)
    assert headline(again) == 1
