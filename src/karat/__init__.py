"""karat judges what language systems produce, and how sure one can be of it.

>>> import karat
>>> karat.parse("exact").score("a dog", "a dog")
{'accuracy': 1.0}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat import version
from karat.lazy import loader

if TYPE_CHECKING:  # what a type checker knows, by the form that offers a name to others
    from karat.core.arrow import summarize as summarize
    from karat.core.commands import Answer as Answer
    from karat.core.commands import Inquiry as Inquiry
    from karat.core.commands import Job as Job
    from karat.core.files.opener import Source as Source
    from karat.core.format import Format as Format
    from karat.core.format import LineFormat as LineFormat
    from karat.core.marks import cost as cost
    from karat.core.marks import count as count
    from karat.core.marks import main as main
    from karat.core.marks import out_of as out_of
    from karat.core.marks import percent as percent
    from karat.core.marks import tiebreak as tiebreak
    from karat.core.marks import within as within
    from karat.core.metric import Counts as Counts
    from karat.core.metric import Metric as Metric
    from karat.core.options import Range as Range
    from karat.core.reading.items import Item as Item
    from karat.core.registry import metric_class as metric_class
    from karat.core.registry import parse as parse
    from karat.core.runs.comparison import Comparison as Comparison
    from karat.core.runs.comparison import Ranking as Ranking
    from karat.core.runs.evaluation import Evaluation as Evaluation
    from karat.core.scores import Array as Array
    from karat.core.scores import MetricsDict as MetricsDict
    from karat.core.scores import Scores as Scores
    from karat.core.scores import convention as convention
    from karat.core.scores import harmonic as harmonic
    from karat.core.scores import precision_recall as precision_recall
    from karat.core.scores import quotient as quotient
    from karat.core.scores import ratio as ratio
    from karat.engine import evaluate as evaluate
    from karat.engine import measure_pairs as measure_pairs
    from karat.engine import verify as verify
    from karat.engine.audit import Audit as Audit
    from karat.engine.audit import audit as audit
    from karat.engine.consensus import Consensus as Consensus
    from karat.engine.consensus import mbr as mbr
    from karat.engine.repair import Repair as Repair
    from karat.engine.repair import repair as repair
    from karat.engine.rewards import reward as reward
    from karat.engine.verbs import compare as compare
    from karat.engine.verbs import load as load
    from karat.engine.verbs import metrics as metrics
    from karat.engine.verbs import read as read
    from karat.engine.verbs import write as write
    from karat.errors import FormatError as FormatError
    from karat.errors import KaratError as KaratError
    from karat.errors import LimitExceeded as LimitExceeded
    from karat.errors import MissingExtra as MissingExtra
    from karat.errors import OptionError as OptionError
    from karat.errors import PairingError as PairingError
    from karat.errors import Place as Place
    from karat.errors import RunError as RunError
    from karat.errors import VerificationError as VerificationError
    from karat.graphs.model import Anchor as Anchor
    from karat.graphs.model import Edge as Edge
    from karat.graphs.model import Graph as Graph
    from karat.graphs.model import Node as Node
    from karat.report import report as report
    from karat.tracing import Trace as Trace
    from karat.tracing import trace as trace

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

__all__ = sorted(
    ["__version__", "report", *(name for names in _NAMES.values() for name in names.split())]
)


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
