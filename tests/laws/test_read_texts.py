"""What is written about items is the same however it is made."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import karat
from karat.cli.evaluate import evaluate
from karat.core.capabilities import CountsErrors, LooksAtTexts, has
from karat.core.frequent_errors import frequent_errors
from karat.core.reading.raw import RawChunk
from karat.core.reading.strings import Referenced
from karat.core.registry import parse
from metric_examples import EXAMPLES

READERS = [
    text for texts, *_ in EXAMPLES.values() for text in texts if has(parse(text), LooksAtTexts)
]
SYSTEMS = [
    "the cat sat .",
    "A  dog, é 東京 😀 !",
    'say "no" \\ twice twice',
    "x",
    "  an end\there ",
]
GOLDS = ["The cat sat on it .", "a dog, e 東京 😀😀", 'say "no" \\ twice', "x", "the end\there"]


def write(path: Path, values: list[dict[str, object]]) -> None:
    lines = (json.dumps(each, ensure_ascii=i % 2 == 0) for i, each in enumerate(values))
    path.write_text("".join(line + "\n" for line in lines))


def outputs(metric: str, folder: Path, ending: str, *more: str) -> dict[str, bytes]:
    sides = [str(folder / f"{side}.{ending}") for side in ("gold", "system")]
    written = {name: folder / f"{name}.out" for name in ("report", "errors", "sentences", *more)}
    flags = [word for name, path in written.items() for word in (f"--{name}", str(path))]
    done = CliRunner().invoke(
        evaluate, [metric, "-g", sides[0], "-s", sides[1], "-j", "1", "-q", *flags]
    )
    assert not done.exit_code, done.output
    return {name: path.read_bytes() for name, path in written.items()}


@pytest.mark.parametrize("ending", ["txt", "jsonl", "escaped.jsonl"])
@pytest.mark.parametrize("metric", READERS)
def test_texts_of_bytes_are_those_that_are_parsed(
    metric: str, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for side, texts in (("gold", GOLDS), ("system", SYSTEMS)):
        if ending == "txt":
            (tmp_path / f"{side}.txt").write_text("".join(text + "\n" for text in texts))
            continue
        name = "text" if side == "system" else "reference"
        more = "\nnext line" if ending.startswith("escaped") else ""
        rows: list[dict[str, object]] = [
            {"id": str(i), name: text + more} for i, text in enumerate(texts)
        ]
        write(tmp_path / f"{side}.{ending}", rows if side == "gold" else rows[::-1])
    cls = type(parse(metric))
    taken = []
    read: Callable[[object, RawChunk], Referenced | None] = cls.texts_of  # type: ignore[attr-defined]

    def noted(self: object, chunk: RawChunk) -> Referenced | None:
        taken.append(read(self, chunk))
        return taken[-1]

    monkeypatch.setattr(cls, "texts_of", noted)
    fast = outputs(metric, tmp_path, ending)
    assert taken
    assert None not in taken
    monkeypatch.setattr(cls, "texts_of", lambda self, chunk: None)
    assert outputs(metric, tmp_path, ending) == fast


COUNT_ERRORS = [each for each in READERS if has(parse(each), CountsErrors) and "coco" not in each]
"""All but a profile without n-grams."""


@pytest.mark.parametrize("metric", COUNT_ERRORS)
def test_the_errors_that_are_counted_are_those_that_are_written(
    metric: str, tmp_path: Path
) -> None:
    """Metrics count them while they write them."""
    for side, texts in (("gold", GOLDS), ("system", SYSTEMS)):
        (tmp_path / f"{side}.txt").write_text("".join(text + "\n" for text in texts))
    made = outputs(metric, tmp_path, "txt", "error-profile")
    assert json.loads(made["error-profile"]) == frequent_errors([made["errors"].splitlines()])


@pytest.mark.parametrize("metric", READERS)
def test_empty_outputs_are_told_wherever_they_come_from(metric: str, tmp_path: Path) -> None:
    """Those whose gold has a text; there, white space of any script is none."""
    system = ["a dog barks", "", "two cats", " \u3000", "\u2028", "x"]
    gold = ["a dog barks", "a cat", "two cats", "it rains", " ", "y"]
    for name, texts in (("system", system), ("gold", gold)):
        (tmp_path / f"{name}.txt").write_text("".join(f"{each}\n" for each in texts))
    files = [str(tmp_path / f"{name}.txt") for name in ("system", "gold")]
    runs = [karat.evaluate(metric, *files), karat.evaluate(metric, system, gold)]
    told = "2 outputs of the system are empty, and counted as such"
    assert [each.remarks.count(told) for each in runs] == [1, 1]
    assert all("empty" not in each for each in karat.evaluate(metric, gold, gold).remarks)
