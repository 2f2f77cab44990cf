"""Topics, documents, pyramids and annotations of TAC, on small archives in their layouts."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import msgspec
import pytest

from archives import tarred
from karat.errors import FormatError
from karat.meta.datasets.catalog import dataset
from karat.meta.datasets.writing import write
from karat.text.pyramid import Annotation, Pyramid


def convert(name: str, *paths: Path) -> Any:
    return dataset(name).convert([str(path) for path in paths])


def pyramid(topic: str) -> str:
    """Two summaries; one SCU in both, one in the second."""
    texts = [f"{topic}.M.100.B.A", "Rain fell.", f"{topic}.M.100.B.C", "It rained and blew."]
    whole = "\n".join(texts)
    lines = "".join(f"<line>{line}</line>" for line in texts)

    def scu(uid: int, label: str, *parts: str) -> str:
        contributors = "".join(
            f'<contributor label="{part}"><part label="{part}" start="{whole.index(part)}" '
            f'end="{whole.index(part) + len(part)}"/></contributor>'
            for part in parts
        )
        return f'<scu uid="{uid}" label="{label}">{contributors}</scu>'

    return (
        "<pyramid><startDocumentRegEx>D\\d+-[AB]\\.M\\.100\\.[A-Z]\\.[A-Z]</startDocumentRegEx>"
        f"<text>{lines}</text>{scu(11, 'there was rain (2.0)', 'Rain fell', 'It rained')}"
        f"{scu(12, 'there was wind (1.0)', 'blew')}</pyramid>"
    )


def annotation(uid: int, label: str) -> str:
    return (
        "<peerAnnotation><annotation><text><line>Much rain.</line></text>"
        f'<peerscu uid="{uid}" label="(2) {label} (2.0)"><contributor label="rain">'
        '<part label="rain" start="5" end="9"/></contributor></peerscu>'
        '<peerscu uid="99" label="(1) not known (1.0)"><contributor label="Much">'
        '<part label="Much" start="0" end="4"/></contributor></peerscu>'
        '<peerscu uid="0" label="All non-matching SCUs go here"/></annotation></peerAnnotation>'
    )


STORY = (
    '<DOC id="AFP_ENG_20050119.0019" type="story" >\n<HEADLINE>\nRain &amp; wind\n</HEADLINE>\n'
    "<TEXT>\n<P>\nIt\nrained.\n</P>\n<P>\nIt blew.\n</P>\n</TEXT>\n</DOC>\n"
)
OTHER = '<DOC id="XIN_ENG_20050120.0001" type="other" >\n<TEXT>\nOne\n\ntwo\n</TEXT>\n</DOC>\n'
TOPICS_2008 = """<?xml version="1.0"?>
<!DOCTYPE tac [<!ELEMENT topic (title, narrative)>]>
<tac><topic id="D0801A"><title> Storms </title><narrative> Describe the storm.
</narrative><docsetA id="D0801A-A"><doc id="AFP_ENG_20050119.0019" /></docsetA>
<docsetB id="D0801A-B"><doc id="XIN_ENG_20050120.0001" /></docsetB></topic></tac>
"""


def evaluation(folder: Path, year: str, topic: str, scus: tuple[int, str]) -> Path:
    members: dict[str, str | bytes] = {}
    for group in "AB":
        name = f"{topic}-{group}"
        members |= {
            f"ROUGE/models/{name}.M.100.B.A": "Rain fell.\n",
            f"ROUGE/models/{name}.M.100.B.C": "It rained and blew.\n",
            f"ROUGE/peers/{name}.M.100.B.7": "Much rain.\n",
            f"manual/pyramids/{name}.M.100.B.pyr": pyramid(name),
            f"manual/peers/{name}.M.100.B.7": annotation(*scus),
            f"manual/manual.peer.{group}": f"{name} 7 0.31 5 1 2 3 0.29 4 5\n",
            f"manual/manual.model.{group}": f"{name} A 9 1 2 0.51 8 9\n{name} C 9 1 2 0.5 8 9\n",
        }
    path = folder / f"eval{year}.tgz"
    path.write_bytes(tarred({f"Summ{year}_eval/{k}": v for k, v in members.items()}))
    return path


def test_tac2008_is_whole(tmp_path: Path) -> None:
    inner = tarred(
        {
            "docs/D0801A/D0801A-A/AFP_ENG_20050119.0019": STORY,
            "docs/D0801A/D0801A-B/XIN_ENG_20050120.0001": OTHER,
        }
    )
    documents = tmp_path / "documents.tgz"
    documents.write_bytes(tarred({"TAC2008_Documents/test_docs_files.tar.gz": inner}))
    topics = tmp_path / "UpdateSumm08_test_topics.xml.txt"
    topics.write_text(TOPICS_2008)
    outcome = convert(
        "tac2008", topics, documents, evaluation(tmp_path, "08", "D0801", (11, "there was rain"))
    )
    assert sorted(outcome.files) == sorted(
        f"task1.{group}{part}.jsonl"
        for group in ("A", "B", "A-B")
        for part in ("", ".summaries", ".metrics", ".pyramids", ".pyramid-annotations")
    )
    (record,) = outcome.files["task1.A.jsonl"]
    assert record == {
        "instance_id": "d0801-A",
        "selector": "A",
        "topic": {"title": "Storms", "narrative": ["Describe the storm."]},
        "documents": [
            {
                "filename": "AFP_ENG_20050119.0019",
                "document_type": "story",
                "headline": "Rain & wind",
                "date": "2005-01-19",
                "text": ["It rained.", "It blew."],
            }
        ],
        "summaries": [
            {"annotator": "A", "text": ["Rain fell."]},
            {"annotator": "C", "text": ["It rained and blew."]},
        ],
    }
    assert outcome.files["task1.B.jsonl"][0]["documents"][0]["text"] == ["One two"]
    both = [r["instance_id"] for r in outcome.files["task1.A-B.jsonl"]]
    assert both == ["d0801-A", "d0801-B"]
    (found,) = outcome.files["task1.A.pyramids.jsonl"]
    assert found["instance_id"] == "d0801-A"
    assert list(found["summarizer_ids"]) == ["A", "C"]
    assert [(scu["scu_id"], len(scu["contributors"])) for scu in found["scus"]] == [
        (11, 2),
        (12, 1),
    ]
    (peer,) = outcome.files["task1.B.pyramid-annotations.jsonl"]
    assert (peer["instance_id"], peer["summarizer_id"]) == ("d0801-B", "7")
    assert [(scu["scu_id"], scu["label"]) for scu in peer["scus"]] == [(11, "there was rain")]
    assert len(outcome.files["task1.A-B.pyramid-annotations.jsonl"]) == 2
    assert outcome.warnings == []
    write(outcome, str(tmp_path / "out"))
    # The files are what the metric of pyramids reads.
    for name, kind in (("pyramids", Pyramid), ("pyramid-annotations", Annotation)):
        for line in (tmp_path / "out" / f"task1.A-B.{name}.jsonl").read_text().splitlines():
            msgspec.json.decode(line, type=kind)


TOPICS_2011 = """<!-- <topic> says what is asked for -->
<topics><topic id = "D1101A" category = "2"><title> Attack </title>
<docsetA id = "D1101A-A"><doc id = "AFP_ENG_20050119.0019.LDC2009T13" />
<doc id = "AFP_ENG_20050119.7777.LDC2009T13" /></docsetA>
<docsetB id = "D1101A-B"><doc id = "XIN_ENG_20050120.0001.LDC2009T13" /></docsetB></topic></topics>
"""


def test_tac2011_takes_gigaword_and_matches_labels(tmp_path: Path) -> None:
    gigaword = tmp_path / "gigaword" / "data"
    for name, text in {
        "afp_eng_200501": OTHER.replace("XIN", "AFP") + STORY,
        "xin_eng_200501": OTHER,
        "xin_eng_199901": "never read: \ufffd",
    }.items():
        folder = gigaword / name[:7]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    topics = tmp_path / "GuidedSumm11_test_topics.xml.txt"
    topics.write_text(TOPICS_2011)
    # 777 is not a number of the pyramid; its label is.
    archive = evaluation(tmp_path, "2011", "D1101", (777, "there  was rain"))
    outcome = convert("tac2011", archive, topics, tmp_path / "gigaword")
    (record,) = outcome.files["task1.A.jsonl"]
    assert record["topic"] == {"title": "Attack", "category": "Attacks"}
    assert [text["filename"] for text in record["documents"]] == ["AFP_ENG_20050119.0019"]
    (peer,) = outcome.files["task1.A.pyramid-annotations.jsonl"]
    assert [scu["scu_id"] for scu in peer["scus"]] == [11]
    assert outcome.warnings == [
        "1 listed document not found",
        "the annotations number SCUs in another way than the pyramids: they are matched by "
        "their labels, 2 have none there and are left out",
    ]


def test_pyramids_of_both_groups_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "e.tgz"
    members = {
        "E/ROUGE/peers/D1101-A.M.100.B.7": "x\n",
        "E/manual/pyramids/D1101-AB.M.100.B.pyr": pyramid("D1101-A"),
    }
    path.write_bytes(tarred(members))
    outcome = convert("tac2011", path)
    assert "1 pyramid of both groups left out" in outcome.warnings
    assert "task1.A.pyramids.jsonl" not in outcome.files


@pytest.mark.parametrize(
    ("topics", "said"),
    [
        ('<topic id="X1"><title>t</title></topic>', "a topic needs an id such as D0801A"),
        ('<topic id="D0801A"></topic>', "a topic needs an id such as D0801A and a title"),
        ('<topic id="D0801A" category="9"><title>t</title></topic>', "'9' is not a category"),
    ],
)
def test_bad_topics(tmp_path: Path, topics: str, said: str) -> None:
    path = tmp_path / "test_topics.xml"
    path.write_text(topics)
    with pytest.raises(FormatError, match=said):
        convert("tac2010", path)
