"""``karat convert`` for trees."""

from __future__ import annotations

from collections.abc import Iterator

from karat.core.verbs import Conversion, Job
from karat.trees.model import Tree


class ConvertTrees(Conversion):
    """Each tree as it is, in another format."""

    def convert(self, job: Job) -> Iterator[Tree]:
        yield from job.values()
