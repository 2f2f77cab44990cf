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
    from karat.core.format import Format
    from karat.core.metric import Counts, Metric
    from karat.core.options import Range
    from karat.core.registry import metric_class, parse
    from karat.core.runs.comparison import Comparison, Ranking
    from karat.core.runs.evaluation import Evaluation
    from karat.core.scores import Array, MetricsDict, Scores, harmonic, precision_recall, ratio
    from karat.engine import evaluate, measure_pairs, verify
    from karat.errors import (
        FormatError,
        KaratError,
        LimitExceeded,
        MissingExtra,
        OptionError,
        PairingError,
        VerificationError,
    )

__version__ = version.VERSION

_HOME = {
    "Array": "core.scores",
    "Comparison": "core.runs.comparison",
    "Counts": "core.metric",
    "Evaluation": "core.runs.evaluation",
    "Format": "core.format",
    "FormatError": "errors",
    "KaratError": "errors",
    "LimitExceeded": "errors",
    "Metric": "core.metric",
    "MetricsDict": "core.scores",
    "MissingExtra": "errors",
    "OptionError": "errors",
    "PairingError": "errors",
    "Range": "core.options",
    "Ranking": "core.runs.comparison",
    "Scores": "core.scores",
    "VerificationError": "errors",
    "evaluate": "engine",
    "harmonic": "core.scores",
    "measure_pairs": "engine",
    "metric_class": "core.registry",
    "parse": "core.registry",
    "precision_recall": "core.scores",
    "ratio": "core.scores",
    "verify": "engine",
}

__all__ = [
    "Array",
    "Comparison",
    "Counts",
    "Evaluation",
    "Format",
    "FormatError",
    "KaratError",
    "LimitExceeded",
    "Metric",
    "MetricsDict",
    "MissingExtra",
    "OptionError",
    "PairingError",
    "Range",
    "Ranking",
    "Scores",
    "VerificationError",
    "__version__",
    "evaluate",
    "harmonic",
    "measure_pairs",
    "metric_class",
    "parse",
    "precision_recall",
    "ratio",
    "verify",
]


# A type checker knows the names above, and must refuse all others.
if not TYPE_CHECKING:
    __getattr__ = loader(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted(__all__)
