"""The pages in a browser: what they show is what karat computes, and nothing else happens."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest

from karat.report.viewers import content
from karat.report.viewers.page import page
from karat.text.metrics.autosummeng import AutoSummEng
from karat.text.metrics.meteor import Meteor
from karat.text.metrics.pyramid import PyramidScore
from karat.text.metrics.rouge import Rouge
from karat.text.pyramid import Annotation, Pyramid

Probe = Callable[..., Any]
HOSTILE = "</script><img src=x onerror='document.title=1'><b>the dog</b> & barks \u2028 😀 כלב"
SUMMARIES: list[dict[str, Any]] = [
    {
        "instance_id": "d1",
        "summarizer_id": name,
        "summary": {"text": text},
        "references": [
            {"summarizer_id": "<i>A</i>", "text": ["The dogs barked loud.", "A cat slept there."]},
            {"summarizer_id": "B", "text": HOSTILE},
        ],
    }
    for name, text in (
        ("one", ["A dog barks.", "The cat sleeps, the cat sleeps."]),
        ("<script>two", HOSTILE),
    )
]
SUMMARIES.append(
    {"instance_id": "d2", "summarizer_id": "one", "summary": "x y", "references": ["x z"]}
)
PYRAMID: dict[str, Any] = {
    "instance_id": "d1",
    "summaries": ["😀 dogs bark. Cats sleep.", "Dogs bark."],
    "summarizer_ids": ["A", "<b>B"],
    "scus": [
        {
            "scu_id": 4,
            "label": "Cats <i>sleep",
            "contributors": [
                {"summary_index": 0, "parts": [{"text": "Cats sleep.", "start": 13, "end": 24}]}
            ],
        },
        {
            "scu_id": 7,
            "label": "Dogs bark",
            "contributors": [
                {"summary_index": 0, "parts": [{"text": "dogs bark.", "start": 2, "end": 12}]},
                {"summary_index": 1, "parts": [{"text": "Dogs bark.", "start": 0, "end": 10}]},
            ],
        },
    ],
}
ANNOTATION: dict[str, Any] = {
    "instance_id": "d1",
    "summarizer_id": "S1",
    "summarizer_type": "peer",
    "summary": "Today cats sleep.",
    "scus": [
        {
            "scu_id": 4,
            "contributors": [
                {"label": "cats sleep", "parts": [{"text": "cats sleep", "start": 6, "end": 16}]}
            ],
        }
    ],
}


def written(path: Path, records: list[Any]) -> str:
    path.write_text("\n".join(json.dumps(record) for record in records), "utf-8")
    return str(path)


@pytest.fixture
def rouge_page(tmp_path: Path) -> bytes:
    return page("rouge", content.summaries_in(written(tmp_path / "s.jsonl", SUMMARIES)))


@pytest.fixture
def pyramid_page(tmp_path: Path) -> bytes:
    found = content.pyramids_in(written(tmp_path / "p.jsonl", [PYRAMID]))
    found |= content.annotations_in([written(tmp_path / "a.jsonl", [ANNOTATION])])
    return page("pyramid", found)


class Elements(HTMLParser):
    """The tags of a page, with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_a_page_needs_nothing_else(rouge_page: bytes, pyramid_page: bytes) -> None:
    for each in (rouge_page, pyramid_page, page("rouge", {}), page("pyramid", {})):
        text = each.decode()
        found = Elements(text).found
        assert not {"src", "href"} & {name for _, attributes in found for name in attributes}
        assert not {"img", "i", "b", "link", "iframe"} & {tag for tag, _ in found}
        assert set(re.findall(r"https?://[^\"'` ]*", text)) == {"http://www.w3.org/2000/svg"}
        assert "innerHTML" not in text
        (policy,) = (
            attributes["content"] or "" for _, attributes in found if "http-equiv" in attributes
        )
        assert "unsafe" not in policy
        assert policy.startswith("default-src 'none'; script-src 'sha256-")
        assert sum(tag == "script" and "type" not in attributes for tag, attributes in found) == 1
    assert page("rouge", {}) == page("rouge", {})


SCORES = """
const names = texts($$("#scores tbody td:first-child"));
return figures("#scores tbody tr").map((values, i) => [names[i], ...values]);
"""


@pytest.mark.parametrize(
    ("fragment", "options", "references"),
    [
        ("i=d1&s=one", {}, [0, 1]),
        ("i=d1&s=one&st=0&sw=1&r=2&n=2&g=-1&su=0&rule=mean", {
            "use_porter_stemmer": False, "remove_stopwords": True, "max_ngram": 2,
            "skip_bigram_gap_length": -1, "skip_bigram_unigrams": False, "refs": "mean",
        }, [1]),
        ("i=d1&s=one&p=google&w=5", {"profile": "google", "max_words": 5}, [0, 1]),
        ("i=d1&s=<script>two&p=unicode&r=2&g=2", {
            "profile": "unicode", "skip_bigram_gap_length": 2,
        }, [1]),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:rouge. the profile")
def test_the_scores_on_the_page(
    probe: Probe, rouge_page: bytes, fragment: str, options: dict[str, Any], references: list[int]
) -> None:
    usual = {"compute_rouge_l": True}
    if "profile" not in options:
        usual |= {"wlcs_weight": 1.2, "skip_bigram_gap_length": 4}  # type: ignore[dict-item]
    record = SUMMARIES["two" in fragment]
    texts = [record["references"][i]["text"] for i in references]
    expected = Rouge(**{**usual, **options}).score(record["summary"]["text"], texts)
    found = probe(rouge_page, SCORES, fragment)
    assert {name: [float(each) for each in values] for name, *values in found} == {
        name: list(parts.values()) for name, parts in expected.items()
    }


def test_marks_and_hostile_texts(probe: Probe, rouge_page: bytes) -> None:
    found = probe(
        rouge_page,
        """
        const [own, first, second] = $$(".text");
        const before = {
          hits: texts(own.querySelectorAll(".hit-a")),
          clipped: texts(own.querySelectorAll(".clipped-a")),
          gold: texts(first.querySelectorAll(".hit-a")),
          text: second.querySelector(".words").textContent,
          names: texts($$(".text h3 bdi")),
        };
        const foreign = document.createElement("script");
        foreign.textContent = "document.title = 'foreign'";
        document.body.append(foreign);
        [...own.querySelectorAll(".t")].find((one) => one.textContent === "cat").click();
        await soon();
        return { ...before, images: $$("img, main b, main i").length, title: document.title,
          chosen: texts($$(".text .chosen")), hash: location.hash };
        """,
        "i=d1&s=one&m=rouge-1&r=1,2",
    )
    assert found["hits"] == ["A", "dog", "barks", "The", "cat", "sleeps"]
    assert found["clipped"] == ["the", "cat", "sleeps"]
    assert found["gold"] == ["The", "dogs", "barked", "A", "cat", "slept"]
    assert found["text"] == HOSTILE
    assert found["names"] == ["one", "<i>A</i>", "B"]
    assert found["images"] == 0
    assert found["title"] == "karat: ROUGE viewer"
    assert found["chosen"] == ["cat", "cat", "cat"]
    assert "t=cat" in found["hash"]


def test_graphs_and_alignments(probe: Probe, rouge_page: bytes) -> None:
    script = """
    const graph = figures("#graph-scores tbody tr");
    const lines = $$("svg.graph line").length;
    $("#view-alignment").click();
    await soon();
    const alignment = figures("#alignment-scores tbody tr");
    return { graph, lines, alignment, matches: $$("svg.alignment line").length };
    """
    found = probe(rouge_page, script, "i=d1&s=one&m=graph&r=1")
    record = SUMMARIES[0]
    system, gold = record["summary"]["text"], [record["references"][0]["text"]]
    graph = AutoSummEng().score(system, gold)
    assert [float(value) for (value,) in found["graph"]] == [*graph.values(), graph["AutoSummENG"]]
    assert found["lines"] > 0
    meteor = Meteor().explain(" ".join(system), [" ".join(gold[0])])
    assert found["matches"] == len(meteor["references"][0]["matched"])
    assert float(found["alignment"][0][-1]) == pytest.approx(meteor["scores"]["METEOR"], rel=1e-15)


def test_texts_that_are_too_long(probe: Probe, tmp_path: Path) -> None:
    text = "a b c d e " * 1100
    record = {**SUMMARIES[2], "summary": text, "references": [text]}
    found = probe(
        page("rouge", content.summaries_in(written(tmp_path / "s.jsonl", [record]))),
        """
        const told = $("[role=alert]").textContent;
        $("#measure-rouge-1").click();
        await until(() => $(".text"));
        const long = texts($$("#scores tr")).filter((row) => row.includes("too long")).length;
        return { told, long };
        """,
        "m=rouge-l",
    )
    assert found["told"].startswith("the texts are too long for their common subsequences")
    assert found["long"] == 2  # L and W


def test_two_systems_keys_and_deep_links(probe: Probe, rouge_page: bytes) -> None:
    found = probe(
        rouge_page,
        """
        const press = async (key) => {
          document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
          await soon();
          return [$("#i").value, $("#s").value, decodeURIComponent(location.hash)];
        };
        const head = $("#scores thead").textContent;
        const beside = { cards: $$(".text").length, marks: $$(".hit-b").length > 0, head };
        const keys = [];
        for (const key of "ArrowRight ArrowLeft j ] d ?".split(" ")) keys.push(await press(key));
        const open = $("#disagreement").open && $("#help").open;
        location.hash = "#i=d2";
        await soon();
        return { beside, keys, open, linked: $("#i").value };
        """,
        "i=d1&s=one&o=%3Cscript%3Etwo&m=rouge-1",
    )
    assert found["beside"]["cards"] == 4
    assert found["beside"]["marks"]
    assert "F ① − F ②" in found["beside"]["head"]
    right, left, system, measure, *_ = found["keys"]
    assert (right[0], left[0], system[:2]) == ("d2", "d1", ["d1", "<script>two"])
    assert "m=rouge-2" in measure[2]
    assert found["open"]
    assert found["linked"] == "d2"


DROP = """
const drop = async (...files) => {
  const data = new DataTransfer();
  for (const [name, content] of files) data.items.add(new File([content], name));
  const before = $("#message")?.textContent;
  document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
  await until(() => $("#message") && $("#message").textContent !== before);
};
"""


def test_files_that_are_dropped(probe: Probe) -> None:
    lines = "\n".join(json.dumps(record) for record in SUMMARIES)
    judged = "\n".join(
        json.dumps({"instance_id": i, "summarizer_id": "one", "metrics": {"grade": [grade, 5]}})
        for i, grade in (("d1", 1), ("d2", 4))
    )
    script = f"""
    {DROP}
    const before = $(".drop") !== null;
    await drop(["bad.jsonl", {json.dumps('{"id": 1, "text": 3}')}]);
    const wrong = $("#message").textContent;
    const plain = new Blob([{json.dumps(lines)}]).stream();
    const packed = new Response(plain.pipeThrough(new CompressionStream("gzip")));
    await drop(["s.jsonl.gz", await packed.arrayBuffer()], ["human.jsonl", {json.dumps(judged)}]);
    const told = $("#message").textContent;
    const measures = $$("#scores tbody tr").length;
    document.body.dispatchEvent(new KeyboardEvent("keydown", {{ key: "d", bubbles: true }}));
    await until(() => $("#disagreement-1"));
    const rows = $$("#disagreements tbody tr").map((row) => texts(row.cells));
    $("#disagreement-1").click();
    await soon();
    return {{ before, wrong, told, measures, rows, now: $("#i").value }};
    """
    found = probe(page("rouge", {}), script)
    assert found["before"]
    assert found["wrong"] == "bad.jsonl:1: $.text must be a string or a list of strings"
    assert found["told"] == "s.jsonl.gz: 3 records; human.jsonl: 2 records"
    assert found["measures"] == 7
    # ROUGE-2 prefers d1, people prefer d2.
    assert [(row[0], row[2], row[3]) for row in found["rows"]] == [
        ("d1 · one", "3.0000", "+1.000"),
        ("d2 · one", "4.5000", "-1.000"),
    ]
    assert found["now"] == "d2"


def test_the_pyramid_page(probe: Probe, pyramid_page: bytes) -> None:
    found = probe(
        pyramid_page,
        """
        const values = () => $$("#scores data").map((one) => one.value);
        const peer = values();
        const units = texts($$(".units button"));
        $("#unit-4").click();
        await soon();
        const chosen = texts($$(".part.chosen"));
        const parts = texts($$(".part"));
        $("#s").value = "A";
        $("#s").dispatchEvent(new Event("change"));
        await soon();
        return { peer, units, chosen, parts, human: values(), made: $$("main i, main b").length };
        """,
    )
    score = PyramidScore().score
    pyramid = msgspec.convert(PYRAMID, Pyramid)
    peer = score(msgspec.convert(ANNOTATION, Annotation), pyramid)
    human = score(pyramid.annotation(0), pyramid.remove_summary(0))
    assert [float(value) for value in found["peer"]] == list(peer.values())
    assert [float(value) for value in found["human"]] == list(human.values())
    assert found["units"] == ["●●2 · Dogs bark", "●○1 · Cats <i>sleep ✓①"]
    assert found["chosen"] == ["cats sleep", "Cats sleep."]
    assert found["parts"] == ["cats sleep", "dogs bark.", "Cats sleep.", "Dogs bark."]
    assert found["made"] == 0
