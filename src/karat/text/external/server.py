"""An HTTP server that takes requests by POST and answers with as many lines."""

from __future__ import annotations

import http.client
from collections.abc import Sequence
from urllib.parse import urlsplit

from karat.errors import OptionError
from karat.text.external.protocol import HEALTH, ExternalError

_MOST_BYTES = 1 << 28


class Server:
    """A server at an address that the user gave; nothing else is ever connected to."""

    def __init__(self, url: str, timeout: float) -> None:
        self.name = url
        self.timeout = timeout
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise OptionError(
                f"the address {url!r} must begin with http:// or https://", code="K302"
            )
        self._secure = parts.scheme == "https"
        try:
            self._host, self._port = parts.hostname, parts.port
        except ValueError:
            raise OptionError(f"the address {url!r} has a wrong port", code="K302") from None
        self._path = parts.path or "/"

    def health(self) -> bytes:
        return self.exchange([HEALTH])[0]

    def exchange(self, requests: Sequence[bytes]) -> list[bytes]:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=self.timeout)
        headers = {"Content-Type": "application/x-ndjson"}
        try:
            connection.request("POST", self._path, b"\n".join(requests) + b"\n", headers)
            response = connection.getresponse()
            body = response.read(_MOST_BYTES + 1)
        except TimeoutError:
            raise ExternalError(
                f"{self.name} did not answer within {self.timeout:g} seconds",
                code="K411",
                advice="give it more time with --timeout",
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
