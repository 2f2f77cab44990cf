"""``karat validate`` against mtool: the same messages, and more where mtool looked away."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from graph_figures import DATA, entries, named
from karat.core.commands import Job
from karat.core.reading.streams import Stream
from karat.graphs.checks import Finding
from karat.graphs.commands import ValidateGraphs

_MESSAGE = re.compile(
    r"validate\(\): \[E\] (?:\{\w+\} )?graph #(?P<graph>[^;:]*)"
    r"(?:; node #(?P<node>[^;:]*))?(?:; edge (?P<edge>[^:]*))?: (?P<text>.*)\.$"
)
# What karat checks and mtool does not; texts of checks that mtool has too, on graphs that
# its reader refuses, are told apart by their graph.
MORE = (
    "another node has the same id",
    "another edge has the same ends and label",
    "the anchor begins before that of the node before it ends",
    "unaligned 'properties' vs. 'values'",
)
Message = tuple[str, str, str]


def found(name: str) -> list[Finding]:
    entry = entries()[name]
    stream = Stream(DATA / entry["input"], ("graph",), "input", "mrp")
    verb = ValidateGraphs(check=(entry["options"]["validate"],))
    answer = verb.answer(Job([stream]))
    assert answer.failed == any(each.level == "error" for each in answer.document["findings"])
    return answer.document["findings"]  # type: ignore[no-any-return]


def plain(text: str) -> str:
    return re.sub(r": 'eud' is not of the MRP tasks$", "", text.replace("‘", "'").replace("’", "'"))


def mine(finding: Finding) -> Message:
    node = "" if finding.node is None else str(finding.node)
    return finding.graph, node, plain(finding.message)


def theirs(entry: dict[str, Any]) -> set[Message]:
    matches = [_MESSAGE.match(message) for message in entry["expected"]]
    return {(m["graph"], m["node"] or "", plain(m["text"])) for m in matches if m}


def refused(entry: dict[str, Any]) -> set[int]:
    """The lines that mtool's reader ignored, which never came to be validated."""
    lines = (re.search(r"ignoring line (\d+)", message) for message in entry["expected"])
    return {int(match[1]) + 1 for match in lines if match}


@pytest.mark.parametrize("name", named("validate/"))
def test_validate(name: str) -> None:
    entry = entries()[name]
    skipped = refused(entry)
    findings = found(name)
    of_mtool = {
        mine(finding)
        for finding in findings
        if finding.line not in skipped
        and not finding.message.startswith(MORE)
        and finding.check not in ("sdp", "amr")
    }
    assert of_mtool == theirs(entry)
    for line in skipped if entry["options"]["validate"] in ("all", "edges") else ():
        assert any(finding.line == line for finding in findings)


def test_gold_passes_all_of_karats_checks(shared: Path) -> None:
    for name in ("validate/amr/wsj", "validate/dm/wsj", "validate/psd/wsj", "validate/lpps"):
        assert found(name) == []
