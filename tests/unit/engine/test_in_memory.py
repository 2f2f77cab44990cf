"""`evaluate` for lists, mappings, columns, frames and data sets: as for files with the content."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import FormatError, KaratError, OptionError, PairingError, VerificationError

SYSTEMS = ["the dog barks", "a cat sleeps now", "the end is near", "birds sing"]
GOLDS = ["the dog barks loudly", "a cat sleeps", "the end is here", "birds sing"]
NAMES = ["a", "b", "c", "d"]
DOMAINS = ["x", "y", "x", "y"]
COLUMNS = {"mt": SYSTEMS, "ref": GOLDS, "name": NAMES, "domain": DOMAINS}
CHOICE: Any = {"system": "mt", "gold": "ref", "id": "name", "by": "domain"}
AMR = "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))"
OTHER = "(w / want-01 :ARG0 (g / girl))"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    keys = zip(NAMES, SYSTEMS, GOLDS, DOMAINS, strict=True)
    records = [{"id": i, "text": s, "gold": g, "domain": d} for i, s, g, d in keys]
    Path("both.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return tmp_path


class Capsule:
    """Anything that offers an Arrow stream."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def _frame(kind: str, columns: dict[str, Any]) -> Any:
    if kind == "pandas":
        return pytest.importorskip("pandas").DataFrame(columns)
    if kind == "polars":
        return pytest.importorskip("polars").DataFrame(columns)
    if kind == "dataset":
        return pytest.importorskip("datasets").Dataset.from_dict(columns)
    table = pytest.importorskip("pyarrow").table(columns)
    return Capsule(table) if kind == "capsule" else table


FRAMES = ("pandas", "polars", "arrow", "capsule", "dataset")
each_frame = pytest.mark.parametrize("kind", FRAMES)


@pytest.mark.usefixtures("files")
@each_frame
@pytest.mark.parametrize("metric", ["bleu", "exact", "rouge"])
def test_a_frame_gives_what_a_file_gives(kind: str, metric: str) -> None:
    expected = karat.evaluate(metric, system="both.jsonl")
    found = karat.evaluate(metric, _frame(kind, COLUMNS), **CHOICE)
    np.testing.assert_array_equal(found.counts, expected.counts)
    assert (found.scores(), found.ids, found.groups) == (
        expected.scores(),
        expected.ids,
        expected.groups,
    )
    assert found.by("domain") == expected.by("domain")
    assert found.system == "mt"
    assert found.signature().endswith("|format:memory")


@each_frame
def test_references_are_lists_or_several_columns(kind: str) -> None:
    both = [[gold, "another"] for gold in GOLDS]
    expected = karat.evaluate("bleu", SYSTEMS, both)
    columns = {"mt": SYSTEMS, "refs": both, "r1": GOLDS, "r2": ["another"] * 4}
    frame = _frame(kind, columns)
    for gold in ("refs", ["r1", "r2"]):
        found = karat.evaluate("bleu", frame, system="mt", gold=gold)
        np.testing.assert_array_equal(found.counts, expected.counts)


@each_frame
def test_what_lies_within_a_column(kind: str) -> None:
    frame = _frame(kind, {"mt": SYSTEMS, "answers": [{"text": [gold]} for gold in GOLDS]})
    found = karat.evaluate("bleu", frame, system="mt", gold="answers.text")
    np.testing.assert_array_equal(found.counts, karat.evaluate("bleu", SYSTEMS, GOLDS).counts)


def test_lists_mappings_and_columns_are_one() -> None:
    expected = karat.evaluate("exact", SYSTEMS, GOLDS, id=NAMES, by={"domain": DOMAINS})
    assert expected.ids == NAMES
    assert list(expected.by("domain")) == ["x", "y"]
    pandas = pytest.importorskip("pandas")
    ours, theirs = dict(zip(NAMES, SYSTEMS, strict=True)), dict(zip(NAMES, GOLDS, strict=True))
    turned = dict(reversed(ours.items()))
    for system, gold in (
        (tuple(SYSTEMS), iter(GOLDS)),
        (np.array(SYSTEMS, object), pandas.Series(GOLDS)),
        (turned, theirs),
    ):
        found = karat.evaluate("exact", system, gold)
        np.testing.assert_array_equal(found.counts, expected.counts)


def test_two_frames_are_paired_by_id() -> None:
    pandas = pytest.importorskip("pandas")
    gold = pandas.DataFrame({"name": NAMES[::-1], "ref": GOLDS[::-1]})
    found = karat.evaluate(
        "exact", pandas.DataFrame(COLUMNS), gold, system="mt", gold="ref", id="name"
    )
    assert found.ids == NAMES[::-1]
    assert found.scores() == {"accuracy": 0.25}


def test_records_are_read_like_json_lines(files: Path) -> None:
    records = [json.loads(line) for line in Path("both.jsonl").read_text().splitlines()]
    found, expected = karat.evaluate("bleu", records), karat.evaluate("bleu", system="both.jsonl")
    np.testing.assert_array_equal(found.counts, expected.counts)
    assert (found.ids, found.groups) == (expected.ids, expected.groups)


@pytest.mark.parametrize("metric", ["smatch", "mrp", "sembleu", "smatchpp"])
def test_graphs_of_every_make(metric: str, tmp_path: Path) -> None:
    penman = pytest.importorskip("penman")
    from karat.graphs.formats.amr import Amr

    for name, text in (("system", OTHER), ("gold", AMR)):
        (tmp_path / f"{name}.amr").write_text(f"# ::id 1\n{text}\n\n# ::id 2\n{AMR}\n")
    expected = karat.evaluate(metric, tmp_path / "system.amr", tmp_path / "gold.amr")
    makes: dict[str, Any] = {"penman": penman.decode, "string": str}
    if metric in ("mrp", "smatch"):
        makes["graph"] = Amr().of_text
        makes["networkx"] = lambda text: Amr().of_text(text).to_networkx()
    for make in makes.values():
        found = karat.evaluate(metric, [make(OTHER), make(AMR)], [AMR, make(AMR)], id=["1", "2"])
        np.testing.assert_array_equal(found.counts, expected.counts)
        assert found.ids == expected.ids
        assert karat.parse(metric).score(make(OTHER), make(AMR)) == expected.per_item()[0]


def test_ids_in_the_notation_pair_graphs() -> None:
    one, two = f"# ::id 1\n{AMR}", f"# ::id 2\n{OTHER}"
    for metric in ("smatch", "mrp"):
        found = karat.evaluate(metric, [two, one], [one, two])
        assert found.ids == ["1", "2"]
        assert set(karat.evaluate(metric, [one, two], [one, two]).counts.ravel()) == set(
            found.counts.ravel()
        )


@pytest.mark.parametrize("metric", ["smatch", "mrp", "sembleu", "sema", "s2match", "amr-fine"])
def test_an_unclosed_graph_is_an_error_in_every_score(metric: str) -> None:
    with pytest.raises(FormatError, match=r"K124: .*'\(' is never closed"):
        karat.parse(metric).score(AMR[:-1], AMR)
    found = karat.evaluate(metric, [AMR[:-1]], [AMR])  # as in files, where readers close it
    assert found.warnings == ["system: 1 graph lacks ')' at the end: '1'"]


def test_trees_as_conllu() -> None:
    conllu = pytest.importorskip("conllu")
    row = "{}\t{}\t_\t_\tNN\t_\t{}\t{}\t_\t_\n"
    gold = row.format(1, "dogs", 2, "nsubj") + row.format(2, "bark", 0, "root")
    system = row.format(1, "dogs", 0, "root") + row.format(2, "bark", 1, "obj")
    from karat.trees.model import Tree

    tree = Tree.of([2, 0], forms=["dogs", "bark"], xpos=["NN", "NN"], deprels=["nsubj", "root"])
    for metric in ("attachment", "ud", "ned"):
        (parsed,) = conllu.parse(gold + "\n")
        scores = karat.parse(metric).score(system, gold)
        assert scores == karat.parse(metric).score(system, parsed)
        assert scores == karat.parse(metric).score(system, tree)
        assert scores == karat.evaluate(metric, [system], [parsed]).scores()


def test_logical_forms_in_memory() -> None:
    from karat.logic import parse

    text = "* cat ( x _ 1 ) ; run . agent ( x _ 2 , x _ 1 )"
    records = [{"gold": text, "sentence": "The cat ran", "type": "easy"}]
    for gold in (text, parse(text)):
        assert karat.parse("lf-exact").score(text, gold) == karat.parse("lf-exact").score(
            text, text
        )
    assert karat.evaluate("lf-exact", [text], records).groups == {"type": ["easy"]}


BAD_ROWS = (
    (
        "exact",
        ["a", 3],
        ["a", "b"],
        r"^system\[1\]: FormatError K146: exact takes a string, .*int 3",
    ),
    ("exact", ["a", "b"], ["a", None], r"^gold\[1\]: FormatError K146: there is no reference"),
    ("exact", ["a", None], ["a", "b"], r"^system\[1\]: FormatError K146: there is no output"),
    ("mrp", [AMR, "no graph"], [AMR, AMR], r"system\[1\]: FormatError K146: this is not a graph"),
    ("mrp", [AMR, "a.xml\nb.xml"], [AMR, AMR], r"system\[1\]: FormatError K128: this is not XML"),
    ("attachment", ["x"], ["x"], r"^gold\[0\]"),
    ("bleu", {"a": "x"}, {"a": 1.5}, r"^gold\['a'\]: FormatError K146: bleu takes .* float 1.5"),
    ("bleu", [{"text": "x"}], [{"nothing": "y"}], r"^gold\[0\]: FormatError K111: .*no text"),
)


@pytest.mark.parametrize(("metric", "system", "gold", "message"), BAD_ROWS)
def test_bad_rows_are_named(metric: str, system: Any, gold: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        karat.evaluate(metric, system, gold, on_error="fail")


@each_frame
def test_bad_rows_of_frames_are_named_or_left_out(kind: str) -> None:
    columns = {**COLUMNS, "mt": ["the dog barks", None, "the end is near", "birds sing"]}
    frame = _frame(kind, columns)
    with pytest.raises(FormatError, match=r"^frame\['mt'\]\[1\]: FormatError K146: .*no output"):
        karat.evaluate("exact", frame, **CHOICE)
    found = karat.evaluate("exact", frame, **CHOICE, on_error="skip")
    assert (found.skipped, found.ids) == (1, ["a", "c", "d"])


def test_mixed_types_in_a_column_are_named_by_row() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"mt": ["a", 7], "ref": ["a", "b"]})
    with pytest.raises(FormatError, match=r"^frame\['mt'\]\[1\]: FormatError K146.*found int 7"):
        karat.evaluate("exact", frame, system="mt", gold="ref")


WRONG_FRAMES: tuple[tuple[dict[str, Any], dict[str, Any], str], ...] = (
    ({"mt": [], "ref": []}, {"system": "mt", "gold": "ref"}, "K393: the frame has no rows"),
    (COLUMNS, {"system": "mr", "gold": "ref"}, "K393: the frame has no column 'mr'"),
    (COLUMNS, {"system": "mt", "gold": "gold"}, "no column 'gold'"),
    (COLUMNS, {"system": "mt", "gold": "ref", "id": "nix"}, "no column 'nix'"),
    (COLUMNS, {"system": "mt", "gold": "ref", "by": "nix"}, "no column 'nix'"),
    (COLUMNS, {"gold": "ref"}, "no column is known to hold the system's output"),
    ({"output": ["a"], "text": ["b"], "gold": ["a"]}, {}, "may be any of 'output', 'text'"),
    ({"output": ["a"], "target": ["b"], "gold": ["a"]}, {}, "gold may be any of 'gold', 'target'"),
    ({"output": ["a"], "gold": ["a"], "id": [0.5]}, {}, r"frame\['id'\]\[0\].*id must be a string"),
)


@pytest.mark.parametrize(("columns", "options", "message"), WRONG_FRAMES)
def test_frames_that_do_not_fit(columns: Any, options: Any, message: str) -> None:
    with pytest.raises(KaratError, match=message):
        karat.evaluate("exact", _frame("pandas", columns), **options)


def test_known_names_need_not_be_given() -> None:
    frame = _frame("pandas", {"prediction": SYSTEMS, "reference": GOLDS, "id": [4, 5, 6, 7]})
    found = karat.evaluate("exact", frame)
    assert (found.ids, found.system) == (["4", "5", "6", "7"], "prediction")


WRONG_CALLS: tuple[tuple[tuple[Any, ...], dict[str, Any], str], ...] = (
    ((), {}, "K303: there is no system"),
    ((3, 4), {}, "K393: system: expected a path, a list, a column or a data frame; found int 3"),
    ((SYSTEMS, GOLDS), {"gold": GOLDS}, "K393: gold is given twice"),
    ((SYSTEMS, GOLDS), {"system": "x"}, "K393: the system is given twice"),
    ((SYSTEMS, GOLDS), {"id": "name"}, "K393: ``id`` names a column"),
    ((SYSTEMS, GOLDS), {"by": "name"}, "K393: ``by`` names columns"),
    ((SYSTEMS, GOLDS), {"id": NAMES[:2]}, "K393: there are 4 items, and 2 values of 'id'"),
    (("file.txt", "gold.txt"), {"id": "name"}, "K393: ``id`` is for data in memory"),
    (("file.txt",), {"by": "x"}, r"K393: ``by`` is for data in memory.*\n.*by\('FIELD'\)"),
    (("file.txt",), {"name": "x"}, r"K393: ``name`` is for data in memory.*\n.*name of the file"),
    ((set(SYSTEMS), GOLDS), {}, "K393: system: a set has no order"),
    ((3,), {"system": "x"}, "K393: data: expected a path, a list, a column or a data frame"),
    (({"mt": SYSTEMS, "ref": GOLDS[:2]},), CHOICE, "K393: the columns have 2 to 4 values"),
)


@pytest.mark.parametrize(("data", "options", "message"), WRONG_CALLS)
def test_wrong_calls(data: Any, options: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        karat.evaluate("exact", *data, **options)


def test_what_pandas_has_in_another_order_is_not_paired_by_place() -> None:
    pandas = pytest.importorskip("pandas")
    ours, theirs = pandas.Series(SYSTEMS, NAMES), pandas.Series(GOLDS, NAMES)[::-1]
    frame = pandas.DataFrame(COLUMNS).set_index("domain", append=True)
    for system, gold, options in (
        (ours, theirs, {}),
        (frame, frame["ref"][::-1], {"system": "mt"}),
        (frame, frame[::-1], {"system": "mt", "gold": "ref"}),
    ):
        with pytest.raises(OptionError, match=r"K393: .* same index in another order"):
            karat.evaluate("exact", system, gold, **options)
    expected = karat.evaluate("exact", ours, theirs[::-1]).scores()
    named = karat.evaluate("exact", frame, frame[::-1], system="mt", gold="ref", id="name")
    assert named.scores() == expected


def test_columns_are_named_once_and_by_numbers_too() -> None:
    pyarrow, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    twice = pyarrow.Table.from_arrays([SYSTEMS, GOLDS, GOLDS], ["mt", "ref", "ref"])
    with pytest.raises(OptionError, match="two columns 'ref'"):
        karat.evaluate("exact", twice, system="mt", gold="ref")
    found = karat.evaluate("exact", pandas.DataFrame({0: SYSTEMS, 1: GOLDS}), system=0, gold=1)
    assert (found.system, found.scores()) == ("0", {"accuracy": 0.25})
    index = pandas.DataFrame(COLUMNS).set_index("name").index
    assert karat.evaluate("exact", SYSTEMS, GOLDS, id=index).ids == NAMES


def test_splits_and_streams_of_data_sets_are_refused() -> None:
    datasets = pytest.importorskip("datasets")
    frame = datasets.Dataset.from_dict(COLUMNS)
    with pytest.raises(OptionError, match="several splits: 'test'"):
        karat.evaluate("exact", datasets.DatasetDict(test=frame), **CHOICE)
    with pytest.raises(OptionError, match="cannot be counted"):
        karat.evaluate("exact", frame.to_iterable_dataset(), **CHOICE)


def test_lists_of_different_length() -> None:
    with pytest.raises(PairingError, match="K202"):
        karat.evaluate("exact", SYSTEMS, GOLDS[:2])


def test_any_number_of_workers_and_any_executor() -> None:
    frame = _frame("pandas", {name: column * 200 for name, column in COLUMNS.items()})
    options = {**CHOICE, "id": None}
    one = karat.evaluate("edit-distance", frame, **options)
    two = karat.evaluate("edit-distance", frame, **options, jobs=2)
    with ProcessPoolExecutor(1) as pool:
        other = karat.evaluate("edit-distance", frame, **options, executor=pool)
    for found in (two, other):
        np.testing.assert_array_equal(found.counts, one.counts)
        assert found.groups == one.groups


def test_items_can_be_looked_at_while_they_are_in_memory(tmp_path: Path) -> None:
    from karat.engine.look import look

    found = karat.evaluate("rouge", SYSTEMS, GOLDS)
    assert [seen.pair.system for seen in look(found, [1, 3])] == [SYSTEMS[1], SYSTEMS[3]]
    found.save(str(tmp_path / "run"))
    loaded = karat.Evaluation.load(str(tmp_path / "run"))
    assert loaded.scores() == found.scores()
    with pytest.raises(VerificationError, match="K602: the run was made from data in memory"):
        list(look(loaded))
    with pytest.raises(VerificationError, match="K602: the run was made from data in memory"):
        karat.verify(str(tmp_path / "run"))


def test_systems_with_other_gold_cannot_be_compared() -> None:
    one, two = karat.evaluate("exact", SYSTEMS, GOLDS), karat.evaluate("exact", GOLDS, SYSTEMS)
    with pytest.raises(PairingError, match=r"K209: .*not measured against the same gold"):
        one.compare(two)
    assert one.compare(karat.evaluate("exact", GOLDS, GOLDS))["accuracy"].difference == -0.75


def test_an_evaluation_can_be_pickled() -> None:
    found = karat.evaluate("bleu", SYSTEMS, GOLDS)
    again = pickle.loads(pickle.dumps(found))
    assert again.summary() == found.summary()


def test_frames_need_no_arrow() -> None:
    """pandas has its own strings where pyarrow is not installed."""
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import karat, pandas\n"
        "frame = pandas.DataFrame({'mt': ['a b', 'c'], 'gold': ['a b', 'd']})\n"
        "print(karat.evaluate('exact', frame, system='mt', gold='gold').scores()['accuracy'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout.strip(), done.returncode) == ("0.5", 0), done.stderr


@pytest.mark.parametrize("metric", ["bleu", "chrf", "rouge", "squad", "ter", "exact"])
def test_lists_of_references_are_measured_as_the_records_of_a_file(
    metric: str, tmp_path: Path
) -> None:
    """Also where they have ids and groups, and where some are single strings."""
    polars = pytest.importorskip("polars")
    several = metric != "exact"
    rows = [
        {
            "id": f"s{i}",
            "output": f"the {i % 7} dog barks",
            "references": [f"the {i % 5} dog barks", "a dög"][: 1 + (several and i % 2)],
            "part": f"p{i % 3}",
        }
        for i in range(50)
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    wanted = karat.evaluate(metric, path)
    frame = polars.DataFrame(rows)
    found = karat.evaluate(metric, frame, id="id", by="part")
    assert found.counts.tolist() == wanted.counts.tolist()
    assert (found.ids, found.groups["part"]) == (wanted.ids, wanted.groups["part"])
    mixed = [
        row["references"] if i % 3 or len(row["references"]) > 1 else row["references"][0]
        for i, row in enumerate(rows)
    ]
    again = karat.evaluate(metric, [row["output"] for row in rows], mixed)
    assert again.counts.tolist() == wanted.counts.tolist()


@pytest.mark.parametrize(
    ("wrong", "code"), [([], "K211"), ([None], "K146"), ([3], "K146"), (None, "K146")]
)
def test_a_bad_list_of_references_is_named(wrong: Any, code: str) -> None:
    with pytest.raises(KaratError, match=code):
        karat.evaluate("bleu", ["a", "b"], [["a"], wrong])


@each_frame
def test_scores_in_columns_are_those_of_the_same_table_in_a_file(kind: str, tmp_path: Path) -> None:
    """All columns of numbers, or one of them for each system; gaps are left out per score."""
    columns = {
        "id": NAMES, "acc": [1, 0, 1, 1], "f": [0.5, None, 7.5, 1.0], "part": DOMAINS,
        "other": [0, 0, 1, 1],
    }  # fmt: skip
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame(columns).to_csv(tmp_path / "scores.csv", index=False)
    wanted = karat.evaluate("scores", tmp_path / "scores.csv")
    frame = _frame(kind, columns)
    found = karat.evaluate("scores", frame, by="part")
    assert found.scores() == wanted.scores()
    assert (found.ids, found.groups["part"]) == (wanted.ids, wanted.groups["part"])
    assert found.confidence() == wanted.confidence()
    both = karat.compare("scores", frame, system=["acc", "other"])
    assert (both.score, both.values) == ("score", [0.75, 0.5])
    assert karat.evaluate("scores", columns["acc"]).scores()["score"] == 0.75
    with pytest.raises(KaratError, match="no column holds numbers; columns: 'part'"):
        karat.evaluate("scores", _frame(kind, {"part": DOMAINS}))


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("json", {"a": 10**30}),
        ("json", {"a": "\ud800"}),
        ("json", 10**30),
        ("tool-calls", {"name": "f", "arguments": {"x": 10**30}}),
        ("spans", [("\ud800", 0, 1)]),
    ],
)
def test_what_json_can_say_is_measured_and_told_apart(metric: str, value: Any) -> None:
    """Numbers of any size, and half surrogate pairs, as ``json.loads`` gives them."""
    runs = [
        karat.evaluate(metric, [each], [each]) for each in (value, deepcopy(value), GOOD[metric])
    ]
    assert 1.0 in runs[0].scores().values()
    assert runs[0].inputs == runs[1].inputs != runs[2].inputs


GOOD: dict[str, Any] = {
    "json": {"a": 1},
    "tool-calls": {"name": "f", "arguments": {}},
    "spans": [("A", 0, 1)],
}


def deep() -> list[Any]:
    found: list[Any] = []
    for _ in range(100_000):
        found = [found]
    return found


@pytest.mark.parametrize("value", [10**5000, deep(), {"a": deep()}, {"a": 10**5000}], ids=range(4))
@pytest.mark.parametrize("metric", ["json", "tool-calls", "spans", "exact", "smatch", "mrp"])
def test_values_that_cannot_be_shown_are_refused(metric: str, value: Any) -> None:
    with pytest.raises(KaratError):
        karat.evaluate(metric, [value], [value])
    with pytest.raises(KaratError):
        karat.evaluate("exact", ["a"], ["a"], id=[value])


@pytest.mark.parametrize("beside", [{"id": []}, {"by": {"x": []}}, {"by": {"x": ["a"]}}])
def test_fewer_ids_or_groups_than_items_are_refused(beside: Any) -> None:
    with pytest.raises(OptionError, match=r"K393: there are 2 items, and [01] values of"):
        karat.evaluate("exact", ["a", "b"], ["a", "b"], **beside)
