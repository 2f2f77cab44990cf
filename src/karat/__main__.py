"""The command ``karat``, also as ``python -m karat``, for the interpreter that has karat."""

from __future__ import annotations

import gc
from typing import NoReturn

_RARELY = 200_000
"""How many new objects there are between two searches for garbage: more than most commands load.
What is loaded and read stays, and looking through it all the time costs a tenth of a short run."""


def main() -> NoReturn:
    """Runs the command line, in a process of its own."""
    gc.set_threshold(_RARELY)  # before anything else is loaded
    from karat.cli import main as run

    run()


if __name__ == "__main__":
    main()
