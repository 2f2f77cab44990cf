"""Which words are punctuation, and are not scored."""

from __future__ import annotations

from dataclasses import dataclass

from karat.errors import OptionError
from karat.trees.errors import TreeError
from karat.trees.model import Tree

PENN_TAGS = (",", ".", ":", "#", "(", ")", "-LRB-", "-RRB-", "``", "''", "LS", "SYM", "PUNCT")
"""The tags of punctuation by default; the dollar sign is a word."""


@dataclass(frozen=True, slots=True)
class Punctuation:
    """How punctuation is recognised: by tag, by UPOS, by label, or not at all."""

    tags: frozenset[str] = frozenset(PENN_TAGS)
    upos: bool = False
    deprel: str = ""
    keep: bool = False

    @classmethod
    def policy(cls, *, tags: tuple[str, ...], upos: bool, deprel: str, keep: bool) -> Punctuation:
        """The policy that options ask for; two at a time contradict each other."""
        given = {
            "punct_tags": bool(tags), "punct_upos": upos, "punct_deprel": bool(deprel),
            "keep_punct": keep,
        }  # fmt: skip
        if sum(given.values()) > 1:
            names = " and ".join(name for name, on in given.items() if on)
            raise OptionError(f"{names} exclude each other: give one of them", code="K331")
        return cls(frozenset(tags or PENN_TAGS), upos, deprel, keep)

    def of(self, system: Tree, gold: Tree) -> list[bool]:
        """For each word whether it is punctuation; gold decides where it can."""
        if self.keep:
            return [False] * len(gold)
        if self.upos:
            return [tag == "PUNCT" for tag in _needed(gold.upos, system.upos, "UPOS", gold)]
        if self.deprel:
            labels = _needed(gold.deprels, system.deprels, "DEPREL", gold)
            return [label.partition(":")[0] == self.deprel for label in labels]
        tags = gold.tags or system.tags
        if tags is None:
            return [False] * len(gold)
        return list(map(self.tags.__contains__, tags))


def _needed(
    ours: tuple[str, ...] | None, theirs: tuple[str, ...] | None, column: str, gold: Tree
) -> tuple[str, ...]:
    found = theirs if ours is None else ours
    if found is None:
        raise TreeError(
            f"punctuation is to be known by {column}, but the files have no such column",
            code="K188",
            place=gold.place(),
        )
    return found
