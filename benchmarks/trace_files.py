"""Files on which ``karat trace`` is tried: made up here, or copies of samples where these are."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
"""Samples of graphs and of logical forms, which are not part of the project."""
_NOUNS = ["dog", "house", "river", "teacher", "paper", "engine", "market", "letter", "garden"]
_VERBS = ["built", "tested", "opened", "lowered", "visited", "measured", "followed", "studied"]
_NAMES = ["Kim", "Oslo", "Novak", "Rossi", "Berlin", "Martin", "Anna", "U.S.", "Lund's"]
_OTHERS = ["the", "a", "The", "old", "new", "rarely", "1,250", "3.5", "well-known", "in", "and"]


def sentence(draw: random.Random) -> str:
    words = []
    for _ in range(draw.randint(2, 6)):
        words += [draw.choice(_OTHERS), draw.choice(_NOUNS), draw.choice(_VERBS)]
        words += [draw.choice(_NAMES)] if draw.random() < 0.4 else []
    text = " ".join(words)
    if draw.random() < 0.3:
        text = text.replace(" and ", ", and ")
    return text[0].upper() + text[1:] + draw.choice(".....!?")


def damaged(text: str, draw: random.Random) -> str:
    words = []
    for word in text.split():
        chance = draw.random()
        if chance < 0.08:
            continue
        words.append(
            draw.choice(_NOUNS) if chance < 0.16
            else word.lower() if chance < 0.22
            else word + "s" if chance < 0.26
            else word
        )  # fmt: skip
    return " ".join(words) or text


def translations(folder: Path, seed: int, count: int) -> tuple[list[str], list[str]]:
    draw = random.Random(seed)
    gold = [sentence(draw) for _ in range(count)]
    system = [damaged(text, draw) for text in gold]
    (folder / f"mt{seed}.gold.txt").write_text("\n".join(gold) + "\n", encoding="utf-8")
    (folder / f"mt{seed}.system.txt").write_text("\n".join(system) + "\n", encoding="utf-8")
    return system, gold


def summaries(folder: Path, seed: int, count: int) -> tuple[list[list[str]], list[list[str]]]:
    draw = random.Random(seed + 500)
    gold = [[sentence(draw) for _ in range(draw.randint(2, 5))] for _ in range(count)]
    system = []
    for text in gold:
        kept = [damaged(each, draw) for each in text if draw.random() < 0.85]
        system.append([*kept, sentence(draw)] if draw.random() < 0.5 or not kept else kept)
    for side, texts in (("gold", gold), ("system", system)):
        lines = [json.dumps({"id": f"{i:04}", "text": text}) for i, text in enumerate(texts)]
        (folder / f"sum{seed}.{side}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return system, gold


def graph(draw: random.Random, names: Iterator[int], depth: int = 0) -> str:
    """An AMR in one line."""
    concept = draw.choice([*_NOUNS, *(f"{verb}-0{draw.randint(1, 3)}" for verb in _VERBS)])
    text = f"(x{next(names)} / {concept}"
    for role in draw.sample(["ARG0", "ARG1", "ARG2", "mod", "time"], draw.randint(0, 3 - depth)):
        text += f" :{role} {graph(draw, names, depth + 1)}"
    return text + (" :polarity -)" if draw.random() < 0.2 else ")")


def graphs(folder: Path, seed: int, count: int) -> tuple[Path, Path]:
    draw = random.Random(seed + 1000)
    gold = [graph(draw, itertools.count()) for _ in range(count)]
    concepts, roles = re.compile(r"/ \S+?(?=[ )])"), re.compile(r":ARG[01]")
    system = [
        roles.sub(
            lambda m: m[0] if draw.random() < 0.85 else draw.choice([":ARG0", ":ARG2", ":mod"]),
            concepts.sub(lambda m: m[0] if draw.random() < 0.8 else "/ thing", text),
        ).replace(" :polarity -", "" if draw.random() < 0.3 else " :polarity -")
        for text in gold
    ]  # fmt: skip
    return _written(folder, f"amr{seed}", "amr", "\n\n", system, gold)


def trees(folder: Path, seed: int, count: int) -> tuple[Path, Path]:
    draw = random.Random(seed + 2000)
    labels = ["nsubj", "obj", "obl", "det", "amod", "advmod", "nmod:poss", "punct"]
    sides: tuple[list[str], list[str]] = [], []
    for _ in range(count):
        words = sentence(draw).split()
        root = draw.randrange(len(words))
        heads = [0 if i == root else root + 1 if draw.random() < 0.5 or i == 0 else i
                 for i in range(len(words))]  # fmt: skip
        rows = [("root" if head == 0 else draw.choice(labels), head) for head in heads]
        for side, rate in zip(sides, (0.15, 0.0), strict=True):
            lines = []
            for i, (word, (label, head)) in enumerate(zip(words, rows, strict=True)):
                if head and draw.random() < rate:
                    label = draw.choice(labels)
                if head and draw.random() < rate and i != root:
                    head = root + 1
                tag = "PUNCT" if label == "punct" else "NOUN"
                lines.append(f"{i + 1}\t{word}\t{word}\t{tag}\t_\t_\t{head}\t{label}\t_\t_")
            side.append("\n".join(lines))
    return _written(folder, f"ud{seed}", "conllu", "\n\n", *sides)


def _written(
    folder: Path, name: str, suffix: str, between: str, system: list[str], gold: list[str]
) -> tuple[Path, Path]:
    found = []
    for side, items in (("system", system), ("gold", gold)):
        found.append(folder / f"{name}.{side}.{suffix}")
        found[-1].write_text(between.join(items) + between, encoding="utf-8")
    return found[0], found[1]


def tags(folder: Path, seed: int, count: int) -> tuple[list[list[str]], list[list[str]]]:
    """Tags of words, of which some of the system's do not begin a span as they should."""
    draw = random.Random(seed + 4000)
    sides: tuple[list[list[str]], list[list[str]]] = [], []
    blocks: tuple[list[str], list[str]] = [], []
    for _ in range(count):
        words = sentence(draw).split()
        gold: list[str] = []
        while len(gold) < len(words):
            label, length = draw.choice(("PER", "LOC", "ORG")), draw.choice((1, 1, 2, 3))
            inside = draw.random() < 0.3
            gold += [f"B-{label}", *[f"I-{label}"] * (length - 1)] if inside else ["O"] * length
        del gold[len(words) :]
        system = [
            draw.choice(("O", "I-PER", "B-LOC")) if draw.random() < 0.1 else tag for tag in gold
        ]
        for side, block, found in zip(sides, blocks, (system, gold), strict=True):
            side.append(found)
            lines = zip(words, found, strict=True)
            block.append("\n".join(f"{word}\t{tag}" for word, tag in lines))
    _written(folder, f"ner{seed}", "bio", "\n\n", *blocks)
    return sides


def records(folder: Path, seed: int, count: int) -> None:
    """Objects with fields of all types, as JSON and as arguments of calls."""
    draw = random.Random(seed + 3000)
    sides: dict[str, list[str]] = {
        "json.gold": [],
        "json.system": [],
        "tools.gold": [],
        "tools.system": [],
    }
    for i in range(count):
        gold = {
            "name": draw.choice(_NAMES),
            "place": draw.choice(_NOUNS),
            "price": draw.randint(1, 900) / 4,
            "count": str(draw.randint(1, 99)),
            "open": draw.random() < 0.5,
            "note": draw.choice(["", "x", "The end"]),
            "tags": draw.sample(_NOUNS, draw.randint(0, 4)),
            "parts": [
                {"verb": draw.choice(_VERBS), "size": draw.randint(1, 9)}
                for _ in range(draw.randint(1, 4))
            ],
        }
        system = {key: value for key, value in gold.items() if draw.random() < 0.9}
        for key, value in list(system.items()):
            if isinstance(value, str) and draw.random() < 0.2:
                system[key] = value.upper()
            elif isinstance(value, list) and draw.random() < 0.3:
                system[key] = draw.sample(value, len(value))
        name = draw.choice(_VERBS)
        for side, value in (("gold", gold), ("system", system)):
            sides[f"json.{side}"].append(json.dumps({"id": i, "output": value}))
            call = {"name": name, "arguments": value}
            sides[f"tools.{side}"].append(json.dumps({"id": i, "tool_calls": [call]}))
    for name, lines in sides.items():
        kind, side = name.split(".")
        (folder / f"{kind}{seed}.{side}.jsonl").write_text(
            "\n".join(lines) + "\n", encoding="utf-8"
        )


# -- copies of samples ----------------------------------------------------------------------------


def mrp_copies(folder: Path, framework: str, copies: int) -> None:
    """Graphs of the Wall Street Journal, in each copy with some other labels."""
    draw = random.Random(7)
    sample = SHARED / "graphs"
    paths = {
        "gold": sample / "sample" / framework / "wsj.mrp",
        "system": sample / "perturbed" / f"{framework}.wsj.mrp",
    }
    for side, path in paths.items():
        graphs = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        lines = []
        for copy in range(copies):
            for graph in graphs:
                made = {
                    **graph,
                    "id": f"{graph['id']}-{copy}",
                    "nodes": [dict(node) for node in graph["nodes"]],
                }
                for node in made["nodes"]:
                    if "label" in node and draw.random() < 0.05:
                        node["label"] += draw.choice("abc")
                lines.append(json.dumps(made))
        (folder / f"{framework}77.{side}.mrp").write_text("\n".join(lines) + "\n", encoding="utf-8")


def eds_copies(folder: Path, copies: int) -> None:
    """The same in the notation of EDS."""
    sample = SHARED / "graphs"
    paths = {
        "gold": sample / "sample" / "eds" / "wsj.eds",
        "system": sample / "perturbed" / "wsj.pet.eds",
    }
    for side, path in paths.items():
        text = path.read_text(encoding="utf-8").rstrip("\n")
        found = [re.sub(r"(?m)^#(\d+)", rf"#\g<1>{copy}", text) for copy in range(copies)]
        (folder / f"native77.{side}.eds").write_text("\n\n".join(found) + "\n", encoding="utf-8")


def passage_copies(folder: Path, copies: int) -> None:
    """Passages of UCCA in XML, and lists of them."""
    sample = SHARED / "graphs"
    paths = {
        "gold": sample / "sample" / "ucca" / "xml",
        "system": sample / "perturbed" / "ucca-xml",
    }
    for side, path in paths.items():
        names = []
        for name, copy in itertools.product(
            (path / "files.txt").read_text().split(), range(copies)
        ):
            text = (path / name).read_text(encoding="utf-8")
            text = re.sub(r'passageID="(wsj[^"]*)"', rf'passageID="\g<1>-{copy}"', text, count=1)
            names.append(f"{side}-{copy}-{name}")
            (folder / names[-1]).write_text(text, encoding="utf-8")
        (folder / f"passages77.{side}.txt").write_text("\n".join(names) + "\n")


def amr_copies(folder: Path, copies: int) -> None:
    sample = SHARED / "graphs"
    paths = {
        "gold": sample / "sample" / "amr" / "wsj.amr",
        "system": sample / "perturbed" / "wsj.perturbed.amr",
    }
    for side, path in paths.items():
        text = path.read_text(encoding="utf-8").rstrip("\n")
        found = [re.sub(r"(?m)^(# ::id \S+)", rf"\g<1>-{copy}", text) for copy in range(copies)]
        (folder / f"wsj77.{side}.amr").write_text("\n\n".join(found) + "\n", encoding="utf-8")


def cogs_copies(folder: Path, copies: int) -> None:
    """The development set of COGS, and answers of many kinds."""
    for side, name in (("gold", "dev.tsv"), ("system", "dev.mixed.tsv")):
        text = (SHARED / "logical-forms" / name).read_text(encoding="utf-8")
        (folder / f"cogs77.{side}.tsv").write_text(text * copies, encoding="utf-8")
