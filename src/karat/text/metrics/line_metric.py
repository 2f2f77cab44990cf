"""Base class of metrics that compare one string with one string."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from karat.core.capabilities import Measured
from karat.core.metric import Metric
from karat.core.reading.raw import RawChunk
from karat.core.reading.strings import Referenced, Strings
from karat.core.scores import Array
from karat.errors import OptionError
from karat.text.model import shown
from karat.text.raw_texts import measured_pairs, strings_of


class LineMetric(Metric[str, str], ABC):
    """Base class of metrics that compare one string with one string, in a kernel."""

    kind = "text"
    releases_gil = True
    chunk_size = 4096

    @abstractmethod
    def rows(self, systems: Strings, golds: Strings) -> Array:
        """The counts of pairs of texts."""

    def one_string(self, text: str) -> str:
        """The text if it is a string; a list is refused, as it may be sentences or references."""
        if isinstance(text, str):
            return text
        raise OptionError(
            f"{self.name} takes one string on each side, got {shown(text)}",
            code="K317",
            advice="join sentences with a blank; give each reference a pair of its own",
        )

    def measure_many(self, pairs: Sequence[tuple[str, str]]) -> Array:
        systems, golds = zip(*pairs, strict=True) if pairs else ((), ())
        return self.rows(
            Strings.of(list(map(self.one_string, systems))),
            Strings.of(list(map(self.one_string, golds))),
        )

    def texts_of(self, chunk: RawChunk) -> Referenced | None:
        texts = strings_of(chunk)
        return texts if texts is not None and bool((texts.sizes == 1).all()) else None

    def layers_of_texts(self, texts: Referenced) -> list[bytes] | None:
        return None

    def measure_bytes(self, chunk: RawChunk) -> Measured | None:
        return measured_pairs(chunk, self.rows)
