"""Base class of metrics that compare trees over two sentences with a word alignment."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice, zip_longest
from typing import Annotated, ClassVar, Literal, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.capabilities import LazyPairs, PairOutputs
from karat.core.files.opener import Source, plain_name
from karat.core.metric import Explanation, Metric
from karat.core.options import File, Mode, Only
from karat.core.pairing.pairs import ParsedChunk, Report, in_step
from karat.core.reading.items import Item, Pair, Refs, Rows
from karat.core.reading.raw import RawChunk
from karat.core.scores import Array, ratio
from karat.core.shown import CachedOutputs, Shown, ShownPairs
from karat.errors import FormatError, OptionError, PairingError, counted
from karat.trees.formats.conll import same_ids, side_of
from karat.trees.formats.pharaoh import LinkOrder, Pharaoh, UsePossible
from karat.trees.model import (
    Gold,
    Links,
    Reference,
    Tree,
    offsets_of,
    trees_of,
)
from karat.trees.pairing import check_ids, unequal
from karat.trees.word_aligners import BUILT_IN, align, check_links

Ints: TypeAlias = npt.NDArray[np.int32]

# Options that the metrics of aligned trees have in common.
Alignment: TypeAlias = Annotated[
    str | tuple[str, ...],
    File(),
    "a file with the links of each sentence, one for each reference; {system} and {name} "
    "in it stand for the system's file and its name up to the first dot",
]
Aligner: TypeAlias = Annotated[str, "what makes the links where no file has them"]
Multi: TypeAlias = Annotated[
    Literal["max", "mean"], "of several references, take the best or the mean"
]


class AlignedMetric(Metric[Tree, Gold], ABC):
    """Base class of metrics that compare trees over two aligned sentences."""

    kind = "tree"
    releases_gil = True
    per_scored: ClassVar[tuple[str, ...]] = ("score", "scored")
    """Columns that are 0 where there is no score."""
    empty_score: Literal[0, 1] | None

    alignment: Alignment = ()
    align_order: Annotated[LinkOrder, Only("alignment")] = "hyp-ref"
    use_possible: Annotated[UsePossible, Only("alignment")] = False
    aligner: Aligner = BUILT_IN
    multi: Multi = "max"

    @property
    def needs_links(self) -> bool:
        """Whether scores depend on the links between words."""
        return True

    @property
    def alignments(self) -> tuple[str, ...]:
        """The files of links, one for each reference."""
        return (self.alignment,) if isinstance(self.alignment, str) else self.alignment

    # -- from files -------------------------------------------------------------

    def pairs_itself(self, mode: Mode, golds: int) -> bool:
        if mode == "id":
            raise OptionError(
                f"{self.name} pairs by position, as alignments have no ids", code="K332"
            )
        if self.alignments and len(self.alignments) != golds:
            raise OptionError(
                f"there are {golds} references, but {counted(len(self.alignments), 'alignment')}",
                code="K334",
                advice="give one ``alignment`` for each ``gold``, in the same order",
            )
        return True

    def cuts(
        self, system: Refs, golds: Sequence[Refs], report: Report, size: int
    ) -> Iterator[tuple[Rows, Rows]]:
        # Files of links are read as a whole.
        whole = max(map(len, (system, *golds)))
        return in_step(system, golds, whole if self.alignments and whole else size)

    def pair_items(self, chunk: ParsedChunk) -> Iterator[Pair]:
        reader = Pharaoh(align_order=self.align_order, use_possible=self.use_possible)
        paths = [_of_system(each, chunk.path) for each in self.alignments]
        alignments = [(each, reader.read(Source(each))) for each in paths]
        return self._pairs(chunk, alignments)

    def _pairs(
        self, chunk: ParsedChunk, alignments: Sequence[tuple[str, Iterator[Item]]]
    ) -> Iterator[Pair]:
        systems, golds, report, mode, first, *_ = chunk
        index = first - 1
        for index, (system, *references) in enumerate(zip_longest(systems, *golds), first):
            if system is None or None in references:
                raise unequal(index, system, references)
            lines = [_next_line(path, lines, index) for path, lines in alignments]
            if not chunk.takes(index):
                continue
            items = [system, *references, *lines]
            error = next((item.error for item in items if item.error), None)
            if error is None:
                try:
                    paths = [path for path, _ in alignments]
                    gold = self._references(system, references, lines, paths, mode)
                except FormatError as unfit:
                    error = unfit
            if error:
                of_gold = any(error is reference.error for reference in references)
                (report.broken_gold if of_gold else report.broken)(error)
                continue
            tree: Tree = gold[0].tree
            name, fields = tree.id or str(index + 1), {"length": str(len(tree))}
            yield Pair(index, name, fields, system.value, gold, references[0].key)
        if index < 0:
            raise PairingError("there are no sentences: the files are empty", code="K203")
        for path, rest in alignments:
            surplus = sum(1 for _ in rest)
            if surplus:
                raise _wrong_number(path, index + 1, index + 1 + surplus)

    def _references(
        self,
        system: Item,
        references: Sequence[Item],
        lines: Sequence[Item],
        paths: Sequence[str],
        mode: Mode,
    ) -> tuple[Reference, ...]:
        hypothesis: Tree = system.value
        result = []
        for i, reference in enumerate(references):
            check_ids(system, reference, mode, "reference", "")
            links = lines[i].value if lines else None
            if isinstance(reference.value, Reference):  # in memory, with links of its own
                result.append(reference.value)
                continue
            if links is not None:
                where = f"{paths[i]}:{lines[i].line}"
                check_links(links, hypothesis, reference.value, where)
            result.append(Reference(reference.value, links))
        return tuple(result)

    # -- to arrays --------------------------------------------------------------

    def scores_of(self, costs: Array, largest: Array) -> tuple[Array, npt.NDArray[np.bool_]]:
        """The score of each sentence, and whether it has one."""
        scored = largest > 0
        score = np.where(scored, 1 - ratio(costs, largest), 0.0)
        if self.empty_score is None:
            return score, scored
        return np.where(scored, score, float(self.empty_score)), np.full(len(scored), True)

    @abstractmethod
    def rows_of(self, hypothesis: Sequence[Tree], references: Sequence[Reference]) -> Array:
        """A row for each hypothesis and its reference; links are there if they are needed."""

    @abstractmethod
    def told(self, hypotheses: Sequence[Tree], references: Sequence[Reference]) -> list[bytes]:
        """For each hypothesis what `explain` says of it and its reference, as JSON."""

    def shown(self, system: Tree, gold: Gold, explanation: Explanation) -> Shown:
        from karat.trees.content import arcs_of

        return Shown([arcs_of(tree) for tree in trees_of(gold)], arcs_of(system))

    def explain(self, system: Tree, gold: Gold) -> Explanation:
        """What `told` says of each reference."""
        explanation: Explanation = msgspec.json.decode(self.told_pairs([(system, gold)])[0])
        return explanation

    def look_at(self, chunk: LazyPairs) -> PairOutputs | None:
        raw = chunk.raw()
        drawn = None if raw is None else _drawn(raw)
        return None if drawn is None else _SideBySideOutputs(chunk, drawn, self.told_pairs)

    def told_pairs(self, pairs: Sequence[tuple[Tree, Gold]]) -> list[bytes]:
        """What `explain` gives for pairs, as JSON."""
        hypotheses, references, sizes = self._aligned(pairs)
        found = iter(self.told(hypotheses, references))
        return [b'{"references":[%b]}' % b",".join(islice(found, size)) for size in sizes]

    def _aligned(
        self, pairs: Sequence[tuple[Tree, Gold]]
    ) -> tuple[list[Tree], list[Reference], list[int]]:
        """Each hypothesis with each of its references, and how many it has."""
        aligned = [(system, self.with_links(system, gold)) for system, gold in pairs]
        return (
            [system for system, references in aligned for _ in references],
            [reference for _, references in aligned for reference in references],
            [len(references) for _, references in aligned],
        )

    def with_links(self, hypothesis: Tree, gold: Gold) -> list[Reference]:
        """All references, each with its links."""
        given = [gold] if isinstance(gold, (Tree, Reference)) else list(gold)
        if not given:
            raise PairingError("there is no reference", code="K211")
        result = []
        for each in given:
            reference = Reference(each) if isinstance(each, Tree) else each
            if reference.links is None and self.needs_links:
                links = align(self.aligner, hypothesis, reference.tree)
                reference = Reference(reference.tree, links)
            elif reference.links is not None:
                check_links(reference.links, hypothesis, reference.tree, "the alignment")
            result.append(reference)
        return result

    def measure_many(self, pairs: Sequence[tuple[Tree, Gold]]) -> Array:
        if not pairs:
            return np.empty((0, len(self.columns)))
        hypotheses, references, sizes = self._aligned(pairs)
        rows = self.rows_of(hypotheses, references)
        if len(rows) == len(pairs):
            return rows
        return np.stack([self._joined(part) for part in np.split(rows, np.cumsum(sizes)[:-1])])

    def _joined(self, rows: Array) -> Array:
        """The row of a sentence with several references."""
        score, scored = self.columns.index("score"), self.columns.index("scored")
        defined = rows[:, scored] > 0
        if self.multi == "max":
            best = np.where(defined, rows[:, score], -1.0)
            return np.asarray(rows[int(np.argmax(best))])
        row = rows.mean(axis=0)
        # Means of the scores that there are.
        if defined.any():
            share = defined.mean()
            for column in self.per_scored:
                row[self.columns.index(column)] /= share
        return np.asarray(row)


def _of_system(path: str, system: str) -> str:
    """The file of links of the system that is measured, where its name depends on that."""
    if "{system}" not in path and "{name}" not in path:
        return path
    if system == "-":
        raise OptionError(f"{path!r} stands for the name of a file, but there is none", code="K334")
    name = plain_name(system).partition(".")[0]
    return path.replace("{system}", system).replace("{name}", name)


def _next_line(path: str, lines: Iterator[Item], index: int) -> Item:
    line = next(lines, None)
    if line is None:
        raise _wrong_number(path, None, index)
    return line


def _wrong_number(path: str, sentences: int | None, lines: int) -> PairingError:
    expected = f"there are {sentences} sentences" if sentences else "there are more sentences"
    return PairingError(
        f"{path} has {counted(lines, 'line')}, but {expected}",
        code="K202",
        advice="an alignment has one line for each sentence; an empty line means no links",
    )


class _SideBySideOutputs(CachedOutputs):
    """Pairs whose trees are drawn from the bytes of files, and explained by one call."""

    def __init__(
        self, chunk: LazyPairs, drawn: ShownPairs, tell: Callable[..., list[bytes]]
    ) -> None:
        super().__init__(chunk.outputs)
        self._chunk, self._drawn, self._tell = chunk, drawn, tell

    def look(self, told: bool, shown: bool) -> tuple[list[bytes] | None, ShownPairs | None]:
        return self._tell(self._chunk.pairs()) if told else None, self._drawn


def _drawn(raw: RawChunk) -> ShownPairs | None:
    """Trees side by side, without layers and notes; None where they cannot be read so."""
    sides = []
    for items in (raw.system, *raw.golds):
        side = side_of(items)
        arcs = None if side is None else _native.tree_arcs(side)
        if arcs is None or len(arcs) != len(raw.golds[0]):
            return None
        sides.append(arcs)
    if raw.mode == "auto" and not all(same_ids(raw.system, gold) for gold in raw.golds):
        return None
    systems, *golds = sides
    none = np.zeros(0, np.int32)
    texts = [b"null,[%b]" % b",".join(each) for each in zip(*golds, strict=True)]
    return ShownPairs(texts, systems, [b"{},null,[]"] * len(systems), (), none, none)


def flat_trees(
    trees: Sequence[Tree], codes: dict[str, int], label: Callable[[str], str] = str
) -> tuple[Ints, Ints, npt.NDArray[np.int64]]:
    """The heads and labels of trees as the kernels take them; `codes` get the names of labels."""
    size = sum(map(len, trees))
    heads = np.fromiter(chain.from_iterable([tree.heads for tree in trees]), np.int32, size)
    cells = list(chain.from_iterable([tree.deprels or ("_",) * len(tree) for tree in trees]))
    number = {each: codes.setdefault(label(each), len(codes)) for each in dict.fromkeys(cells)}
    return heads, np.fromiter(map(number.__getitem__, cells), np.int32, size), offsets_of(trees)


def flat_links(links: Sequence[Links]) -> tuple[Ints, Ints, npt.NDArray[np.int64]]:
    """Links, numbered from 1, as the kernels take them."""
    offsets = np.zeros(len(links) + 1, np.int64)
    np.cumsum([len(each) for each in links], out=offsets[1:])
    pairs = np.array([pair for each in links for pair in each], np.int32).reshape(-1, 2) + 1
    return (
        np.ascontiguousarray(pairs[:, 0], np.int32),
        np.ascontiguousarray(pairs[:, 1], np.int32),
        offsets,
    )
