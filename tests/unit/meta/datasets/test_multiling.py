"""MultiLing 2011 to 2017 and the New York Times, on small archives in their layouts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from archives import tarred, zipped
from karat.errors import FormatError, KaratError, LimitExceeded, OptionError
from karat.meta.datasets.catalog import dataset
from karat.meta.datasets.writing import write


def convert(name: str, *paths: Path) -> Any:
    return dataset(name).convert([str(path) for path in paths])


def stored(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


EVALUATION = "PublishedEvaluation/"
PARTS_2011: dict[str, dict[str, str | bytes]] = {
    "SourceTextsV1.0": {
        "SourceTexts/M0012.english": "second\n\nmore\n",
        "SourceTexts/M0011.english": "first\n",
        "SourceTexts/readme": "x",
    },
    "ModelSummaries": {
        "English/M001.A.english.250": "human a\n\nend\n",
        "__MACOSX/English/._M001.A.english.250": b"\x00\x05\x16\x07",
        "English/M001.B.english.250": b"human b \xff\n",
    },
    "PeerSummaries": {"MultiLing/ID3/English/M001.250": "peer\n"},
    "EvaluationResults": {
        f"{EVALUATION}HumanEvaluation/englishGrades.csv": (
            '"Topic" "Summary" "x" "y" "Grade" "z" "Aware"\n'
            '"M001" "ID3" 1 2 4 100 3.5\n"M001" "ID3" 1 2 5 100 4.5\n'
        ),
        f"{EVALUATION}AutomaticEvaluation/AutoSummENG/Detailed/englishDetailed.csv": (
            "Topic System AutoSummENG MeMoG\nM001 ID3 0.1 0.25\n"
        ),
        f"{EVALUATION}AutomaticEvaluation/ROUGE/Detailed/englishDetailed.txt": (
            "3 ROUGE-2 Average_R: 0.1 (95%-conf.int. 0.1 - 0.1)\n"
            "3 ROUGE-2 Eval 3.ID3 R:0.5 P:0.25 F:0.125\n"
        ),
        f"{EVALUATION}AutomaticEvaluation/ROUGE/Summary.txt": "not read",
    },
}


def corpus_2011(folder: Path, **changed: dict[str, str | bytes]) -> Path:
    parts = {**PARTS_2011, **changed}
    inner = {
        f"PublishedCorpusFileSet/MultiLingPilot2011-{name}.zip": zipped(members)
        for name, members in parts.items()
        if members
    }
    return stored(folder, "corpus.zip", zipped(inner))


def test_multiling2011(tmp_path: Path) -> None:
    outcome = convert("multiling2011", corpus_2011(tmp_path))
    (cluster,) = outcome.files["en.jsonl"]
    assert cluster == {
        "instance_id": "M001",
        "documents": [
            {"filename": "M0011.english", "text": ["first"]},
            {"filename": "M0012.english", "text": ["second", "more"]},
        ],
        "summaries": [
            {"annotator": "A", "text": ["human a", "end"]},
            {"annotator": "B", "text": ["human b �"]},
        ],
    }
    peer, human, _ = outcome.files["en.summaries.jsonl"]
    assert (peer["summarizer_id"], peer["summarizer_type"]) == ("3", "peer")
    assert [r["summarizer_id"] for r in peer["references"]] == ["A", "B"]
    assert [r["summarizer_id"] for r in human["references"]] == ["B"]
    (scored,) = outcome.files["en.metrics.jsonl"]
    assert scored["instance_id"] == "M001"
    assert scored["metrics"] == {
        "grade": [4, 5],
        "length_aware_grade": [3.5, 4.5],
        "MeMoG": 0.25,
        "rouge-2": {"recall": 50, "precision": 25, "f1": 12.5},
    }
    assert write(outcome, str(tmp_path / "out"))["en.metrics.jsonl"] == 1


def test_multiling2011_is_whole_or_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"MultiLingPilot2011-PeerSummaries\.zip"):
        convert("multiling2011", corpus_2011(tmp_path, PeerSummaries={}))
    wrong: dict[str, str | bytes] = {"X/ID3/Klingon/M001.250": "x"}
    with pytest.raises(FormatError, match="'Klingon' is not a language"):
        convert("multiling2011", corpus_2011(tmp_path, PeerSummaries=wrong))
    wrong = {f"{EVALUATION}HumanEvaluation/englishGrades.csv": "head\nM001 ID3 high\n"}
    with pytest.raises(FormatError, match="expected 7 cells, found 3"):
        convert("multiling2011", corpus_2011(tmp_path, EvaluationResults=wrong))
    nested = {"A/MultiLingPilot2011-SourceTexts.zip": b"PK no archive"}
    with pytest.raises(FormatError, match="no archive"):
        convert("multiling2011", stored(tmp_path, "bad.zip", zipped(nested)))


def test_nothing_leaves_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that point elsewhere are only names; contents beyond the limit are refused."""
    changed = {**PARTS_2011["SourceTextsV1.0"], "../../evil/M0013.english": "third\n"}
    inside = tmp_path / "deep" / "er"
    inside.mkdir(parents=True)
    outcome = convert("multiling2011", corpus_2011(inside, **{"SourceTextsV1.0": changed}))
    assert outcome.files["en.jsonl"][0]["documents"][2]["text"] == ["third"]
    assert {path.name for path in tmp_path.rglob("*")} == {"deep", "er", "corpus.zip"}
    huge = {**PARTS_2011["ModelSummaries"], "English/M001.C.english.250": "x" * 5000}
    corpus = corpus_2011(tmp_path, ModelSummaries=huge)
    monkeypatch.setattr("karat.meta.datasets.archives._LARGEST", 4000)
    with pytest.raises(LimitExceeded):
        convert("multiling2011", corpus)


HASH = "0123456789abcdef0123456789abcdef"


def parts_2013(folder: Path) -> list[Path]:
    return [
        stored(
            folder,
            "sds.tar.bz2",
            tarred(
                {
                    f"multilingpilot2013/body/text/en/{HASH}_body.txt": "Body. Next\n\nmore\n",
                    f"multilingpilot2013/summary/en/{HASH}_summary.txt": "Sum. End.\n",
                    "multilingpilot2013/body/text/de/ohne.txt": "Allein\n",
                },
                "w:bz2",
            ),
        ),
        stored(folder, "docs.zip", zipped({"SourceTextsV2b/M1047.chinese": "doc\n"})),
        stored(
            folder,
            "models.zip",
            zipped(
                {
                    "ModelSummaries/chinese/M104.A.chinese.250": "a\n",
                    "ModelSummaries/chinese/M104.B.chinese.250": "b\n",
                }
            ),
        ),
        stored(
            folder, "peers.zip", zipped({"PeerSummaries/ID2/chinese/M104.chinese.250": "peer\n"})
        ),
        stored(
            folder,
            "grades.zip",
            zipped(
                {
                    "Grades/all.csv": "topic\tid\tlang\tx\ty\tgrade\n"
                    "M104\tID2\tchinese\t-\t-\t3\nM104\tID2\tchinese\t-\t-\t4.5\n"
                    "M104\tA\tchinese\t-\t-\t5\n"
                }
            ),
        ),
    ]


def test_multiling2013(tmp_path: Path) -> None:
    paths = parts_2013(tmp_path)
    outcome = convert("multiling2013", *reversed(paths))
    assert outcome.files["sds/en.jsonl"] == [
        {
            "instance_id": HASH,
            "document": {"filename": HASH, "text": ["Body.", "Next", "more"]},
            "summary": {"text": ["Sum.", "End."]},
        }
    ]
    assert outcome.files["sds/de.jsonl"][0]["instance_id"] == "ohne"
    assert "1 article has no summary" in outcome.warnings
    (cluster,) = outcome.files["mds/zh.jsonl"]
    assert [text["annotator"] for text in cluster["summaries"]] == ["A", "B"]
    human, _, peer = outcome.files["mds/zh.summaries.jsonl"]
    assert [r["text"] for r in human["references"]] == [["b"]]
    assert peer["summarizer_type"] == peer["summary"]["summarizer_type"] == "peer"
    scores = {r["summarizer_id"]: r["metrics"] for r in outcome.files["mds/zh.metrics.jsonl"]}
    assert scores == {
        "A": {"overall_responsiveness": [5]},
        "ID2": {"overall_responsiveness": [3, 4.5]},
    }
    plain = dataset("multiling2013").convert([str(path) for path in paths], False)
    assert plain.files["sds/en.jsonl"][0]["document"]["text"] == ["Body. Next", "more"]


def test_the_open_part_of_multiling2013(tmp_path: Path) -> None:
    articles, *clusters = parts_2013(tmp_path)
    parts = [
        "SourceTextsV2b.zip", "ModelSummaries.zip", "PeerSummaries.zip",
        "MultiDocument-ManualGrades.zip",
    ]  # fmt: skip
    for given, missing in ((0, parts), (3, parts[3:])):
        outcome = convert("multiling2013", articles, *clusters[:given])
        assert sorted(outcome.files) == ["sds/de.jsonl", "sds/en.jsonl"]
        assert outcome.warnings == [
            f"the files in mds are not written: {'; '.join(missing)} not given",
            "1 article has no summary",
        ]
    closed = convert("multiling2013", *clusters)
    assert sorted(closed.files) == [
        "mds/zh.jsonl",
        "mds/zh.metrics.jsonl",
        "mds/zh.summaries.jsonl",
    ]
    lacking = "sds/LANGUAGE.jsonl are not written: multilingpilot2013.tar.bz2 not given"
    assert closed.warnings[0] == lacking
    with pytest.raises(
        OptionError, match="files of MultiLing 2013 are missing: multilingpilot2013"
    ):
        convert("multiling2013", *clusters[1:])


def test_multiling2015(tmp_path: Path) -> None:
    top = "Evaluation_MultiLing2015_MSS/mss-submits"
    paths = [
        stored(
            tmp_path,
            "sds.tar.gz",
            tarred(
                {
                    f"multilingMss2015Eval/body/text/en/{HASH}_body.txt": "Body\n",
                    f"multilingMss2015Eval/summary/en/{HASH}_summary.txt": "Sum\n",
                }
            ),
        ),
        stored(
            tmp_path,
            "evaluation.tar.gz",
            tarred(
                {
                    f"{top}/original/human/en/1/{HASH}.txt": "gold\n",
                    f"{top}/original/TEAM/en/run1/{HASH}.txt": "system\n\nout\n",
                    f"{top}/original/TEAM/en/run2/{HASH}.txt": "\n",
                    f"{top}/original/TEAM/fr/run1/{HASH}.txt": "sans\n",
                    f"{top}/truncated/TEAM/en/run1/{HASH}.txt": "sys\n",
                }
            ),
        ),
        stored(
            tmp_path,
            "train.zip",
            zipped(
                {
                    "Training/english/M001/M0011.english": "train doc\n",
                    "Training/english/M001/M001.A.250": "train sum\n",
                }
            ),
        ),
        stored(
            tmp_path,
            "test.zip",
            zipped(
                {
                    "Source/english/M0011.english": "train doc\n",
                    "Source/english/M0042.english": "test doc\n",
                }
            ),
        ),
    ]
    outcome = convert("multiling2015", *paths)
    assert outcome.files["sds/en.jsonl"][0]["summary"] == {"text": ["Sum"]}
    (record,) = outcome.files["sds/en.summaries.jsonl"]
    assert record["summarizer_id"] == "TEAM-run1"
    assert record["summary"]["text"] == ["system", "out"]
    assert [r["summarizer_id"] for r in record["references"]] == ["human-1"]
    (train,) = outcome.files["mds/en.train.jsonl"]
    assert train["summaries"] == [{"annotator": "A", "text": ["train sum"]}]
    assert outcome.files["mds/en.test.jsonl"] == [
        {"instance_id": "M004", "documents": [{"filename": "M0042.english", "text": ["test doc"]}]}
    ]
    assert outcome.warnings == [
        "1 submitted summary without a reference left out",
        "1 empty submitted summary left out",
    ]
    made = [["sds/en.jsonl"], ["sds/en.summaries.jsonl", "sds/fr.summaries.jsonl"],
            ["mds/en.train.jsonl"], ["mds/en.test.jsonl"]]  # fmt: skip
    for path, names in zip(paths, made, strict=True):
        part = convert("multiling2015", path)
        assert sorted(part.files) == names
        assert sum("are not written" in warning for warning in part.warnings) == 3
    with pytest.raises(OptionError, match="nothing of MultiLing 2015 is in the files given"):
        convert("multiling2015", stored(tmp_path, "x.zip", zipped({"a/b/c.txt": "x"})))


def test_multiling2017(tmp_path: Path) -> None:
    submissions = "Evaluation/MultiLing17_Submissions"
    data = stored(
        tmp_path,
        "data.tgz",
        tarred(
            {
                f"2017_test_data/body/text/de/{HASH}_body.txt": "Text\n",
                f"2017_test_data/body/text/en/{HASH}_body.txt": "A text. More.\n",
                f"2017_test_data/body/text/simple/{HASH}_body.txt": "Text\n",
            }
        ),
    )
    evaluation = stored(
        tmp_path,
        "evaluation.tgz",
        tarred(
            {
                f"Evaluation/2017_summaries/de/{HASH}_summary.txt": "Gold. Mehr.\n",
                f"Evaluation/2017_summaries/en/{HASH}_summary.txt": "Gold. More.\n",
                f"{submissions}/TEAM/run1/en/{HASH}.txt": "Out. More.\n",
                f"{submissions}/baselines2017/lead/de/{HASH}_lead.txt": "Lead\n",
                f"{submissions}/baselines2017/lead/de/{HASH}_body.txt": "Text\n",
                f"{submissions}/baselines2017/2017_summaries/de/{HASH}_summary.txt": "Again\n",
                f"{submissions}/baselines2017/lead/simple/{HASH}_lead.txt": "Lead\n",
                f"{submissions}/TEAM/run1/de/{HASH}.txt": "Out\n",
            }
        ),
    )
    outcome = convert("multiling2017", data, evaluation)
    assert sorted(outcome.files) == [
        "sds/de.jsonl", "sds/de.summaries.jsonl", "sds/en.jsonl", "sds/en.summaries.jsonl",
    ]  # fmt: skip
    assert outcome.files["sds/de.jsonl"][0]["summary"] == {"text": ["Gold. Mehr."]}
    (english,) = outcome.files["sds/en.summaries.jsonl"]
    assert english["summary"]["text"] == ["Out.", "More."]
    assert english["references"][0]["text"] == ["Gold.", "More."]
    assert outcome.files["sds/en.jsonl"][0]["document"]["text"] == ["A text.", "More."]
    records = outcome.files["sds/de.summaries.jsonl"]
    assert [(r["summarizer_id"], r["summary"]["text"]) for r in records] == [
        ("TEAM-run1", ["Out"]),
        ("lead", ["Lead"]),
    ]
    assert [r["text"] for r in records[0]["references"]] == [["Gold. Mehr."]]
    assert outcome.warnings == []
    with pytest.raises(OptionError, match=r"2017_test_data\.tgz"):
        convert("multiling2017", evaluation)


def nitf(number: int, *, hl1: str = "Head", abstract: str = "<p>Short.</p>", more: str = "") -> str:
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE nitf SYSTEM "http://www.nitf.org/nitf-3-3.dtd"{more}>
<nitf><head>
<meta content="7" name="publication_day_of_month"/><meta content="1" name="publication_month"/>
<meta content="1998" name="publication_year"/>
<docdata><doc-id id-string="{number}"/></docdata></head>
<body><body.head><hedline><hl1>{hl1}</hl1><hl2>Second</hl2></hedline>
<abstract>{abstract}</abstract></body.head>
<body.content><block class="lead_paragraph"><p>Lead</p></block>
<block class="full_text"><p>One.</p><p> </p><p>Two <em>and</em> three.</p></block></body.content>
</body></nitf>"""


def nyt(folder: Path, articles: Mapping[int, str]) -> Path:
    month = tarred({f"01/07/{number}.xml": text for number, text in articles.items()})
    members = {"nyt_corpus/data/1998/01.tgz": month, "nyt_corpus/docs/readme.txt": "x"}
    return stored(folder, "nyt.tgz", tarred(members))


def test_nytimes(tmp_path: Path) -> None:
    articles = {
        1: nitf(1),
        2: nitf(2, hl1=" "),
        3: nitf(3, abstract="<p>a</p><p>b</p>"),
        4: nitf(4),
    }
    corpus = nyt(tmp_path, articles)
    lists = {"train": "1\n3\n", "valid": "2\n", "test": "0000009\n"}
    paths = [stored(tmp_path, f"mapping_{k}.txt", v.encode()) for k, v in lists.items()]
    outcome = convert("nytimes", corpus, *paths)
    assert outcome.files["train.jsonl.gz"] == [
        {
            "instance_id": "1",
            "document": {
                "date": "1998-01-07",
                "headline": "Head",
                "text": ["One.", "Two and three."],
            },
            "summary": {"text": "Short."},
        }
    ]
    assert outcome.files["valid.jsonl.gz"][0]["document"]["headline"] == "Second"
    assert outcome.files["test.jsonl.gz"] == []
    assert outcome.warnings == [
        "train has 1 article, the published one 137778",
        "valid has 1 article, the published one 17222",
        "test has 0 articles, the published one 17223",
        "1 article without headline, text or abstract of one paragraph",
        "1 id without an article",
    ]


def test_nytimes_refuses(tmp_path: Path) -> None:
    train = stored(tmp_path, "mapping_train.txt", b"1\n")
    with pytest.raises(OptionError, match="lists of ids are needed"):
        convert("nytimes", nyt(tmp_path, {1: nitf(1)}))
    with pytest.raises(FormatError, match="is in train as well"):
        convert("nytimes", train, stored(tmp_path, "mapping_test.txt", b"1\n"))
    with pytest.raises(FormatError, match="an id is a number"):
        convert("nytimes", stored(tmp_path, "mapping_valid.txt", b"one\n"))
    hostile = nitf(1, more=' [<!ENTITY a "boom">]')
    with pytest.raises(KaratError, match="document types and entities"):
        convert("nytimes", nyt(tmp_path, {1: hostile}), train)


def test_files_without_a_record_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "summary_eval_v2.zip"
    path.write_bytes(zipped({"v2/train/data.csv": "summary,score,models,sources\n"}))
    with pytest.raises(FormatError, match="K163: nothing of this data set is in the files"):
        write(convert("multiling2019", path), str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()
