"""Records of scores and judgements: reading, merging, matrices."""

from __future__ import annotations

import gzip
import io
import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.scores import MetricsDict
from karat.errors import FormatError, KaratError, OptionError
from karat.meta.comparing import TestMethod, compare_metrics, conjunction, significance
from karat.meta.correlating import correlate
from karat.meta.records import Record, flat_means, read_records, write_records
from karat.meta.table import ScoreTable


def record(item: str, system: str, kind: str = "peer", **metrics: Any) -> Record:
    return Record(item, system, kind, MetricsDict(metrics))  # type: ignore[arg-type]


def test_merge_replaces_names_at_the_top_and_leaves_its_inputs_alone() -> None:
    one, other = record("d", "s", a={"x": 1, "y": 2}, b=3), record("d", "s", a={"x": 5})
    assert one.merge(other).metrics == {"a": {"x": 5}, "b": 3}
    assert one.metrics == {"a": {"x": 1, "y": 2}, "b": 3}
    with pytest.raises(OptionError, match="different outputs"):
        one.merge(record("d", "t"))


def test_table_merges_like_records_and_warns() -> None:
    table = ScoreTable.of([record("d", "s", a={"x": 1, "y": 2}, b=3), record("d", "s", a={"x": 5})])
    assert table.matrices(["a_x", "b"]).values[0].tolist() == [[5.0]]
    with pytest.raises(OptionError, match="no record"):
        table.matrices(["a_y"])
    assert len(table.warnings) == 2  # x was replaced, y is gone


def test_mappings_are_records_as_files_hold_them() -> None:
    rows = [
        {"instance_id": i, "summarizer_id": s, "metrics": {"a": i}} for i in (1, 2) for s in "xy"
    ]
    table = ScoreTable.of(rows)
    assert table.matrices(["a"]).values[0].tolist() == [[1.0, 2.0], [1.0, 2.0]]
    with pytest.raises(FormatError, match=r"records\[4\]: .* K148: \$.metrics must be an object"):
        ScoreTable.of([*rows, {"instance_id": "3"}])


def test_a_name_that_begins_like_another_is_not_replaced_with_it() -> None:
    """rouge-1_jk is a name of its own, not a part of rouge-1."""
    table = ScoreTable.of(
        [
            record("d", "s", **{"rouge-1": {"recall": 1.0}, "rouge-1_jk": {"recall": 2.0}}),
            record("d", "s", **{"rouge-1": {"recall": 3.0}}),
        ]
    )
    found = table.matrices(["rouge-1_recall", "rouge-1_jk_recall"])
    assert [matrix.tolist() for matrix in found.values] == [[[3.0]], [[2.0]]]
    assert len(table.warnings) == 1


@given(st.integers(0, 10**6))
@settings(max_examples=100, deadline=None)
def test_the_table_merges_as_records_do(seed: int) -> None:
    """Any sequence of records: the table holds what merging them one by one gives."""
    draw = random.Random(seed)

    def metrics() -> dict[str, Any]:
        tops = draw.sample(["a", "a_b", "b", "a_b_c"], draw.randint(1, 4))
        return {
            top: draw.random() if draw.random() < 0.5 else {"x": draw.random(), "y": [1, 2]}
            for top in tops
        }

    sequence = [record("d", "s", **metrics()) for _ in range(draw.randint(1, 5))]
    table = ScoreTable.of(sequence)
    merged = sequence[0]
    for each in sequence[1:]:
        merged = merged.merge(each)
    expected = flat_means(merged.metrics)
    for name in table.names:
        if name in expected:
            assert table.matrices([name]).values[0][0, 0] == expected[name]
        else:
            with pytest.raises(OptionError):
                table.matrices([name])
    assert set(expected) <= set(table.names)


def test_one_flat_name_of_two_different_scores_is_an_error() -> None:
    with pytest.raises(FormatError, match="'a_b' is a part of 'a' here"):
        ScoreTable.of([record("d", "s", a_b=1), record("d", "s", a={"b": 2})])


def test_the_same_value_twice_is_no_warning() -> None:
    assert ScoreTable.of([record("d", "s", a=1), record("d", "s", a=1)]).warnings == []


def test_a_clash_of_types_is_an_error() -> None:
    with pytest.raises(FormatError, match="is a reference here and a peer before"):
        ScoreTable.of([record("d", "s", a=1), record("d", "s", "reference", a=1)])


def test_matrices_are_sorted_by_string_and_drop_what_lacks_a_name() -> None:
    table = ScoreTable.of(
        [
            record("d10", "b", m=1, z=1),
            record("d9", "b", m=2, z=2),
            record("d10", "a", m=3, z=[3, 5]),
            record("d9", "a", m=4),
            record("d9", "H", "reference", m=9, z=9),
        ]
    )
    found = table.matrices(["m", "z"])
    assert found.systems == ("a", "b")
    assert found.inputs == ("d10", "d9")
    assert found.dropped == 1
    np.testing.assert_array_equal(found.values[1], [[4.0, np.nan], [1.0, 2.0]])
    assert table.matrices(["m", "z"], "all").systems == ("H", "a", "b")
    assert table.matrices(["m", "z"], "reference").systems == ("H",)


def test_all_with_a_name_that_humans_lack_warns() -> None:
    records = [record(f"d{i}", s, plain=i, jk=i, z=i) for i in range(3) for s in "ab"]
    records += [record(f"d{i}", "H", "reference", jk=i, z=i) for i in range(3)]
    table = ScoreTable.of(records)
    (warning,) = table.matrices(["plain", "z"], "all").warnings
    assert "no human has 'plain'" in warning
    assert table.matrices(["jk", "z"], "all").warnings == ()
    assert table.matrices(["plain", "z"], "peer").warnings == ()


def test_unknown_names_list_near_ones() -> None:
    table = ScoreTable.of([record("d", "s", **{"rouge-1": {"recall": 1.0}})])
    with pytest.raises(OptionError, match="did you mean 'rouge-1_recall'"):
        table.matrices(["rouge-1_recal"])
    assert table.expand(["rouge*"]) == ["rouge-1_recall"]
    with pytest.raises(OptionError):
        table.expand(["bleu*"])


def test_flat_means() -> None:
    assert flat_means({"a": {"b": [1, 2]}, "c": None, "d": [], "e": [1, None]}) == {
        "a_b": 1.5,
        "e": 1.0,
    }
    with pytest.raises(FormatError, match="two scores flatten"):
        flat_means({"a_b": 1, "a": {"b": 2}})
    for wrong in ("x", True, ["x"], [[1]]):
        with pytest.raises(FormatError, match="must be a number"):
            flat_means({"a": wrong})


BAD_LINES = {
    "not json": ("{", "K147"),
    "a list": ("[]", "K147"),
    "no ids": ('{"metrics": {}}', "K148"),
    "no metrics": ('{"instance_id": "d", "summarizer_id": "s"}', "K148"),
    "a strange type": (
        '{"instance_id": "d", "summarizer_id": "s", "summarizer_type": "x", "metrics": {}}',
        "K148",
    ),
    "a string": (
        '{"instance_id": "d", "summarizer_id": "s", "metrics": {"m": "high"}}',
        "K149",
    ),
    "deep metrics": (
        '{"instance_id": "d", "summarizer_id": "s", "metrics": ' + '{"m":' * 300 + "1" + "}" * 301,
        "K149",
    ),
    "bottomless": ("[" * 100_000, "K147"),
    "bottomless with NaN": ("[" * 100_000 + "NaN", "K147"),
    "cut after NaN": ('{"metrics": {"m": NaN', "K147"),
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_bad_lines_are_named(tmp_path: Path, name: str) -> None:
    line, code = BAD_LINES[name]
    path = tmp_path / "bad.jsonl"
    path.write_text("\n" + line + "\n")
    with pytest.raises(KaratError) as caught:
        ScoreTable.read([str(path)])
    assert caught.value.code == code
    assert caught.value.place is not None
    assert caught.value.place.line == 2


def test_numbers_that_json_does_not_have_are_absent(tmp_path: Path) -> None:
    """Files of SacreROUGE have them."""
    path = tmp_path / "legacy.jsonl"
    path.write_text(
        '{"instance_id": "d", "summarizer_id": "s", "metrics": {"a": NaN, "b": [1, -Infinity]}}\n'
        '{"instance_id": "d", "summarizer_id": "t", "metrics": {"a": 1, "b": [1, 2], "c": "NaN"}}\n'
    )
    with pytest.raises(FormatError, match="K149"):
        ScoreTable.read([str(path)])
    path.write_text(path.read_text().replace(', "c": "NaN"', ""))
    assert ScoreTable.read([str(path)]).matrices(["a", "b"]).systems == ("t",)


def test_files_round_trip_compressed_and_undefined_numbers_become_null(tmp_path: Path) -> None:
    stream = io.BytesIO()
    lost = write_records([record("d", "s", a=math.nan, b=[1.0, math.inf], c={"x": 2})], stream)
    assert lost == 2
    path = tmp_path / "scores.jsonl.gz"
    path.write_bytes(gzip.compress(stream.getvalue()))
    ((found, _),) = read_records(str(path))
    assert list(json.loads(stream.getvalue())) == [
        "instance_id", "summarizer_id", "summarizer_type", "metrics",
    ]  # fmt: skip
    assert found.metrics == {"a": None, "b": [1.0, None], "c": {"x": 2}}


def random_table(seed: int = 0, systems: int = 6, inputs: int = 5) -> ScoreTable:
    random = np.random.default_rng(seed)
    return ScoreTable.of(
        record(
            f"d{j}", f"s{i}", z=float(q + random.random()),
            good=float(q + random.random()), bad=float(random.random()), flat=1.0,
        )
        for i, q in enumerate(random.random(systems) * 3)
        for j in range(inputs)
    )  # fmt: skip


def test_why_there_is_no_correlation_is_said_once() -> None:
    constant = correlate(random_table(), "flat", "z", resamples=50)
    assert constant.warnings == ("flat is the same everywhere: nothing correlates with it",)
    alone = ScoreTable.of([record(f"d{i}", "s", m=i % 3, z=i * i % 7) for i in range(9)])
    found = correlate(alone, "m", "z", resamples=50)
    assert found.warnings == ("there is one system: only scores of its outputs can be correlated",)


def test_a_flat_metric_is_null_not_nan() -> None:
    for method in ("bootstrap-both", "fisher", "none"):
        document = correlate(random_table(), "flat", "z", method=method).summary()
        text = json.dumps(document, allow_nan=False)
        assert document["system_level"]["pearson"] == {
            "r": None, "p_value": None, "lower": None, "upper": None,
        }  # fmt: skip
        assert document["summary_level"]["num_summary_groups"] == 0
        assert "NaN" not in text
    document = significance(random_table(), "z", "flat", "good").summary()
    assert document["global"]["pearson"]["pvalue"] is None
    assert document["global"]["pearson"]["is_significant"] is None


def test_undefined_columns_are_counted_per_coefficient() -> None:
    rows = [("a", 0, 1, 5), ("b", 0, 2, 5), ("a", 1, 1, 1), ("b", 1, 2, 2), ("a", 2, 1, 1)]
    table = ScoreTable.of(record(f"d{j}", s, m=m, z=z) for s, j, m, z in rows)
    level = correlate(table, "m", "z", method="none").summary()["summary_level"]
    assert level["num_summary_groups"] == 1  # d0 is flat, d2 has one output
    assert level["pearson"]["r"] == 1.0


def test_results_repeat_with_the_seed() -> None:
    table = random_table()
    one, same, other = (correlate(table, "good", "z", seed=seed).summary() for seed in (1, 1, 2))
    assert one == same
    assert one["system_level"]["pearson"]["lower"] != other["system_level"]["pearson"]["lower"]


def test_lower_is_better_turns_a_score_round() -> None:
    random = np.random.default_rng(3)
    records = []
    for i, q in enumerate(random.random(12) * 3):
        for j in range(10):
            value = float(q + random.random())
            records.append(record(f"d{j}", f"s{i}", z=value, error=-value, noise=random.random()))
    table = ScoreTable.of(records)
    plain = significance(table, "z", "error", "noise", levels=["global"]).summary()
    turned = significance(
        table, "z", "error", "noise", levels=["global"], lower_is_better=["error"]
    ).summary()
    assert plain["global"]["pearson"]["pvalue"] > 0.9
    assert turned["global"]["pearson"]["pvalue"] < 0.01
    with pytest.raises(OptionError, match="not compared"):
        significance(table, "z", "error", "noise", lower_is_better=["other"])


def test_metrics_are_ranked_in_clusters() -> None:
    ranked = compare_metrics(
        random_table(1, 12, 15), "z", ["bad", "good"], level="global", coefficient="pearson"
    )
    assert [ranked.names[i] for i in ranked.order] == ["good", "bad"]
    assert ranked.clusters == (2, 1)
    assert ranked.p_values[1, 0] < 0.01 < 0.9 < ranked.p_values[0, 1]
    document = ranked.summary()
    assert [row["metric"] for row in document["metrics"]] == ["good", "bad"]


@pytest.mark.parametrize("method", ["williams", "permutation-both", "bootstrap-both"])
def test_tests_that_cannot_be_made_have_no_p_value(method: TestMethod) -> None:
    """Of a metric that is the same everywhere there is no correlation; the third can be tested."""
    plain = random_table(2, 6, 8)
    good, bad, z = plain.matrices(["good", "bad", "z"]).values
    table = ScoreTable.of(
        Record(f"i{j}", f"s{i}", "peer", MetricsDict({"good": good[i, j], "bad": bad[i, j],
               "flat": 1.0, "z": z[i, j]}))
        for i in range(6) for j in range(8)
    )  # fmt: skip
    ranked = compare_metrics(
        table, "z", ["good", "bad", "flat"], method=method, trials=50, level="global"
    )
    for found in (ranked.p_values, ranked.adjusted):
        assert np.isnan(found[:2, 2]).all()
        assert np.isnan(found[2, :2]).all()
        assert not np.isnan(found[:2, :2]).any()
    document = ranked.summary()
    assert document["p_values"][0][2] is None
    assert document["adjusted_two_tailed"][2][0] is None
    assert any("too little varies for a p-value" in warning for warning in ranked.warnings)


def test_williams_warns_of_inverse_correlations() -> None:
    """It compares absolute values: the exact opposite of a judgement is as good as a copy of it."""
    values = {"i1": 1.0, "i2": 2.0, "i3": 4.0, "i4": 3.0, "i5": 7.0}
    table = ScoreTable.of(
        Record(i, "s", "peer", MetricsDict({"up": v, "down": -v, "noise": v % 2, "z": v}))
        for i, v in values.items()
    )
    ranked = compare_metrics(
        table, "z", ["up", "down"], level="global", coefficient="pearson", method="williams"
    )
    warning = "global pearson of 'down' is negative, but williams compares absolute values"
    assert warning in ranked.warnings
    tested = significance(
        table, "z", "down", "up", levels=["global"], coefficients=["pearson"], method="williams"
    )
    assert tested.warnings == (warning,)
    drawn = significance(table, "z", "down", "up", levels=["global"], trials=20)
    assert not any("williams" in each for each in drawn.warnings)


def test_conjunction_refuses_results_that_do_not_fit() -> None:
    table = random_table()
    one = significance(table, "z", "good", "bad", method="williams").summary()
    other = significance(table, "z", "good", "bad", method="williams", levels=["global"]).summary()
    with pytest.raises(OptionError, match="different levels"):
        conjunction([one, other], ["a", "b"])
    with pytest.raises(OptionError, match="different names"):
        conjunction([one, one], ["a", "a"])


@pytest.mark.parametrize("value", [10**400, [10**400, 1], [1.7e308, 1.7e308]])
def test_numbers_beyond_all_measure_are_refused(value: Any) -> None:
    with pytest.raises(FormatError, match="too large to count with"):
        ScoreTable.of([Record("d1", "a", "peer", {"m": value})])


def test_infinite_means_are_absent() -> None:
    endless = float("inf")
    table = ScoreTable.of([Record("d1", "a", "peer", {"m": [endless, -endless], "n": endless})])
    assert table.names == []
