"""The commands convert, draw, validate and analyze for trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from karat.core.commands import Answer, Conversion, Inquiry, Job, frequencies, validation
from karat.core.files.opener import Source
from karat.core.options import Range
from karat.drawing.page import Drawer, Drawing
from karat.errors import OptionError, PairingError, Place, counted
from karat.trees.formats.conll import ConllU
from karat.trees.formats.pharaoh import Pharaoh
from karat.trees.model import Links, Reference, Tree, TreeError, depths_of
from karat.trees.word_aligners import check_links

_ABSENT = "_"


class ConvertTrees(Conversion):
    """Each tree as it is, in another format; CoNLL-U has no place for several roots."""

    def convert(self, job: Job) -> Iterator[Tree]:
        for tree in job.values():
            if len(tree.roots) > 1 and isinstance(job.writer, ConllU):
                job.report.broken(
                    TreeError(
                        f"CoNLL-U has one root in a sentence, this one has {len(tree.roots)}",
                        code="K126",
                        place=tree.place(tree.roots[1]),
                        advice="write conllx, or use ``on_error='skip'`` to leave the sentence out",
                    )
                )
            else:
                yield tree


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
        trees: list[Tree] = list(job.values())
        by_id = {gold.id: gold for gold in golds if gold.id}
        is_by_id = any(tree.id in by_id for tree in trees)
        if by_id and not is_by_id and any(tree.id for tree in trees):
            job.report.warn("no id is in both files: sentences are compared by position")
        alone: list[str] = []
        links = self._links()
        wanted = set(self.sentence)
        found: set[str] = set()
        for number, tree in enumerate(trees, 1):
            names = {tree.id, str(number)}
            if wanted and not names & wanted:
                continue
            found |= names & wanted
            gold = by_id.get(tree.id) if is_by_id else next(iter(golds[number - 1 : number]), None)
            if gold is None:
                alone.append(tree.id or str(number))
            yield Drawing(
                tree.id or str(number),
                " ".join(tree.forms or ()),
                self._svg(tree, gold, links, number),
            )
        self.warn_alone(job, "sentence", alone)
        if wanted - found:
            missing = ", ".join(map(repr, sorted(wanted - found)))
            raise OptionError(
                f"there is no sentence {missing}",
                code="K336",
                advice=f"there are {len(trees)}, known by their numbers from 1 and by their ids",
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
        from karat.trees.metrics.derp import Derp
        from karat.trees.pictures import against_gold, derp_drawing, drawing_of, side_by_side

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


def _differing(system: Tree, gold: Tree) -> list[int]:
    """The words that have another head, or another label where both trees have labels."""
    labelled = gold.deprels is not None and system.deprels is not None
    theirs, ours = (
        list(zip(tree.heads, (labelled and tree.deprels) or tree.heads, strict=True))
        for tree in (gold, system)
    )
    return [word for word in range(1, len(gold) + 1) if theirs[word - 1] != ours[word - 1]]


class ValidateTrees(Inquiry):
    """Can every sentence be read, and is it a tree? One line for each problem.

    Universal Dependencies have one root in each sentence; the other formats may
    have several, unless that is asked for too.
    """

    name = "validate"

    strict: Annotated[
        bool, "refuse several roots in every format, and words without form or label beside others"
    ] = False

    def answer(self, job: Job) -> Answer:
        checked = 0
        problems: list[tuple[Place, dict[str, Any]]] = []
        for stream, item in job.items():
            checked += 1
            if item.error is not None:
                place = item.error.place or Place(stream.source.name, item.line)
                found: Iterable[tuple[Place, str]] = [(place, item.error.message)]
            else:
                found = self._of_one(item.value, one_root=stream.format.name == "conllu")
            problems += [
                (place, {"sentence": place.item, "message": message}) for place, message in found
            ]
        return validation(job, "sentence", checked, problems)

    def _of_one(self, tree: Tree, *, one_root: bool) -> Iterator[tuple[Place, str]]:
        if (one_root or self.strict) and len(tree.roots) > 1:
            words = ", ".join(map(str, tree.roots))
            yield tree.place(tree.roots[1]), f"the sentence has several roots: words {words}"
        if self.strict:
            for name, what in (("forms", "form"), ("deprels", "label")):
                column = getattr(tree, name) or ()
                if what == "label" and set(column) == {_ABSENT}:
                    continue  # the file has no labels
                for word, cell in enumerate(column, 1):
                    # A form may well be an underscore.
                    if not cell.strip() or (cell == _ABSENT and what == "label"):
                        yield tree.place(word), f"word {word} has no {what}"


class AnalyzeTrees(Inquiry):
    """Sizes, roots, crossing edges, labels and tags of the trees in files."""

    top: Annotated[int, Range(1), "how many of the most frequent are shown"] = 10

    def answer(self, job: Job) -> Answer:
        seen = _Seen()
        for tree in job.values():
            seen.add(tree)
        return Answer(seen.text(self.top), seen.document(self.top))


class _Seen:
    """Counts over trees."""

    def __init__(self) -> None:
        self.trees = self.words = self.longest = self.deepest = 0
        self.distance = self.edges = self.several_roots = self.crossing = 0
        self.labels: Counter[str] = Counter()
        self.tags: Counter[str] = Counter()

    def add(self, tree: Tree) -> None:
        self.trees += 1
        self.words += len(tree)
        self.longest = max(self.longest, len(tree))
        self.deepest = max(self.deepest, max(depths_of(tree), default=0))
        self.several_roots += len(tree.roots) > 1
        self.crossing += not is_projective(tree)
        for word, head in enumerate(tree.heads, 1):
            if head:
                self.edges += 1
                self.distance += abs(word - head)
        self.labels.update(tree.deprels or ())
        self.tags.update(tree.tags or ())

    def document(self, top: int) -> dict[str, Any]:
        return {
            "sentences": self.trees,
            "words": self.words,
            "longest": self.longest,
            "deepest": self.deepest,
            "several_roots": self.several_roots,
            "not_projective": self.crossing,
            "mean_dependency_length": self.distance / self.edges if self.edges else None,
            "labels": dict(self.labels.most_common(top)),
            "tags": dict(self.tags.most_common(top)),
        }

    def text(self, top: int) -> str:
        mean = f"{self.distance / self.edges:.2f}" if self.edges else "none"
        lines = [
            f"{counted(self.trees, 'sentence')}, {counted(self.words, 'word')}",
            f"longest sentence: {counted(self.longest, 'word')}; deepest tree: {self.deepest}",
            f"with several roots: {self.several_roots:,}; not projective: {self.crossing:,}",
            f"mean length of a dependency: {mean}",
        ]
        for name, counts in (("labels", self.labels), ("tags", self.tags)):
            lines.append(frequencies(name, dict(counts.most_common(top))))
        return "\n".join(lines)


def is_projective(tree: Tree) -> bool:
    """Whether no two edges cross; edges from ROOT count as coming from before the sentence.

    >>> is_projective(Tree.of([2, 0, 2])), is_projective(Tree.of([3, 4, 0, 3]))
    (True, False)
    """
    opening: list[list[int]] = [[] for _ in range(len(tree) + 1)]
    for word, head in enumerate(tree.heads, 1):
        opening[min(word, head)].append(max(word, head))
    open_until: list[int] = []
    for place, ends in enumerate(opening):
        while open_until and open_until[-1] <= place:
            open_until.pop()
        for end in sorted(ends, reverse=True):
            if open_until and end > open_until[-1]:
                return False
            open_until.append(end)
    return True
