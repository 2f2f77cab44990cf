"""Programs that compute metrics: how each is reached, kept in KARAT_HOME by ``karat setup metric``.

Passwords in addresses are used and never shown.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import msgspec

from karat.core.files.notations import NOT_JSON
from karat.core.files.resources import metric_folder
from karat.core.files.writing import whole_file
from karat.errors import FormatError, OptionError, Place

_PROGRAM = "program.json"


def remember_program(metric: str, command: str | None, url: str | None) -> Path:
    """Keeps how the program of a metric is reached."""
    if (command is None) == (url is None):
        raise OptionError("give ``command`` or ``url``", code="K390")
    place = metric_folder(metric) / _PROGRAM
    place.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(str(place)) as stream:
        stream.write(msgspec.json.encode({"command": command, "url": url}))
    return place


def reachable_by(metric: str) -> tuple[str | None, str | None]:
    """The command or the address that was kept for a metric; none where nothing was."""
    place = metric_folder(metric) / _PROGRAM
    try:
        record = msgspec.json.decode(place.read_bytes(), type=dict[str, str | None])
    except FileNotFoundError:
        return None, None
    except (OSError, *NOT_JSON) as error:
        raise FormatError(
            f"this does not say how to reach a program: {error}",
            code="K118",
            place=Place(str(place)),
        ) from None
    return record.get("command"), record.get("url")


def program_of(metric: str) -> str:
    """The program or address that was set up for a metric, in words; empty: none was."""
    command, url = reachable_by(metric)
    if command is not None:
        return f"the program {command!r}"
    return "" if url is None else f"the address {without_password(url)!r}"


def without_password(url: str) -> str:
    """The address as it may be printed and saved: the user stays, the password goes.

    >>> without_password("http://me:secret@host:8000/score?model=large")
    'http://me@host:8000/score?model=large'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url.rpartition("@")[2]
    user, at, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}{at}{host}"))


class HasAddress:
    """Base class of metrics with an option `url`; signatures and runs hide its password."""

    url: Any
    cache: Any
    """A file that answers are kept in besides memory."""
    _address: str | None = None

    def hide_password(self) -> None:
        """To be called when the options have their values."""
        self._address = self.url
        if self.url is not None:
            self.__dict__["url"] = without_password(self.url)

    @property
    def address(self) -> str | None:
        """The whole address, with credentials, for connecting."""
        return self._address

    def __reduce__(self) -> tuple[Any, ...]:
        made: Any = super().__reduce__()
        rebuild, (cls, options) = made
        return rebuild, (cls, {**options, "url": self._address})
