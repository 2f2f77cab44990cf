"""Pairs for the metrics of logical forms."""

from __future__ import annotations

_BOY = "* boy ( x _ 1 ) ; see . agent ( x _ 2 , x _ 1 ) AND see . theme ( x _ 2 , x _ 4 ) AND dog ( x _ 4 )"  # noqa: E501
FORMS = [
    (_BOY, _BOY),
    (
        "see . theme ( x _ 9 , x _ 7 ) AND dog ( x _ 7 ) AND see . agent ( x _ 9 , Emma )",
        "see . agent ( x _ 1 , Emma ) AND see . theme ( x _ 1 , x _ 3 ) AND dog ( x _ 3 )",
    ),
    ("", "run . agent ( x _ 1 , Emma )"),
    ("dog ( x _ 1 ) AND dog ( x _ 1 )", "dog ( x _ 1 )"),
    ("Emma", "Layla"),
    ("LAMBDA b . LAMBDA a . run . agent ( a , b )", "LAMBDA a . LAMBDA e . run . agent ( e , a )"),
]
TREES = [
    ("eat ( agent = * dog , theme = cake )", "eat ( theme = cake , agent = * dog )"),
    ("eat ( agent = dog", "eat ( agent = * dog ( nmod . in = box ) )"),
    ("giggle", "giggle"),
    ("Emma", "LAMBDA a . ball ( a )"),
]
RECOGS = [
    ("Emma ( 5 ) ; eat ( 7 ) AND agent ( 7 , 5 )", "Emma ( 0 ) ; eat ( 1 ) AND agent ( 1 , 0 )"),
    ("* dog ( 1 ) ; run ( 2 )", "* dog ( 1 ) ; run ( 2 ) AND agent ( 2 , 1 )"),
    ("dog ( 1", "dog ( 1 )"),
]


def _same(gold: str) -> str:
    return gold


# metric, or metric and kind of pairs -> (variants, pairs, how to make the perfect system output)
EXAMPLES = {
    "cogs": (
        ["cogs", "cogs(legacy=True)", "cogs(dialect='slog', grammar='strict', counting='set')"],
        FORMS,
        _same,
    ),
    "lf-exact": (["lf-exact"], FORMS, _same),
    "lf-well-formed": (["lf-well-formed", "lf-well-formed(grammar='strict')"], FORMS, _same),
    "lf-order-invariant": (
        ["lf-order-invariant", "lf-order-invariant(legacy=True)"], FORMS, _same,
    ),
    "lf-semantic": (["lf-semantic"], FORMS, _same),
    "lf-edit-distance": (["lf-edit-distance"], FORMS, _same),
    "lf-bleu": (["lf-bleu"], FORMS[:4], _same),
    "lf-parts": (["lf-parts", "lf-parts(legacy=True, counting='multiset')"], FORMS, _same),
    "cogs varfree": (
        ["cogs(dialect='varfree')", "lf-parts(dialect='varfree')", "lf-exact(dialect='varfree')",
         "lf-order-invariant(dialect='varfree')", "lf-well-formed(dialect='varfree')"],
        TREES, _same,
    ),
    "cogs recogs": (
        ["cogs(dialect='recogs')", "lf-semantic(dialect='recogs')"], RECOGS, _same,
    ),
}  # fmt: skip
