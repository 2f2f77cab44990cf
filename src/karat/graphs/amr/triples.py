"""AMR as triples: instances, attributes and relations, as Smatch counts them.

Reading a graph as Smatch itself does (`read_like_smatch`) keeps what its reader makes
of quotes, blanks and alignments; `triples_of` reads PENMAN as it is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
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


_MARKS = r'"[^"]*"?|([(:/)])'
"""What is quoted, up to the end where that is missing; else a mark."""


class WrittenRole(NamedTuple):
    """A role as it stands in the text that Smatch reads."""

    role: str
    source: str
    value: str
    new: bool
    """Whether a node stands in place of the value."""
    known: bool
    """Whether the value is a variable that was introduced before."""
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


def is_relation(written: WrittenRole, instances: Mapping[str, str]) -> bool:
    """Whether the value of a role is a variable, introduced before it or after."""
    return written.value in instances


def written_roles(text: str) -> tuple[dict[str, str], list[WrittenRole]]:
    """The variables with their concepts, and the roles, that Smatch's reader sees in a text.

    It takes what stands between two marks for what the first of them announces: a variable, a
    concept, or a role and the first word after it. So a role at the end of a text that lacks its
    last parentheses is not seen; a concept there, which ends Smatch, is.
    """
    lines = (line.strip() for line in text.split("\n"))
    graph = "".join(line for line in lines if not line.startswith("#"))
    concepts: dict[str, str] = {}
    introduced: list[str] = []
    open_nodes: list[str] = []
    found: list[WrittenRole] = []
    role = before = ""
    segments = list(marked_segments(graph))
    kept = _shifted(graph[: len(graph) - sum(1 + len(rest) for _, rest in segments)], blanks=False)
    for mark, content in segments:
        if mark == "(" and before == ":":
            if role:
                raise _unreadable(f"the role ':{role}' has no value")
            role, kept = kept.strip(), ""
        elif mark == "/":
            if before != "(":
                raise _unreadable(f"'/{content}' stands where no concept is expected")
            if not kept or kept in introduced or (role and not open_nodes):
                raise _unreadable(f"the variable {kept!r} is introduced twice or has no name")
            if role:
                found.append(WrittenRole(role, open_nodes[-1], kept, True, False, False))
            open_nodes.append(kept)
            introduced.append(kept)
            role = kept = ""
        elif mark in ":)" and before == "/":
            concepts[open_nodes[-1]], kept = kept, ""
        elif mark in ":)" and before == ":":
            words = kept.split()
            if len(words) < 2 or not open_nodes:
                raise _unreadable(f"the role ':{kept}' has no value, or stands in no node")
            found.append(
                WrittenRole(
                    words[0], open_nodes[-1], words[1], False, words[1] in concepts, mark == ")"
                )
            )
            kept = ""
        if mark == ")":
            if not open_nodes:
                raise _unreadable("')' stands where no graph is open")
            open_nodes.pop()
            role = ""
        before = mark
        kept += _shifted(content, blanks=mark == ":")
    if graph and not introduced:
        raise _unreadable("there is no node with a concept")
    if before == "/":  # where the text ends Smatch would end, too
        concepts[open_nodes[-1]] = kept
    if lacking := [variable for variable in introduced if variable not in concepts]:
        raise _unreadable(f"the node {lacking[0]!r} has no concept")
    return {variable: concepts[variable] for variable in introduced}, found


def _shifted(content: str, *, blanks: bool) -> str:
    """Without the quotes that open, with an underscore for each that closes."""
    parts = content.split('"') if '"' in content else [content]
    text = "".join(
        f"{part}_" if i % 2 and i + 1 < len(parts) else part for i, part in enumerate(parts)
    )
    return text if blanks else text.replace(" ", "")


def marked_segments(text: str) -> Iterable[tuple[str, str]]:
    """Each of ``( : / )`` outside quotes with what follows it."""
    starts = [found.start() for found in re.finditer(_MARKS, text) if found[1]]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=False):
        yield text[start], text[start + 1 : end]


def _unreadable(message: str) -> FormatError:
    return FormatError(f"Smatch cannot read this graph: {message}", code="K141")
