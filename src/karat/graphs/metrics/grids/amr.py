"""Settings of Smatch and of other metrics of AMR."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Literal

from karat.core.metric import Metric
from karat.core.scores import Array, find_leaf, leaves
from karat.core.tracing import (
    Changes,
    Grid,
    Pairs,
    Part,
    Pass,
    Preset,
    RandomSetting,
    Scores,
    Setting,
    Spread,
    Value,
    mean_settings,
    measured,
    own_settings,
    passes_of,
    three,
)
from karat.graphs.metrics.amr_fine import AmrFine
from karat.graphs.metrics.s2match import S2match
from karat.graphs.metrics.sema import Sema
from karat.graphs.metrics.sembleu import SemBleu
from karat.graphs.metrics.smatch import Smatch
from karat.graphs.metrics.smatchpp import SmatchPlusPlus

_PARTS: tuple[Part, ...] = ("f", "r", "p")
_KINDS = ("instances", "attributes", "relations")
_SEEDS = 20
_WIKI = re.compile(r'\s*:wiki\s+("[^"]*"|[^\s()]+)')


def without_wiki(pairs: Pairs) -> Pairs | None:
    """Graphs without links to Wikipedia; None where there are none."""
    found = [(_unlinked(system), _unlinked(gold)) for system, gold in pairs]
    return None if found == list(pairs) else found


def _unlinked(meaning: Any) -> Any:
    return _WIKI.sub("", meaning) if isinstance(meaning, str) else meaning


AMR_SLIPS: dict[str, Changes] = {"no-wiki": without_wiki}


# -- Smatch -------------------------------------------------------------------------------------


def smatch() -> Grid:
    """Tops, ways to count repeated triples, versions of Smatch, hill climbing."""
    own = {"smatch": 0}
    kinds = {f"smatch {kind}": 2 for kind in _KINDS}
    return Grid(
        names={
            "": {**own, **kinds}, "smatch": own,
            **{f"smatch{kind}": {f"smatch {kind}": 0} for kind in _KINDS},
            **{kind: {f"smatch {kind}": 0} for kind in _KINDS},
        },
        defaults={"top": "constant", "counting": "set", "version": None, "aggregation": "corpus"},
        presets=[
            Preset("karat"),
            Preset("Smatch 1.0.4", {"version": "smatch", "counting": "product"},
                   "smatch.py -f SYSTEM GOLD"),
            Preset("Smatch before 1.0.2", {"version": "smatch-1.0.1", "counting": "product",
                                           "top": "concept"}, "smatch.py -f SYSTEM GOLD"),
            Preset("mtool", {"top": "concept"}, "main.py --score smatch --gold GOLD SYSTEM"),
        ],
        passes=_smatch_passes,
        slips=AMR_SLIPS,
    )  # fmt: skip


def _smatch_passes(names: Collection[str]) -> list[Pass]:
    found = []
    for top in ("constant", "concept"):
        for counting in ("set", "min", "product"):
            metric = Smatch(top=top, counting=counting)
            choices: dict[str, Value] = {"top": top, "counting": counting, "version": None}
            settings = _settings(metric, choices, names)
            random = _climbing(choices, names) if metric == Smatch() else []
            if settings:
                found.append(
                    Pass(Smatch(), partial(_count, metric), settings, random,
                         counts_as=metric, swapped=partial(_swapped, metric))
                )  # fmt: skip
    versions: dict[Literal["smatch", "smatch-1.0.1"], str] = {
        "smatch": "constant", "smatch-1.0.1": "concept"
    }  # fmt: skip
    for version, top in versions.items():
        metric = Smatch(compat=version)
        choices = {"top": top, "counting": "product", "version": version}
        settings = _settings(metric, choices, names)
        if settings:
            swap = partial(_swapped, metric)
            count = partial(measured, metric)
            found.append(Pass(Smatch(), count, settings, counts_as=metric, swapped=swap))
    return found


def _settings(
    metric: Smatch, choices: Mapping[str, Value], names: Collection[str]
) -> list[Setting]:
    scores = dict(three("smatch"))
    for kind in _KINDS:
        scores.update(three(f"smatch {kind}", f"{kind}."))
    found = [each for each in own_settings(metric, scores, choices) if each.name in names]
    return [*found, *mean_settings(found)]


def _count(metric: Smatch, pairs: Pairs, _: frozenset[str]) -> Array:
    """Pairs in which no triple is repeated count the same, however repeated ones are counted."""
    if metric.counting == "set":
        return measured(metric, pairs)
    rows = measured(Smatch(top=metric.top), pairs)
    again = [i for i, pair in enumerate(pairs) if any(map(_repeats, pair))]
    if again:
        rows = rows.copy()
        rows[again] = measured(metric, [pairs[i] for i in again])
    return rows


def _repeats(meaning: Any) -> bool:
    if isinstance(meaning, str):
        return _text_repeats(meaning)
    tuples = Smatch().tuples(meaning)
    every: list[Any] = [*tuples.features, *tuples.links]
    return len(set(every)) < len(every)


@lru_cache(maxsize=1 << 16)
def _text_repeats(text: str) -> bool:
    tuples = Smatch().tuples(text)
    every: list[Any] = [*tuples.features, *tuples.links]
    return len(set(every)) < len(every)


def _swapped(metric: Smatch, rows: Array) -> Array:
    """The rows with gold and system changed over: what they have in common stays."""
    columns = list(metric.columns)
    order = [
        columns.index(name[:-2] + {".g": ".s", ".s": ".g"}[name[-2:]])
        if name.endswith((".g", ".s"))
        else i
        for i, name in enumerate(columns)
    ]
    return rows[:, order]


def _climbing(choices: Mapping[str, Value], names: Collection[str]) -> list[RandomSetting]:
    return [
        RandomSetting(
            Smatch(solver="climb", restarts=restarts), part, "smatch",
            {**choices, "aggregation": "corpus"}, partial(_climbed, restarts, part), part=part,
        )
        for restarts in (0, 4, 9)
        for part in _PARTS
        if "smatch" in names
    ]  # fmt: skip


def _climbed(restarts: int, part: Part, rows: Array, pairs: Pairs, seed: int) -> Spread:
    """Between the least that some seeds give and the proven optimum."""
    seen = [
        _score(Smatch(), found, part) for found in _seeds(restarts, seed, tuple(map(tuple, pairs)))
    ]
    best = _score(Smatch(), rows.sum(axis=0), part)
    return Spread(min([*seen, best]), max([*seen, best]), seen)


def _score(metric: Metric[Any, Any], totals: Array, score: str) -> float:
    scores = metric.summarize(totals)
    return float(dict(leaves(scores))[find_leaf(scores, score)])


@lru_cache(maxsize=8)
def _seeds(restarts: int, seed: int, pairs: tuple[Any, ...]) -> list[Array]:
    """The sums of the rows that climbing finds with each seed."""
    return [
        measured(Smatch(solver="climb", restarts=restarts, climb_seed=seed + i), pairs).sum(axis=0)
        for i in range(_SEEDS)
    ]


# -- others ---------------------------------------------------------------------------------------


def smatchpp() -> Grid:
    """Styles of standardising, with and without reified edges."""
    own = {"smatchpp": 0}
    metrics = [
        (SmatchPlusPlus(style=style, reify=reify), {"style": style, "reify": reify})
        for style in ("amr", "generic", "none")
        for reify in (False, True)
    ]
    return Grid(
        {"": own, "smatch++": own, "smatchpp": own, "smatch": {"smatchpp": 1}},
        {"style": "amr", "reify": False, "aggregation": "corpus"},
        [
            Preset("smatch++", {}, "python -m smatchpp -a GOLD -b SYSTEM"),
            Preset("smatch++, no standardising", {"style": "none"}),
            Preset("smatch++, generic", {"style": "generic"}),
            Preset("smatch++, macro", {"aggregation": "mean"}, "... -score_type macro"),
        ],
        lambda names: passes_of(metrics, three("smatchpp"), names),
        AMR_SLIPS,
    )  # fmt: skip


def amr_fine() -> Grid:
    """The rows by karat's definition, and by the three tools."""
    rows = AmrFine.row_names
    scores: Scores = {key: each for row in rows for key, each in three(row, f"{row}.").items()}
    names = {row.replace("_", ""): {row: 0} for row in rows if row != "smatch"}
    tools: tuple[Any, ...] = (None, "amr-evaluation", "amr-evaluation-enhanced", "amrlib")

    def passes(wanted: Collection[str]) -> list[Pass]:
        # Smatch itself has settings of its own.
        used = tools if set(wanted) - {"smatch"} else ("amr-evaluation",)
        return passes_of([(AmrFine(compat=tool), {"tool": tool}) for tool in used], scores, wanted)

    return Grid(
        {
            "": {**{row: 2 for row in rows if row != "smatch"}, "smatch": 0},
            "smatch": {"smatch": 0},
            **names,
            "nowsd": {"no_wsd": 0}, "wsd": {"no_wsd": 1}, "ner": {"named_entities": 0},
            "wiki": {"wikification": 0}, "negation": {"negations": 0},
            "reentrancy": {"reentrancies": 0}, "concept": {"concepts": 0},
            "unlabelled": {"unlabeled": 0},
        },
        {"tool": None, "aggregation": "corpus"},
        [
            Preset("karat"),
            Preset("amr-evaluation", {"tool": "amr-evaluation"}, "evaluation.sh SYSTEM GOLD"),
            Preset("amr-evaluation-enhanced", {"tool": "amr-evaluation-enhanced"},
                   "evaluation.sh SYSTEM GOLD"),
            Preset("amrlib", {"tool": "amrlib"}, "amrlib.evaluate.smatch_enhanced"),
        ],
        passes,
        AMR_SLIPS,
    )  # fmt: skip


def sembleu() -> Grid:
    """As defined, and as its script counts."""
    metrics = [(SemBleu(compat=each), {"compat": each}) for each in _compats(SemBleu)]
    return _simple("sembleu", {"f": ("sembleu", "", "corpus")}, metrics)


def sema() -> Grid:
    """As defined, and as its script counts."""
    return _simple("sema", three("sema"),
                   [(Sema(compat=each), {"compat": each}) for each in _compats(Sema)])  # fmt: skip


def s2match() -> Grid:
    """By senses, which needs no vectors."""
    metrics = [(S2match(top=top), {"compat": None, "top": top}) for top in ("concept", "constant")]
    return _simple("s2match", three("s2match"), metrics, {"top": "concept"})


def _compats(cls: type[Metric[Any, Any]]) -> list[Any]:
    from karat.core.options import declared

    return [None, *(each for each in declared(cls)["compat"].choices if each is not None)]


def _simple(
    name: str,
    scores: Scores,
    metrics: Sequence[tuple[Metric[Any, Any], Mapping[str, Value]]],
    defaults: Mapping[str, Value] | None = None,
) -> Grid:
    own = {name: 0}
    passes = partial(passes_of, metrics, scores)
    presets = [Preset("karat")]
    presets += [
        Preset(str(choices["compat"]), {"compat": choices["compat"]})
        for _, choices in metrics
        if choices["compat"]
    ]
    return Grid(
        {"": own, name: own},
        {"compat": None, "aggregation": "corpus", **(defaults or {})},
        presets,
        passes,
        AMR_SLIPS,
    )
