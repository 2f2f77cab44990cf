"""Settings of the metrics of dependency trees."""

from __future__ import annotations

from typing import Any

import msgspec

from karat.core.scores import Array
from karat.core.tracing import Grid, Part, Preset, Scores, passes_of
from karat.trees.metrics.attachment import Attachment
from karat.trees.metrics.ud import Ud

_KINDS = (
    "LAS", "UAS", "CLAS", "MLAS", "BLEX", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "Words",
    "Tokens", "Sentences",
)  # fmt: skip
_PARTS: dict[str, Part] = {"f1": "f", "recall": "r", "precision": "p"}


def ud() -> Grid:
    """All figures of the official script, of documents and as means of sentences."""
    scores: dict[str, Any] = {
        f"{kind}.{score}": (kind.lower(), part, "corpus")
        for kind in _KINDS
        for score, part in _PARTS.items()
    }
    for kind in _KINDS:
        scores[f"{kind}.aligned_accuracy"] = (f"{kind.lower()} on aligned words", "", "corpus")
    every = {kind.lower(): (0 if kind.endswith("AS") else 1) for kind in _KINDS}
    aligned = {f"{name} on aligned words": far + 1 for name, far in every.items()}
    return Grid(
        {
            "": {**every, **aligned},
            "ud": {**every, **aligned},
            "conll2018": every,
            **{name: {name: 0, f"{name} on aligned words": 1} for name in every},
            **{f"{name}f1": {name: 0} for name in every},
            "feats": {"ufeats": 0}, "lemma": {"lemmas": 0}, "pos": {"upos": 0, "xpos": 0},
            "segmentation": {"words": 0, "tokens": 0, "sentences": 0},
        },
        {"aggregation": "corpus"},
        [Preset("CoNLL 2018", {}, "conll18_ud_eval.py -v GOLD SYSTEM")],
        lambda names: [
            msgspec.structs.replace(each, swapped=_swapped)
            for each in passes_of([(Ud(), {})], scores, names)
        ],
        # What a sentence of the system is depends on those of gold: pairs cannot be made again.
        {"system-shifted": lambda _: None, "gold-shifted": lambda _: None},
    )  # fmt: skip


def _swapped(rows: Array) -> Array:
    """Alignments and agreements are the same from either side."""
    other = {"gold": "system", "system": "gold"}
    columns = list(Ud.columns)
    order = []
    for name in columns:
        side, _, what = name.partition("_")
        order.append(columns.index(f"{other[side]}_{what}" if side in other else name))
    return rows[:, order]


def attachment() -> Grid:
    """Punctuation kept or left out, by tag, UPOS or label; with and without subtypes."""
    scores: Scores = {
        "LAS": ("las", "", "corpus"),
        "UAS": ("uas", "", "corpus"),
        "LA": ("la", "", "corpus"),
        "UEM": ("uem", "", "corpus"),
        "LEM": ("lem", "", "corpus"),
        "root_accuracy": ("root accuracy", "", "corpus"),
    }
    ways: dict[str, dict[str, Any]] = {
        "kept": {"keep_punct": True},
        "by UPOS": {"punct_upos": True},
        "by label": {"punct_deprel": "punct"},
        "by tag": {},
    }
    metrics = [
        (Attachment(subtypes=subtypes, **options), {"subtypes": subtypes, "punctuation": way})
        for way, options in ways.items()
        for subtypes in ("keep", "ignore")
    ]
    every = {"las": 0, "uas": 0, "la": 1, "uem": 1, "lem": 1, "root accuracy": 2}
    return Grid(
        {
            "": every, "attachment": every,
            **{name: {name: 0} for name in every}, "rootaccuracy": {"root accuracy": 0},
            "labelaccuracy": {"la": 0}, "ls": {"la": 0}, "em": {"uem": 1, "lem": 1},
            "completematch": {"uem": 1, "lem": 1}, "ucm": {"uem": 0}, "lcm": {"lem": 0},
        },
        {"subtypes": "keep", "punctuation": "kept", "aggregation": "corpus"},
        [
            Preset("words, all", {}, "eval.pl -p -g GOLD -s SYSTEM"),
            Preset("without punctuation, by tag", {"punctuation": "by tag"},
                   "eval.pl -g GOLD -s SYSTEM"),
            Preset("without punctuation, by UPOS", {"punctuation": "by UPOS"}),
            Preset("universal labels", {"subtypes": "ignore"}),
        ],
        lambda names: passes_of(
            metrics, scores, names, tries=True, reader=Attachment(keep_punct=True)
        ),
    )  # fmt: skip
