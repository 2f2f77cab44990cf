"""Items that cannot be read are not kept in memory after a run, whether it went on or failed."""

from __future__ import annotations

import gc
import warnings
from pathlib import Path

import pytest

import karat
from karat.errors import KaratError

FILES = (
    ("smatch", "amr", "(a / )\n\n(b / dog)\n", "(a / cat)\n\n(b / dog)\n"),
    ("mrp", "mrp", "{\n", '{"id":"1","framework":"dm","nodes":[]}\n'),
    ("bleu", "jsonl", '{"id":"1"}\n{"id":"2","text":"a"}\n', '{"id":"1","text":"a"}\n'),
    ("ud", "conllu", "1\ta\n\n", "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n"),
    ("cogs", "tsv", "a b\n", "A dog slept .\tdog ( x )\tx\n"),
    ("spans", "jsonl", '{"labels":[1.5]}\n{"labels":["O"]}\n', '{"labels":["O"]}\n' * 2),
)


def kept() -> int:
    gc.collect()
    return sum(isinstance(each, KaratError) for each in gc.get_objects())


@pytest.mark.parametrize("on_error", ["auto", "fail", "skip"])
@pytest.mark.parametrize(("metric", "suffix", "bad", "good"), FILES)
def test_nothing_is_kept(
    tmp_path: Path, metric: str, suffix: str, bad: str, good: str, on_error: str
) -> None:
    texts = {"bad": bad, "good": good}
    for name, text in texts.items():
        (tmp_path / f"{name}.{suffix}").write_text(text, encoding="utf-8")
    before = kept()
    failed = 0
    for system, gold in (("bad", "good"), ("good", "bad")):
        files = [tmp_path / f"{side}.{suffix}" for side in (system, gold)]
        for sides in (files, ([texts[system]], [texts[gold]])):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    karat.evaluate(metric, *sides, on_error=on_error)
                except KaratError:
                    failed += 1
    assert failed > 0
    assert kept() == before
