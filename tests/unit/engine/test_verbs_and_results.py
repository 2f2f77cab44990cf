"""The verbs as calls, and results that people can use: frames, notebooks, pickles."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import karat
from karat.errors import FormatError, OptionError

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
GOLD, CAREFUL, HASTY = (EXAMPLES / "translation" / f"{n}.txt" for n in ("gold", "careful", "hasty"))


def command(*arguments: object) -> Any:
    program = Path(sys.executable).parent / "karat"
    done = subprocess.run(
        [program, *map(str, arguments)], capture_output=True, text=True, check=True, timeout=120
    )
    return json.loads(done.stdout)


def test_compare_is_what_the_command_does() -> None:
    expected = command("compare", "chrf", "-g", GOLD, "-s", CAREFUL, "-s", HASTY, "--json", "-")
    found = karat.compare("chrf", [str(CAREFUL), str(HASTY)], str(GOLD))
    assert json.loads(json.dumps(found.summary())) == expected
    runs = [karat.evaluate("chrf", str(each), str(GOLD)) for each in (CAREFUL, HASTY)]
    assert karat.compare(runs).summary() == found.summary() == karat.compare(*runs).summary()


def test_systems_are_called_what_they_are_called_in_a_mapping() -> None:
    found = karat.compare("chrf", {"ours": str(CAREFUL), "theirs": HASTY}, str(GOLD))
    assert [run.system for run in found.evaluations] == ["ours", "theirs"]
    unnamed = karat.compare("chrf", [CAREFUL, HASTY], GOLD)
    assert found.values == unnamed.values


def test_compare_of_data_in_memory() -> None:
    gold, careful, hasty = (each.read_text().splitlines() for each in (GOLD, CAREFUL, HASTY))
    expected = karat.compare("chrf", [CAREFUL, HASTY], GOLD).summary()["comparisons"][0]
    named = karat.compare("chrf", {"careful": careful, "hasty": hasty}, gold)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"careful": careful, "hasty": hasty, "gold": gold})
    for found in (named, karat.compare("chrf", frame, system=["careful", "hasty"])):
        comparison = found.summary()["comparisons"][0]
        assert comparison["differences"] == expected["differences"]
        assert (comparison["first"], comparison["second"]) == ("careful", "hasty")


WRONG: tuple[tuple[tuple[Any, ...], dict[str, Any], str], ...] = (
    (("chrf", ["no such file", "another"]), {"gold": "gold"}, "K101: there is no such file"),
    (([],), {"jobs": 2}, "K301: ``jobs`` is an option of measuring"),
    (("chrf", 3, 4), {}, "K322: the systems to compare are"),
    (("chrf", {"a": ["x"]}, ["x"]), {}, "K322: a comparison needs at least two"),
    (([3],), {}, "K302: expected an evaluation or the path"),
)


@pytest.mark.parametrize(("data", "options", "message"), WRONG)
def test_wrong_comparisons(data: Any, options: Any, message: str) -> None:
    with pytest.raises((karat.KaratError, TypeError), match=message):
        karat.compare(*data, **options)


def test_reading_and_writing(tmp_path: Path) -> None:
    graphs = karat.read(EXAMPLES / "graphs" / "gold.amr")
    assert [graph.id for graph in graphs] == ["ferry.1", "ferry.2", "ferry.3"]
    karat.write(graphs, tmp_path / "gold.mrp")
    again = karat.read(tmp_path / "gold.mrp")
    assert [graph.nodes for graph in again] == [graph.nodes for graph in graphs]
    assert len(karat.read(EXAMPLES / "graphs" / "gold.amr", n=1)) == 1
    assert karat.read(GOLD) == GOLD.read_text().splitlines()
    with pytest.raises(OptionError, match="K343"):
        karat.write(graphs, tmp_path / "gold.what")
    with pytest.raises(OptionError, match="K310: karat cannot write the format lines"):
        karat.write(["a"], tmp_path / "x", "lines")
    with pytest.raises(OptionError, match="K301: the format amr has no option 'nix'"):
        karat.read(EXAMPLES / "graphs" / "gold.amr", "amr", nix=1)
    (tmp_path / "bad.mrp").write_text("{]\n")
    with pytest.raises(FormatError, match="K120"):
        karat.read(tmp_path / "bad.mrp", "mrp")
    assert karat.read(tmp_path / "bad.mrp", "mrp", on_error="skip") == []


def test_pages_and_saved_runs(tmp_path: Path) -> None:
    runs = [karat.evaluate("chrf", each, GOLD) for each in (CAREFUL, HASTY)]
    runs[0].save(str(tmp_path / "a.run"))
    assert karat.load(tmp_path / "a.run").scores() == runs[0].scores()
    from karat.report.page import PageMaker  # the verb is also the package

    assert PageMaker
    karat.report([tmp_path / "a.run", runs[1]], tmp_path / "page.html")
    assert "careful" in (tmp_path / "page.html").read_text()
    with pytest.raises(OptionError, match="K305"):
        karat.report(runs, GOLD)
    memory = karat.evaluate("rouge", ["a dog"], ["a dog barks"])
    karat.report(memory, tmp_path / "memory.html")


def test_metrics_are_those_of_the_command() -> None:
    assert karat.metrics() == command("list", "metrics", "--json")


def _run() -> karat.Evaluation:
    return karat.evaluate(
        "smatch", ["(a / b)", "(a / c)", "(d / e)"], ["(a / b)", "(a / b)", "(d / e)"],
        id=["x", "y", "z"], by={"domain": ["m", "n", "m"], "id": ["1", "2", "3"]},
    )  # fmt: skip


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_items(library: str) -> None:
    pytest.importorskip(library)
    run = _run()
    frame = {"pandas": run.to_pandas, "polars": run.to_polars, "pyarrow": run.to_arrow}[library]()
    columns = {name: list(frame[name].to_numpy()) for name in ("id", "domain", "f", "id (field)")}
    assert columns == {
        "id": ["x", "y", "z"],
        "domain": ["m", "n", "m"],
        "f": [each["f"] for each in run.per_item()],
        "id (field)": ["1", "2", "3"],
    }


def test_frames_of_scores_and_systems() -> None:
    found = karat.compare("chrf", [CAREFUL, HASTY], GOLD)
    table = found.to_columns()
    assert table["rank"] == [1, 2]
    assert table["chrf"] == [each.scores()["chrf"] for each in found.evaluations]
    pairs, one = found.pairs_to_columns(), found.comparisons[0].to_columns()
    assert pairs["difference"] == one["difference"][: len(pairs["difference"])]
    assert pairs["adjusted_p_value"] == [found.adjusted[0]]


def test_intervals_under_dotted_names() -> None:
    run = karat.evaluate(
        "mrp", EXAMPLES / "graphs" / "system.amr", EXAMPLES / "graphs" / "gold.amr"
    )
    intervals = run.confidence()
    assert intervals["labels.f"] == intervals["labels", "f"] is not None


def test_results_can_be_shown_and_pickled() -> None:
    ranking = karat.compare("chrf", [CAREFUL, HASTY], GOLD)
    for result in (_run(), ranking, ranking.comparisons[0]):
        page = result._repr_html_()
        pictures = re.findall(r"<svg.*?</svg>", page)
        assert pictures
        ElementTree.fromstring(f"<div>{page}</div>")  # well-formed
        again = pickle.loads(pickle.dumps(result))
        assert again.summary() == result.summary()
        assert repr(again) == repr(result)
    assert repr(_run()) == "<Evaluation of system by smatch(): 3 items, f 0.8333>"
    assert repr(ranking).startswith("<Ranking by chrf of chrf(): 1. ")


def test_remarks_are_seen_where_a_result_is_shown() -> None:
    """Python prints no warnings of its own: what was left out must not go unseen."""
    passage = (EXAMPLES / "graphs" / "mini.xml").read_text(encoding="utf-8")
    run = karat.evaluate("ucca", [passage, passage], [passage, passage])
    assert len(run.remarks) == 2
    assert repr(run).endswith("; 2 remarks>")
    assert "warning: 1 gold item repeats an id" in run._repr_html_()


def test_what_systems_are_called_is_escaped() -> None:
    run = karat.evaluate("exact", ["a"], ["a"], name="<script>alert(1)</script>")
    assert "<script>" not in run._repr_html_()


def test_every_package_tells_its_names() -> None:
    import karat.graphs
    import karat.logic
    import karat.meta

    for package in (karat, karat.graphs, karat.logic, karat.meta):
        assert set(package.__all__) <= set(dir(package))
        for name in package.__all__:
            assert getattr(package, name) is not None
