"""What looking at items costs: CPU of plain runs, of those with a page, and with all item outputs.

    python benchmarks/items.py [--sizes 1000,10000] [--metrics bleu,mrp] [--repeats 3] [--write]

A metric that is measured on several formats has a row for each, named `metric:format`.

A first run compiles modules, as they are where karat is installed. Each cell is one run of
`karat evaluate METRIC -j 1 --json`, intervals included: plain, with `--report`, and with
`--errors`, `--sentences`, `--report` and, where the metric has one, `--error-profile`. The files
are made here; a system changes one part of eight or so. There is no peer: the ratio is that of
the two commands, start-up included. The runs of a row take turns, and the least of each counts.
With `--write` the rows take the place of those in docs/performance.md.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tables import put_rows
from timing import header

KARAT = str(Path(sys.executable).parent / "karat")
SYLLABLES = ("ba", "ke", "ri", "no", "tul", "sa", "ven", "mo", "dra", "li", "pe", "gor")
LABELS = ("nsubj", "obj", "det", "case", "amod", "advmod", "nmod", "conj", "obl", "mark")
TAGS = ("NOUN", "VERB", "ADJ", "DET", "ADP", "PRON", "ADV", "PUNCT")
ROLES = ("ARG1", "ARG2", "ARG3", "BV", "compound", "loc")
WRONG = 0.12
CATEGORIES = ("A", "P", "C", "E", "F", "D", "H", "L")
Sides = tuple[str, str]
"""The text of an item in the files of gold and of the system."""
Json = dict[str, Any]
Odd = Callable[[], bool]
"""Whether the system is wrong in the next part."""
Parts = tuple[list[int], list[Json], list[Json]]
"""Tops, nodes and edges of a graph."""
Made = Callable[[Odd], Parts]


def vocabulary() -> list[str]:
    """Words of which the first ones are frequent, as in texts."""
    draw = random.Random(0)
    words = ["".join(draw.choices(SYLLABLES, k=draw.randint(1, 4))) for _ in range(4000)]
    return ["the", "of", "and", "a", "to", "in", *dict.fromkeys(words)]


WORDS = vocabulary()
LONG = [word for word in WORDS if len(word) > 2]


def sentence(draw: random.Random, low: int = 8, high: int = 32) -> list[str]:
    size = draw.randint(low, high)
    return [WORDS[int(len(WORDS) * draw.random() ** 4)] for _ in range(size)]


def changed(draw: random.Random, words: list[str]) -> list[str]:
    """The words with some lost, some new, some others."""
    result = []
    for word in words:
        chance = draw.random()
        if chance < WRONG / 3:
            continue
        result.append(draw.choice(WORDS) if chance < WRONG else word)
        if chance > 1 - WRONG / 4:
            result.append(draw.choice(WORDS))
    return result or ["nothing"]


def texts(draw: random.Random, number: int) -> Sides:
    gold = sentence(draw)
    return f"{number} {' '.join(gold)}.\n", f"{number} {' '.join(changed(draw, gold))}.\n"


def forms(draw: random.Random, number: int) -> Sides:
    """A sentence and its logical form, as COGS writes them."""
    nouns = [draw.choice(LONG) for _ in range(draw.randint(2, 4))]
    verb = draw.choice(LONG)
    roles = ("agent", "theme", "recipient", "theme")
    places = range(1, 2 * len(nouns), 2)
    terms = [f"{noun} ( x _ {at} )" for noun, at in zip(nouns, places, strict=True)]
    first = f"* {terms[0]} ; "
    linked = [(roles[i % 4], at) for i, at in enumerate(places)]

    def form(noisy: bool) -> str:
        parts = list(terms[1:])
        for role, at in linked:
            if noisy and draw.random() < WRONG:
                role, at = draw.choice(roles), draw.choice(places)
            parts.append(f"{verb} . {role} ( x _ 2 , x _ {at} )")
        return first + " AND ".join(parts)

    text = " ".join(("the", *nouns, verb, str(number)))
    return f"{text}\t{form(False)}\tmade\n", f"{text}\t{form(True)}\tmade\n"


def trees(draw: random.Random, number: int, *, tags: bool = True, enhanced: bool = False) -> Sides:
    """A sentence of CoNLL-U; the system has other heads and labels, and other tags where `tags`."""
    words = sentence(draw, 6, 24)
    heads = [0] + [draw.randint(1, i) for i in range(1, len(words))]

    def block(noisy: bool) -> str:
        lines = [f"# sent_id = s{number}", f"# text = {' '.join(words)}"]
        for i, word in enumerate(words):
            odd = noisy and draw.random() < WRONG
            head = draw.randint(1, i) if odd and i > 1 else heads[i]
            tag = draw.choice(TAGS) if odd and tags else TAGS[len(word) % len(TAGS)]
            label = draw.choice(LABELS) if odd else LABELS[ord(word[0]) % len(LABELS)]
            label = label if head else "root"
            deps = f"{head}:{label}" if enhanced else "_"
            row = (i + 1, word, word, tag, tag[0], "Number=Sing", head, label, deps, "_")
            lines.append("\t".join(map(str, row)))
        return "\n".join(lines) + "\n\n"

    return block(False), block(True)


def parses(draw: random.Random, number: int) -> Sides:
    """The same with the tags of gold."""
    return trees(draw, number, tags=False)


def enhanced(draw: random.Random, number: int) -> Sides:
    """The same with enhanced dependencies."""
    return trees(draw, number, enhanced=True)


def mrp_lines(
    draw: random.Random, number: int, framework: str, flavor: int, words: list[str], made: Made
) -> Sides:
    """Gold and system as lines of MRP; `made` gives tops, nodes and edges of either."""

    def line(noisy: bool) -> str:
        tops, nodes, edges = made(lambda: noisy and draw.random() < WRONG)
        record = {
            "id": str(number),
            "flavor": flavor,
            "framework": framework,
            "version": 1.1,
            "time": "2026-01-01",
            "input": " ".join(words),
            "tops": tops,
            "nodes": nodes,
            "edges": edges,
        }
        return json.dumps(record) + "\n"

    return line(False), line(True)


def anchors_of(words: list[str]) -> list[list[dict[str, int]]]:
    """Of each word, the anchors of a node that stands for it."""
    starts = [sum(len(word) + 1 for word in words[:i]) for i in range(len(words))]
    return [[{"from": at, "to": at + len(word)}] for at, word in zip(starts, words, strict=True)]


def graphs(draw: random.Random, number: int) -> Sides:
    """A graph of EDS in MRP: a node for most words, abstract ones besides."""
    words = sentence(draw, 8, 28)
    anchors = anchors_of(words)

    def made(odd: Odd) -> Parts:
        nodes: list[Json] = []
        for i, word in enumerate(words):
            label = f"_{draw.choice(WORDS) if odd() else word}_{'nvaq'[len(word) % 4]}_1"
            node: Json = {"id": len(nodes), "label": label, "anchors": anchors[i]}
            if len(word) % 3 == 0:
                node |= {"properties": ["carg"], "values": [word.title()]}
            nodes.append(node)
        nodes += [
            {"id": len(words) + k, "label": "udef_q", "anchors": anchors[i]}
            for k, i in enumerate(range(0, len(words), 4))
        ]
        edges: list[Json] = [
            {
                "source": draw.randrange(i) if odd() else shape[i],
                "target": i,
                "label": draw.choice(ROLES) if odd() else ROLES[shape[i] % len(ROLES)],
            }
            for i in range(1, len(nodes))
        ]
        return [0], nodes, edges

    shape = [0] + [draw.randrange(i) for i in range(1, 2 * len(words))]
    return mrp_lines(draw, number, "eds", 1, words, made)


def dependencies(draw: random.Random, number: int) -> Sides:
    """A graph of DM in MRP: most words are nodes, with part of speech and frame."""
    words = sentence(draw, 8, 28)
    anchors = anchors_of(words)
    kept = [i for i, word in enumerate(words) if len(word) > 1] or [0]
    heads = {i: draw.choice([j for j in kept if j != i] or [i]) for i in kept}

    def made(odd: Odd) -> Parts:
        nodes: list[Json] = [
            {
                "id": i,
                "label": words[i],
                "properties": ["pos", "frame"],
                "values": ["VB" if odd() else TAGS[len(words[i]) % len(TAGS)], "n:x"],
                "anchors": anchors[i],
            }
            for i in kept
        ]
        edges: list[Json] = [
            {
                "source": heads[i],
                "target": i,
                "label": draw.choice(ROLES) if odd() else ROLES[i % len(ROLES)],
            }
            for i in kept
            if heads[i] != i and not odd()
        ]
        return [draw.choice(kept) if odd() else kept[0]], nodes, edges

    return mrp_lines(draw, number, "dm", 0, words, made)


def scenes(draw: random.Random, number: int) -> Sides:
    """A graph of UCCA in MRP: words are leaves, units above them have neither label nor anchors."""
    words = sentence(draw, 8, 28)
    anchors = anchors_of(words)
    units = 1 + len(words) // 2
    parents = [draw.randrange(units) for _ in words]
    above = [draw.randrange(i) for i in range(1, units)]

    def made(odd: Odd) -> Parts:
        nodes: list[Json] = [{"id": i, "anchors": each} for i, each in enumerate(anchors)]
        nodes += [{"id": len(words) + i} for i in range(units)]
        ends = [*enumerate(parents), *((len(words) + 1 + i, each) for i, each in enumerate(above))]
        edges: list[Json] = [
            {
                "source": len(words)
                + (draw.randrange(min(parent + 1, units)) if odd() else parent),
                "target": child,
                "label": draw.choice(CATEGORIES) if odd() else CATEGORIES[child % len(CATEGORIES)],
            }
            for child, parent in ends
        ]
        if len(words) % 3 == 0:
            remote = {"label": "A", "attributes": ["remote"], "values": [True]}
            edges.append({"source": len(words) + units - 1, "target": len(words) // 2, **remote})
        return [len(words)], nodes, edges

    return mrp_lines(draw, number, "ucca", 1, words, made)


def passages(draw: random.Random, number: int) -> Sides:
    """A passage of UCCA in XML: scenes, and units of one word in each."""
    words = sentence(draw, 8, 28)
    scenes = 1 + len(words) // 6
    members = [(draw.randrange(scenes), CATEGORIES[len(word) % len(CATEGORIES)]) for word in words]
    words_and_places = "".join(
        f'<node ID="0.{i}" type="Word">'
        f'<attributes text="{word}" paragraph="1" paragraph_position="{i}"/></node>'
        for i, word in enumerate(words, 1)
    )

    def edge(target: str, tag: str) -> str:
        return f'<edge toID="{target}" type="{tag}"><attributes/><category tag="{tag}"/></edge>'

    def passage(noisy: bool) -> str:
        units: list[list[str]] = [[] for _ in range(1 + scenes)]
        units[0] = [edge(f"1.{2 + i}", "H") for i in range(scenes)]
        for i, (scene, tag) in enumerate(members):
            odd = noisy and draw.random() < WRONG
            scene = draw.randrange(scenes) if odd else scene
            tag = draw.choice(CATEGORIES) if odd else tag
            units[1 + scene].append(edge(f"1.{len(units) + 1}", tag))
            units.append([edge(f"0.{1 + i}", "Terminal")])
        nodes = "".join(
            f'<node ID="1.{i}" type="FN"><attributes/>{"".join(edges)}</node>'
            for i, edges in enumerate(units, 1)
        )
        return (
            f'<root passageID="{number}" annotationID="0"><attributes/>'
            f'<layer layerID="0"><attributes/>{words_and_places}</layer>'
            f'<layer layerID="1"><attributes/>{nodes}</layer></root>\n'
        )

    return passage(False), passage(True)


def clauses(draw: random.Random, number: int) -> Sides:
    """The clauses of a discourse representation structure."""
    words = sentence(draw, 4, 14)

    def block(noisy: bool) -> str:
        lines = [f"%%% {number} {' '.join(words)}"]
        for i, word in enumerate(words):
            odd = noisy and draw.random() < WRONG
            concept = draw.choice(LONG) if odd else word
            lines += [f"b1 REF x{i}", f'b1 {concept.lower()} "n.01" x{i}']
            if i:
                head = draw.randrange(i) if odd else i // 2
                role = ("Agent", "Theme", "Time", "Patient")[draw.randrange(4) if odd else i % 4]
                lines.append(f"b1 {role} x{head} x{i}")
        return "\n".join(lines) + "\n\n"

    return block(False), block(True)


def sequences(draw: random.Random, number: int) -> Sides:
    """The same in the sequence notation."""
    words = [word for word in sentence(draw, 4, 14) if word.isalpha()] or ["word"]

    def block(noisy: bool) -> str:
        lines = [f"%%% {number} {' '.join(words)}"]
        for i, word in enumerate(words):
            odd = noisy and draw.random() < WRONG
            line = f"{(draw.choice(LONG) if odd else word).lower()}.n.01"
            if i:
                role = ("Agent", "Theme", "Time", "Patient")[draw.randrange(4) if odd else i % 4]
                line += f" {role} -{draw.randint(1, i) if odd else 1 + i // 2}"
            lines.append(line)
        return "\n".join(lines) + "\n\n"

    return block(False), block(True)


def meanings(draw: random.Random, number: int) -> Sides:
    """A graph of AMR in PENMAN."""
    words = sentence(draw, 6, 24)
    children: dict[int, list[int]] = {}
    for i in range(1, len(words)):
        children.setdefault(draw.randrange(max(0, i - 5), i), []).append(i)

    def node(i: int, noisy: bool, depth: int) -> str:
        odd = noisy and draw.random() < WRONG
        parts = [f"(v{i} / {draw.choice(WORDS) if odd else words[i]}"]
        if len(words[i]) % 5 == 0:
            parts.append(f":quant {i}")
        for child in children.get(i, ()):
            role = draw.choice(ROLES) if odd else ROLES[child % len(ROLES)]
            parts.append(f":{role} {node(child, noisy, depth + 1)}")
        return ("\n" + "    " * depth).join(parts) + ")"

    head = f"# ::id {number}\n# ::snt {' '.join(words)}\n"
    return tuple(head + node(0, noisy, 1) + "\n\n" for noisy in (False, True))  # type: ignore[return-value]


def records(draw: random.Random, number: int) -> Sides:
    """A record with names, amounts and a list, as systems that extract them give it."""
    words = sentence(draw, 10, 20)

    def value(word: str, noisy: bool) -> str:
        return draw.choice(WORDS) if noisy and draw.random() < WRONG else word

    def record(noisy: bool) -> dict[str, object]:
        made: dict[str, object] = {
            "name": value(words[0], noisy),
            "date": f"2026-01-{1 + number % 28:02}",
            "total": number % 977 + (noisy and draw.random() < WRONG),
            "paid": bool(number % 2),
            "address": {"street": value(words[1], noisy), "city": value(words[2], noisy)},
            "lines": [
                {"what": value(word, noisy), "count": len(word)}
                for word in words[3:]
                if not (noisy and draw.random() < WRONG / 3)
            ],
        }
        if noisy and draw.random() < WRONG:
            del made["date"]
        return made

    return tuple(  # type: ignore[return-value]
        json.dumps({"id": str(number), field: record(noisy)}) + "\n"
        for field, noisy in (("gold", False), ("output", True))
    )


def answers(draw: random.Random, number: int) -> Sides:
    """A question with its answers, and what a system says."""
    gold = sentence(draw, 1, 6)
    told = changed(draw, gold)
    return (
        json.dumps({"id": str(number), "references": [" ".join(gold), " ".join(gold[:2])]}) + "\n",
        json.dumps({"id": str(number), "output": " ".join(told)}) + "\n",
    )


def calls(draw: random.Random, number: int) -> Sides:
    """Calls of functions, as language models make them."""
    words = sentence(draw, 4, 12)

    def record(noisy: bool) -> list[dict[str, object]]:
        def value(word: str) -> str:
            return draw.choice(WORDS) if noisy and draw.random() < WRONG else word

        return [
            {
                "name": value(f"{words[i % len(words)]}_{i}"),
                "arguments": {
                    "query": value(words[i]),
                    "limit": number % 7,
                    "where": {"city": value(words[-i])},
                },
            }
            for i in range(1, 1 + number % 3)
        ]

    return tuple(  # type: ignore[return-value]
        json.dumps({"id": str(number), field: record(noisy)}) + "\n"
        for field, noisy in (("gold", False), ("output", True))
    )


def named(draw: random.Random, number: int) -> Sides:
    """A text with names of persons and places, as spans of it."""
    words = sentence(draw, 8, 24)
    text = " ".join(words)
    starts = [sum(len(word) + 1 for word in words[:i]) for i in range(len(words))]
    chosen = sorted(draw.sample(range(len(words)), 4))

    def record(noisy: bool) -> str:
        spans = []
        for i in chosen:
            if noisy and draw.random() < WRONG / 2:
                continue
            label = (
                draw.choice(("person", "place")) if noisy and draw.random() < WRONG else "person"
            )
            spans.append([label, starts[i], starts[i] + len(words[i])])
        return json.dumps({"id": str(number), "text": text, "spans": spans}) + "\n"

    return record(False), record(True)


def summaries(draw: random.Random, number: int) -> Sides:
    """A summary and the documents that it was made from."""
    documents = [[" ".join(sentence(draw)) + "." for _ in range(2)] for _ in range(2)]
    told = changed(draw, documents[0][0].split())
    return (
        json.dumps({"id": str(number), "documents": documents}) + "\n",
        json.dumps({"id": str(number), "output": " ".join(told)}) + "\n",
    )


def elements(draw: random.Random, number: int) -> Sides:
    """Heads, modifiers and relations of a text, as parsers give them."""
    words = sentence(draw, 8, 24)
    gold = [f"{a}|{b}|{draw.choice(LABELS)}" for a, b in itertools.pairwise(words)]
    told = [f"{draw.choice(WORDS)}||" if draw.random() < WRONG else each for each in gold]
    return (
        json.dumps({"id": str(number), "references": [gold]}) + "\n",
        json.dumps({"id": str(number), "output": told}) + "\n",
    )


def pyramids(draw: random.Random, number: int) -> Sides:
    """A pyramid of three summaries, and the units that people found in a fourth one."""
    words = [sentence(draw, 16, 32) for _ in range(4)]
    texts = [" ".join(each) for each in words]

    def part(summary: int) -> Json:
        """A stretch of a summary."""
        first = draw.randrange(len(words[summary]) - 4)
        begin = sum(len(word) + 1 for word in words[summary][:first])
        text = " ".join(words[summary][first : first + 4])
        return {"label": text, "parts": [{"text": text, "start": begin, "end": begin + len(text)}]}

    units = [
        {
            "scu_id": unit,
            "label": " ".join(sentence(draw, 3, 6)),
            "contributors": [
                {"summary_index": i, **part(i)} for i in sorted(draw.sample(range(3), 1 + unit % 3))
            ],
        }
        for unit in range(1, 9)
    ]
    found = [
        {"scu_id": unit["scu_id"], "label": unit["label"], "contributors": [part(3)]}
        for unit in draw.sample(units, 4)
    ]
    pyramid = {
        "instance_id": str(number),
        "summaries": texts[:3],
        "summarizer_ids": ["A", "B", "C"],
        "scus": units,
    }
    annotation = {
        "instance_id": str(number),
        "summarizer_id": "1",
        "summarizer_type": "peer",
        "summary": texts[3],
        "scus": found,
    }
    return json.dumps(pyramid) + "\n", json.dumps(annotation) + "\n"


MAKERS: dict[str, tuple[Callable[[random.Random, int], Sides], str]] = {
    "bleu": (texts, "txt"),
    "rouge": (texts, "txt"),
    "cogs": (forms, "tsv"),
    "lf-exact": (forms, "tsv"),
    "lf-well-formed": (forms, "tsv"),
    "lf-order-invariant": (forms, "tsv"),
    "lf-semantic": (forms, "tsv"),
    "lf-edit-distance": (forms, "tsv"),
    "lf-bleu": (forms, "tsv"),
    "lf-parts": (forms, "tsv"),
    "ud": (trees, "conllu"),
    "attachment": (trees, "conllu"),
    "mrp": (graphs, "mrp"),
    "smatch": (meanings, "amr"),
    "smatch:mrp": (graphs, "mrp"),
    "smatchpp": (meanings, "amr"),
    "edm": (graphs, "mrp"),
    "sdp": (dependencies, "mrp"),
    "ucca-mrp": (scenes, "mrp"),
    "s2match": (meanings, "amr"),
    "amr-fine": (meanings, "amr"),
    "sema": (meanings, "amr"),
    "sembleu": (meanings, "amr"),
    "counter": (clauses, "clf"),
    "sbn": (sequences, "sbn"),
    "sbn-fine": (sequences, "sbn"),
    "ucca": (passages, "/xml"),
    "json": (records, "jsonl"),
    "chrf": (texts, "txt"),
    "chrf++": (texts, "txt"),
    "gleu": (texts, "txt"),
    "edit-distance": (texts, "txt"),
    "js": (texts, "txt"),
    "autosummeng": (texts, "txt"),
    "rouge-we": (texts, "txt"),
    "simetrix": (summaries, "jsonl"),
    "basic-elements": (elements, "jsonl"),
    "pyramid-score": (pyramids, "jsonl"),
    "ter": (texts, "txt"),
    "wer": (texts, "txt"),
    "meteor": (texts, "txt"),
    "exact": (texts, "txt"),
    "squad": (answers, "jsonl"),
    "spans": (named, "jsonl"),
    "tool-calls": (calls, "jsonl"),
    "elas": (enhanced, "conllu"),
    "ned": (parses, "conllu"),
    "derp": (parses, "conllu"),
    "dted": (parses, "conllu"),
}
NO_PROFILE = frozenset(
    ("js", "autosummeng", "simetrix", "meteor", "ned", "attachment", "derp", "dted")
)
"""Metrics whose explanations list no errors that could be counted."""


def make(folder: Path, metric: str, size: int) -> tuple[str, str]:
    """Gold and system of a metric, in so many items; a file each where the ending has a slash."""
    maker, ending = MAKERS[metric]
    if ending.startswith("/"):
        return make_folders(folder, metric, size)
    paths = [folder / f"{maker.__name__}-{size}-{side}.{ending}" for side in ("gold", "system")]
    if not paths[1].exists():
        draw = random.Random(1)
        with paths[0].open("w") as golds, paths[1].open("w") as systems:
            for number in range(size):
                gold, system = maker(draw, number)
                golds.write(gold)
                systems.write(system)
    return str(paths[0]), str(paths[1])


def options_of(folder: Path, metric: str) -> list[str]:
    """What a metric needs besides the two files."""
    if metric != "rouge-we":
        return []
    path = folder / "vectors.txt"
    if not path.exists():
        draw = random.Random(2)
        rows = ([word, *(f"{draw.gauss(0, 1):.4f}" for _ in range(50))] for word in WORDS)
        path.write_text("".join(" ".join(row) + "\n" for row in rows))
    return ["--vectors", str(path)]


def make_folders(folder: Path, metric: str, size: int) -> tuple[str, str]:
    maker, ending = MAKERS[metric]
    paths = [folder / f"{maker.__name__}-{size}-{side}" for side in ("gold", "system")]
    if not paths[1].exists():
        draw = random.Random(1)
        for path in paths:
            path.mkdir()
        for number in range(size):
            for path, text in zip(paths, maker(draw, number), strict=True):
                (path / f"{number}.{ending[1:]}").write_text(text)
    return str(paths[0]), str(paths[1])


def seconds(words: list[str]) -> float:
    """The CPU seconds of a command and its workers."""
    run = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode:
        raise SystemExit(f"{' '.join(words)} failed with {run.returncode}")
    return used.ru_utime + used.ru_stime


def rows(folder: Path, metrics: list[str], sizes: list[int], repeats: int) -> Iterator[str]:
    out = folder / "out"
    out.mkdir()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    page = ["--report", str(out / "page.html")]
    items = [*page, "--errors", str(out / "errors.jsonl"), "--sentences", str(out / "items.tsv")]
    for metric in metrics:
        profile = [] if metric in NO_PROFILE else ["--error-profile", str(out / "profile.json")]
        for size in sizes:
            gold, system = make(folder, metric, size)
            plain = [KARAT, "evaluate", metric.partition(":")[0], "-g", gold, "-s", system]
            plain += options_of(folder, metric)
            plain += ["-j", "1", "-q", "--json", str(out / "run.json")]
            seconds([*plain, *items, *profile])
            each = ([], page, [*items, *profile])
            runs = [[seconds([*plain, *more]) for more in each] for _ in range(repeats)]
            cells = [min(own) for own in zip(*runs, strict=True)]
            megabytes = (out / "page.html").stat().st_size / 1e6
            yield (
                f"| `{metric}` | {size:,} | {cells[0]:.2f} s | {cells[1]:.2f} s | "
                f"{cells[1] / cells[0]:.1f} | {cells[2]:.2f} s | {cells[2] / cells[0]:.1f} | "
                f"{megabytes:.1f} MB |"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--metrics", default=",".join(MAKERS))
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--folder", help="where the files go (a temporary folder when left out)")
    parser.add_argument("--write", action="store_true", help="put the rows into the page")
    options = parser.parse_args()
    header("items")
    table = [
        "| metric | pairs | plain | with page | ratio | all item outputs | ratio | page |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    print("\n".join(table), flush=True)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        metrics, sizes = options.metrics.split(","), list(map(int, options.sizes.split(",")))
        for row in rows(Path(folder), metrics, sizes, options.repeats):
            table.append(row)
            print(row, flush=True)
    if options.write:
        put_rows("items", table[0], table[2:], keys=2)


if __name__ == "__main__":
    main()
