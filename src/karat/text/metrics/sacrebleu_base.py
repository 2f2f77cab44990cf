"""Base class of metrics that sacreBLEU defines, with its tokenizers and signatures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from karat import _native
from karat.core.plugins import version_of
from karat.core.scores import Array
from karat.errors import MissingExtra, OptionError
from karat.text.raw_texts import StringMetric


def peer_class(name: str, purpose: str = "") -> Any:
    """The class of sacreBLEU's metric; `purpose` says what needs it."""
    try:
        import sacrebleu.metrics
    except ImportError:
        raise MissingExtra.package("sacrebleu", "text", purpose or name.lower()) from None
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


def peer_version() -> str:
    """The version of sacreBLEU that is installed, without loading it; ``none`` where none is."""
    return version_of("sacrebleu") or "none"


def quoted_signature(metric: Any) -> str:
    """sacreBLEU's own signature, for ours; the number of references is in the data."""
    metric.num_refs = -1  # sacreBLEU's way to say that segments may differ
    info: str = metric.get_signature().format(short=False)
    return info.rpartition("|version:")[0]


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


class SacreMetric(StringMetric, ABC):
    """Base class of metrics that sacreBLEU defines.

    Kernels count, from the bytes of texts. sacreBLEU itself is needed for what has no kernel: its
    object then prepares the texts.
    """

    peer_name: ClassVar[str]
    """What sacreBLEU calls the metric."""

    @cached_property
    def _peer(self) -> Any:
        return peer(self.peer_name, **self.options)

    @property
    def needs_peer(self) -> bool:
        """Whether the options ask for what has no kernel."""
        return False

    @abstractmethod
    def choices(self) -> Mapping[str, str]:
        """What sacreBLEU's signature says of the options."""

    def signature(self) -> str:
        if self.needs_peer:
            quoted = quoted_signature(self._peer)
        else:
            quoted = "|".join(f"{name}:{value}" for name, value in self.choices().items())
            quoted = f"nrefs:var|{quoted}"
        return f"{super().signature()}|sacrebleu:{peer_version()}|{quoted}"


def yes(value: bool) -> str:
    """A truth value in a signature."""
    return "yes" if value else "no"
