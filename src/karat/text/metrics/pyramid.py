"""The pyramid score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import starmap
from typing import Annotated, Any

from karat.core.capabilities import LazyPairs, PairOutputs
from karat.core.marks import main
from karat.core.metric import Counts, Explanation, Metric
from karat.core.reading.strings import utf16
from karat.core.scores import Array, Scores, ratio
from karat.core.shown import Content, ExplainedOutputs, Fault, Kind, Shown, Unit
from karat.core.shown import Text as ShownText
from karat.errors import OptionError, PairingError, counted
from karat.text.model import TextRecord
from karat.text.pyramid import Annotation, Part, Pyramid, Scu


class PyramidScore(Metric[Annotation, Pyramid]):
    """The pyramid score (Nenkova and Passonneau 2004): the weight of a summary's content units.

    `modified_pyramid_score` divides by the largest weight possible with as many
    units as the pyramid's summaries have on average, which is like recall
    and may exceed 1; `pyramid_score`, the original, by the largest weight possible with as
    many units as this summary has, which is like precision. A pyramid without
    units gives no score. A unit that is annotated twice counts once; SacreROUGE
    counts it twice, and so does `legacy`.

    >>> scus = ({"scu_id": 1, "contributors": [{"summary_index": 0}, {"summary_index": 1}]},
    ...         {"scu_id": 2, "contributors": [{"summary_index": 0}]})
    >>> import msgspec
    >>> pyramid = msgspec.convert({"instance_id": "d", "summaries": ["", ""],
    ...     "summarizer_ids": ["A", "B"], "scus": scus}, Pyramid)
    >>> annotation = msgspec.convert({"instance_id": "d", "summarizer_id": "1",
    ...     "scus": [{"scu_id": 2}]}, Annotation)
    >>> PyramidScore().score(annotation, pyramid)
    {'modified_pyramid_score': 0.3333333333333333, 'pyramid_score': 0.5}
    """

    name = "pyramid-score"
    kind = "text"
    columns = ("scored", "modified", "original", "repeated")

    legacy: Annotated[bool, "count a unit as often as it is annotated"] = False

    def of_system(self, record: Any) -> Annotation:
        if not isinstance(record, TextRecord) or record.annotation is None:
            raise PairingError("a system record has no pyramid annotation", code="K212")
        return record.annotation

    def holds_gold(self, record: Any) -> bool:
        return isinstance(record, TextRecord) and record.pyramid is not None

    def of_gold(self, records: Sequence[Any]) -> Pyramid:
        found = [r.pyramid for r in records if isinstance(r, TextRecord) and r.pyramid]
        if len(found) != 1:
            raise PairingError(f"an item has {len(found)} pyramids, expected one", code="K212")
        return found[0]

    def jackknife(self, gold: Pyramid) -> list[Pyramid]:
        if len(gold.summaries) < 2:
            return []
        return [gold.remove_summary(index) for index in range(len(gold.summaries))]

    def measure(self, system: Annotation, gold: Pyramid) -> Counts:
        for value, kind in ((system, Annotation), (gold, Pyramid)):
            if not isinstance(value, kind):
                raise OptionError(
                    f"pyramid-score takes an {kind.__name__}, got {type(value).__name__}",
                    code="K317",
                )
        weights = {scu.scu_id: scu.weight for scu in gold.scus}
        annotated = [scu.scu_id for scu in system.scus if scu.scu_id in weights]
        units = annotated if self.legacy else list(dict.fromkeys(annotated))
        weight = sum(weights[unit] for unit in units)
        ranked = sorted(weights.values(), reverse=True)
        best = sum(ranked[: _average_size(gold)])
        if best == 0:
            return (0.0, 0.0, 0.0, 0.0)
        own_best = sum(ranked[: len(units)])
        repeated = len(annotated) - len(set(annotated))
        return (1.0, weight / best, weight / own_best if own_best else 0.0, float(repeated))

    def summarize(self, totals: Array) -> Scores:
        scored, modified, original, _ = self.columns_of(totals)
        return {
            "modified_pyramid_score": main(ratio(modified, scored, empty=math.nan)),
            "pyramid_score": ratio(original, scored, empty=math.nan),
        }

    def caveats(self, totals: Array) -> list[str]:
        repeated = int(totals[3])
        if not repeated or self.legacy:
            return []
        subject = counted(repeated, "annotation repeats", "annotations repeat")
        return [f"pyramid-score: {subject} a unit (counted once)"]

    def explain(self, system: Annotation, gold: Pyramid) -> Explanation:
        """The units that were found and that were missed, heaviest first."""
        found = {scu.scu_id for scu in system.scus}
        shown = [
            ({"scu_id": scu.scu_id, "label": scu.label, "weight": weight}, scu.scu_id in found)
            for scu, weight in _heaviest_first(gold)
        ]
        return {
            "matched": [unit for unit, there in shown if there],
            "missing": [unit for unit, there in shown if not there],
            "unknown": sorted(found - {scu.scu_id for scu in gold.scus}),
        }

    def look_at(self, chunk: LazyPairs) -> PairOutputs:
        return ExplainedOutputs(
            chunk, lambda pairs: starmap(self.explain, pairs), self.shown, shows_pairs_alone=True
        )

    def shown(self, system: Annotation, gold: Pyramid, explanation: Explanation) -> Shown:
        """The summaries of the pyramid and this one, with the units that they express."""
        ours = {scu.scu_id: scu for scu in system.scus}
        names = gold.summarizer_ids
        texts = [utf16(text) for text in gold.summaries]
        own = utf16(system.summary)
        units = []
        for scu, weight in _heaviest_first(gold):
            spans: list[int] = []
            for each in scu.contributors:
                at = texts[each.summary_index]
                for part in each.parts:
                    spans += [each.summary_index, *_units(part, at)]
            if scu.scu_id in ours:
                for peer in ours[scu.scu_id].contributors:
                    for part in peer.parts:
                        spans += [-1, *_units(part, own)]
            units.append(Unit(scu.label, weight, scu.scu_id in ours, spans))
        golds: list[Content] = [
            ShownText(text, name) for text, name in zip(gold.summaries, names, strict=True)
        ]
        faults = [
            Fault("units", Kind.MISSING, f"weight {unit.weight}", "")
            for unit in units
            if not unit.found
        ]
        return Shown(
            golds, ShownText(system.summary, system.summarizer_id), faults=faults, units=units
        )


def _heaviest_first(pyramid: Pyramid) -> list[tuple[Scu, int]]:
    """The units of a pyramid with their weights."""
    return sorted(((scu, scu.weight) for scu in pyramid.scus), key=lambda each: -each[1])


def _units(part: Part, places: list[int] | None) -> tuple[int, int]:
    """A stretch of a text as browsers count it, within the text."""
    if places is None:
        return part.start, part.end
    last = len(places) - 1
    return places[min(part.start, last)], places[min(part.end, last)]


def _average_size(pyramid: Pyramid) -> int:
    """The mean number of units in the summaries of a pyramid, rounded up."""
    summaries = len(pyramid.summaries)
    if not summaries:
        return 0
    made = {(each.summary_index, scu.scu_id) for scu in pyramid.scus for each in scu.contributors}
    return -(-len(made) // summaries)
