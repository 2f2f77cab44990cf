"""Segment scores of COMET (``comet-score``): JSON, and the lines that it prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any

from karat.core.files.opener import Source
from karat.core.reading.items import Item
from karat.errors import Place
from karat.logs.formats.base import ScoreFormat, decoded, unfit, whole

_SEGMENT = re.compile(r"(.*)\tSegment (\d+)\tscore: (\S+)")
_MEAN = re.compile(r"(.*)\tscore: (\S+)")
_ROUNDED = 1.01e-4
"""How far the mean of scores with 4 decimals may be from a mean with 4 decimals."""


class Comet(ScoreFormat):
    """The scores of segments, in order: `{FILE: [{"COMET": 0.8, …}, …]}`, or printed lines.

    Each file that COMET was given is a system. Printed scores have four decimals.
    """

    name = "comet"
    json_keys = "all"

    only_system: Annotated[str, "the system, where the file holds several"] = ""

    @classmethod
    def recognizes(cls, head: str) -> bool:
        first = head.lstrip().partition("\n")[0]
        is_json = first.startswith("{") and '"COMET"' in head and '"mt"' in head
        return is_json or _SEGMENT.fullmatch(first.rstrip("\r")) is not None

    def read(self, source: Source) -> Iterator[Item]:
        is_json = source.head().lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{")
        return self._json(source) if is_json else self._printed(source)

    def _json(self, source: Source) -> Iterator[Item]:
        place = Place(source.name)
        systems: dict[str, list[dict[str, Any]]] = decoded(
            whole(source), place, dict[str, list[dict[str, Any]]]
        )
        chosen = self.only(self.only_system, systems, source.name)
        for i, segment in enumerate(systems.get(chosen, ())):
            if "COMET" not in segment:
                raise unfit(f"segment {i} of {chosen} has no 'COMET'", place)
            where = Place(source.name, item=f"segment {i}")
            texts = segment.get("src"), segment.get("ref"), segment.get("mt")
            yield self.item(where, str(i), {"COMET": segment["COMET"]}, texts=texts)

    def _printed(self, source: Source) -> Iterator[Item]:
        lines: dict[str, list[tuple[int, int, float]]] = {}
        means: dict[str, tuple[int, float]] = {}
        for number, line in source.lines():
            place = Place(source.name, number)
            try:
                if segment := _SEGMENT.fullmatch(line):
                    found = int(segment[2]), number, float(segment[3])
                    lines.setdefault(segment[1], []).append(found)
                elif mean := _MEAN.fullmatch(line):
                    means[mean[1]] = number, float(mean[2])
                elif line.strip():
                    raise unfit("expected FILE, Segment NUMBER, score: NUMBER", place)
            except ValueError:
                raise unfit("the score is not a number", place) from None
        chosen = self.only(self.only_system, lines, source.name)
        mine = lines.get(chosen, [])
        for i, (segment_number, number, _) in enumerate(mine):
            if segment_number != i:
                raise unfit(
                    f"segment {segment_number} comes where segment {i} is expected",
                    Place(source.name, number),
                )
        if chosen in means and mine:
            number, told = means[chosen]
            mean_of_lines = sum(score for *_, score in mine) / len(mine)
            if not abs(mean_of_lines - told) <= _ROUNDED:
                raise unfit(
                    f"the mean of the segments is {mean_of_lines:.4f}, the file says {told:.4f}",
                    Place(source.name, number),
                )
        self.warnings.append("scores have four decimals: equal ones may differ by less than that")
        for i, number, score in mine:
            yield self.item(Place(source.name, number), str(i), {"COMET": score})
