"""A selection takes the same items of both sides, for every metric, as if the others were not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from karat.engine import evaluate, verify
from karat.errors import PairingError
from metric_files import KINDS, TESTED, Files, files_of, write_passages


@pytest.fixture(params=TESTED)
def metric(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def files(metric: str) -> Files:
    return files_of(metric)


Measure = Callable[..., list[tuple[str, list[float]]]]


@pytest.fixture
def measure(metric: str, files: Files, tmp_path: Path) -> Measure:
    write_passages(tmp_path)

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


BROKEN = {
    "jsonl": "{", "mrp": '{"id": "3", "nodes": [', "amr": "# ::id 3\n(b / bark-01 :ARG0 (d /",
    "conllu": "# sent_id = 3\n1\tIt\tit\tPRON\tPRP\t_\t9\tx\t_\t_\n"
    "2\tis\tbe\tVERB\tVBZ\t_\t0\troot\t_\t_",
    "clf": "b1 REF", "sbn": "dog.n.01 Agent -7",
}  # fmt: skip


def test_what_is_wrong_with_other_items_is_not_told(
    metric: str, files: Files, tmp_path: Path
) -> None:
    """Neither does it end the run, nor is it counted as left out."""
    if files.suffix not in BROKEN or metric in ("ud", "elas"):  # whose sentences are aligned
        return
    paths = [files.write(tmp_path, "gold", files.gold)] if files.gold else []
    system = files.write(tmp_path, "system", [*files.system[:3], BROKEN[files.suffix]])
    found = [
        evaluate(metric, system=system, gold=paths, format_options={"n": 2}, on_error=on_error)
        for on_error in ("skip", "auto")
    ]
    assert [(len(each), each.skipped, each.warnings) for each in found] == [(2, 0, [])] * 2


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
