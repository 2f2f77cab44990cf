"""``karat.trace``: from figures and files to a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from karat import cores
from karat.arguments import checks_arguments
from karat.core.options import Mode, OnError
from karat.core.reading.items import Pair
from karat.core.registry import metric_class
from karat.core.tracing import AnySetting
from karat.engine.jobs import Jobs, checked
from karat.errors import KaratError, OptionError, check_choice
from karat.text.model import joined
from karat.tracing.counting import standings_in
from karat.tracing.figures import Figure, Rounding, Unit, figures_or_name, parse_figures
from karat.tracing.grids import Traced, kinds_of, meant_by, of_kind, traced
from karat.tracing.reading import Inputs
from karat.tracing.result import Trace
from karat.tracing.search import Search


@checks_arguments
def trace(
    figures: str | Sequence[str],
    *,
    system: object,
    gold: object = None,
    unit: Unit = "auto",
    rounding: Rounding = "both",
    slips: bool = True,
    deep: bool = False,
    by: Sequence[str] = (),
    format: str | None = None,
    gold_format: str | None = None,
    format_options: Mapping[str, Any] | None = None,
    pair: Mode = "auto",
    on_error: OnError = "auto",
    jobs: Jobs = 1,
    seed: int = 0,
) -> Trace:
    """Which metric, options and rounding give a published figure on these data.

    `figures` are texts such as ``"BLEU 39.61"``, with all the digits that were printed; several
    are explained by one setting together. `system` and `gold` are what `evaluate` takes. Common
    mistakes in handling files are tried as well unless `slips` is False; `deep` leaves out every
    single item, `by` averages over groups.
    """
    texts = [figures] if isinstance(figures, str) else list(figures)
    if not texts:
        raise OptionError("there is no figure to trace", code="K303")
    check_choice("a unit", unit, get_args(Unit))
    check_choice("a rounding", rounding, get_args(Rounding))
    parsed = [figure for text in texts for figure in parse_figures(text, unit)]
    inputs = Inputs(
        system, gold, format=format, gold_format=gold_format, format_options=format_options or {},
        pair=pair, on_error=on_error, by=by,
    )  # fmt: skip
    workers = cores.usable() if jobs == "auto" else checked(jobs)
    work = Search(parsed, inputs, rounding, slips=slips, deep=deep, seed=seed)
    problems: list[tuple[str, KaratError]] = []
    for family in families(parsed, inputs):
        for each in family:
            try:
                work.add(each, workers)
            except KaratError as error:
                problems.append((each.name, error))
        if work.rows:
            break
    else:
        raise problems[-1][1]
    tried = {each.name for each in family}
    inputs.warnings += [
        f"{name} is not tried: {error.message}" for name, error in problems if name in tried
    ]
    return work.result()


def families(figures: Sequence[Figure], inputs: Inputs) -> list[list[Traced]]:
    """The metrics that the names mean, those of the kind that the files seem to have first.

    Any text may look like a logical form: where nothing can be read so, it is taken for a text. So
    are records whose outputs are texts and no JSON.
    """
    named = inputs.kinds()
    found = meant_by(figures, named)
    kinds = kinds_of(found)
    if "tree" in named:  # Files of trees can be read as graphs, but are not called like those.
        kinds.sort(key=lambda kind: kind != "tree")
    if len(kinds) == 1:
        return [found]
    kind = inputs.kind(kinds) or "text"
    first = of_kind(found, kind)
    others = [each for each in of_kind(found, "text") if each not in first]
    if kind == "logic" and "text" in kinds and not inputs.first(first[0].metric):
        first = []
    if kind == "record" and others and _has_texts(inputs.first(metric_class("bleu"))):
        first = []
    return [family for family in (first, others) if family] or [found]


def _has_texts(pairs: Sequence[Pair]) -> bool:
    """Whether there are texts on both sides, other than JSON."""
    texts = [joined(text) for pair in pairs for text in (pair.system, *pair.gold)]
    return bool(texts) and not any(text.lstrip().startswith(("{", "[")) for text in texts)


def settings(figures: Sequence[str] = ()) -> Iterator[tuple[str, AnySetting, int]]:
    """All settings that figures may mean, or all there are: metric, setting, departures."""
    parsed = [figure for text in figures for figure in figures_or_name(text)]
    for each in meant_by(parsed) if parsed else traced():
        names: dict[str, int] = {}
        for meant in [each.meant(figure) for figure in parsed] or each.grid.names.values():
            names |= dict.fromkeys(meant or (), 0)
        standing = standings_in(each.grid, {})
        for one in each.grid.passes(names):
            for setting in one.all_settings():
                yield each.name, setting, standing(setting).departures
