"""``karat validate`` and ``karat analyze`` for trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any

from karat.core.commands import Answer, Inquiry, Job
from karat.core.options import Range
from karat.errors import Place
from karat.trees.model import Tree

_ABSENT = "_"


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
        problems: list[tuple[Place, str]] = []
        for stream, item in job.items():
            checked += 1
            if item.error is not None:
                place = item.error.place or Place(stream.source.name, item.line)
                problems.append((place, item.error.message))
                continue
            problems += self._of_one(item.value, one_root=stream.format.name == "conllu")
        verdict = f"{_count(checked, 'sentence')}, {_count(len(problems), 'problem')}"
        lines = [f"{place}: {message}" for place, message in problems]
        found = [
            {"file": place.file, "line": place.line, "sentence": place.item, "message": message}
            for place, message in problems
        ]
        document = {"sentences": checked, "problems": found}
        return Answer("\n".join([*lines, verdict]), document, failed=bool(problems))

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
        self.deepest = max(self.deepest, depth_of(tree))
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
            f"{_count(self.trees, 'sentence')}, {_count(self.words, 'word')}",
            f"longest sentence: {_count(self.longest, 'word')}; deepest tree: {self.deepest}",
            f"with several roots: {self.several_roots:,}; not projective: {self.crossing:,}",
            f"mean length of a dependency: {mean}",
        ]
        for name, counts in (("labels", self.labels), ("tags", self.tags)):
            shown = ", ".join(f"{key} {count:,}" for key, count in counts.most_common(top))
            lines.append(f"{name}: {shown or 'none'}")
        return "\n".join(lines)


def depth_of(tree: Tree) -> int:
    """The most edges from a word up to ROOT.

    >>> depth_of(Tree.of([2, 0, 2, 3]))
    3
    """
    depth = [0] * (len(tree) + 1)
    for start in range(1, len(tree) + 1):
        path = []
        word = start
        while word and not depth[word]:
            path.append(word)
            word = tree.heads[word - 1]
        for above in reversed(path):
            depth[above] = depth[tree.heads[above - 1]] + 1
    return max(depth)


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


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
