"""``karat convert`` for trees."""

from __future__ import annotations

from collections.abc import Iterator

from karat.core.commands import Conversion, Job
from karat.trees.errors import TreeError
from karat.trees.formats.conllu import ConllU
from karat.trees.model import Tree


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
