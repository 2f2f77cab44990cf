"""Fine-grained AMR scores: what kinds of things a parser gets right.

The triples that they are about are those of karat's definition (`parts_of`), or those of the tools
with which scores were published (`parts_of_tool`): amr-evaluation by Damonte and others, its
enhanced version by Lyu, and amrlib. The tools read as Smatch does, the first two as it did before
1.0.3: `mod` stays, and an inverted role of a variable that stands elsewhere is turned around
only where the node ends after it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated, Literal, TypeAlias

from msgspec.structs import replace

from karat.core.capabilities import grid_in
from karat.core.scores import Array
from karat.errors import OptionError
from karat.graphs.amr.penman import (
    Top,
    Triple,
    Triples,
    in_one_line,
    listed_like_old_smatch,
    penman_of_text,
    read_like_smatch,
    triples_of,
)
from karat.graphs.matching.solver import DEFAULT_BUDGET, Budget, GraphPair, Matchings
from karat.graphs.matching.tuples import Tuples, as_pair
from karat.graphs.metrics.base import PenmanTexts
from karat.graphs.metrics.matched import FineMetric
from karat.graphs.metrics.smatch import Counting, counted, tuples_of_triples

Tool: TypeAlias = Literal["amr-evaluation", "amr-evaluation-enhanced", "amrlib"]

_MATCHED = ("smatch", "unlabeled", "no_wsd", "reentrancies", "srl")
_LISTED = (
    "concepts",
    "frames",
    "non_sense_frames",
    "named_entities",
    "negations",
    "wikification",
    "ignore_vars",
)
_FRAME = re.compile(r"-\d\d$")


class AmrFine(PenmanTexts, FineMetric):
    """Smatch and its parts: unlabelled, without senses, reentrancies, roles, names, negation.

    The rows of Damonte, Cohen and Satta (2017) and of the tools after them. Rows that
    need a mapping of variables (`smatch`, `unlabeled`, `no_wsd`, `reentrancies`, `srl`)
    use the best one for each row; the others compare what the graphs contain: all
    concepts, frames with and without sense, the concepts of what has a name or is
    negated, wiki links, and triples with concepts in place of variables.

    Those rows count an entry once a graph, or with `counting="multiset"` as often as it
    occurs. Reentrancies and roles are the relations themselves with the instances of
    their variables. Other tools add further triples there, read as Smatch does, and
    count repeated triples m times n: `compat` names the one to follow.

    >>> scores = AmrFine().score("(b / bark-01 :ARG0 (d / dog))", "(b / bark-02 :ARG0 (d / dog))")
    >>> scores["smatch"]["f"], scores["no_wsd"]["f"], scores["non_sense_frames"]["f"]
    (0.75, 1.0, 1.0)
    """

    name = "amr-fine"
    main_row = "smatch"
    row_names = (*_MATCHED, *_LISTED)
    matched = _MATCHED

    top: Annotated[Top, "what the triple of the top contains"] = "constant"
    counting: Annotated[
        Literal["set", "multiset"], "count an entry once a graph, or as often as it occurs"
    ] = "set"
    compat: Annotated[
        Tool | None, "take the triples that this tool takes, and count as it does"
    ] = None
    budget: Budget = DEFAULT_BUDGET

    def __post_init__(self) -> None:
        if self.compat is not None and (self.top, self.counting) != ("constant", "set"):
            raise OptionError(
                f"{self.compat} decides itself what the top holds and how to count: "
                "leave out top and counting, or compat",
                code="K390",
            )

    tracing = grid_in("karat.graphs.metrics.grids.amr", "amr_fine")

    def signature(self) -> str:
        if self.compat:
            return f"{super().signature()}|standardize:{self.compat}|solver:exact"
        choices = f"top:{self.top}|counting:{self.counting}|standardize:smatch|solver:exact"
        return f"{super().signature()}|{choices}"

    def of_text(self, text: str, gold: bool) -> Parts:
        return parts_of_tool(text, self.compat) if self.compat else parts_of(text, self.top)

    def as_pair(self, gold: Parts, system: Parts, row: str) -> GraphPair:
        counting: Counting = "product" if self.compat else "set"
        theirs, ours = _tuples(getattr(gold, row)), _tuples(getattr(system, row))
        return as_pair(*counted(theirs, ours, counting))

    def entries(self, graph: Parts, row: str) -> Iterable[Hashable]:
        found = _ENTRIES[row](graph.whole)
        if self.compat and row == "wikification":  # the tools also list variables
            found = [*found, *(end for role, _, end in graph.whole.relations if role == "wiki")]
        repeated = self.counting == "multiset" or self.compat == "amr-evaluation"
        return found if repeated else list(dict.fromkeys(found))

    def counted_rows(
        self, known: Sequence[tuple[Parts, Parts]], found: Mapping[str, Matchings],
        listed: Sequence[str],
    ) -> Array:  # fmt: skip
        rows = super().counted_rows(known, found, listed)
        if self.compat:
            # The matcher saw m times n copies; each side has as many as are listed.
            for name in found:
                start = list(self.columns).index(f"{name}.g")
                part = attrgetter(name)
                rows[:, start : start + 2] = [(part(g).size, part(s).size) for g, s in known]
        return rows


def _tuples(triples: Triples) -> Tuples:
    return tuples_of_triples(triples, None)


def _sources(triples: Triples, role: str) -> list[str]:
    found = (*triples.attributes, *triples.relations)
    return [triples.instances[source] for name, source, _ in found if name == role]


def _without_variables(triples: Triples) -> list[tuple[str, str, str]]:
    concept = triples.instances
    top = [("TOP", concept[triples.top], "top")] if triples.top is not None else []
    return [
        *top,
        *((role, concept[source], value) for role, source, value in triples.attributes),
        *((role, concept[source], concept[target]) for role, source, target in triples.relations),
    ]


def _frames(triples: Triples) -> list[str]:
    return [concept for concept in triples.instances.values() if _FRAME.search(concept)]


_ENTRIES: dict[str, Callable[[Triples], Iterable[Hashable]]] = {
    "concepts": lambda triples: triples.instances.values(),
    "frames": _frames,
    "non_sense_frames": lambda triples: [_FRAME.sub("", each) for each in _frames(triples)],
    "named_entities": lambda triples: _sources(triples, "name"),
    "negations": lambda triples: _sources(triples, "polarity"),
    "wikification": lambda triples: [v for role, _, v in triples.attributes if role == "wiki"],
    "ignore_vars": _without_variables,
}


# -- the triples of a graph -----------------------------------------------------------------------

_SENSE = re.compile(r"-\d\d+$")
_TOOLS_SENSE = re.compile(r"^([a-zA-Z0-9-]+)-\d+")
_ROLE = re.compile(r":[a-zA-Z0-9-]*")
_ROLE_TO_THE_FIRST_HYPHEN = re.compile(r":[a-zA-Z0-9]*")


@dataclass(frozen=True, slots=True)
class Parts:
    """The triples of the rows that need a mapping, with their tops; and all of them."""

    whole: Triples
    smatch: Triples
    unlabeled: Triples
    no_wsd: Triples
    reentrancies: Triples
    srl: Triples


# -- by karat's definition --------------------------------------------------------


def parts_of(text: str, top: Top) -> Parts:
    """Relations are turned around first; what is chosen comes with the instances it mentions."""
    penman = penman_of_text(text)
    plain, kept = triples_of(penman), triples_of(penman, mod_is_domain=False)
    return Parts(
        plain,
        _with_top(plain, top),
        _with_top(_unlabeled(plain), top),
        _with_top(_without_senses(plain, _SENSE, "-01"), top),
        _reentrant(kept),
        _roles(kept),
    )


def _with_top(triples: Triples, top: Top) -> Triples:
    first = triples.top
    if first is None:
        return triples
    value = "top" if top == "constant" else triples.instances[first]
    return replace(triples, attributes=[("TOP", first, value), *triples.attributes])


def _unlabeled(triples: Triples) -> Triples:
    return Triples(
        triples.instances,
        [("label", variable, value) for _, variable, value in triples.attributes],
        [("label", source, target) for _, source, target in triples.relations],
    )


def _without_senses(triples: Triples, sense: re.Pattern[str], instead: str) -> Triples:
    concepts = {v: sense.sub(instead, c) for v, c in triples.instances.items()}
    return replace(triples, instances=concepts)


def _reentrant(triples: Triples) -> Triples:
    """Relations into variables that have several."""
    relations = list(dict.fromkeys(triples.relations))
    entering = Counter(target for _, _, target in relations)
    return _around(triples, [], [each for each in relations if entering[each[2]] > 1])


def _roles(triples: Triples) -> Triples:
    """The triples of predicates and their arguments."""
    return _around(
        triples,
        [each for each in triples.attributes if each[0].upper().startswith("ARG")],
        [each for each in triples.relations if each[0].upper().startswith("ARG")],
    )


def _around(
    triples: Triples,
    attributes: Sequence[Triple],
    relations: Sequence[Triple],
    variables: Sequence[str] = (),
) -> Triples:
    """Some triples, with the instances of variables and of those they mention."""
    ends = [end for _, *both in relations for end in both]
    mentioned = dict.fromkeys((*variables, *(v for _, v, _ in attributes), *ends))
    concepts = {variable: triples.instances[variable] for variable in mentioned}
    return Triples(concepts, list(attributes), list(relations))


# -- as the tools do --------------------------------------------------------------


def parts_of_tool(text: str, tool: Tool) -> Parts:
    """The triples as a tool has them, repeated ones as often as it lists them."""
    line = in_one_line(text)
    read, top, name = _HABITS[tool]
    plain = read(line)
    if tool == "amr-evaluation":
        kept = _turned(plain)
        reentrancies = _with_top(_around(kept, [], _entering_several(kept)), "concept")
        srl = _with_top(
            _around(kept, _arguments(kept.attributes), _arguments(kept.relations)), "concept"
        )
    else:
        kept = _listed_once(line)
        reentrancies = _with_concepts(kept, _entering_several(kept))
        srl = _with_concepts(
            kept,
            _arguments(_turned(kept).relations),
            [source for _, source, _ in _arguments(kept.attributes)],
        )
    return Parts(
        read_like_smatch(line),
        _with_top(plain, top),
        _with_top(read(name.sub(":label", line)), top),
        _with_top(_without_senses(plain, _TOOLS_SENSE, r"\1-01"), top),
        reentrancies,
        srl,
    )


def _listed_once(line: str) -> Triples:
    """The same with one relation from node to node, one attribute of a name: the last."""
    triples = listed_like_old_smatch(line)
    roles = {(source, target): role for role, source, target in triples.relations}
    values = {(source, role): value for role, source, value in triples.attributes}
    return Triples(
        triples.instances,
        [(role, source, value) for (source, role), value in values.items()],
        [(role, source, target) for (source, target), role in roles.items()],
    )


def _turned(triples: Triples) -> Triples:
    """With relations turned around that are still inverted."""
    return replace(
        triples,
        relations=[
            (role[:-3], target, source) if role.endswith("-of") else (role, source, target)
            for role, source, target in triples.relations
        ],
    )


def _entering_several(triples: Triples) -> list[Triple]:
    """Relations into variables that have several, by variable.

    That of the top counts too, where its concept is spelt like a variable.
    """
    first = triples.top
    entering: dict[str, list[Triple]] = {variable: [] for variable in triples.instances}
    if first is not None and triples.instances[first] in entering:
        entering[triples.instances[first]].append(("TOP", first, triples.instances[first]))
    for each in triples.relations:
        entering[each[2]].append(each)
    return [each for several in entering.values() if len(several) > 1 for each in several]


def _arguments(triples: Iterable[Triple]) -> list[Triple]:
    return [each for each in triples if each[0].startswith("ARG")]


def _with_concepts(
    triples: Triples, chosen: Sequence[Triple], variables: Sequence[str] = ()
) -> Triples:
    """Relations, one from node to node, and as attributes the concepts of their ends."""
    roles = {(source, target): role for role, source, target in chosen}
    concepts = {(source, role): triples.instances[target] for role, source, target in chosen}
    return _around(
        triples,
        [(role, source, concept) for (source, role), concept in concepts.items()],
        [(role, source, target) for (source, target), role in roles.items()],
        variables,
    )


_HABITS: dict[Tool, tuple[Callable[[str], Triples], Top, re.Pattern[str]]] = {
    "amr-evaluation": (listed_like_old_smatch, "concept", _ROLE),
    "amr-evaluation-enhanced": (_listed_once, "concept", _ROLE_TO_THE_FIRST_HYPHEN),
    "amrlib": (read_like_smatch, "constant", _ROLE_TO_THE_FIRST_HYPHEN),
}
