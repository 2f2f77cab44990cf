"""Graphs as statements (source, role, target), and the ways to standardise them.

A term is a variable where some statement gives it a concept (the role `instance`),
else a constant. The steps are those of smatch++ (Opitz 2023), concepts and roles those of the AMR
specification (Banarescu et al. 2019).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from karat.graphs.amr.penman import Penman, Triples, directed, quoted, unquoted

Statement: TypeAlias = tuple[str, str, str]
Style: TypeAlias = Literal["none", "generic", "amr"]

#: role: (concept, argument of the source, argument of the target)
REIFICATIONS: dict[str, tuple[str, str, str]] = {
    "accompanier": ("accompany-01", "arg1", "arg0"),
    "age": ("age-01", "arg1", "arg2"),
    "beneficiary": ("benefit-01", "arg0", "arg1"),
    "concession": ("have-concession-91", "arg1", "arg2"),
    "condition": ("have-condition-91", "arg1", "arg2"),
    "degree": ("have-degree-91", "arg1", "arg2"),
    "destination": ("be-destined-for-91", "arg1", "arg2"),
    "duration": ("last-01", "arg1", "arg2"),
    "example": ("exemplify-01", "arg1", "arg0"),
    "extent": ("have-extent-91", "arg1", "arg2"),
    "frequency": ("have-frequency-91", "arg1", "arg2"),
    "instrument": ("have-instrument-91", "arg1", "arg2"),
    "li": ("have-li-91", "arg1", "arg2"),
    "location": ("be-located-at-91", "arg1", "arg2"),
    "manner": ("have-manner-91", "arg1", "arg2"),
    "mod": ("have-mod-91", "arg1", "arg2"),
    "name": ("have-name-91", "arg1", "arg2"),
    "ord": ("have-ord-91", "arg1", "arg2"),
    "part": ("have-part-91", "arg1", "arg2"),
    "polarity": ("have-polarity-91", "arg1", "arg2"),
    "poss": ("own-01", "arg1", "arg0"),
    "purpose": ("have-purpose-91", "arg1", "arg2"),
    "quant": ("have-quant-91", "arg1", "arg2"),
    "source": ("be-from-91", "arg1", "arg2"),
    "subevent": ("have-subevent-91", "arg1", "arg2"),
    "time": ("be-temporally-at-91", "arg1", "arg2"),
    "topic": ("concern-02", "arg0", "arg1"),
    "value": ("have-value-91", "arg1", "arg2"),
}
#: Concepts that stand for a role besides the one that the role is reified to.
ALSO_REIFIED: dict[str, str] = {"have-03": "poss"}

ROOT = "ROOT_OF_GRAPH"
_VARIABLE_MARK = "\N{ZERO WIDTH SPACE}"
_QUOTES = "\"'"
_HIDDEN = {"(": "\ue000", ")": "\ue001"}
_OF = "-of"


class Statements(NamedTuple):
    """All statements of a graph, its variables, and its id where it has one."""

    all: list[Statement]
    variables: frozenset[str]
    id: str = ""


# -- reading --------------------------------------------------------------------


def statements_of(penman: Penman) -> Statements:
    """The statements of a graph; constants keep their quotes and are never variables."""
    names = penman.variables
    found: list[Statement] = [(ROOT, "root", names[0])] if names else []
    found += [(v, "instance", c or "") for v, c in zip(names, penman.concepts, strict=True)]
    for source, role, value, kind, _ in penman.roles:
        written = quoted(value) if kind == "string" else value
        found.append((names[source], _no_root(role), written))
    return Statements(found, frozenset(names))


def read_plainly(text: str) -> Statements:
    """The statements that smatch++ reads, up to where it gives up in a damaged text.

    It takes words between blanks and brackets for what they look like. A word at the very end,
    where a bracket is missing, is lost with it.
    """
    lines = [line for line in text.split("\n") if not line.startswith("# ::")]
    words = _brackets_in_quotes("\n".join(lines)).replace(")", " )").replace("(", "( ").split()
    found: list[Statement] = []
    source, role = {0: ROOT}, {0: "root"}
    depth = at = 0
    try:
        while at < len(words):
            word = words[at]
            if word in ("(", ")"):
                depth += 1 if word == "(" else -1
            elif word[0] == ":":
                role[depth] = word[1:]
            elif words[at + 1] == "/":
                concept, end = words[at + 2], at + 2
                if word[0] not in _QUOTES and concept[0] in _QUOTES:
                    concept, end = _quoted_from(words, end)
                source[depth] = word
                found.append((word, "instance", concept))
                found.insert(-1, (source[depth - 1], role[depth - 1], word))
                at = end
            elif word[0] in _QUOTES:
                value, at = _quoted_from(words, at)
                found.append((source[depth], role[depth], value))
            else:
                level, before = depth, at - 1
                while words[before] == "(":
                    level, before = level - 1, before - 1
                found.append((source[level], role[level], word))
            at += 1
    except (KeyError, IndexError):
        pass
    root = next((i for i, each in enumerate(found) if each[1] == "root"), -1)
    told = [
        (_brackets_back(s), name if i == root else _no_root(name), _brackets_back(t))
        for i, (s, name, t) in enumerate(found)
    ]
    return Statements(told, variables_of(told))


def _brackets_in_quotes(text: str) -> str:
    """The text with other signs for brackets in quotes; the last quote of a kind opens none."""
    left = Counter(text)
    inside = dict.fromkeys(_QUOTES, False)
    signs = []
    for sign in text:
        if sign in _QUOTES:
            is_last = left[sign] == 1
            left[sign] -= 1
            if inside['"']:
                inside['"'] = sign == "'"
            elif not is_last:
                inside[sign] = not inside[sign]
        signs.append(_HIDDEN.get(sign, sign) if any(inside.values()) else sign)
    return "".join(signs)


def _brackets_back(word: str) -> str:
    for sign, hidden in _HIDDEN.items():
        word = word.replace(hidden, sign)
    return word


def _quoted_from(words: Sequence[str], start: int) -> tuple[str, int]:
    """What a quotation mark opens, up to the next word that ends in one; and where that is."""
    word = words[start]
    mark = word[0]
    if len(word) > 1 and word[-1] == mark:
        return word, start
    if word == mark and words[start + 1] == ")":
        return word, start
    for end in range(start + 1, len(words)):
        if words[end][-1] == mark:
            return " ".join(words[start : end + 1]), end
    return word, start


def triples_of_statements(graph: Statements) -> tuple[Triples, bool]:
    """The same as Smatch counts it, the top first; and whether there is one."""
    concept = concepts_of(graph)
    tops = [each for each in graph.all if each[1] == "root"]
    top = next((end for s, _, t in tops for end in (t, s) if end in concept), None)
    order = dict.fromkeys((*([] if top is None else [top]), *concept))
    result = Triples({variable: unquoted_word(concept[variable]) for variable in order})
    for source, role, target in graph.all:
        if role in ("instance", "root"):
            continue
        if source in concept and target in concept:
            result.relations.append(directed(role, source, target))
        elif source in concept:
            result.attributes.append((role, source, unquoted_word(target)))
        elif target in concept:
            result.attributes.append((f"{role}-of", target, unquoted_word(source)))
    return result, top is not None


def unquoted_word(word: str) -> str:
    """A word without the quotes around it, if it has any."""
    return unquoted(word) if len(word) > 1 and word[0] == word[-1] == '"' else word


def _no_root(role: str) -> str:
    """An explicit role `root` must not be taken for the root of the graph."""
    return "root-role" if role.lower() == "root" else role


def variables_of(statements: Iterable[Statement]) -> frozenset[str]:
    """The terms that have a concept."""
    return frozenset(source for source, role, _ in statements if role == "instance")


# -- standardising --------------------------------------------------------------


def standardized(graph: Statements, style: Style, as_tool: bool = False) -> Statements:
    """The graph in a form in which different ways to say the same agree.

    `as_tool` lower-cases variables, and takes a quoted constant that is spelt like a
    variable for it, as smatch++ does.
    """
    if style == "none":
        return graph
    found, variables = graph.all, graph.variables
    if as_tool:
        found = [(_plain(s), _plain(role), _plain(t)) for s, role, t in found]
        variables = variables_of(found)
    found, variables = _told_apart(found, variables)
    if style == "amr":
        found = [_domain_as_mod(each) for each in found]
    found = [_turned(each) for each in found]
    if style == "amr":
        concept = {source: target for source, role, target in found if role == "instance"}
        found = [
            (target, "root", concept.get(target, target)) if role == "root" else (s, role, target)
            for s, role, target in found
        ]
        found = list(dict.fromkeys(dereified(Statements(found, variables), as_tool).all))
    return graph._replace(all=found, variables=variables_of(found))


def _plain(word: str) -> str:
    return word.lower().replace('"', "").replace("'", "")


def _told_apart(
    statements: Iterable[Statement], variables: frozenset[str]
) -> tuple[list[Statement], frozenset[str]]:
    """Constants without case and quotes; variables that are spelt like one get another name."""
    constants = {
        _plain(target)
        for _, role, target in statements
        if role == "instance" or target not in variables
    }
    name = {each: each + _VARIABLE_MARK if each in constants else each for each in variables}
    name[ROOT] = ROOT
    return [
        (
            name.get(source) or _plain(source),
            role.lower(),
            _plain(target) if role == "instance" else name.get(target) or _plain(target),
        )
        for source, role, target in statements
    ], frozenset(name[each] for each in variables)


def shown_variable(name: str) -> str:
    """The name of a variable as it is written."""
    return name.rstrip(_VARIABLE_MARK)


def _domain_as_mod(statement: Statement) -> Statement:
    source, role, target = statement
    return source, {"domain": "mod-of", "domain-of": "mod"}.get(role, role), target


def _turned(statement: Statement) -> Statement:
    source, role, target = statement
    times = 0
    while role.endswith(_OF):
        role, times = role[: -len(_OF)], times + 1
    return (target, role, source) if times % 2 else (source, role, target)


@cache
def edges_of_concepts(as_tool: bool = False) -> Mapping[str, tuple[str, str, str]]:
    """Concepts that stand for a role: the role, and the roles of their two ends.

    `as_tool` leaves out those that smatch++ does not know.
    """
    known = {concept: (role, x, y) for role, (concept, x, y) in REIFICATIONS.items()}
    if not as_tool:
        known |= {each: (role, *REIFICATIONS[role][1:]) for each, role in ALSO_REIFIED.items()}
    return known


def dereified(graph: Statements, as_tool: bool = False) -> Statements:
    """Nodes that stand for a role become edges, where nothing else is said of them."""
    table = edges_of_concepts(as_tool)
    outgoing: dict[str, list[Statement]] = {}
    entered: set[str] = set()
    rooted: set[str] = set()
    concept: dict[str, str] = {}
    for statement in graph.all:
        source, role, target = statement
        if role == "instance":
            concept[source] = target
        elif role == "root":
            rooted |= {source, target}
        else:
            outgoing.setdefault(source, []).append(statement)
            entered.add(target)
    dropped: set[Statement] = set()
    added: list[Statement] = []
    for node, name in concept.items():
        if name not in table or node in entered or node in rooted:
            continue
        role, first, second = table[name]
        edges = outgoing.get(node, [])
        if sorted(edge[1] for edge in edges) != sorted((first, second)):
            continue
        ends = {edge[1]: edge[2] for edge in edges}
        dropped |= {*edges, (node, "instance", name)}
        added.append((ends[first], role, ends[second]))
    kept = [each for each in graph.all if each not in dropped]
    return graph._replace(all=kept + added)


def reified(graph: Statements) -> Statements:
    """Edges whose role has a concept of its own become nodes."""
    found: list[Statement] = []
    names = {*graph.variables, *(term for s, _, t in graph.all for term in (s, t))}
    nodes = set(graph.variables)
    for source, role, target in graph.all:
        known = REIFICATIONS.get(role)
        if known is None:
            found.append((source, role, target))
            continue
        concept, first, second = known
        number = len(names)
        while f"z{number}" in names:
            number += 1
        node = f"z{number}"
        names.add(node)
        nodes.add(node)
        found += [(node, "instance", concept), (node, first, source), (node, second, target)]
    return graph._replace(all=found, variables=frozenset(nodes))


def compressed(gold: Statements, system: Statements) -> tuple[Statements, Statements]:
    """Both graphs with variables replaced by concepts that occur once at most in each.

    A concept that is the whole of a graph stays, so all do beside an empty graph.
    """
    times = [Counter(concepts_of(each).values()) for each in (gold, system)]
    single = {
        concept
        for concept in times[0] | times[1]
        if all(
            found[concept] < 2 and found[concept] != len(graph.all)
            for found, graph in zip(times, (gold, system), strict=True)
        )
    }
    return _compressed(gold, single), _compressed(system, single)


def concepts_of(graph: Statements) -> dict[str, str]:
    """The concept of each variable."""
    return {source: target for source, role, target in graph.all if role == "instance"}


def _compressed(graph: Statements, single: set[str]) -> Statements:
    name = {source: each for source, each in concepts_of(graph).items() if each in single}
    found = [
        # A concept may be spelt like a variable.
        (name.get(source, source), role, target if role == "instance" else name.get(target, target))
        for source, role, target in graph.all
        if not (role == "instance" and source in name)
    ]
    return Statements(found, graph.variables - name.keys())
