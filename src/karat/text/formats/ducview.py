"""DUCView: the XML files of pyramids and of their annotations.

Positions in these files are often a little off, since the tool edited its texts; a part
whose text is not where the file says is searched for. What cannot be found is left out
and counted.
"""

from __future__ import annotations

import re
import sys
import warnings
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Annotated
from xml.etree.ElementTree import Element

import numpy as np
import numpy.typing as npt

from karat.core.files.notations import UnreadableXml, parse_xml
from karat.core.files.opener import Source
from karat.core.format import Format
from karat.core.reading.items import Item
from karat.errors import FormatError, Place
from karat.text.model import TextRecord
from karat.text.pyramid import Annotation, Contributor, Part, PeerContributor, PeerScu, Pyramid, Scu

_HEADER = r"-+\s*D\d+\.M\.250\.[A-Z]\.[A-Z]\s*-+"
_WEIGHT = re.compile(r" \(\d+\.\d+\)$")
_NUMBER = re.compile(r"^\(\d+\) ")
_STEP = re.compile(
    r"(\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^\\\[\](){}|*+?^$])"
    r"(?:([*+?])|\{(\d{1,4})(,?)(\d{0,4})\})?", re.DOTALL
)  # fmt: skip
"""A character or class of a pattern, and how often it occurs."""
_HOW_OFTEN = {"": (1, 1), "?": (0, 1), "*": (0, sys.maxsize), "+": (1, sys.maxsize)}
_MOST_STEPS = 1 << 28
"""So many characters of a text times steps of a pattern are looked at."""

# What stands before the root: elements and their attributes, never entities.
_DECLARED = re.compile(r"(\s*(?:<\?xml[^>]*\?>\s*)?)(<!DOCTYPE\s+\w+\s*\[[^\]]*\]\s*>)")


class DucView(Format):
    """A pyramid (``.pyr``), or an annotation together with its pyramid (``.pan``).

    The ids are those of the file's name, ``D0601.M.250.A.7.pan``: what stands before the
    first dot, in lower case, and what stands last; options say otherwise. Parts that are
    not where the file says are searched for; what is left out is counted in a warning.
    """

    name = "ducview"
    kind = "text"

    instance_id: Annotated[str, "the id of the input"] = ""
    summarizer_id: Annotated[str, "the id of the system"] = ""

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return head.lstrip().startswith("<") and ("<pyramid" in head or "<peer" in head)

    def read(self, source: Source) -> Iterator[Item]:
        losses = Losses()
        try:
            yield self._item(source, losses)
        except UnreadableXml as error:
            place = Place(source.name, error.line, error.column)
            raise FormatError(str(error), code="K109", place=place) from None
        except UnreadablePyramid as error:
            raise FormatError(str(error), code="K109", place=Place(source.name)) from None
        if losses:
            warnings.warn(f"{source.name}: left out {losses}", stacklevel=2)

    def _item(self, source: Source, losses: Losses) -> Item:
        names = Path(source.path).name.split(".")
        names = names[:-1] if len(names) > 1 else names
        instance = self.instance_id or names[0].lower()
        root = parse_ducview(source.content())
        inner = root if root.tag == "pyramid" else root.find("pyramid")
        if inner is None:
            raise UnreadablePyramid("there is no element 'pyramid'")
        pyramid = read_pyramid(inner, instance, losses)
        annotation = root.find("annotation")
        if annotation is None:
            return Item(TextRecord(pyramid=pyramid), (instance, None), 1)
        summarizer = self.summarizer_id or names[-1]
        known = [scu.scu_id for scu in pyramid.scus]
        found = read_annotation(annotation, instance, summarizer, known, losses)
        if not found.summary:
            raise UnreadablePyramid("the annotated summary is empty")
        fields = {"summarizer_id": summarizer, "summarizer_type": "peer"}
        value = TextRecord(found.summary, annotation=found, pyramid=pyramid)
        return Item(value, (instance, summarizer), 1, fields)


class UnreadablePyramid(Exception):
    """An XML file that is no pyramid or annotation."""


def parse_ducview(data: bytes) -> Element:
    """The root of a file; the declarations that DUCView writes before it are passed over.

    Bytes that are not UTF-8 are replaced. Declarations of entities are refused.
    """
    text = data.decode("utf-8", "replace").lstrip("\ufeff")
    found = _DECLARED.match(text)
    if found and "<!ENTITY" not in found[2]:
        blank = "".join("\n" if character == "\n" else " " for character in found[2])
        text = found[1] + blank + text[found.end() :]
    return parse_xml(text)


class Losses(Counter[str]):
    """The numbers of parts, contributors and SCUs that were left out."""

    def __str__(self) -> str:
        return ", ".join(f"{count} {name}" for name, count in self.items())


def read_pyramid(root: Element, instance_id: str, losses: Losses) -> Pyramid:
    """The pyramid of an element ``pyramid``."""
    text = "\n".join(line.text or "" for line in root.iterfind("text/line"))
    summaries = list(_summaries(text, root.findtext("startDocumentRegEx") or _HEADER))
    starts = [start for _, start, _ in summaries]
    scus = []
    for element in root.iterfind("scu"):
        contributors = []
        for child in element.iterfind("contributor"):
            found = _contributor(child, summaries, starts, losses)
            if found is not None:
                contributors.append(found)
        indices = [contributor.summary_index for contributor in contributors]
        if not contributors or len(set(indices)) != len(indices):
            losses["SCUs"] += 1
            continue
        label = _WEIGHT.sub("", element.get("label", ""))
        scus.append(Scu(_number(element, "uid"), label, tuple(contributors)))
    return Pyramid(
        instance_id,
        tuple(summary for _, _, summary in summaries),
        tuple(name for name, _, _ in summaries),
        tuple(scus),
    )


def _summaries(text: str, pattern: str) -> Iterator[tuple[str, int, str]]:
    """Name, place and text of each summary, as the headers between them say."""
    headers = _matches(pattern, text)
    if not headers:
        raise UnreadablePyramid("no header of a summary was found in the text")
    ends = [*(start for start, _ in headers[1:]), len(text)]
    for (first, last), end in zip(headers, ends, strict=True):
        body = text[last:end]
        start = last + len(body) - len(body.lstrip())
        name = text[first:last].strip(" -\r\n").rpartition(".")[2]
        yield name, start, body.strip().replace("\n", " ")


def _matches(pattern: str, text: str) -> list[tuple[int, int]]:
    r"""Where a pattern matches, as `re.finditer` finds it, in time linear in the text.

    Files bring their own patterns: only characters one after the other are taken, no groups.

    >>> _matches(r"-+\s*[A-Z]-*", "--A- b -B")
    [(0, 4), (7, 9)]
    """
    size = len(text)
    distinct = sorted(set(text))
    numbers = {character: i for i, character in enumerate(distinct)}
    codes = np.fromiter(map(numbers.__getitem__, text), np.int32, size)
    steps = _steps(pattern)
    if len(steps) * size > _MOST_STEPS:
        raise UnreadablePyramid(f"the text is too long for its pattern: {size:,} characters")
    there = np.arange(size + 1)
    after = np.ones(size + 1, bool)  # the places that the rest of the pattern matches from
    found = []
    for step, least, most in reversed(steps):
        fits = np.array([step.fullmatch(each) is not None for each in distinct], bool)[codes]
        reach = there + np.minimum(_next(np.append(~fits, True)) - there, most)
        found.append((least, reach, after))
        first = np.minimum(there + least, size + 1)
        after = np.append(_next(after), size + 1)[first] <= reach
    matches, end = [], 0
    for start in np.flatnonzero(after).tolist():
        if start < end:
            continue
        last = start
        for least, reach, rest in reversed(found):
            least, last = last + least, int(reach[last])
            while not rest[last]:  # as many as possible, such that the rest matches
                last -= 1
        if last > start:
            matches.append((start, last))
            end = last
    return matches


def _steps(pattern: str) -> list[tuple[re.Pattern[str], int, int]]:
    """The characters of a pattern, each with the least and most times it occurs."""
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise UnreadablePyramid(f"the pattern of headers is broken: {error}") from None
    found, at = [], 0
    while step := _STEP.match(pattern, at):
        if step[3] is None:
            least, most = _HOW_OFTEN[step[2] or ""]
        else:
            least = int(step[3])
            most = int(step[5] or sys.maxsize) if step[4] else least
        found.append((re.compile(step[1]), least, most))
        at = step.end()
    if at < len(pattern) or len(pattern) > 500:
        raise UnreadablePyramid(f"the pattern of headers is too intricate: {pattern[:60]!r}")
    return found


def _next(truths: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """For each place the next one that is true, itself included; the end where there is none."""
    places = np.where(truths, np.arange(len(truths)), len(truths))
    return np.minimum.accumulate(places[::-1])[::-1]


def _contributor(
    element: Element, summaries: list[tuple[str, int, str]], starts: list[int], losses: Losses
) -> Contributor | None:
    parts: list[tuple[int, Part]] = []
    for child in element.iterfind("part"):
        start = _number(child, "start")
        index = max(0, bisect_right(starts, start) - 1)
        _, begin, summary = summaries[index]
        part = locate(child.get("label", ""), summary, start - begin)
        if part is None:
            losses["parts"] += 1
        else:
            parts.append((index, part))
    if len({index for index, _ in parts}) != 1:
        losses["contributors"] += 1
        return None
    label = element.get("label", "")
    return Contributor(parts[0][0], label, tuple(part for _, part in parts))


def locate(label: str, text: str, start: int) -> Part | None:
    """Finds a label in a text: at the stated position, or else nearest to it.

    >>> locate("a  dog", "There is a dog.", 7)
    Part(text='a dog', start=9, end=14)
    """
    label = label.replace("\n", " ").strip()
    for wanted in dict.fromkeys((label, label.replace("&quot;", '"'))):
        if wanted and text[max(start, 0) : max(start, 0) + len(wanted)] == wanted:
            return Part(wanted, max(start, 0), max(start, 0) + len(wanted))
        letters = "".join(wanted.split())
        if not letters:
            continue
        whole, places = _letters(text)
        at = bisect_left(places, start)
        # Searched backwards, with both sides turned round: `rfind` may take quadratic time.
        head = whole[: at + len(letters) - 1]
        turned = head[::-1].find(letters[::-1])
        before = len(head) - len(letters) - turned if turned >= 0 else -1
        after = whole.find(letters, at)
        found = [place for place in (before, after) if place >= 0]
        if found:
            first = min(found, key=lambda place: abs(places[place] - start))
            begin, end = places[first], places[first + len(letters) - 1] + 1
            return Part(text[begin:end], begin, end)
    return None


@lru_cache(maxsize=32)
def _letters(text: str) -> tuple[str, list[int]]:
    """A text without white space, and where its characters were."""
    places = [i for i, character in enumerate(text) if not character.isspace()]
    return "".join(text.split()), places


def read_annotation(
    root: Element, instance_id: str, summarizer_id: str, known: Iterable[int], losses: Losses
) -> Annotation:
    """The annotation of an element ``annotation``; SCUs that are not known are ignored."""
    lines = [line.text or "" for line in root.iterfind("text/line")]
    summary = " ".join(" ".join(lines).split())
    known = set(known)
    scus = []
    for element in root.iterfind("peerscu"):
        uid = _number(element, "uid")
        children = list(element.iterfind("contributor"))
        if not children or uid == 0 or uid not in known:
            continue
        label = _peer_label(element)
        contributors = tuple(_peer_contributor(child, summary, losses) for child in children)
        scus.append(PeerScu(uid, label, contributors))
    return Annotation(instance_id, summarizer_id, "peer", summary, tuple(scus))


def _peer_label(element: Element) -> str:
    return _WEIGHT.sub("", _NUMBER.sub("", element.get("label", "")))


def renumber_by_label(root: Element, pyramid: Pyramid) -> int:
    """Gives the SCUs of an element ``annotation`` the numbers that the pyramid has for them.

    For files whose numbers are those of another version of the pyramid. SCUs are the
    same if their labels are, white space aside. The number of SCUs with a contributor
    whose label the pyramid does not have, which then have the number 0.
    """
    known: dict[str, int] = {}
    for scu in pyramid.scus:
        known.setdefault(" ".join(scu.label.split()), scu.scu_id)
    lost = 0
    for element in root.iterfind("peerscu"):
        if _number(element, "uid") == 0:
            continue
        uid = known.get(" ".join(_peer_label(element).split()), 0)
        lost += uid == 0 and element.find("contributor") is not None
        element.set("uid", str(uid))
    return lost


def _peer_contributor(element: Element, summary: str, losses: Losses) -> PeerContributor:
    parts = []
    for child in element.iterfind("part"):
        part = locate(child.get("label", ""), summary, _number(child, "start"))
        if part is None:
            losses["parts"] += 1
        else:
            parts.append(part)
    return PeerContributor(element.get("label", ""), tuple(parts))


def _number(element: Element, name: str) -> int:
    value = element.get(name, "")
    if not re.fullmatch(r"-?\d{1,18}", value):
        raise UnreadablePyramid(f"an element {element.tag!r} has the {name} {value!r}")
    return int(value)
