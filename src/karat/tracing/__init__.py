"""Which setting gives a published figure: ``karat trace``."""

from __future__ import annotations

from karat.tracing.result import Hit, Near, Range, Trace
from karat.tracing.verb import settings, trace

__all__ = ["Hit", "Near", "Range", "Trace", "settings", "trace"]
