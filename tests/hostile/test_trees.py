"""Files of trees that mean no good: they end quickly, with an error that says where."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from karat.engine import evaluate
from karat.errors import KaratError
from karat.trees.metrics.derp import Derp

WORD = "{0}\tw\t_\t_\t_\t_\t{1}\tx\t_\t_\n"


def _sentence(heads: list[int]) -> str:
    return "".join(WORD.format(i, head) for i, head in enumerate(heads, 1)) + "\n"


GOOD = _sentence([0, 1])


@pytest.mark.parametrize(
    "text",
    [
        b"\x00\x00\x00\n",
        b"\xff\xfe1\t\n",
        b"\t\t\t\t\t\t\t\t\t\n\n",
        b"1-999999999\tw\t_\t_\t_\t_\t_\t_\t_\t_\n" + GOOD.encode(),
        GOOD.replace("\t1\t", "\t99999999999999999999\t").encode(),
        GOOD.replace("\t1\t", "\t1e0\t").encode(),
        GOOD.replace("\t1\t", "\t-0\t").encode(),
        GOOD.replace("\t1\t", "\t\u0661\t").encode(),
        GOOD.replace("\n", "\r").encode(),
        GOOD.replace("w", "w\u2028w", 1).encode() + b"1\n",
        b"#" * 1_000_000 + b"\n\n" + b"1\n",
        (GOOD[:-1] + "3\tw").encode(),
    ],
    ids=range(12),
)
@pytest.mark.parametrize("metric", ["ned", "attachment", "ud", "derp"])
def test_garbage(tmp_path: Path, metric: str, text: bytes) -> None:
    gold, system = tmp_path / "g.conllu", tmp_path / "s.conllu"
    gold.write_text(GOOD)
    system.write_bytes(text)
    with pytest.raises(KaratError) as caught:
        evaluate(metric, gold=gold, system=system)
    assert caught.value.code.startswith("K")


def test_a_chain_of_many_words(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(_sentence(list(range(20_000))))
    start = time.process_time()
    for metric in ("ned", "attachment", "ud"):
        run = evaluate(metric, gold=path, system=path)
        assert len(run) == 1
    with pytest.raises(KaratError, match="K522"):
        evaluate("derp", gold=path, system=path)
    assert time.process_time() - start < 30


def test_a_million_blank_lines(tmp_path: Path) -> None:
    gold, system = tmp_path / "g.conllu", tmp_path / "s.conllu"
    gold.write_text(GOOD)
    system.write_text(GOOD + "\n" * 1_000_000)
    start = time.process_time()
    assert evaluate("ned", gold=gold, system=system).scores()["ned_score"] == 1.0
    assert time.process_time() - start < 10


def test_all_words_linked_with_all(tmp_path: Path) -> None:
    path, links = tmp_path / "a.conllu", tmp_path / "a.align"
    path.write_text(_sentence([0] + [1] * 199))
    links.write_text(" ".join(f"{i}-{j}" for i in range(200) for j in range(200)) + "\n")
    start = time.process_time()
    with pytest.raises(KaratError, match="K522"):
        evaluate(Derp(alignment=str(links)), gold=path, system=path)
    assert time.process_time() - start < 10


@pytest.mark.parametrize("head", ["0000000005", "0" * 5000, "1" * 5000, "\u0661", "-1", "3", ""])
def test_heads_of_enhanced_dependencies_that_are_none(tmp_path: Path, head: str) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(GOOD[:-1].replace("\tx\t_\t_", f"\tx\t{head}:obj\t_", 1) + "\n")
    with pytest.raises(KaratError, match="K136") as caught:
        evaluate("elas", gold=path, system=path)
    assert caught.value.place is not None
    assert caught.value.place.line == 1


def test_a_chain_of_empty_nodes(tmp_path: Path) -> None:
    size = 3000
    word = WORD.replace("\tx\t_", f"\tx\t{size}.{size}:x")
    words = [word.format(i, i - 1) for i in range(1, size + 1)]
    empty = [
        f"{size}.{i}\te\t_\t_\t_\t_\t_\t_\t{f'{size}.{i - 1}:y' if i > 1 else '0:root'}\t_\n"
        for i in range(1, size + 1)
    ]
    path = tmp_path / "a.conllu"
    path.write_text("".join(words + empty) + "\n")
    with pytest.raises(KaratError, match="too many ways through empty nodes"):
        evaluate("elas", gold=path, system=path)


def test_the_line_of_an_empty_node_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text("# sent_id = x\n" + GOOD[:-1] + "2.1" + "\t_" * 7 + "\tnothing\t_\n\n")
    with pytest.raises(KaratError, match=r"a\.conllu:4: .*item 'x'.*'nothing' is not HEAD:LABEL"):
        evaluate("elas", gold=path, system=path)


@pytest.mark.parametrize("metric", ["ud", "elas"])
@pytest.mark.parametrize("text", [b"0\n1\n\n", b"a\tX\t0\nb\tY\t1\n\n"])
def test_files_without_the_columns_of_ud(tmp_path: Path, metric: str, text: bytes) -> None:
    """Heads alone are no words, and words and heads have no other column that could be right."""
    path = tmp_path / "a.ned"
    path.write_bytes(text)
    options = {"system": path, "gold": path, "format": "ned", "gold_format": "ned"}
    if metric == "ud" and b"\t" in text:
        run = evaluate(metric, **options)
        assert run.scores()["LAS"]["f1"] == 1
        assert run.scores()["Words"]["f1"] == 1
    else:
        with pytest.raises(KaratError, match="no words" if b"\t" not in text else "K242"):
            evaluate(metric, **options)
