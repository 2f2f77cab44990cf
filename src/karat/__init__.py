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

_HOME = {
    "Anchor": "graphs.model",
    "Answer": "core.commands",
    "Array": "core.scores",
    "Audit": "engine.audit",
    "Comparison": "core.runs.comparison",
    "Consensus": "engine.consensus",
    "Counts": "core.metric",
    "Edge": "graphs.model",
    "Evaluation": "core.runs.evaluation",
    "Format": "core.format",
    "FormatError": "errors",
    "Graph": "graphs.model",
    "Inquiry": "core.commands",
    "Item": "core.reading.items",
    "Job": "core.commands",
    "KaratError": "errors",
    "LimitExceeded": "errors",
    "LineFormat": "core.format",
    "Metric": "core.metric",
    "MetricsDict": "core.scores",
    "MissingExtra": "errors",
    "Node": "graphs.model",
    "OptionError": "errors",
    "PairingError": "errors",
    "Place": "errors",
    "Range": "core.options",
    "Ranking": "core.runs.comparison",
    "Repair": "engine.repair",
    "RunError": "errors",
    "Scores": "core.scores",
    "Source": "core.files.opener",
    "Trace": "tracing",
    "VerificationError": "errors",
    "audit": "engine.audit",
    "compare": "engine.verbs",
    "convention": "core.scores",
    "cost": "core.marks",
    "count": "core.marks",
    "evaluate": "engine",
    "harmonic": "core.scores",
    "load": "engine.verbs",
    "main": "core.marks",
    "mbr": "engine.consensus",
    "measure_pairs": "engine",
    "metric_class": "core.registry",
    "metrics": "engine.verbs",
    "out_of": "core.marks",
    "parse": "core.registry",
    "percent": "core.marks",
    "precision_recall": "core.scores",
    "quotient": "core.scores",
    "ratio": "core.scores",
    "read": "engine.verbs",
    "repair": "engine.repair",
    "reward": "engine.rewards",
    "summarize": "core.arrow",
    "tiebreak": "core.marks",
    "trace": "tracing",
    "verify": "engine",
    "within": "core.marks",
    "write": "engine.verbs",
}

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
    _load = loader(__name__, _HOME)

    def __getattr__(name: str) -> object:
        if name == "report":  # a package that can be called
            from importlib import import_module

            return import_module("karat.report")
        return _load(name)


def __dir__() -> list[str]:
    return sorted(__all__)
