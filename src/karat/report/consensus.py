"""The tables of ``karat mbr``: who was chosen, what it gains, and what an oracle could."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karat.engine.consensus import Consensus
from karat.report.layout import Note, Shown
from karat.report.numbers import ends, shown, shown_p
from karat.report.tables import plain_table


def tables(found: Consensus, document: dict[str, Any]) -> Iterator[Shown]:
    """One of the choice, and for each metric with gold one of the gain and one of the oracle."""
    table = plain_table("", "system", "chosen", "share", together=2)
    for name, count in document["chosen"].items():
        table.add_row(name, f"{count:,}", f"{100 * count / len(found.ids):.1f} %")
    yield table
    for n, each in enumerate(document["measured"]):
        metric, score = found.measured[n].metric, each["score"]
        scale = metric.about.scale_of(tuple(score.split(".")))
        title = f"{metric.name} {score}" + (" (it chose)" if each["biased"] else "")
        lower = score in metric.about.lower_is_better
        gains = "consensus adds (less is better)" if lower else "consensus gains"
        table = plain_table("", title, "score", gains, "95 % interval", "p")
        for run, comparison in zip(found.measured[n].runs, found.comparisons(n), strict=True):
            difference = comparison[score]
            table.add_row(
                run.system,
                shown(each["systems"][run.system], scale),
                shown(difference.difference, scale),
                ends(difference.interval, scale) if difference.interval else "",
                shown_p(difference.p_value),
            )
        table.add_row("consensus", shown(each["consensus"], scale), "", "", "")
        yield table
        if "curve" in each:
            ways = [name for name in each["curve"][0] if name != "candidates"]
            table = plain_table("", "candidates", *ways)
            for row in each["curve"]:
                cells = (shown(row[name], scale) for name in ways)
                table.add_row(str(row["candidates"]), *cells)
            yield table
            yield Note(
                "best and worst choices are exact for the score of all items together"
                if each["method"] == "exact"
                else "best and worst choices are greedy: no change of one item goes further"
            )
    yield Note(f"{len(found.ids):,} items  {document['signature']}")
