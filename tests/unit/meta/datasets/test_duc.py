"""The data sets of DUC, from small archives laid out like the originals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from archives import Members, tarred
from karat.errors import FormatError, KaratError, OptionError
from karat.meta.datasets.archives import every_file
from karat.meta.datasets.catalog import dataset
from karat.meta.datasets.reading import elements, paragraphs
from karat.text.formats.ducview import parse_ducview


def tar(path: Path, members: Members) -> Path:
    path.write_bytes(tarred(members))
    return path


def text(path: Path, content: str) -> Path:
    path.write_text(content)
    return path


def convert(name: str, *paths: Path) -> Any:
    return dataset(name).convert([str(path) for path in paths])


def metrics(outcome: Any, name: str) -> dict[tuple[str, str], Any]:
    return {
        (record["instance_id"], record["summarizer_id"]): record["metrics"]
        for record in outcome.files[f"{name}.metrics.jsonl"]
    }


# -- 2005 to 2007 --------------------------------------------------------------

DECLARED = """<!DOCTYPE pyramid [
 <!ELEMENT pyramid (startDocumentRegEx?,text,scu*)>
 <!ATTLIST scu uid CDATA #REQUIRED>
]>
"""


def pyramid(topic: str) -> str:
    """Two summaries; the first unit is in both, the second only in the first.

    The texts begin at 17 + the length of the topic: a line of 5 dashes, the header,
    a line of 5 dashes, each with its end.
    """
    header = f"{topic}.M.250.A."
    first = 6 + len(header) + 2 + 6
    second = first + len("Cats sleep. Dogs bark.") + 1 + first
    body = ["-----", f"{header}A", "-----", "Cats sleep. Dogs bark."]
    body += ["-----", f"{header}B", "-----", "All cats sleep."]
    rows = "".join(f"<line>{row}</line>" for row in body)
    return (
        f"<pyramid><text>{rows}</text>"
        '<scu uid="5" label="cats sleep (2.0)">'
        f'<contributor label="Cats sleep"><part label="Cats sleep" start="{first}" '
        f'end="{first + 10}"/></contributor>'
        f'<contributor label="cats sleep"><part label="cats sleep" start="{second + 4}" '
        f'end="{second + 14}"/></contributor></scu>'
        '<scu uid="6" label="dogs bark">'
        f'<contributor label="Dogs bark"><part label="Dogs bark" start="{first + 12}" '
        f'end="{first + 21}"/></contributor></scu></pyramid>'
    )


def pan(topic: str, summary: str = "My cats sleep.") -> str:
    return (
        f'<?xml version="1.0"?>\n{DECLARED}<peerAnnotation>{pyramid(topic)}<annotation>'
        f"<text><line>{summary}</line></text>"
        '<peerscu uid="5" label="(2) cats sleep (2.0)"><contributor label="cats sleep">'
        '<part label="cats sleep" start="3" end="13"/></contributor></peerscu>'
        '<peerscu uid="0" label="All non-matching SCUs"><contributor label="My">'
        '<part label="My" start="0" end="2"/></contributor></peerscu>'
        '<peerscu uid="6" label="(1) dogs bark"/></annotation></peerAnnotation>'
    )


def rouge(name: str, *recalls: float) -> str:
    rows = [f"1 ROUGE-2 Eval {name} R:{recall} P:0.5 F:0.25" for recall in recalls]
    return "\n".join(["1 ROUGE-2 Average_R: 0.1 (95%-conf.int. 0.1 - 0.1)", *rows, ""])


def table(*rows: str) -> str:
    return "\n".join(["Judgements", "", "Column 1: topic", "", "", "----", *rows, ""])


def document(body: str) -> str:
    return f"<DOC>\n<HEADLINE> Of\ncats </HEADLINE>\n<TEXT>\n{body}\n</TEXT>\n</DOC>\n"


def topics(*numbers: str) -> str:
    return "".join(
        f"<topic>\n<num> {number} </num>\n<title> Cats </title>\n"
        f"<narr>\nWhat do cats\ndo?\n</narr>\n<granularity> general </granularity>\n</topic>\n"
        for number in numbers
    )


def duc2005_files(folder: Path) -> list[Path]:
    results: Members = {
        "results/ROUGE/models/D301.M.250.I.A": "Cats sleep.\n\nDogs bark.\n",
        "results/ROUGE/models/D301.M.250.I.B": b"All c\xe4ts sleep.\n",
        "results/ROUGE/peers/D301.M.250.I.7": "My cats sleep.\n",
        "results/ROUGE/peers/D301.M.250.I.8": "\n",
        "results/ROUGE/rougejk.m.out": rouge("D301.M.250.I.7", 0.1, 0.3)
        + rouge("D301.M.250.I.A", 0.4),
        "results/responsiveness/responsiveness.table": table("D301 250 I 7 4", "D301 250 I A 5"),
        "results/linguistic_quality/linguistic_quality.table": table(
            "D301 250 I 7 1 3", "D301 250 I 7 5 2"
        ),
    }
    pyramids: Members = {
        "processed_pans.txt": "301 7 0.1 0.2 3 0\n301 7 0.5 0.6 4 1\n301 C 0.7 0.8 9 0\n",
        "pans/101.D301.M.250.I.7.pan": pan("D301"),
        "pans/101.D301.M.250.I.C.pan": pan("D301", "Some  cats sleep."),
        "pans/101.D301.M.250.I.9.pan": pan("D301", ""),
        "pans/101.D301.M.250.I.10.pan": "no XML",
    }
    inner = tarred(
        {"duc2005_docs/d301i/FT923-5267": document("Cats &amp; dogs.\n<P>Second\nline.</P>")}
    )
    return [
        tar(folder / "a.tar.gz", results),
        tar(folder / "b.tar.gz", pyramids),
        tar(folder / "c.tgz", {"DUC2005_Summarization_Documents/duc2005_docs.tar.gz": inner}),
        text(folder / "topics.sgml", topics("d301i")),
    ]  # fmt: skip


def test_duc2005(tmp_path: Path) -> None:
    outcome = convert("duc2005", *duc2005_files(tmp_path))
    assert list(outcome.files) == [
        "task1.jsonl", "task1.summaries.jsonl", "task1.metrics.jsonl",
        "task1.pyramids.jsonl", "task1.pyramid-annotations.jsonl",
    ]  # fmt: skip
    assert outcome.files["task1.jsonl"] == [
        {
            "instance_id": "d301",
            "selector": "I",
            "topic": {
                "title": "Cats",
                "narrative": ["What do cats do?"],
                "granularity": "general",
            },
            "documents": [
                {
                    "filename": "FT923-5267",
                    "headline": "Of cats",
                    "text": ["Cats & dogs.", "Second line."],
                }
            ],
            "summaries": [
                {"annotator": "A", "text": ["Cats sleep.", "Dogs bark."]},
                {"annotator": "B", "text": ["All c\ufffdts sleep."]},
            ],
        }
    ]
    scores = metrics(outcome, "task1")
    assert scores["d301", "7"].pop("rouge-2_jk") == {
        "recall": pytest.approx(20), "precision": pytest.approx(50), "f1": pytest.approx(25)
    }  # fmt: skip
    assert scores["d301", "7"] == {
        "responsiveness": 4,
        "linguistic_quality": {"Q1": 3, "Q5": 2},
        "pyramid_score": 0.5,
        "modified_pyramid_score": 0.6,
        "num_scus": 4,
        "num_repetitions": 1,
    }
    assert scores["d301", "A"]["responsiveness"] == 5
    summaries = outcome.files["task1.summaries.jsonl"]
    assert [record["summarizer_id"] for record in summaries] == ["7", "A", "B"]
    assert [record["summarizer_type"] for record in summaries] == ["peer", "reference", "reference"]
    assert [r["summarizer_id"] for r in summaries[0]["references"]] == ["A", "B"]
    assert [r["summarizer_id"] for r in summaries[1]["references"]] == ["B"]
    (found,) = outcome.files["task1.pyramids.jsonl"]
    assert found["summarizer_ids"] == ("A", "B")
    assert found["summaries"] == ("Cats sleep. Dogs bark.", "All cats sleep.")
    assert [len(scu["contributors"]) for scu in found["scus"]] == [2, 1]
    assert found["scus"][0]["contributors"][1]["parts"] == (
        {"text": "cats sleep", "start": 4, "end": 14},
    )
    system, human = outcome.files["task1.pyramid-annotations.jsonl"]
    assert (system["summarizer_id"], system["summarizer_type"]) == ("7", "peer")
    assert [scu["scu_id"] for scu in system["scus"]] == [5]
    assert (human["summarizer_id"], human["summarizer_type"]) == ("C", "reference")
    assert human["summary"] == "Some cats sleep."
    shown = "\n".join(outcome.warnings)
    assert "1 empty summary left out" in shown
    assert "1 summary without judgement" in shown
    assert "1 judged summary without text" in shown
    assert "D301.M.250.I.9.pan: the annotated summary is empty" in shown
    assert "D301.M.250.I.10.pan: left out: this is not XML" in shown


@pytest.mark.parametrize("absent", range(4))
def test_a_part_that_is_missing_is_named(tmp_path: Path, absent: int) -> None:
    files = duc2005_files(tmp_path)
    del files[absent]
    expected = ("ROUGE/models", "processed_pans.txt", "documents", "topics")[absent]
    with pytest.raises(OptionError, match="files of duc2005 are missing") as caught:
        convert("duc2005", *files)
    assert expected in str(caught.value)


def test_bad_rows_are_named(tmp_path: Path) -> None:
    for name, content, message in (
        ("responsiveness/responsiveness.table", "D301 250 I 7 high\n", "expected numbers"),
        ("responsiveness/responsiveness.table", "D301 250\n", "not a judgement"),
        ("processed_pans.txt", "301 7 0.1\n", "not a pyramid score"),
        ("ROUGE/rougejk.m.out", "1 ROUGE-2 Eval x R:1 P:1 F:1\n", "names no summary"),
        ("duc2005_docs/d301i/FT1", "<DOC>nothing</DOC>", "no element TEXT"),
        ("topics.sgml", "<topic><num>301</num></topic>", "a topic needs"),
    ):
        with pytest.raises(FormatError, match=message) as caught:
            convert("duc2005", tar(tmp_path / "x.tar", {name: content}))
        assert name in caught.value.headline


def test_duc2006(tmp_path: Path) -> None:
    files = [
        tar(
            tmp_path / "one.tar.gz",
            {
                "NISTeval/ROUGE/models/D0631.M.250.A.B": "Cats sleep.\n",
                "NISTeval/ROUGE/peers/D0631.M.250.A.1": "Cut off",
                "NISTeval/ROUGE/rougejk.m.out": rouge("D0631.M.250.A.1", 0.9),
                "NISTeval/responsiveness/overall.table": table("D0631 250 A 1 2"),
                "NISTeval/responsiveness/content.table": table("D0631 250 A 1 3"),
                "NISTeval/linguistic_quality/linguistic_quality.table": table("D0631 250 A 1 2 5"),
            },
        ),
        tar(
            tmp_path / "two.tar.gz",
            {
                "NISTeval2/ROUGE/peers/D0631.M.250.A.1": "Cats sleep all day.\n",
                "NISTeval2/ROUGE/peers/D0631.M.250.A.B": "Cats sleep.\n",
                "NISTeval2/ROUGE/rougejk.m.out": rouge("D0631.M.250.A.1", 0.2, 0.4),
                "NISTeval2/BE/simplejk.m.hm.out": rouge("D0631.M.250.A.1", 0.1)
                .replace("ROUGE-2", "ROUGE-BE-F"),
            },
        ),
        tar(
            tmp_path / "three.tar.gz",
            {
                "allpans/114.D0631.M.250.A.01.pan": pan("D0631"),
                "allpans/205.D0631.M.250.A.1.pan": pan("D0631", "Our cats sleep."),
                "allpyramids/D0631.pyr": pyramid("D0631"),
                "scoring/2006_modified_scores.txt": "D0631 01 0.25 3 1\n",
            },
        ),
        tar(
            tmp_path / "docs.tgz",
            {
                "x/duc2006_docs.tar.gz": tarred(
                    {"duc2006_docs/D0631C/NYT19990102.0003": document("Cats.")}
                )
            },
        ),
        text(tmp_path / "duc2006_topics.sgml", topics("D0631C")),
    ]  # fmt: skip
    outcome = convert("duc2006", *files)
    (documents,) = outcome.files["task1.jsonl"]
    assert documents["documents"][0]["date"] == "1999-01-02"
    assert documents["summaries"] == [{"annotator": "B", "text": ["Cats sleep."]}]
    system, human = outcome.files["task1.summaries.jsonl"]
    assert system["summary"]["text"] == ["Cats sleep all day."]
    assert (human["summarizer_id"], human["references"]) == ("B", [])
    scores = metrics(outcome, "task1")["d0631", "1"]
    assert scores.pop("rouge-2_jk")["recall"] == pytest.approx(30)
    assert scores.pop("rouge-be-f_jk")["recall"] == pytest.approx(10)
    assert scores == {
        "overall_responsiveness": 2,
        "content_responsiveness": 3,
        "linguistic_quality": {"Q2": 5},
        "modified_pyramid_score": 0.25,
        "num_scus": 3,
        "num_repetitions": 1,
    }
    (kept,) = outcome.files["task1.pyramid-annotations.jsonl"]
    assert (kept["summarizer_id"], kept["summary"]) == ("1", "My cats sleep.")
    several = outcome.files["task1.d0631.pyramid-annotations.jsonl"]
    assert [one["summary"] for one in several] == ["My cats sleep.", "Our cats sleep."]
    assert len(outcome.files["task1.pyramids.jsonl"]) == 1


def test_duc2007(tmp_path: Path) -> None:
    update: Members = {
        "updateEval/Responsiveness/content.table": table("D0703-A 100 A 1 2", "D0703-B 100 A 1 4"),
        "updateEval/Pyramid/scoring/2007_modified_scores.txt": "D0703-B 1 0.75 3 0\n",
    }
    documents: Members = {"duc2007_testdocs/main/D0701A/XIE19960514.0148": document("Main.")}
    for group in "ABC":
        name = f"D0703-{group}.M.100.A"
        update |= {
            f"updateEval/ROUGE/models/{name}.D": f"Model {group}.\n",
            f"updateEval/ROUGE/peers/{name}.1": f"System {group}.\n",
            f"updateEval/Pyramid/allpyramids/D0703-{group}-final.pyr": pyramid(f"D0703-{group}")
            .replace(f"D0703-{group}.M", "D0703.M"),
            f"updateEval/Pyramid/allpans/{name}.1.pan": pan("D0703"),
        }  # fmt: skip
        documents[f"duc2007_testdocs/update/D0703A/D0703A-{group}/APW19981027.0491"] = document(
            f"Document {group}."
        )
    update["updateEval/ROUGE/rougejk.m.out"] = rouge("D0703-C.M.100.A.1", 0.2)
    files = [
        tar(
            tmp_path / "1.tar.gz",
            {
                "mainEval/ROUGE/models/D0701.M.250.A.D": "Model.\n",
                "mainEval/ROUGE/peers/D0701.M.250.A.1": "System.\n",
                "mainEval/ROUGE/rougejk.m.out": rouge("D0701.M.250.A.1", 0.5),
                "mainEval/manual/content.table": table("D0701 250 A 1 3"),
                "mainEval/manual/linguistic_quality.table": table("D0701 250 A 1 1 4"),
            },
        ),
        tar(
            tmp_path / "2.tar.gz",
            {
                "mainPyramidEval/allpyramids/D0701-A.pyr": pyramid("D0701"),
                "mainPyramidEval/allpans/D0701.M.250.A.1.pan": pan("D0701"),
                "mainPyramidEval/scoring/2007_modified_scores.txt": "D0701 1 0.5 2 1\n",
            },
        ),
        tar(tmp_path / "3.tar.gz", update),
        tar(tmp_path / "4.tgz", {"y/duc2007_testdocs.tar.gz": tarred(documents)}),
        text(tmp_path / "duc2007_topics.sgml", topics("D0701A")),
        text(tmp_path / "duc2007_update_topics.sgml", topics("D0703A")),
    ]
    outcome = convert("duc2007", *files)
    kinds = ("", ".summaries", ".metrics", ".pyramids", ".pyramid-annotations")
    tasks = ("task1", "task2.A", "task2.B", "task2.C", "task2.A-B-C")
    assert set(outcome.files) == {f"{task}{kind}.jsonl" for task in tasks for kind in kinds}
    main = metrics(outcome, "task1")["d0701", "1"]
    assert main.pop("rouge-2_jk")["recall"] == pytest.approx(50)
    assert main == {
        "content_responsiveness": 3, "linguistic_quality": {"Q1": 4},
        "modified_pyramid_score": 0.5, "num_scus": 2, "num_repetitions": 1,
    }  # fmt: skip
    assert metrics(outcome, "task2.A") == {("d0703-A", "1"): {"content_responsiveness": 2}}
    assert metrics(outcome, "task2.B")["d0703-B", "1"]["modified_pyramid_score"] == 0.75
    assert list(metrics(outcome, "task2.C")["d0703-C", "1"]) == ["rouge-2_jk"]
    assert len(metrics(outcome, "task2.A-B-C")) == 3
    (own,) = outcome.files["task2.B.jsonl"]
    assert (own["instance_id"], own["selector"]) == ("d0703-B", "A")
    assert own["documents"][0]["text"] == ["Document B."]
    assert own["summaries"] == [{"annotator": "D", "text": ["Model B."]}]
    assert own["topic"]["title"] == "Cats"
    for group in "ABC":
        (found,) = outcome.files[f"task2.{group}.pyramids.jsonl"]
        assert found["instance_id"] == f"d0703-{group}"
        assert len(outcome.files[f"task2.{group}.pyramid-annotations.jsonl"]) == 1
    assert outcome.files["task1.pyramids.jsonl"][0]["instance_id"] == "d0701"
    assert outcome.files["task1.pyramid-annotations.jsonl"][0]["instance_id"] == "d0701"


# -- 2001 to 2004 --------------------------------------------------------------


def marked(name: str, headline: str, *sentences: str) -> str:
    rows = [f'<s docid="{name}" num="{i}" wdcount="2"> {s}</s>' for i, s in enumerate(sentences, 2)]
    first = f'<s docid="{name}" num="1" wdcount="1"> {headline}</s>'
    return f"<DOC>\n<HEAD>{first}</HEAD>\n<TEXT>\n" + "\n".join(rows) + "\n</TEXT>\n</DOC>\n"


def summed(document: str, body: str) -> str:
    return f'<SUM\nDOCSET="d061j"\nSIZE="100"\nDOCREF="{document}"\nSUMMARIZER="B">\n{body}</SUM>\n'


def seen(*units: str) -> str:
    rows = [
        f'<a name="{i}">[{i}]</a> <a href="#{i}" id={i}>{u}</a>' for i, u in enumerate(units, 1)
    ]
    return "<html>\n<body>\n" + "\n".join(rows) + "\n</body>\n</html>\n"


def duc2002_files(folder: Path) -> list[Path]:
    person: Members = {
        "./extracts_abstracts/d061jb/perdocs": summed("AP880911-0016", "A storm\ncame.")
        + summed("AP880912-0095", "It left."),
        "./extracts_abstracts/d061jb/400e": '<SUM><s docid="AP880912-0095" num="3">x</s></SUM>',
        "./extracts_abstracts/d061jb/200e": '<SUM><s docid="AP880911-\r\n0016" num="2">of <s>'
        '<s docid="AP880912-0095" num="1">x</s><s docid="AP880912-0095" num="4">y</s></SUM>',
    }
    peers: Members = {"peers/D061.P.100.J.15.AP880911-0016.html": seen("Storm &amp; rain.", " ")}
    humans: Members = {"manual/D061.P.100.J.B.AP880911-0016.html": seen("A storm came.")}
    for length in ("10", "50", "100", "200"):
        person[f"./extracts_abstracts/d061jb/{length}"] = summed("", f"About {length}.")
        peers[f"peers/D061.M.{int(length):03}.J.15.html"] = seen(f"System {length}.")
        humans[f"manual/D061.M.{int(length):03}.J.B.html"] = seen(f"Human {length}.")
    inner = tarred(
        {
            "x/docs/d061j/AP880911-0016.S": marked("AP880911-0016", "Head", "A storm.", "It came."),
            "x/docs/d061j/AP880912-0095.S": marked("AP880912-0095", "Two", "It left.", "All well."),
            "x/docs/d061j/AP880912-0095": "not marked",
        }
    )
    results = folder / "results"
    for part in ("abstracts/phase1/SEEpeers", "abstracts/phase2", "extracts"):
        (results / part).mkdir(parents=True)
    tar(results / "abstracts/phase1/SEEpeers/submittedpeers.tar.gz", peers)
    tar(results / "abstracts/phase1/SEEpeers/manualpeers.tar.gz", humans)
    numbers = "0.2 5 3 2 6 0.31 0.32 0.33 0.41 0.42 0.43"
    answers = "0 1 2 3 4 0 0 0 0 0 0 4"
    text(
        results / "abstracts/phase1/short.results.table",
        "Columns\n1. docset\n\n"
        f"D061 M ------------- 050 a b c d 15 e {answers} {numbers}\n"
        f"D061 P AP880911-0016 100 a b c d 15 e {' '.join('-' * 12)} {numbers}\n",
    )
    text(results / "abstracts/phase2/short.results.table", "D061 another table\n")
    text(
        results / "extracts/extracts.results.table",
        "Columns\n\nD061 M 200 J 19 a b c d e f 0.5 0.25\nD061 M 200 J 19 a b c d e f 0.75 1\n"
        "D061 M 400 J 19 a b c d e f 0.1 0.2\n",
    )
    return [
        tar(folder / "a.tar.gz", person),
        tar(folder / "docs.tgz", {"y/duc2002testdocswithsentences.tar.gz": inner}),
        results,
    ]


def test_duc2002(tmp_path: Path) -> None:
    outcome = convert("duc2002", *duc2002_files(tmp_path))
    whole = [f"task{n}" for n in ("1", "2.10", "2.50", "2.100", "2.200")]
    assert set(outcome.files) == {
        f"{task}{kind}.jsonl" for task in whole for kind in ("", ".summaries", ".metrics")
    } | {f"task2.{n}e{kind}.jsonl" for n in (200, 400) for kind in ("", ".metrics")}
    one, other = outcome.files["task1.jsonl"]
    assert one == {
        "instance_id": "AP880911-0016",
        "documents": [{"filename": "AP880911-0016", "text": ["A storm.", "It came."]}],
        "summaries": [{"annotator": "B", "text": ["A storm came."]}],
    }
    assert other["summaries"] == [{"annotator": "B", "text": ["It left."]}]
    system, human = outcome.files["task1.summaries.jsonl"]
    assert (system["instance_id"], system["summarizer_id"]) == ("AP880911-0016", "15")
    assert system["summary"]["text"] == ["Storm & rain."]
    assert [r["text"] for r in system["references"]] == [["A storm came."]]
    assert human["references"] == []
    units = {
        "unmarked_units_related_to_subject": 0.2, "num_peer_units": 5, "num_marked_peer_units": 3,
        "num_unmarked_peer_units": 2, "num_model_units": 6,
        "coverage": {"mean": 0.31, "median": 0.32, "std": 0.33},
        "length_adjusted_coverage": {"mean": 0.41, "median": 0.42, "std": 0.43},
    }  # fmt: skip
    assert metrics(outcome, "task1") == {("AP880911-0016", "15"): units}
    quality = metrics(outcome, "task2.50")["d061", "15"]["peer_quality"]
    assert list(quality) == [f"Q{i}" for i in range(1, 13)]
    assert (quality["Q2"], quality["Q5"], quality["Q12"]) == (1, 4, 4)
    assert metrics(outcome, "task2.100") == {}
    (cluster,) = outcome.files["task2.10.jsonl"]
    assert (cluster["instance_id"], len(cluster["documents"])) == ("d061", 2)
    assert cluster["summaries"] == [{"annotator": "B", "text": ["About 10."]}]
    texts = [r["summary"]["text"] for r in outcome.files["task2.200.summaries.jsonl"]]
    assert texts == [["System 200."], ["Human 200."]]
    (extract,) = outcome.files["task2.200e.jsonl"]
    assert extract["documents"][0]["text"] == ["Head", "A storm.", "It came."]
    assert extract["summaries"] == [
        {
            "annotator": "B",
            "labels": [{"doc_index": 0, "sent_index": 1}, {"doc_index": 1, "sent_index": 0}],
        }
    ]
    assert metrics(outcome, "task2.200e") == {
        ("d061", "19"): {"sentence_precision": [0.5, 0.75], "sentence_recall": [0.25, 1]}
    }
    assert metrics(outcome, "task2.400e")["d061", "19"]["sentence_recall"] == [0.2]
    assert "task2.200e: 1 sentence in no document of the topic" in outcome.warnings


def test_duc2002_names_what_is_missing_and_bad_rows(tmp_path: Path) -> None:
    files = duc2002_files(tmp_path)
    (files[2] / "abstracts/phase1/SEEpeers/submittedpeers.tar.gz").unlink()
    (files[2] / "abstracts/phase1/SEEpeers/manualpeers.tar.gz").unlink()
    with pytest.raises(OptionError, match=r"peers of task 1.*; peers of 10 words"):
        convert("duc2002", *files)
    (files[2] / "abstracts/phase1/short.results.table").write_text("D061 M 1 2\n")
    with pytest.raises(FormatError, match="a row has 4 columns, not 33"):
        convert("duc2002", *files)
    table = files[2] / "extracts/extracts.results.table"
    for length in ("inf", "nan", "1.5", "1e999"):
        table.write_text(f"D061 M {length} J 19 a b c d e f 0.5 0.25\n")
        (files[2] / "abstracts/phase1/short.results.table").write_text("")
        with pytest.raises(FormatError, match="expected a whole number, found"):
            convert("duc2002", *files)


def test_duc2002_has_no_sentence_with_a_number_of_thousands_of_digits(tmp_path: Path) -> None:
    files = duc2002_files(tmp_path)
    extract = f'<SUM><s docid="AP880912-0095" num="{"9" * 5000}">x</s></SUM>'
    more = tar(tmp_path / "more.tar.gz", {"./extracts_abstracts/d061jc/400e": extract})
    outcome = convert("duc2002", *files, more)
    assert "task2.400e: 1 sentence in no document of the topic" in outcome.warnings


TOPICS = """Topics for task 2, from TDT

30003. Pinochet Trial

Seminal Event
     WHAT: A former ruler,
     who is old, is arrested.
     WHO: Pinochet
     WHERE: London
     WHEN: October 1998
     Topic Explication: He was a ruler. The topic
     covers 17000 cases.

     Rule of Interpretation Rule 3: Legal cases

30005. Osama bin Laden Indictment

Seminal Event
     WHAT: An indictment
     WHERE: New York
     Topic Explication: More
"""

QUESTIONS = """<top>
<num> Number: 305
<title> Bridges
<desc> Description:
Which bridges
are unsafe?
<desc2> Description:
Unsafe bridges.
<narr> Narrative:
All of them.
</top>
"""


def duc2003_files(folder: Path) -> list[Path]:
    results = folder / "results"
    tables = results / "original.results.corrected.improved.withPenaltyForExcess"
    tables.mkdir(parents=True)
    old = results / "original.results"
    old.mkdir()
    text(old / "short.results.table1", "D30003 of another kind\n")
    doc, numbers = "APW19981022.0269", "0.2 5 3 2 6 0.31 0.32 0.33 0.41 0.42 0.43"
    answers = "0 1 2 3 4 0 0 0 0 0 0 4"
    rows = {
        "1": f"D30003 P {doc} 10 a b c d 17 e f {' '.join('0' * 12)} {numbers}\n",
        "2": f"D30003 M ---- 100 a b c d 17 e f {answers} {numbers}\n",
        "3": f"D310 M ---- 100 a b c d 17 e f {answers} {numbers}\n",
        "4": f"D305 M ---- 100 a b c d 17 e f {answers} {numbers}\n",
    }
    for number, row in rows.items():
        text(tables / f"short.results.table{number}", row)
    text(results / "results.table.R.paired.noheader", "D305 100 17 F 3 G 4\n")
    text(results / "results.table.U.paired.noheader", "D30003 APW199810220269 10 17 F 1 G 2\n")
    tar(
        results / "detagged.duc2003.abstracts.tar.gz",
        {
            f"x/peer1.1/D30003.P.10.T.17.{doc}.html": "<html>" + seen("Ruler held")[6:],
            f"x/peer7.1/D30003.P.10.T.B.{doc}.html": "Ruler arrested\n\n",
            "x/peer2.2/D30003.M.100.T.17.html": seen("System two."),
            "x/peer3.3/D310.M.100.A.17.html": seen("System three."),
            "x/peer4.4/D305.M.100.A.17.html": seen("System four."),
        },
    )
    manual: Members = {
        f"m/D30003.P.10.T.B.{doc}": "Ruler arrested\n",
        "m/D30003.M.100.T.B": "He was\narrested.\n",
        "m/D310.M.100.A.C": "A view.\n",
        "m/D305.M.100.A.C": "An answer.\n",
    }
    base = "DUC2003_Summarization_Documents"
    graphic = "<DOC><GRAPHIC>Drawn.</GRAPHIC></DOC>"
    sentence = '<s docid="FT1" num="{}">{}</s>'
    return [
        tar(folder / "m.tar.gz", manual),
        results,
        tar(
            folder / "d.tgz",
            {
                f"{base}/testdata/task1/task1.docs.tar.gz": tarred(
                    {f"d/docs/d30003t/{doc}": document("Held.")}
                ),
                f"{base}/testdata/task2/task2.docs.tar.gz": tarred(
                    {f"d/docs/d30003t/{doc}": document("Held."), "d/docs/d30099t/X": graphic}
                ),
                f"{base}/testdata/task2/topics": TOPICS,
                f"{base}/testdata/task3/task3.docs.tar.gz": tarred(
                    {"d/docs/d310a/FT3": document("Three.")}
                ),
                f"{base}/testdata/task3/viewpoints.given.to.systems.tar.gz": tarred(
                    {"v/p/d310ac/v": '<VIEWPOINT\nDOCSET="d310a"\nCREATOR="c">\nFrom\nafar.\n'
                     "</VIEWPOINT>"}
                ),
                f"{base}/testdata/task4/task4.docs.tar.gz": tarred(
                    {"d/docs/d305a/FT1": document("Four.")}
                ),
                f"{base}/testdata/task4/duc.novelty_topics.txt": QUESTIONS,
                f"{base}/testdata/task4/task4.sentences.tar.gz": tarred(
                    {"s/t/305.rel": '<s docid="FT1" num="2" novel>b</s><s docid="FT1" num="1">a'
                     '</s><s docid="FT9" num="1">z</s>'}
                ),
                f"{base}/trec2002_novelty_docs/305": "<DOC>"
                + sentence.format(1, "One bridge.") + sentence.format(2, "Two.") + "</DOC>",
            },
        ),
    ]  # fmt: skip


def test_duc2003(tmp_path: Path) -> None:
    files = duc2003_files(tmp_path)
    outcome = convert("duc2003", *files)
    assert set(outcome.files) == {
        f"task{n}{kind}.jsonl" for n in "1234" for kind in ("", ".summaries", ".metrics")
    } | {"task4.sentence-labels.jsonl"}
    doc = "APW19981022.0269"
    assert outcome.files["task1.jsonl"] == [
        {
            "instance_id": doc,
            "documents": [{"filename": doc, "text": ["Held."]}],
            "summaries": [{"annotator": "B", "text": ["Ruler arrested"]}],
        }
    ]
    event, drawn = outcome.files["task2.jsonl"]
    assert event["topic"] == {
        "title": "Pinochet Trial",
        "event": {
            "what": "A former ruler, who is old, is arrested.",
            "who": "Pinochet",
            "where": "London",
            "when": "October 1998",
        },
        "explication": ["He was a ruler. The topic covers 17000 cases."],
    }
    assert event["summaries"] == [{"annotator": "B", "text": ["He was", "arrested."]}]
    assert (drawn["documents"][0]["text"], "topic" in drawn) == (["Drawn."], False)
    assert "task2: d30099 has documents, but no topic" in outcome.warnings
    assert outcome.files["task3.jsonl"][0]["viewpoint"] == "From afar."
    question = {
        "title": "Bridges", "description1": "Which bridges are unsafe?",
        "description2": "Unsafe bridges.", "narrative": ["All of them."],
    }  # fmt: skip
    assert outcome.files["task4.jsonl"][0]["question"] == question
    (relevant,) = outcome.files["task4.sentence-labels.jsonl"]
    assert relevant == {
        "instance_id": "d305",
        "question": question,
        "documents": [{"filename": "FT1", "text": ["One bridge.", "Two."]}],
        "summaries": [{"annotator": "C", "text": ["An answer."]}],
        "relevance_labels": [
            {"doc_index": 0, "sent_index": 1, "is_novel": True},
            {"doc_index": 0, "sent_index": 0, "is_novel": False},
        ],
    }
    assert "task4.sentence-labels: 1 sentence in no document" in outcome.warnings
    system, human = outcome.files["task1.summaries.jsonl"]
    assert system["summary"]["text"] == ["Ruler held"]
    assert human["summary"]["text"] == ["Ruler arrested"]
    one = metrics(outcome, "task1")[doc, "17"]
    assert one["usefulness"] == [1, 2]
    assert "peer_quality" not in one
    assert one["length_adjusted_coverage"] == {"mean": 0.41, "median": 0.42, "std": 0.43}
    two = metrics(outcome, "task2")["d30003", "17"]
    assert (two["peer_quality"]["Q5"], two["peer_quality"]["Q12"]) == (4, 4)
    assert (two["num_peer_units"], two["coverage"]["mean"]) == (5, 0.31)
    assert metrics(outcome, "task3")["d310", "17"]["num_model_units"] == 6
    assert metrics(outcome, "task4")["d305", "17"]["responsiveness"] == [3, 4]
    with pytest.raises(OptionError, match=r"missing: summaries of people \(duc2003.manual"):
        convert("duc2003", *files[1:])


def test_duc2004(tmp_path: Path) -> None:
    numbers = "0.2 5 3 2 6 0.31 0.32 0.33"
    nested: dict[str, Members] = {
        "task1.ROUGE.models": {"m/D30001.P.10.T.A.APW19981016.0240": "Cambodia talks\n"},
        "task1.ROUGE.peers": {"p/D30001.P.10.T.1.APW19981016.0240": "Talks\n"},
        "task2.ROUGE.models": {"m/D30001.M.100.T.A": "Talks began. No.\n\nThey ended.\n"},
        "task2.ROUGE.peers": {"p/D30001.M.100.T.11": b"Talks \xff.\n"},
        "task3.ROUGE.peers": {"p/D30001.P.10.T.1.AFA19981016.0240.x": "not read"},
        "task5.ROUGE.models": {"m/D132.M.100.D.E": "She led.\n"},
        "task5.ROUGE.peers": {"p/D132.M.100.D.12": "He led.\n"},
    }
    results: Members = {
        f"duc2004_results/ROUGE/duc2004.{name}.tar.gz": tarred(members)
        for name, members in nested.items()
    }
    results |= {
        "duc2004_results/SEE/short.results.table2": "Columns\n\n"
        f"D30001 M 100 a b c d 11 1 2 3 4 5 1 2 {numbers}\n",
        "duc2004_results/SEE/short.results.table5": "Columns\n"
        f"D132 M 100 a b c d 12 0 0 0 0 0 0 5 {numbers}\n",
        "duc2004_results/Responsiveness/results.table.R": "Columns\n\nD132 100 D 12 3\n",
    }
    base = "DUC2004/duc2004_testdata"
    documents: Members = {
        f"{base}/tasks1and2/docs/d30001t/APW19981016.0240": document("One."),
        f"{base}/task5/duc2004_task5_docs/docs/d132d/NYT19981017.0001": document("Two."),
        f"{base}/task5/duc2004.task5.topicsets": "Topics\n\nd132d\tWho is she?\n",
    }  # fmt: skip
    files = [tar(tmp_path / "r.tgz", results), tar(tmp_path / "d.tgz", documents)]
    outcome = convert("duc2004", *files)
    assert set(outcome.files) == {
        "task1.jsonl", "task1.summaries.jsonl",
        "task2.jsonl", "task2.summaries.jsonl", "task2.metrics.jsonl",
        "task5.jsonl", "task5.summaries.jsonl", "task5.metrics.jsonl",
    }  # fmt: skip
    text_one = {"filename": "APW19981016.0240", "text": ["One."], "date": "1998-10-16"}
    assert outcome.files["task1.jsonl"] == [
        {
            "instance_id": "APW19981016.0240",
            "documents": [text_one],
            "summaries": [{"annotator": "A", "text": ["Cambodia talks"]}],
        }
    ]
    (cluster,) = outcome.files["task2.jsonl"]
    assert (cluster["instance_id"], cluster["documents"]) == ("d30001", [text_one])
    lines = ["Talks began. No.", "They ended."]
    assert cluster["summaries"] == [{"annotator": "A", "text": lines}]
    split = outcome.files["task2.summaries.jsonl"][0]["references"][0]["text"]
    assert split == ["Talks began.", "No.", "They ended."]
    plain = dataset("duc2004").convert([str(path) for path in files], False)
    assert plain.files["task2.summaries.jsonl"][0]["references"][0]["text"] == lines
    (person,) = outcome.files["task5.jsonl"]
    assert (person["instance_id"], person["topic"]) == ("d132", "Who is she?")
    single = outcome.files["task1.summaries.jsonl"]
    assert [(r["instance_id"], r["summarizer_id"]) for r in single] == [
        ("APW19981016.0240", "1"), ("APW19981016.0240", "A"),
    ]  # fmt: skip
    assert outcome.files["task2.summaries.jsonl"][0]["summary"]["text"] == ["Talks \ufffd."]
    assert metrics(outcome, "task2") == {
        ("d30001", "11"): {
            "peer_quality": {"Q1": 1, "Q2": 2, "Q3": 3, "Q4": 4, "Q5": 5, "Q6": 1, "Q7": 2},
            "unmarked_units_related_to_subject": 0.2, "num_peer_units": 5,
            "num_marked_peer_units": 3, "num_unmarked_peer_units": 2, "num_model_units": 6,
            "coverage": {"mean": 0.31, "median": 0.32, "std": 0.33},
        }
    }  # fmt: skip
    five = metrics(outcome, "task5")["d132", "12"]
    assert (five["responsiveness"], five["peer_quality"]["Q7"]) == (3, 5)
    with pytest.raises(OptionError, match="documents of tasks 1 and 2; documents of task 5"):
        convert("duc2004", files[0])


def test_duc2001(tmp_path: Path) -> None:
    base = "DUC2001_Summarization_Documents/data"
    unended = summed("AP880911-0016", "A storm\ncame.").replace('"B">', '"B"')
    members: Members = {
        f"{base}/training/d01a/docs/SJMN91-06184003": "<DOC><LEADPARA>First.;\nNext one\n"
        'goes on.;   "End.";  </LEADPARA>\n<TEXT>Last; really.</TEXT></DOC>',
        f"{base}/training/d01a/d01aa/perdocs": summed("SJMN91-06184003", "Short."),
        f"{base}/test/docs/d35f/AP880911-0016": "<DOC><TEXT>\n   One\ntwo.\n"
        "   Three.\n</TEXT></DOC>",
        f"{base}/test/docs/d35f/AP890515-0232": document("More."),
        f"{base}/test/docs/d35f/FBIS-41815~": "a copy",
        f"{base}/test/original.summaries/d35ff/perdocs": unended + summed("APP890515-0232", "M."),
        f"{base}/test/duplicate.summaries/d35fg/perdocs": summed("AP880911-0016", "Storm.")
        + summed("AP000000-0000", "Lost."),
    }  # fmt: skip
    for length in ("50", "100", "200", "400"):
        members[f"{base}/training/d01a/d01aa/{length}"] = summed("", f"Train {length}.")
        members[f"{base}/test/original.summaries/d35ff/{length}"] = summed("", f"Test {length}.")
        members[f"{base}/test/duplicate.summaries/d35fg/{length}"] = summed("", f"Too {length}.")
    path = tar(tmp_path / "x.tgz", members)
    outcome = convert("duc2001", path)
    assert set(outcome.files) == {
        f"{task}.jsonl"
        for part in ("train", "test")
        for task in (f"task1.{part}", *(f"task2.{part}.{n}" for n in (50, 100, 200, 400)))
    }
    (train,) = outcome.files["task1.train.jsonl"]
    assert train["documents"][0]["text"] == [
        "First.", "Next one goes on.", '"End."', "Last; really.",
    ]  # fmt: skip
    assert train["summaries"] == [{"annotator": "A", "text": ["Short."]}]
    one, other = outcome.files["task1.test.jsonl"]
    assert one["documents"][0]["text"] == ["One two.", "Three."]
    assert one["summaries"] == [
        {"annotator": "F", "text": ["A storm came."]}, {"annotator": "G", "text": ["Storm."]},
    ]  # fmt: skip
    assert (other["instance_id"], other["summaries"][0]["text"]) == ("AP890515-0232", ["M."])
    (cluster,) = outcome.files["task2.test.400.jsonl"]
    assert (cluster["instance_id"], len(cluster["documents"])) == ("d35", 2)
    assert [s["text"] for s in cluster["summaries"]] == [["Test 400."], ["Too 400."]]
    assert outcome.files["task2.train.50.jsonl"][0]["instance_id"] == "d01"
    assert outcome.warnings == [
        "task1.test: 1 summaries are of documents that are not there: AP000000-0000"
    ]
    del members[f"{base}/training/d01a/d01aa/400"]
    with pytest.raises(OptionError, match=r"missing: summaries of 400 words \(train\)"):
        convert("duc2001", tar(tmp_path / "x.tgz", members))


# -- what they read with ---------------------------------------------------------


def test_archives_are_read_in_place(tmp_path: Path) -> None:
    inner = tarred({"deep/b.txt": "b"})
    folder = tmp_path / "given"
    folder.mkdir()
    tar(folder / "x.tgz", {"../../escape.txt": "a", "inner.tar.gz": inner})
    text(folder / "plain.txt", "c")
    (folder / "link.txt").symlink_to(text(tmp_path / "outside.txt", "d"))
    found = dict(every_file(str(folder)))
    assert found == {
        "x.tgz/../../escape.txt": b"a",
        "x.tgz/inner.tar.gz/deep/b.txt": b"b",
        "plain.txt": b"c",
    }
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        "given", "link.txt", "outside.txt", "plain.txt", "x.tgz",
    ]  # fmt: skip
    for _ in range(4):
        inner = tarred({"inner.tar": inner})
    with pytest.raises(KaratError, match="archives in archives"):
        list(every_file(str(tar(tmp_path / "deep.tar", {"inner.tar": inner}))))
    with pytest.raises(FormatError, match="no such file"):
        list(every_file(str(tmp_path / "absent.tar")))
    with pytest.raises(FormatError, match="not an archive"):
        list(every_file(str(text(tmp_path / "broken.tar", "x"))))


def test_mark_up_need_not_be_closed() -> None:
    found = list(elements('<s docid=\'A\' num=1>one <s DOCID="B\n1" num = "2">two</s> rest', "s"))
    assert [(e.attributes, e.inner) for e in found] == [
        ({"docid": "A", "num": "1"}, "one "),
        ({"docid": "B\n1", "num": "2"}, "two"),
    ]
    assert paragraphs("\n   First one\ngoes on.\n   Second.\n\nThird.<P>Fourth.</P>") == [
        "First one goes on.", "Second.", "Third.", "Fourth.",
    ]  # fmt: skip


def test_declarations_of_ducview_are_passed_over_and_entities_are_not() -> None:
    assert parse_ducview(f'<?xml version="1.0"?>\n{DECLARED}<pyramid/>'.encode()).tag == "pyramid"
    with pytest.raises(Exception, match="entities are not allowed"):
        parse_ducview(b'<!DOCTYPE pyramid [<!ENTITY a "b">]><pyramid>&a;</pyramid>')
