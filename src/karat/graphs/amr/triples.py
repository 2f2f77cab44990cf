"""AMR as triples: instances, attributes and relations, as Smatch counts them.

Reading a graph as Smatch itself does (`read_like_smatch`) keeps what its reader makes
of quotes, blanks and alignments; `triples_of` reads PENMAN as it is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from karat.errors import FormatError
from karat.graphs.amr.penman import Block, Penman, parse
from karat.graphs.errors import UnreadableGraph

Top: TypeAlias = Literal["constant", "concept"]
Variable = TypeVar("Variable", str, int)

_NOT_INVERTED = frozenset(("prep-on-behalf-of", "prep-out-of", "consist-of"))


class Triples(msgspec.Struct):
    """The triples of one graph, in the order of the text."""

    instances: dict[str, str] = {}
    """Variables, in order of introduction, and their concepts."""
    attributes: list[tuple[str, str, str]] = []
    """Role, variable, constant."""
    relations: list[tuple[str, str, str]] = []
    """Role, source variable, target variable."""

    @property
    def top(self) -> str | None:
        """The first variable."""
        return next(iter(self.instances), None)


def penman_of_text(text: str) -> Penman:
    """The graph that a text in PENMAN notation holds; comments and alignments are left out."""
    body = "\n".join("" if line.lstrip().startswith("#") else line for line in text.split("\n"))
    if not body.strip():
        return Penman([], [], [])
    try:
        return parse(Block(1, {}, body, 1))
    except UnreadableGraph as problem:
        raise FormatError(str(problem), code=problem.code, excerpt=problem.excerpt) from None


def triples_of(penman: Penman, mod_is_domain: bool = True) -> Triples:
    """Triples with inverted relations turned around; constants keep the role as written.

    >>> t = triples_of(penman_of_text('(b / boy :ARG0-of (w / want-01) :polarity - :mod-of 1)'))
    >>> t.relations, t.attributes
    ([('ARG0', 'w', 'b')], [('polarity', 'b', '-'), ('mod-of', 'b', '1')])
    """
    names = penman.variables
    result = Triples({v: c or "" for v, c in zip(names, penman.concepts, strict=True)})
    for source, role, value, kind, _ in penman.roles:
        if kind == "variable":
            result.relations.append(directed(role, names[source], value, mod_is_domain))
        else:
            result.attributes.append((role, names[source], value))
    return result


def directed(
    role: str, source: Variable, target: Variable, mod_is_domain: bool = True, fold: bool = True
) -> tuple[str, Variable, Variable]:
    """A relation in its normal direction, as Smatch sees it.

    >>> directed("ARG0-of", "b", "w"), directed("mod", "x", "y"), directed("consist-of", "x", "y")
    (('ARG0', 'w', 'b'), ('domain', 'y', 'x'), ('consist-of', 'x', 'y'))
    """
    known = role.lower() if fold else role
    if known.endswith("-of") and known not in _NOT_INVERTED:
        return role[:-3], target, source
    if known == "mod" and mod_is_domain:
        return "domain", target, source
    return role, source, target


@lru_cache(maxsize=1 << 14)
def folded(name: str) -> str:
    """A name or value as it is compared: lower case, no underscores at the end."""
    return name.lower().rstrip("_")


# -- as Smatch reads ------------------------------------------------------------


_MARKS = re.compile(r'"[^"]*"?|([(:/)])')
"""What is quoted, up to the end where that is missing; else a mark."""


class Written(NamedTuple):
    """A role as it stands in the text that Smatch reads."""

    role: str
    source: str
    value: str
    new: bool
    """Whether a node stands in place of the value."""
    known: bool
    """Whether the value is a variable that was introduced before."""
    quoted: bool
    last: bool
    """Whether the node ends after it."""


def read_like_smatch(text: str) -> Triples:
    """The triples that Smatch 1.0 makes of a graph, with the peculiarities of its reader.

    A constant is its first word, a closing quote becomes an underscore, alignments
    are part of what they are written at, and an inverted role of a constant is lost.
    """
    instances, written = written_roles(text)
    result = Triples(instances)
    for each in written:
        name, source, value = each.role, each.source, each.value
        if is_relation(each, instances):
            result.relations.append(directed(name, source, value, fold=False))
        elif directed(name, source, value, fold=False)[1] == source and name != "mod":
            result.attributes.append((name, source, value))
    return result


def is_relation(written: Written, instances: Mapping[str, str]) -> bool:
    """Whether the value of a role is a variable, introduced before it or after."""
    return not written.quoted and written.value in instances


def written_roles(text: str) -> tuple[dict[str, str], list[Written]]:
    """The variables with their concepts, and the roles, that Smatch's reader sees in a text."""
    lines = (line.strip() for line in text.split("\n"))
    graph = "".join(line for line in lines if not line.startswith("#"))
    instances: dict[str, str] = {}
    open_nodes: list[str] = []
    found: list[Written] = []
    role = ""
    segments = list(marked_segments(graph))
    if graph and not segments:
        raise _unreadable("there is no '('")
    for place, (mark, content) in enumerate(segments, 1):
        _check_neighbours(segments, place - 1)
        if mark == "(":
            variable = content.strip()
            if not variable or variable in instances:
                raise _unreadable(f"the variable {variable!r} is introduced twice or has no name")
            instances[variable] = ""
            if open_nodes:
                if not role:
                    raise _unreadable(f"the node {variable!r} has no role")
                found.append(Written(role, open_nodes[-1], variable, True, False, False, False))
            open_nodes.append(variable)
            role = ""
        elif mark == "/" and open_nodes:
            concept = content.replace(" ", "") if '"' in content else content.strip()
            instances[open_nodes[-1]] = _unquoted(concept)
        elif mark == ":" and open_nodes:
            role, _, value = content.strip(" ").partition(" ")
            value = value.strip(" ")
            if value:
                quoted = value.startswith('"')
                first = _unquoted(value).partition(" ")[0]
                known = not quoted and first in instances
                last = place == len(segments) or segments[place][0] == ")"
                found.append(Written(role, open_nodes[-1], first, False, known, quoted, last))
                role = ""
        elif mark == ")" and open_nodes:
            open_nodes.pop()
        else:
            raise _unreadable(f"{mark!r} stands where no graph is open")
    return instances, found


def _check_neighbours(segments: Sequence[tuple[str, str]], place: int) -> None:
    """A concept comes first in a node, and a role has a value: all else ends Smatch."""
    mark, content = segments[place]
    before = segments[place - 1][0] if place else ""
    after = segments[place + 1][0] if place + 1 < len(segments) else ""
    if mark == "(" and after != "/":
        raise _unreadable(f"the node {content.strip()!r} has no concept")
    if mark == "/" and before != "(":
        raise _unreadable(f"'/{content}' stands where no concept is expected")
    if mark == ":" and after != "(" and not content.strip(" ").partition(" ")[2]:
        raise _unreadable(f"the role ':{content}' has no value")


def marked_segments(text: str) -> Iterable[tuple[str, str]]:
    """Each of ``( : / )`` outside quotes with what follows it."""
    starts = [found.start() for found in _MARKS.finditer(text) if found[1]]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=False):
        yield text[start], text[start + 1 : end]


def _unquoted(value: str) -> str:
    """A value without its first quote, with an underscore for each later one."""
    return value[1:].replace('"', "_") if value.startswith('"') else value.replace('"', "_")


def _unreadable(message: str) -> FormatError:
    return FormatError(f"Smatch cannot read this graph: {message}", code="K141")
