"""Settings of Smatch and of other metrics of AMR."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Literal, TypeAlias

import msgspec
import numpy as np

from karat.core.metric import Metric
from karat.core.scores import Array, find_leaf, leaves
from karat.core.tracing import (
    ROUGHLY,
    Changes,
    Grid,
    Once,
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
    swapped_rows,
    three,
)
from karat.graphs.amr.penman import Top
from karat.graphs.metrics.amr_fine import AmrFine, parts_of_tool
from karat.graphs.metrics.grids.mapped import KINDS_APART, best_rows, proven_rows
from karat.graphs.metrics.s2match import S2match
from karat.graphs.metrics.sema import Sema
from karat.graphs.metrics.sembleu import SemBleu
from karat.graphs.metrics.smatch import Smatch
from karat.graphs.metrics.smatchpp import SmatchPlusPlus

_PARTS: tuple[Part, ...] = ("f", "r", "p")
_KINDS = ("instances", "attributes", "relations")
_Version: TypeAlias = Literal["smatch", "smatch-1.0.1"]
_TOPS: dict[_Version, Top] = {"smatch": "constant", "smatch-1.0.1": "concept"}
_APART = frozenset([KINDS_APART])
_SEEDS = 20
_SAMPLE, _A_LOT, _ERRORS = 192, 5, 6
"""How many pairs tell what climbing loses, how many triples are a great loss in one of them, and
by how many standard errors the whole may differ."""
_COLON_IN_QUOTES = re.compile(r'"[^"]*:[^"]*"')
_WIKI = re.compile(r':wiki\s+(?:"[^"]*"|[^\s()]+)')


def without_wiki(pairs: Pairs) -> Pairs | None:
    """Graphs without links to Wikipedia; None where there are none."""
    found = [(_unlinked(system), _unlinked(gold)) for system, gold in pairs]
    return None if found == list(pairs) else found


def _unlinked(meaning: Any) -> Any:
    if not isinstance(meaning, str):
        return meaning
    *before, last = _WIKI.split(meaning)
    return "".join([*map(str.rstrip, before), last])


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
    once = Once()
    for top in ("constant", "concept"):
        for counting in ("set", "min", "product"):
            metric = Smatch(top=top, counting=counting)
            choices: dict[str, Value] = {"top": top, "counting": counting, "version": None}
            settings = _settings(metric, choices, names)
            random = _climbing(choices, names) if metric == Smatch() else []
            if settings:
                found.append(
                    Pass(Smatch(), partial(_count, metric, once), settings, random,
                         counts_as=metric, swapped=partial(swapped_rows, metric), is_slow=True)
                )  # fmt: skip
    for version, top in _TOPS.items():
        metric = Smatch(compat=version)
        choices = {"top": top, "counting": "product", "version": version}
        settings = _settings(metric, choices, names)
        if settings:
            found.append(
                Pass(Smatch(), partial(_count_like, version, once), settings, counts_as=metric,
                     swapped=partial(swapped_rows, metric), is_slow=True)
            )  # fmt: skip
    return found


def _count_like(version: _Version, once: Once, pairs: Pairs, needs: frozenset[str]) -> Array:
    """The rows of a version of Smatch: those of its own for graphs that it reads otherwise."""
    if version == "smatch-1.0.1" and KINDS_APART not in needs:
        return _old_rows(pairs, needs)
    return _rows_like(version, once, pairs, needs)


def _rows_like(version: _Version, once: Once, pairs: Pairs, needs: frozenset[str]) -> Array:
    top = _TOPS[version]
    own = [
        i
        for i, pair in enumerate(pairs)
        if not all(_of_text(_same_triples, meaning, version, top) for meaning in pair)
    ]
    if len(own) == len(pairs):
        return best_rows(Smatch(compat=version), pairs, needs)
    rows = _usual_rows(top, once, pairs, needs)
    if own:
        rows = rows.copy()
        rows[own] = best_rows(Smatch(compat=version), [pairs[i] for i in own], needs)
    return rows


def _usual_rows(top: Top, once: Once, pairs: Pairs, needs: frozenset[str]) -> Array:
    rows: Array = once.of((top, needs), pairs, lambda: best_rows(Smatch(top=top), pairs, needs))
    return rows


def _of_text(known: Callable[..., bool], meaning: Any, *how: str) -> bool:
    """What is known of a graph; of a text, it is found out once."""
    return (_cached if isinstance(meaning, str) else _asked)(known, meaning, *how)


def _asked(known: Callable[..., bool], meaning: Any, *how: str) -> bool:
    return known(meaning, *how)


_cached = lru_cache(maxsize=1 << 17)(_asked)


def _same_triples(meaning: Any, version: _Version, top: Top) -> bool:
    """Whether a version finds the same triples as karat, none of them twice."""
    theirs, ours = (each.tuples(meaning) for each in (Smatch(compat=version), Smatch(top=top)))
    features, links = set(ours.features), set(ours.links)
    return (
        len(features) == len(ours.features) == len(theirs.features)
        and len(links) == len(ours.links) == len(theirs.links)
        and features == set(theirs.features)
        and links == set(theirs.links)
    )


def _old_rows(pairs: Pairs, needs: frozenset[str]) -> Array:
    """The rows of Smatch before 1.0.2 without regard to kinds, which another tool has as well."""
    return _rows_of_old(tuple(map(tuple, pairs)), needs & {ROUGHLY})


@lru_cache(maxsize=32)
def _rows_of_old(pairs: tuple[Any, ...], needs: frozenset[str]) -> Array:
    return _rows_like("smatch-1.0.1", Once(), pairs, needs)


def _settings(
    metric: Smatch, choices: Mapping[str, Value], names: Collection[str]
) -> list[Setting]:
    scores = dict(three("smatch"))
    for kind in _KINDS:
        scores.update(three(f"smatch {kind}", f"{kind}."))
    found = [
        each if each.name == "smatch" else msgspec.structs.replace(each, needs=_APART)
        for each in own_settings(metric, scores, choices)
        if each.name in names
    ]
    return [*found, *mean_settings(found)]


def _count(metric: Smatch, once: Once, pairs: Pairs, needs: frozenset[str]) -> Array:
    """Pairs in which no triple is repeated count the same, however repeated ones are counted."""
    rows = _usual_rows(metric.top, once, pairs, needs)
    if metric.counting == "set":
        return rows
    again = once.of(
        "again",
        pairs,
        lambda: [i for i, p in enumerate(pairs) if any(_of_text(_repeats, each) for each in p)],
    )
    if again:
        rows = rows.copy()
        rows[again] = best_rows(metric, [pairs[i] for i in again], needs)
    return rows


def _repeats(meaning: Any) -> bool:
    tuples = Smatch().tuples(meaning)
    every: list[Any] = [*tuples.features, *tuples.links]
    return len(set(every)) < len(every)


def _climbing(choices: Mapping[str, Value], names: Collection[str]) -> list[RandomSetting]:
    return [
        RandomSetting(
            Smatch(solver="climb", restarts=restarts), part, "smatch",
            {**choices, "aggregation": "corpus"}, partial(_climbed, restarts, part),
            partial(_climbs_to, restarts, part), part=part,
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


def _climbs_to(
    restarts: int, part: Part, rows: Array, pairs: Pairs, seed: int
) -> tuple[float, float]:
    """Between what is lost at the most, judged by what is lost in a sample, and the optimum."""
    places = tuple(np.linspace(0, len(pairs) - 1, min(len(pairs), _SAMPLE)).astype(int).tolist())
    lost = _lost(
        restarts, seed, tuple(tuple(pairs[i]) for i in places), rows[list(places)].tobytes()
    )
    matched = [i for i, name in enumerate(Smatch().columns) if name.endswith(".c")]
    total = rows.sum(axis=0)
    # In many samples nothing is lost, though something is in the whole: one pair more makes up.
    each = np.append(lost, _A_LOT)
    error = float(np.std(each, ddof=1)) / np.sqrt(len(each))
    worst = len(rows) * (float(np.mean(each)) + _ERRORS * error)
    low = total.copy()
    low[matched] *= max(0.0, 1 - worst / max(1.0, float(total[matched].sum())))
    return _score(Smatch(), low, part), _score(Smatch(), total, part)


@lru_cache(maxsize=8)
def _lost(restarts: int, seed: int, pairs: tuple[Any, ...], best: bytes) -> Array:
    """How many triples climbing does not match of those that can be, for each pair."""
    columns = list(Smatch().columns)
    matched = [i for i, name in enumerate(columns) if name.endswith(".c")]
    rows = np.frombuffer(best).reshape(len(pairs), len(columns))
    climbed = measured(Smatch(solver="climb", restarts=restarts, climb_seed=seed), pairs)
    found: Array = (rows - climbed)[:, matched].sum(axis=1)
    return found


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
    """Styles of standardising, with and without reified edges, and as the tool itself reads."""
    own = {"smatchpp": 0}
    ways: tuple[tuple[bool, Literal["smatchpp"] | None], ...]
    ways = (False, None), (True, None), (False, "smatchpp")
    metrics = [
        (SmatchPlusPlus(style=style, reify=reify, compat=compat),
         {"style": style, "reify": reify, "compat": compat})
        for style in ("amr", "generic", "none")
        for reify, compat in ways
    ]  # fmt: skip
    tool: dict[str, Value] = {"compat": "smatchpp"}
    return Grid(
        {"": own, "smatch++": own, "smatchpp": own, "smatch": {"smatchpp": 1}},
        {"style": "amr", "reify": False, "compat": None, "aggregation": "corpus"},
        [
            Preset("karat"),
            Preset("smatch++", tool, "python -m smatchpp -a GOLD -b SYSTEM"),
            Preset("smatch++, no standardising", {**tool, "style": "none"}),
            Preset("smatch++, generic", {**tool, "style": "generic"}),
            Preset("smatch++, macro", {**tool, "aggregation": "mean"}, "... -score_type macro"),
            *(Preset(f"karat, {style}", {"style": style}) for style in ("none", "generic")),
            Preset("karat, macro", {"aggregation": "mean"}),
        ],
        lambda names: passes_of(
            metrics, three("smatchpp"), names, reader=SmatchPlusPlus(), rows=proven_rows,
            swaps=True, is_slow=True,
        ),
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
        found = passes_of(
            [(AmrFine(compat=tool), {"tool": tool}) for tool in used], scores, wanted,
            rows=partial(proven_rows, rows_of=partial(_fine_rows, frozenset(wanted))), is_slow=True,
        )  # fmt: skip
        if set(wanted) - {"smatch"}:
            return found
        swap = partial(swapped_rows, AmrFine(compat="amr-evaluation"))
        return [
            msgspec.structs.replace(each, count=_smatch_of_old_tools, swapped=swap)
            for each in found
        ]

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


def _fine_rows(names: frozenset[str], metric: AmrFine, pairs: Pairs) -> Array:
    size = metric.chunk_size
    parts = [metric.measure_rows(pairs[i : i + size], names) for i in range(0, len(pairs), size)]
    return np.concatenate(parts)


def _smatch_of_old_tools(pairs: Pairs, needs: frozenset[str]) -> Array:
    """The rows of amr-evaluation with nothing but Smatch, which is that of before 1.0.2."""
    for text in {text for pair in pairs for text in pair if _COLON_IN_QUOTES.search(text)}:
        parts_of_tool(text, "amr-evaluation")  # which cannot read all of what Smatch reads
    counted = Smatch().by_column(_old_rows(pairs, needs))
    columns = list(AmrFine().columns)
    rows = np.zeros((len(pairs), len(columns)))
    rows[:, columns.index("n")] = 1
    rows[:, columns.index("smatch.bound")] = counted["bound"]
    for side in "gsc":
        rows[:, columns.index(f"smatch.{side}")] = sum(counted[f"{kind}.{side}"] for kind in _KINDS)
    return rows


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
        lambda names: passes_of(metrics, scores, names, rows=proven_rows, is_slow=True),
        AMR_SLIPS,
    )
