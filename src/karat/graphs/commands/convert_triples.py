"""``karat convert`` for triples: standardisation, and roles as nodes or edges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Literal

from karat.core.commands import Conversion, Job
from karat.graphs.amr.statements import Statements, dereified, reified, standardized

_STEPS: dict[str, Callable[[Statements], Statements]] = {
    "none": lambda graph: graph,
    "generic": lambda graph: standardized(graph, "generic"),
    "amr": lambda graph: standardized(graph, "amr"),
    "dereify": lambda graph: dereified(standardized(graph, "generic")),
    "reify": lambda graph: reified(standardized(graph, "generic")),
}


class ConvertTriples(Conversion):
    """Triples as they are read, or standardised as smatch++ does."""

    standardize: Annotated[
        Literal["none", "generic", "amr", "dereify", "reify"],
        "turn inverted edges, without case and quotes (generic); then all that is special "
        "to AMR, or only edges for nodes that stand for a role, or nodes for such edges",
    ] = "none"

    def convert(self, job: Job) -> Iterator[Statements]:
        return map(_STEPS[self.standardize], job.values())
