"""Base class of metrics that align the characters of whole documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from karat.core.items import Pair, Refs, Rows
from karat.core.metric import Metric
from karat.core.options import Mode
from karat.core.pairing import ParsedChunk, Report
from karat.errors import OptionError
from karat.trees.model import Tree
from karat.trees.sentence_alignment import Share, cut_documents, pair_documents


class DocumentMetric(Metric[Share | Tree | Sequence[Tree], Tree]):
    """Base class of metrics of treebanks whose systems have sentences and words of their own.

    An item is a gold sentence, and a system word counts towards the one that it starts in.
    """

    kind = "tree"
    file_format = "conllu"

    def pairs_itself(self, mode: Mode, golds: int) -> bool:
        if golds != 1:
            raise OptionError(f"{self.name} takes one gold file, got {golds}", code="K309")
        if mode == "id":
            raise OptionError(
                f"{self.name} aligns the characters of both files, it cannot pair by id",
                code="K332",
            )
        return True

    def cuts(
        self, system: Refs, golds: Sequence[Refs], report: Report, size: int
    ) -> Iterator[tuple[Rows, Rows]]:
        return cut_documents(system, golds[0], report, size)

    def pair_items(self, chunk: ParsedChunk) -> Iterator[Pair]:
        return pair_documents(chunk.systems, chunk.golds[0], chunk.first)
