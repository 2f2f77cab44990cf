"""What the grids of text metrics share: texts as kernels take them, and slips in handling files."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from karat.core.reading.strings import Referenced
from karat.core.tracing import Changes, Pairs
from karat.text.model import Text, joined

_FURTHER = (2, 3, 4)
"""References besides the first and the last that are tried alone."""
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]")


class Texts:
    """Pairs as kernels take them, made once for all passes."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Pairs, Referenced]] = {}

    def of(self, pairs: Pairs) -> Referenced:
        """Pairs of a text and its references, sentences joined."""
        # The pairs are kept, so that no others can have their identity.
        if id(pairs) not in self._made:
            known = set(map(type, (text for system, gold in pairs for text in (system, *gold))))
            whole: Pairs = pairs
            if known != {str}:  # few have texts in parts
                whole = [(joined(text), list(map(joined, golds))) for text, golds in pairs]
            self._made[id(pairs)] = pairs, Referenced.of(whole)
        return self._made[id(pairs)][1]


def has_cjk(pairs: Pairs) -> bool:
    """Whether there is a Chinese, Japanese or Korean character in gold."""
    return any(_CJK.search(joined(each)) for _, gold in pairs for each in gold)


def line_slips() -> dict[str, Changes]:
    """The slips of texts that are compared with one other text."""
    return {
        "cut=512": _on_systems(partial(_cut, 512), lambda text: len(text) > 512),
        "cut=1024": _on_systems(partial(_cut, 1024), lambda text: len(text) > 1024),
        "first-line": _on_systems(_first_line, lambda text: "\n" in text),
    }


def text_slips() -> dict[str, Changes]:
    """The slips of texts with references."""
    return {
        "swapped": swapped_texts,
        **line_slips(),
        "first-reference": _one_reference(0),
        "last-reference": _one_reference(-1),
        **{f"reference={number}": _one_reference(number - 1) for number in _FURTHER},
    }


def _on_systems(change: Callable[[Text], Text], is_changed: Callable[[str], bool]) -> Changes:
    """The pairs with outputs changed; `is_changed` says which strings are."""

    def changed(pairs: Pairs) -> Pairs | None:
        systems = [system for system, _ in pairs]
        if set(map(type, systems)) == {str} and not any(map(is_changed, systems)):
            return None
        found = [change(system) for system in systems]
        # Most texts stay the same object, which a comparison of lists sees at once.
        if found == systems or list(map(joined, found)) == list(map(joined, systems)):
            return None
        return [(system, gold) for system, (_, gold) in zip(found, pairs, strict=True)]

    return changed


def _cut(size: int, text: Text) -> Text:
    return joined(text)[:size]


def _first_line(text: Text) -> Text:
    if not isinstance(text, str):
        return text[:1]
    return text.partition("\n")[0]


def _one_reference(place: int) -> Changes:
    def changed(pairs: Pairs) -> Pairs | None:
        sizes = [len(gold) for _, gold in pairs]
        # Where none comes after it, it is the only one, or the last one.
        if max(sizes) <= max(place, 0) + 1 or min(sizes) <= place:
            return None
        return [(system, [gold[place]]) for system, gold in pairs]

    return changed


def swapped_texts(pairs: Pairs) -> list[tuple[Text, Sequence[Text]]] | None:
    """Gold in place of the system's texts and the other way round; one reference only."""
    if any(len(gold) != 1 for _, gold in pairs):
        return None
    return [(gold[0], [system]) for system, gold in pairs]
