"""Base class of metrics that sacreBLEU defines, with its tokenizers and signatures."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from karat import _native
from karat.core.scores import Array
from karat.errors import MissingExtra, OptionError
from karat.text.model import ReferenceMetric


def peer_class(name: str) -> Any:
    """The class of sacreBLEU's metric."""
    try:
        import sacrebleu.metrics
    except ImportError:
        raise MissingExtra.package("sacrebleu", "text", name.lower()) from None
    return getattr(sacrebleu.metrics, name)


def peer(name: str, **options: Any) -> Any:
    """The sacreBLEU metric object with these options."""
    made = peer_class(name)
    try:
        return made(**options)
    except (ImportError, RuntimeError, OSError) as error:
        raise OptionError(
            f"sacreBLEU cannot make {name} with {options}: {error}".splitlines()[0],
            code="K318",
            advice="some tokenizers need further packages; see sacreBLEU's documentation",
        ) from None


def missing() -> str:
    """How to install sacreBLEU; empty if it is installed."""
    from importlib.util import find_spec

    return "" if find_spec("sacrebleu") else "pip install 'karat[text]'"


def quoted_signature(metric: Any) -> str:
    """sacreBLEU's own signature, for ours; the number of references is in the data."""
    import sacrebleu

    metric.num_refs = -1  # sacreBLEU's way to say that segments may differ
    info = metric.get_signature()
    return f"sacrebleu:{sacrebleu.__version__}|{info.format(short=False)}".replace(
        f"|version:{sacrebleu.__version__}", ""
    )


def log(values: Array) -> Array:
    """Natural logarithms, with the large negative number that sacreBLEU has for 0.

    The standard library's logarithm, since numpy's may differ in the last bit.
    """
    flat = np.asarray(values, float)
    return _native.logarithms(flat.ravel(), -9999999999.0).reshape(flat.shape)


def exp(values: Array) -> Array:
    """The standard library's exponential, element by element."""
    flat = np.asarray(values, float)
    return _native.exponentials(flat.ravel()).reshape(flat.shape)


class SacreMetric(ReferenceMetric):
    """Base class of metrics that sacreBLEU defines: its object prepares the texts."""

    peer_name: ClassVar[str]
    """What sacreBLEU calls the metric."""

    @cached_property
    def _peer(self) -> Any:
        return peer(self.peer_name, **self.options)

    @classmethod
    def missing(cls) -> str:
        return missing()

    def signature(self) -> str:
        return f"{super().signature()}|{quoted_signature(self._peer)}"
