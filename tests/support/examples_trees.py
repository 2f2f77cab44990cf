"""Pairs for the metrics of dependency trees."""

from __future__ import annotations

from msgspec.structs import replace

from karat.trees.model import Reference, Tree

WORDS = ["I", "want", "to", "eat", "."]
TAGS = ["PRP", "VBP", "TO", "VB", "."]
LABELS = ["nsubj", "root", "mark", "xcomp", "punct"]
GOLD = Tree.of([2, 0, 4, 2, 2], forms=WORDS, xpos=TAGS, upos=["_"] * 5, deprels=LABELS)


def _system(heads: list[int], labels: list[str] = LABELS) -> Tree:
    return Tree.of(heads, forms=WORDS, xpos=TAGS, upos=["_"] * 5, deprels=labels)


PAIRS = [
    (GOLD, GOLD),
    (_system([2, 0, 2, 3, 2]), GOLD),
    (_system([2, 4, 2, 0, 4], ["obj", "xcomp", "mark:x", "root", "punct"]), GOLD),
    (Tree.of([0, 1, 2]), Tree.of([2, 0, 2])),
    (Tree.of([0]), Tree.of([0])),
]

OTHER = Tree.of([2, 3, 0], forms=["to", "Eat", "want"], deprels=["mark", "xcomp", "root"])
ALIGNED = [
    (GOLD, GOLD),
    (OTHER, GOLD),
    (OTHER, Reference(OTHER, ((0, 0), (1, 1), (2, 2)))),
    (Tree.of([0], forms=["x"]), Tree.of([0], forms=["x"])),
]


def _enhanced(*deps: str) -> Tree:
    tree = _system([2, 0, 4, 2, 2])
    return replace(tree, columns={**tree.columns, "deps": deps})


ENHANCED = _enhanced("2:nsubj|4:nsubj:xsubj", "0:root", "4:mark", "2:xcomp", "2:punct")

EXAMPLES = {
    "elas": (
        ["elas", "elas(compat='udtools')", "elas(empty_nodes='drop', ignore=(4,))"],
        [
            (ENHANCED, ENHANCED),
            (_enhanced("2:nsubj", "0:root", "4:mark:to", "2:xcomp", "4:punct"), ENHANCED),
            (_enhanced("2:nsubj|4:nsubj", "0:root", "_", "2:xcomp|2:advcl", "_"), ENHANCED),
        ],
        lambda gold: gold,
    ),
    "ned": (
        [
            "ned",
            "ned(max_length=3)",
            "ned(keep_punct=True, single_root=True)",
            "ned(punct_heads='lift', length_counts_punct=True)",
            "ned(punct_tags=('VB',), punct_heads='keep')",
        ],
        PAIRS,
        lambda gold: gold,
    ),
    "ud": (
        ["ud", "ud(multiple_roots='allow')"],
        [(GOLD, GOLD), (_system([2, 0, 2, 3, 2]), GOLD), (_system([2, 4, 2, 0, 4]), GOLD)],
        lambda gold: gold,
    ),
    "derp": (
        [
            "derp",
            "derp(labels='universal', coverage='multiply')",
            "derp(labels='none', empty_score=1, multi='mean')",
        ],
        ALIGNED,
        lambda gold: gold.tree if isinstance(gold, Reference) else gold,
    ),
    "dted": (
        [f"dted(variant='{variant}')" for variant in ("aligned", "strict", "structure", "label")]
        + ["dted(variant='core', empty_score=1, multi='mean')"],
        ALIGNED,
        lambda gold: gold.tree if isinstance(gold, Reference) else gold,
    ),
    "attachment": (
        ["attachment", "attachment(subtypes='ignore')", "attachment(keep_punct=True)"],
        PAIRS,
        lambda gold: gold,
    ),
}
