"""Pyramids and annotations in DUCView's XML."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.files.opener import Source
from karat.core.reading.items import Item
from karat.errors import FormatError
from karat.text.formats.ducview import DucView, _matches, locate
from karat.text.metrics.pyramid import PyramidScore

LINES = [
    "---------------",
    "D0601.M.250.A.A",
    "---------------",
    "",
    "It rained on",
    "Monday. All stayed in.",
    "---------------",
    "D0601.M.250.A.B",
    "---------------",
    'Rain fell; "all" stayed in.',
]
TEXT = "\n".join(LINES)


def part(label: str, shift: int = 0, search: str | None = None) -> str:
    place = TEXT.index(search or label) + shift
    return f'<part label="{label}" start="{place}" end="{place + len(label)}"/>'


def contributor(*parts: str) -> str:
    return f'<contributor label="c">{"".join(parts)}</contributor>'


def pyramid(*scus: str, pattern: str = "") -> str:
    lines = "".join(f"<line>{line}</line>" for line in LINES)
    start = f"<startDocumentRegEx>{pattern}</startDocumentRegEx>" if pattern else ""
    return f"<pyramid>{start}<text>{lines}</text>{''.join(scus)}</pyramid>"


RAIN = (
    '<scu uid="11" label="it rained (2.0)">'
    + contributor(part("It rained"), part("Monday"))
    + contributor(part("Rain fell"))
    + "</scu>"
)


def read(path: Path, content: str, **options: str) -> Item:
    path.write_text(content, "utf-8")
    (item,) = DucView(**options).read(Source(path))
    return item


def test_a_pyramid(tmp_path: Path) -> None:
    item = read(tmp_path / "D0601.pyr", pyramid(RAIN))
    found = item.value.pyramid
    assert item.key == ("d0601", None)
    assert found.summarizer_ids == ("A", "B")
    assert found.summaries[0] == "It rained on Monday. All stayed in."
    (scu,) = found.scus
    assert (scu.scu_id, scu.label, scu.weight) == (11, "it rained", 2)
    for each in scu.contributors:
        for place in each.parts:
            assert found.summaries[each.summary_index][place.start : place.end] == place.text


def test_parts_that_are_elsewhere_are_found_and_others_counted(tmp_path: Path) -> None:
    scus = [
        RAIN,
        '<scu uid="12" label="x">' + contributor(part("stayed  in", 3, "stayed in")) + "</scu>",
        '<scu uid="13" label="x">'
        + contributor(part("&amp;quot;all&amp;quot;", 0, '"all"'))
        + "</scu>",
        '<scu uid="14" label="x">' + contributor(part("not there", 0, "Rain")) + "</scu>",
        '<scu uid="15" label="x">' + contributor(part("It rained"), part("Rain fell")) + "</scu>",
        '<scu uid="16" label="x">'
        + contributor(part("It rained"))
        + contributor(part("Monday"))
        + "</scu>",
    ]
    with pytest.warns(UserWarning, match="left out 1 parts, 2 contributors, 3 SCUs"):
        item = read(tmp_path / "a.pyr", pyramid(*scus))
    assert [scu.scu_id for scu in item.value.pyramid.scus] == [11, 12, 13]
    assert item.value.pyramid.scus[1].contributors[0].parts[0].text == "stayed in"
    assert item.value.pyramid.scus[2].contributors[0].parts[0].text == '"all"'


def test_an_annotation_comes_with_its_pyramid(tmp_path: Path) -> None:
    annotation = (
        "<annotation><text><line>Rain  fell.</line><line/><line>They slept.</line></text>"
        '<peerscu uid="11" label="(2) it rained (2.0)"><contributor label="rain">'
        '<part label="Rain fell" start="4" end="13"/></contributor></peerscu>'
        '<peerscu uid="11" label="without contributor"/>'
        '<peerscu uid="0" label="all else"><contributor label="x"/></peerscu>'
        '<peerscu uid="99" label="unknown"><contributor label="x"/></peerscu></annotation>'
    )
    catch_all = RAIN.replace('uid="11"', 'uid="0"')
    content = f"<peerAnnotation>{pyramid(RAIN, catch_all)}{annotation}</peerAnnotation>"
    item = read(tmp_path / "D0601.M.250.A.7.pan", content)
    assert item.key == ("d0601", "7")
    found = item.value.annotation
    assert found.summary == "Rain fell. They slept."
    (scu,) = found.scus
    assert (scu.scu_id, scu.label) == (11, "it rained")
    assert scu.contributors[0].parts[0].start == 0
    metric = PyramidScore()
    assert metric.score(found, item.value.pyramid)["pyramid_score"] == 1.0
    named = read(tmp_path / "x.pan", content, instance_id="d1", summarizer_id="s")
    assert named.key == ("d1", "s")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<pyramid>", "this is not XML"),
        pytest.param("\n" * 10**6, "this is not XML", id="blank lines"),
        pytest.param(
            f"<pyramid><text><line>{'-' * 10**6}</line></text></pyramid>", "no header", id="dashes"
        ),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><pyramid/>", "document types and entities"),
        ("<a>" * 3000, "nested more than"),
        ("<other/>", "no element 'pyramid'"),
        (pyramid(pattern="nowhere"), "no header"),
        (pyramid(pattern="(a+)+b"), "too intricate"),
        (pyramid(pattern="(a|aa)+b"), "too intricate"),
        (pyramid(pattern="-" * 501), "too intricate"),
        pytest.param(pyramid(pattern=".*" * 40 + "="), "no header", id="many repeats"),
        pytest.param(
            pyramid(pattern=r".\s*=").replace("It rained", " " * 10**5), "no header", id="blanks"
        ),
        (pyramid(pattern="("), "is broken"),
        (pyramid('<scu uid="x"/>').replace("<scu", '<scu label=""'), None),
        (pyramid(RAIN.replace('uid="11"', 'uid="x"')), "has the uid 'x'"),
        (f"<a>{pyramid(RAIN)}<annotation/></a>", "the annotated summary is empty"),
    ],
)
def test_broken_files(tmp_path: Path, content: str, message: str | None) -> None:
    if message is None:
        with pytest.warns(UserWarning, match="left out 1 SCUs"):
            read(tmp_path / "a.pyr", content)
        return
    with pytest.raises(FormatError, match=message):
        read(tmp_path / "a.pyr", content)


def test_places() -> None:
    assert locate("dog", "a dog, a dog", 8) == locate("dog", "a dog, a dog", 9)
    near = locate("dog", "a dog, a dog", 1)
    assert near is not None
    assert near.start == 2
    assert locate("", "a", 0) is None
    assert locate("cat", "a dog", 0) is None


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["-", "[-]", r"\s", "D", r"\d", "[A-Z]", r"\.", r"\n", ".", "[^a]"]),
            st.sampled_from(["", "*", "+", "?", "{2}", "{1,2}", "{2,}", "{0,3}"]),
        ),
        min_size=1,
        max_size=6,
    ),
    st.text("- \nD0A.a", max_size=30),
)
def test_patterns_match_as_regular_expressions_do(steps: list[tuple[str, str]], text: str) -> None:
    pattern = "".join(step + often for step, often in steps)
    expected = [found.span() for found in re.finditer(pattern, text) if found[0]]
    assert _matches(pattern, text) == expected


@given(st.text("ab \n", max_size=30), st.text("ab ", max_size=4), st.integers(-3, 33))
def test_labels_are_found_nearest_to_their_place(text: str, label: str, start: int) -> None:
    found = locate(label, text, start)
    letters = [character for character in label if character != " "]
    pattern = "(?=" + "[ \n]*".join(letters) + ")"
    there = [each.start() for each in re.finditer(pattern, text)] if letters else []
    there = [place for place in there if place < len(text) and not text[place].isspace()]
    if not there:
        assert found is None
        return
    assert found is not None
    assert found.start == min(there, key=lambda place: abs(place - start))
    assert found.text == text[found.start : found.end]
    assert [each for each in found.text if not each.isspace()] == letters


def test_long_labels_take_no_quadratic_time() -> None:
    text = "a" * 10**6
    for place in (0, 10**6):
        assert locate("a" * 10**5 + "b", text, place) is None
        assert locate("b" + "a" * 10**5, text, place) is None
