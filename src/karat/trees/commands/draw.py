"""``karat draw`` for trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from karat.core.commands import Job
from karat.core.files.opener import Source
from karat.drawing.page import Drawer, Drawing
from karat.errors import OptionError, PairingError
from karat.trees.aligned import Reference
from karat.trees.formats.pharaoh import Links, Pharaoh
from karat.trees.metrics.derp import Derp
from karat.trees.model import Tree
from karat.trees.pictures import against_gold, derp_drawing, drawing_of, side_by_side
from karat.trees.word_aligners import check_links


class DrawTrees(Drawer):
    """Arcs over words; with gold, what differs is marked; for DERP, links and chosen edges too."""

    sentence: Annotated[tuple[str, ...], "draw only these sentences, by id or number"] = ()
    derp: Annotated[
        bool, "draw hypothesis and reference (``gold``) with links and the edges that DERP chooses"
    ] = False
    alignment: Annotated[str, "a file of links for ``derp``, else the built-in aligner"] = ""

    def __post_init__(self) -> None:
        if self.alignment and (not self.derp):
            raise OptionError("``alignment`` means nothing without ``derp``", code="K335")

    def draw(self, job: Job) -> Iterator[Drawing]:
        if self.derp and not job.golds:
            raise OptionError("``derp`` needs a reference: give it as ``gold``", code="K335")
        golds: list[Tree] = list(job.gold_values())
        by_id = {gold.id: gold for gold in golds if gold.id}
        links = self._links()
        wanted = set(self.sentence)
        found: set[str] = set()
        number = 0
        for number, tree in enumerate(job.values(), 1):
            names = {tree.id, str(number)}
            if wanted and not names & wanted:
                continue
            found |= names & wanted
            gold = by_id.get(tree.id)
            if gold is None and number <= len(golds):
                gold = golds[number - 1]
            yield Drawing(
                tree.id or str(number),
                " ".join(tree.forms or ()),
                self._svg(tree, gold, links, number),
            )
        if wanted - found:
            missing = ", ".join(map(repr, sorted(wanted - found)))
            raise OptionError(
                f"there is no sentence {missing}",
                code="K336",
                advice=f"there are {number}, known by their numbers from 1 and by their ids",
            )

    def _links(self) -> list[Links] | None:
        if not self.alignment:
            return None
        result = []
        for item in Pharaoh().read(Source(self.alignment)):
            if item.error:
                raise item.error
            result.append(item.value)
        return result

    def _svg(self, tree: Tree, gold: Tree | None, links: list[Links] | None, number: int) -> str:
        if gold is None:
            return drawing_of(tree)
        if not self.derp:
            if len(tree) != len(gold):
                return side_by_side(tree, [gold], "system (other words: not compared)")
            return against_gold(tree, gold, _differing(tree, gold))
        own = None
        if links is not None:
            if number > len(links):
                raise PairingError(
                    f"{self.alignment} has {len(links)} lines, but there are more sentences",
                    code="K202",
                )
            own = links[number - 1]
            check_links(own, tree, gold, f"{self.alignment}:{number}")
        return derp_drawing(tree, [gold], Derp().explain(tree, Reference(gold, own)))


def _differing(system: Tree, gold: Tree) -> dict[int, Literal["head", "label"]]:
    """The words whose head, or else label, is another one."""
    labels = [tree.deprels or ("",) * len(tree) for tree in (system, gold)]
    if system.deprels is None or gold.deprels is None:
        labels[0] = labels[1]
    wrong: dict[int, Literal["head", "label"]] = {}
    for word, (head, other, *names) in enumerate(
        zip(system.heads, gold.heads, *labels, strict=True), 1
    ):
        if head != other:
            wrong[word] = "head"
        elif names[0] != names[1]:
            wrong[word] = "label"
    return wrong
