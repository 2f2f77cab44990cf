"""What can be wrong with a file of trees."""

from __future__ import annotations

from karat.errors import FormatError


class TreeError(FormatError):
    """A file of trees or alignments is not what is asked for: fix the file."""
