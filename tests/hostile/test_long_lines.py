"""A line of a megabyte in files that are counted as bytes: figures or a clear limit, and soon."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import karat
from karat.errors import LimitExceeded

SIZE = 10**6
LINES = {
    "one word": "x" * SIZE,
    "one letter words": "a b " * (SIZE // 4),
    "many words": " ".join(f"w{i * 7919 % 60_000}" for i in range(SIZE // 7)),
    "blanks": " " * (SIZE - 2) + "ab",
    "marks": ".,-<&" * (SIZE // 5),
    "entities": "&amp;&lt;skipped>" * (SIZE // 17),
    "beyond ASCII": "é中🙂" * (SIZE // 9),
}
METRICS = [
    *("bleu", "bleu(tokenize='intl')", "bleu(tokenize='char')", "chrf", "chrf++", "exact", "squad"),
    *("rouge", "rouge(profile='google', compute_rouge_l=True)", "ter", "wer", "edit-distance"),
    "edit-distance(characters=True)",
]
# Those that compare all words or characters of one text with all of the other have a limit.
LIMITED = {"ter", "wer", "edit-distance", "edit-distance(characters=True)"}
# Within the limits, but with long texts on both sides these take 10 to 30 seconds.
SLOW = {
    ("rouge(profile='google', compute_rouge_l=True)", "one letter words"),
    ("edit-distance(characters=True)", "beyond ASCII"),
}


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("line", LINES)
def test_a_line_of_a_megabyte(name: str, line: str, tmp_path: Path) -> None:
    long, short = LINES[line], "a short line"
    other = " ".join(reversed(long.split(" "))) if line == "many words" else long[7:] + " end"
    pairs = [(long, short), (short, long), (long, other)]
    if (name, line) in SLOW:
        pairs.pop()
    for ours, theirs in pairs:
        found = outcome(name, tmp_path, [short, ours, short], [short, theirs, short])
        assert found == "figures" or (found == "K503" and name in LIMITED)


def outcome(name: str, folder: Path, ours: list[str], theirs: list[str]) -> str:
    system, gold = folder / "system.txt", folder / "gold.txt"
    system.write_text("\n".join(ours) + "\n", encoding="utf-8")
    gold.write_text("\n".join(theirs) + "\n", encoding="utf-8")
    started = time.process_time()
    try:
        assert len(karat.evaluate(name, system=system, gold=gold)) == len(ours)
    except LimitExceeded as error:
        return error.code
    finally:
        assert time.process_time() - started < 30
    return "figures"
