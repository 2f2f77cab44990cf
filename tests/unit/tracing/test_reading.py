"""Items that are not read before they are wanted: the same answers as for those that are."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import karat
from karat.core.tracing import UnreadPairs
from karat.tracing import reading
from karat.tracing.grids import traced
from karat.trees.model import Tree

LABELS = ["nsubj", "obj", "nmod:poss", "nmod", "punct"]


def sentence(draw: random.Random) -> str:
    size = draw.randint(2, 6)
    rows = []
    for i in range(size):
        word, head = draw.choice("abc"), 0 if i == 0 else draw.randint(1, i)
        label = "root" if head == 0 else draw.choice(LABELS)
        tag = "PUNCT" if label == "punct" else "NOUN"
        rows.append(f"{i + 1}\t{word}\t{word}\t{tag}\t_\t_\t{head}\t{label}\t_\t_")
    return "\n".join(rows)


def damaged(text: str, draw: random.Random) -> str:
    rows = [row.split("\t") for row in text.split("\n")]
    for row in rows[1:]:
        row[6] = draw.choice([row[6], "1"])
        row[7] = draw.choice([row[7], row[7], "obj"])
    return "\n".join("\t".join(row) for row in rows)


@pytest.fixture
def texts() -> dict[str, list[str]]:
    draw = random.Random(3)
    golds = [sentence(draw) for _ in range(20)]
    golds[7], golds[9] = golds[2], golds[4]
    systems = [damaged(each, draw) for each in golds]
    systems[7] = systems[2]  # a pair that is there twice, and one with another output
    systems[9] = golds[9]
    return {"gold": golds, "system": systems}


def written(texts: dict[str, list[str]], folder: Path, without: int = -1) -> dict[str, Path]:
    found = {side: folder / f"{side}{without}.conllu" for side in texts}
    for side, sentences in texts.items():
        kept = [text for i, text in enumerate(sentences) if i != without]
        found[side].write_text("".join(f"{text}\n\n" for text in kept), encoding="utf-8")
    return found


def test_unread_files_give_what_parsed_ones_give(
    texts: dict[str, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where nothing fits, where a slip does, and where all settings are asked for."""
    files = written(texts, tmp_path)
    all_items, without = (
        100 * karat.evaluate("attachment(keep_punct=True)", **each).scores()["LAS"]
        for each in (files, written(texts, tmp_path, without=7))
    )
    figures = ["LAS 12.3", f"UAS {all_items:.2f}", f"LAS {without:.6f}", "0.8"]
    unread = [karat.trace(figure, **files).to_dict() for figure in figures]
    assert [hit["slip"] for hit in unread[2]["hits"]].count("no-duplicates") == 1
    metrics = {hit["setting"].partition("(")[0] for hit in unread[3]["hits"]}
    assert metrics == {"ud", "attachment"}  # and not those of graphs
    monkeypatch.setattr(reading, "_unread", lambda files: None)
    assert [karat.trace(figure, **files).to_dict() for figure in figures] == unread


def test_only_what_is_asked_for_is_read(texts: dict[str, list[str]], tmp_path: Path) -> None:
    files = written(texts, tmp_path)
    inputs = reading.Inputs(
        files["system"], files["gold"], format=None, gold_format=None, format_options={},
        pair="auto", on_error="auto", by=(),
    )  # fmt: skip
    for each in traced(frozenset(("tree",))):
        if each.name in ("ud", "attachment"):
            items = inputs.items(each.grid.passes(each.grid.all_names())[0])
            assert isinstance(items.pairs, UnreadPairs)
            assert items.first_of_equals.tolist() == [i != 7 for i in range(20)]
            assert items.pairs.golds() == [gold for _, gold in items.pairs]


def test_equal_trees_have_equal_hashes() -> None:
    trees = [
        Tree.of([0, 1], forms=forms, deprels=labels)
        for forms in (["a", "b"], ["a", "c"])
        for labels in (["root", "x"], ["root", "y"])
    ]
    assert len(set(trees)) == 4
    assert hash(trees[0]) == hash(Tree.of([0, 1], forms=["a", "b"], deprels=["root", "x"]))


LINES = {
    "odd": ("A dog.\n\n the  cat \nx\ty\n\u2028z\u0085w\nEnd", "a\nb\n\nc\n d \nÉ"),
    "crlf": ("a b\r\nc d\r\ne\r\n", "a\r\nb c\r\nd\r\n"),
    "short": ("a\nb\n", "a\nb\nc\n"),
    "long": ("a\nb\nc\n", "a\nb\n"),
    "empty": ("\n\n", "\n\n"),
    "marked": ("\ufeffa\nb\n", "a\n\ufeffb\n"),
    "none": ("", ""),
}


@pytest.mark.parametrize("name", LINES)
def test_lines_are_what_their_reader_gives(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / "system.txt", tmp_path / "gold.txt"]
    for file, text in zip(files, LINES[name], strict=True):
        file.write_text(text, newline="")
    taken = 0
    lines = reading._lines
    for each in traced(frozenset(["text"])):
        for one in each.grid.passes(each.grid.all_names())[:2]:
            found: list[object] = []
            for way in (lines, lambda _: None):
                monkeypatch.setattr(reading, "_lines", way)
                inputs = reading.Inputs(
                    *map(str, files), format=None, gold_format=None, format_options={},
                    pair="auto", on_error="auto", by=(),
                )  # fmt: skip
                try:
                    items = inputs.items(one)
                    taken += way is lines
                    found.append((list(items.pairs), list(items.ids), inputs.warnings))
                except karat.KaratError as error:
                    found.append((str(error), error.code))
            assert found[0] == found[1], each.name
    assert taken or name in ("short", "long", "none", "empty")


@pytest.mark.parametrize("golds", [1, 2])
def test_records_of_texts_are_texts_and_those_of_json_are_not(golds: int, tmp_path: Path) -> None:
    """A figure without a name may be any of the files' family, which their names do not tell."""
    draw = random.Random(1)
    words = [[draw.choice("abcdefgh") for _ in range(12)] for _ in range(20)]
    texts = [[" ".join(each[:6]), " ".join(each[6:])] for each in words]
    others = [[first, second.replace("a", "b")] for first, second in texts]
    system, gold = tmp_path / "system.jsonl", tmp_path / "gold.jsonl"

    def write(path: Path, field: str, values: list[object]) -> None:
        lines = [{"id": str(i), field: each} for i, each in enumerate(values)]
        path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")

    write(system, "text", list(others))
    write(gold, "references" if golds > 1 else "text", [[" ".join(each)] * golds if golds > 1
                                                        else each for each in texts])  # fmt: skip
    bleu = karat.evaluate("bleu", system=system, gold=gold).scores()["bleu"]
    assert any(
        hit.setting.startswith("bleu")
        for hit in karat.trace(f"{bleu:.3f}", system=system, gold=gold).hits
    )
    write(system, "output", [json.dumps({"said": each}) for each in others])
    write(gold, "gold", [{"said": each} for each in texts])
    f = karat.evaluate("json", system=system, gold=gold).scores()["f"]
    found = karat.trace(f"{100 * f:.3f}", system=system, gold=gold)
    assert found.hits[0].setting.startswith("json")
