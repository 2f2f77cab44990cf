"""What was measured of, or judged about, one output of one system."""

from __future__ import annotations

from typing import Literal

import msgspec

from karat.core.scores import MetricsDict
from karat.errors import OptionError

SummarizerType = Literal["peer", "reference"]
"""A system, or a human whose text is also a reference."""


class Record(msgspec.Struct, frozen=True):
    """What was measured of, or judged about, one output of one system."""

    instance_id: str
    summarizer_id: str
    summarizer_type: SummarizerType
    metrics: MetricsDict

    def merge(self, other: Record) -> Record:
        """A record with the metrics of both; of names at the top that both have, the other's."""
        if _identity(self) != _identity(other):
            raise OptionError(
                f"records of different outputs cannot be merged: {_identity(self)} "
                f"and {_identity(other)}",
                code="K381",
            )
        merged = MetricsDict(self.metrics)
        for name, value in other.metrics.items():
            merged[name] = value
        return Record(*_identity(self), merged)


def _identity(record: Record) -> tuple[str, str, SummarizerType]:
    return record.instance_id, record.summarizer_id, record.summarizer_type
