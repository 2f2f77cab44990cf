"""Converters of data sets, on small files in the layouts of the originals."""

from __future__ import annotations

import collections
import gzip
import io
import json
import math
import os
import pickle
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands import Karat
from karat.core.registry import parse
from karat.errors import FormatError, KaratError, LimitExceeded, OptionError
from karat.meta.datasets import plain_pickle
from karat.meta.datasets.catalog import DATASETS, dataset
from karat.meta.datasets.writing import write
from karat.meta.scoring import Files, score_files
from karat.meta.table import ScoreTable
from karat.version import VERSION

# -- pickles -------------------------------------------------------------------

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.integers(), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(plain, st.integers(0, pickle.HIGHEST_PROTOCOL))
@settings(max_examples=200, deadline=None)
def test_plain_data_reads_like_python_reads_it(value: Any, protocol: int) -> None:
    data = pickle.dumps(value, protocol)
    assert plain_pickle.loads(data) == pickle.loads(data)


@pytest.mark.parametrize("protocol", [0, 2, 4, 5])
def test_numbers_of_numpy_and_dicts_of_collections(protocol: int) -> None:
    kept: Any = collections.OrderedDict(a=np.float64(0.25), b=np.int32(-7), c=np.bool_(True))
    kept["d"] = collections.defaultdict(list, x=[1])
    found = plain_pickle.loads(pickle.dumps(kept, protocol))
    assert found == {"a": 0.25, "b": -7, "c": True, "d": {"x": [1]}}
    big_endian = np.array([1.5], ">f8")[0]
    assert plain_pickle.loads(pickle.dumps(big_endian, protocol)) == 1.5


class _Harmful:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("echo harmful > harmful",)


class _Outside(pickle.Pickler):
    def persistent_id(self, value: Any) -> str | None:
        return "1" if value == "elsewhere" else None


def _with_reference() -> bytes:
    stream = io.BytesIO()
    _Outside(stream).dump(["elsewhere"])
    return stream.getvalue()


def _itself() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


SYSTEM = b"cos\nsystem\n(Vecho harmful > harmful\ntR."
DOUBLED_TUPLE = b"\x80\x02)q\x00" + b"h\x00h\x00\x86q\x00" * 60
HOSTILE = {
    "a call": pickle.dumps({"x": _Harmful()}),
    "a call by hand": SYSTEM,
    "a call by protocol 4": b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x021\n\x85R.",
    "a nested call": b"c_codecs\nencode\n(" + SYSTEM[:-1] + b"Vlatin1\ntR.",
    "a dotted name": b"\x80\x04\x8c\x0bcollections\x8c\x15abc.sys.modules.values\x93.",
    "a function": pickle.dumps(os.getcwd),
    "an object": pickle.dumps(Path("x")),
    "an array": pickle.dumps(np.zeros(3)),
    "a set": pickle.dumps({1, 2}),
    "eval": b"cbuiltins\neval\n(V1\ntR.",
    "eval of Python 2": b"c__builtin__\neval\n(V1\ntR.",
    "old style": b"(ios\nsystem\nV1\n.",
    "an old object": b"(cbuiltins\ndict\no.",
    "a new object": b"\x80\x02cbuiltins\ndict\n)\x81.",
    "an extension": b"\x80\x02\x82\x01.",
    "a reference": _with_reference(),
    "a state of a call": b"cbuiltins\nlist\n}Vx\nVy\nsb.",
    "slots of a call": b"cbuiltins\nlist\nN}V_function\nVy\ns\x86b.",
    "a state of a list": b"]}Vx\nVy\nsb.",
    "a call of data": b"\x80\x02X\x01\x00\x00\x00x)R.",
    "a list of bytes": b"cbuiltins\nbytes\n(I1000000000\ntR.",
    "a list of a list": b"cbuiltins\nlist\n(]tR.",
    "cut short": pickle.dumps(list(range(100)))[:-3],
    "no pickle": b"hello world",
    "nothing": b"",
    "an empty stack": b"\x80\x02R.",
    "a lost mark": b"\x80\x02t.",
    "taken from below a mark": b"\x80\x02K\x01(\x85.",
    "an unknown memo": b"\x80\x02h\x05.",
    "a huge memo": b"\x80\x02Nr\xff\xff\xff\x7f.",
    "a huge memo in text": b"Np99999999999\n.",
    "long bytes": b"\x80\x04\x8e\xff\xff\xff\xff\xff\x00\x00\x00x.",
    "a long text": b"\x80\x04\x8d\xff\xff\xff\xff\xff\x00\x00\x00x.",
    "a long frame": b"\x80\x04\x95\xff\xff\xff\xff\xff\x00\x00\x00N.",
    "a byte array": b"\x80\x05\x96\x01\x00\x00\x00\x00\x00\x00\x00x.",
    "deep lists": b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b".",
    "deep tuples": b"\x80\x02)" + b"\x85" * 1_000_000 + b".",
    "a deep key": b"\x80\x02})" + b"\x85" * 1_000_000 + b"Ns.",
    "a doubled key": b"\x80\x02}" + DOUBLED_TUPLE[2:] + b"Ns.",
    "a doubled key of a call": b"ccollections\nOrderedDict\n]]("
    + DOUBLED_TUPLE[2:]
    + b"N\x65a\x85R.",
    "doubled by instruction": b"\x80\x02N2.",
    "itself": pickle.dumps(_itself()),
}
DOUBLED_LIST = b"\x80\x02]q\x00" + b"](h\x00h\x00eq\x00" * 60 + b"."


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_in_a_pickle_is_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FormatError) as caught:
        plain_pickle.loads(HOSTILE[name], "x.pkl")
    assert caught.value.code == "K159"
    assert caught.value.headline.startswith("x.pkl")
    assert "\n" not in caught.value.headline
    assert list(tmp_path.iterdir()) == []


def test_data_without_end_is_refused() -> None:
    """61 lists, each twice in the next: 2 ** 60 values for who walks through them."""
    with pytest.raises(LimitExceeded, match="more than 10,000,000 values"):
        plain_pickle.loads(DOUBLED_LIST)


def test_a_pickle_cannot_change_what_the_next_one_may_call() -> None:
    before = dict(plain_pickle._CALLS)
    for data in HOSTILE.values():
        with pytest.raises(KaratError):
            plain_pickle.loads(data)
    assert before == plain_pickle._CALLS
    value = collections.OrderedDict(a=[np.float64(0.5)])
    assert plain_pickle.loads(pickle.dumps(value, 2)) == {"a": [0.5]}


# -- tables of scores ----------------------------------------------------------


def convert(name: str, *paths: Path) -> Any:
    return dataset(name).convert([str(path) for path in paths])


def file(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content)
    return path


def test_wide_table(tmp_path: Path) -> None:
    path = file(
        tmp_path,
        "scores.csv",
        'system,item,fluency,note,bleu\nA,1,4.5,"x, y",0.3\nB,1,,z,nan\n',
    )
    outcome = convert("wide-table", path)
    first, second = outcome.files["metrics.jsonl"]
    assert first == {
        "instance_id": "1",
        "summarizer_id": "A",
        "summarizer_type": "peer",
        "metrics": {"fluency": 4.5, "bleu": 0.3},
    }
    assert second["metrics"] == {"fluency": None, "bleu": None}
    assert outcome.warnings == [f"{path}: the column 'note' holds no scores"]


def test_numbers_are_written_as_numbers(tmp_path: Path) -> None:
    """What only Python takes for a number is none; what JSON cannot hold is told."""
    path = file(tmp_path, "x.csv", "system,item,day,bleu\nA,1,2026_01_02,inf\nB,1,2026_01_03,1\n")
    outcome = convert("wide-table", path)
    assert [each["metrics"] for each in outcome.files["metrics.jsonl"]] == [
        {"bleu": math.inf}, {"bleu": 1.0},
    ]  # fmt: skip
    assert outcome.warnings == [
        f"{path}: the column 'day' holds no scores", "1 undefined score (null)",
    ]  # fmt: skip
    write(outcome, str(tmp_path / "out"))
    assert b'"bleu":null' in (tmp_path / "out" / "metrics.jsonl").read_bytes()


def test_converted_files_can_be_correlated(tmp_path: Path) -> None:
    rows = ["instance_id\tsystem\thuman\tmetric"]
    rows += [f"d{j}\ts{i}\t{i + j}\t{2 * i + j}" for i in range(4) for j in range(3)]
    outcome = convert("wide-table", file(tmp_path, "x.tsv", "\n".join(rows) + "\n"))
    assert write(outcome, str(tmp_path / "out")) == {"metrics.jsonl": 12}
    table = ScoreTable.read([str(tmp_path / "out" / "metrics.jsonl")])
    assert table.matrices(["human", "metric"]).values[0].shape == (4, 3)


def test_wmt_scores(tmp_path: Path) -> None:
    seg = file(tmp_path, "mqm.seg.score", "sysA\t-1.5\nsysA\tNone\nsysB\t0\nsysB\t-2\n")
    whole = file(tmp_path, "mqm.sys.score", "sysA\t-1.5\nsysB\t-1\n")
    records = convert("wmt-scores", seg, whole).files["metrics.jsonl"]
    found = {(r["instance_id"], r["summarizer_id"]): r["metrics"] for r in records}
    assert found == {
        ("1", "sysA"): {"mqm": -1.5},
        ("2", "sysA"): {"mqm": None},
        ("1", "sysB"): {"mqm": 0.0},
        ("2", "sysB"): {"mqm": -2.0},
        ("all", "sysA"): {"mqm": -1.5},
        ("all", "sysB"): {"mqm": -1.0},
    }


def test_mqm(tmp_path: Path) -> None:
    """Weights by hand: major 5, minor 1, minor punctuation 0.1, non-translation 25."""
    header = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    rows = [
        ("A", "1", "r1", "Accuracy/Mistranslation", "Major"),
        ("A", "1", "r1", "Fluency/Punctuation", "Minor"),
        ("A", "1", "r2", "Style/Awkward", "Minor"),
        ("A", "2", "r1", "No-error", "No-error"),
        ("B", "1", "r2", "Non-translation!", "Major"),
    ]
    lines = "".join(
        f'{system}\td\td\t{seg}\t{rater}\the said "no\tt\t{category}\t{severity}\n'
        for system, seg, rater, category, severity in rows
    )
    records = convert("mqm", file(tmp_path, "mqm.tsv", header + lines)).files["metrics.jsonl"]
    found = {(r["instance_id"], r["summarizer_id"]): r["metrics"]["mqm"] for r in records}
    assert found["1", "A"] == pytest.approx([-5.1, -1.0])
    assert found["2", "A"] == [0.0]
    assert found["1", "B"] == [-25.0]


# -- judged summaries ----------------------------------------------------------


def summeval_line(item: str, system: str, **more: Any) -> str:
    expert = {"coherence": 2, "consistency": 5, "fluency": 4, "relevance": 3}
    return json.dumps(
        {
            "id": item,
            "decoded": f"{system} on {item}",
            "expert_annotations": [expert, {**expert, "coherence": 1}, expert],
            "turker_annotations": [expert] * 5,
            "model_id": system,
            "filepath": "cnndm/dailymail/stories/x.story",
            **more,
        }
    )


def test_summeval(tmp_path: Path) -> None:
    references = ["published", *(f"by worker {i}" for i in range(1, 11))]
    lines = [summeval_line("dm-1", system, references=references) for system in ("M0", "M1")]
    path = file(tmp_path, "model_annotations.aligned.paired.jsonl", "\n".join(lines) + "\n")
    outcome = convert("summeval", path)
    first = outcome.files["metrics.jsonl"][0]
    assert first["summarizer_id"] == "M0"
    assert first["metrics"]["expert"]["coherence"] == [2, 1, 2]
    assert len(first["metrics"]["turker"]["fluency"]) == 5
    assert [r["text"] for r in outcome.files["summaries.jsonl"][0]["references"]] == ["published"]
    for name in ("summaries.jsonl", "summaries-with-crowd.jsonl"):
        assert outcome.files[name][0]["file_path"] == "cnndm/dailymail/stories/x.story"
    crowd = outcome.files["summaries-with-crowd.jsonl"][0]["references"]
    assert [r["summarizer_id"] for r in crowd] == [
        "ground-truth", *(f"turker-{i}" for i in range(1, 11)),
    ]  # fmt: skip
    assert outcome.warnings == [
        "expected 16 systems with 100 summaries each, found 2 systems with 1 to 1"
    ]


def test_summeval_without_references_gives_judgements_only(tmp_path: Path) -> None:
    outcome = convert("summeval", file(tmp_path, "a.jsonl", summeval_line("dm-1", "M0") + "\n"))
    assert list(outcome.files) == ["metrics.jsonl"]
    assert "no references" in outcome.warnings[0]


REALSUMM: dict[int, dict[str, Any]] = {
    7: {
        "doc_id": 7,
        "ref_summ": "<t> a cat . </t> <t> it sat . </t>",
        "system_summaries": {
            "bart_out.txt": {
                "system_summary": "<t> a cat . </t>",
                "scores": {
                    "litepyramid_recall": np.float64(0.5),
                    "rouge_1_f_score": 0.4,
                    "rouge_1_recall": 0.3,
                    "js-2": 0.2,
                    "mover_score": 0.1,
                    "bert_f_score": 0.9,
                    "bert_precision_score": 0.8,
                },
            }
        },
    }
}


def test_realsumm(tmp_path: Path) -> None:
    outputs = REALSUMM[7]["system_summaries"]
    both = {7: {**REALSUMM[7], "system_summaries": {**outputs, "t5.txt": outputs["bart_out.txt"]}}}
    (tmp_path / "abs.pkl").write_bytes(pickle.dumps(both))
    (tmp_path / "ext.json").write_text(json.dumps(REALSUMM, default=float))
    outcome = convert("realsumm", tmp_path / "abs.pkl", tmp_path / "ext.json")
    (record,) = outcome.files["metrics-abs.jsonl"]
    assert record["instance_id"] == "7"
    assert record["metrics"] == {
        "litepyramid": {"recall": 0.5},
        "rouge-1": {"f1": 0.4, "recall": 0.3},
        "js-2": 0.2,
        "MoverScore": 0.1,
        "bertscore": {"f1": 0.9, "precision": 0.8},
    }
    (summary,) = outcome.files["summaries-abs.jsonl"]
    assert summary["references"][0]["text"] == ["a cat .", "it sat ."]
    # The abstractive copy of BART is left out, the extractive one is not.
    assert [r["summarizer_id"] for r in outcome.files["metrics-ext.jsonl"]] == ["bart_out"]
    assert [r["summarizer_id"] for r in outcome.files["metrics-mix.jsonl"]] == ["bart_out", "t5"]


# -- documents -----------------------------------------------------------------


def test_summeval_all_summaries(tmp_path: Path) -> None:
    """Duplicates, an output that was judged in other characters, an id that is a path."""
    story_text = "Rain  falls\n\nIt is wet.\n\n@highlight\n\nRain\n\n@highlight\n\nWet!\n"
    path = "cnndm/dailymail/stories/aa.story"
    judged = [
        summeval_line(item, system, references=["r"] * 11, decoded=text, filepath=path)
        for item, system, text in (
            ("dm-test-aa", "M0", "judged one"),
            ("dm-test-aa", "M5", "quoted \u2019"),
        )
    ]

    def outputs(*rows: tuple[str, str | None]) -> str:
        return "".join(
            json.dumps(
                {"id": key, "filepath": path, "reference": "low ref"}
                | ({} if text is None else {"decoded": text})
            )
            + "\n"
            for key, text in rows
        )

    annotations = file(tmp_path, "model_annotations.aligned.jsonl", "\n".join(judged))
    stories = tar(tmp_path / "dailymail_stories.tgz", {"dailymail/stories/aa.story": story_text})
    models = [
        tar(
            tmp_path / "M0.tar.gz",
            {
                "M0/aligned/outputs.aligned.jsonl": outputs(
                    ("dm-test-aa", "not judged"), ("dm-test-aa", "judged one"), (path, "again")
                ),
                "M0/aligned/outputs_other.aligned.jsonl": outputs(("dm-test-zz", "other version")),
            },
        ),
        tar(
            tmp_path / "M5.tar.gz",
            {
                "M5/aligned/outputs_rouge.aligned.jsonl": outputs(
                    ("dm-test-aa", "quoted '"), ("dm-test-bb", None)
                )
            },
        ),
        tar(tmp_path / "M3.tar.gz", {"M3/aligned/outputs.aligned.jsonl": outputs(("x", "no"))}),
    ]
    outcome = convert("summeval", annotations, stories, *models)
    assert outcome.files["summaries.jsonl"][0]["document"] == {"text": "Rain  falls It is wet."}
    preproc = outcome.files["all-summaries-preproc-refs.jsonl.gz"]
    orig = outcome.files["all-summaries-orig-refs.jsonl.gz"]
    assert [
        (r["instance_id"], r["summarizer_id"], r["summary"]["text"]) for r in preproc
    ] == [
        ("dm-test-aa", "M0", "judged one"),
        ("dm-test-aa", "M5", "quoted \u2019"),
        ("dm-test-bb", "M5", ""),
    ]  # fmt: skip
    assert preproc[0]["references"][0]["text"] == "low ref"
    assert orig[0]["references"][0]["text"] == "Rain. Wet!"
    assert orig[0]["document"] == {"text": "Rain  falls. It is wet."}
    assert "1 output replaced by the text that was judged" in outcome.warnings
    assert "1 output is empty" in outcome.warnings
    assert any("lacks the judged systems M1, M2, M8" in note for note in outcome.warnings)
    write(outcome, str(tmp_path / "out"))
    packed = tmp_path / "out" / "all-summaries-orig-refs.jsonl.gz"
    with gzip.open(packed, "rt") as lines:
        assert json.loads(next(lines))["instance_id"] == "dm-test-aa"
    with pytest.raises(OptionError, match="need the stories"):
        convert("summeval", annotations, *models)


def test_realsumm_all_summaries(tmp_path: Path) -> None:
    def entry(*systems: str) -> str:
        outputs = {
            f"{system}.txt": {"system_summary": f"<t> {system} two </t>", "scores": {"js-2": 0.5}}
            for system in systems
        }
        return json.dumps(
            {"7": {"doc_id": 7, "ref_summ": "<t> r </t>", "system_summaries": outputs}}
        )

    for system in ("t5_out", "bart_out"):
        folder = tmp_path / "texts" / system
        folder.mkdir(parents=True)
        file(folder, "src.txt", "<t> a </t> <t> b </t>\nplain\nthird\nfourth\n")
        file(folder, "ref.txt", "<t> ra </t>\n<t> rb </t>\n<t> rc </t>\n<t> rd </t>\n")
        lines = [f"<t> {system} one </t>", f"<t> {system} two </t>", "### NO MATCH FOUND ###"]
        file(folder, "out.txt", "\n".join([*lines, "<t>   </t>"]) + "\n")
    abstractive = file(tmp_path, "abs.json", entry("t5_out", "bart_out"))
    extractive = file(tmp_path, "ext.json", entry("bart_out"))
    outcome = convert("realsumm", abstractive, extractive, tmp_path / "texts")
    found = outcome.files["all-summaries-abs.jsonl.gz"]
    assert [(r["instance_id"], r["summary"]["text"]) for r in found] == [
        ("all-summaries-0", ["t5_out one"]),
        ("all-summaries-1", ["t5_out two"]),
    ]
    assert found[0]["document"] == {"text": ["a", "b"]}
    assert found[1]["references"][0]["text"] == ["rb"]
    assert {r["summarizer_id"] for r in outcome.files["all-summaries-ext.jsonl.gz"]} == {"bart_out"}
    assert len(outcome.files["all-summaries-mix.jsonl.gz"]) == 4
    assert outcome.files["summaries-abs.jsonl"][0]["documents"] == [{"text": ["plain"]}]
    assert outcome.warnings == ["4 empty or unaligned outputs left out"]
    with pytest.raises(OptionError, match="no judgement says"):
        convert("realsumm", extractive, tmp_path / "texts")
    file(tmp_path / "texts" / "t5_out", "ref.txt", "<t> ra </t>\n")
    with pytest.raises(FormatError, match="have 4, 1 and 4 lines"):
        convert("realsumm", abstractive, extractive, tmp_path / "texts")


ROWS = [
    {"id": "a", "article": "long", "highlights": ["r1", "r2"], "prediction": "p", "model": "m",
     "rating": [1, 2], "human": {"fluency": 3, "note": "x"}, "split": "test"},
    {"id": "b", "article": "more", "highlights": "r", "prediction": "q", "model": "m",
     "rating": None, "human": None, "split": "test"},
]  # fmt: skip
SHAPES = {
    "lines": "".join(json.dumps(row) + "\n" for row in ROWS),
    "list": json.dumps(ROWS, indent=1),
    "data": json.dumps({"version": "1", "data": ROWS}),
    "rows": json.dumps(
        {"features": [], "rows": [{"row_idx": i, "row": row} for i, row in enumerate(ROWS)]}
    ),
    "columns": json.dumps({name: [row[name] for row in ROWS] for name in ROWS[0]}),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_hugging_face_rows(tmp_path: Path, shape: str) -> None:
    outcome = convert("hf-json", file(tmp_path, "x.json", SHAPES[shape]))
    one, two = outcome.files["summaries.jsonl"]
    assert one == {
        "instance_id": "a", "summarizer_id": "m", "summarizer_type": "peer",
        "summary": {"text": "p"}, "references": [{"text": "r1"}, {"text": "r2"}],
        "documents": [{"text": "long"}],
    }  # fmt: skip
    assert two["references"] == [{"text": "r"}]
    (scored,) = outcome.files["metrics.jsonl"]
    assert scored["metrics"] == {"rating": [1, 2], "human": {"fluency": 3}}
    assert outcome.warnings == [
        "columns that are neither texts nor scores: human.note, split"
    ]  # fmt: skip


def test_hugging_face_rows_without_outputs(tmp_path: Path) -> None:
    lines = '{"document": "d", "summary": "s"}\n{"document": "e"}\n'
    outcome = convert("hf-json", file(tmp_path, "test.jsonl", lines))
    assert outcome.files == {
        "documents.jsonl": [
            {"instance_id": "1", "documents": [{"text": "d"}], "references": [{"text": "s"}]},
            {"instance_id": "2", "documents": [{"text": "e"}]},
        ]
    }
    lines = '{"id": 3, "model": "m", "score": 0.5}\n'
    outcome = convert("hf-json", file(tmp_path, "test.jsonl", lines))
    assert list(outcome.files) == ["metrics.jsonl"]
    assert outcome.files["metrics.jsonl"][0]["instance_id"] == "3"


def test_multi_news(tmp_path: Path) -> None:
    src = file(
        tmp_path, "val.src",
        "One. NEWLINE_CHAR NEWLINE_CHAR Two.|||||Other.\n||||| \nAlone.\n",
    )  # fmt: skip
    tgt = file(tmp_path, "val.tgt", "– A summary. NEWLINE_CHAR More.\n- none\nS.\n")
    outcome = convert("multi-news", src, tgt)
    first, last = outcome.files["valid.jsonl.gz"]
    assert [d["text"] for d in first["documents"]] == [["One.", "Two."], ["Other."]]
    assert first["summary"]["text"] == ["A summary.", "More."]
    assert last["instance_id"] == "valid-3"
    assert len(outcome.files["valid.multi.jsonl.gz"]) == 1
    assert outcome.warnings == ["valid: 1 cluster without an article left out"]
    with pytest.raises(FormatError, match="1 line here, more in"):
        convert("multi-news", src, file(tmp_path, "val.tgt", "only\n"))
    with pytest.raises(OptionError, match="lacks its"):
        convert("multi-news", src)


def test_wcep(tmp_path: Path) -> None:
    event = {
        "id": 5,
        "date": "2017-03-01",
        "summary": "It happened.",
        "articles": [
            {"url": "u1", "text": "crawled", "origin": "CommonCrawl"},
            {"id": "a1", "url": "u1", "text": "linked", "origin": "WCEP", "title": "T"},
            {"url": "u2", "text": "  "},
        ],
    }
    outcome = convert("wcep", file(tmp_path, "train.jsonl", json.dumps(event) + "\n"))
    (record,) = outcome.files["train.jsonl.gz"]
    assert (record["instance_id"], record["date"]) == ("5", "2017-03-01")
    assert record["documents"] == [
        {"document_id": "a1", "text": "linked", "title": "T", "url": "u1", "origin": "WCEP"}
    ]
    assert outcome.warnings == ["train: 2 empty or repeated articles left out"]


EVENT = '{"summary": "s", "articles": []}\n'
NEWS = "DailyNews_300.json"
TWICE = [
    ("wcep", ("a/train.jsonl", "b/train.jsonl"), EVENT, "train.jsonl.gz"),
    ("wcep", ("val.jsonl", "dev.jsonl"), EVENT, "valid.jsonl.gz"),
    ("vasilyev2020", (f"a/{NEWS}", f"b/{NEWS}"), "[]", "dailynews.summaries.jsonl"),
]


@pytest.mark.parametrize(("name", "paths", "text", "made"), TWICE)
def test_two_files_for_one_are_refused(
    name: str, paths: tuple[str, str], text: str, made: str, tmp_path: Path
) -> None:
    for path in paths:
        (tmp_path / path).parent.mkdir(exist_ok=True)
    given = [file(tmp_path, path, text) for path in paths]
    with pytest.raises(OptionError, match=f"K368: two of the files given make {made!r}"):
        convert(name, *given)


def test_multi_news_takes_ids(tmp_path: Path) -> None:
    src = file(tmp_path, "test.src.cleaned", "One.\nTwo.\n")
    tgt = file(tmp_path, "test.tgt", "a\nb\n")
    outcome = convert("multi-news", src, tgt, file(tmp_path, "test.id", "x1\nx2\n"))
    assert [r["instance_id"] for r in outcome.files["test.jsonl.gz"]] == ["x1", "x2"]
    with pytest.raises(FormatError, match="more clusters than ids"):
        convert("multi-news", src, tgt, file(tmp_path, "test.id", "x1\n"))


# -- more judged summaries -----------------------------------------------------


def tar(path: Path, members: dict[str, str]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content.encode())
            archive.addfile(info, io.BytesIO(content.encode()))
    return path


def test_chaganty2018(tmp_path: Path) -> None:
    measured = {"bleu-2": 0.1, "bleu-4": 0.2, "meteor": 0.3, "ter": 0.4, "sim": 0.5}
    rouge = {f"ROUGE-{n}": 0.6 for n in ("1", "2", "3", "4", "L", "SU4")}
    prompts = {
        name: {"human": [1.0, 0.5], "gold": 0.75, **measured, **rouge}
        for name in ("hter", "overall", "grammar", "redundancy")
    }
    judged = [{"id": "d1", "system": s, "prompts": prompts} for s in ("ml", "ml+rl", "ml+rl")]
    outputs = [
        {"input": {"contents": {"id": "d1", "text": "shared", "system": "ml;ml+rl"}}},
        {"input": {"contents": {"id": "d1", "text": "gold", "system": "reference"}}},
    ]
    outcome = convert(
        "chaganty2018",
        file(tmp_path, "articles.jsonl", '{"id": "d1", "text": "article"}\n'),
        tar(tmp_path / "data.tar.gz", {"./lqual.jsonl": "\n".join(map(json.dumps, outputs))}),
        file(tmp_path, "lqual.jsonl", "\n".join(map(json.dumps, judged)) + "\n"),
    )
    assert outcome.files["documents.jsonl"][0]["documents"] == [{"text": "article"}]
    assert [r["summarizer_id"] for r in outcome.files["metrics.jsonl"]] == ["ml", "ml+rl"]
    scores = outcome.files["metrics.jsonl"][0]["metrics"]["chaganty2018"]
    assert scores["hter"] == [1.0, 0.5]
    assert scores["rouge-su4"] == {"recall": 0.6}
    first = outcome.files["summaries.jsonl"][0]
    assert first["summary"] == {
        "summarizer_id": "ml", "summarizer_type": "peer", "text": "shared",
    }  # fmt: skip
    assert first["references"] == [
        {"summarizer_id": "reference", "summarizer_type": "reference", "text": "gold"}
    ]
    assert outcome.warnings == ["judged twice, the last counts: 'd1/ml+rl'"]


def test_vasilyev2020(tmp_path: Path) -> None:
    generic = [{"text": t, "summary": "s", "scores": [1, 2]} for t in ("a ", "b", "a")]
    aspects = {
        n: {"scores": [3]}
        for n in ("Fluent", "Understandable", "Informative", "Compact", "Overall")
    }
    outcome = convert(
        "vasilyev2020",
        file(tmp_path, "DailyNews_300.json", json.dumps(generic)),
        file(
            tmp_path, "DailyNews_300_aspects.json",
            json.dumps([{"text": "a", "summary": "s", "map_quality_scores": aspects}]),
        ),
    )  # fmt: skip
    records = outcome.files["dailynews.metrics.jsonl"]
    assert [(r["instance_id"], r["summarizer_id"]) for r in records] == [
        ("0", "0"), ("1", "1"), ("0", "2"),
    ]  # fmt: skip
    assert records[0]["metrics"] == {"generic_quality": [1, 2]}
    assert outcome.files["dailynews-aspects.metrics.jsonl"][0]["metrics"]["compact"] == [3]
    assert outcome.files["dailynews.summaries.jsonl"][0]["document"] == {"text": "a"}


def test_kryscinski2019(tmp_path: Path) -> None:
    claim = {
        "id": "c1", "claim": "It is so.", "label": "CORRECT",
        "filepath": "cnndm/cnn/stories/0a.story",
    }  # fmt: skip
    annotated = tar(
        tmp_path / "unpaired_annotated_data.tar.gz",
        {"unpaired_annotated_data/val/data-dev.jsonl": json.dumps(claim) + "\n\n"},
    )
    stories = tar(
        tmp_path / "cnn_stories.tgz",
        {"cnn/stories/0a.story": "Some text.\n\nMore.\n\n@highlight\n\nshort"},
    )
    (record,) = convert("kryscinski2019", annotated, stories).files["valid.jsonl"]
    assert record["document"] == {"text": "Some text. More."}
    assert (record["summary"], record["label"]) == ({"text": "It is so."}, "CORRECT")
    with pytest.raises(FormatError, match="is in none of the archives"):
        convert("kryscinski2019", annotated)


def test_claims_with_any_characters_and_of_one_article(tmp_path: Path) -> None:
    claims = ["one\u2028two", "three\u0085four", "five"]
    lines = [
        json.dumps(
            {
                "id": id_,
                "claim": claim,
                "label": "CORRECT",
                "filepath": "cnndm/cnn/stories/0a.story",
            },
            ensure_ascii=False,
        )
        for id_, claim in zip(("c1", "c1", "c2"), claims, strict=True)
    ]
    annotated = tar(tmp_path / "unpaired.tar.gz", {"x/test/data-dev.jsonl": "\n".join(lines)})
    stories = tar(tmp_path / "cnn_stories.tgz", {"cnn/stories/0a.story": "Some text."})
    outcome = convert("kryscinski2019", annotated, stories)
    records = outcome.files["test.jsonl"]
    assert [record["summary"]["text"] for record in records] == claims
    assert [(r["instance_id"], r["summarizer_id"]) for r in records] == [
        ("c1", "kryscinski2019"), ("c1", "kryscinski2019-2"), ("c2", "kryscinski2019"),
    ]  # fmt: skip
    assert outcome.warnings == [
        "test: 1 claim about an article with an earlier claim: their summarizers are numbered"
    ]
    write(outcome, str(tmp_path / "out"))
    files = Files([str(tmp_path / "out" / "test.jsonl")])
    assert len(score_files([parse("simetrix")], files).records) == 3


def test_multiling2019(tmp_path: Path) -> None:
    path = tmp_path / "summary_eval_v2.zip"
    rows = [
        "summary,score,models,sources",
        'M001/greek/s.txt,0.5,"M001/greek/m1.txt,M001/greek/m2.txt",M001/greek/d.txt',
        "M001/greek/s.txt,,M001/greek/m1.txt,M001/greek/d.txt",
    ]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("v2/train/data.csv", "\n".join(rows) + "\n")
        for name in ("s", "m1", "m2", "d"):
            archive.writestr(f"v2/train/M001/greek/{name}.txt", f"line of {name}\n\nmore\n")
    outcome = convert("multiling2019", path)
    (record,) = outcome.files["el/summaries.jsonl"]
    assert record["summary"] == {"text": ["line of s", "more"]}
    assert [r["text"][0] for r in record["references"]] == ["line of m1", "line of m2"]
    assert outcome.files["el/metrics.jsonl"][0]["metrics"] == {"multiling2019_score": 0.5}
    assert outcome.warnings == ["1 summary without a score left out"]
    assert write(outcome, str(tmp_path / "out"))["el/metrics.jsonl"] == 1


TAC_TEXTS = {
    "ROUGE/models/D0901-A.M.100.B.A": "human one\n\nmore\n",
    "ROUGE/models/D0901-A.M.100.B.C": "human two\n",
    "ROUGE/peers/D0901-A.M.100.B.7": "system\n",
    "ROUGE/peers/D0901-B.M.100.B.7": "update\n",
}


def rouge_line(*values: float) -> str:
    recall, precision, f1 = values
    return f"7 ROUGE-2 Eval D0901-A.M.100.B.7 R:{recall} P:{precision} F:{f1}\n"


def test_tac2009(tmp_path: Path) -> None:
    members = {
        **TAC_TEXTS,
        "manual/manual.model.A": "D0901-A A 9 1 2 0.51 8 9\n",
        "manual/manual.peer.A": "D0901-A 7 0.31 5 1 2 3 0.29 4 5\n",
        "ROUGE/rouge_A.m.out": "7 ROUGE-2 Average_R: 0.1 (x)\n" + rouge_line(0.1, 0.2, 0.15),
        "ROUGE/rougejk_A.m.out": rouge_line(0.1, 0.1, 0.1) + rouge_line(0.3, 0.1, 0.1),
        "README": "not read",
    }
    outcome = convert(
        "tac2009",
        tar(tmp_path / "u.tar.gz", {f"UpdateSumm09_eval/{k}": v for k, v in members.items()}),
        tar(
            tmp_path / "a.tar.gz",
            {"AESOP09_eval/data/aesop_allpeers_A": "s t 1 2\ns7 t1 0.5 NaN\n"},
        ),
    )
    found = {r["summarizer_id"]: r["metrics"] for r in outcome.files["task1.A.metrics.jsonl"]}
    assert found["A"] == {
        "num_scus_jk": 9, "modified_pyramid_score_jk": 0.51,
        "linguistic_quality": 8, "overall_responsiveness": 9,
    }  # fmt: skip
    peer = found["7"]
    assert (peer["modified_pyramid_score"], peer["num_scus"], peer["num_repetitions"]) == (
        0.31,
        5,
        1,
    )
    assert peer["modified_pyramid_score_jk"] == 0.29
    assert peer["rouge-2"]["recall"] == pytest.approx(10)
    assert peer["rouge-2_jk"]["recall"] == pytest.approx(20)
    assert peer["aesop"] == {"1": 0.5}
    summaries = outcome.files["task1.A.summaries.jsonl"]
    assert [r["summarizer_id"] for r in summaries] == ["7", "A", "C"]
    assert [r["summarizer_id"] for r in summaries[0]["references"]] == ["A", "C"]
    assert [r["text"] for r in summaries[2]["references"]] == [["human one", "more"]]
    assert [r["instance_id"] for r in outcome.files["task1.B.summaries.jsonl"]] == ["d0901-B"]
    assert len(outcome.files["task1.A-B.summaries.jsonl"]) == 4
    assert outcome.warnings == [
        "task1.A-B: 2 summaries without judgement and score",
        "task1.*.jsonl are not written: there are no topics and documents",
        "there are no pyramids in the archives",
    ]


def test_tac2008_has_a_column_less(tmp_path: Path) -> None:
    members = {
        "ROUGE/peers/D0801-A.M.100.B.7": "system\n",
        "manual/manual.peer": "D0801-A 7 0.31 5 1 2 0.29 4 5\n",
    }
    path = tar(tmp_path / "u.tgz", {f"UpdateSumm08_eval/{k}": v for k, v in members.items()})
    (record,) = convert("tac2008", path).files["task1.A.metrics.jsonl"]
    assert record["metrics"]["modified_pyramid_score_jk"] == 0.29
    assert record["metrics"]["overall_responsiveness"] == 5
    with pytest.raises(OptionError, match="hold no summaries"):
        convert("tac2008", tar(tmp_path / "x.tgz", {"README": "x"}))


def test_archives_that_are_none(tmp_path: Path) -> None:
    broken = file(tmp_path, "unpaired.tar.gz", "no archive")
    for name in ("kryscinski2019", "multiling2019"):
        with pytest.raises(FormatError, match="not an archive"):
            convert(name, broken)


BAD = {
    "no instance": ("wide-table", "x.csv", "system,s\nA,1\n", "there is no column 'instance_id'"),
    "uneven": ("wide-table", "x.csv", "system,item,score\nA,1\n", "the row has 2 cells"),
    "empty": ("wide-table", "x.csv", "", "the table is empty"),
    "same names": ("wide-table", "x.csv", "a,a\n1,2\n", "two columns have one name"),
    "wmt name": ("wmt-scores", "x.txt", "A\t1\n", "must end in .seg.score"),
    "wmt words": ("wmt-scores", "x.seg.score", "A\thigh\n", "expected a system and a score"),
    "wmt twice": ("wmt-scores", "x.sys.score", "A\t1\nA\t2\n", "occurs twice"),
    "mqm severity": (
        "mqm", "x.tsv",
        "system\tseg_id\trater\tcategory\tseverity\nA\t1\tr\tStyle\tAwful\n", "is unknown",
    ),
    "summeval": ("summeval", "x.jsonl", '{"id": "a"}\n', "$.model_id must be a str"),
    "summeval json": ("summeval", "x.jsonl", "{\n", "this is not JSON"),
    "realsumm": ("realsumm", "abs.json", '{"1": {}}', "$.ref_summ must be a str"),
    "realsumm pickle": ("realsumm", "abs.pkl", "no pickle", "this is not a pickle"),
    "hf row": ("hf-json", "x.jsonl", '{"a": "b"}\n', "no document and no output"),
    "hf json": ("hf-json", "x.jsonl", '{"text": "b"}\n{"text"\n', "this is not JSON"),
    "hf texts": ("hf-json", "x.jsonl", '{"text": [1]}\n', "$.text must be a text"),
    "hf outputs": ("hf-json", "x.jsonl", '{"id": 1, "output": ["a", "b"]}\n', "must be one text"),
    "hf columns": ("hf-json", "x.json", '{"text": ["a"], "id": []}', "different lengths"),
    "hf type": (
        "hf-json", "x.json", '{"output": "a", "summarizer_type": "x"}', "must be 'peer' or",
    ),
    "wcep": ("wcep", "test.jsonl", '{"summary": "x"}\n', "an event needs articles"),
    "wcep split": ("wcep", "x.jsonl", "{}\n", "does not say whether it is train"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_named(tmp_path: Path, name: str) -> None:
    data, file_name, content, message = BAD[name]
    with pytest.raises(KaratError) as caught:
        convert(data, file(tmp_path, file_name, content))
    assert message in caught.value.headline
    assert str(tmp_path) in caught.value.headline


def test_every_row_of_the_catalog_loads() -> None:
    for row in DATASETS:
        with pytest.raises(OptionError, match="needs files"):
            row.convert([])
        with pytest.raises(KaratError):
            row.convert(["absent.train.src.seg.score", "absent.train.tgt"])
    with pytest.raises(OptionError, match="did you mean 'summeval'"):
        dataset("sumeval")


def test_the_command(karat: Karat, tmp_path: Path) -> None:
    path = file(tmp_path, "x.csv", "system,item,score\nA,1,2\n")
    run = karat("setup", "dataset", "wide-table", path, "-o", tmp_path / "out")
    assert run.returncode == 0, run.stderr
    assert "metrics.jsonl: 1 record" in run.stdout
    about = json.loads((tmp_path / "out" / "dataset.json").read_text())
    assert about["signature"] == f"wide-table()|karat:{VERSION}"
    assert about["records"] == {"metrics.jsonl": 1}
    assert about["signature"] in run.stdout
    split = karat("setup", "dataset", "wide-table", path, "-o", tmp_path, "--split-sentences")
    assert (split.returncode, split.stderr.splitlines()[0]) == (
        2, "OptionError K367: the texts of 'wide-table' are not split into sentences",
    )  # fmt: skip
    assert karat("setup", "dataset", "wide-table", path).returncode == 2
    for arguments in (("setup", "dataset"), ("list", "datasets")):
        assert "summeval" in karat(*arguments).stdout
    listed = json.loads(karat("list", "datasets", "--json").stdout)
    assert [row["name"] for row in listed] == [row.name for row in DATASETS]
