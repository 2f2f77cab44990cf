"""Output files appear whole or not at all: written beside, then renamed."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from karat.errors import OptionError


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A binary file that takes its name only when the block ends without an error.

    ``-`` is standard output.
    """
    if os.fspath(path) == "-":
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path)
    if target.is_dir():
        raise OptionError(f"cannot write {str(target)!r}: it is a directory", code="K305")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise OptionError(f"cannot write {str(target)!r}: {error.strerror}", code="K305") from None
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        beside.chmod(0o666 & ~_umask())
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
