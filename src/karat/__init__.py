"""karat judges what language systems produce, and how sure one can be of it.

>>> import karat
>>> karat.parse("exact").score("a dog", "a dog")
{'accuracy': 1.0}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat import version
from karat.lazy import loader

if TYPE_CHECKING:
    from karat.core.arrow import summarize
    from karat.core.commands import Answer, Inquiry, Job
    from karat.core.files.opener import Source
    from karat.core.format import Format, LineFormat
    from karat.core.marks import cost, count, main, out_of, percent, tiebreak, within
    from karat.core.metric import Counts, Metric
    from karat.core.options import Range
    from karat.core.reading.items import Item
    from karat.core.registry import metric_class, parse
    from karat.core.runs.comparison import Comparison, Ranking
    from karat.core.runs.evaluation import Evaluation
    from karat.core.scores import (
        Array,
        MetricsDict,
        Scores,
        convention,
        harmonic,
        precision_recall,
        quotient,
        ratio,
    )
    from karat.engine import evaluate, measure_pairs, verify
    from karat.engine.audit import Audit, audit
    from karat.engine.consensus import Consensus, mbr
    from karat.engine.repair import Repair, repair
    from karat.engine.rewards import reward
    from karat.engine.verbs import compare, load, metrics, read, write
    from karat.errors import (
        FormatError,
        KaratError,
        LimitExceeded,
        MissingExtra,
        OptionError,
        PairingError,
        Place,
        RunError,
        VerificationError,
    )
    from karat.graphs.model import Anchor, Edge, Graph, Node
    from karat.report import report
    from karat.tracing import Trace, trace

__version__ = version.VERSION

_NAMES = {
    "core.arrow": "summarize",
    "core.commands": "Answer Inquiry Job",
    "core.files.opener": "Source",
    "core.format": "Format LineFormat",
    "core.marks": "cost count main out_of percent tiebreak within",
    "core.metric": "Counts Metric",
    "core.options": "Range",
    "core.reading.items": "Item",
    "core.registry": "metric_class parse",
    "core.runs.comparison": "Comparison Ranking",
    "core.runs.evaluation": "Evaluation",
    "core.scores": "Array MetricsDict Scores convention harmonic precision_recall quotient ratio",
    "engine": "evaluate measure_pairs verify",
    "engine.audit": "Audit audit",
    "engine.consensus": "Consensus mbr",
    "engine.repair": "Repair repair",
    "engine.rewards": "reward",
    "engine.verbs": "compare load metrics read write",
    "errors": "FormatError KaratError LimitExceeded MissingExtra "
    "OptionError PairingError Place RunError VerificationError",
    "graphs.model": "Anchor Edge Graph Node",
    "tracing": "Trace trace",
}
"""The public names of each module."""

__all__ = [
    "Anchor",
    "Answer",
    "Array",
    "Audit",
    "Comparison",
    "Consensus",
    "Counts",
    "Edge",
    "Evaluation",
    "Format",
    "FormatError",
    "Graph",
    "Inquiry",
    "Item",
    "Job",
    "KaratError",
    "LimitExceeded",
    "LineFormat",
    "Metric",
    "MetricsDict",
    "MissingExtra",
    "Node",
    "OptionError",
    "PairingError",
    "Place",
    "Range",
    "Ranking",
    "Repair",
    "RunError",
    "Scores",
    "Source",
    "Trace",
    "VerificationError",
    "__version__",
    "audit",
    "compare",
    "convention",
    "cost",
    "count",
    "evaluate",
    "harmonic",
    "load",
    "main",
    "mbr",
    "measure_pairs",
    "metric_class",
    "metrics",
    "out_of",
    "parse",
    "percent",
    "precision_recall",
    "quotient",
    "ratio",
    "read",
    "repair",
    "report",
    "reward",
    "summarize",
    "tiebreak",
    "trace",
    "verify",
    "within",
    "write",
]


# A type checker knows the names above, and must refuse all others.
if not TYPE_CHECKING:
    _load = loader(__name__, _NAMES)

    def __getattr__(name: str) -> object:
        if name == "report":  # a package that can be called
            from importlib import import_module

            return import_module("karat.report")
        return _load(name)


def __dir__() -> list[str]:
    return sorted(__all__)
