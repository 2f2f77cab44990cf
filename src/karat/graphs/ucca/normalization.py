"""Normalisation of UCCA passages before they are compared, as the official evaluation does it.

Different ways to annotate the same are made the same: scenes get a unit of their own,
unary chains are shortened, function words lie flat, punctuation is attached where it stands.
"""

from __future__ import annotations

from collections.abc import Iterable

from karat.graphs.ucca.passages import TERMINAL, Link, Passage, Unit, walk_up, yields

_OUTSIDE_SCENES = frozenset(("H", "U", "L", "G"))
_BETWEEN_SCENES = frozenset(("H", "L", "F", "G", "U", "R", "N", "LR", "LA"))


def normalize_pair(gold: Passage, system: Passage) -> tuple[Passage, Passage]:
    """Both passages normalised, with the function words they share moved out of the way."""
    gold, system = normalize_passage(gold), normalize_passage(system)
    ours, theirs = _functions(gold), _functions(system)
    for words in ours.keys() & theirs.keys():
        for passage, unit in ((gold, ours[words]), (system, theirs[words])):
            primary = unit.primary
            if primary is not None:
                # Where a remote edge from the same parent comes first, the toolkit cuts that.
                passage.cut(next(each for each in primary.parent.children if each.child is unit))
                passage.attach(Link(passage.root, unit, ["F"], False))
    return gold, system


def _functions(passage: Passage) -> dict[int, Unit]:
    words = yields(passage)
    return {
        words[unit.id]: unit
        for unit in passage.inner
        if unit.primary is not None and unit.primary.first == "F"
    }


def normalize_passage(passage: Passage) -> Passage:
    """A copy of the passage in normal form."""
    passage = passage.copy()
    _place_punctuation(passage)
    _visit_all(passage)
    _place_punctuation(passage)
    return passage


# -- punctuation --------------------------------------------------------------------


def _place_punctuation(passage: Passage) -> None:
    for unit in passage.inner:
        if unit.tag == "PNCT" and unit.id in passage.units:
            passage.delete(unit)
    terminals = passage.terminals
    words = [unit for unit in terminals if unit.tag == "Word"]
    following = 0
    for mark in terminals:
        following += mark.tag == "Word"
        if mark.tag != "Punctuation" or mark.parents:
            continue
        # Before the first word the toolkit goes on from the end of the passage.
        left = words[following - 1] if words else None
        right = words[following] if following < len(words) else None
        unit = passage.new_unit("PNCT")
        passage.attach(Link(_place(passage, left, right), unit, ["U"], False))
        passage.attach(Link(unit, mark, [TERMINAL], False))


def _place(passage: Passage, left: Unit | None, right: Unit | None) -> Unit:
    start = left or right
    if start is None:
        return passage.root
    above = set() if right is None else set(walk_up(right))
    for unit in walk_up(start):
        if unit.tag != "FN":
            continue
        if left is not None and right is not None:
            if unit in above:
                return unit
        elif not any(TERMINAL in link.categories for link in unit.children):
            return unit
    return passage.root


# -- units --------------------------------------------------------------------------


def _visit_all(passage: Passage) -> None:
    seen: set[Unit] = set()
    for start in [unit for unit in passage.inner if not unit.parents]:
        if start in seen or start.id not in passage.units:
            continue
        seen.add(start)
        _normalize_unit(passage, start)
        # Each with the number of children that are done, while these children stay.
        path = [(start, -1, 0)]
        on_path = {start}
        while path:
            unit, changes, done = path[-1]
            if changes != unit.changes:
                done = 0
                back = next((link for link in unit.children if link.child in on_path), None)
                if back is not None:
                    passage.cut(back)
                    continue
            step = next(
                (
                    place
                    for place in range(done, len(unit.children))
                    if (child := unit.children[place].child).id[0] == 1 and child not in seen
                ),
                None,
            )
            if step is None:
                path.pop()
                on_path.remove(unit)
                continue
            path[-1] = unit, unit.changes, step + 1
            child = unit.children[step].child
            seen.add(child)
            path.append((child, -1, 0))
            on_path.add(child)
            _normalize_unit(passage, child)


def _normalize_unit(passage: Passage, unit: Unit) -> None:
    if unit.tag != "FN":
        return
    for step in (_separate_scenes, _centres, _functions_flat, _participants, _scenes):
        primary = unit.primary
        upper = primary.parent if primary else None
        step(passage, unit)
        if unit.id not in passage.units:
            if upper is None or upper.id not in passage.units:
                return
            unit = upper


def _separate_scenes(passage: Passage, unit: Unit) -> None:
    if not any(unit.with_category(each) for each in "PSA"):
        return
    scenes = unit.with_category("H")
    moving = [link for link in unit.children if link.first not in _OUTSIDE_SCENES]
    # An H that moves to the new scene makes one there again, without end, where that scene stays.
    ends = any(link.first in _OUTSIDE_SCENES for link in scenes) or _is_flattened(moving)
    if unit.parents and not (scenes and ends):
        return
    scene = passage.new_unit("FN")
    passage.attach(Link(unit, scene, ["H"], False))
    for link in moving:
        _move(passage, link, scene)


def _centres(passage: Passage, unit: Unit) -> None:
    centres = unit.with_category("C")
    if len(centres) != 1:
        return
    primary = unit.primary
    if primary is not None and primary.first == "C" and len(primary.parent.with_category("C")) == 1:
        for link in list(unit.parents):
            if link.remote:
                passage.connect(link.parent, centres[0].child, link.categories, True)
        for link in list(unit.children):
            _move(passage, link, primary.parent)
        passage.delete(unit)
    elif len(unit.children) == 1:
        _replace(passage, unit, centres[0].child, centres[0].remote)


def _functions_flat(passage: Passage, unit: Unit) -> None:
    if not unit.parents:
        return
    for link in unit.with_category("F"):
        child = link.child
        if child.id not in passage.units:
            continue
        if any(TERMINAL not in inner.categories for inner in child.children):
            for inner in list(child.children):
                name = "F" if inner.first == "C" else inner.first
                passage.cut(inner)
                passage.connect(unit, inner.child, [name], inner.remote)
            passage.delete(child)
    if len(unit.children) == 1 and "F" in unit.children[0].categories:
        _replace(passage, unit, unit.children[0].child)


def _participants(passage: Passage, unit: Unit) -> None:
    participants = unit.with_category("A")
    if not participants:
        return
    primary = participants[0].child.primary
    if len(unit.children) == 1 and primary is not None and len(primary.categories) == 1:
        _replace(passage, unit, participants[0].child)
    elif not unit.with_category("P") and not unit.with_category("S"):
        for link in participants:
            if link.child.implicit and link.child.id in passage.units:
                passage.delete(link.child)


def _scenes(passage: Passage, unit: Unit) -> None:
    for link in unit.with_category("H"):
        child = link.child
        if child.id in passage.units and child.children and _is_flattened(child.children):
            for inner in list(child.children):
                _move(passage, inner, unit)
            passage.delete(child)


def _is_flattened(links: Iterable[Link]) -> bool:
    """Whether a scene with these edges alone gives its place to what is below it."""
    return all(_BETWEEN_SCENES & set(link.categories) for link in links)


def _move(passage: Passage, link: Link, parent: Unit) -> None:
    passage.cut(link)
    passage.connect(parent, link.child, link.categories, link.remote)


def _replace(passage: Passage, unit: Unit, only: Unit, remote: bool = False) -> None:
    """Edges to a unit become edges to its only child, and the unit goes.

    Of a centre, all edges are remote where the one to it was.
    """
    for link in list(unit.parents):
        passage.connect(link.parent, only, link.categories, link.remote or remote)
    passage.delete(unit)
