"""The triples that the fine-grained scores of AMR are about.

By karat's definition (`parts_of`), and as the tools have them with which scores were
published (`parts_of_tool`): amr-evaluation by Damonte and others, its enhanced version by
Lyu, and amrlib. The tools read as Smatch does, the first two as it did before 1.0.3:
`mod` stays, and an inverted role of a variable that stands elsewhere is turned around
only where the node ends after it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from msgspec.structs import replace

from karat.graphs.amr.triples import (
    Top,
    Triples,
    is_relation,
    penman_of_text,
    read_like_smatch,
    triples_of,
    written_roles,
)

Tool: TypeAlias = Literal["amr-evaluation", "amr-evaluation-enhanced", "amrlib"]
Triple: TypeAlias = tuple[str, str, str]

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
    line = _in_one_line(text)
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


def read_like_old_smatch(text: str) -> tuple[Triples, Top]:
    """The triples as Smatch had them before 1.0.2, and what that of the top holds."""
    return _listed(_in_one_line(text)), "concept"


def _in_one_line(text: str) -> str:
    lines = (line.strip() for line in text.split("\n"))
    return " ".join(each for each in lines if not each.startswith("#"))


def _listed(line: str) -> Triples:
    """Triples by node, as Smatch had them before 1.0.3."""
    instances, written = written_roles(line)
    relations: dict[str, list[Triple]] = {variable: [] for variable in instances}
    later: dict[str, list[Triple]] = {variable: [] for variable in instances}
    attributes: dict[str, list[Triple]] = {variable: [] for variable in instances}
    for each in written:
        turned = each.role.endswith("-of") and (each.new or each.last)
        if not is_relation(each, instances):
            if not turned:
                attributes[each.source].append((each.role, each.source, each.value))
        elif turned:
            relations[each.value].append((each.role[:-3], each.value, each.source))
        else:
            place = relations if each.new or each.known else later
            place[each.source].append((each.role, each.source, each.value))
    return Triples(
        instances,
        [each for variable in instances for each in attributes[variable]],
        [each for v in instances for each in (*relations[v], *later[v])],
    )


def _listed_once(line: str) -> Triples:
    """The same with one relation from node to node, one attribute of a name: the last."""
    triples = _listed(line)
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
    "amr-evaluation": (_listed, "concept", _ROLE),
    "amr-evaluation-enhanced": (_listed_once, "concept", _ROLE_TO_THE_FIRST_HYPHEN),
    "amrlib": (read_like_smatch, "constant", _ROLE_TO_THE_FIRST_HYPHEN),
}
