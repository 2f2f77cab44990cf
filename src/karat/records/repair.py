"""What to change in a JSON document, leaf by leaf, and documents so changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from unicodedata import normalize

import msgspec

from karat.core.repairs import Changes, Edit, confusion, unclassed
from karat.records.batch import Event, Leaf
from karat.records.model import Document, Number, Reader, rendered
from karat.records.settings import Step, split_pointer

PARTITIONS = ("path", "type")
Steps: TypeAlias = tuple[str, ...]


class Cell:
    """A value of a document that is being changed."""

    __slots__ = ("content",)

    def __init__(self, content: Any) -> None:
        self.content: Any = content
        """An object or a list of cells, or the value of a leaf."""

    @classmethod
    def of(cls, value: Any) -> Cell:
        """A decoded value, and all that is in it, as cells; keys in NFC, as they are compared."""
        if isinstance(value, dict):
            return cls({normalize("NFC", key): cls.of(each) for key, each in value.items()})
        return cls([cls.of(each) for each in value] if isinstance(value, list) else value)

    def value(self) -> Any:
        if isinstance(self.content, dict):
            return {key: each.value() for key, each in self.content.items()}
        if isinstance(self.content, list):
            return [each.value() for each in self.content]
        return self.content

    def is_empty(self) -> bool:
        """Whether it holds nothing but null, empty lists and empty objects."""
        if isinstance(self.content, (dict, list)):
            return all(each.is_empty() for each in self.cells())
        return self.content is None

    def cells(self) -> list[Cell]:
        """What an object or a list holds."""
        if isinstance(self.content, dict):
            return list(self.content.values())
        return self.content if isinstance(self.content, list) else []


class Change(msgspec.Struct):
    """A leaf that is missing, surplus or changed; neither leaf: the whole document."""

    kind: str
    gold: Leaf | None = None
    system: Leaf | None = None
    changes: Changes = ()


def changes_of(events: Sequence[Event]) -> list[Change]:
    """The leaves to change, from those that are not the same in an alignment of two documents."""
    result = []
    for gold, system, similarity, optional in events:
        theirs = None if optional else gold  # it need not have been there
        if system is not None and optional:
            surplus = system.weight * (1 - similarity)
            if surplus:
                result.append(Change("surplus", None, system, (("system", -surplus),)))
            continue
        weights = [0.0 if leaf is None else leaf.weight for leaf in (theirs, system)]
        if theirs is not None and system is not None:
            if similarity == 1 or not any(weights):
                continue
            kind, matched = "changed", weights[0] * (1 - similarity)
        elif not any(weights):
            continue
        else:
            kind, matched = ("missing", weights[0]) if theirs is not None else ("surplus", 0.0)
        changes = (("matched", matched), ("system", weights[0] - weights[1]))
        result.append(Change(kind, theirs, system, tuple(each for each in changes if each[1])))
    return sorted(result, key=_place)


def _place(change: Change) -> tuple[str, str]:
    return tuple("" if leaf is None else leaf.pointer for leaf in (change.gold, change.system))  # type: ignore[return-value]


@dataclass(eq=False)
class DocumentRepair:
    """The edits of a document; `text` is what was read of it, as JSON."""

    item: Any
    text: bytes
    gold: bytes
    events: Callable[[], Sequence[Event]]
    """All leaves of both documents, as they are aligned."""
    changes: list[Change]
    drop: bool
    """Whether what is empty is nothing, so that positions in lists go without it."""
    by_index: Callable[[Sequence[Step]], bool]
    """Whether the list at a path is compared position by position."""

    def edits(self, partition: str) -> list[Edit]:
        result = []
        for each in self.changes:
            if each.kind == "rewrite":
                ours, theirs = (text.decode("utf-8", "replace") for text in (self.text, self.gold))
                group = "rewrite" if partition == "kind" else unclassed("rewrite")
                result.append(Edit("rewrite", group, each.changes, ours, theirs, 1))
                continue
            ours, theirs = (_told(leaf) for leaf in (each.system, each.gold))
            single = (each.system is not None) + (each.gold is not None)
            result.append(
                Edit(each.kind, _class(each, partition), each.changes, ours, theirs, single)
            )
        return result

    def apply(self, chosen: Collection[int]) -> Any:
        """The document after the edits with these numbers."""
        made = [self.changes[number] for number in sorted(chosen)]
        if not made:
            return self.item
        if any(each.kind == "rewrite" for each in made):
            text = self.gold
        else:
            editing = Editing(
                Cell.of(Reader()(self.text)), self.events(), self.by_index, drop=self.drop
            )
            for each in made:
                if each.kind == "surplus" and each.system is not None:
                    editing.delete(split_pointer(each.system.pointer))
            for each in made:
                if each.gold is not None:
                    editing.set(each.gold, each.system)
            text = rendered(editing.root.value()).encode("utf-8", "surrogatepass")
        if isinstance(self.item, Document):
            return msgspec.structs.replace(self.item, text=text)
        return text


def written_leaves(
    leaves: Sequence[Leaf], gold: bytes, by_index: Callable[[Sequence[Step]], bool]
) -> bytes:
    """A document with the leaves that were chosen in gold, and nothing else."""
    root: Any = [] if gold.lstrip().startswith(b"[") else {}
    editing = Editing(Cell(root), (), by_index, drop=False)
    for leaf in leaves:
        editing.set(leaf, None)
    return rendered(editing.root.value()).encode("utf-8", "surrogatepass")


class Editing:
    """A document that is being changed. Places of gold are known by what is aligned with them."""

    def __init__(
        self,
        root: Cell,
        events: Sequence[Event],
        by_index: Callable[[Sequence[Step]], bool],
        *,
        drop: bool,
    ) -> None:
        self.root = root
        self.by_index = by_index
        self.dead: set[int] = set()
        """Cells of lists by position that were taken away, and hold the places of others."""
        self.drop = drop
        self.at: dict[Steps, Cell] = {(): root}
        """The cell for each place of gold that the document has, too."""
        self.leaf: dict[Steps, Cell] = {}
        """The leaves of the document, by where they were."""
        self.above: dict[int, Cell] = {}
        self._kept: list[Cell] = []  # cells are known by their addresses, which must not be reused
        self.indexed: set[int] = set()
        """The lists that are compared position by position."""
        self._index(root)
        for gold, system, _, _ in events:
            if system is not None:
                steps = split_pointer(system.pointer)
                cells = self._path(steps)
                self.leaf[steps] = cells[-1]
                if gold is not None:
                    theirs = split_pointer(gold.pointer)
                    if len(theirs) == len(steps):
                        for size, cell in enumerate(cells):
                            self.at.setdefault(theirs[:size], cell)

    def _index(self, root: Cell) -> None:
        waiting: list[tuple[Cell, tuple[Step, ...]]] = [(root, ())]
        while waiting:
            cell, path = waiting.pop()
            self._kept.append(cell)
            if isinstance(cell.content, list) and self.by_index(path):
                self.indexed.add(id(cell))
            names = cell.content if isinstance(cell.content, dict) else [None] * len(cell.cells())
            for name, each in zip(names, cell.cells(), strict=True):
                self.above[id(each)] = cell
                waiting.append((each, (*path, name)))

    def _path(self, steps: Steps) -> list[Cell]:
        """The cells on the way to a place of the document as it was read."""
        found = [self.root]
        for step in steps:
            content = found[-1].content
            if isinstance(content, dict):
                found.append(content[step])
                continue
            if self.drop and id(found[-1]) not in self.indexed:
                content = [each for each in content if not each.is_empty()]
            found.append(content[int(step)])
        return found

    def delete(self, steps: Steps) -> None:
        """Takes a leaf away, and what held nothing else."""
        cell = self.leaf[steps]
        while cell is not self.root:
            holder = self.above[id(cell)]
            if id(holder) in self.indexed:
                cell.content = None
                self.dead.add(id(cell))
                while holder.content and id(holder.content[-1]) in self.dead:
                    holder.content.pop()
            elif isinstance(holder.content, dict):
                holder.content = {k: v for k, v in holder.content.items() if v is not cell}
            else:
                holder.content = [each for each in holder.content if each is not cell]
            if holder.content:
                return
            cell = holder
        if not isinstance(cell.content, (dict, list)):
            cell.content = None

    def set(self, gold: Leaf, system: Leaf | None) -> None:
        """Puts a leaf of gold in the place of the system's, or where it is missing."""
        if system is not None:
            self.leaf[split_pointer(system.pointer)].content = _content(gold)
            return
        steps, names = split_pointer(gold.pointer), split_pointer(gold.path)
        cell = self.root
        path: list[Step] = []
        for size, (step, name) in enumerate(zip(steps, names, strict=True), 1):
            if name == "*" and step != "*":
                below = self._element(cell, steps[:size], path)
                path.append(None)
            else:
                below = self._member(cell, step)
                path.append(step)
            self.above[id(below)] = cell
            self.at[steps[:size]] = cell = below
        cell.content = _content(gold)

    def _member(self, holder: Cell, key: str) -> Cell:
        """What an object has under a key, which may have to be put there."""
        if not isinstance(holder.content, dict):
            holder.content = {}
        members: dict[str, Cell] = holder.content
        if key not in members:
            members[key] = self._new()
        return members[key]

    def _element(self, holder: Cell, steps: Steps, path: Sequence[Step]) -> Cell:
        """The element of a list for one of gold, which may have to be put there."""
        found = self.at.get(steps)
        if not isinstance(holder.content, list):
            holder.content, found = [], None
        elements: list[Cell] = holder.content
        number = int(steps[-1])
        if self.by_index(path):
            self.indexed.add(id(holder))
            while len(elements) <= number:
                elements.append(self._new())
            self.dead.discard(id(elements[number]))
            return elements[number]
        if found is None or not any(each is found for each in elements):
            # What was taken away with its last leaf comes back in its place.
            found = self._new() if found is None else found
            elements.insert(self._position(elements, steps[:-1], number), found)
        return found

    def _new(self) -> Cell:
        self._kept.append(Cell(None))
        return self._kept[-1]

    def _position(self, elements: Sequence[Cell], above: Steps, number: int) -> int:
        """Where an element of gold goes: after the one before it there, or before the next."""
        place = {id(each): i for i, each in enumerate(elements)}
        known = {
            int(steps[-1]): place[id(cell)]
            for steps, cell in self.at.items()
            if len(steps) == len(above) + 1 and steps[:-1] == above and id(cell) in place
        }
        before = [each for each in known if each < number]
        if before:
            return known[max(before)] + 1
        after = [each for each in known if each > number]
        return known[min(after)] if after else len(elements)


def _content(leaf: Leaf) -> Any:
    if leaf.type == "number" and isinstance(leaf.value, str):
        return Number(leaf.value)
    return type(leaf.value)() if leaf.type in ("array", "object") else leaf.value


def _told(leaf: Leaf | None) -> str:
    if leaf is None:
        return ""
    return f"{leaf.pointer or '/'} {json.dumps(leaf.value, ensure_ascii=False)}"


def _class(change: Change, partition: str) -> str:
    if partition == "kind":
        return change.kind
    leaf = change.gold or change.system
    assert leaf is not None
    if partition == "path":
        return f"{change.kind} {leaf.path or '/'}"
    ours, theirs = (None if each is None else each.type for each in (change.system, change.gold))
    return f"{theirs} {change.kind}" if ours == theirs else confusion(ours, theirs)
