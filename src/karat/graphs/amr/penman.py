"""PENMAN notation: the graphs of a file with their comments, what a graph says, and its triples.

The notation itself is read by native code (native/include/karat/penman.hpp), which tells
where something is wrong; here the error gets its line, column and excerpt. Triples are
instances, attributes and relations, as Smatch counts them: `triples_of` reads PENMAN as it is
meant, `read_like_smatch` keeps what the reader of Smatch makes of quotes, blanks and alignments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from karat._native import read_penman
from karat.errors import FormatError
from karat.graphs.errors import UnreadableGraph

Kind: TypeAlias = Literal["variable", "string", "symbol"]
Role: TypeAlias = tuple[int, str, str, Kind, bool]
"""Number of the variable, name, value, kind of value, and whether that variable was known."""

_TO_THE_END = frozenset(("snt", "tok"))
_TOLERATED: dict[str, tuple[str, ...]] = {
    "": (),
    "unclosed": ("lack ')' at the end",),
    "surplus": ("have a ')' too many at the end",),
}


class Penman(msgspec.Struct, frozen=True, gc=False):
    """One graph: variables in the order they are introduced, roles in the order of the text."""

    variables: list[str]
    concepts: list[str | None]
    roles: list[Role]
    warnings: tuple[str, ...] = ()


class Block(msgspec.Struct, frozen=True):
    """The lines of one graph, and what its comments say."""

    line: int
    metadata: dict[str, str]
    text: str
    text_line: int

    @property
    def id(self) -> str:
        """The first word of the comment ``::id``; empty where there is none."""
        return self.metadata.get("id", "").partition(" ")[0]


def blocks(lines: Iterable[tuple[int, str]]) -> Iterator[Block]:
    """The graphs between blank lines; comments alone are no graph."""
    comments: list[str] = []
    body: list[str] = []
    begin = body_begin = 0
    for number, line in lines:
        if not line or line.isspace():
            if body:
                yield Block(begin, _metadata(comments), "\n".join(body), body_begin)
                body = []
            if comments:
                comments = []
            begin = 0
        elif line[0] == "#" or line.lstrip()[0] == "#":
            begin = begin or number
            comments.append(line)
            if body:
                body.append("")  # keeps the count of lines
        else:
            if not body:
                begin, body_begin = begin or number, number
            body.append(line)
    if body:
        yield Block(begin, _metadata(comments), "\n".join(body), body_begin)


def _metadata(comments: Sequence[str]) -> dict[str, str]:
    """The ``::key value`` pairs; a sentence goes to the end of its line."""
    result: dict[str, str] = {}
    for comment in comments:
        at = comment.find("::")
        while at >= 0:
            key, _, value = comment[at + 2 :].partition(" ")
            following = -1
            if key not in _TO_THE_END:
                following = comment.find(" ::", at + 2)
                if following >= 0:
                    value = comment[at + 3 + len(key) : following]
                    following += 1
            if not result.get(key):  # an empty one says nothing
                result[key] = value.strip()
            at = following
    return result


def parse(block: Block, *, chinese: bool = False, strict: bool = False) -> Penman:
    """The graph of a block, without alignments; `strict` refuses parentheses that do not match."""
    variables, concepts, roles, problem, place, found = read_penman(
        block.text, chinese=chinese, strict=strict
    )
    if not problem or (not strict and problem in _TOLERATED):
        return Penman(variables, concepts, roles, _TOLERATED[problem])
    raise _error(block, _message(problem, found), place)


def _message(problem: str, found: str) -> str:
    match problem:
        case "no graph":
            return "expected '(' to begin"
        case "no variable":
            return "expected a variable after '('"
        case "twice":
            return f"the variable {found!r} is introduced twice"
        case "no concept":
            return "expected a concept after '/'"
        case "unexpected":
            return f"expected a role or ')', found {found[:20]!r}"
        case "no value":
            return f"the role :{found} has no value"
        case "after the end":
            return f"the graph ended before {found[:20]!r}"
        case _:
            return "'(' is never closed; expected ')'"


def _error(block: Block, message: str, place: int) -> UnreadableGraph:
    before = block.text[:place]
    start = before.rfind("\n") + 1
    number, column = block.text_line + before.count("\n"), place - start + 1
    first = max(0, column - 60)
    line = block.text[start:].partition("\n")[0][first : first + 100]
    return UnreadableGraph(
        message,
        code="K124",
        line=number,
        column=column,
        excerpt=f"{number:5} | {line}\n      | {' ' * (column - 1 - first)}^",
    )


def unquoted(text: str) -> str:
    """The content of a quoted string.

    >>> unquoted(r'"a \\"b\\""')
    'a "b"'
    """
    inner = text[1:-1]
    return re.sub(r"(?s)\\(.)", r"\1", inner) if "\\" in inner else inner


def quoted(text: str) -> str:
    """The text in quotes, so that `unquoted` gives it back."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


# -- triples --------------------------------------------------------------------

Top: TypeAlias = Literal["constant", "concept"]
Triple: TypeAlias = tuple[str, str, str]
Variable = TypeVar("Variable", str, int)

_NOT_INVERTED = frozenset(("prep-on-behalf-of", "prep-out-of", "consist-of"))


class Triples(msgspec.Struct):
    """The triples of one graph, in the order of the text."""

    instances: dict[str, str] = {}
    """Variables, in order of introduction, and their concepts."""
    attributes: list[Triple] = []
    """Role, variable, constant."""
    relations: list[Triple] = []
    """Role, source variable, target variable."""

    @property
    def top(self) -> str | None:
        """The first variable."""
        return next(iter(self.instances), None)

    @property
    def size(self) -> int:
        """How many triples there are, repeated ones as often as they are written."""
        return len(self.instances) + len(self.attributes) + len(self.relations)


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
        if each.value in instances:
            result.relations.append(directed(name, source, value, fold=False))
        elif directed(name, source, value, fold=False)[1] == source and name != "mod":
            result.attributes.append((name, source, value))
    return result


def read_like_old_smatch(text: str) -> tuple[Triples, Top]:
    """The triples as Smatch had them before 1.0.2, and what that of the top holds."""
    return listed_like_old_smatch(in_one_line(text)), "concept"


def in_one_line(text: str) -> str:
    """A graph without line ends and comments, as tools give it to their readers."""
    lines = (line.strip() for line in text.split("\n"))
    return " ".join(each for each in lines if not each.startswith("#"))


def listed_like_old_smatch(line: str) -> Triples:
    """Triples by node, as Smatch had them before 1.0.3."""
    instances, written = written_roles(line)
    relations: dict[str, list[Triple]] = {variable: [] for variable in instances}
    later: dict[str, list[Triple]] = {variable: [] for variable in instances}
    attributes: dict[str, list[Triple]] = {variable: [] for variable in instances}
    for each in written:
        turned = each.role.endswith("-of") and (each.new or each.last)
        if each.value not in instances:
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
