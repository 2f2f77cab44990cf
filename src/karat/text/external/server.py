"""An HTTP server that takes requests by POST and answers with as many lines."""

from __future__ import annotations

import http.client
from base64 import b64encode
from collections.abc import Sequence
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from karat.errors import OptionError
from karat.text.external.address import without_password
from karat.text.external.protocol import HEALTH, ExternalError

_MOST_BYTES = 1 << 28


class Server:
    """A server at an address that the user gave; nothing else is ever connected to."""

    def __init__(self, url: str, timeout: float) -> None:
        self.name = without_password(url)
        self.timeout = timeout
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise OptionError(f"the address {self.name!r} is wrong: {error}", code="K302") from None
        if parts.scheme not in ("http", "https") or not host:
            raise OptionError(
                f"the address {self.name!r} must begin with http:// or https://", code="K302"
            )
        self._secure = parts.scheme == "https"
        self._host, self._port = host, port
        target = urlunsplit(("", "", parts.path or "/", parts.query, ""))
        self._target = quote(target, safe="/?:@!$&'()*+,;=%~[]")
        self._headers = {"Content-Type": "application/x-ndjson"}
        if parts.username is not None:
            who = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            self._headers["Authorization"] = f"Basic {b64encode(who.encode()).decode()}"

    def health(self) -> bytes:
        return self.exchange([HEALTH])[0]

    def exchange(self, requests: Sequence[bytes]) -> list[bytes]:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=self.timeout)
        try:
            body = b"\n".join(requests) + b"\n"
            connection.request("POST", self._target, body, self._headers)
            response = connection.getresponse()
            body = response.read(_MOST_BYTES + 1)
        except TimeoutError:
            raise ExternalError(
                f"{self.name} did not answer within {self.timeout:g} seconds",
                code="K411",
                advice="give it more time with ``timeout``",
            ) from None
        except (OSError, http.client.HTTPException) as error:
            raise ExternalError(
                f"{self.name} cannot be reached: {error}",
                code="K412",
                advice="start the server, or check its address",
            ) from None
        finally:
            connection.close()
        if response.status != 200:
            raise ExternalError(f"{self.name} answered with the status {response.status}")
        if len(body) > _MOST_BYTES:
            raise ExternalError(f"{self.name} answered with more than {_MOST_BYTES:,} bytes")
        return [line for line in body.split(b"\n") if line.strip()]
