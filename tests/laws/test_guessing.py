"""The format that is guessed for a file depends neither on how long its first item is, nor on
whether that can be read: figures would silently be those of another reading."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.core.pairing.sides import readable_kinds
from karat.core.reading.streams import Stream
from karat.core.registry import metric_class
from metric_files import TESTED, files_of, write_passages

LONG = "x" * 9000
# What makes the first item longer than the beginning of a file that is looked at.
LONGER = {
    "jsonl": ("{", f'{{"note": "{LONG}", '),
    "mrp": ("{", f'{{"note": "{LONG}", '),
    "amr": ("(", f"# ::note {LONG}\n("),
    "conllu": ("1\t", f"# note = {LONG}\n1\t"),
}


@pytest.mark.parametrize("name", TESTED)
def test_guessed_alike(name: str, tmp_path: Path) -> None:
    files = files_of(name)
    kinds = readable_kinds(metric_class(name))
    write_passages(tmp_path)
    for role, items in (("system", files.system), ("gold", files.gold)):
        if not items:
            continue
        first, *rest = items
        cases = {"whole": first, "cut": first[: 2 * len(first) // 3]}
        if files.suffix in LONGER:
            cases["long"] = first.replace(*LONGER[files.suffix], 1)
            cases["very long"] = cases["long"].replace(LONG, 200 * LONG)
        if files.suffix in ("jsonl", "mrp"):
            cases["null before it"] = f"null\n{first}"
        found = {}
        for case, item in cases.items():
            path = files.write(tmp_path, f"{role}-{case}", [item, *rest])
            found[case] = Stream(path, kinds, role).format.name
        if files.suffix == "mrp":
            del found["null before it"]  # which is no graph, and said to be none
        assert len(set(found.values())) == 1, found
