"""Files with a line of a megabyte, for the metrics that count from bytes: figures or a clear limit, soon."""

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
# Those that compare all words or characters of one text with all of the other may have a limit.
LIMITED = {"ter", "wer", "edit-distance", "edit-distance(unit='character')"}
METRICS = [
    *("bleu", "bleu(tokenize='intl')", "bleu(tokenize='char')", "chrf", "chrf++", "exact", "squad"),
    *("rouge", "rouge(profile='google', compute_rouge_l=True)"),
    *("ter", "wer", "edit-distance"),
]


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("line", LINES)
def test_a_line_of_a_megabyte(name: str, line: str, tmp_path: Path) -> None:
    long, short = LINES[line], "a short line"
    other = " ".join(reversed(long.split(" "))) if line == "many words" else long[7:] + " end"
    system, gold = tmp_path / "system.txt", tmp_path / "gold.txt"
    limits = 0
    for ours, theirs in ((long, short), (short, long), (long, other)):
        system.write_text(f"{short}\n{ours}\n{short}\n", encoding="utf-8")
        gold.write_text(f"{short}\n{theirs}\n{short}\n", encoding="utf-8")
        started = time.process_time()
        try:
            assert len(karat.evaluate(name, system=system, gold=gold, interval=False)) == 3
        except LimitExceeded as error:
            limits += 1
            assert error.code == "K503"
            assert "too long" in str(error)
        assert time.process_time() - started < 20
    assert limits == 0 or name in LIMITED
