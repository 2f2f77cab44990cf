"""Where karat keeps what does not come with the package: one folder, ``KARAT_HOME``."""

from __future__ import annotations

import os
from pathlib import Path


def home() -> Path:
    """The folder of resources: the variable KARAT_HOME, else ``.karat`` in the user's home."""
    return Path(os.environ.get("KARAT_HOME") or Path.home() / ".karat")


def metric_folder(metric: str) -> Path:
    """The folder of the resources of one metric; it need not exist."""
    return home() / "metrics" / metric
