"""Random pairs of a system's item and gold, near each other, for the laws of repairs."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import msgspec

from karat.graphs.model import Anchor, Edge, Graph, Node
from karat.trees.model import Tree

Pair = tuple[Any, Any]
WORDS = ["aa", "bb", "cc", "dd", "ee", "ff"]
TEXT = " ".join(WORDS) + "."
OTHER_TEXT = "aab b,c dddeeff"
"""What stands elsewhere in it, with blanks and punctuation at other places."""


def anchors(rng: random.Random, framework: str) -> tuple[Anchor, ...]:
    """Where a node stands; in tectogrammatical graphs some stand nowhere."""
    start = 3 * rng.randrange(len(WORDS))
    there = framework != "ptg" or rng.random() < 0.9
    return (Anchor(start, start + rng.choice((2, 2, 5))),) if there else ()


def graph(rng: random.Random, flavor: int, framework: str) -> Graph:
    size = rng.randint(1, 6)
    places = sorted(rng.sample(range(6), size))
    nodes = []
    for i in range(size):
        names = rng.sample(("pos", "frame", "num"), rng.randint(0, 2))
        start = 3 * places[i]
        spot = (Anchor(start, start + 2),) if flavor == 0 else anchors(rng, framework)
        values = tuple(rng.choice("xyz") for _ in names)
        nodes.append(Node(i, rng.choice("abcd"), tuple(names), values, () if flavor == 2 else spot))
    labels = ("ARG1", "ARG2", "mod", "ARG0-of") if framework == "amr" else ("ARG1", "ARG2", "BV")
    edges: dict[tuple[int, int], Edge] = {}
    for _ in range(rng.randint(0, 2 * size)):
        ends = rng.randrange(size), rng.randrange(size)
        remote = framework in ("ptg", "ucca") and rng.random() < 0.2
        told = (("remote",), ("true",)) if remote else ((), ())
        edges[ends] = Edge(
            *ends, rng.choice(labels), len(edges), attributes=told[0], values=told[1]
        )
    tops = (rng.randrange(size),) if rng.random() < 0.9 else ()
    return Graph("1", flavor, framework, input=TEXT, tops=tops, nodes=tuple(nodes),
                 edges=tuple(edges.values()))  # fmt: skip


def damaged_graph(rng: random.Random, gold: Graph) -> Graph:
    """Labels, properties, anchors, edges and tops changed; nodes dropped, added and renumbered."""
    other = graph(rng, gold.flavor or 0, gold.framework or "")
    kept = [node for node in gold.nodes if rng.random() > 0.15]
    nodes = []
    for node in kept:
        changes: dict[str, Any] = {}
        if rng.random() < 0.2:
            changes["label"] = rng.choice("abcde")
        if rng.random() < 0.2 and node.properties:
            changes |= {"properties": node.properties[1:], "values": node.values[1:]}
        if rng.random() < 0.1 and gold.flavor == 1:
            changes["anchors"] = anchors(rng, gold.framework or "")
        nodes.append(msgspec.structs.replace(node, **changes))
    if rng.random() < 0.3 and gold.flavor != 0:
        nodes.append(msgspec.structs.replace(other.nodes[0], id=len(gold.nodes)))
    if gold.flavor != 0:
        rng.shuffle(nodes)
    known = [node.id for node in nodes]
    edges = []
    for edge in gold.edges:
        if edge.source not in known or edge.target not in known or rng.random() < 0.1:
            continue
        chance = rng.random()
        if chance < 0.15:
            edge = msgspec.structs.replace(edge, label=rng.choice(("ARG1", "ARG3")))
        elif chance < 0.3:
            edge = msgspec.structs.replace(edge, target=rng.choice(known))
        elif chance < 0.35:
            edge = msgspec.structs.replace(edge, attributes=(), values=())
        edges.append(edge)
    if known and rng.random() < 0.3:
        edges.append(Edge(rng.choice(known), rng.choice(known), "ARG2", 99))
    tops = [top for top in gold.tops if top in known and rng.random() > 0.2]
    text = gold.input if rng.random() < 0.8 else rng.choice((None, OTHER_TEXT))
    return msgspec.structs.replace(
        gold, nodes=tuple(nodes), edges=tuple(edges), tops=tuple(tops or known[:1]), input=text
    )


def graphs(flavor: int, framework: str) -> Callable[[random.Random], Pair]:
    def pair(rng: random.Random) -> Pair:
        gold = graph(rng, flavor, framework)
        return damaged_graph(rng, gold), gold

    return pair


def trees(rng: random.Random) -> Pair:
    size = rng.randint(1, 8)
    heads = [0, *(rng.randint(1, i) for i in range(1, size))]
    labels = [rng.choice(("nsubj", "obj", "det", "punct")) for _ in heads]
    columns = {
        "forms": [rng.choice(WORDS) for _ in heads],
        "lemmas": [rng.choice("xyz") for _ in heads],
        "upos": ["PUNCT" if label == "punct" else "NOUN" for label in labels],
        "xpos": [rng.choice("NV") for _ in heads],
        "feats": [rng.choice(("_", "Number=Sing", "Number=Plur")) for _ in heads],
    }
    gold = Tree.of(heads, deprels=labels, **columns)
    wrong = [
        rng.randint(1, i) if i and rng.random() < 0.3 else head for i, head in enumerate(heads)
    ]
    others = {
        name: [rng.choice(column) if rng.random() < 0.2 and name != "forms" else cell
               for cell in column]
        for name, column in {**columns, "deprels": labels}.items()
    }  # fmt: skip
    return Tree.of(wrong, **others), gold


def own_words(rng: random.Random) -> Pair:
    """The system joins or splits words and sentences."""
    system, gold = trees(rng)
    forms = list(system.forms or ())
    if len(forms) > 1 and rng.random() < 0.5:
        # The last two words are one.
        joined = [*forms[:-2], forms[-2] + forms[-1]]
        heads = [min(head, len(joined)) for head in system.heads[:-1]]
        columns = {
            name: list(getattr(system, name))[:-1] for name in ("lemmas", "upos", "xpos", "feats")
        }
        labels = list(system.deprels or ())[:-1]
        if 0 in heads and all(head != i for i, head in enumerate(heads, 1)):
            return Tree.of(heads, forms=joined, deprels=labels, **columns), gold
    return system, gold


def term(rng: random.Random) -> str:
    if rng.random() < 0.5:
        return f"{rng.choice(('dog', 'cat', 'boy'))} ( x _ {rng.randint(1, 4)} )"
    verb, role = rng.choice(("run", "eat")), rng.choice(("agent", "theme"))
    other = rng.choice(("Emma", *(f"x _ {i}" for i in range(1, 5))))
    return f"{verb} . {role} ( x _ {rng.randint(1, 4)} , {other} )"


def lambdas(rng: random.Random) -> Pair:
    """Forms of single words: letters renamed, swapped or bound in another order."""

    def text(letters: list[str], terms: list[tuple[str, str, str]]) -> str:
        bound = "".join(f"LAMBDA {letter} . " for letter in letters)
        return bound + " AND ".join(f"eat . {role} ( {a} , {b} )" for role, a, b in terms)

    letters = rng.sample("abe", 2)
    terms = [(rng.choice(("agent", "theme")), *rng.sample(letters, 2)) for _ in range(2)]
    others = rng.sample("abe", 2)
    chance = rng.random()
    if chance < 0.3:
        return text(letters[::-1], terms), text(letters, terms)
    if chance < 0.5:
        return text(others, [(role, *rng.sample(others, 2)) for role, _, _ in terms]), text(
            letters, terms
        )
    names = dict(zip(letters, others, strict=True))
    renamed = [(role, names[a], names[b]) for role, a, b in terms]
    if rng.random() < 0.3:
        rng.shuffle(renamed)
    return text(others, renamed), text(letters, terms)


def forms(rng: random.Random) -> Pair:
    if rng.random() < 0.2:
        return lambdas(rng)

    def text(definite: list[str], terms: list[str]) -> str:
        return "".join(f"* {each} ; " for each in definite) + " AND ".join(terms)

    definite = [f"{rng.choice(('dog', 'cat'))} ( x _ {i} )" for i in range(rng.randint(0, 2))]
    terms = [term(rng) for _ in range(rng.randint(1, 5))]
    ours = [rng.choice((each, term(rng))) if rng.random() < 0.4 else each for each in terms]
    ours = [each for each in ours if rng.random() > 0.1] or ours
    if rng.random() < 0.3:
        ours.insert(rng.randint(0, len(ours)), term(rng))
    if rng.random() < 0.2:
        rng.shuffle(ours)
    moved = definite[1:] if rng.random() < 0.2 else definite
    system = text(moved, ours)
    return (system[:-2] if rng.random() < 0.05 else system), text(definite, terms)


def texts(rng: random.Random) -> Pair:
    gold = [rng.choice(WORDS) for _ in range(rng.randint(0, 9))]
    system = list(gold)
    for _ in range(rng.randint(0, 4)):
        place = rng.randint(0, len(system))
        if rng.random() < 0.3:
            system.insert(place, rng.choice(WORDS))
        elif place < len(system):
            chance = rng.random()
            if chance < 0.4:
                system[place] = rng.choice(WORDS)
            elif chance < 0.7:
                del system[place]
            else:
                system.insert(rng.randint(0, len(system) - 1), system.pop(place))
    return " ".join(system), " ".join(gold)


def referenced(rng: random.Random) -> Pair:
    system, gold = texts(rng)
    return system, [gold]


def value(rng: random.Random, depth: int = 0) -> Any:
    chance = rng.random()
    if depth > 2 or chance < 0.5:
        return rng.choice([1, 2, "a", "b", True, None, 1.5])
    if chance < 0.75:
        return {rng.choice("abcd"): value(rng, depth + 1) for _ in range(rng.randint(0, 3))}
    return [value(rng, depth + 1) for _ in range(rng.randint(0, 3))]


def damaged_value(rng: random.Random, found: Any) -> Any:
    if rng.random() < 0.1:
        return value(rng, 1)
    if isinstance(found, dict):
        kept = {key: damaged_value(rng, each) for key, each in found.items() if rng.random() > 0.1}
        return kept | ({rng.choice("abcd"): value(rng, 2)} if rng.random() < 0.1 else {})
    if isinstance(found, list):
        kept_values = [damaged_value(rng, each) for each in found if rng.random() > 0.1]
        rng.shuffle(kept_values)
        return kept_values
    return found


def records(rng: random.Random) -> Pair:
    gold = {"r": value(rng), "l": [value(rng, 1) for _ in range(rng.randint(0, 4))]}
    system = "no JSON {" if rng.random() < 0.05 else json.dumps(damaged_value(rng, gold))
    return system, json.dumps(gold)


CASES: dict[str, Callable[[random.Random], Pair]] = {
    "mrp": graphs(1, "ptg"),
    "mrp()": graphs(0, "dm"),
    "mrp(budget=1000000)": graphs(2, "amr"),
    "smatch": graphs(2, "amr"),
    "smatch()": graphs(1, "eds"),
    "sdp": graphs(0, "dm"),
    "edm": graphs(1, "eds"),
    "ucca-mrp": graphs(1, "ucca"),
    "attachment": trees,
    "attachment(keep_punct=True)": trees,
    "ud": trees,
    "ud()": own_words,
    "cogs": forms,
    "edit-distance": texts,
    "edit-distance(characters=True)": texts,
    "wer": texts,
    "ter": referenced,
    "json": records,
    "json(lists='ordered')": records,
    "json(lists='index', empty='leaf')": records,
}
"""Metrics, each as the text of one with its options, and where pairs for it come from."""
