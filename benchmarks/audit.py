"""Errors planted in gold, and how many of them ``karat audit`` finds, beside simpler ways to look.

    python benchmarks/audit.py [--plantings 5] [--systems 3] [--sharing]

Systems are made from the clean gold by damaging each part at random, at rates of their own; where
they share errors, a part of the first system's are also the second's, or those of all of them, or
most errors of each are at the same hard parts, every system with values of its own; or errors are
nested: a system errs at all parts at which more accurate ones do, with values of its own. Then
errors are planted in gold: another value of the same kind, an edge or top removed, a head moved. R
is their number. With --sharing, trees alone are looked at, for several levels of sharing.

The rows "words" reconstruct figures that a prototype gave before karat had an audit (its q was
1/5): 250 trees, 4,724 parts, and systems that share errors in a way that was not written down. P@50
of .76 and recall at 2R of .89 need 43 planted errors, those of 4,724 parts, or 19 a tree. Nothing
was found between ranks R and 2R, nor at 5 % (.89 and .90): a tenth of the errors cannot be found,
and few false findings stand above the others, so values hardly ever agree by chance. Still, most
systems miss many parts: going by these alone, with the worst items first, P@R is .08. So systems
err at the same places, each with a value of its own. A simulation of votes with the prototype's
evidence was fitted to all columns of three rows (1 % without shared errors, 1 and 5 % with them).
The best fit has words as parts, with head and label as one value, and counts a finding as right if
it suggests what was there: without shared errors this gives P@R .95 and recall .97, as measured;
with head and label apart P@R is .91 to .93. Trees of 4 to 34 words fit, 70 to 100 % of the first
system's errors at places where all err, and 15 % of the values there alike (0 and 5 % fit far
worse, 10 and 20 % a little). What fits worst is how many of the 20 items with the lowest scores
have errors (.13 at 1 % and .85 at 5 %; here .28 and .77), and, where 70 % are at the same places,
P@R at 1 % (.88; the prototype's evidence gives .81 in the simulation).

Each row: the precision of the first 10, 50 and R suspects and the recall among the first 2 R; for
trees, the precision of the first R of the best ranking that there is, by somebody who knows how the
systems were made; the precision of the first R and the recall among the first 2 R by the simpler
evidence of the prototype; the precision of the first R parts that most systems miss, worst items
first, and of parts at random; how many of the first 20 items have planted errors: those of the
strongest findings, those with the lowest scores, and any; then how many parts are flagged, with
their precision and recall.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import msgspec
import numpy as np

import karat
from karat.core.capabilities import Slot
from karat.engine.audit import Audit, Finding, audit
from karat.graphs.model import Graph
from karat.stats.evidence import Evidence, Vote
from karat.trees.model import Tree

RATES = {"graph": (0.04, 0.06, 0.08, 0.10, 0.12), "tree": (0.12, 0.14, 0.16, 0.18, 0.20)}
SHARED = Path(__file__).resolve().parents[2] / "shared/data"
LPPS = "graphs/score/lpps.mrp"
TREES = "dependencies/ud-random.gold.conllu"
LONGER = (128, 10, 27)
"""Random trees of 10 to 27 words with the others' labels: fewer heads agree by chance."""
WORDS = (250, 4, 34)
"""Random trees of 4 to 34 words, 19 on average."""
LABELS = [f"label {n}" for n in range(37)]
"""As many as Universal Dependencies has relations."""


class Sharing(NamedTuple):
    """How systems share errors."""

    two: float = 0.0
    """The share of the first system's errors that the second has as well."""
    every: float = 0.0
    """The share of them that all have."""
    hard: float = 0.0
    """The share of parts that are hard for all systems."""
    at_hard: float = 0.8
    """The share of each system's errors that are at hard parts, if there are any."""
    nested: bool = False
    """Whether a system errs at all parts at which more accurate ones do."""
    words: bool = False
    """Whether head and label of a word are wrong together, and what is counted are words."""
    places: float = 0.0
    """The share of the first system's errors that are at words where all systems err."""
    alike: float = 0.0
    """How often each of them has one and the same wrong value there, else one of its own."""


WHOLE = Sharing(words=True)
MOST_PLACES = Sharing(words=True, places=0.7, alike=0.15)
ALL_PLACES = Sharing(words=True, places=1.0, alike=0.15)
DATA = (
    ("DM", "graphs/sample/dm/wsj.mrp", "dm", Sharing()),
    ("PSD", "graphs/sample/psd/wsj.mrp", "psd", Sharing()),
    ("lpps DM", LPPS, "dm", Sharing()),
    ("lpps PSD", LPPS, "psd", Sharing()),
    ("trees", TREES, None, Sharing()),
    ("trees, 1/3 shared", TREES, None, Sharing(1 / 3)),
    ("trees, 2/3 shared", TREES, None, Sharing(2 / 3)),
    ("trees, 1/5 hard", TREES, None, Sharing(hard=1 / 5)),
    ("trees, 1/7 hard", TREES, None, Sharing(hard=1 / 7, at_hard=0.95)),
    ("trees, nested", TREES, None, Sharing(nested=True)),
    ("longer, 1/7 hard", LONGER, None, Sharing(hard=1 / 7, at_hard=0.95)),
    ("longer, nested", LONGER, None, Sharing(nested=True)),
    ("words", WORDS, None, WHOLE),
    ("words, same places", WORDS, None, MOST_PLACES),
    ("words, all the same places", WORDS, None, ALL_PLACES),
    ("DM, 2/3 shared", "graphs/sample/dm/wsj.mrp", "dm", Sharing(2 / 3)),
)
"""What a row is called, the file, the framework, and how errors are shared."""
LEVELS = tuple(
    [
        (f"two share {share:.0%}", TREES, None, Sharing(share))
        for share in (0, 0.1, 0.2, 1 / 3, 0.5, 2 / 3, 0.8)
    ]
    + [
        (f"all share {share:.0%}", TREES, None, Sharing(0, share))
        for share in (0.01, 0.02, 0.05, 0.1)
    ]
    + [("two share 33%, all 1%", TREES, None, Sharing(1 / 3, 0.01))]
    + [(f"{share:.0%} are hard", TREES, None, Sharing(hard=share)) for share in (0.16, 0.2, 0.3)]
    + [("14% are hard, 95% there", TREES, None, Sharing(hard=1 / 7, at_hard=0.95))]
    + [("nested", TREES, None, Sharing(nested=True))]
    + [("longer, 14% hard, 95% there", LONGER, None, Sharing(hard=1 / 7, at_hard=0.95))]
    + [("longer, nested", LONGER, None, Sharing(nested=True))]
)
"""The same for several levels of sharing."""
COLUMNS = {
    "P@10": "P@10", "P@50": "P@50", "P@R": "P@R", "recall at 2R": "rec@2R",
    "best P@R": "best", "best recall at 2R": "best@2R",
    "simpler P@R": "simpler", "simpler recall at 2R": "simp@2R",
    "worst first P@R": "lowest", "random P@R": "random",
    "items P@20": "items", "items lowest": "lowest", "items random": "random",
    "flagged": "flagged", "flagged precision": "prec", "flagged recall": "recall",
}  # fmt: skip


class Values:
    """What a part of each kind may be instead."""

    def __init__(self, items: Iterable[Any]) -> None:
        self.known: dict[str, list[Any]] = defaultdict(list)
        for item in items:
            if isinstance(item, Tree):
                self.known["label"] += item.deprels or ()
                continue
            for node in item.nodes:
                self.known["label"].append(node.label)
                for name, value in zip(node.properties, node.values, strict=False):
                    self.known[name].append(value)
            self.known["edge"] += [edge.label for edge in item.edges]
        self.distinct = {kind: sorted(set(each), key=str) for kind, each in self.known.items()}

    def other(self, kind: str, value: Any, draw: random.Random) -> Any:
        """Another value, frequent ones more often; none where there is no other."""
        if len(self.distinct[kind]) < 2:
            return value
        while (found := draw.choice(self.known[kind])) == value:
            pass
        return found


def random_trees(count: int, shortest: int, longest: int, labels: Sequence[str]) -> list[Tree]:
    draw = random.Random(8)
    trees = []
    for _ in range(count):
        words = list(range(1, draw.randint(shortest, longest) + 1))
        draw.shuffle(words)
        heads = {word: draw.choice(words[:n]) if n else 0 for n, word in enumerate(words)}
        named = [draw.choice(labels) if heads[word] else "root" for word in sorted(words)]
        forms = [f"w{word}" for word in sorted(words)]
        trees.append(Tree.of([heads[word] for word in sorted(words)], forms=forms, deprels=named))
    return trees


WORD = "word"
"""What a part is called where whole words are wrong."""
State = tuple[float, Sequence[float]]
"""How often parts are so hard, and how often each system errs there."""


class Hard(NamedTuple):
    """How hard the parts of a tree are: a number from 0 to 1 for each, and what follows of it."""

    parts: dict[tuple[str, int], float]
    shared: Sharing

    def rate(self, rate: float, part: tuple[str, int]) -> float:
        """How often a system errs at a part, if `rate` is its mean."""
        if self.shared.nested:
            return float(self.parts[part] < rate)
        return self.rates(rate, self.shared)[self.parts[part] >= self.shared.hard]

    @staticmethod
    def rates(rate: float, shared: Sharing) -> tuple[float, float]:
        """How often a system errs at hard parts and at all others, if `rate` is the mean."""
        hard, there = shared.hard, shared.at_hard
        return there * rate / hard, (1 - there) * rate / (1 - hard)

    @classmethod
    def of(cls, tree: Tree, shared: Sharing, draw: random.Random) -> Hard:
        return cls({each: draw.random() for each in parts_of(tree)}, shared)

    @classmethod
    def states(cls, rates: Sequence[float], shared: Sharing) -> list[State]:
        if shared.hard:
            hardly, easily = zip(*(cls.rates(each, shared) for each in rates), strict=True)
            return [(shared.hard, hardly), (1 - shared.hard, easily)]
        if shared.nested:
            ends = [0.0, *sorted(rates), 1.0]
            return [(b - a, [float(each >= b) for each in rates]) for a, b in pairwise(ends)]
        return [(1.0, rates)]


def parts_of(tree: Tree) -> list[tuple[str, int]]:
    return [(kind, i + 1) for i in range(len(tree.heads)) for kind in ("head", "label")]


def damaged(item: Any, rate: float, values: Values, draw: random.Random) -> tuple[Any, list[Any]]:
    """An item with some parts changed, and what was changed."""
    if isinstance(item, Tree):
        return damaged_tree(item, rate, values, draw)
    return damaged_graph(item, rate, values, draw)


def damaged_graph(
    graph: Graph, rate: float, values: Values, draw: random.Random
) -> tuple[Graph, list[tuple[str, Any]]]:
    changed: list[tuple[str, Any]] = []
    nodes = []
    for node in graph.nodes:
        if node.label is not None and draw.random() < rate:
            label = values.other("label", node.label, draw)
            if label != node.label:
                node = msgspec.structs.replace(node, label=label)
                changed.append(("label", node.id))
        found = list(node.values)
        for k, name in enumerate(node.properties):
            if draw.random() < rate:
                value = values.other(name, found[k], draw)
                if value != found[k]:
                    found[k] = value
                    changed.append(("property", (node.id, name)))
        nodes.append(msgspec.structs.replace(node, values=tuple(found)))
    edges = []
    for edge in graph.edges:
        if draw.random() < rate:
            changed.append(("edge", (edge.source, edge.target)))
            if draw.random() < 0.5:
                continue
            label = values.other("edge", edge.label, draw)
            if label == edge.label:
                changed.pop()
            edge = msgspec.structs.replace(edge, label=label)
        edges.append(edge)
    tops = []
    for top in graph.tops:
        if draw.random() < rate:
            changed.append(("top", top))
        else:
            tops.append(top)
    made = msgspec.structs.replace(graph, nodes=tuple(nodes), edges=tuple(edges), tops=tuple(tops))
    return made, changed


def damaged_tree(
    tree: Tree, rate: float, values: Values, draw: random.Random, hard: Hard | None = None
) -> tuple[Tree, list[tuple[str, Any]]]:
    heads, labels = list(tree.heads), list(tree.deprels or ())
    changed: list[tuple[str, Any]] = []
    rates = {part: hard.rate(rate, part) for part in parts_of(tree)} if hard else None
    for i in range(len(heads)):
        if heads[i] and draw.random() < (rates["head", i + 1] if rates else rate):
            free = [h for h in range(1, len(heads) + 1) if h not in (heads[i], i + 1)]
            free = [h for h in free if not _below(heads, h, i + 1)]
            if free:
                heads[i] = draw.choice(free)
                changed.append(("head", i + 1))
        if draw.random() < (rates["label", i + 1] if rates else rate):
            labels[i] = values.other("label", labels[i], draw)
            changed.append(("label", i + 1))
    return Tree.of(heads, forms=tree.forms, deprels=labels), changed


def damaged_words(tree: Tree, wrong: Mapping[int, tuple[int, str]]) -> Tree:
    """A tree with other heads and labels of some words, which may make circles."""
    heads, labels = list(tree.heads), list(tree.deprels or ())
    for word, (head, label) in wrong.items():
        heads[word - 1], labels[word - 1] = head, label
    return msgspec.structs.replace(
        tree, heads=tuple(heads), columns={**tree.columns, "deprels": tuple(labels)}
    )


def some_words(
    tree: Tree, rate: float, values: Values, draw: random.Random
) -> dict[int, tuple[int, str]]:
    """Words taken at random, and another head and label of each; the root keeps its head."""
    return {
        word: other_word(tree, word, values, draw)
        for word in range(1, len(tree.heads) + 1)
        if draw.random() < rate
    }


def other_word(tree: Tree, word: int, values: Values, draw: random.Random) -> tuple[int, str]:
    head, labels = tree.heads[word - 1], tree.deprels or ()
    free = [h for h in range(1, len(tree.heads) + 1) if h not in (head, word)]
    if head and free:
        head = draw.choice(free)
    return head, values.other("label", labels[word - 1], draw)


def wrong_words(
    gold: Sequence[Tree],
    rates: Sequence[float],
    shared: Sharing,
    values: Values,
    draw: random.Random,
) -> list[list[Tree]]:
    """Outputs of systems that err at the same words, and at words of their own."""
    outputs: list[list[Tree]] = [[] for _ in rates]
    every = rates[0] * shared.places
    for tree in gold:
        hard = some_words(tree, every, values, draw)
        for n, rate in enumerate(rates):
            wrong = some_words(tree, (rate - every) / (1 - every), values, draw)
            for word, usual in hard.items():
                other = other_word(tree, word, values, draw)
                wrong[word] = usual if draw.random() < shared.alike else other
            outputs[n].append(damaged_words(tree, wrong))
    return outputs


def _below(heads: Sequence[int], word: int, above: int) -> bool:
    while word:
        if word == above:
            return True
        word = heads[word - 1]
    return False


def slots(item: Any, changed: Iterable[tuple[str, Any]]) -> set[Slot]:
    """Planted errors as the audit names them."""
    if isinstance(item, Tree):
        return {Slot(kind, f"{item.form(at)}({at})") for kind, at in changed}
    names = {
        node.id: f"{node.id} {node.label}" if node.label else str(node.id) for node in item.nodes
    }
    found = set()
    for kind, at in changed:
        if kind == "property":
            found.add(Slot(kind, f"{names[at[0]]} {at[1].lower()}"))
        elif kind == "edge":
            found.add(Slot(kind, f"{names[at[0]]} → {names[at[1]]}"))
        else:
            found.add(Slot(kind, names[at]))
    return found


def once(
    gold: Sequence[Any], rate: float, systems: int, seed: int, shared: Sharing
) -> dict[str, float]:
    """The figures of one planting."""
    draw = random.Random(seed)
    tree = isinstance(gold[0], Tree)
    if tree:  # without their places in a file
        gold = [Tree.of(each.heads, forms=each.forms, deprels=each.deprels) for each in gold]
    values = Values(gold)
    rates = RATES["tree" if tree else "graph"][:systems]
    every, two = rates[0] * shared.every, rates[0] * shared.two
    base = [damaged(item, every, values, draw)[0] for item in gold] if every else gold
    common = [damaged(item, two, values, draw)[0] for item in base]
    own = [each - every - (two if n < 2 else 0) for n, each in enumerate(rates)]
    outputs = [
        [damaged(item, each, values, draw)[0] for item in (common if n < 2 else base)]
        for n, each in enumerate(own)
    ]
    if shared.hard or shared.nested:
        hard = [Hard.of(item, shared, draw) for item in gold]
        outputs = [
            [
                damaged_tree(item, each, values, draw, parts)[0]
                for item, parts in zip(gold, hard, strict=True)
            ]
            for each in own
        ]
    if shared.words:
        outputs = wrong_words(gold, rates, shared, values, draw)
    planted: set[tuple[int, Slot]] = set()
    wrong = []
    for i, item in enumerate(gold):
        if shared.words:
            words = some_words(item, rate, values, draw)
            made, changed = damaged_words(item, words), [(WORD, word) for word in words]
        else:
            made, changed = damaged(item, rate, values, draw) if rate else (item, [])
        wrong.append(made)
        planted |= {(i, slot) for slot in slots(made, changed)}
    metric = "attachment(keep_punct=True)" if tree else "mrp"
    found = audit(metric, {f"s{n}": each for n, each in enumerate(outputs)}, wrong)
    clean = gold if shared.words else ()
    with patch("karat.engine.audit.Evidence", SimplerEvidence):
        other = figures(Audit(found.runs), planted, clean)
    row = figures(found, planted, clean)
    row |= {f"simpler {each}": other[each] for each in ("P@R", "recall at 2R")}
    if shared.words:
        ranked = words_by_makers(gold, wrong, outputs, rates, shared, rate) if rate else []
        return row | best_of(ranked, planted)
    if not (tree and planted):
        return row
    best = ranked_by_makers(found, Hard.states(own, shared), (every, two), rate, values)
    return row | best_of(best, planted)


class SimplerEvidence(Evidence):
    """The evidence of the prototype: every error is one of five, accuracies are those on all items,
    and no parts are harder than others."""

    def accuracy(self, system: int, kind: str, without: int | None = None) -> float:
        return super().accuracy(system, kind)

    def _usual(self, vote: Vote, value: str | None) -> float:
        return 1 / 5

    def _crowded(self, kind: str) -> float:
        return 1.0


def best_of(ranked: Sequence[tuple[int, Slot]], planted: set[tuple[int, Slot]]) -> dict[str, float]:
    """The figures of the best ranking."""
    right = np.array([each in planted for each in ranked])
    size = len(planted)
    if not right.size or not size:
        return {}
    return {
        "best P@R": float(right[:size].mean()),
        "best recall at 2R": float(right[: 2 * size].sum() / size),
    }


def figures(
    found: Audit, planted: set[tuple[int, Slot]], words: Sequence[Tree] = ()
) -> dict[str, float]:
    """What the audit found of what was planted; with trees as they were, words are counted."""
    size = len(planted)
    named = word_keys(words) if words else part_keys
    ranked, flagged = named(found.suspects), named(found.findings)
    right = np.array([each in planted for each in ranked])
    listed = sum(each in planted for each in flagged)
    lowest_first = worst_first(found)
    if words:
        lowest_first = list(
            dict.fromkeys((at, Slot(WORD, slot.where)) for at, slot in lowest_first)
        )
    baseline = [each in planted for each in lowest_first[: max(1, size)]]
    wrong = {position for position, _ in planted}
    top = [position for position, *_ in found.items[:20]]
    lowest = np.argsort(scores_of(found), kind="stable")[:20].tolist()
    parts = found.parts / (2 if words else 1)
    return {
        "parts": float(parts),
        "R": float(size),
        "P@10": float(right[:10].mean()) if size else 0.0,
        "P@50": float(right[:50].mean()) if size else 0.0,
        "P@R": float(right[:size].mean()) if size else 0.0,
        "recall at 2R": float(right[: 2 * size].sum() / size) if size else 0.0,
        "best P@R": np.nan,
        "best recall at 2R": np.nan,
        "random P@R": size / parts,
        "worst first P@R": float(np.mean(baseline)) if size else 0.0,
        "items P@20": float(np.mean([each in wrong for each in top])) if top else 0.0,
        "items lowest": float(np.mean([each in wrong for each in lowest])),
        "items random": len(wrong) / len(found.runs[0]),
        "flagged": float(len(flagged)),
        "flagged precision": listed / len(flagged) if flagged else 1.0,
        "flagged recall": listed / size if size else 1.0,
    }


def part_keys(findings: Sequence[Finding]) -> list[tuple[int, Slot]]:
    return [(each.position, Slot(each.kind, each.where)) for each in findings]


def word_keys(clean: Sequence[Tree]) -> Callable[[Sequence[Finding]], list[tuple[int, Slot]]]:
    """Findings as words, by the sum of the evidence about head and label: one value is wrong.

    A word is right if the stronger finding suggests what the word had; else it is given a kind that
    is never planted.
    """

    def named(findings: Sequence[Finding]) -> list[tuple[int, Slot]]:
        own: dict[tuple[int, str], list[Finding]] = defaultdict(list)
        for each in findings:
            own[each.position, each.where].append(each)
        keys = []
        for (position, where), (first, *_) in sorted(
            own.items(), key=lambda word: -sum(each.evidence for each in word[1])
        ):
            tree = clean[position]
            word = int(where[where.rindex("(") + 1 : -1]) - 1
            head, had = tree.heads[word], (tree.deprels or ())[word]
            if first.kind == "head":
                had = f"{tree.form(head)}({head})" if head else "ROOT"
            keys.append((position, Slot(WORD if first.suggestion == had else "", where)))
        return keys

    return named


def worst_first(found: Audit) -> list[tuple[int, Slot]]:
    """The parts that most systems miss, those of the items with the lowest scores first."""
    scores = scores_of(found)
    parts = []
    for (position, slot), vote in zip(found._parts, found.evidence.votes, strict=True):
        told = zip(vote.says, vote.values, strict=True)
        missed = sum(says and value != vote.gold for says, value in told)
        if 2 * missed > len(vote.values):
            parts.append((scores[position], position, slot))
    return [(position, slot) for _, position, slot in sorted(parts, key=lambda each: each[0])]


def ranked_by_makers(
    found: Audit,
    states: Sequence[State],
    alike: tuple[float, float],
    planted: float,
    values: Values,
) -> list[tuple[int, Slot]]:
    """Parts of trees by the probability that gold is wrong, given how everything was damaged.

    That sums over all true values. In the mean no ranking finds more, but for the heads that a word
    cannot have because they are below it: they are taken to be possible.
    """
    votes = found.evidence.votes
    words = Counter(vote.item for vote in votes if vote.kind == "head")
    usual = Counter(values.known["label"])
    labels = {label: count / usual.total() for label, count in usual.items()}
    ranked = []
    for part, vote in zip(found._parts, votes, strict=True):
        shares, size = labels, 0
        if vote.kind == "head":  # all heads that nobody names are one value
            told = dict.fromkeys((vote.gold, *vote.values))
            size = max(words[vote.item] - 1, len(told) + 1)
            shares = dict.fromkeys(told, 1 / size) | {"": 1 - len(told) / size}
        right, every = 0.0, 0.0
        for truth, share in shares.items():

            def said(
                value: Any, clean: Any, rate: float, shares: Any = shares, size: int = size
            ) -> float:
                if value == clean:
                    return 1 - rate
                return rate * (1 / (size - 1) if size else shares[value] / (1 - shares[clean]))

            told = 0.0  # over what all of them, and then the first two, may have had in common
            for often, own in states:
                for base in {truth, *vote.values} if alike[0] else {truth}:
                    pair = 0.0
                    for common in {base, *vote.values[:2]}:
                        both = [said(vote.values[s], common, own[s]) for s in (0, 1)]
                        pair += said(common, base, alike[1]) * both[0] * both[1]
                    others = [said(vote.values[s], base, own[s]) for s in range(2, len(own))]
                    told += often * said(base, truth, alike[0]) * pair * float(np.prod(others))
            mass = share * told * said(vote.gold, truth, planted)
            every += mass
            right += mass * (truth == vote.gold)
        ranked.append((right / every if every else 1.0, part))
    return [part for _, part in sorted(ranked, key=lambda each: each[0])]


def words_by_makers(
    gold: Sequence[Tree],
    wrong: Sequence[Tree],
    outputs: Sequence[Sequence[Tree]],
    rates: Sequence[float],
    shared: Sharing,
    planted: float,
) -> list[tuple[int, Slot]]:
    """Words by the probability that gold is wrong, given how everything was damaged.

    All pairs of a head and a label are taken to be as likely as each other. Like `word_keys`, those
    where the likeliest other pair is not what the word had have a kind that is never planted.
    """
    every = rates[0] * shared.places
    own = [(rate - every) / (1 - every) for rate in rates]
    ranked = []
    for i, tree in enumerate(gold):
        for at, form in enumerate(tree.forms or ()):
            pairs = [(t.heads[at], (t.deprels or ())[at]) for t in (tree, wrong[i])]
            clean, said = pairs
            told = [(s[i].heads[at], (s[i].deprels or ())[at]) for s in outputs]
            size = max(1, len(tree.heads) - 2) * (len(LABELS) - 1)
            likely = {}
            for truth in {said, *told}:
                usual = {each for each in told if each != truth}
                alone = np.prod(
                    [1 - e if t == truth else e / size for t, e in zip(told, own, strict=True)]
                )
                differ = (1 - shared.alike) / size
                hard = sum(
                    np.prod([(t == u) * shared.alike + (t != truth) * differ for t in told]) / size
                    for u in usual
                ) + np.prod([(t != truth) * differ for t in told]) * max(0, 1 - len(usual) / size)
                likely[truth] = ((1 - every) * alone + every * hard) * (
                    1 - planted if truth == said else planted / size
                )
            right = likely.pop(said)
            if likely:
                best = max(likely, key=lambda each: likely[each])
                key = (i, Slot(WORD if best == clean else "", f"{form}({at + 1})"))
                ranked.append((right / (right + sum(likely.values())), key))
    return [key for _, key in sorted(ranked, key=lambda each: each[0])]


def scores_of(found: Audit) -> Any:
    """The mean score of each item, over the systems."""
    headline = found.metric.about.headline
    return np.nan_to_num(np.mean([run.to_columns()[headline] for run in found.runs], axis=0))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--plantings", type=int, default=5)
    parser.add_argument("--systems", type=int, default=3)
    parser.add_argument("--only", default="", help="rows whose names end so")
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--sharing", action="store_true", help="several levels of shared errors")
    options = parser.parse_args()
    print(
        f"{'data (items, parts)':30} {'planted':>7} {'R':>5}",
        *(f"{e:>7}" for e in COLUMNS.values()),
    )
    for name, path, framework, shared in LEVELS if options.sharing else DATA:
        if not name.endswith(options.only):
            continue
        choice = {"framework": (framework,)} if framework else {}
        if isinstance(path, str):
            gold = karat.read(SHARED / path, **choice)
        else:
            trees = karat.read(SHARED / TREES)
            usual = [each for tree in trees for each in tree.deprels or ()]
            gold = random_trees(*path, LABELS if shared.words else usual)
        for rate in (0.01, 0.05, 0.0):
            rows = [
                once(gold, rate, options.systems, options.seed + n, shared)
                for n in range(options.plantings)
            ]
            mean = {each: float(np.mean([row[each] for row in rows])) for each in rows[0]}
            cells = [
                f"{mean[each]:7.1f}" if each == "flagged" else f"{mean[each]:7.2f}"
                if rate and not np.isnan(mean[each]) else " " * 7
                for each in COLUMNS
            ]  # fmt: skip
            told = f"{name} ({len(gold)}, {mean['parts']:,.0f})"
            print(f"{told:30} {rate:>7.0%} {mean['R']:5.0f}", *cells, flush=True)


if __name__ == "__main__":
    main()
