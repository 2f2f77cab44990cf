"""The folder ``KARAT_HOME``, which holds resources that are not part of the package."""

from __future__ import annotations

import os
from pathlib import Path


def home() -> Path:
    """The folder of resources: the variable KARAT_HOME, else ``.karat`` in the user's home."""
    return Path(os.environ.get("KARAT_HOME") or Path.home() / ".karat")


def metric_folder(metric: str) -> Path:
    """The folder of the resources of one metric; it need not exist."""
    return home() / "metrics" / metric
