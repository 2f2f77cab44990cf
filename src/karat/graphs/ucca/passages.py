"""UCCA passages: terminals, units and edges with categories, which can be changed.

The official evaluation works on passages rather than graphs: it needs punctuation,
implicit units, linkage and edges of several categories.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from karat.core.assigning import gathered
from karat.graphs.errors import MOST_DIGITS, UnreadableGraph, parse_xml
from karat.graphs.matching.tuples import bits

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

UnitId: TypeAlias = tuple[int, int]
TERMINAL = "Terminal"
_COORDINATED = "Coordinated_Main_Rel."


@dataclass(slots=True, eq=False)
class Link:
    """An edge: its categories in order, and whether it is remote."""

    parent: Unit
    child: Unit
    categories: list[str]
    remote: bool

    @property
    def first(self) -> str:
        """The first category."""
        return self.categories[0] if self.categories else ""


@dataclass(slots=True, eq=False)
class Unit:
    """A terminal or a unit; edges are in the order of the ids at their other ends."""

    id: UnitId
    tag: str
    text: str = ""
    implicit: bool = False
    speech: str = ""
    children: list[Link] = field(default_factory=list, repr=False)
    parents: list[Link] = field(default_factory=list, repr=False)
    changes: int = 0
    """How often an edge to a child was made or cut."""

    @property
    def primary(self) -> Link | None:
        """The edge from the primary parent."""
        for link in self.parents:
            if not link.remote and link.parent.tag == "FN":
                return link
        return None

    def with_category(self, category: str) -> list[Link]:
        """The edges to children that have a category."""
        return [link for link in self.children if category in link.categories]


class Passage:
    """All units by id."""

    def __init__(self, id: str, units: dict[UnitId, Unit]) -> None:
        self.id = id
        self.units = units
        self._outside = sum(key[0] != 1 for key in units)
        self.notes: list[str] = []
        """Remarks of the reader."""

    @property
    def terminals(self) -> list[Unit]:
        """Words and punctuation in order."""
        return [self.units[key] for key in sorted(self.units) if key[0] == 0]

    @property
    def inner(self) -> list[Unit]:
        """The units of layer 1 in order."""
        return [self.units[key] for key in sorted(self.units) if key[0] == 1]

    @property
    def root(self) -> Unit:
        """The first unit without parents: 1.1, unless a change took it away."""
        usual = self.units.get((1, 1))
        if usual is not None and not usual.parents and (1, 0) not in self.units:
            return usual
        inner = self.inner
        return next((unit for unit in inner if not unit.parents), None) or (
            inner[0] if inner else self.new_unit("FN")
        )

    def checked(self) -> Passage:
        """The passage itself, if it has a root, without which it cannot be evaluated."""
        if (1, 1) not in self.units:
            raise UnreadableGraph("the passage has no unit 1.1, its root", code="K129")
        return self

    # -- change -----------------------------------------------------------------

    def new_unit(self, tag: str) -> Unit:
        number = len(self.units) - self._outside + 1
        while (1, number) in self.units:
            number += 1
        unit = self.units[(1, number)] = Unit((1, number), tag)
        return unit

    def connect(self, parent: Unit, child: Unit, categories: list[str], remote: bool) -> None:
        """A new edge, unless it closes a cycle."""
        if parent is child or child in walk_up(parent):
            return
        self.attach(Link(parent, child, list(categories), remote))

    @staticmethod
    def attach(link: Link) -> None:
        insort(link.parent.children, link, key=lambda each: each.child.id)
        insort(link.child.parents, link, key=lambda each: each.parent.id)
        link.parent.changes += 1

    @staticmethod
    def cut(link: Link) -> None:
        link.parent.children.remove(link)
        link.parent.changes += 1
        link.child.parents.remove(link)

    def delete(self, unit: Unit) -> None:
        """Takes a unit away, and the units above it that are left with nothing."""
        while True:
            primary = unit.primary
            for link in dict.fromkeys((*unit.children, *unit.parents)):  # one may lead to itself
                self.cut(link)
            self.units.pop(unit.id, None)
            upper = primary.parent if primary else None
            if upper is None or upper.children or upper.implicit or not upper.parents:
                return
            unit = upper

    def emptied(self) -> Passage:
        """The terminals under a bare root: held against gold where a system gave nothing."""
        kept = {
            unit.id: Unit(unit.id, unit.tag, unit.text, speech=unit.speech)
            for unit in self.terminals
        }
        return Passage(self.id, kept | {(1, 1): Unit((1, 1), "FN")})

    def copy(self) -> Passage:
        made, parts = self.__reduce__()
        return made(*parts)

    def __reduce__(self) -> tuple[Callable[..., Passage], tuple[Any, ...]]:
        """Flat, since units and edges that refer to each other nest without end."""
        units = [
            (unit.id, unit.tag, unit.text, unit.implicit, unit.speech)
            for unit in self.units.values()
        ]
        links = [
            (unit.id, link.child.id, list(link.categories), link.remote)
            for unit in self.units.values()
            for link in unit.children
        ]
        return _made, (self.id, units, links)


def _made(
    id: str,
    units: Iterable[tuple[UnitId, str, str, bool, str]],
    links: Iterable[tuple[UnitId, UnitId, list[str], bool]],
) -> Passage:
    known = {each[0]: Unit(*each) for each in units}
    for source, target, categories, remote in links:
        _join(Link(known[source], known[target], list(categories), remote))
    _sort(known)
    return Passage(id, known)


def _join(link: Link) -> None:
    link.parent.children.append(link)
    link.child.parents.append(link)


def _sort(units: dict[UnitId, Unit]) -> None:
    """Puts edges in order once all are there."""
    for unit in units.values():
        unit.children.sort(key=lambda each: each.child.id)
        unit.parents.sort(key=lambda each: each.parent.id)


def below(unit: Unit, follow: Callable[[Link], bool] | None = None) -> set[Unit]:
    """The unit and all below it over the edges that are followed."""
    seen = {unit}
    waiting = [unit]
    while waiting:
        for link in waiting.pop().children:
            if link.child not in seen and (follow is None or follow(link)):
                seen.add(link.child)
                waiting.append(link.child)
    return seen


def yields(passage: Passage) -> dict[UnitId, int]:
    """The words below each unit over edges that are not remote, without punctuation.

    They are bits, by the places of the words among all terminals.
    """
    return _covered(passage, frozenset(("PNCT", "Punctuation")))


def positions(passage: Passage) -> dict[UnitId, int]:
    """The words and the punctuation below each unit over edges that are not remote."""
    return _covered(passage, frozenset())


def _covered(passage: Passage, left_out: frozenset[str]) -> dict[UnitId, int]:
    """The terminals below each unit, without units of some types."""
    units = list(passage.units.values())
    place = {unit: i for i, unit in enumerate(units)}
    children = [
        []
        if unit.tag in left_out
        else [
            place[link.child]
            for link in unit.children
            if not link.remote and link.child.tag not in left_out
        ]
        for unit in units
    ]
    own = [0] * len(units)
    for i, terminal in enumerate(passage.terminals):
        own[place[terminal]] = 0 if terminal.tag in left_out else 1 << i
    found = gathered(children, own)
    return {unit.id: found[i] for i, unit in enumerate(units) if unit.id[0] == 1}


class Brackets(NamedTuple):
    """A passage as its units are usually printed."""

    text: str
    labels: list[tuple[list[int], str, int]]
    """Of each unit the words that it covers, without punctuation, its categories, and where these
    stand."""


def bracketed(passage: Passage) -> Brackets:
    """A passage as its units are usually printed; what a remote edge leads to has a star.

    >>> dog, barks = Unit((0, 1), "Word", "Dogs"), Unit((0, 2), "Word", "bark")
    >>> root, scene = Unit((1, 1), "FN"), Unit((1, 2), "FN")
    >>> passage = Passage("1", {unit.id: unit for unit in (dog, barks, root, scene)})
    >>> passage.connect(root, scene, ["H"], False)
    >>> passage.connect(scene, dog, ["A"], False)
    >>> passage.connect(scene, barks, ["P"], True)
    >>> bracketed(passage).text
    '[H [A Dogs] [P* bark]]'
    >>> bracketed(passage).labels
    [([1], 'H', 1), ([1], 'A', 4)]
    """
    parts: list[str] = []
    labels: list[tuple[list[int], str, int]] = []
    numbers = [terminal.id[1] for terminal in passage.terminals]
    size = 0  # of the parts, with a blank behind each
    covered = yields(passage)
    seen: set[UnitId] = set()
    waiting: list[Link | str] = list(reversed(passage.root.children))
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            parts[-1] += each
            size += len(each)
            continue
        unit, categories = each.child, "|".join(each.categories)
        words = unit.text if unit.id[0] == 0 else "IMPLICIT" if unit.implicit else ""
        if each.remote or unit.id in seen:  # whose words stand elsewhere
            found = sorted(each.id for each in below(unit, lambda link: not link.remote))
            words = " ".join(passage.units[id].text for id in found if id[0] == 0)
            part = f"[{categories}{'*' * each.remote} {words}]"
        elif categories == TERMINAL:
            part = words
        else:
            part = f"[{categories}" + f" {words}" * bool(words)
            below_it = [numbers[i] for i in bits(covered[unit.id])] if unit.id[0] else [unit.id[1]]
            labels.append((below_it, categories, size + 1))
            waiting.append("]")
            waiting.extend(reversed(unit.children))
        seen.add(unit.id)
        parts.append(part)
        size += len(part) + 1
    return Brackets(" ".join(parts), labels)


# -- reading ----------------------------------------------------------------------


def parse_passage(data: bytes) -> Passage:
    """The passage of an XML document; entities and document types are refused."""
    root, line_of = parse_xml(data)
    return read_passage(root, line_of).checked()


def read_passage(root: Element, line_of: Callable[[Element], int]) -> Passage:
    """The passage below the root of a document, the first unit of which may be missing."""
    name = root.get("passageID", "")
    units: dict[UnitId, Unit] = {}
    nodes: list[tuple[Unit, Element]] = []
    for node in root.iter("node"):
        key = _unit_id(node, "ID", line_of)
        if key in units:
            raise UnreadableGraph(
                f"the unit {_shown(key)} is there twice", code="K129", line=line_of(node)
            )
        attributes, extra = _attributes(node), node.find("extra")
        units[key] = unit = Unit(
            key,
            node.get("type", ""),
            attributes.get("text", ""),
            _is_true(attributes, "implicit"),
            "" if extra is None else extra.get("pos", ""),
        )
        nodes.append((unit, node))
    coordinated = False
    for unit, node in nodes:
        for edge in node.findall("edge"):
            target = _unit_id(edge, "toID", line_of)
            if target not in units:
                raise UnreadableGraph(
                    f"the unit {_shown(unit.id)} has an edge to {_shown(target)}, which is not "
                    "there",
                    code="K123",
                    line=line_of(edge),
                )
            # In older files, the category is the type of the edge.
            tags = [each.get("tag", "") for each in edge.findall("category")]
            attributes = _attributes(edge)
            coordinated |= _is_true(attributes, _COORDINATED)
            remote = _is_true(attributes, "remote")
            _join(Link(unit, units[target], tags or list(filter(None, [edge.get("type")])), remote))
    _sort(units)
    passage = Passage(name, units)
    if coordinated:
        passage.notes.append(
            f"passage {name!r} has a coordinated main relation, which the authors' "
            "normalisation splits into scenes and karat scores as it is"
        )
    return passage


def _attributes(element: Element) -> Mapping[str, str]:
    found = element.find("attributes")
    return {} if found is None else found.attrib


def _is_true(attributes: Mapping[str, str], name: str) -> bool:
    return attributes.get(name, "").lower() == "true"


def _unit_id(element: Element, name: str, line_of: Callable[[Element], int]) -> UnitId:
    text = element.get(name, "")
    layer, _, number = text.partition(".")
    if not (layer.isdecimal() and number.isdecimal() and len(text) <= MOST_DIGITS):
        raise UnreadableGraph(
            f"{text[:40]!r} is not the id of a unit; expected something like 1.7",
            code="K129",
            line=line_of(element),
        )
    return int(layer), int(number)


def _shown(key: UnitId) -> str:
    return f"{key[0]}.{key[1]}"


def walk_up(unit: Unit) -> Iterator[Unit]:
    """The units above a unit, breadth first over all edges, each once."""
    seen = {unit}
    waiting = [unit]
    for each in waiting:
        if each is not unit:
            yield each
        for link in each.parents:
            if link.parent not in seen:
                seen.add(link.parent)
                waiting.append(link.parent)
