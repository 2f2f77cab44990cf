"""Simplified box notation: concepts in a row, roles that point back and ahead."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from karat.errors import FormatError
from karat.graphs.tuples import Feature, Link, Tuples

Variant: TypeAlias = Literal["coarse", "sense", "no-sense"]

_CONCEPT = re.compile(r"(\S+)\.([nvars])\.(\d+)")
_INDEX = re.compile(r"[+-]\d")
_TOKEN = re.compile(r'"[^"]*"|\S+')
_BOX_INDEX = re.compile(r"[-<]\d+")
BOX_WORDS = frozenset(
    (
        "ALTERNATION", "ATTRIBUTION", "CONDITION", "CONSEQUENCE", "CONTINUATION", "CONTRAST",
        "EXPLANATION", "NECESSITY", "NEGATION", "POSSIBILITY", "PRECONDITION", "RESULT", "SOURCE",
    )
)  # fmt: skip
_INVERTED = frozenset(["InstanceOf", "AttributeOf", "ColourOf", "ContentOf", "PartOf", "SubOf"])
_INSTANCE, _ATTRIBUTE, _RELATION = range(3)


def sbn_tuples(text: str, variant: Variant) -> Tuples:
    """The triples of a structure: boxes, their members, roles.

    A concept is one instance (`coarse`), or a node with lemma, part of speech and sense
    as attributes (`sense`), or those without the sense (`no-sense`); constants are
    attributes in the first case, nodes in the others.
    """
    reader = _Reader(variant)
    for line in text.split("\n"):
        if not line.startswith("%"):
            reader.read(_TOKEN.findall(re.split(r"\s%\s", line + " ")[0]))
    return reader.finish()


class _Reader:
    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.tuples = Tuples(["b0"])
        self.features: list[Feature] = [(0, _INSTANCE, "box")]
        self.links: list[Link] = []
        self.box = 0
        self.concepts: list[int] = []
        self.roles: list[tuple[int, int, str, str]] = []
        self.pending = ""

    def read(self, tokens: list[str]) -> None:
        for token in tokens:
            concept = _CONCEPT.fullmatch(token) if not self.pending else None
            if self.pending in BOX_WORDS:
                self._open(token)
            elif concept:
                self._concept(*concept.groups())
            elif self.pending:
                self.roles.append((len(self.concepts) - 1, self.concepts[-1], self.pending, token))
                self.pending = ""
            elif token in BOX_WORDS or self.concepts:
                self.pending = token
            else:
                raise FormatError(
                    f"expected a concept like dog.n.01 or a box word, found {token!r}", code="K161"
                )

    def _node(self, name: str) -> int:
        nodes: list[str] = self.tuples.nodes  # type: ignore[assignment]
        nodes.append(name)
        return len(nodes) - 1

    def _open(self, index: str) -> None:
        if not _BOX_INDEX.fullmatch(index):
            raise FormatError(f"{self.pending} needs -1 or <1, found {index!r}", code="K161")
        box = self._node(f"b{len(self.tuples.nodes)}")
        self.features.append((box, _INSTANCE, "box"))
        self.links.append((self.box, box, _RELATION, self.pending.lower()))
        self.box = box
        self.pending = ""

    def _concept(self, lemma: str, speech: str, sense: str) -> None:
        node = self._node(f"{lemma}.{speech}.{sense}")
        self.concepts.append(node)
        self.links.append((self.box, node, _RELATION, "member"))
        if self.variant == "coarse":
            self.features.append((node, _INSTANCE, f"{lemma}.{speech}.{sense}".lower()))
            return
        self.features.append((node, _INSTANCE, "synset"))
        self.features.append((node, _ATTRIBUTE, ("lemma", lemma.lower())))
        self.features.append((node, _ATTRIBUTE, ("pos", speech)))
        if self.variant == "sense":
            self.features.append((node, _ATTRIBUTE, ("sense", sense)))

    def finish(self) -> Tuples:
        if self.pending:
            raise FormatError(f"the role {self.pending!r} has no value", code="K161")
        for number, node, role, value in self.roles:
            target = number + int(value) if _INDEX.fullmatch(value) else -1
            if 0 <= target < len(self.concepts):
                ends = node, self.concepts[target]
                if role in _INVERTED:
                    role, ends = role.removesuffix("Of"), ends[::-1]
                self.links.append((*ends, _RELATION, role.lower()))
                continue
            constant = value.strip('"').lower()
            if self.variant == "coarse":
                self.features.append((node, _ATTRIBUTE, (role.lower(), constant)))
            else:
                own = self._node(value)
                self.features.append((own, _INSTANCE, constant))
                self.links.append((node, own, _RELATION, role.lower()))
        if self.concepts or self.links:
            self.features.append((0, _ATTRIBUTE, ("top", "box")))
            return Tuples(self.tuples.nodes, self.features, self.links)
        return Tuples([])
