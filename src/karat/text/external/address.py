"""Addresses of servers, whose passwords are used and never shown."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit, urlunsplit


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
